//! A walk over both SPs: every table that table Table names, every row, every column, every ACL
//! (reference 5.2, 5.3).

use std::collections::BTreeSet;

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, OWNER, Session, get_bytes};

/// Tables without Next, and their rows.
fn known_rows(table: Uid) -> Option<Vec<Uid>> {
    match table {
        uid::SP_INFO => Some(vec![uid::SP_INFO_ROW]),
        uid::TPER_INFO_TABLE => Some(vec![uid::TPER_INFO]),
        uid::LOCKING_INFO_TABLE => Some(vec![uid::LOCKING_INFO]),
        uid::MBR_CONTROL_TABLE => Some(vec![uid::MBR_CONTROL]),
        uid::DATA_REMOVAL_MECHANISM_TABLE => Some(vec![uid::DATA_REMOVAL_MECHANISM]),
        uid::K_AES_256 => Some((0..=8).map(|n| uid::k_aes_256(RangeNumber(n))).collect()),
        // Its rows are read by GetACL alone.
        uid::ACCESS_CONTROL => Some(vec![]),
        _ => None,
    }
}

/// The columns to which the reference gives a value in every row, as the strongest sees them.
fn columns(table: Uid) -> &'static [u64] {
    match table {
        uid::TABLE => &[0, 1, 4],
        uid::SP_INFO => &[0, 1, 2, 5, 6],
        uid::SP_TEMPLATES => &[0, 1, 2, 3],
        uid::METHOD_ID => &[0, 1],
        uid::ACE => &[0, 1, 3, 4],
        uid::AUTHORITY => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 15, 16],
        uid::TPER_INFO_TABLE => &[0, 2, 5, 7, 8],
        uid::TEMPLATE => &[0, 1, 2, 3, 4],
        uid::SP => &[0, 1, 6, 7],
        uid::SECRET_PROTECT => &[0, 1, 2, 3],
        uid::LOCKING_INFO_TABLE => &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 0x06_0000, 0x06_0001],
        uid::LOCKING => &[0, 2, 3, 4, 5, 6, 7, 8, 9, 10],
        uid::MBR_CONTROL_TABLE => &[0, 1, 2, 3],
        uid::K_AES_256 => &[4],
        uid::DATA_REMOVAL_MECHANISM_TABLE => &[0, 1],
        // All but Name and CommonName, which the ACE leaves out.
        uid::C_PIN => &[0, 4, 5, 6, 7],
        _ => &[],
    }
}

fn next(bench: &mut Bench, session: Session, table: Uid) -> Result<Vec<Uid>, MethodStatus> {
    let results = bench.call(session, &MethodCall::new(table, method::NEXT))?;
    let rows = results[0].as_list().unwrap().iter();
    Ok(rows.map(|row| row.as_uid().unwrap()).collect())
}

/// Get of everything.
fn get_all(bench: &mut Bench, session: Session, row: Uid) -> Result<BTreeSet<u64>, MethodStatus> {
    let call = MethodCall::new(row, method::GET).argument(Value::list([]));
    let results = bench.call(session, &call)?;
    let cells = results[0].as_list().unwrap().iter();
    let numbers = cells.map(|cell| cell.as_named().unwrap().0.as_uint().unwrap());
    Ok(numbers.collect())
}

/// Walks an SP, and returns the objects that it found.
fn walk(bench: &mut Bench, session: Session) -> BTreeSet<Uid> {
    let mut found = BTreeSet::new();
    for descriptor in next(bench, session, uid::TABLE).unwrap() {
        let table = Uid::from_halves(descriptor.low(), 0);
        found.insert(table);
        if bench.number(session, descriptor, column::table::KIND) == 2 {
            let bytes = bench.call(session, &get_bytes(table, 0..=0)).unwrap();
            assert_eq!(bytes.len(), 1, "{table:?}");
            continue;
        }
        let rows = match known_rows(table) {
            None => next(bench, session, table).unwrap(),
            Some(rows) => {
                let refused = next(bench, session, table);
                assert_eq!(refused, Err(MethodStatus::NOT_AUTHORIZED), "{table:?}");
                rows
            }
        };
        for row in rows {
            check_row(bench, session, table, row);
            found.insert(row);
        }
    }
    found
}

fn check_row(bench: &mut Bench, session: Session, table: Uid, row: Uid) {
    let has = get_all(bench, session, row).unwrap();
    let mut expected: Vec<u64> = columns(table).to_vec();
    if row == uid::C_PIN_MSID {
        // It has no CharSet and no tries.
        expected = vec![0, 3];
    }
    for column in expected {
        assert!(has.contains(&column), "{row:?} column {column}: {has:?}");
    }
}

/// GetACL of every method on every object: each ACE of an answer is a row.
fn check_acls(bench: &mut Bench, session: Session, objects: &BTreeSet<Uid>) -> usize {
    let mut count = 0;
    let methods = next(bench, session, uid::METHOD_ID).unwrap();
    for &object in objects.iter().chain([&uid::THIS_SP]) {
        for &method in &methods {
            let call = MethodCall::new(uid::ACCESS_CONTROL, method::GET_ACL)
                .argument(object)
                .argument(method);
            let Ok(results) = bench.call(session, &call) else {
                continue;
            };
            let aces = results[0].as_list().unwrap();
            assert!(!aces.is_empty());
            for ace in aces {
                assert!(
                    objects.contains(&ace.as_uid().unwrap()),
                    "{object:?} {ace:?}"
                );
            }
            count += 1;
        }
    }
    count
}

#[test]
fn the_admin_sp_can_be_walked() {
    // 5.2.1, 5.2.3.
    let mut bench = Bench::active();
    let session = bench.sid();
    let objects = walk(&mut bench, session);
    for object in [
        uid::PSID,
        uid::MAKERS,
        uid::C_PIN_MSID,
        uid::TPER_INFO,
        uid::LOCKING_SP,
    ] {
        assert!(objects.contains(&object), "{object:?}");
    }
    assert!(check_acls(&mut bench, session, &objects) > 60);
}

#[test]
fn the_locking_sp_can_be_walked() {
    // 5.3.1, 5.3.3.
    let mut bench = Bench::active();
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER).unwrap();
    let objects = walk(&mut bench, session);
    for object in [
        uid::USERS,
        uid::user(9),
        uid::DATA_STORE,
        uid::MBR,
        method::ERASE,
    ] {
        assert!(objects.contains(&object), "{object:?}");
    }
    assert!(check_acls(&mut bench, session, &objects) > 150);
}

#[test]
fn ranges_in_single_user_mode_can_be_walked_too() {
    // 5.9.3: Get, GetACL and Next are as ever.
    let mut bench = Bench::new();
    let session = bench
        .start(uid::ADMIN_SP, uid::SID, crate::support::MSID)
        .unwrap();
    let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
        .optional(0x06_0000, uid::LOCKING)
        .optional(0x06_0002, Value::list([4096_u64, 512].map(Value::from)));
    bench.call(session, &activate).unwrap();
    bench.end(session);
    let session = bench
        .start(uid::LOCKING_SP, uid::ADMIN1, crate::support::MSID)
        .unwrap();
    let objects = walk(&mut bench, session);
    assert!(objects.contains(&uid::data_store(2)));
    assert!(check_acls(&mut bench, session, &objects) > 150);
}
