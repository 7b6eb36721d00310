//! Operations of a process that is killed after any IF command, and run again with the same PINs.

use std::time::Duration;

use sedkit::drive::{Authority, Drive, Error, Releasing, SetupPlan};
use sedkit::spec::LifeCycle;

use super::{Fate, MSID, OTHER_PIN, PIN, Rig, admin1, pin, psid, sid};

/// Longer than any session timeout of the drive: what a killed process left open is closed then.
const LATER: Duration = Duration::from_secs(3600);

fn setup(drive: &mut Drive) -> Result<(), Error> {
    drive.setup(&SetupPlan::default(), &pin(PIN)).map(drop)
}

/// Runs an operation that is killed after so many IF commands; whether it was.
pub(super) fn killed(
    rig: &Rig,
    commands: u64,
    operation: impl FnOnce(&mut Drive) -> Result<(), Error>,
) -> bool {
    let drive = rig.open_with(Fate::KilledAfter(commands));
    let result = drive.and_then(|mut drive| operation(&mut drive));
    rig.take_refused();
    result.is_err()
}

fn assert_set_up(rig: &Rig, case: &str) {
    let info = rig.vdrive().info();
    assert_eq!(info.life_cycle, LifeCycle::MANUFACTURED, "{case}");
    assert!(info.is_owned && !info.mbr_enabled, "{case}");
    let mut drive = rig.open().unwrap();
    let shown = drive.ranges(Some(&admin1(PIN))).unwrap();
    assert_eq!(shown[0].is_lock_enabled(), Some(true), "{case}");
    assert_eq!(shown[0].is_locked(), Some(false), "{case}");
    drive.tries(&sid(PIN)).unwrap();
}

#[test]
fn setup_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let mut commands = 0;
    loop {
        let rig = Rig::new();
        let was_killed = killed(&rig, commands, setup);
        let case = format!("killed after {commands}");
        setup(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(rig.take_refused(), 0, "{case}");
        assert_set_up(&rig, &case);
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert_eq!(commands, 25);
}

#[test]
fn setup_with_tables_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let sizes = [4096, 100];
    let setup = |drive: &mut Drive| {
        let plan = SetupPlan {
            data_store_sizes: sizes.to_vec(),
            ..SetupPlan::default()
        };
        drive.setup(&plan, &pin(PIN)).map(drop)
    };
    for commands in 0.. {
        let rig = Rig::new();
        let was_killed = killed(&rig, commands, setup);
        let case = format!("killed after {commands}");
        setup(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(rig.take_refused(), 0, "{case}");
        assert_set_up(&rig, &case);
        let found = rig.open().unwrap().data_stores(None).unwrap().tables;
        let found: Vec<u64> = found.iter().map(|table| table.table.size).collect();
        assert_eq!(found, sizes, "{case}");
        if !was_killed {
            assert!(commands > 25);
            return;
        }
    }
}

#[test]
fn setup_of_a_drive_in_a_file_survives_the_death_of_its_process() {
    let folder = tempfile::tempdir().unwrap();
    for commands in 0..25 {
        let path = folder.path().join(commands.to_string());
        let rig = Rig::in_file(&path);
        killed(&rig, commands, setup);
        rig.reopen(&path);
        let case = format!("killed after {commands}");
        setup(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(rig.take_refused(), 0, "{case}");
        assert_set_up(&rig, &case);
    }
}

#[test]
fn setup_that_was_killed_twice_is_completed_by_the_third_run() {
    for first in 0..25 {
        for second in (1..=25).step_by(2) {
            let rig = Rig::new();
            killed(&rig, first, setup);
            rig.wait(LATER);
            killed(&rig, second, setup);
            let case = format!("killed after {first}, then after {second}");
            setup(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(rig.take_refused(), 0, "{case}");
            assert_set_up(&rig, &case);
        }
    }
}

#[test]
fn passwd_that_was_killed_anywhere_is_completed_by_the_next_run() {
    for (authority, old, new) in [
        (Authority::Sid, sid(PIN), sid(OTHER_PIN)),
        (Authority::Admin(1), admin1(PIN), admin1(OTHER_PIN)),
    ] {
        let mut commands = 0;
        loop {
            let rig = Rig::set_up();
            let passwd =
                |drive: &mut Drive| drive.change_pin(authority, &old, &pin(OTHER_PIN)).map(drop);
            let was_killed = killed(&rig, commands, passwd);
            let case = format!("{authority}, killed after {commands}");
            if was_killed {
                passwd(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
            }
            assert!(rig.take_refused() <= 1, "{case}");
            let tries = rig.open().unwrap().tries(&new);
            tries.unwrap_or_else(|error| panic!("{case}: {error}"));
            if !was_killed {
                break;
            }
            commands += 1;
        }
        assert_eq!(commands, 11);
    }
}

#[test]
fn a_revert_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        let revert = |drive: &mut Drive| drive.revert(&psid(), rig.consent()).map(drop);
        let was_killed = killed(&rig, commands, revert);
        let case = format!("killed after {commands}");
        let mut drive = rig.open().unwrap();
        let report = drive.revert(&psid(), rig.consent());
        let report = report.unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(report.state.word(), "factory", "{case}");
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert_eq!(commands, 6);
}

/// The note is of the PIN that was about to be set, so that the next run tries that one first.
#[test]
fn a_release_that_was_killed_anywhere_is_completed_by_the_next_run() {
    for commands in 0.. {
        let rig = Rig::set_up();
        let release = |drive: &mut Drive| {
            let pins = Releasing::new(Some(pin(PIN)), Some(pin(PIN)));
            drive.release(&pins, rig.consent(), &mut |_| {}).map(drop)
        };
        let was_killed = killed(&rig, commands, release);
        let case = format!("killed after {commands}");
        release(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(rig.take_refused() <= 1, "{case}");
        assert!(!rig.vdrive().info().is_owned, "{case}");
        let msid = MSID.as_bytes();
        rig.open().unwrap().tries(&admin1(msid)).unwrap();
        if !was_killed {
            assert!(commands > 20);
            return;
        }
    }
}
