//! Erasing, and the three ways back.

use sedkit::drive::Authority;

use super::Task;
use super::stage::{OLD, SERIAL, Stage};

const MSID: &str = "MSIDMSIDMSIDMSIDMSIDMSIDMSIDMSID";
/// Where the data of a drive stand: in range 0, and in what may be range 1.
const PLACES: [u64; 2] = [0, 1024];

/// A drive that was set up, with data.
fn ready(ranges: &[&str]) -> Stage {
    let stage = Stage::with(|options| {
        options.msid = Some(MSID.to_owned());
        // Few ranges, since each takes commands, and a command is broken off after each.
        (
            options.profile.locking.ranges,
            options.profile.locking.users,
        ) = (2, 3);
    });
    let setup = ["setup", "DEV", "--new-key", "file:old", "--confirm", SERIAL];
    stage.run(&[&setup[..], ranges].concat());
    let mut drive = stage.virtual_drive();
    for lba in PLACES {
        drive.write(lba, &data(lba)).unwrap();
    }
    drive.flush().unwrap();
    stage
}

fn data(lba: u64) -> Vec<u8> {
    let byte = u8::try_from(lba % 251).unwrap() + 1;
    vec![byte; 512]
}

/// Whether the data stand where they stood; the drive must not be locked.
fn holds(stage: &Stage) -> [bool; 2] {
    let drive = stage.virtual_drive();
    PLACES.map(|lba| drive.read(lba, 1).unwrap() == data(lba))
}

fn stays_readable(stage: &Stage) {
    stage.virtual_drive().power_cycle().unwrap();
    assert_eq!(holds(stage), [true, true]);
}

#[test]
fn erase_of_all_ranges() {
    let task = Task {
        arguments: &[
            "erase",
            "DEV",
            "--all",
            "--key",
            "file:old",
            "--confirm",
            SERIAL,
        ],
        meanwhile: &|stage| stage.has_way_in(Authority::Admin(1), &[OLD]),
        afterwards: &|stage| {
            stage.opens(Authority::Admin(1), OLD);
            stage.opens(Authority::Sid, OLD);
            stage.run(&["unlock", "DEV", "--key", "file:old"]);
            assert_eq!(holds(stage), [false, false]);
        },
    };
    task.break_everywhere(&ready(&["--range", "1024+64"]), 18);
}

#[test]
fn revert_as_sid() {
    let task = Task {
        arguments: &["revert", "DEV", "--key", "file:old", "--confirm", SERIAL],
        meanwhile: &|stage| stage.opens_at_the_first_attempt(OLD),
        afterwards: &|stage| {
            assert_eq!(stage.open().state().word(), "factory");
            stage.opens(Authority::Sid, MSID);
            assert_eq!(holds(stage), [false, false]);
        },
    };
    // A revert that was carried out has taken the PIN with it, and is seen to need none.
    task.break_everywhere(&ready(&[]), 4);
}

#[test]
fn revert_that_keeps_data() {
    let task = Task {
        arguments: &[
            "revert",
            "DEV",
            "--keep-data",
            "--key",
            "file:old",
            "--confirm",
            SERIAL,
        ],
        meanwhile: &|stage| stage.has_way_in(Authority::Sid, &[OLD]),
        afterwards: &|stage| {
            stage.opens(Authority::Sid, OLD);
            assert_eq!(stage.open().state().word(), "owned");
            stays_readable(stage);
        },
    };
    task.break_everywhere(&ready(&[]), 12);
}

#[test]
fn revert_to_msid() {
    let task = Task {
        arguments: &[
            "revert",
            "DEV",
            "--to-msid",
            "--key",
            "file:old",
            "--confirm",
            SERIAL,
        ],
        meanwhile: &|stage| {
            stage.has_way_in(Authority::Sid, &[OLD, MSID]);
            stage.has_way_in(Authority::Admin(1), &[OLD, MSID]);
        },
        afterwards: &|stage| {
            stage.opens(Authority::Sid, MSID);
            stage.opens(Authority::Admin(1), MSID);
            stays_readable(stage);
        },
    };
    task.break_everywhere(&ready(&["--range", "1024+64"]), 30);
}
