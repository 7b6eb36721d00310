//! A process that is killed while it works on a drive, and the same command run again.
//!
//! The process is this test program itself, started again to run one test: it works on the drive's
//! file through a transport that sends SIGKILL to its own process after so many interface commands.
//! The second run is the real program, with the same secrets.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use nix::sys::signal::{Signal, raise};
use sedkit::drive::{Authority, Credential, Drive, DriveOptions, Journal, PinChange, SetupPlan};
use sedkit::secret::Secret;
use sedkit::spec::{ComId, SecurityProtocol};
use sedkit::transport::{Error, Identity, Transport};
use sedkit::vdrive::{CreateOptions, VirtualDrive};

const OLD: &str = "Correct7Horse5";
const NEW: &str = "Better8Rooster6";
/// How long a drive keeps a session that is idle.
const SESSION_TIMEOUT: Duration = Duration::from_secs(60);
/// The folder of the journal, beside the drive.
const STATE: &str = "state";
/// What the process that is killed has to do: the drive, how many commands, which task.
const ORDERS: &str = "SEDKIT_TEST_KILL";
/// More interface commands than any task takes.
const ENOUGH: u32 = 60;

#[test]
fn setup_that_was_killed_anywhere_is_finished_by_the_next() {
    let kills = kill_everywhere(
        "setup",
        |_| {},
        |stage| {
            stage.run(&["setup", "--new-key", "file:old"]);
            stage.opens(Authority::Sid, OLD);
            stage.opens(Authority::Admin(1), OLD);
            stage.locks_at_power_cycle();
        },
    );
    assert!(kills > 20, "setup took only {kills} interface commands");
}

#[test]
fn setup_of_an_owned_drive_that_was_killed_anywhere_is_finished_by_the_next() {
    let arguments = ["setup", "--sid-key", "file:old", "--new-key", "file:new"];
    let kills = kill_everywhere("setup-owned", Stage::own, |stage| {
        stage.run(&arguments);
        stage.opens(Authority::Sid, NEW);
        stage.opens(Authority::Admin(1), NEW);
        stage.locks_at_power_cycle();
    });
    assert!(kills > 15, "setup took only {kills} interface commands");
}

#[test]
fn a_change_of_the_pin_that_was_killed_anywhere_is_finished_by_the_next() {
    let kills = kill_everywhere(
        "passwd",
        |stage| stage.run(&["setup", "--new-key", "file:old"]),
        |stage| {
            stage.run(&[
                "passwd",
                "--as",
                "Admin1",
                "--key",
                "file:old",
                "--new-key",
                "file:new",
            ]);
            stage.opens(Authority::Admin(1), NEW);
            stage.opens(Authority::Sid, OLD);
        },
    );
    assert!(kills > 6, "passwd took only {kills} interface commands");
}

#[test]
fn a_change_of_two_pins_that_was_killed_anywhere_is_finished_by_the_next() {
    let mut passwd = vec!["passwd", "--as", "SID", "--also", "Admin1"];
    passwd.extend(["--key", "file:old", "--new-key", "file:new"]);
    let kills = kill_everywhere(
        "passwd-both",
        |stage| stage.run(&["setup", "--new-key", "file:old"]),
        |stage| {
            stage.run(&passwd);
            stage.opens(Authority::Admin(1), NEW);
            stage.opens(Authority::Sid, NEW);
        },
    );
    assert!(kills > 12, "passwd took only {kills} interface commands");
}

#[test]
fn a_session_that_was_left_open_is_waited_for_until_the_drive_drops_it() {
    let stage = Stage::with_session_timeout(Duration::from_millis(1500));
    stage.leave_session_open();
    stage.run(&["unlock", "--key", "file:old"]);
    stage.opens(Authority::Admin(1), OLD);
}

#[test]
fn a_session_that_is_never_dropped_is_told_apart_and_cleared_on_demand() {
    let stage = Stage::with_session_timeout(Duration::ZERO);
    stage.leave_session_open();
    let output = stage.output(&["unlock", "--key", "file:old", "--timeout", "1"]);
    assert_eq!(output.status.code(), Some(7));
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(
        complaint.contains("SP_BUSY") && complaint.contains("--stack-reset"),
        "{complaint}"
    );
    stage.run(&["unlock", "--key", "file:old", "--stack-reset"]);
    stage.opens(Authority::Admin(1), OLD);
}

/// The other process. It does nothing that a test could check: it is killed.
#[test]
#[ignore = "is started by the tests above"]
#[expect(
    clippy::disallowed_methods,
    reason = "its orders come from the test that starts it"
)]
fn victim() {
    let orders = std::env::var(ORDERS).expect("orders");
    let [path, commands, task]: [&str; 3] = orders
        .split('|')
        .collect::<Vec<_>>()
        .try_into()
        .expect("three orders");
    let transport = Doomed {
        inner: VirtualDrive::open(Path::new(path)).unwrap(),
        left: commands.parse().unwrap(),
    };
    let options = DriveOptions {
        journal: Some(Journal::new(Path::new(path).with_file_name(STATE))),
        ..DriveOptions::default()
    };
    let mut drive = Drive::open(Box::new(transport), options).unwrap();
    let owned = SetupPlan {
        sid_pin: Some(secret(OLD)),
        ..SetupPlan::default()
    };
    match task {
        "setup-owned" => drop(drive.setup(&owned, &secret(NEW)).unwrap()),
        "passwd-both" => {
            let both = [Authority::Sid, Authority::Admin(1)].map(|authority| PinChange {
                authority,
                by: Credential::new(authority, secret(OLD)),
                new_pin: secret(NEW),
            });
            assert!(drive.change_pins(&both).1.is_none());
        }
        "setup" => drop(drive.setup(&SetupPlan::default(), &secret(OLD)).unwrap()),
        _ => drop(
            drive
                .change_pin(Authority::Admin(1), &admin(OLD), &secret(NEW))
                .unwrap(),
        ),
    }
}

/// Kills a process that does `task` after every number of commands, until one survives; each time
/// `prepare` comes before it, and `check` after it. Returns how many were killed.
fn kill_everywhere(task: &str, prepare: impl Fn(&Stage), check: impl Fn(&Stage)) -> u32 {
    for commands in 1..ENOUGH {
        let stage = Stage::new();
        prepare(&stage);
        let status = stage.kill_after(commands, task);
        if status.success() {
            return commands - 1;
        }
        stage.let_sessions_time_out();
        check(&stage);
        assert_eq!(
            status.signal(),
            Some(9),
            "the other process ended by itself: {status}"
        );
    }
    panic!("{task} takes more than {ENOUGH} interface commands");
}

/// A folder with a drive and two secrets.
struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    fn new() -> Self {
        Self::with_session_timeout(SESSION_TIMEOUT)
    }

    /// What a pause does after a process was killed: the drive drops the session that it left. The
    /// pause is one of the drive's clock, so that a slow machine loses no session that is in use.
    fn let_sessions_time_out(&self) {
        let mut drive = VirtualDrive::open(&self.drive()).unwrap();
        drive.set_clock(|| {
            let later = SystemTime::now() + 2 * SESSION_TIMEOUT;
            let since = later.duration_since(UNIX_EPOCH).unwrap();
            since.as_millis().try_into().unwrap()
        });
        let (protocol, com_id) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);
        drive.if_recv(protocol, com_id, &mut [0; 512]).unwrap();
        assert_eq!(drive.info().open_sessions, 0);
    }

    fn with_session_timeout(timeout: Duration) -> Self {
        let stage = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let mut options = CreateOptions::new(1 << 20);
        options.session_timeout = Some(timeout);
        VirtualDrive::create(&stage.drive(), &options).unwrap();
        for (name, passphrase) in [("old", OLD), ("new", NEW)] {
            write_secret(&stage.folder.path().join(name), passphrase);
        }
        stage
    }

    fn drive(&self) -> PathBuf {
        self.folder.path().join("drive")
    }

    fn kill_after(&self, commands: u32, task: &str) -> ExitStatus {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "kill::victim", "--ignored", "--quiet"])
            .env(
                ORDERS,
                format!("{}|{commands}|{task}", self.drive().display()),
            )
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap()
    }

    /// A locked drive, on which a process was killed after it had logged in as Admin1.
    fn leave_session_open(&self) {
        self.run(&["setup", "--new-key", "file:old"]);
        VirtualDrive::open(&self.drive())
            .unwrap()
            .power_cycle()
            .unwrap();
        assert_eq!(self.kill_after(3, "passwd").signal(), Some(9));
        assert_eq!(
            VirtualDrive::open(&self.drive())
                .unwrap()
                .info()
                .open_sessions,
            1
        );
    }

    fn output(&self, arguments: &[&str]) -> Output {
        let (command, options) = arguments.split_first().unwrap();
        Command::new(env!("CARGO_BIN_EXE_sedkit"))
            .args([command, "vdrive:drive"])
            .args(options)
            .current_dir(self.folder.path())
            .env("SEDKIT_STATE_DIR", self.folder.path().join(STATE))
            .output()
            .unwrap()
    }

    /// Runs the program on the drive, with success.
    fn run(&self, arguments: &[&str]) {
        let output = self.output(arguments);
        let complaint = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{arguments:?}: {complaint}");
    }

    fn open(&self) -> Drive {
        let drive = VirtualDrive::open(&self.drive()).unwrap();
        Drive::open(Box::new(drive), DriveOptions::default()).unwrap()
    }

    /// The authority has this PIN, and no wrong attempt is left behind.
    fn opens(&self, authority: Authority, pin: &str) {
        let tries = self
            .open()
            .tries(&Credential::new(authority, secret(pin)))
            .unwrap();
        assert_eq!(tries.tries, Some(0), "{authority}");
    }

    /// Gives SID a PIN of its own.
    fn own(&self) {
        let mut drive = self.open();
        let msid = Credential::new(Authority::Sid, drive.msid().unwrap());
        drive
            .change_pin(Authority::Sid, &msid, &secret(OLD))
            .unwrap();
    }

    fn locks_at_power_cycle(&self) {
        let mut drive = VirtualDrive::open(&self.drive()).unwrap();
        assert!(drive.read(0, 1).is_ok());
        drive.power_cycle().unwrap();
        assert!(drive.read(0, 1).is_err());
        assert!(drive.write(0, &[0; 512]).is_err());
    }
}

/// A way to a drive on which the process dies.
struct Doomed {
    inner: VirtualDrive,
    left: u32,
}

impl Doomed {
    fn count(&mut self) {
        self.left -= 1;
        if self.left == 0 {
            raise(Signal::SIGKILL).unwrap();
        }
    }
}

impl Transport for Doomed {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        let result = self.inner.if_send(protocol, com_id, data);
        self.count();
        result
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let result = self.inner.if_recv(protocol, com_id, buffer);
        self.count();
        result
    }

    fn identity(&self) -> &Identity {
        self.inner.identity()
    }

    fn max_transfer(&self) -> usize {
        self.inner.max_transfer()
    }
}

fn secret(text: &str) -> Secret {
    Secret::from_slice(text.as_bytes())
}

fn admin(pin: &str) -> Credential {
    Credential::new(Authority::Admin(1), secret(pin))
}

pub(crate) fn write_secret(path: &Path, passphrase: &str) {
    use std::io::Write;
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = std::fs::OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
        .unwrap();
    file.write_all(passphrase.as_bytes()).unwrap();
}
