//! Ranges and users.

use sedkit::drive::{Authority, Place};
use sedkit::session::{Tper, TperOptions};
use sedkit::spec::ace::Subject;
use sedkit::spec::{RangeNumber, Ssc, column, uid};
use sedkit::wire::Value;

use super::Task;
use super::stage::{OLD, SERIAL, Stage, USER, credential, secret};

const RANGE: RangeNumber = RangeNumber(3);
const PLACE: Place = Place {
    start: 1024,
    length: 512,
};
const CREATE: [&str; 13] = [
    "range",
    "create",
    "DEV",
    "--range",
    "3",
    "--start",
    "1024",
    "--length",
    "512",
    "--key",
    "file:old",
    "--confirm",
    SERIAL,
];

/// A drive that was set up.
fn ready() -> Stage {
    let stage = Stage::new();
    stage.run(&["setup", "DEV", "--new-key", "file:old"]);
    stage
}

fn place(stage: &Stage) -> Option<Place> {
    let shown = stage
        .open()
        .range(RANGE, &credential(Authority::Admin(1), OLD));
    shown.unwrap().place()
}

const RIGHTS: [Subject; 3] = [
    Subject::SetReadLocked(RANGE),
    Subject::SetWriteLocked(RANGE),
    Subject::GetRange(RANGE),
];

/// How many of the rights User1 has. Only these are read: the whole table takes its time.
fn rights(stage: &Stage) -> usize {
    let mut tper = Tper::new(Box::new(stage.virtual_drive()), TperOptions::default());
    let com_id = tper.discover().unwrap().base_com_id().unwrap();
    tper.select(com_id, Ssc::Opal2);
    let admin = Some((uid::ADMIN1, &secret(OLD)));
    let mut session = tper.start_session(uid::LOCKING_SP, admin).unwrap();
    let column = column::ace::BOOLEAN_EXPR;
    let mut has = |right: &Subject| {
        let row = session.get(right.rows()[0], column..=column).unwrap();
        let elements = row.value(column).and_then(Value::as_list).unwrap();
        let mut names = elements
            .iter()
            .filter_map(|element| element.as_named()?.1.as_uid());
        names.any(|name| name == uid::USER1)
    };
    let found = RIGHTS.iter().filter(|right| has(right)).count();
    session.end().unwrap();
    found
}

fn admin_gets_in(stage: &Stage) {
    stage.has_way_in(Authority::Admin(1), &[OLD]);
    stage.has_way_in(Authority::Sid, &[OLD]);
}

#[test]
fn range_create() {
    let task = Task {
        arguments: &CREATE,
        meanwhile: &|stage| {
            admin_gets_in(stage);
            assert!([None, Some(PLACE)].contains(&place(stage)));
        },
        afterwards: &|stage| {
            assert_eq!(place(stage), Some(PLACE));
            stage.virtual_drive().power_cycle().unwrap();
            assert!(stage.virtual_drive().read(PLACE.start, 1).is_err());
        },
    };
    task.break_everywhere(&ready(), 10);
}

#[test]
fn range_delete() {
    let stage = ready();
    stage.run(&CREATE);
    let task = Task {
        arguments: &[
            "range",
            "delete",
            "DEV",
            "--range",
            "3",
            "--key",
            "file:old",
            "--confirm",
            SERIAL,
        ],
        meanwhile: &admin_gets_in,
        afterwards: &|stage| assert_eq!(place(stage), None),
    };
    task.break_everywhere(&stage, 8);
}

#[test]
fn user_enable() {
    let task = Task {
        arguments: &[
            "user",
            "enable",
            "DEV",
            "User1",
            "--key",
            "file:old",
            "--new-key",
            "file:user",
        ],
        meanwhile: &admin_gets_in,
        afterwards: &|stage| stage.has_way_in(Authority::User(1), &[USER]),
    };
    task.break_everywhere(&ready(), 12);
}

const GRANT: [&str; 8] = [
    "user", "grant", "DEV", "User1", "--range", "3", "--key", "file:old",
];

fn all_or_nothing(stage: &Stage) {
    stage.has_way_in(Authority::Admin(1), &[OLD]);
    assert!([0, RIGHTS.len()].contains(&rights(stage)));
}

#[test]
fn user_grant() {
    let task = Task {
        arguments: &GRANT,
        meanwhile: &all_or_nothing,
        afterwards: &|stage| assert_eq!(rights(stage), RIGHTS.len()),
    };
    task.break_everywhere(&ready(), 20);
}

#[test]
fn user_revoke() {
    let stage = ready();
    stage.run(&GRANT);
    let task = Task {
        arguments: &[
            "user", "revoke", "DEV", "User1", "--range", "3", "--key", "file:old",
        ],
        meanwhile: &all_or_nothing,
        afterwards: &|stage| assert_eq!(rights(stage), 0),
    };
    task.break_everywhere(&stage, 20);
}
