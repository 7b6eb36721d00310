use std::io;

use super::super::{
    Authority, Cause, Credential, Drive, Error, MbrChange, Mismatch, Piece, Step, TableError,
    TableName,
};
use super::dialogue::*;
use crate::session::testing::{Line, recv, send};
use crate::spec::{MethodStatus, Uid, method, uid};
use crate::wire::{MethodCall, MethodResponse, Value};

const SHADOWLESS: u8 = 0x49;

fn admin1() -> Credential {
    Credential::new(Authority::Admin(1), secret(NEW))
}

fn log_in() -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, NEW)
}

fn enable() -> MbrChange {
    MbrChange {
        enable: Some(true),
        done: Some(true),
        ..MbrChange::default()
    }
}

fn control(enable: bool, done: bool) -> Vec<Line> {
    let columns = vec![
        (1, enable.into()),
        (2, done.into()),
        (3, Value::list([Value::Uint(0)])),
    ];
    get(uid::MBR_CONTROL, 1, 3, columns)
}

/// StartSession without PIN, as tcg.md frame 7.4 to the Locking SP.
fn anybody() -> Vec<Line> {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(u64::from(crate::session::testing::HSN.0))
        .argument(uid::LOCKING_SP)
        .argument(true);
    let bytes = crate::wire::ComPacket::with_tokens(
        crate::session::testing::COM_ID,
        crate::spec::Tsn(0),
        crate::spec::Hsn(0),
        &call.encode(),
    );
    let protocol = crate::spec::SecurityProtocol::TCG;
    vec![Line::Send(protocol, bytes.encode().to_vec()), recv("7.5")]
}

const TABLE_MBR: Uid = Uid(0x0000_0001_0000_0804);

fn described(rows: u64) -> Vec<Line> {
    let columns = vec![(7, rows.into()), (0xd, 1_u64.into()), (0xe, 1_u64.into())];
    get(TABLE_MBR, 7, 0xe, columns)
}

fn rows(first: u64, last: u64, response: &MethodResponse) -> Vec<Line> {
    let block = Value::list([Value::named(1_u64, first), Value::named(2_u64, last)]);
    method(
        &MethodCall::new(uid::MBR, method::GET).argument(block),
        response,
    )
}

fn bytes(count: usize) -> MethodResponse {
    MethodResponse::success(vec![Value::from(&vec![7; count][..])])
}

fn read(drive: &mut Drive, length: u64) -> Result<usize, Error> {
    let mut found = 0;
    let mut take = |piece: Piece<'_>| -> io::Result<()> {
        found += piece.bytes.len();
        Ok(())
    };
    drive.read_table(TableName::Mbr, 0, Some(length), None, &mut take)?;
    Ok(found)
}

#[test]
fn enabling_is_one_set_and_a_look_at_it() {
    let (report, commands) = run(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            vec![send("7.33"), recv("7.14")],
            control(true, true),
            end(),
        ],
        |drive| drive.change_mbr(&enable(), &admin1()),
    );
    assert!(report.unwrap().changed);
    assert_eq!(commands, 9);
}

/// tcg.md 8.2: there are drives on which Enable does not stick.
#[test]
fn an_enable_that_does_not_stick_is_an_error() {
    for (shown, column) in [((false, true), "Enable"), ((true, false), "Done")] {
        let (report, _) = run(
            vec![
                vec![discovery(ACTIVE, SID_DIFFERS)],
                log_in(),
                vec![send("7.33"), recv("7.14")],
                control(shown.0, shown.1),
                end(),
            ],
            |drive| drive.change_mbr(&enable(), &admin1()),
        );
        let error = report.unwrap_err();
        assert_eq!(error.step(), Some(Step::ReadBack));
        let expected = Mismatch::MbrControl { column };
        assert!(matches!(error.cause(), Cause::NotAsAsked(found) if *found == expected));
    }
}

#[test]
fn what_discovery_shows_of_the_control_is_not_asked_again() {
    let flags = ACTIVE | MBR_ENABLED | MBR_DONE;
    let (report, commands) = run(vec![vec![discovery(flags, SID_DIFFERS)]], |drive| {
        drive.change_mbr(&enable(), &admin1())
    });
    assert!(!report.unwrap().changed);
    assert_eq!(commands, 1);
}

#[test]
fn a_drive_without_shadow_mbr_says_so_in_discovery() {
    let flags = SHADOWLESS | ACTIVE;
    let refused = |error: &Error| {
        let cause = error.cause();
        assert!(matches!(cause, Cause::Table(TableError::NoShadowMbr)));
        assert_eq!(error.code(), super::super::ErrorCode::NotSupported);
    };
    let lines = || vec![vec![discovery(flags, SID_DIFFERS)]];
    let (report, _) = run(lines(), |drive| drive.change_mbr(&enable(), &admin1()));
    refused(&report.unwrap_err());
    let (found, _) = run(lines(), |drive| read(drive, 8));
    refused(&found.unwrap_err());
    let (survey, _) = run(lines(), |drive| drive.survey_mbr(&mut &[0_u8; 8][..]));
    refused(&survey.unwrap_err());
}

#[test]
fn a_table_without_columns_for_granularity_has_none() {
    let refused = MethodResponse::failure(MethodStatus::INVALID_PARAMETER);
    let block = Value::list([Value::named(3_u64, 7_u64), Value::named(4_u64, 0xe_u64)]);
    let call = MethodCall::new(TABLE_MBR, method::GET).argument(block);
    let (found, _) = run(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            anybody(),
            method(&call, &refused),
            get(TABLE_MBR, 7, 7, vec![(7, 100_u64.into())]),
            rows(0, 99, &bytes(100)),
            end(),
        ],
        |drive| read(drive, 100),
    );
    assert_eq!(found.unwrap(), 100);
}

#[test]
fn a_table_of_which_nothing_is_told_is_not_there() {
    for described in [
        get_refused(TABLE_MBR, 7, 0xe),
        get(TABLE_MBR, 7, 0xe, Vec::new()),
    ] {
        let lines = vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            anybody(),
            described,
            end(),
        ];
        let (found, _) = run(lines, |drive| read(drive, 100));
        let cause = found.unwrap_err();
        let cause = cause.cause();
        assert!(matches!(
            cause,
            Cause::Table(TableError::Missing(TableName::Mbr))
        ));
    }
}

#[test]
fn a_drive_that_cannot_send_as_much_as_it_told_is_asked_for_less() {
    let overflow = MethodResponse::failure(MethodStatus::RESPONSE_OVERFLOW);
    let (found, _) = run(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            anybody(),
            described(4096),
            rows(0, 1799, &overflow),
            rows(0, 899, &bytes(900)),
            rows(900, 1799, &bytes(900)),
            end(),
        ],
        |drive| read(drive, 1800),
    );
    assert_eq!(found.unwrap(), 1800);
}

/// Core 5.3.3.6: SUCCESS and no bytes for who may not read.
#[test]
fn no_bytes_are_no_right_to_read() {
    let nothing = MethodResponse::success(vec![Value::from(&[][..])]);
    for (response, expected) in [
        (nothing, "does not show"),
        (MethodResponse::success(Vec::new()), "does not show"),
        (
            MethodResponse::failure(MethodStatus::NOT_AUTHORIZED),
            "does not show",
        ),
        (bytes(7), "another number of bytes"),
        (bytes(9), "another number of bytes"),
    ] {
        let (found, _) = run(
            vec![
                vec![discovery(ACTIVE, SID_DIFFERS)],
                anybody(),
                described(4096),
                rows(0, 7, &response),
                end(),
            ],
            |drive| read(drive, 8),
        );
        let error = found.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        assert_eq!(error.step(), Some(Step::ReadTable));
    }
}

#[test]
fn a_table_that_keeps_other_bytes_than_were_written_is_an_error() {
    let zeros = MethodResponse::success(vec![Value::from(&[0; 8][..])]);
    let written = MethodCall::new(uid::MBR, method::SET)
        .optional(0, 0_u64)
        .optional(1, Value::from(&[1; 8][..]));
    let (report, _) = run(
        vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            log_in(),
            described(4096),
            rows(0, 7, &zeros),
            method(&written, &MethodResponse::success(Vec::new())),
            rows(0, 7, &zeros),
            end(),
        ],
        |drive| {
            let request = super::super::LoadRequest::default();
            drive.load_mbr(&request, &mut &[1_u8; 8][..], &admin1(), &mut |_| {})
        },
    );
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::ReadBack));
    let expected = Mismatch::Bytes {
        table: TableName::Mbr,
        offset: 0,
    };
    assert!(matches!(error.cause(), Cause::NotAsAsked(found) if *found == expected));
}
