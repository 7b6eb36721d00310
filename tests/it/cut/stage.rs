//! A drive in a folder, the program run on it, and the program broken off.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sedkit::drive::{Authority, Credential, Drive, DriveOptions, LockingState};
use sedkit::secret::Secret;
use sedkit::spec::{ComId, SecurityProtocol};
use sedkit::transport::Transport;
use sedkit::vdrive::{CreateOptions, Fault, FaultKind, VirtualDrive};

use super::sparse;

/// The PIN of a drive that was set up.
pub(crate) const OLD: &str = "Correct7Horse5";
/// The PIN that a command gives it.
pub(crate) const NEW: &str = "Better8Rooster6";
/// The PIN of a User.
pub(crate) const USER: &str = "Nimble4Otter9";
/// PSID on the label.
pub(crate) const PSID: &str = "PSID2345PSID2345PSID2345PSID2345";
/// Serial number on the label.
pub(crate) const SERIAL: &str = "VD0000000001";
/// The secrets, by the names of their files.
const SECRETS: [(&str, &str); 4] = [("old", OLD), ("new", NEW), ("user", USER), ("psid", PSID)];
/// How long a drive keeps a session that is idle.
const SESSION_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the program may take to reach the fault.
const PATIENCE: Duration = Duration::from_secs(60);
/// The folder of the journal, beside the drive.
const STATE: &str = "state";

/// A file with an image for the shadow MBR, of several blocks that differ.
pub(crate) const IMAGE: &str = "image";

fn image() -> Vec<u8> {
    let byte = |place: usize| u8::try_from(place * 7 % 251).expect("a remainder is small");
    (1..=200_000).map(byte).collect()
}

/// How a command is broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Break {
    /// The program is killed.
    Kill,
    /// The drive loses its power.
    PowerCut,
}

/// What became of a command that was to be broken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It ended before that.
    Ended,
    /// It was broken off.
    BrokenOff,
    /// The drive lost its power, and the program says that all is done.
    ClaimsSuccess,
}

/// A folder with a drive and secrets.
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// A new drive, in its original factory state.
    pub(crate) fn new() -> Self {
        Self::with(|_| {})
    }

    /// A new drive, with other options.
    pub(crate) fn with(change: impl FnOnce(&mut CreateOptions)) -> Self {
        let stage = Self::empty();
        let mut options = CreateOptions::new(1 << 20);
        options.session_timeout = Some(SESSION_TIMEOUT);
        options.serial = Some(SERIAL.to_owned());
        options.psid = Some(PSID.to_owned());
        // A small table, since the file is copied for every point at which a command is broken off.
        options.profile.locking.mbr_size = 1 << 20;
        options.profile.locking.data_store_size = 64 << 10;
        change(&mut options);
        VirtualDrive::create(&stage.path(), &options).unwrap();
        stage
    }

    fn empty() -> Self {
        let stage = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        for (name, secret) in SECRETS {
            write_secret(&stage.file(name), secret);
        }
        std::fs::write(stage.file(IMAGE), image()).unwrap();
        stage
    }

    /// The same drive in another folder.
    pub(crate) fn copy(&self) -> Self {
        let copy = Self::empty();
        sparse::copy(&self.path(), &copy.path()).unwrap();
        copy
    }

    /// A file beside the drive.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The drive's file.
    pub(crate) fn path(&self) -> PathBuf {
        self.file("drive")
    }

    /// The drive itself.
    pub(crate) fn virtual_drive(&self) -> VirtualDrive {
        VirtualDrive::open(&self.path()).unwrap()
    }

    /// The program with arguments; `DEV` stands for the drive.
    fn program(&self, arguments: &[&str]) -> Command {
        let device = |argument: &&str| match *argument {
            "DEV" => "vdrive:drive".to_owned(),
            other => other.to_owned(),
        };
        let mut command = Command::new(env!("CARGO_BIN_EXE_sedkit"));
        command
            .args(arguments.iter().map(device))
            .current_dir(self.folder.path())
            .env("SEDKIT_STATE_DIR", self.file(STATE))
            .stdin(Stdio::null());
        command
    }

    /// What the program says.
    pub(crate) fn output(&self, arguments: &[&str]) -> Output {
        self.program(arguments).output().unwrap()
    }

    /// Runs the program, with success.
    pub(crate) fn run(&self, arguments: &[&str]) {
        let output = self.output(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {complaint}");
    }

    /// Runs the program, and breaks it off after so many interface commands.
    pub(crate) fn break_off(&self, how: Break, after: u64, arguments: &[&str]) -> Outcome {
        match how {
            Break::Kill => self.kill_after(after, arguments),
            Break::PowerCut => self.cut_power_after(after, arguments),
        }
    }

    fn kill_after(&self, after: u64, arguments: &[&str]) -> Outcome {
        if !self.leave_session_open(after, arguments) {
            return Outcome::Ended;
        }
        self.let_sessions_time_out();
        Outcome::BrokenOff
    }

    fn cut_power_after(&self, after: u64, arguments: &[&str]) -> Outcome {
        self.arrange(FaultKind::PowerCut, after);
        let claims_success = self.output(arguments).status.success();
        match (self.take_fault(), claims_success) {
            (true, _) => Outcome::Ended,
            (false, false) => Outcome::BrokenOff,
            (false, true) => Outcome::ClaimsSuccess,
        }
    }

    /// Runs the program, and cuts the drive's power after so many interface commands: what it says.
    pub(crate) fn output_of_power_cut(&self, after: u64, arguments: &[&str]) -> Output {
        self.arrange(FaultKind::PowerCut, after);
        let output = self.output(arguments);
        self.take_fault();
        output
    }

    /// Kills the program after so many interface commands: a session that it had stays open. Whether
    /// it took that many.
    pub(crate) fn leave_session_open(&self, after: u64, arguments: &[&str]) -> bool {
        self.arrange(FaultKind::Hang, after);
        let mut command = self.program(arguments);
        let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
        self.kill_at_fault(&mut quiet.spawn().unwrap());
        !self.take_fault()
    }

    fn arrange(&self, kind: FaultKind, after: u64) {
        let fault = Some(Fault { kind, after });
        self.virtual_drive().arrange_fault(fault).unwrap();
    }

    /// Takes the fault back. Whether it was still there.
    fn take_fault(&self) -> bool {
        let was_there = self.has_fault();
        self.virtual_drive().arrange_fault(None).unwrap();
        was_there
    }

    fn kill_at_fault(&self, program: &mut Child) {
        let start = std::time::Instant::now();
        while self.has_fault() {
            if program.try_wait().unwrap().is_some() {
                return;
            }
            assert!(start.elapsed() < PATIENCE, "the program makes no headway");
            thread::sleep(Duration::from_millis(1));
        }
        program.kill().unwrap();
        program.wait().unwrap();
    }

    fn has_fault(&self) -> bool {
        let inspection = VirtualDrive::inspect(&self.path()).unwrap();
        inspection.info.fault.is_some()
    }

    /// What a pause does after a process was killed: the drive drops the session that it left. The
    /// pause is one of the drive's clock, so that a slow machine loses no session that is in use.
    pub(crate) fn let_sessions_time_out(&self) {
        let mut drive = self.virtual_drive();
        drive.set_clock(|| {
            let later = SystemTime::now() + 2 * SESSION_TIMEOUT;
            let since = later.duration_since(UNIX_EPOCH).unwrap();
            since.as_millis().try_into().unwrap()
        });
        let (protocol, com_id) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);
        drive.if_recv(protocol, com_id, &mut [0; 512]).unwrap();
        assert_eq!(drive.info().open_sessions, 0);
    }

    /// The drive for a host.
    pub(crate) fn open(&self) -> Drive {
        Drive::open(Box::new(self.virtual_drive()), DriveOptions::default()).unwrap()
    }

    /// The authority has this PIN, and no wrong attempt is left behind.
    pub(crate) fn opens(&self, authority: Authority, pin: &str) {
        let tries = self.open().tries(&credential(authority, pin)).unwrap();
        assert_eq!(tries.tries, Some(0), "{authority}");
    }

    /// Somebody whose PIN is one of those that are known here still gets in as the authority.
    pub(crate) fn has_way_in(&self, authority: Authority, pins: &[&str]) {
        let opens = |pin: &&str| {
            let tries = self.open().tries(&credential(authority, pin));
            tries.is_ok()
        };
        assert!(pins.iter().any(opens), "no way in as {authority}");
    }

    /// What the drive shows to anybody says which PIN SID and Admin1 have now: MSID, or the one that
    /// was to be set. Nobody has to try one after the other.
    pub(crate) fn opens_at_the_first_attempt(&self, pin: &str) {
        let mut drive = self.open();
        let state = drive.state();
        let sid = match state.owned {
            Some(false) => drive.msid().unwrap(),
            _ => secret(pin),
        };
        drive.tries(&Credential::new(Authority::Sid, sid)).unwrap();
        if state.locking != LockingState::Inactive {
            drive.tries(&credential(Authority::Admin(1), pin)).unwrap();
        }
    }

    /// Whoever reads the label gets the drive back, as from the factory.
    pub(crate) fn reverts_with_the_psid(&self) {
        let stage = self.copy();
        stage.run(&["revert", "DEV", "--psid", "file:psid", "--confirm", SERIAL]);
        assert_eq!(stage.open().state().word(), "factory");
    }

    /// Gives SID a PIN of its own.
    pub(crate) fn own(&self) {
        let mut drive = self.open();
        let msid = Credential::new(Authority::Sid, drive.msid().unwrap());
        drive
            .change_pin(Authority::Sid, &msid, &secret(OLD))
            .unwrap();
    }

    /// What is on the drive can be read, and after a power cycle neither read nor written.
    pub(crate) fn locks_at_power_cycle(&self) {
        let mut drive = self.virtual_drive();
        assert!(drive.read(0, 1).is_ok());
        drive.power_cycle().unwrap();
        assert!(drive.read(0, 1).is_err());
        assert!(drive.write(0, &[0; 512]).is_err());
    }
}

pub(crate) fn secret(text: &str) -> Secret {
    Secret::from_slice(text.as_bytes())
}

pub(crate) fn credential(authority: Authority, pin: &str) -> Credential {
    Credential::new(authority, secret(pin))
}

/// A file that nobody but its owner may read.
pub(crate) fn write_secret(path: &Path, secret: &str) {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(path).unwrap();
    file.write_all(secret.as_bytes()).unwrap();
}
