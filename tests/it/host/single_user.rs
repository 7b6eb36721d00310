//! Single user mode: setup, reactivation, and who may do what.

use sedkit::drive::{
    Authority, Cause, Credential, Drive, EraseRequest, Error, ErrorCode, LockRequest, LockingRange,
    Mismatch, NewRange, OwnerPin, Place, RangeChange, RangeChoice, RangePolicy, RangeSettings,
    RangeSpec, Reactivation, Releasing, SetupPlan, SingleUserError, SingleUserMode, SingleUserPlan,
    SingleUserRanges, Step, UnlockRequest,
};
use sedkit::spec::{MethodStatus, RangeNumber, method};
use sedkit::vdrive::CreateOptions;
use sedkit::vdrive::profile::{SingleUserPolicy, SingleUserRanges as Listing};

use super::resume::killed;
use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin, sid};

const USER_PIN: &[u8] = b"owner-of-it";

fn mode(ranges: SingleUserRanges, policy: RangePolicy) -> SingleUserMode {
    SingleUserMode { ranges, policy }
}

fn some(ranges: &[u16]) -> SingleUserRanges {
    SingleUserRanges::listed(ranges.iter().copied().map(RangeNumber))
}

fn plan(ranges: SingleUserRanges, policy: RangePolicy) -> SetupPlan {
    SetupPlan {
        single_user: Some(SingleUserPlan {
            mode: mode(ranges, policy),
            owner_pin: Some(pin(USER_PIN)),
        }),
        ..SetupPlan::default()
    }
}

/// Few ranges, since each owner takes commands.
fn small() -> Rig {
    Rig::with(shrink)
}

fn shrink(options: &mut CreateOptions) {
    (
        options.profile.locking.ranges,
        options.profile.locking.users,
    ) = (2, 3);
}

fn user(number: u16) -> Credential {
    Credential::new(Authority::User(number), pin(USER_PIN))
}

fn reason(error: &Error) -> &SingleUserError {
    match error.cause() {
        Cause::SingleUser(reason) => reason,
        other => panic!("{other:?}"),
    }
}

fn owned(range: u16) -> SingleUserError {
    SingleUserError::Owned {
        range: RangeNumber(range),
        owner: Authority::User(range + 1),
    }
}

#[test]
fn setup_gives_every_owner_its_pin() {
    let rig = small();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    let mut drive = rig.open().unwrap();
    let report = drive.setup(&plan, &pin(PIN)).unwrap();
    let single = report.single_user.unwrap();
    assert_eq!(single.mode, mode(SingleUserRanges::All, RangePolicy::User));
    assert!(single.owners.iter().all(|owner| owner.pin == OwnerPin::Set));
    assert_eq!(single.owners.len(), 3);
    assert_eq!(report.ranges.len(), 1);
    assert_eq!(report.ranges[0].is_lock_enabled(), Some(true));
    for number in 1..=3 {
        rig.open().unwrap().tries(&user(number)).unwrap();
    }
    rig.open().unwrap().tries(&sid(PIN)).unwrap();
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn setup_is_told_to_be_done_and_tries_no_owners_pin() {
    let rig = small();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    // The owner has made it its own.
    let change = rig
        .open()
        .unwrap()
        .change_pin(Authority::User(1), &user(1), &pin(OTHER_PIN));
    change.unwrap();
    let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    assert!(!report.changed);
    let owners = report.single_user.unwrap().owners;
    assert!(owners.iter().all(|owner| owner.pin == OwnerPin::Untouched));
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn setup_places_ranges_by_whom_the_policy_names() {
    for policy in [RangePolicy::User, RangePolicy::Admins] {
        let rig = small();
        let mut plan = plan(some(&[1]), policy);
        plan.ranges = vec![RangeSpec {
            number: RangeNumber(1),
            start: 1024,
            length: 64,
        }];
        plan.consent = Some(rig.consent());
        let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
        let range = &report.ranges[0];
        let place = Place {
            start: 1024,
            length: 64,
        };
        assert_eq!(range.place(), Some(place), "{policy:?}");
        assert_eq!(range.is_lock_enabled(), Some(true), "{policy:?}");
        assert_eq!(report.single_user.unwrap().mode, mode(some(&[1]), policy));
        let again = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
        assert!(!again.changed, "{policy:?}");
    }
}

#[test]
fn a_policy_that_the_drive_does_not_take_is_told() {
    // demands 3.2: retry without, and never silently.
    for answer in [SingleUserPolicy::Refused, SingleUserPolicy::Ignored] {
        let rig = Rig::with(|options| {
            shrink(options);
            options.profile.behaviour.single_user_policy = answer;
        });
        let plan = plan(some(&[0]), RangePolicy::Admins);
        let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
        let found = report.single_user.unwrap().mode;
        assert_eq!(found, mode(some(&[0]), RangePolicy::User), "{answer:?}");
        assert_eq!(report.ranges[0].is_lock_enabled(), Some(true));
    }
}

#[test]
fn a_list_that_the_drive_does_not_take_is_an_error() {
    let rig = Rig::with(|options| {
        shrink(options);
        options.profile.behaviour.single_user_ranges = Listing::All;
    });
    let plan = plan(some(&[1]), RangePolicy::User);
    let error = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap_err();
    let expected = matches!(error.cause(), Cause::NotAsAsked(Mismatch::SingleUserRanges));
    assert!(expected, "{error:?}");
}

#[test]
fn all_without_any_is_read_from_the_locking_info() {
    let rig = Rig::with(|options| {
        shrink(options);
        options.profile.behaviour.single_user_any_bit = false;
    });
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    let mut drive = rig.open().unwrap();
    assert_eq!(drive.single_user_mode_at_a_glance(), None);
    assert_eq!(
        drive.single_user_mode().unwrap().ranges,
        SingleUserRanges::All
    );
    assert!(!drive.setup(&plan, &pin(PIN)).unwrap().changed);
}

#[test]
fn another_mode_than_asked_is_refused_before_anything_is_sent() {
    let rig = Rig::set_up();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    let mut drive = rig.open().unwrap();
    let error = drive.setup(&plan, &pin(PIN)).unwrap_err();
    assert_eq!(reason(&error), &SingleUserError::OtherMode);
    assert_eq!(error.step(), None);
}

/// A drive with ranges 0 to 2 in the mode, the first of them with locks.
fn sum(ranges: SingleUserRanges, policy: RangePolicy) -> Rig {
    let rig = small();
    rig.open()
        .unwrap()
        .setup(&plan(ranges, policy), &pin(PIN))
        .unwrap();
    rig
}

#[test]
fn admins_can_do_nothing_with_what_is_an_owners() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let mut drive = rig.open().unwrap();
    let commands = rig.commands();
    let admin = admin1(PIN);
    let lock = drive.lock(&LockRequest::default(), &admin).unwrap_err();
    assert_eq!(reason(&lock), &owned(0));
    let settings = RangeSettings {
        read_lock_enabled: Some(false),
        ..RangeSettings::default()
    };
    let change = RangeChange {
        place: None,
        settings,
    };
    let set = drive.set_range(RangeNumber(1), &change, &admin, None);
    assert_eq!(reason(&set.unwrap_err()), &owned(1));
    let passwd = drive.change_pin(Authority::User(2), &admin, &pin(OTHER_PIN));
    let owner = SingleUserError::Owner {
        user: Authority::User(2),
        range: RangeNumber(1),
    };
    let passwd = passwd.unwrap_err();
    assert_eq!(reason(&passwd), &owner);
    assert_eq!(passwd.code(), ErrorCode::NotAuthorized);
    let disable = drive.disable(Authority::User(2), &admin).unwrap_err();
    assert_eq!(reason(&disable), &owner);
    // Level 0 Discovery tells all of it.
    assert_eq!(rig.commands(), commands);
}

#[test]
fn where_some_ranges_are_in_the_mode_the_reason_is_told_after_the_refusal() {
    let rig = sum(some(&[1]), RangePolicy::User);
    let admin = admin1(PIN);
    let mut drive = rig.open().unwrap();
    let request = LockRequest {
        ranges: vec![RangeNumber(1)],
        ..LockRequest::default()
    };
    assert_eq!(
        reason(&drive.lock(&request, &admin).unwrap_err()),
        &owned(1)
    );
    let passwd = drive.change_pin(Authority::User(2), &admin, &pin(OTHER_PIN));
    let owner = SingleUserError::Owner {
        user: Authority::User(2),
        range: RangeNumber(1),
    };
    assert_eq!(reason(&passwd.unwrap_err()), &owner);
    // Range 0 is Admins', as ever; and so is User3.
    let report = drive.lock(&LockRequest::default(), &admin).unwrap();
    assert_eq!(report.ranges.len(), 1);
    drive
        .enable(Authority::User(3), Some(&pin(OTHER_PIN)), &admin)
        .unwrap();
}

#[test]
fn an_owner_locks_and_unlocks_its_range_without_naming_it() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let lock = rig
        .open()
        .unwrap()
        .lock(&LockRequest::default(), &user(1))
        .unwrap();
    assert_eq!(lock.ranges[0].range, RangeNumber(0));
    assert!(lock.ranges[0].proven);
    assert!(rig.vdrive().read(0, 1).is_err());
    let refused = rig
        .open()
        .unwrap()
        .unlock(&UnlockRequest::default(), &admin1(PIN));
    assert_eq!(reason(&refused.unwrap_err()), &owned(0));
    let commands = rig.commands();
    let unlock = rig
        .open()
        .unwrap()
        .unlock(&UnlockRequest::default(), &user(1));
    assert!(unlock.unwrap().first_error().is_none());
    assert_eq!(rig.commands() - commands, 7);
    assert!(rig.vdrive().read(0, 1).is_ok());
}

#[test]
fn an_owner_makes_and_gives_up_its_range() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let new = |choice| NewRange {
        choice,
        place: Place {
            start: 1024,
            length: 64,
        },
        settings: RangeSettings::default(),
    };
    let mut drive = rig.open().unwrap();
    let first = new(RangeChoice::FirstFree);
    let by_admin = drive.create_range(&first, &admin1(PIN), &rig.consent());
    assert_eq!(reason(&by_admin.unwrap_err()), &owned(1));
    // The first free one that is its own.
    let report = drive
        .create_range(&first, &user(3), &rig.consent())
        .unwrap();
    assert_eq!(report.range.number, RangeNumber(2));
    assert_eq!(report.range.is_lock_enabled(), Some(true));
    let consent = rig.consent();
    let deleted = drive.delete_ranges(&[RangeNumber(2)], &user(3), Some(&consent));
    assert_eq!(deleted.unwrap()[0].range.range_length, Some(0));
}

#[test]
fn where_admins_place_ranges_the_owner_has_the_locks() {
    let rig = sum(SingleUserRanges::All, RangePolicy::Admins);
    let new = NewRange {
        choice: RangeChoice::FirstFree,
        place: Place {
            start: 1024,
            length: 64,
        },
        settings: RangeSettings::default(),
    };
    let mut drive = rig.open().unwrap();
    let by_owner = drive.create_range(&new, &user(2), &rig.consent());
    assert!(by_owner.is_err());
    let made = drive
        .create_range(&new, &admin1(PIN), &rig.consent())
        .unwrap();
    assert_eq!(made.range.is_lock_enabled(), Some(false));
    let settings = RangeSettings {
        read_lock_enabled: Some(true),
        write_lock_enabled: Some(true),
        ..RangeSettings::default()
    };
    let change = RangeChange {
        place: None,
        settings,
    };
    let set = drive.set_range(RangeNumber(1), &change, &user(2), None);
    assert_eq!(set.unwrap().range.is_lock_enabled(), Some(true));
    let change = RangeChange {
        place: Some(Place {
            start: 2048,
            length: 64,
        }),
        settings: RangeSettings::default(),
    };
    let moved = drive.set_range(RangeNumber(1), &change, &user(2), Some(&rig.consent()));
    let expected = SingleUserError::PlaceOfAdmins(RangeNumber(1));
    assert_eq!(reason(&moved.unwrap_err()), &expected);
}

#[test]
fn an_owner_gets_a_pin_again_after_an_erase() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let request = EraseRequest::new(vec![RangeNumber(0)]);
    let mut drive = rig.open().unwrap();
    drive
        .erase(&request, &admin1(PIN), rig.consent(), &mut |_| {})
        .unwrap();
    let report = drive
        .set_first_pin(Authority::User(1), &pin(OTHER_PIN))
        .unwrap();
    assert!(report.changed);
    let owner = Credential::new(Authority::User(1), pin(OTHER_PIN));
    rig.open().unwrap().tries(&owner).unwrap();
    assert_eq!(rig.take_refused(), 0);
    let again = rig
        .open()
        .unwrap()
        .set_first_pin(Authority::User(1), &pin(OTHER_PIN));
    assert_eq!(again.unwrap_err().code(), ErrorCode::NotAuthorized);
    assert_eq!(rig.take_refused(), 1);
}

#[test]
fn setup_after_an_erase_gives_the_owner_its_pin_and_its_locks_again() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let request = EraseRequest::new(vec![RangeNumber(0)]);
    let mut drive = rig.open().unwrap();
    drive
        .erase(&request, &admin1(PIN), rig.consent(), &mut |_| {})
        .unwrap();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    assert!(report.changed);
    assert_eq!(report.ranges[0].is_lock_enabled(), Some(true));
    assert_eq!(report.single_user.unwrap().owners[0].pin, OwnerPin::Set);
    assert_eq!(rig.take_refused(), 0);
}

/// The owner of range 2 has a range with locks, and an Admin takes it away.
fn sum_with_range_2_taken() -> Rig {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let new = NewRange {
        choice: RangeChoice::Free(RangeNumber(2)),
        place: Place {
            start: 1024,
            length: 64,
        },
        settings: RangeSettings::default(),
    };
    let mut drive = rig.open().unwrap();
    drive.create_range(&new, &user(3), &rig.consent()).unwrap();
    let request = EraseRequest::new(vec![RangeNumber(2)]);
    let erased = drive.erase(&request, &admin1(PIN), rig.consent(), &mut |_| {});
    assert!(erased.unwrap().first_error().is_none());
    rig
}

#[test]
fn setup_after_an_erase_of_any_range_gives_its_owner_pin_and_locks_again() {
    let rig = sum_with_range_2_taken();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    assert!(report.changed);
    let pins: Vec<_> = report.single_user.unwrap().owners;
    let pins: Vec<_> = pins.iter().map(|owner| owner.pin).collect();
    let (kept, set) = (OwnerPin::Untouched, OwnerPin::Set);
    assert_eq!(pins, [kept, kept, set]);
    let locked = |range: &&LockingRange| range.number == RangeNumber(2);
    let range = report.ranges.iter().find(locked).unwrap();
    assert_eq!(range.is_lock_enabled(), Some(true));
    assert_eq!(rig.take_refused(), 0);
    let again = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    assert!(!again.changed);
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn an_owner_that_has_set_its_first_pin_after_an_erase_keeps_it() {
    let rig = sum_with_range_2_taken();
    let mut drive = rig.open().unwrap();
    let own = pin(OTHER_PIN);
    drive.set_first_pin(Authority::User(3), &own).unwrap();
    let plan = plan(SingleUserRanges::All, RangePolicy::User);
    let report = rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    assert!(!report.changed);
    assert_eq!(rig.take_refused(), 0);
}

fn wanted(ranges: SingleUserRanges, policy: RangePolicy) -> Reactivation {
    Reactivation {
        mode: mode(ranges, policy),
        owner_pin: Some(pin(USER_PIN)),
    }
}

#[test]
fn reactivation_keeps_the_data_and_hands_the_locks_to_the_owners() {
    let rig = Rig::with(shrink);
    rig.open()
        .unwrap()
        .setup(&SetupPlan::default(), &pin(PIN))
        .unwrap();
    rig.vdrive().write(0, &[7; 512]).unwrap();
    let wanted = wanted(SingleUserRanges::All, RangePolicy::Admins);
    let report = rig
        .open()
        .unwrap()
        .reactivate(&wanted, &admin1(PIN), rig.consent());
    let report = report.unwrap();
    assert!(report.changed);
    assert_eq!(report.mode, wanted.mode);
    assert_eq!(report.ranges[0].number, RangeNumber(0));
    assert_eq!(report.ranges[0].is_lock_enabled(), Some(true));
    assert!(report.owners.iter().all(|owner| owner.pin == OwnerPin::Set));
    assert_eq!(rig.vdrive().read(0, 1).unwrap(), [7; 512]);
    rig.open().unwrap().tries(&user(1)).unwrap();

    let commands = rig.commands();
    let again = rig
        .open()
        .unwrap()
        .reactivate(&wanted, &admin1(PIN), rig.consent());
    assert!(!again.unwrap().changed);
    assert_eq!(rig.commands() - commands, 1);
}

#[test]
fn reactivation_is_not_begun_by_an_admin_that_it_would_disable() {
    // Reference 5.9.4: all personalisation but Admin1's PIN goes back to the original state, so that
    // Admin2 could neither give the owners their PINs nor enable the locks again.
    let rig = Rig::with(shrink);
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    let admin2 = Authority::Admin(2);
    drive
        .enable(admin2, Some(&pin(OTHER_PIN)), &admin1(PIN))
        .unwrap();
    let commands = rig.commands();
    let wanted = wanted(SingleUserRanges::All, RangePolicy::User);
    let by = Credential::new(admin2, pin(OTHER_PIN));
    let error = drive.reactivate(&wanted, &by, rig.consent()).unwrap_err();
    assert_eq!(reason(&error), &SingleUserError::NotAdmin1(admin2));
    assert_eq!(rig.commands(), commands);
    assert!(drive.plan_reactivate(&wanted, admin2).is_err());
    drive.tries(&by).unwrap();
}

#[test]
fn reactivation_is_refused_where_only_an_owner_can_switch_locks_off() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let off = wanted(SingleUserRanges::None, RangePolicy::User);
    let error = rig
        .open()
        .unwrap()
        .reactivate(&off, &admin1(PIN), rig.consent());
    let expected = SingleUserError::LocksEnabled(vec![RangeNumber(0)]);
    assert_eq!(reason(&error.unwrap_err()), &expected);
    let settings = RangeSettings {
        read_lock_enabled: Some(false),
        write_lock_enabled: Some(false),
        ..RangeSettings::default()
    };
    let change = RangeChange {
        place: None,
        settings,
    };
    let mut drive = rig.open().unwrap();
    drive
        .set_range(RangeNumber(0), &change, &user(1), None)
        .unwrap();
    let report = rig
        .open()
        .unwrap()
        .reactivate(&off, &admin1(PIN), rig.consent())
        .unwrap();
    assert_eq!(report.mode.ranges, SingleUserRanges::None);
    let locked = rig.open().unwrap().lock(
        &LockRequest {
            ranges: vec![RangeNumber(0)],
            ..LockRequest::default()
        },
        &admin1(PIN),
    );
    // Its locks were off, and stay off.
    assert!(locked.is_err());
}

#[test]
fn locks_are_on_again_where_reactivation_is_refused() {
    let rig = small();
    rig.open()
        .unwrap()
        .setup(&SetupPlan::default(), &pin(PIN))
        .unwrap();
    let wanted = wanted(SingleUserRanges::All, RangePolicy::User);
    let mut drive = rig.open_with(Fate::Refuses(method::REACTIVATE)).unwrap();
    let error = drive
        .reactivate(&wanted, &admin1(PIN), rig.consent())
        .unwrap_err();
    assert_eq!(error.status(), Some(MethodStatus::NOT_AUTHORIZED));
    assert_eq!(error.step(), Some(Step::Reactivate));
    let ranges = rig.open().unwrap().ranges(Some(&admin1(PIN))).unwrap();
    let enabled: Vec<_> = ranges.iter().map(|it| it.is_lock_enabled()).collect();
    assert_eq!(enabled, [Some(true), Some(false), Some(false)]);
    assert_eq!(rig.take_refused(), 0);
    rig.open()
        .unwrap()
        .reactivate(&wanted, &admin1(PIN), rig.consent())
        .unwrap();
}

/// A run that was killed after it had switched locks off has noted them.
#[test]
fn what_an_interrupted_reactivation_has_noted_ends_with_a_revert() {
    let rig = small();
    let setup = |rig: &Rig| {
        let mut drive = rig.open().unwrap();
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    };
    setup(&rig);
    let wanted = wanted(some(&[1]), RangePolicy::User);
    let run = |drive: &mut Drive| drive.reactivate(&wanted, &admin1(PIN), small().consent());
    let enabled = |rig: &Rig| {
        let ranges = rig.open().unwrap().ranges(Some(&admin1(PIN))).unwrap();
        ranges[0].is_lock_enabled()
    };
    let mut commands = 0;
    while enabled(&rig) == Some(true) {
        assert!(killed(&rig, commands, |drive| run(drive).map(drop)));
        commands += 1;
    }
    let mut drive = rig.open().unwrap();
    drive.revert(&sid(PIN), rig.consent()).unwrap();
    setup(&rig);
    let off = RangeChange {
        place: None,
        settings: RangeSettings {
            read_lock_enabled: Some(false),
            write_lock_enabled: Some(false),
            ..RangeSettings::default()
        },
    };
    let mut drive = rig.open().unwrap();
    drive
        .set_range(RangeNumber(0), &off, &admin1(PIN), None)
        .unwrap();
    run(&mut rig.open().unwrap()).unwrap();
    assert_eq!(enabled(&rig), Some(false));
}

#[test]
fn release_is_refused_where_only_an_owner_can_switch_locks_off() {
    let rig = sum(SingleUserRanges::All, RangePolicy::User);
    let pins = Releasing::new(Some(pin(PIN)), Some(pin(PIN)));
    let mut drive = rig.open().unwrap();
    let error = drive
        .release(&pins, rig.consent(), &mut |_| {})
        .unwrap_err();
    let expected = SingleUserError::LocksEnabled(vec![RangeNumber(0)]);
    assert_eq!(reason(&error), &expected);
    // Nothing was changed.
    rig.open().unwrap().tries(&admin1(PIN)).unwrap();
    rig.open().unwrap().tries(&sid(PIN)).unwrap();
}

#[test]
fn without_a_pin_for_the_owners_their_locks_stay_off_and_that_is_told() {
    let rig = Rig::with(shrink);
    rig.open()
        .unwrap()
        .setup(&SetupPlan::default(), &pin(PIN))
        .unwrap();
    let mut wanted = wanted(some(&[0]), RangePolicy::User);
    wanted.owner_pin = None;
    let report = rig
        .open()
        .unwrap()
        .reactivate(&wanted, &admin1(PIN), rig.consent());
    let report = report.unwrap();
    assert_eq!(report.open, [RangeNumber(0)]);
    assert_eq!(report.owners[0].pin, OwnerPin::Empty);
    rig.open()
        .unwrap()
        .set_first_pin(Authority::User(1), &pin(USER_PIN))
        .unwrap();
}

#[test]
fn setup_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let plan = || plan(SingleUserRanges::All, RangePolicy::User);
    let run = |drive: &mut Drive| drive.setup(&plan(), &pin(PIN)).map(drop);
    everywhere(small, 60, run, |rig| {
        for number in 1..=3 {
            rig.open().unwrap().tries(&user(number)).unwrap();
        }
        let shown = rig.open().unwrap().ranges(Some(&user(1))).unwrap();
        assert_eq!(shown[0].is_lock_enabled(), Some(true));
    });
}

#[test]
fn reactivation_that_was_killed_anywhere_is_completed_by_the_next_run() {
    let ready = || {
        let rig = small();
        rig.open()
            .unwrap()
            .setup(&SetupPlan::default(), &pin(PIN))
            .unwrap();
        rig
    };
    let consent = small().consent();
    let wanted = || wanted(some(&[0, 1]), RangePolicy::Admins);
    let run = |drive: &mut Drive| {
        drive
            .reactivate(&wanted(), &admin1(PIN), consent.clone())
            .map(drop)
    };
    everywhere(ready, 50, run, |rig| {
        for number in 1..=2 {
            rig.open().unwrap().tries(&user(number)).unwrap();
        }
        let mode = rig.open().unwrap().single_user_mode().unwrap();
        assert_eq!(mode, wanted().mode);
        let shown = rig.open().unwrap().ranges(Some(&user(1))).unwrap();
        assert_eq!(shown[0].is_lock_enabled(), Some(true));
    });
}

#[test]
fn reactivation_that_was_killed_is_completed_on_a_drive_that_takes_no_policy() {
    let ready = || {
        let rig = Rig::with(|options| {
            shrink(options);
            options.profile.behaviour.single_user_policy = SingleUserPolicy::Refused;
        });
        let mut drive = rig.open().unwrap();
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
        rig
    };
    let consent = small().consent();
    let wanted = || wanted(some(&[0, 1]), RangePolicy::Admins);
    let run = |drive: &mut Drive| {
        drive
            .reactivate(&wanted(), &admin1(PIN), consent.clone())
            .map(drop)
    };
    for commands in 0.. {
        let rig = ready();
        if !killed(&rig, commands, run) {
            break;
        }
        run(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("after {commands}: {error}"));
        let found = rig.open().unwrap().single_user_mode().unwrap();
        assert_eq!(found, mode(some(&[0, 1]), RangePolicy::User));
        for number in 1..=2 {
            rig.open().unwrap().tries(&user(number)).unwrap();
        }
        let shown = rig.open().unwrap().ranges(Some(&user(1))).unwrap();
        assert_eq!(shown[0].is_lock_enabled(), Some(true));
    }
}

/// Kills an operation after each of its IF commands, and runs it again; no owner is refused more
/// than once.
fn everywhere(
    ready: impl Fn() -> Rig,
    at_least: u64,
    run: impl Fn(&mut Drive) -> Result<(), Error>,
    check: impl Fn(&Rig),
) {
    let mut commands = 0;
    loop {
        let rig = ready();
        let was_killed = killed(&rig, commands, &run);
        let case = format!("killed after {commands}");
        run(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert!(rig.take_refused() <= 1, "{case}");
        check(&rig);
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert!(commands >= at_least, "{commands}");
}
