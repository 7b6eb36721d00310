//! Single user mode: setup, reactivation, and ranges that are taken from their owners.

use sedkit::drive::{Authority, RangePolicy, SingleUserRanges};
use sedkit::spec::RangeNumber;

use super::Task;
use super::stage::{OLD, SERIAL, Stage, USER};

/// A drive with few ranges, since each owner takes commands, and a command is broken off after each.
fn small() -> Stage {
    Stage::with(|options| {
        (
            options.profile.locking.ranges,
            options.profile.locking.users,
        ) = (1, 2);
    })
}

const SETUP: [&str; 4] = ["setup", "DEV", "--new-key", "file:old"];
const USER_KEY: [&str; 2] = ["--user-key", "file:user"];

/// A drive whose ranges belong to their users.
fn owned(stage: Stage) -> Stage {
    stage.run(&[&SETUP[..], &USER_KEY, &["--sum"]].concat());
    stage
}

fn mode_is(stage: &Stage, ranges: SingleUserRanges, policy: RangePolicy) {
    let mode = stage.open().single_user_mode().unwrap();
    assert_eq!((mode.ranges, mode.policy), (ranges, policy));
}

/// Data at the start of the drive, which stay.
fn with_data(stage: Stage) -> Stage {
    let mut drive = stage.virtual_drive();
    drive.write(0, &[7; 512]).unwrap();
    drive.flush().unwrap();
    drop(drive);
    stage
}

fn has_data(stage: &Stage) -> bool {
    stage.virtual_drive().read(0, 1).unwrap() == [7; 512]
}

#[test]
fn setup_of_every_range() {
    let task = Task {
        arguments: &[&SETUP[..], &USER_KEY, &["--sum"]].concat(),
        meanwhile: &|stage| stage.opens_at_the_first_attempt(OLD),
        afterwards: &|stage| {
            stage.opens(Authority::Sid, OLD);
            stage.opens(Authority::Admin(1), OLD);
            for user in 1..=2 {
                stage.has_way_in(Authority::User(user), &[USER]);
            }
            mode_is(stage, SingleUserRanges::All, RangePolicy::User);
            let unlock = ["unlock", "DEV", "--as", "User1", "--key", "file:user"];
            stage.run(&unlock);
            assert!(has_data(stage));
            stage.locks_at_power_cycle();
        },
    };
    task.break_everywhere(&with_data(small()), 40);
}

/// The place from Admin1, the locks from the owner.
#[test]
fn setup_of_a_range_with_a_place() {
    let range = ["--sum-range", "1", "--range", "1024+64"];
    let policy = ["--range-policy", "admins", "--confirm", SERIAL];
    let task = Task {
        arguments: &[&SETUP[..], &USER_KEY, &range, &policy].concat(),
        meanwhile: &|stage| stage.opens_at_the_first_attempt(OLD),
        afterwards: &|stage| {
            stage.opens(Authority::Admin(1), OLD);
            stage.has_way_in(Authority::User(2), &[USER]);
            let ranges = SingleUserRanges::listed([RangeNumber(1)]);
            mode_is(stage, ranges, RangePolicy::Admins);
            stage.virtual_drive().power_cycle().unwrap();
            assert!(stage.virtual_drive().read(1024, 1).is_err());
            assert!(stage.virtual_drive().read(0, 1).is_ok());
        },
    };
    task.break_everywhere(&small(), 35);
}

/// The locks of range 0 go from Admin1 to User1, and its data stay.
#[test]
fn reactivation_into_the_mode() {
    let reactivate = ["reactivate", "DEV", "--key", "file:old", "--all-ranges"];
    let task = Task {
        arguments: &[&reactivate[..], &USER_KEY, &["--confirm", SERIAL]].concat(),
        meanwhile: &|stage| {
            stage.has_way_in(Authority::Admin(1), &[OLD]);
            stage.has_way_in(Authority::Sid, &[OLD]);
        },
        afterwards: &|stage| {
            stage.opens(Authority::Admin(1), OLD);
            for user in 1..=2 {
                stage.has_way_in(Authority::User(user), &[USER]);
            }
            mode_is(stage, SingleUserRanges::All, RangePolicy::User);
            let unlock = ["unlock", "DEV", "--as", "User1", "--key", "file:user"];
            stage.run(&unlock);
            assert!(has_data(stage));
            stage.locks_at_power_cycle();
        },
    };
    let stage = small();
    stage.run(&SETUP);
    task.break_everywhere(&with_data(stage), 50);
}

#[test]
fn reactivation_out_of_the_mode() {
    let reactivate = ["reactivate", "DEV", "--key", "file:old", "--off"];
    let task = Task {
        arguments: &[&reactivate[..], &["--confirm", SERIAL]].concat(),
        meanwhile: &|stage| stage.has_way_in(Authority::Admin(1), &[OLD]),
        afterwards: &|stage| {
            stage.opens(Authority::Admin(1), OLD);
            mode_is(stage, SingleUserRanges::None, RangePolicy::User);
            assert!(has_data(stage));
        },
    };
    let stage = owned(small());
    let locks = ["--read-lock-enabled", "no", "--write-lock-enabled", "no"];
    let set = ["range", "set", "DEV", "--range", "0", "--as", "User1"];
    stage.run(&[&set[..], &["--key", "file:user"], &locks].concat());
    task.break_everywhere(&with_data(stage), 15);
}

#[test]
fn erase_of_the_range_of_a_user() {
    let erase = ["erase", "DEV", "--range", "0", "--key", "file:old"];
    let task = Task {
        arguments: &[&erase[..], &["--confirm", SERIAL]].concat(),
        meanwhile: &|stage| stage.has_way_in(Authority::Admin(1), &[OLD]),
        afterwards: &|stage| {
            assert!(!has_data(stage));
            stage.has_way_in(Authority::User(2), &[USER]);
            let first = ["passwd", "DEV", "--as", "User1", "--from-empty"];
            stage.run(&[&first[..], &["--new-key", "file:user"]].concat());
            stage.has_way_in(Authority::User(1), &[USER]);
        },
    };
    task.break_everywhere(&with_data(owned(small())), 8);
}

#[test]
fn the_first_pin_of_a_user() {
    let first = ["passwd", "DEV", "--as", "User1", "--from-empty"];
    let task = Task {
        arguments: &[&first[..], &["--new-key", "file:user"]].concat(),
        meanwhile: &|stage| stage.has_way_in(Authority::Admin(1), &[OLD]),
        afterwards: &|stage| stage.has_way_in(Authority::User(1), &[USER]),
    };
    let stage = small();
    stage.run(&[&SETUP[..], &["--sum", "--no-user-key"]].concat());
    task.break_everywhere(&stage, 10);
}
