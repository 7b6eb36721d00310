use super::super::{
    Authority, Cause, Credential, Drive, Error, ErrorCode, Lock, LockRequest, MbrOutcome, Mismatch,
    RangeError, Step, UnlockReport, UnlockRequest,
};
use super::dialogue::*;
use crate::session::testing::{Line, recv, send};
use crate::spec::{MethodStatus, RangeNumber, uid};
use crate::wire::Value;

const SUCCESS: MethodStatus = MethodStatus::SUCCESS;
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;

fn admin1() -> Credential {
    Credential::new(Authority::Admin(1), secret(NEW))
}

fn log_in() -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, NEW)
}

fn locked(read: bool, write: bool) -> Vec<(u64, Value)> {
    vec![(7, read.into()), (8, write.into())]
}

fn set_locked(range: u16, read: bool, write: bool, status: MethodStatus) -> Vec<Line> {
    set(
        uid::locking_range(RangeNumber(range)),
        locked(read, write),
        status,
    )
}

fn unlocked(range: u16) -> Vec<Line> {
    set_locked(range, false, false, SUCCESS)
}

fn mbr_done(status: MethodStatus) -> Vec<Line> {
    set(uid::MBR_CONTROL, vec![(2, true.into())], status)
}

fn ranges(numbers: impl IntoIterator<Item = u16>) -> Vec<RangeNumber> {
    numbers.into_iter().map(RangeNumber).collect()
}

fn global(mbr_done: bool) -> UnlockRequest {
    UnlockRequest {
        ranges: ranges([0]),
        mbr_done,
        ..UnlockRequest::default()
    }
}

fn unlock(lines: Vec<Vec<Line>>, request: &UnlockRequest) -> (Result<UnlockReport, Error>, u64) {
    run(lines, |drive: &mut Drive| drive.unlock(request, &admin1()))
}

fn lock(lines: Vec<Vec<Line>>, numbers: &[u16]) -> (Result<super::super::LockReport, Error>, u64) {
    let request = LockRequest {
        ranges: ranges(numbers.iter().copied()),
        ..LockRequest::default()
    };
    run(lines, |drive| drive.lock(&request, &admin1()))
}

#[test]
fn the_global_range_is_unlocked_in_seven_if_commands() {
    let (report, commands) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            vec![send("7.18"), recv("7.14")],
            end(),
        ],
        &global(false),
    );
    let report = report.unwrap();
    assert!(report.changed && report.first_error().is_none());
    assert!(matches!(report.mbr, MbrOutcome::Untouched));
    assert_eq!(commands, 7);
}

#[test]
fn the_global_range_and_the_shadow_mbr_take_nine() {
    let (report, commands) = unlock(
        vec![
            vec![discovery(LOCKED | MBR_ENABLED, SID_DIFFERS)],
            log_in(),
            unlocked(0),
            mbr_done(SUCCESS),
            end(),
        ],
        &global(true),
    );
    assert!(matches!(report.unwrap().mbr, MbrOutcome::Hidden));
    assert_eq!(commands, 9);
}

#[test]
fn nine_ranges_and_the_shadow_mbr_take_25() {
    let mut lines = vec![vec![discovery(LOCKED | MBR_ENABLED, SID_DIFFERS)], log_in()];
    lines.extend((0..9).map(unlocked));
    lines.extend([mbr_done(SUCCESS), end()]);
    let request = UnlockRequest {
        ranges: ranges(0..9),
        mbr_done: true,
        ..UnlockRequest::default()
    };
    let (report, commands) = unlock(lines, &request);
    assert_eq!(report.unwrap().ranges.len(), 9);
    assert_eq!(commands, 25);
}

#[test]
fn what_discovery_shows_to_be_as_asked_is_not_asked_again() {
    for (flags, request) in [
        (ACTIVE, global(false)),
        (ACTIVE, global(true)),
        (ACTIVE | MBR_ENABLED | MBR_DONE, global(true)),
        (ACTIVE | MBR_ENABLED, UnlockRequest::default()),
        (INACTIVE, UnlockRequest::default()),
    ] {
        let (report, commands) = unlock(vec![vec![discovery(flags, SID_DIFFERS)]], &request);
        let report = report.unwrap();
        assert!(!report.changed && report.ranges.is_empty());
        assert_eq!(commands, 1);
    }
    // Unlocked already, but the shadow MBR is shown.
    let (report, commands) = unlock(
        vec![
            vec![discovery(ACTIVE | MBR_ENABLED, SID_DIFFERS)],
            log_in(),
            mbr_done(SUCCESS),
            end(),
        ],
        &global(true),
    );
    assert!(report.unwrap().ranges.is_empty());
    assert_eq!(commands, 7);
}

#[test]
fn all_ranges_are_unlocked_until_none_is_locked() {
    let (report, commands) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            unlocked(0),
            vec![discovery(ACTIVE, SID_DIFFERS)],
            end(),
        ],
        &UnlockRequest::default(),
    );
    assert_eq!(report.unwrap().ranges.len(), 1);
    assert_eq!(commands, 8);

    let (report, _) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            unlocked(0),
            vec![discovery(LOCKED, SID_DIFFERS)],
            next(&[0, 1, 2, 3]),
            unlocked(1),
            vec![discovery(LOCKED, SID_DIFFERS)],
            unlocked(2),
            vec![discovery(ACTIVE, SID_DIFFERS)],
            end(),
        ],
        &UnlockRequest::default(),
    );
    assert_eq!(report.unwrap().ranges.len(), 3);
}

#[test]
fn a_user_unlocks_its_range_without_being_blamed_for_the_others() {
    let user = Credential::new(Authority::User(2), secret(NEW));
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::user(2), NEW),
        set_locked(0, false, false, REFUSED),
        vec![discovery(LOCKED, SID_DIFFERS)],
        next(&[0, 1, 2]),
        unlocked(1),
        vec![discovery(LOCKED, SID_DIFFERS)],
        set_locked(2, false, false, REFUSED),
        vec![discovery(LOCKED, SID_DIFFERS)],
        end(),
    ];
    let (report, _) = run(lines, |drive| {
        drive.unlock(&UnlockRequest::default(), &user)
    });
    let report = report.unwrap();
    assert_eq!(report.ranges.len(), 1);
    assert_eq!(report.ranges[0].range, RangeNumber(1));
    assert!(report.first_error().is_none());
}

#[test]
fn ranges_that_were_named_are_told_one_by_one() {
    let request = UnlockRequest {
        ranges: ranges([0, 1]),
        ..UnlockRequest::default()
    };
    let (report, _) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            set_locked(0, false, false, REFUSED),
            unlocked(1),
            end(),
        ],
        &request,
    );
    let report = report.unwrap();
    let error = report.ranges[0].error.as_ref().unwrap();
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert!(report.ranges[1].error.is_none());

    let (report, _) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            set_locked(0, false, false, REFUSED),
            set_locked(1, false, false, REFUSED),
            end(),
        ],
        &request,
    );
    assert_eq!(report.unwrap_err().code(), ErrorCode::NotAuthorized);
}

#[test]
fn a_range_that_stays_locked_is_told() {
    let (report, _) = unlock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            unlocked(0),
            vec![discovery(LOCKED, SID_DIFFERS)],
            next(&[0]),
            end(),
        ],
        &UnlockRequest::default(),
    );
    let report = report.unwrap();
    assert!(report.ranges[0].error.is_none() && !report.ranges[0].proven);
    let error = report.first_error().unwrap();
    assert_eq!(error.step(), Some(Step::CheckState));
    let expected = Cause::NotAsAsked(Mismatch::StillLocked);
    assert_eq!(error.cause().to_string(), expected.to_string());
}

/// Range 1, unlocked for reading only: what it shows, and the columns that are set.
fn read_only(shown: Option<Vec<(u64, Value)>>, columns: Vec<(u64, Value)>) {
    let request = UnlockRequest {
        ranges: ranges([1]),
        read_only: true,
        ..UnlockRequest::default()
    };
    let range = uid::locking_range(RangeNumber(1));
    let mut lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        match shown {
            Some(shown) => get(range, 5, 8, shown),
            None => get_refused(range, 5, 8),
        },
    ];
    if !columns.is_empty() {
        lines.push(set(range, columns, SUCCESS));
    }
    lines.push(end());
    let (report, _) = unlock(lines, &request);
    assert!(report.unwrap().first_error().is_none());
}

fn shown(enabled: (bool, bool), is_locked: (bool, bool)) -> Vec<(u64, Value)> {
    let mut columns = vec![(5, enabled.0.into()), (6, enabled.1.into())];
    columns.extend(locked(is_locked.0, is_locked.1));
    columns
}

#[test]
fn reading_only_leaves_the_range_locked_for_writing() {
    let both = (true, true);
    read_only(Some(shown(both, (true, true))), vec![(7, false.into())]);
    read_only(Some(shown(both, (true, false))), locked(false, true));
    // It can be read already.
    read_only(Some(shown(both, (false, false))), Vec::new());
    read_only(Some(shown((false, true), (true, true))), Vec::new());
    // Who may not see it does not lock it either.
    read_only(None, vec![(7, false.into())]);
}

#[test]
fn a_range_is_locked_and_proven_in_eight_if_commands() {
    let (report, commands) = lock(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            set_locked(0, true, true, SUCCESS),
            end(),
            vec![discovery(LOCKED, SID_DIFFERS)],
        ],
        &[0],
    );
    let report = report.unwrap();
    assert!(report.first_error().is_none() && report.ranges[0].proven);
    assert_eq!(commands, 8);
}

#[test]
fn a_range_without_locking_enabled_is_not_locked() {
    let (report, _) = lock(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            set_locked(0, true, true, SUCCESS),
            end(),
            vec![discovery(ACTIVE, SID_DIFFERS)],
        ],
        &[0],
    );
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::Failed);
    assert!(error.to_string().contains("is locking enabled"), "{error}");
}

#[test]
fn what_discovery_cannot_prove_is_read_back() {
    let not_locked_for_writing = shown((true, true), (true, false));
    let shown = |read, write| shown((read, write), (true, true));
    let range = |number| uid::locking_range(RangeNumber(number));
    let (report, _) = lock(
        vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            set_locked(1, true, true, SUCCESS),
            get(range(1), 5, 8, shown(true, true)),
            set_locked(2, true, true, SUCCESS),
            get(range(2), 5, 8, shown(false, false)),
            set_locked(3, true, true, SUCCESS),
            get_refused(range(3), 5, 8),
            set_locked(4, true, true, SUCCESS),
            get(range(4), 5, 8, shown(false, true)),
            set_locked(5, true, true, SUCCESS),
            get(range(5), 5, 8, not_locked_for_writing),
            end(),
            vec![discovery(LOCKED, SID_DIFFERS)],
        ],
        &[1, 2, 3, 4, 5],
    );
    let ranges = report.unwrap().ranges;
    let outcomes: Vec<_> = ranges
        .iter()
        .map(|range| (range.proven, range.only_lock, range.error.is_some()))
        .collect();
    let expected = [
        (true, None, false),
        (false, None, true),
        (false, None, false),
        (true, Some(Lock::Write), false),
        (false, None, true),
    ];
    assert_eq!(outcomes, expected);
}

#[test]
fn all_ranges_are_those_that_have_locking_enabled() {
    let range = |number| uid::locking_range(RangeNumber(number));
    let enabled = |enabled: bool| vec![(5, enabled.into()), (6, enabled.into())];
    let (report, _) = lock(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            next(&[0, 1, 2]),
            get(range(0), 0, 10, enabled(false)),
            get(range(1), 0, 10, enabled(true)),
            get(range(2), 0, 10, enabled(false)),
            set_locked(1, true, true, SUCCESS),
            end(),
            vec![discovery(LOCKED, SID_DIFFERS)],
        ],
        &[],
    );
    assert_eq!(report.unwrap().ranges.len(), 1);
}

#[test]
fn other_authorities_and_states_are_refused_before_anything_is_sent() {
    let lines = || vec![vec![discovery(LOCKED, SID_DIFFERS)]];
    let sid = Credential::new(Authority::Sid, secret(NEW));
    let (report, _) = run(lines(), |drive| drive.unlock(&global(false), &sid));
    assert_eq!(report.unwrap_err().code(), ErrorCode::InvalidRequest);
    let (report, _) = run(lines(), |drive| drive.lock(&LockRequest::default(), &sid));
    assert_eq!(report.unwrap_err().code(), ErrorCode::InvalidRequest);
    let (report, _) = lock(vec![vec![discovery(INACTIVE, SID_DIFFERS)]], &[0]);
    assert_eq!(report.unwrap_err().code(), ErrorCode::Failed);
}

#[test]
fn a_wrong_pin_is_tried_once_in_a_run() {
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        start_refused(uid::LOCKING_SP, uid::ADMIN1, NEW, REFUSED),
    ];
    let (report, commands) = run(lines, |drive| {
        let first = drive.unlock(&global(false), &admin1()).unwrap_err();
        assert_eq!(first.status(), Some(REFUSED));
        drive.unlock(&global(false), &admin1())
    });
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert_eq!(error.step(), None);
    assert_eq!(commands, 3);
}

#[test]
fn a_lock_out_is_told_apart_from_a_wrong_pin() {
    let status = MethodStatus::AUTHORITY_LOCKED_OUT;
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        start_refused(uid::LOCKING_SP, uid::ADMIN1, NEW, status),
    ];
    let (report, _) = unlock(lines, &global(false));
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::LockedOut);
    assert_eq!(error.status(), Some(status));
}

#[test]
fn a_range_that_does_not_exist_is_a_wrong_request() {
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        set_locked(300, false, false, REFUSED),
        end(),
    ];
    let request = UnlockRequest {
        ranges: ranges([300]),
        ..UnlockRequest::default()
    };
    let error = unlock(lines, &request).0.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert!(matches!(
        error.cause(),
        Cause::Range(RangeError::Missing(RangeNumber(300)))
    ));
}
