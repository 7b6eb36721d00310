use super::super::{Authority, Cause, Credential, ErrorCode, KeepReport, Mismatch, OtherRanges};
use super::super::{Drive, Error, Step};
use super::dialogue::*;
use crate::session::testing::{Line, frame, recv_bytes};
use crate::spec::{MethodStatus, RangeNumber, method as method_uid, uid};
use crate::wire::{MethodCall, MethodResponse, Value};

fn log_in() -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, NEW)
}

/// Columns 3 to 10 of a range; `locked` are ReadLocked and WriteLocked.
fn row(number: u16, length: u64, locked: [bool; 2]) -> Vec<Line> {
    let columns = vec![
        (3, Value::Uint(0)),
        (4, Value::Uint(length)),
        (5, true.into()),
        (6, true.into()),
        (7, locked[0].into()),
        (8, locked[1].into()),
        (9, Value::list([Value::Uint(0)])),
        (10, uid::k_aes_256(RangeNumber(number)).into()),
    ];
    get(uid::locking_range(RangeNumber(number)), 3, 10, columns)
}

/// RevertSP with KeepGlobalRangeKey, as in tcg.md frame 7.34.
fn revert_sp(status: MethodStatus) -> Vec<Line> {
    let call = MethodCall::new(uid::THIS_SP, method_uid::REVERT_SP).optional(0x06_0000, true);
    let lines = method(&call, &MethodResponse::failure(status));
    let Some(Line::Send(_, bytes)) = lines.first() else {
        panic!("nothing is sent");
    };
    assert_eq!(*bytes, frame("7.34"));
    lines
}

fn keep(drive: &mut Drive, others: OtherRanges) -> Result<KeepReport, Error> {
    let consent = consent(drive);
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    drive.revert_keeping_data(&admin, others, consent, &mut |_| {})
}

#[test]
fn the_locking_sp_is_reverted_with_the_key_of_the_global_range_kept() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        next(&[0, 1]),
        row(0, 0, [false, false]),
        row(1, 0, [false, false]),
        revert_sp(MethodStatus::SUCCESS),
        vec![discovery(INACTIVE, SID_DIFFERS)],
    ];
    let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Spare));
    let report = report.unwrap();
    assert!(report.changed && report.lost.is_empty());
    assert_eq!(report.state.word(), "owned");
}

#[test]
fn a_locked_global_range_is_unlocked_first() {
    let open = vec![(7, false.into()), (8, false.into())];
    for locked in [[true, true], [true, false], [false, true]] {
        let lines = vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            next(&[0]),
            row(0, 0, locked),
            set(
                uid::LOCKING_GLOBAL_RANGE,
                open.clone(),
                MethodStatus::SUCCESS,
            ),
            row(0, 0, [false, false]),
            revert_sp(MethodStatus::SUCCESS),
            vec![discovery(INACTIVE, SID_DIFFERS)],
        ];
        let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Spare));
        assert!(report.unwrap().changed, "{locked:?}");
    }
}

#[test]
fn ranges_that_cannot_be_kept_stop_it_unless_they_may_be_lost() {
    let looked = || {
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            next(&[0, 1, 2]),
            row(0, 0, [false, false]),
            row(1, 4096, [false, false]),
            row(2, 0, [false, false]),
        ]
    };
    let mut lines = looked();
    lines.push(end());
    let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Spare));
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConsentRequired);
    let expected = vec![RangeNumber(1)];
    assert!(matches!(error.cause(), Cause::OtherRanges(ranges) if *ranges == expected));

    let mut lines = looked();
    lines.push(revert_sp(MethodStatus::SUCCESS));
    lines.push(vec![discovery(INACTIVE, SID_DIFFERS)]);
    let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Lose));
    assert_eq!(report.unwrap().lost, expected);
}

#[test]
fn a_refusal_ends_the_session() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        next(&[0]),
        row(0, 0, [false, false]),
        revert_sp(MethodStatus::FAIL),
        end(),
    ];
    let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Spare));
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::Revert));
    assert_eq!(error.status(), Some(MethodStatus::FAIL));
}

#[test]
fn locking_that_stays_active_is_an_error() {
    // 10 s at 250 ms.
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        next(&[0]),
        row(0, 0, [false, false]),
        revert_sp(MethodStatus::SUCCESS),
        vec![discovery(ACTIVE, SID_DIFFERS); 41],
    ];
    let (report, _) = run(lines, |drive| keep(drive, OtherRanges::Spare));
    assert!(matches!(
        report.unwrap_err().cause(),
        Cause::NotAsAsked(Mismatch::StillActivated)
    ));
}

#[test]
fn where_locking_is_inactive_nothing_is_sent() {
    let lines = vec![vec![discovery(INACTIVE, SID_DIFFERS)]];
    let (report, commands) = run(lines, |drive| keep(drive, OtherRanges::Spare));
    assert!(!report.unwrap().changed);
    assert_eq!(commands, 1);
}

#[test]
fn only_admins_keep_data() {
    let lines = vec![vec![recv_bytes(samsung())]];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        let by = Credential::new(Authority::Sid, secret(OLD));
        drive.revert_keeping_data(&by, OtherRanges::Spare, consent, &mut |_| {})
    });
    assert_eq!(report.unwrap_err().code(), ErrorCode::InvalidRequest);
}
