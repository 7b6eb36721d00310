use std::time::Duration;

use super::super::{
    Authority, Cause, Credential, EraseConsent, ErrorCode, Finding, Mismatch, Step,
};
use super::dialogue::*;
use crate::session;
use crate::session::testing::{Line, Stage, header, recv, recv_bytes, silence};
use crate::spec::{MethodStatus, method as method_uid, uid};
use crate::transport::{Bus, Identity};
use crate::wire::{MethodCall, MethodResponse};

fn psid() -> Credential {
    Credential::new(Authority::Psid, secret(OLD))
}

fn revert(response: Vec<u8>) -> Vec<Line> {
    let call = MethodCall::new(uid::ADMIN_SP, method_uid::REVERT);
    let mut lines = method_line(&call);
    lines.push(recv_bytes(response));
    lines
}

fn unanswered_revert() -> Vec<Line> {
    let call = MethodCall::new(uid::ADMIN_SP, method_uid::REVERT);
    [method_line(&call), silence()].concat()
}

fn method_line(call: &MethodCall) -> Vec<Line> {
    let mut lines = method(call, &MethodResponse::success(Vec::new()));
    lines.truncate(1);
    lines
}

fn success() -> Vec<u8> {
    session::testing::frame("7.14")
}

fn log_in() -> Vec<Line> {
    start(uid::ADMIN_SP, uid::PSID, OLD)
}

#[test]
fn a_revert_is_checked_in_six_if_commands() {
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        revert(success()),
        vec![discovery(INACTIVE, SID_IS_MSID)],
    ];
    let (report, commands) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let report = report.unwrap();
    assert_eq!(report.state.word(), "factory");
    assert!(report.findings.is_empty());
    assert!(report.changed && report.erased);
    assert_eq!(commands, 6);
}

#[test]
fn a_drive_in_factory_state_is_left_alone() {
    let (report, commands) = run(vec![vec![discovery(INACTIVE, SID_IS_MSID)]], |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let report = report.unwrap();
    assert!(!report.changed && !report.erased);
    assert_eq!(commands, 1);
}

#[test]
fn a_revert_while_locking_is_inactive_erases_nothing() {
    let lines = vec![
        vec![discovery(INACTIVE, SID_DIFFERS)],
        log_in(),
        revert(success()),
        vec![discovery(INACTIVE, SID_IS_MSID)],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let report = report.unwrap();
    assert!(report.changed && !report.erased);
}

#[test]
fn a_revert_without_answer_that_changes_nothing_is_not_done() {
    let lines = vec![
        vec![discovery(INACTIVE, SID_DIFFERS)],
        log_in(),
        unanswered_revert(),
        vec![discovery(INACTIVE, SID_DIFFERS); 41],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::Revert));
    assert!(matches!(
        error.cause(),
        Cause::Session(session::Error::NoAnswer)
    ));
}

#[test]
fn sid_gets_the_default_pin_where_the_ssc_says_so() {
    // The drive reports that SID's PIN is MSID after a revert.
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        start(uid::ADMIN_SP, uid::SID, OLD),
        revert(success()),
        vec![discovery(INACTIVE, SID_DIFFERS); 41],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&Credential::new(Authority::Sid, secret(OLD)), consent)
    });
    assert!(matches!(
        report.unwrap_err().cause(),
        Cause::NotAsAsked(Mismatch::SidNotMsid)
    ));
}

#[test]
fn a_revert_that_takes_too_long_is_judged_by_discovery() {
    // The time limit of the stage is 10 s, and the drive announces none; polls come at 0, 0, 1, 3,
    // 8, 18 ms, and every 25 ms from then on.
    let mut polls = vec![recv_bytes(header(1, 0)); 406];
    let mut sent = revert(Vec::new());
    sent.truncate(1);
    sent.append(&mut polls);
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        sent,
        vec![discovery(INACTIVE, SID_IS_MSID)],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    assert_eq!(report.unwrap().state.word(), "factory");
}

#[test]
fn a_revert_without_answer_is_judged_by_discovery() {
    let closed = revert(session::testing::frame("7.36"));
    for reverted in [unanswered_revert(), closed] {
        let lines = vec![
            vec![discovery(LOCKED, SID_DIFFERS)],
            log_in(),
            reverted,
            vec![discovery(INACTIVE, SID_DIFFERS)],
        ];
        let (report, _) = run(lines, |drive| {
            let consent = consent(drive);
            drive.revert(&psid(), consent)
        });
        let locking_active = false;
        assert_eq!(
            report.unwrap().findings,
            [Finding::SidNotMsid { locking_active }]
        );
    }
}

#[test]
fn a_drive_that_needs_time_is_asked_again_and_one_that_stays_locked_is_an_error() {
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        revert(success()),
        vec![discovery(LOCKED, SID_DIFFERS); 3],
        vec![discovery(INACTIVE, SID_IS_MSID)],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    assert_eq!(report.unwrap().state.word(), "factory");

    // 10 s at 250 ms.
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        revert(success()),
        vec![discovery(LOCKED, SID_DIFFERS); 41],
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::CheckState));
    assert!(matches!(
        error.cause(),
        Cause::NotAsAsked(Mismatch::StillActivated)
    ));
}

#[test]
fn a_revert_needs_the_consent_for_this_drive() {
    let (report, commands) = run(vec![vec![discovery(LOCKED, SID_DIFFERS)]], |drive| {
        let other = Identity::new(Bus::Virtual, b"MODEL", b"SERIAL0002", b"1");
        let consent = EraseConsent::new("SERIAL0002", &other).unwrap();
        drive.revert(&psid(), consent)
    });
    assert_eq!(report.unwrap_err().code(), ErrorCode::ConsentRequired);
    assert_eq!(commands, 1);
}

#[test]
fn a_refused_revert_ends_its_session() {
    let call = MethodCall::new(uid::ADMIN_SP, method_uid::REVERT);
    let refused = MethodResponse::failure(MethodStatus::NOT_AUTHORIZED);
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        log_in(),
        method(&call, &refused),
        end(),
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&psid(), consent)
    });
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::Revert));
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
}

#[test]
fn only_sid_and_psid_revert_and_a_blocked_sid_does_not() {
    for (authority, flags, code) in [
        (Authority::Admin(1), SID_DIFFERS, ErrorCode::InvalidRequest),
        (Authority::Sid, SID_BLOCKED, ErrorCode::NotAuthorized),
    ] {
        let (report, commands) = run(vec![vec![discovery(ACTIVE, flags)]], |drive| {
            let consent = consent(drive);
            let by = Credential::new(authority, secret(OLD));
            drive.revert(&by, consent)
        });
        assert_eq!(report.unwrap_err().code(), code);
        assert_eq!(commands, 1);
    }
}

#[test]
fn what_a_revert_leaves_waiting_does_not_disturb_the_next_run() {
    // Samsung-like: the answer, then a CloseSession that nobody fetched.
    let lines = [
        vec![discovery(INACTIVE, SID_IS_MSID)],
        vec![
            Line::Refuse(crate::transport::InterfaceStatus::SequenceError),
            Line::Refuse(crate::transport::InterfaceStatus::SequenceError),
            recv("7.36"),
        ],
        read_msid(),
    ];
    let mut lines = lines.concat();
    // Level 0 Discovery is asked again once the session is open.
    lines.insert(6, discovery(INACTIVE, SID_IS_MSID));
    let (msid, _) = run(vec![lines], |drive| drive.msid());
    assert_eq!(msid.unwrap().expose(), MSID);
}

/// How long is waited for a drive that announces this time for overwriting, in two minutes, and for
/// replacing keys, in two seconds; 0 for what it does not tell.
fn erasure_time(overwrite: u8, keys: u8) -> Duration {
    let mut response = samsung();
    let length = u32::from_be_bytes(response[..4].try_into().unwrap());
    let end = 4 + usize::try_from(length).unwrap();
    response.truncate(end);
    // Overwriting and cryptographic erase; the first one in minutes.
    let mut descriptor = vec![0x04, 0x04, 0x10, 0x20, 0, 0, 0x05, 0x01];
    descriptor.extend([0, overwrite, 0, 0, 0, keys]);
    descriptor.resize(36, 0);
    response.extend(&descriptor);
    response[..4].copy_from_slice(&(length + 36).to_be_bytes());
    let stage = Stage::new([recv_bytes(response)]);
    open(&stage).erasure_time()
}

#[test]
fn a_revert_waits_for_new_keys_and_for_ten_minutes_at_most() {
    assert_eq!(erasure_time(255, 5), Duration::from_secs(10));
    assert_eq!(erasure_time(255, 0), Duration::from_secs(600));
    assert_eq!(erasure_time(2, 0), Duration::from_secs(240));
    assert_eq!(erasure_time(0, 0), Duration::ZERO);
}
