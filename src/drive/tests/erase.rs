use super::super::{
    Authority, Cause, Credential, EraseConsent, EraseMethod, EraseRequest, ErrorCode, Step,
};
use super::dialogue::*;
use crate::session::testing::{Line, Stage, recv_bytes};
use crate::spec::{MethodStatus, RangeNumber, Uid, method as method_uid, uid};
use crate::transport::{Bus, Identity};
use crate::wire::{MethodCall, MethodResponse, Value};

fn admin() -> Credential {
    Credential::new(Authority::Admin(1), secret(NEW))
}

fn log_in() -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, NEW)
}

fn gen_key(key: Uid, status: MethodStatus) -> Vec<Line> {
    method(
        &MethodCall::new(key, method_uid::GEN_KEY),
        &MethodResponse::failure(status),
    )
}

/// Columns 3 to 10 of a range.
fn shown(number: u16, start: u64, length: u64) -> Vec<(u64, Value)> {
    let mut columns = vec![(3, Value::Uint(start)), (4, Value::Uint(length))];
    columns.extend(set_up());
    columns.push((10, uid::k_aes_128(RangeNumber(number)).into()));
    columns
}

fn row(number: u16, start: u64, length: u64) -> Vec<Line> {
    let columns = shown(number, start, length);
    get(uid::locking_range(RangeNumber(number)), 3, 10, columns)
}

fn request(ranges: &[u16]) -> EraseRequest {
    EraseRequest::new(ranges.iter().copied().map(RangeNumber).collect())
}

fn erase(
    drive: &mut super::super::Drive,
    ranges: &[u16],
    by: &Credential,
    seen: &mut Vec<u16>,
) -> Result<super::super::EraseReport, super::super::Error> {
    let consent = consent(drive);
    drive.erase(&request(ranges), by, consent, &mut |ranges| {
        seen.extend(ranges.iter().map(|range| range.number.0));
    })
}

#[test]
fn one_range_is_erased_by_gen_key_of_its_own_key_in_ten_if_commands() {
    // The ActiveKey is in K_AES_128 here: what the drive shows is taken, and nothing is guessed.
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        row(1, 2048, 4096),
        gen_key(uid::k_aes_128(RangeNumber(1)), MethodStatus::SUCCESS),
        end(),
        vec![discovery(ACTIVE, SID_DIFFERS)],
    ];
    let mut seen = Vec::new();
    let (report, commands) = run(lines, |drive| erase(drive, &[1], &admin(), &mut seen));
    let report = report.unwrap();
    assert!(report.first_error().is_none());
    let key = uid::k_aes_128(RangeNumber(1));
    assert_eq!(report.ranges[0].by, Some((EraseMethod::GenKey, key)));
    assert_eq!(seen, [1]);
    assert_eq!(commands, 10);
}

#[test]
fn all_ranges_are_erased_in_one_session_and_those_without_blocks_too() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        next(&[0, 1, 2]),
        row(0, 0, 0),
        row(1, 2048, 4096),
        row(2, 0, 0),
        gen_key(uid::k_aes_128(RangeNumber(0)), MethodStatus::SUCCESS),
        gen_key(uid::k_aes_128(RangeNumber(1)), MethodStatus::SUCCESS),
        gen_key(uid::k_aes_128(RangeNumber(2)), MethodStatus::SUCCESS),
        end(),
        vec![discovery(ACTIVE, SID_DIFFERS)],
    ];
    let mut seen = Vec::new();
    let (report, _) = run(lines, |drive| erase(drive, &[], &admin(), &mut seen));
    assert_eq!(report.unwrap().ranges.len(), 3);
    assert_eq!(seen, [0, 1, 2]);
}

#[test]
fn no_key_is_replaced_where_a_range_that_was_named_does_not_exist() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        row(1, 2048, 4096),
        get_refused(uid::locking_range(RangeNumber(20)), 3, 10),
        end(),
    ];
    let mut seen = Vec::new();
    let (report, _) = run(lines, |drive| erase(drive, &[20, 1], &admin(), &mut seen));
    let error = report.unwrap_err();
    assert_eq!(error.code(), ErrorCode::InvalidRequest);
    assert_eq!(error.step(), Some(Step::ReadRange));
    assert!(seen.is_empty());
}

#[test]
fn a_user_who_may_not_see_the_range_may_replace_its_key() {
    let user = Credential::new(Authority::User(2), secret(NEW));
    let by_name = |status_256, status_128| {
        let range = RangeNumber(1);
        let mut lines = vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            start(uid::LOCKING_SP, uid::user(2), NEW),
            get_refused(uid::locking_range(range), 0, 10),
            gen_key(uid::k_aes_256(range), status_256),
        ];
        if let Some(status) = status_128 {
            lines.push(gen_key(uid::k_aes_128(range), status));
        }
        lines.push(end());
        lines
    };
    let (refused, success) = (MethodStatus::NOT_AUTHORIZED, MethodStatus::SUCCESS);
    for (first, second) in [(success, None), (refused, Some(success))] {
        let mut lines = by_name(first, second);
        lines.push(vec![discovery(ACTIVE, SID_DIFFERS)]);
        let (report, _) = run(lines, |drive| erase(drive, &[1], &user, &mut Vec::new()));
        assert!(report.unwrap().first_error().is_none());
    }
    let lines = by_name(refused, Some(refused));
    let (report, _) = run(lines, |drive| erase(drive, &[1], &user, &mut Vec::new()));
    assert!(matches!(
        report.unwrap_err().cause(),
        Cause::NotPermitted {
            authority: Authority::User(2)
        }
    ));
}

#[test]
fn a_range_that_is_refused_does_not_keep_the_others() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        log_in(),
        row(1, 0, 8),
        row(2, 8, 8),
        gen_key(uid::k_aes_128(RangeNumber(1)), MethodStatus::FAIL),
        gen_key(uid::k_aes_128(RangeNumber(2)), MethodStatus::SUCCESS),
        end(),
        vec![discovery(ACTIVE, SID_DIFFERS)],
    ];
    let (report, _) = run(lines, |drive| {
        erase(drive, &[1, 2], &admin(), &mut Vec::new())
    });
    let report = report.unwrap();
    let status = report.ranges[0].error.as_ref().unwrap().status();
    assert_eq!(status, Some(MethodStatus::FAIL));
    assert!(report.ranges[1].error.is_none());
}

#[test]
fn a_drive_that_still_removes_data_is_asked_again() {
    // Data Removal descriptor, version 2: processing, then not.
    let discovery = |processing: u8| {
        let mut response = samsung();
        response[68] = ACTIVE;
        response[152] = SID_DIFFERS;
        let length = u32::from_be_bytes(response[..4].try_into().unwrap());
        response.truncate(usize::try_from(length).unwrap() + 4);
        response.extend([0x04, 0x04, 0x20, 0x20, 0, processing, 0x04]);
        response.resize(response.len() + 29, 0);
        response[..4].copy_from_slice(&(length + 36).to_be_bytes());
        recv_bytes(response)
    };
    let lines = vec![
        vec![discovery(0)],
        log_in(),
        row(1, 0, 8),
        gen_key(uid::k_aes_128(RangeNumber(1)), MethodStatus::SUCCESS),
        end(),
        vec![discovery(1), discovery(1), discovery(0)],
    ];
    let (report, _) = run(lines, |drive| erase(drive, &[1], &admin(), &mut Vec::new()));
    assert!(report.unwrap().first_error().is_none());
}

#[test]
fn what_cannot_be_erased_is_refused_before_anything_is_sent() {
    // Locking descriptor, byte 4 bit 3: media encryption.
    let plain = ACTIVE & !0x08;
    for (flags, by, code) in [
        (INACTIVE, Authority::Admin(1), ErrorCode::Failed),
        (ACTIVE, Authority::Sid, ErrorCode::InvalidRequest),
        (plain, Authority::Admin(1), ErrorCode::NotSupported),
    ] {
        let by = Credential::new(by, secret(NEW));
        let (report, commands) = run(vec![vec![discovery(flags, SID_DIFFERS)]], |drive| {
            assert!(drive.plan_erase(&request(&[1]), by.authority).is_err());
            erase(drive, &[1], &by, &mut Vec::new())
        });
        assert_eq!(report.unwrap_err().code(), code);
        assert_eq!(commands, 1);
    }
}

#[test]
fn an_erase_needs_the_consent_for_this_drive() {
    let stage = Stage::new([discovery(ACTIVE, SID_DIFFERS)]);
    let mut drive = open(&stage);
    let other = Identity::new(Bus::Virtual, b"MODEL", b"SERIAL0002", b"1");
    let consent = EraseConsent::new("SERIAL0002", &other).unwrap();
    let report = drive.erase(&request(&[1]), &admin(), consent, &mut |_| {});
    assert_eq!(report.unwrap_err().code(), ErrorCode::ConsentRequired);
    stage.assert_finished();
}

#[test]
fn the_plan_names_the_keys() {
    let stage = Stage::new([discovery(ACTIVE, SID_DIFFERS)]);
    let drive = open(&stage);
    let plan = drive
        .plan_erase(&request(&[1]), Authority::Admin(1))
        .unwrap();
    let changes: Vec<_> = plan.iter().filter(|call| call.changes).collect();
    assert_eq!(changes.len(), 1);
    assert_eq!(changes[0].object, "K_AES_256_Range1_Key");
    assert_eq!(changes[0].method, "GenKey");
}

/// Level 0 Discovery of a drive of which ranges are in single user mode (tcg.md 3.9.8).
fn single_user_discovery() -> Line {
    let mut response = samsung();
    response[68] = ACTIVE;
    response[152] = SID_DIFFERS;
    let code = response
        .windows(4)
        .position(|it| it == [0x02, 0x01, 0x10, 0x0c]);
    let ranges = match code {
        Some(code) => code + 8,
        None => {
            let length = u32::from_be_bytes(response[..4].try_into().unwrap());
            let end = usize::try_from(length).unwrap() + 4;
            response.truncate(end);
            response.extend([0x02, 0x01, 0x10, 0x0c, 0, 0, 0, 9]);
            response.resize(end + 16, 0);
            response[..4].copy_from_slice(&(length + 16).to_be_bytes());
            end + 8
        }
    };
    response[ranges] = 0x01;
    recv_bytes(response)
}

#[test]
fn an_admin_takes_a_range_in_single_user_mode_by_erase() {
    let (first, second) = (RangeNumber(1), RangeNumber(2));
    let own = uid::locking_range(first);
    let shown = |value: Value| {
        let (ranges, policy) = (0x06_0000, 0x06_0001);
        let columns = vec![(ranges, value), (policy, Value::Uint(0))];
        get(uid::LOCKING_INFO, ranges, policy, columns)
    };
    for (value, second_is_single) in [
        (Value::list([own.into()]), false),
        (Value::from(uid::LOCKING), true),
    ] {
        let erase_of = |range: RangeNumber| {
            method(
                &MethodCall::new(uid::locking_range(range), method_uid::ERASE),
                &MethodResponse::success(Vec::new()),
            )
        };
        let lines = vec![
            vec![single_user_discovery()],
            log_in(),
            shown(value),
            row(1, 0, 8),
            row(2, 8, 8),
            erase_of(first),
            match second_is_single {
                true => erase_of(second),
                false => gen_key(uid::k_aes_128(second), MethodStatus::SUCCESS),
            },
            end(),
            vec![single_user_discovery()],
        ];
        let (report, _) = run(lines, |drive| {
            erase(drive, &[1, 2], &admin(), &mut Vec::new())
        });
        let report = report.unwrap();
        assert!(report.first_error().is_none());
        assert_eq!(report.ranges[0].by, Some((EraseMethod::Erase, own)));
    }
}
