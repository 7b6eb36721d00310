//! Notes of interrupted runs do not outlive what they are about.

use std::time::Duration;

use sedkit::drive::{
    Authority, Cause, Journal, NewRange, Place, RangeChoice, RangePolicy, RangeSettings,
    Reactivation, SetupPlan, SingleUserError, SingleUserMode, SingleUserRanges,
};
use sedkit::spec::RangeNumber;
use sedkit::vdrive::CreateOptions;
use sedkit::vdrive::profile::Feature;

use super::resume::killed;
use super::{OTHER_PIN, PIN, Rig, admin1, pin, psid};

/// Longer than any session timeout of the drive: what a killed process left open is closed then.
const LATER: Duration = Duration::from_secs(3600);
const RANGE: RangeNumber = RangeNumber(1);

fn shrink(options: &mut CreateOptions) {
    (
        options.profile.locking.ranges,
        options.profile.locking.users,
    ) = (2, 3);
}

fn revert(rig: &Rig) {
    rig.wait(LATER);
    let mut drive = rig.open().unwrap();
    drive.revert(&psid(), rig.consent()).unwrap();
}

/// Without the Block SID descriptor, a note decides which PIN is tried first.
#[test]
fn a_revert_ends_the_notes_of_an_interrupted_setup() {
    for commands in 0..25 {
        let rig = Rig::with(|options| {
            options.profile.discovery.remove(&Feature::BlockSid);
        });
        killed(&rig, commands, |drive| {
            drive.setup(&SetupPlan::default(), &pin(PIN)).map(drop)
        });
        revert(&rig);
        let mut drive = rig.open().unwrap();
        drive.setup(&SetupPlan::default(), &pin(OTHER_PIN)).unwrap();
        assert_eq!(rig.take_refused(), 0, "killed after {commands}");
    }
}

fn reactivation() -> Reactivation {
    Reactivation {
        mode: SingleUserMode {
            ranges: SingleUserRanges::listed([RangeNumber(2)]),
            policy: RangePolicy::User,
        },
        owner_pin: Some(pin(OTHER_PIN)),
    }
}

fn with_locks_in_range_1(rig: &Rig) {
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    let new = NewRange {
        choice: RangeChoice::Free(RANGE),
        place: Place {
            start: 1024,
            length: 64,
        },
        settings: RangeSettings::default(),
    };
    drive
        .create_range(&new, &admin1(PIN), &rig.consent())
        .unwrap();
}

/// The drive after its revert has no range 1, and none of the locks that stood there.
fn assert_locks_are_forgotten(rig: &Rig, case: &str) {
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    let report = drive.reactivate(&reactivation(), &admin1(PIN), rig.consent());
    report.unwrap_or_else(|error| panic!("{case}: {error}"));
    let range = drive.range(RANGE, &admin1(PIN)).unwrap();
    assert_eq!(range.is_lock_enabled(), Some(false), "{case}");
    assert_eq!(rig.take_refused(), 0, "{case}");
}

#[test]
fn a_revert_ends_the_note_of_locks_that_were_off_for_a_moment() {
    let mut commands = 0;
    loop {
        let rig = Rig::with(shrink);
        with_locks_in_range_1(&rig);
        let was_killed = killed(&rig, commands, |drive| {
            let by = admin1(PIN);
            drive
                .reactivate(&reactivation(), &by, rig.consent())
                .map(drop)
        });
        revert(&rig);
        assert_locks_are_forgotten(&rig, &format!("killed after {commands}"));
        if !was_killed {
            return;
        }
        commands += 1;
    }
}

/// What another tool does is not seen; that locking is activated anew is.
#[test]
fn activation_ends_the_notes_of_an_earlier_life() {
    let rig = Rig::with(shrink);
    with_locks_in_range_1(&rig);
    killed(&rig, 30, |drive| {
        let by = admin1(PIN);
        drive
            .reactivate(&reactivation(), &by, rig.consent())
            .map(drop)
    });
    rig.wait(LATER);
    let mut drive = rig.open().unwrap().with_journal(None);
    drive.revert(&psid(), rig.consent()).unwrap();
    assert_locks_are_forgotten(&rig, "reverted elsewhere");
    assert!(rig.open().unwrap().tally(Authority::Sid).is_ok());
}

/// Interrupted between the locks and the mode, nothing would tell which locks there were.
#[test]
fn locks_that_cannot_be_noted_are_not_switched_off() {
    let rig = Rig::with(shrink);
    let plan = SetupPlan::default();
    rig.open().unwrap().setup(&plan, &pin(PIN)).unwrap();
    let wanted = Reactivation {
        mode: SingleUserMode {
            ranges: SingleUserRanges::All,
            policy: RangePolicy::User,
        },
        owner_pin: Some(pin(OTHER_PIN)),
    };
    let nowhere = Some(Journal::new("/dev/null/notes"));
    let mut drive = rig.open().unwrap().with_journal(nowhere);
    let error = drive
        .reactivate(&wanted, &admin1(PIN), rig.consent())
        .unwrap_err();
    let expected = Cause::SingleUser(SingleUserError::LocksUnnoted);
    assert_eq!(error.cause().to_string(), expected.to_string());
    let ranges = rig.open().unwrap().ranges(Some(&admin1(PIN))).unwrap();
    assert_eq!(ranges[0].is_lock_enabled(), Some(true));
    let mut drive = rig.open().unwrap();
    drive
        .reactivate(&wanted, &admin1(PIN), rig.consent())
        .unwrap();
}
