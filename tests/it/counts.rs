//! Interface commands of the program: what it says it sent is what the drive got, within the budget.
//!
//! Budgets are upper limits of the design; the exact figures are printed by the bench `if_counts`.

use std::path::{Path, PathBuf};
use std::process::Command;

use sedkit::VirtualDrive;
use sedkit::drive::{Drive, DriveOptions, SetupPlan};
use sedkit::secret::Secret;
use sedkit::session::{Tper, TperOptions};
use sedkit::spec::{Ssc, column, uid};
use sedkit::vdrive::CreateOptions;
use serde_json::Value;

const PASSPHRASE: &str = "Correct7Horse5";
const SERIAL: &str = "SEDKITCOUNTS";
const PSID: &str = "PSDPSDPSDPSDPSDPSDPSDPSDPSDPSDPS";

#[test]
fn discovery_takes_one() {
    let bench = Bench::new();
    assert_eq!(bench.count(&["scan", "vdrive:drive"]), 1);
}

#[test]
fn setup_from_the_factory_state_takes_at_most_26() {
    let bench = Bench::new();
    let count = bench.count(&["setup", "vdrive:drive", "--new-key", "file:key"]);
    assert!(count <= 26, "{count}");
}

#[test]
fn unlock_of_range_0_takes_at_most_7() {
    let bench = Bench::owned();
    bench.open().power_cycle().unwrap();
    let count = bench.count(&[
        "unlock",
        "vdrive:drive",
        "--key",
        "file:key",
        "--range",
        "0",
    ]);
    assert!(count <= 7, "{count}");
    assert!(bench.open().read(0, 1).is_ok());
}

#[test]
fn unlock_of_range_0_with_mbr_done_takes_at_most_9() {
    let bench = Bench::owned();
    bench.enable_shadow_mbr();
    bench.open().power_cycle().unwrap();
    let unlock = [
        "unlock",
        "vdrive:drive",
        "--key",
        "file:key",
        "--range",
        "0",
        "--mbr-done",
    ];
    let count = bench.count(&unlock);
    assert!(count <= 9, "{count}");
    let info = bench.open().info();
    assert!(info.mbr_enabled && info.mbr_done);
}

#[test]
fn unlock_of_nine_ranges_with_mbr_done_takes_at_most_25() {
    let bench = Bench::owned();
    bench.enable_shadow_mbr();
    bench.open().power_cycle().unwrap();
    let ranges = ["0", "1", "2", "3", "4", "5", "6", "7", "8"];
    let mut unlock = vec!["unlock", "vdrive:drive", "--key", "file:key", "--mbr-done"];
    unlock.extend(ranges.iter().flat_map(|range| ["--range", range]));
    let count = bench.count(&unlock);
    assert!(count <= 25, "{count}");
}

#[test]
fn unlock_of_what_is_unlocked_takes_one() {
    let bench = Bench::owned();
    assert_eq!(
        bench.count(&["unlock", "vdrive:drive", "--key", "file:key"]),
        1
    );
}

#[test]
fn lock_of_range_0_takes_at_most_8() {
    let bench = Bench::owned();
    let count = bench.count(&["lock", "vdrive:drive", "--key", "file:key", "--range", "0"]);
    assert!(count <= 8, "{count}");
    assert!(bench.open().read(0, 1).is_err());
}

#[test]
fn revert_by_psid_takes_at_most_7() {
    let bench = Bench::owned();
    let count = bench.count(&[
        "revert",
        "vdrive:drive",
        "--psid",
        "file:psid",
        "--confirm",
        SERIAL,
    ]);
    assert!(count <= 7, "{count}");
}

/// The budget of the design: the range is taken for free without a look, and keeps its key.
#[test]
fn setting_up_a_range_and_reading_it_back_takes_at_most_9() {
    let bench = Bench::owned();
    let count = bench.count(&[&RANGE[..], &["--range", "1", "--assume-free"]].concat());
    assert!(count <= 9, "{count}");
    bench.open().power_cycle().unwrap();
    assert!(bench.open().read(1024, 1).is_err());
}

/// With a look at the range before, and a new key: two methods more.
#[test]
fn making_a_range_with_a_look_and_a_new_key_takes_at_most_13() {
    let bench = Bench::owned();
    let count = bench.count(&[&RANGE[..], &["--range", "1"]].concat());
    assert!(count <= 13, "{count}");
    let set = ["range", "set", "vdrive:drive", "--key", "file:key"];
    let count = bench.count(&[&set[..], &["--range", "1", "--name", "data"]].concat());
    assert!(count <= 11, "{count}");
    let again = bench.count(&[&set[..], &["--range", "1", "--name", "data"]].concat());
    assert!(again <= 7, "{again}");
}

const RANGE: [&str; 11] = [
    "range",
    "create",
    "vdrive:drive",
    "--key",
    "file:key",
    "--start",
    "1024",
    "--length",
    "512",
    "--confirm",
    SERIAL,
];

#[test]
fn erase_of_one_range_takes_at_most_10() {
    let bench = Bench::owned();
    let secret = ["--key", "file:key", "--confirm", SERIAL];
    let erase = ["erase", "vdrive:drive", "--range", "1"];
    let count = bench.count(&[&erase[..], &secret].concat());
    assert!(count <= 10, "{count}");
}

/// 26 of a plain setup, LockingInfo and the rows in the mode, and ten for each owner: a session with
/// the empty PIN, the Set of the new one, and a session that proves it.
#[test]
fn setup_of_nine_owners_takes_at_most_126() {
    let bench = Bench::new();
    let secrets = ["--new-key", "file:key", "--user-key", "file:new"];
    let count = bench.count(&[&["setup", "vdrive:drive", "--sum"][..], &secrets].concat());
    assert!(count <= 126, "{count}");
}

#[test]
fn an_owner_unlocks_its_range_with_at_most_7() {
    let bench = Bench::new();
    let secrets = ["--new-key", "file:key", "--user-key", "file:new"];
    bench.count(&[&["setup", "vdrive:drive", "--sum-range", "0"][..], &secrets].concat());
    bench.open().power_cycle().unwrap();
    let unlock = ["unlock", "vdrive:drive", "--range", "0", "--as", "User1"];
    let count = bench.count(&[&unlock[..], &["--key", "file:new"]].concat());
    assert!(count <= 7, "{count}");
    assert!(bench.open().read(0, 1).is_ok());
}

#[test]
fn reactivation_of_what_is_as_asked_takes_one() {
    let bench = Bench::new();
    let secrets = ["--new-key", "file:key", "--user-key", "file:new"];
    bench.count(&[&["setup", "vdrive:drive", "--sum"][..], &secrets].concat());
    let again = ["reactivate", "vdrive:drive", "--all-ranges"];
    assert_eq!(bench.count(&again), 1);
}

#[test]
fn other_commands_are_counted_alike() {
    let bench = Bench::owned();
    bench.count(&["info", "vdrive:drive"]);
    bench.count(&["range", "list", "vdrive:drive", "--key", "file:key"]);
    bench.count(&["user", "list", "vdrive:drive", "--key", "file:key"]);
    let grant = ["user", "grant", "vdrive:drive", "User1", "--range", "0"];
    bench.count(&[&grant[..], &["--key", "file:key"]].concat());
    bench.count(&[
        "passwd",
        "vdrive:drive",
        "--as",
        "Admin1",
        "--key",
        "file:key",
        "--new-key",
        "file:new",
    ]);
}

/// A folder with a drive and secrets.
struct Bench {
    folder: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let bench = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let mut options = CreateOptions::new(1 << 20);
        options.serial = Some(SERIAL.to_owned());
        options.psid = Some(PSID.to_owned());
        VirtualDrive::create(&bench.path(), &options).unwrap();
        for (name, secret) in [
            ("key", PASSPHRASE),
            ("new", "Better8Rooster6"),
            ("psid", PSID),
        ] {
            crate::cut::stage::write_secret(&bench.folder.path().join(name), secret);
        }
        bench
    }

    fn owned() -> Self {
        let bench = Self::new();
        let mut drive = Drive::open(Box::new(bench.open()), DriveOptions::default()).unwrap();
        drive
            .setup(
                &SetupPlan::default(),
                &Secret::from_slice(PASSPHRASE.as_bytes()),
            )
            .unwrap();
        bench
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("drive")
    }

    fn open(&self) -> VirtualDrive {
        VirtualDrive::open(&self.path()).unwrap()
    }

    fn seen(&self) -> u64 {
        let total = self.open().stats().total();
        total.send + total.recv
    }

    /// The shadow MBR is switched on as Admin1, for which there is no command yet.
    fn enable_shadow_mbr(&self) {
        let pin = Secret::from_slice(PASSPHRASE.as_bytes());
        let mut tper = Tper::new(Box::new(self.open()), TperOptions::default());
        let com_id = tper.discover().unwrap().base_com_id().unwrap();
        tper.select(com_id, Ssc::Opal2);
        let mut session = tper
            .start_session(uid::LOCKING_SP, Some((uid::ADMIN1, &pin)))
            .unwrap();
        session
            .set(
                uid::MBR_CONTROL,
                [(column::mbr_control::ENABLE, true.into())],
            )
            .unwrap();
        session.end().unwrap();
    }

    /// Runs a command with success; how many interface commands it says it sent, which must be
    /// what the drive has got.
    fn count(&self, arguments: &[&str]) -> u64 {
        let before = self.seen();
        let document = run(arguments, self.folder.path());
        let counts = &document["drives"][0]["if_commands"];
        let said = counts["send"].as_u64().unwrap() + counts["recv"].as_u64().unwrap();
        assert_eq!(said, self.seen() - before, "{arguments:?}");
        said
    }
}

fn run(arguments: &[&str], folder: &Path) -> Value {
    let output = Command::new(env!("CARGO_BIN_EXE_sedkit"))
        .args(arguments)
        .arg("--json")
        .current_dir(folder)
        .env("SEDKIT_STATE_DIR", folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        String::from_utf8_lossy(&output.stdout)
    );
    serde_json::from_slice(&output.stdout).unwrap()
}
