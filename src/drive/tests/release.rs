use super::super::{
    Authority, Cause, Drive, DriveOptions, Error, ErrorCode, ReleaseReport, Releasing,
};
use super::dialogue::*;
use crate::session::testing::Line;
use crate::spec::{MethodStatus, RangeNumber, uid};
use crate::wire::Value;

/// Columns 3 to 10 of a range.
fn row(number: u16, is_enabled: bool) -> Vec<Line> {
    let columns = vec![
        (3, Value::Uint(0)),
        (4, Value::Uint(0)),
        (5, is_enabled.into()),
        (6, is_enabled.into()),
        (7, false.into()),
        (8, false.into()),
        (9, Value::list([Value::Uint(0)])),
        (10, uid::k_aes_256(RangeNumber(number)).into()),
    ];
    get(uid::locking_range(RangeNumber(number)), 3, 10, columns)
}

/// All four locks of a range switched off, and read back.
fn open_range(number: u16) -> Vec<Line> {
    let columns = (5..=8).map(|column| (column, false.into())).collect();
    let range = uid::locking_range(RangeNumber(number));
    let mut lines = set(range, columns, MethodStatus::SUCCESS);
    lines.extend(row(number, false));
    lines
}

fn admin1(pin: &[u8]) -> Vec<Line> {
    start(uid::LOCKING_SP, uid::ADMIN1, pin)
}

fn sid(pin: &[u8]) -> Vec<Line> {
    start(uid::ADMIN_SP, uid::SID, pin)
}

fn give_msid(authority: Authority) -> Vec<Line> {
    let pin = vec![(3, MSID.into())];
    set(authority.c_pin(), pin, MethodStatus::SUCCESS)
}

fn release(drive: &mut Drive) -> Result<ReleaseReport, Error> {
    let pins = Releasing::new(Some(secret(NEW)), Some(secret(OLD)));
    let consent = consent(drive);
    drive.release(&pins, consent, &mut |_| {})
}

/// From SID's log-in on.
fn release_sid() -> Vec<Line> {
    [
        sid(OLD),
        give_msid(Authority::Sid),
        end(),
        sid(MSID),
        end(),
        vec![discovery(ACTIVE, SID_IS_MSID)],
    ]
    .concat()
}

#[test]
fn locks_go_off_and_pins_go_back_and_no_key_is_touched() {
    let lines = vec![
        vec![discovery(LOCKED | MBR_ENABLED, SID_DIFFERS)],
        read_msid(),
        admin1(NEW),
        next(&[0, 1]),
        row(0, true),
        row(1, false),
        open_range(0),
        set(
            uid::MBR_CONTROL,
            vec![(1, false.into())],
            MethodStatus::SUCCESS,
        ),
        give_msid(Authority::Admin(1)),
        end(),
        admin1(MSID),
        end(),
        release_sid(),
    ];
    let (report, _) = run(lines, release);
    let report = report.unwrap();
    assert_eq!(report.ranges, [RangeNumber(0)]);
    assert!(report.changed && report.mbr_disabled);
    assert_eq!(report.pins, [Authority::Admin(1), Authority::Sid]);
}

#[test]
fn an_interrupted_release_tries_the_default_pin_that_its_note_allows() {
    // Admin1's PIN was changed, SID's was not: the note is there, and MSID is taken.
    let (folder, options) = noted(&[Authority::Admin(1)]);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        read_msid(),
        admin1(MSID),
        next(&[0]),
        row(0, false),
        end(),
        release_sid(),
    ];
    let (report, _) = run_with(options, lines, release);
    assert_eq!(report.unwrap().pins, [Authority::Sid]);
    assert!(notes(&folder).is_empty());
}

#[test]
fn a_released_drive_is_only_looked_at() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_IS_MSID)],
        read_msid(),
        admin1(MSID),
        next(&[0]),
        row(0, false),
        end(),
        vec![discovery(ACTIVE, SID_IS_MSID)],
    ];
    let (report, _) = run(lines, release);
    let report = report.unwrap();
    assert!(!report.changed && report.pins.is_empty());
}

#[test]
fn a_wrong_pin_costs_one_attempt() {
    let refused = MethodStatus::NOT_AUTHORIZED;
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        read_msid(),
        start_refused(uid::LOCKING_SP, uid::ADMIN1, NEW, refused),
    ];
    let (report, _) = run_with(DriveOptions::default(), lines, release);
    assert!(matches!(
        report.unwrap_err().cause(),
        Cause::OneOfTwoRefused { .. }
    ));
}

#[test]
fn where_locking_is_inactive_only_sid_gets_its_pin_back() {
    let lines = vec![
        vec![discovery(INACTIVE, SID_DIFFERS)],
        read_msid(),
        sid(OLD),
        give_msid(Authority::Sid),
        end(),
        sid(MSID),
        end(),
        vec![discovery(INACTIVE, SID_IS_MSID)],
    ];
    let (report, _) = run(lines, release);
    assert_eq!(report.unwrap().pins, [Authority::Sid]);
    let (report, commands) = run(vec![vec![discovery(INACTIVE, SID_IS_MSID)]], release);
    assert!(!report.unwrap().changed);
    assert_eq!(commands, 1);
}

#[test]
fn what_would_stop_half_way_is_not_begun() {
    for flags in [SID_BLOCKED | SID_DIFFERS, LOCKING_SP_FROZEN | SID_DIFFERS] {
        let (report, commands) = run(vec![vec![discovery(ACTIVE, flags)]], release);
        assert_eq!(report.unwrap_err().code(), ErrorCode::NotAuthorized);
        assert_eq!(commands, 1);
    }
}
