//! Sessions that other processes left open.

use std::time::Duration;

use sedkit::drive::{Authority, ErrorCode, Limits, PinSearch, SearchEnd, SetupPlan};
use sedkit::session::Clock;
use sedkit::spec::MethodStatus;

use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin};

/// A process that opened a session with the Locking SP, was told so, and was killed.
fn leave_a_session_open(rig: &Rig) {
    let drive = rig.open_with(Fate::KilledAfter(3));
    drive.unwrap().ranges(Some(&admin1(PIN))).unwrap_err();
    assert_eq!(rig.vdrive().info().open_sessions, 1);
}

#[test]
fn a_session_that_was_left_open_is_waited_for() {
    let timeout = Duration::from_secs(20);
    let rig = Rig::with(|options| options.session_timeout = Some(timeout));
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    leave_a_session_open(&rig);
    let start = rig.now();
    rig.open().unwrap().ranges(Some(&admin1(PIN))).unwrap();
    let waited = rig.now() - start;
    assert!(
        waited >= timeout && waited < timeout + Duration::from_secs(1),
        "{waited:?}"
    );
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn a_session_that_stays_open_is_told_and_cleared_by_a_stack_reset() {
    let rig = Rig::with(|options| options.session_timeout = Some(Duration::ZERO));
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    leave_a_session_open(&rig);
    let start = rig.now();
    let mut drive = rig.open().unwrap();
    let error = drive.ranges(Some(&admin1(PIN))).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Busy);
    assert!(matches!(
        error.status(),
        Some(MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE)
    ));
    assert_eq!(rig.now() - start, Duration::from_secs(60));
    drive.stack_reset().unwrap();
    drive.ranges(Some(&admin1(PIN))).unwrap();
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn a_search_counts_no_attempt_that_a_busy_drive_did_not_look_at() {
    let rig = Rig::with(|options| options.session_timeout = Some(Duration::ZERO));
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    leave_a_session_open(&rig);
    let typed = pin(OTHER_PIN);
    let mut drive = rig.open().unwrap();
    let search = PinSearch {
        authority: Authority::Admin(1),
        passphrase: &typed,
        rules: vec!["raw".parse().unwrap()],
        limits: Limits::default(),
        cap: None,
        is_power_cycled: false,
        goes_on: true,
    };
    let report = drive.identify_pin(&search).unwrap();
    let SearchEnd::Failed(error) = report.end else {
        panic!("{:?}", report.end)
    };
    assert_eq!(error.code(), ErrorCode::Busy);
    assert_eq!(drive.tally(Authority::Admin(1)).unwrap().attempts, 0);
}

#[test]
fn an_answer_that_was_left_waiting_is_cleared_away_with_its_session() {
    for commands in [2, 4] {
        let rig = Rig::set_up();
        let drive = rig.open_with(Fate::KilledAfter(commands));
        drive.unwrap().ranges(Some(&admin1(PIN))).unwrap_err();
        let start = rig.now();
        rig.open().unwrap().ranges(Some(&admin1(PIN))).unwrap();
        assert!(rig.now() - start < Duration::from_secs(1));
        assert_eq!(rig.vdrive().info().open_sessions, 0);
    }
}
