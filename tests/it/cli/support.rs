//! Runs the built program on virtual drives in a folder of its own.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use sedkit::spec::{ComId, Hsn, SecurityProtocol, Tsn, method, uid};
use sedkit::transport::Transport;
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use sedkit::wire::discovery::Discovery;
use sedkit::wire::{ComPacket, MethodCall};
use serde_json::Value;
use tempfile::TempDir;

/// Serial number of every bench's drive `a`; drive `b` has the next one.
pub(crate) const SERIAL: &str = "SEDKITTEST0001";
/// The default PIN that the drives show.
pub(crate) const MSID: &str = "MSIDMSIDMSIDMSIDMSIDMSIDMSIDMSID";
/// What stands on the drives' labels.
pub(crate) const PSID: &str = "PSDPSDPSDPSDPSDPSDPSDPSDPSDPSDPS";
/// The passphrase that [`Bench::set_up`] sets.
pub(crate) const PASSPHRASE: &str = "Correct-Horse-7";

/// A folder with virtual drives and secret files.
pub(crate) struct Bench {
    folder: TempDir,
}

impl Bench {
    /// A folder with the factory-fresh drive `a`, and files `right`, `wrong` and `psid`.
    pub(crate) fn new() -> Self {
        let bench = Self {
            folder: TempDir::new().unwrap(),
        };
        bench.create("a", SERIAL);
        bench.secret("right", PASSPHRASE);
        bench.secret("wrong", "Wrong-Horse-7");
        bench.secret("psid", PSID);
        bench
    }

    /// As [`Bench::new`], with drive `a` set up.
    pub(crate) fn set_up() -> Self {
        let bench = Self::new();
        bench
            .run(&["setup", "vdrive:a", "--new-key", "file:right"])
            .exits(0);
        bench
    }

    /// As [`Bench::set_up`], after a power cycle: the drive is locked.
    pub(crate) fn locked() -> Self {
        let bench = Self::set_up();
        bench.open("a").power_cycle().unwrap();
        bench
    }

    /// Another drive.
    pub(crate) fn create(&self, name: &str, serial: &str) {
        let mut options = CreateOptions::new(8 << 20);
        options.serial = Some(serial.to_owned());
        options.msid = Some(MSID.to_owned());
        options.psid = Some(PSID.to_owned());
        VirtualDrive::create(&self.path(name), &options).unwrap();
    }

    /// A secret that only its owner can read.
    pub(crate) fn secret(&self, name: &str, secret: impl AsRef<[u8]>) {
        fs::write(self.path(name), secret).unwrap();
        fs::set_permissions(self.path(name), Permissions::from_mode(0o600)).unwrap();
    }

    /// The drive itself, as long as no command uses it.
    pub(crate) fn open(&self, name: &str) -> VirtualDrive {
        VirtualDrive::open(&self.path(name)).unwrap()
    }

    /// Whether a host can read the first block.
    pub(crate) fn is_readable(&self, name: &str) -> bool {
        self.open(name).read(0, 1).is_ok()
    }

    /// A file of the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program in the folder, with nothing on standard input.
    pub(crate) fn run(&self, arguments: &[&str]) -> Run {
        self.run_with_input(arguments, b"")
    }

    /// Runs the program in the folder.
    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Run {
        Run::of(sedkit(self.folder.path(), arguments), input)
    }

    /// Runs the program with `--json` and gives its document, which must have this exit code.
    pub(crate) fn json(&self, arguments: &[&str], exit: i32) -> Value {
        let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
        self.run(&arguments).exits(exit).json()
    }
}

/// The program, about to be run in a folder.
pub(crate) fn sedkit(folder: &Path, arguments: &[&str]) -> Command {
    let command = Command::new(env!("CARGO_BIN_EXE_sedkit"));
    prepared(command, folder, arguments)
}

/// As [`sedkit`], with SIGHUP as a terminal's shell leaves it: whoever runs the tests may ignore it,
/// and a program respects that.
pub(crate) fn sedkit_of_a_terminal(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("env");
    command.args(["--default-signal=HUP", env!("CARGO_BIN_EXE_sedkit")]);
    prepared(command, folder, arguments)
}

/// As [`sedkit`], where nobody can be asked, whether or not the tests have a terminal.
pub(crate) fn sedkit_without_terminal(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("setsid");
    command.args(["--wait", env!("CARGO_BIN_EXE_sedkit")]);
    prepared(command, folder, arguments)
}

fn prepared(mut command: Command, folder: &Path, arguments: &[&str]) -> Command {
    command.args(arguments).current_dir(folder);
    command
        .env("SEDKIT_STATE_DIR", folder.join("state"))
        .env_remove("CREDENTIALS_DIRECTORY")
        .env_remove("NO_COLOR");
    command
}

/// What a run of the program gave.
pub(crate) struct Run {
    command: String,
    /// How it ended; nothing if by a signal.
    pub(crate) exit: Option<i32>,
    /// Standard output.
    pub(crate) stdout: String,
    /// Standard error.
    pub(crate) stderr: String,
}

impl Run {
    /// Runs a command to its end.
    pub(crate) fn of(mut command: Command, input: &[u8]) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that does not read its input may end before it is written.
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        Self {
            command: format!("{command:?}"),
            exit: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Checks the exit code.
    #[track_caller]
    pub(crate) fn exits(self, code: i32) -> Self {
        assert_eq!(self.exit, Some(code), "{self}");
        self
    }

    /// Checks that standard output holds a text.
    #[track_caller]
    pub(crate) fn says(self, text: &str) -> Self {
        assert!(self.stdout.contains(text), "{text:?} is missing: {self}");
        self
    }

    /// Checks that standard error holds a text.
    #[track_caller]
    pub(crate) fn complains(self, text: &str) -> Self {
        assert!(self.stderr.contains(text), "{text:?} is missing: {self}");
        self
    }

    /// The one document on standard output.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

impl std::fmt::Display for Run {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            command,
            exit,
            stdout,
            stderr,
        } = self;
        write!(f, "$ {command}\n{stdout}{stderr}=> {exit:?}")
    }
}

/// Does to a drive what a program does that is killed in the middle of a session.
pub(crate) fn leave_session_open(bench: &Bench, name: &str) {
    let mut drive = bench.open(name);
    let mut discovery = vec![0; 2048];
    drive
        .if_recv(
            SecurityProtocol::TCG,
            ComId::LEVEL_0_DISCOVERY,
            &mut discovery,
        )
        .unwrap();
    let com_id = Discovery::decode(&discovery)
        .unwrap()
        .base_com_id()
        .unwrap();
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(1_u64)
        .argument(uid::LOCKING_SP)
        .argument(true);
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    let packet = ComPacket::with_tokens(com_id, tsn, hsn, &call.encode());
    drive
        .if_send(SecurityProtocol::TCG, com_id, &packet.encode())
        .unwrap();
    drive
        .if_recv(SecurityProtocol::TCG, com_id, &mut discovery)
        .unwrap();
}
