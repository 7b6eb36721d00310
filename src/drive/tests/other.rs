use super::super::{
    Authority, Cause, Credential, Drive, ErrorCode, Finding, LockRequest, LockingState, MbrState,
    SetupPlan, UnlockRequest,
};
use super::dialogue::*;
use crate::session::testing::{Line, Stage, hex, opening, recv, recv_bytes, send};
use crate::spec::{MethodStatus, RangeNumber, Ssc, uid};
use crate::transport::InterfaceStatus;
use crate::wire::{MethodCall, MethodResponse, Value};

fn opened(lines: Vec<Line>) -> Result<Drive, super::super::Error> {
    Drive::with_tper(Stage::new(lines).tper(), 1)
}

#[test]
fn opening_takes_one_if_command() {
    let drive = opened(vec![discovery(INACTIVE, SID_IS_MSID)]).unwrap();
    assert_eq!(drive.if_counts().send, 0);
    assert_eq!(drive.if_counts().recv, 1);
    assert_eq!(drive.ssc(), Ssc::Opal2);
    assert_eq!(drive.state().word(), "factory");
    assert_eq!(drive.identity().serial_text(), "SERIAL0001");
}

#[test]
fn a_long_response_is_fetched_once_more() {
    let mut long = samsung();
    long[2] = 0x0b;
    long.resize(0x0bb8, 0);
    let lines = vec![
        Line::RecvInto(2048, long.clone()),
        Line::RecvInto(3072, long),
    ];
    let drive = opened(lines).unwrap();
    assert_eq!(drive.if_counts().recv, 2);
    assert_eq!(drive.discovery().missing, 0);
}

#[test]
fn devices_without_a_tper_are_told_apart_from_nonsense() {
    let error = opened(vec![recv_bytes(Vec::new())]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotSupported);
    assert!(matches!(error.cause(), Cause::NotSed(None)));
    let error = opened(vec![recv_bytes(vec![0; 512])]).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Malformed);
    let nvme = |code| InterfaceStatus::Nvme { code_type: 0, code };
    let sense = |key, asc| InterfaceStatus::Sense { key, asc, ascq: 0 };
    for (status, code) in [
        (InterfaceStatus::InvalidParameter, ErrorCode::NotSupported),
        // Invalid opcode, invalid field, internal error.
        (nvme(0x01), ErrorCode::NotSupported),
        (nvme(0x02), ErrorCode::NotSupported),
        (nvme(0x06), ErrorCode::Failed),
        // Invalid operation code, invalid field in CDB; becoming ready, hardware error.
        (sense(0x05, 0x20), ErrorCode::NotSupported),
        (sense(0x05, 0x24), ErrorCode::NotSupported),
        (sense(0x02, 0x04), ErrorCode::Failed),
        (sense(0x04, 0x44), ErrorCode::Failed),
        (InterfaceStatus::OperationDenied, ErrorCode::Failed),
    ] {
        let error = opened(vec![Line::Refuse(status)]).unwrap_err();
        assert_eq!(error.code(), code, "{status:?}");
    }
    let garbage = vec![recv_bytes(vec![0x5a; 30])];
    let error = opened(garbage).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Malformed);
    // A TPer without any SSC.
    let mut none = samsung();
    none[128] = 0xc0;
    let error = opened(vec![recv_bytes(none)]).unwrap_err();
    assert!(matches!(error.cause(), Cause::NoSsc));
}

#[test]
fn states_follow_from_discovery() {
    let state = |locking, block_sid| {
        let drive = opened(vec![discovery(locking, block_sid)]).unwrap();
        let state = drive.state();
        (state.word(), state.locking, state.mbr)
    };
    use LockingState::{Inactive, Locked, NotSupported, Unlocked};
    assert_eq!(
        state(INACTIVE, SID_IS_MSID),
        ("factory", Inactive, MbrState::Disabled)
    );
    assert_eq!(
        state(INACTIVE, SID_DIFFERS),
        ("owned", Inactive, MbrState::Disabled)
    );
    assert_eq!(
        state(ACTIVE | MBR_ENABLED, SID_DIFFERS),
        ("unlocked", Unlocked, MbrState::Shown)
    );
    assert_eq!(
        state(LOCKED | MBR_ENABLED | MBR_DONE, SID_DIFFERS),
        ("locked", Locked, MbrState::Done)
    );
    assert_eq!(
        state(0x40, SID_IS_MSID),
        ("unsupported", NotSupported, MbrState::NotSupported)
    );
    // Frozen: bits 2 and 3 of the Block SID descriptor.
    assert_eq!(state(ACTIVE, 0x0d).0, "frozen");
}

#[test]
fn findings_say_what_would_be_refused() {
    let findings = |line: Line| opened(vec![line]).unwrap().diagnose();
    assert_eq!(findings(discovery(INACTIVE, SID_IS_MSID)), []);
    assert_eq!(
        findings(discovery(INACTIVE, SID_BLOCKED)),
        [Finding::SidBlocked {
            hardware_reset_clears: false
        }]
    );
    assert_eq!(
        findings(discovery(LOCKED | MBR_ENABLED, SID_DIFFERS)),
        [
            Finding::SidNotMsid {
                locking_active: true
            },
            Finding::Locked,
            Finding::MbrShown,
            Finding::BootImage
        ]
    );
    assert_eq!(
        findings(discovery(ACTIVE, SID_IS_MSID)),
        [Finding::SidIsMsid, Finding::NothingLocked]
    );
    assert_eq!(
        findings(discovery_without_block_sid(INACTIVE)),
        [Finding::SidUnknown]
    );
    // SID's PIN is the vendor's, at delivery and after a revert (bytes 13 and 14 of Opal 2).
    let mut vendor = samsung();
    vendor[128 + 13] = 0xff;
    vendor[128 + 14] = 0xff;
    assert_eq!(
        findings(recv_bytes(vendor)),
        [
            Finding::SidVendorUniqueAtDelivery,
            Finding::SidVendorUniqueAfterRevert
        ]
    );
    for finding in findings(discovery(LOCKED, SID_DIFFERS)) {
        assert!(finding.text().ends_with('.') && finding.way_out().ends_with('.'));
    }
}

#[test]
fn other_sscs_are_refused_before_anything_is_sent() {
    let enterprise = hex(
        "00000050 00000001 00000000 00000000 00000000 00000000 00000000 00000000
         00000000 00000000 00000000 00000000
         0001100c 11000000 00000000 00000000
         01001010 07fe0002 00000000 00000000 00000000",
    );
    let stage = Stage::new([recv_bytes(enterprise)]);
    let mut drive = open(&stage);
    assert_eq!(drive.ssc(), Ssc::Enterprise);
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    let consent = consent(&drive);
    let errors = [
        drive.setup(&SetupPlan::default(), &secret(NEW)).map(drop),
        drive.unlock(&UnlockRequest::default(), &admin).map(drop),
        drive.lock(&LockRequest::default(), &admin).map(drop),
        drive
            .change_pin(Authority::Sid, &admin, &secret(NEW))
            .map(drop),
        drive.revert(&admin, consent).map(drop),
        drive.ranges(None).map(drop),
        drive.msid().map(drop),
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().code(), ErrorCode::NotSupported);
    }
    assert_eq!(
        drive.diagnose()[0],
        Finding::UnsupportedSsc(Ssc::Enterprise)
    );
}

#[test]
fn ranges_are_listed_as_far_as_they_are_visible() {
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    let range = uid::locking_range(RangeNumber(1));
    let named = vec![(0, range.into()), (2, Value::from("swap\x1b"))];
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::ADMIN1, NEW),
        next(&[1, 0]),
        get(uid::LOCKING_GLOBAL_RANGE, 0, 10, global_shown()),
        get(range, 0, 10, named.clone()),
        end(),
    ];
    let (ranges, _) = run(lines, |drive| drive.ranges(Some(&admin)));
    let ranges = ranges.unwrap();
    assert_eq!(ranges[0].number, RangeNumber::GLOBAL);
    assert_eq!(
        ranges[0].active_key,
        Some(uid::k_aes_256(RangeNumber::GLOBAL))
    );
    assert_eq!(ranges[1].common_name.as_deref(), Some("swap?"));
    assert_eq!(ranges[1].range_start, None);
    assert_eq!(ranges[1].is_locked(), None);
}

#[test]
fn a_long_list_of_ranges_is_fetched_in_parts() {
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    let overflow = MethodResponse::failure(MethodStatus::RESPONSE_OVERFLOW);
    let next = MethodCall::new(uid::LOCKING, crate::spec::method::NEXT);
    let rows = |ranges: &[u16]| {
        let rows = ranges
            .iter()
            .map(|&range| uid::locking_range(RangeNumber(range)).into());
        MethodResponse::success(vec![Value::list(rows)])
    };
    let last = uid::locking_range(RangeNumber(1));
    let first = next.clone().optional(1, 64_u64);
    let second = next.clone().optional(0, last).optional(1, 64_u64);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::ADMIN1, NEW),
        method(&next, &overflow),
        method(&first, &rows(&[0, 1])),
        method(&second, &rows(&[])),
        get(uid::LOCKING_GLOBAL_RANGE, 0, 10, Vec::new()),
        get_refused(last, 0, 10),
        end(),
    ];
    let (ranges, _) = run(lines, |drive| drive.ranges(Some(&admin)));
    assert_eq!(ranges.unwrap().len(), 2);
}

#[test]
fn plans_say_what_would_be_called_and_send_nothing() {
    let drive = opened(vec![discovery(INACTIVE, SID_IS_MSID)]).unwrap();
    let calls = |calls: Vec<super::super::PlannedCall>| -> Vec<String> {
        let line = |call: super::super::PlannedCall| {
            let mark = if call.changes { "!" } else { "" };
            format!("{}: {mark}{}.{}", call.session, call.object, call.method)
        };
        calls.into_iter().map(line).collect()
    };
    assert_eq!(
        calls(drive.plan_setup(&SetupPlan::default()).unwrap()),
        [
            "Admin SP as Anybody: SMUID.StartSession",
            "Admin SP as Anybody: C_PIN_MSID.Get",
            "Admin SP as SID: SMUID.StartSession",
            "Admin SP as SID: !C_PIN_SID.Set",
            "Admin SP as SID: !Locking SP.Activate",
            "Locking SP as Admin1: SMUID.StartSession",
            "Locking SP as Admin1: !Locking_GlobalRange.Set",
            "Locking SP as Admin1: Locking_GlobalRange.Get",
        ]
    );
    let drive = opened(vec![discovery(LOCKED | MBR_ENABLED, SID_DIFFERS)]).unwrap();
    let request = UnlockRequest {
        ranges: vec![RangeNumber(1)],
        mbr_done: true,
        ..UnlockRequest::default()
    };
    assert_eq!(
        calls(drive.plan_unlock(&request, Authority::User(1)).unwrap()),
        [
            "Locking SP as User1: SMUID.StartSession",
            "Locking SP as User1: !Locking_Range1.Set",
            "Locking SP as User1: !MBRControl.Set",
        ]
    );
    assert_eq!(
        calls(drive.plan_revert(Authority::Psid).unwrap()),
        [
            "Admin SP as PSID: SMUID.StartSession",
            "Admin SP as PSID: !Admin SP.Revert",
        ]
    );
    let plans = [
        drive
            .plan_lock(&LockRequest::default(), Authority::Admin(1))
            .unwrap(),
        drive
            .plan_change_pin(Authority::User(1), Authority::Admin(1))
            .unwrap(),
        drive.plan_setup(&SetupPlan::default()).unwrap(),
    ];
    for call in plans.into_iter().flatten() {
        assert!(call.method != "StartSession" || call.arguments.contains('<'));
    }
    assert_eq!(drive.if_counts().send, 0);
}

#[test]
fn plans_are_refused_as_the_operations_are() {
    let drive = opened(vec![discovery(INACTIVE, SID_BLOCKED)]).unwrap();
    let (sid, admin1) = (Authority::Sid, Authority::Admin(1));
    let error = drive.plan_lock(&LockRequest::default(), admin1);
    assert!(matches!(error.unwrap_err().cause(), Cause::NotActivated));
    let error = drive.plan_setup(&SetupPlan::default());
    assert!(matches!(error.unwrap_err().cause(), Cause::SidBlocked));
    let error = drive.plan_revert(sid);
    assert!(matches!(error.unwrap_err().cause(), Cause::SidBlocked));
    let error = drive.plan_revert(admin1);
    assert!(matches!(
        error.unwrap_err().cause(),
        Cause::WrongAuthority(_)
    ));
    let error = drive.plan_change_pin(admin1, admin1);
    assert!(matches!(error.unwrap_err().cause(), Cause::NotActivated));

    let drive = opened(vec![discovery(LOCKED, SID_DIFFERS)]).unwrap();
    let error = drive.plan_unlock(&UnlockRequest::default(), sid);
    assert!(matches!(
        error.unwrap_err().cause(),
        Cause::WrongAuthority(_)
    ));
}

#[test]
fn an_interrupt_leaves_no_session_open() {
    let lines = vec![
        vec![discovery(LOCKED, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::ADMIN1, NEW),
        vec![send("7.18"), Line::Interrupt, recv("7.14")],
        end(),
    ];
    let request = UnlockRequest {
        ranges: vec![RangeNumber(0), RangeNumber(1)],
        ..UnlockRequest::default()
    };
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    let (report, _) = run(lines, |drive| drive.unlock(&request, &admin));
    assert_eq!(report.unwrap_err().code(), ErrorCode::Interrupted);
}

#[test]
fn properties_are_those_of_the_tper_within_the_transport() {
    let stage = Stage::new([discovery(INACTIVE, SID_IS_MSID), Line::SendAny, recv("7.2")]);
    let mut drive = open(&stage);
    let properties = drive.properties().unwrap();
    assert_eq!(properties.tper[0], ("MaxComPacketSize".to_owned(), 66_048));
    assert_eq!(properties.host[0], ("MaxComPacketSize".to_owned(), 2048));
    assert_eq!(properties.send_limit, 65_536);
    assert_eq!(properties.receive_limit, 65_536);
}

#[test]
fn a_table_that_does_not_go_on_is_read_once() {
    let admin = Credential::new(Authority::Admin(1), secret(NEW));
    let next = MethodCall::new(uid::LOCKING, crate::spec::method::NEXT);
    let overflow = MethodResponse::failure(MethodStatus::RESPONSE_OVERFLOW);
    let global = MethodResponse::success(vec![Value::list([uid::LOCKING_GLOBAL_RANGE.into()])]);
    let again = next
        .clone()
        .optional(0, uid::LOCKING_GLOBAL_RANGE)
        .optional(1, 64_u64);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::ADMIN1, NEW),
        method(&next, &overflow),
        method(&next.optional(1, 64_u64), &global),
        method(&again, &global),
        get(uid::LOCKING_GLOBAL_RANGE, 0, 10, Vec::new()),
        end(),
    ];
    let (ranges, _) = run(lines, |drive| drive.ranges(Some(&admin)));
    assert_eq!(ranges.unwrap().len(), 1);
}

#[test]
fn a_default_pin_that_is_none_is_nonsense() {
    for pin in [Vec::new(), vec![0x61; 33]] {
        let lines = vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            vec![send("7.4"), recv("7.5")],
            get(uid::C_PIN_MSID, 3, 3, vec![(3, pin.as_slice().into())]),
            end(),
        ];
        let (msid, _) = run(lines, |drive| drive.msid());
        assert_eq!(msid.unwrap_err().code(), ErrorCode::Malformed);
    }
}

#[test]
fn d45_a_drive_without_psid_does_not_support_it() {
    let refused = start_refused(
        uid::ADMIN_SP,
        uid::PSID,
        OLD,
        MethodStatus::INVALID_PARAMETER,
    );
    // Anybody is admitted without SessionTimeout, so that is not what was wrong.
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        refused,
        opening().to_vec(),
        end(),
    ];
    let (report, _) = run(lines, |drive| {
        let consent = consent(drive);
        drive.revert(&Credential::new(Authority::Psid, secret(OLD)), consent)
    });
    assert_eq!(report.unwrap_err().code(), ErrorCode::NotSupported);
}
