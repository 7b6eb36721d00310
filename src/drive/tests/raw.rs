//! Raw access, resets and data removal, against drives that are no virtual ones.

use super::super::{
    Authority, BlockRequest, Cause, Credential, DumpOptions, DumpedContents, ErrorCode, Mismatch,
    ProgrammaticReset, RawSession, RowSource, Step,
};
use super::dialogue::*;
use crate::session::testing::{Line, recv, recv_bytes, send};
use crate::spec::{ComId, DataRemovalMechanism, MethodStatus, Uid, method as method_uid, uid};
use crate::transport::InterfaceStatus;
use crate::wire::{MethodCall, MethodResponse, Value};

const ENABLE: u64 = 8;

fn owner() -> Credential {
    Credential::new(Authority::Sid, secret(NEW))
}

fn anybody() -> Vec<Line> {
    vec![send("7.4"), recv("7.5")]
}

/// TPER_RESET: its contents are ignored ([Opal] 3.2.3).
fn tper_reset() -> Line {
    Line::Manage(ComId(0x0004), vec![0; 512])
}

/// Block SID Authentication with its first two bytes ([Block SID] 4.3.1).
fn block_sid(first: [u8; 2]) -> Line {
    let mut payload = vec![0; 512];
    payload[..2].copy_from_slice(&first);
    Line::Manage(ComId(0x0005), payload)
}

/// What the drive tells of `ProgrammaticResetEnable`.
fn reset_enable(told: Option<bool>) -> Vec<Line> {
    let columns = told.map(|told| (ENABLE, told.into()));
    let columns = columns.into_iter().collect();
    [
        anybody(),
        get(uid::TPER_INFO, ENABLE, ENABLE, columns),
        end(),
    ]
    .concat()
}

/// Level 0 Discovery with Supported Data Removal Mechanism: these bits of byte 6 ([Opal] 3.1.1.7).
fn discovery_with_removal(supported: u8) -> Line {
    let mut response = samsung();
    let length = u32::from_be_bytes(response[..4].try_into().unwrap());
    response.truncate(usize::try_from(length).unwrap() + 4);
    response[..4].copy_from_slice(&(length + 0x24).to_be_bytes());
    let mut descriptor = vec![0x04, 0x04, 0x20, 0x20, 0x00, 0x00, supported];
    descriptor.resize(0x24, 0);
    response.extend(descriptor);
    recv_bytes(response)
}

#[test]
fn tper_reset_is_nine_if_commands() {
    let lines = [
        vec![discovery(ACTIVE, SID_DIFFERS)],
        reset_enable(Some(true)),
        vec![tper_reset(), discovery(LOCKED, SID_DIFFERS)],
    ];
    let (report, commands) = run(lines, |drive| drive.tper_reset());
    let report = report.unwrap();
    assert_eq!(
        (report.before.word(), report.after.word()),
        ("unlocked", "locked")
    );
    assert_eq!(commands, 9);
}

#[test]
fn a_reset_that_is_not_enabled_is_not_sent() {
    let lines = [
        vec![discovery(ACTIVE, SID_DIFFERS)],
        reset_enable(Some(false)),
    ];
    let (error, _) = run(lines, |drive| drive.tper_reset());
    assert!(matches!(
        error.unwrap_err().cause(),
        Cause::ProgrammaticResetDisabled
    ));
}

/// A drive that does not tell whether it takes resets is asked by one.
#[test]
fn a_drive_that_does_not_tell_may_refuse_the_reset() {
    let lines = [
        vec![discovery(ACTIVE, SID_DIFFERS)],
        reset_enable(None),
        vec![Line::Refuse(InterfaceStatus::InvalidParameter)],
    ];
    let (error, _) = run(lines, |drive| drive.tper_reset());
    let error = error.unwrap_err();
    assert!(matches!(error.cause(), Cause::ProgrammaticResetDisabled));
    assert_eq!(error.step(), Some(Step::TperReset));
}

#[test]
fn the_enable_is_read_back() {
    let set = |found: Option<bool>| {
        let found = found.map(|found| (ENABLE, found.into()));
        [
            vec![discovery(ACTIVE, SID_DIFFERS)],
            start(uid::ADMIN_SP, uid::SID, NEW),
            set(
                uid::TPER_INFO,
                vec![(ENABLE, true.into())],
                MethodStatus::SUCCESS,
            ),
            get(uid::TPER_INFO, ENABLE, ENABLE, found.into_iter().collect()),
            end(),
        ]
    };
    let enabled = ProgrammaticReset::Enabled;
    let (done, commands) = run(set(Some(true)), |drive| {
        drive.set_programmatic_reset(enabled, &owner())
    });
    done.unwrap();
    assert_eq!(commands, 9);
    let expected = Mismatch::ObjectColumn {
        object: uid::TPER_INFO,
        column: ENABLE,
    };
    // Another value, and none: it is not proven then.
    for found in [Some(false), None] {
        let (error, _) = run(set(found), |drive| {
            drive.set_programmatic_reset(enabled, &owner())
        });
        let error = error.unwrap_err();
        assert!(matches!(error.cause(), Cause::NotAsAsked(found) if *found == expected));
    }
}

#[test]
fn block_sid_sends_its_two_bits_and_proves_the_block() {
    let request = BlockRequest {
        hardware_reset_clears: true,
        freeze: false,
    };
    let blocked = |drive_says: u8| {
        [vec![
            discovery(INACTIVE, SID_IS_MSID),
            block_sid([1, 0]),
            discovery(INACTIVE, drive_says),
        ]]
    };
    // The Samsung's descriptor says at byte 5 that a hardware reset clears nothing.
    let (error, _) = run(blocked(SID_BLOCKED), |drive| drive.block_sid(request));
    let error = error.unwrap_err();
    assert!(matches!(
        error.cause(),
        Cause::NotAsAsked(Mismatch::ClearEvent)
    ));
    let (error, _) = run(blocked(SID_IS_MSID), |drive| drive.block_sid(request));
    let error = error.unwrap_err();
    assert!(matches!(
        error.cause(),
        Cause::NotAsAsked(Mismatch::NotBlocked)
    ));
    let lines = [vec![
        discovery(INACTIVE, SID_IS_MSID),
        block_sid([0, 0]),
        discovery(INACTIVE, SID_BLOCKED),
    ]];
    let (report, commands) = run(lines, |drive| drive.block_sid(BlockRequest::default()));
    assert!(report.unwrap().changed);
    assert_eq!(commands, 3);
}

#[test]
fn what_a_drive_cannot_block_or_freeze_is_not_sent() {
    let freeze = BlockRequest {
        hardware_reset_clears: false,
        freeze: true,
    };
    let lines = [vec![discovery(ACTIVE, SID_DIFFERS)]];
    let (error, _) = run(lines, |drive| drive.block_sid(freeze));
    assert!(matches!(error.unwrap_err().cause(), Cause::NoFreeze));
    let lines = [vec![discovery_without_block_sid(ACTIVE)]];
    let (error, _) = run(lines, |drive| drive.block_sid(BlockRequest::default()));
    assert_eq!(error.unwrap_err().code(), ErrorCode::NotSupported);
    let lines = [vec![discovery(INACTIVE, SID_BLOCKED)]];
    let (report, commands) = run(lines, |drive| drive.block_sid(BlockRequest::default()));
    assert!(!report.unwrap().changed);
    assert_eq!(commands, 1);
}

#[test]
fn a_mechanism_is_chosen_and_read_back() {
    let block_erase = DataRemovalMechanism::BLOCK_ERASE;
    let object = uid::DATA_REMOVAL_MECHANISM;
    let lines = [
        vec![discovery_with_removal(0b110)],
        [
            anybody(),
            get(object, 1, 1, vec![(1, Value::Uint(2))]),
            end(),
        ]
        .concat(),
        start(uid::ADMIN_SP, uid::SID, NEW),
        set(object, vec![(1, Value::Uint(1))], MethodStatus::SUCCESS),
        get(object, 1, 1, vec![(1, Value::Uint(1))]),
        end(),
    ];
    let (chosen, _) = run(lines, |drive| {
        let before = drive.data_removal_mechanism()?;
        drive.set_data_removal_mechanism(block_erase, &owner())?;
        Ok(before)
    });
    assert_eq!(
        chosen.unwrap(),
        Some(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE)
    );
    let lines = [vec![discovery_with_removal(0b100)]];
    let (error, _) = run(lines, |drive| {
        drive.set_data_removal_mechanism(block_erase, &owner())
    });
    assert!(matches!(error.unwrap_err().cause(), Cause::NoMechanism(_)));
    let lines = [vec![discovery(ACTIVE, SID_DIFFERS)]];
    let (error, _) = run(lines, |drive| drive.data_removal_mechanism());
    assert_eq!(error.unwrap_err().code(), ErrorCode::NotSupported);
}

fn rows(table: Uid, rows: &[Uid]) -> Vec<Line> {
    let rows = rows.iter().map(|row| (*row).into());
    method(
        &MethodCall::new(table, method_uid::NEXT),
        &MethodResponse::success(vec![Value::list(rows)]),
    )
}

fn all_columns(object: Uid, columns: Vec<(u64, Value)>) -> Vec<Line> {
    let call = MethodCall::new(object, method_uid::GET).argument(Value::list([]));
    let values = columns
        .into_iter()
        .map(|(column, value)| Value::named(column, value));
    method(&call, &MethodResponse::success(vec![Value::list(values)]))
}

fn refused(call: &MethodCall) -> Vec<Line> {
    method(call, &MethodResponse::failure(MethodStatus::NOT_AUTHORIZED))
}

/// A table that is not listed, one that nobody knows, and rows that repeat and point nowhere.
#[test]
fn a_dump_takes_what_a_drive_has() {
    let unknown = Uid::from_halves(0x9999, 0);
    let session = RawSession {
        sp: uid::ADMIN_SP,
        credential: None,
    };
    let lines = [
        vec![discovery(ACTIVE, SID_DIFFERS)],
        anybody(),
        rows(
            uid::TABLE,
            &[
                uid::TPER_INFO_TABLE.table_descriptor(),
                unknown.table_descriptor(),
                unknown.table_descriptor(),
            ],
        ),
        all_columns(
            uid::TPER_INFO_TABLE.table_descriptor(),
            vec![(4, Value::Uint(1))],
        ),
        refused(&MethodCall::new(uid::TPER_INFO_TABLE, method_uid::NEXT)),
        all_columns(uid::TPER_INFO, vec![(ENABLE, Value::Uint(1))]),
        refused(
            &MethodCall::new(unknown.table_descriptor(), method_uid::GET).argument(Value::list([])),
        ),
        rows(unknown, &[Uid::NULL, Uid::NULL, uid::SID]),
        refused(&MethodCall::new(Uid::NULL, method_uid::GET).argument(Value::list([]))),
        all_columns(uid::SID, vec![(1, Value::from("SID"))]),
        end(),
    ];
    let (dump, _) = run(lines, |drive| drive.dump(session, DumpOptions::default()));
    let dump = dump.unwrap();
    assert_eq!(dump.tables.len(), 2);
    let listed = |table: usize| match &dump.tables[table].contents {
        DumpedContents::Objects { source, rows } => (*source, rows.len()),
        other => panic!("{other:?}"),
    };
    assert_eq!(listed(0), (RowSource::Standard, 1));
    assert_eq!(listed(1), (RowSource::Next, 2));
}

/// A byte table that gives less than was asked for, or nothing, ends the read ([TC] ETC-10).
#[test]
fn bytes_end_where_the_drive_ends_them() {
    let session = RawSession {
        sp: uid::ADMIN_SP,
        credential: None,
    };
    let read = |from: u64, to: u64, bytes: &[u8]| {
        let block = Value::list([Value::named(1_u64, from), Value::named(2_u64, to)]);
        method(
            &MethodCall::new(uid::MBR, method_uid::GET).argument(block),
            &MethodResponse::success(vec![Value::bytes(bytes)]),
        )
    };
    let lines = [
        vec![discovery(ACTIVE, SID_DIFFERS)],
        anybody(),
        // 2048 bytes without headers (56), a list, a long atom's header and status (12).
        read(0, 1979, &[7; 1980]),
        read(1980, 3959, &[7; 10]),
        end(),
    ];
    let (bytes, _) = run(lines, |drive| {
        drive.raw_get_bytes(session, uid::MBR, 0, 4096)
    });
    assert_eq!(bytes.unwrap().len(), 1990);
}
