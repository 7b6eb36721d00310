//! Ranges that are made, changed and given up.

use sedkit::drive::{
    Authority, Cause, Drive, Error, ErrorCode, Grant, KeyChange, LockOnReset, NewRange, Place,
    RangeChange, RangeChoice, RangeError, RangeReport, RangeSettings,
};
use sedkit::spec::ace::Subject;
use sedkit::spec::method::parameter::SINGLE_USER_MODE_SELECTION_LIST;
use sedkit::spec::{RangeNumber, method, uid};
use sedkit::vdrive::Profile;
use sedkit::wire::{MethodCall, Value};

use super::resume::killed;
use super::{MSID, PIN, Rig, admin1, pin, ranges};

const PLACE: Place = Place {
    start: 2048,
    length: 1024,
};
const MARK: [u8; 512] = [0x5a; 512];

fn new_range(choice: RangeChoice, place: Place) -> NewRange {
    NewRange {
        choice,
        place,
        settings: RangeSettings::default(),
    }
}

fn create(rig: &Rig, choice: RangeChoice, place: Place) -> Result<RangeReport, Error> {
    let new = new_range(choice, place);
    let mut drive = rig.open()?;
    drive.create_range(&new, &admin1(PIN), &rig.consent())
}

fn moved(rig: &Rig, number: u16, place: Place) -> Result<RangeReport, Error> {
    let change = RangeChange {
        place: Some(place),
        settings: RangeSettings::default(),
    };
    let mut drive = rig.open()?;
    let consent = rig.consent();
    drive.set_range(RangeNumber(number), &change, &admin1(PIN), Some(&consent))
}

fn delete(rig: &Rig, numbers: &[u16]) -> Result<Vec<RangeReport>, Error> {
    let consent = rig.consent();
    let numbers = ranges(numbers.iter().copied());
    let mut drive = rig.open()?;
    drive.delete_ranges(&numbers, &admin1(PIN), Some(&consent))
}

fn range_error(error: &Error) -> RangeError {
    match error.cause() {
        Cause::Range(error) => *error,
        cause => panic!("{cause}"),
    }
}

#[test]
fn a_new_range_locks_at_power_cycles_and_is_open_now() {
    let rig = Rig::set_up();
    let report = create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    assert!(report.changed);
    assert_eq!(report.key, KeyChange::Replaced);
    assert_eq!(report.range.number, RangeNumber(1));
    assert_eq!(report.range.place(), Some(PLACE));
    assert_eq!(report.range.is_lock_enabled(), Some(true));
    assert_eq!(report.range.is_locked(), Some(false));
    assert_eq!(report.range.lock_on_reset, Some(vec![0]));
    rig.vdrive().write(PLACE.start, &MARK).unwrap();
    rig.vdrive().power_cycle().unwrap();
    assert!(rig.vdrive().read(PLACE.start, 1).is_err());
}

#[test]
fn a_new_range_never_reads_what_an_earlier_one_has_left() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    rig.vdrive().write(PLACE.start, &MARK).unwrap();
    delete(&rig, &[1]).unwrap();
    assert_ne!(rig.vdrive().read(PLACE.start, 1).unwrap(), MARK);
    create(&rig, RangeChoice::Free(RangeNumber(1)), PLACE).unwrap();
    assert_ne!(rig.vdrive().read(PLACE.start, 1).unwrap(), MARK);
}

#[test]
fn a_range_that_is_assumed_to_be_free_keeps_its_key() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    rig.vdrive().write(PLACE.start, &MARK).unwrap();
    delete(&rig, &[1]).unwrap();
    let report = create(&rig, RangeChoice::AssumedFree(RangeNumber(1)), PLACE).unwrap();
    assert_eq!((report.key, report.before), (KeyChange::Kept, None));
    assert_eq!(rig.vdrive().read(PLACE.start, 1).unwrap(), MARK);
}

#[test]
fn blocks_that_stay_in_a_range_stay_readable() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    rig.vdrive().write(PLACE.start, &MARK).unwrap();
    let longer = Place {
        start: 1024,
        length: 4096,
    };
    let report = moved(&rig, 1, longer).unwrap();
    assert_eq!(report.key, KeyChange::Kept);
    assert_eq!(rig.vdrive().read(PLACE.start, 1).unwrap(), MARK);
}

#[test]
fn the_same_range_is_not_made_twice() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    rig.vdrive().write(PLACE.start, &MARK).unwrap();
    for choice in [RangeChoice::FirstFree, RangeChoice::Free(RangeNumber(1))] {
        let report = create(&rig, choice, PLACE).unwrap();
        assert!(!report.changed);
        assert_eq!(report.range.number, RangeNumber(1));
    }
    assert_eq!(rig.vdrive().read(PLACE.start, 1).unwrap(), MARK);
}

#[test]
fn a_range_in_use_is_not_taken_for_a_new_one() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    let elsewhere = Place {
        start: 0,
        length: 8,
    };
    let error = create(&rig, RangeChoice::Free(RangeNumber(1)), elsewhere).unwrap_err();
    let exists = RangeError::Exists {
        range: RangeNumber(1),
        start: 2048,
        length: 1024,
    };
    assert_eq!(range_error(&error), exists);
}

/// Whoever notices it first, the host or the TPer: the other range is named.
#[test]
fn the_range_that_is_in_the_way_is_named() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::Free(RangeNumber(5)), PLACE).unwrap();
    let place = Place {
        start: 3064,
        length: 16,
    };
    for (choice, number) in [
        (RangeChoice::FirstFree, RangeNumber::GLOBAL),
        (RangeChoice::Free(RangeNumber(2)), RangeNumber(2)),
        (RangeChoice::AssumedFree(RangeNumber(2)), RangeNumber(2)),
    ] {
        let error = create(&rig, choice, place).unwrap_err();
        let taken = RangeError::Taken {
            range: number,
            by: RangeNumber(5),
            start: 2048,
            length: 1024,
        };
        assert_eq!(range_error(&error), taken, "{choice:?}");
        assert_eq!(error.code(), ErrorCode::InvalidRequest);
    }
}

#[test]
fn nothing_is_sent_for_a_place_that_is_not_aligned() {
    let rig = Rig::set_up();
    let place = Place {
        start: 2044,
        length: 1024,
    };
    let before = rig.commands();
    let error = create(&rig, RangeChoice::FirstFree, place).unwrap_err();
    let expected = RangeError::Start {
        range: RangeNumber::GLOBAL,
        start: 2044,
        nearest: 2040,
    };
    assert_eq!(range_error(&error), expected);
    assert_eq!(rig.commands(), before + 1, "Level 0 Discovery alone");
}

#[test]
fn no_range_is_left_once_all_are_in_use() {
    let rig = Rig::set_up();
    for number in 1..=8_u64 {
        let place = Place {
            start: number * 64,
            length: 64,
        };
        let report = create(&rig, RangeChoice::FirstFree, place).unwrap();
        assert_eq!(u64::from(report.range.number.0), number);
    }
    let error = create(&rig, RangeChoice::FirstFree, PLACE).unwrap_err();
    assert_eq!(range_error(&error), RangeError::NoneFree(8));
    let error = create(&rig, RangeChoice::Free(RangeNumber(9)), PLACE).unwrap_err();
    assert_eq!(range_error(&error), RangeError::Missing(RangeNumber(9)));
}

#[test]
fn a_place_is_changed_with_consent_only() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    let mut drive = rig.open().unwrap();
    let place = Place {
        start: 0,
        length: 8,
    };
    let change = RangeChange {
        place: Some(place),
        settings: RangeSettings::default(),
    };
    let number = RangeNumber(1);
    let refused = drive.set_range(number, &change, &admin1(PIN), None);
    assert_eq!(refused.unwrap_err().code(), ErrorCode::ConsentRequired);
    let refused = drive.delete_ranges(&[number], &admin1(PIN), None);
    assert_eq!(refused.unwrap_err().code(), ErrorCode::ConsentRequired);
    let shown = drive.range(number, &admin1(PIN)).unwrap();
    assert_eq!(shown.place(), Some(PLACE));
}

#[test]
fn settings_are_changed_without_consent_and_once() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let change = RangeChange {
        place: None,
        settings: RangeSettings {
            write_lock_enabled: Some(false),
            lock_on_reset: Some(LockOnReset::PowerCycleAndProgrammatic),
            common_name: Some("system".to_owned()),
            ..RangeSettings::default()
        },
    };
    let set = |drive: &mut Drive| {
        let report = drive.set_range(RangeNumber::GLOBAL, &change, &admin1(PIN), None);
        report.unwrap()
    };
    let report = set(&mut drive);
    assert!(report.changed);
    assert_eq!(report.range.common_name.as_deref(), Some("system"));
    assert_eq!(report.range.lock_on_reset, Some(vec![0, 3]));
    assert_eq!(report.range.write_lock_enabled, Some(false));
    assert_eq!(report.range.read_lock_enabled, Some(true));
    let before = rig.commands();
    assert!(!set(&mut drive).changed);
    assert_eq!(rig.commands() - before, 6, "a session with one Get");
}

/// tcg.md 5.6.1: an Opal TPer takes {0} and {0, 3}, maybe {0, 1} and {0, 1, 3}, and nothing else.
#[test]
fn resets_that_a_drive_refuses_are_named() {
    let rig = Rig::set_up();
    let change = RangeChange {
        place: None,
        settings: RangeSettings {
            lock_on_reset: Some(LockOnReset::Nothing),
            ..RangeSettings::default()
        },
    };
    let mut drive = rig.open().unwrap();
    let refused = drive.set_range(RangeNumber::GLOBAL, &change, &admin1(PIN), None);
    let expected = RangeError::Resets(RangeNumber::GLOBAL);
    assert_eq!(range_error(&refused.unwrap_err()), expected);
}

#[test]
fn the_global_range_has_no_place_of_its_own() {
    let rig = Rig::set_up();
    for error in [
        moved(&rig, 0, PLACE).unwrap_err(),
        delete(&rig, &[0]).unwrap_err(),
        create(&rig, RangeChoice::Free(RangeNumber::GLOBAL), PLACE).unwrap_err(),
    ] {
        assert_eq!(range_error(&error), RangeError::Global);
        assert_eq!(error.step(), None);
    }
}

#[test]
fn a_range_that_is_given_up_has_neither_blocks_nor_locks() {
    let rig = Rig::set_up();
    create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    let reports = delete(&rig, &[1, 2]).unwrap();
    assert_eq!(
        reports.iter().map(|one| one.changed).collect::<Vec<_>>(),
        [true, false]
    );
    let range = &reports[0].range;
    assert_eq!((range.range_start, range.range_length), (Some(0), Some(0)));
    assert_eq!(range.is_lock_enabled(), Some(false));
    assert!(!delete(&rig, &[1]).unwrap()[0].changed);
}

/// D103: 192 ranges and blocks of 520 bytes.
#[test]
fn d103_ranges_up_to_the_last_can_be_made() {
    let rig = Rig::with(|options| {
        options.profile = Profile::named("kioxia-cm6").unwrap();
        options.size = 520 * 100_000;
    });
    let mut drive = rig.open().unwrap();
    drive.setup(&Default::default(), &pin(PIN)).unwrap();
    for number in [150, 192] {
        let place = Place {
            start: u64::from(number) * 64,
            length: 64,
        };
        let report = create(&rig, RangeChoice::Free(RangeNumber(number)), place).unwrap();
        assert_eq!(report.range.place(), Some(place));
    }
    let error = create(&rig, RangeChoice::Free(RangeNumber(193)), PLACE).unwrap_err();
    assert_eq!(range_error(&error), RangeError::Missing(RangeNumber(193)));
    let report = create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
    assert_eq!(report.range.number, RangeNumber(1));
}

#[test]
fn a_range_whose_making_was_killed_anywhere_is_made_by_the_next_run() {
    for choice in [
        RangeChoice::Free(RangeNumber(1)),
        RangeChoice::AssumedFree(RangeNumber(1)),
    ] {
        let mut commands = 0;
        loop {
            let rig = Rig::set_up();
            let was_killed = killed(&rig, commands, |drive| {
                let new = new_range(choice, PLACE);
                let made = drive.create_range(&new, &admin1(PIN), &rig.consent());
                made.map(drop)
            });
            let case = format!("{choice:?}, killed after {commands}");
            let report = create(&rig, choice, PLACE);
            let report = report.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert_eq!(report.range.place(), Some(PLACE), "{case}");
            assert_eq!(report.range.is_lock_enabled(), Some(true), "{case}");
            if !was_killed {
                break;
            }
            commands += 1;
        }
        assert!(commands >= 8, "{commands}");
    }
}

#[test]
fn a_deletion_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        create(&rig, RangeChoice::FirstFree, PLACE).unwrap();
        let was_killed = killed(&rig, commands, |drive| {
            let numbers = ranges([1, 2]);
            let deleted = drive.delete_ranges(&numbers, &admin1(PIN), Some(&rig.consent()));
            deleted.map(drop)
        });
        let reports = delete(&rig, &[1, 2]).unwrap();
        assert_eq!(reports[0].range.place(), None, "killed after {commands}");
        if !was_killed {
            break;
        }
        commands += 1;
    }
}

/// A range in single user mode belongs to its User, and the others are Admins' as ever.
#[test]
fn ranges_of_users_are_not_changed_by_admins() {
    let rig = Rig::new();
    let owned = Value::list([uid::locking_range(RangeNumber(1)).into()]);
    let mut tper = rig.tper();
    let msid = pin(MSID.as_bytes());
    let mut session = tper
        .start_session(uid::ADMIN_SP, Some((uid::SID, &msid)))
        .unwrap();
    let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
    let activate = activate.optional(SINGLE_USER_MODE_SELECTION_LIST, owned);
    session.call(&activate).unwrap();
    session.end().unwrap();
    let admin = || admin1(MSID.as_bytes());
    let consent = rig.consent();
    let mut drive = rig.open().unwrap();
    let grant = Grant {
        user: Authority::User(1),
        rights: vec![Subject::SetReadLocked(RangeNumber(1))],
        also: Vec::new(),
    };
    let assumed = new_range(RangeChoice::AssumedFree(RangeNumber(1)), PLACE);
    for refused in [
        drive.create_range(&assumed, &admin(), &consent).map(drop),
        drive.delete_ranges(&ranges([1]), &admin(), None).map(drop),
        drive.grant(&grant, &admin()).map(drop),
        drive.disable(Authority::User(2), &admin()).map(drop),
    ] {
        let error = refused.unwrap_err();
        assert!(matches!(error.cause(), Cause::SingleUser(_)), "{error}");
        assert_eq!(error.code(), ErrorCode::NotAuthorized);
    }
    // The first free range is the first that Admins may place.
    let new = new_range(RangeChoice::FirstFree, PLACE);
    let made = drive.create_range(&new, &admin(), &consent).unwrap();
    assert_eq!(made.range.number, RangeNumber(2));
}
