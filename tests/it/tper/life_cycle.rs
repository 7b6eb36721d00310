//! Activate, Revert, RevertSP (\[Opal\] 5.1, 5.2).

use sedkit::spec::{MethodStatus, RangeNumber, column, method, uid};
use sedkit::vdrive::profile::SidPin;
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, MSID, OWNER, PSID, Session, USER, get, get_bytes, numbers, set_bytes};

const OK: MethodStatus = MethodStatus::SUCCESS;
const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;
const LIFE_CYCLE: u64 = column::sp::LIFE_CYCLE_STATE;

fn activate() -> MethodCall {
    MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
}

fn revert(sp: sedkit::spec::Uid) -> MethodCall {
    MethodCall::new(sp, method::REVERT)
}

fn revert_sp(keep: Option<bool>) -> MethodCall {
    let call = MethodCall::new(uid::THIS_SP, method::REVERT_SP);
    match keep {
        Some(keep) => call.optional(0x06_0000, keep),
        None => call,
    }
}

fn life_cycle(bench: &mut Bench) -> u64 {
    let session = bench.start_anybody(uid::ADMIN_SP);
    let state = bench.number(session, uid::LOCKING_SP, LIFE_CYCLE);
    bench.end(session);
    state
}

fn block(byte: u8) -> Vec<u8> {
    vec![byte; 512]
}

/// An activated drive with a User, a range, an MBR and a DataStore, and data in both ranges.
fn personalized() -> Bench {
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.admin1();
    let range1 = uid::locking_range(RangeNumber(1));
    bench.must_set(
        session,
        range1,
        &[(3, 1024_u64.into()), (4, 1024_u64.into())],
    );
    bench.must_set(session, range1, &[(9, numbers(&[0, 3]))]);
    for table in [uid::MBR, uid::DATA_STORE] {
        assert_eq!(bench.status(session, &set_bytes(table, 0, b"boot")), OK);
    }
    bench.end(session);
    bench.drive().write(0, &block(1)).unwrap();
    bench.drive().write(1024, &block(2)).unwrap();
    bench
}

#[test]
fn activate_gives_admin1_the_pin_of_sid() {
    // [Opal] 5.1.1.2.
    let mut bench = Bench::new();
    bench.drive().write(7, &block(7)).unwrap();
    assert_eq!(life_cycle(&mut bench), 8);
    bench.activate();
    assert_eq!(life_cycle(&mut bench), 9);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::ADMIN1, MSID),
        Err(MethodStatus::NOT_AUTHORIZED)
    );
    let session = bench.admin1();
    bench.end(session);
    // User data stay.
    assert_eq!(bench.drive().read(7, 1).unwrap(), block(7));
    // A later PIN of SID is another matter.
    let session = bench.sid();
    bench.must_set(
        session,
        uid::C_PIN_SID,
        &[(column::c_pin::PIN, "later".into())],
    );
    bench.end(session);
    bench.admin1();
}

#[test]
fn a_second_activate_has_no_effect() {
    // [Opal] 5.1.1.
    let mut bench = personalized();
    let session = bench.sid();
    bench.must_set(
        session,
        uid::C_PIN_SID,
        &[(column::c_pin::PIN, "later".into())],
    );
    assert_eq!(bench.status(session, &activate()), OK);
    assert_eq!(
        bench.status(session, &MethodCall::new(uid::ADMIN_SP, method::ACTIVATE)),
        OK
    );
    bench.end(session);
    let session = bench.admin1();
    assert_eq!(
        bench.number(session, uid::USER1, column::authority::ENABLED),
        1
    );
}

/// What must hold of a Locking SP that came back to its original factory state and was activated.
fn check_factory_state(bench: &mut Bench, admin1: &[u8]) {
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, admin1).unwrap();
    let range1 = bench
        .get(session, uid::locking_range(RangeNumber(1)), 3..=9)
        .unwrap();
    let zero = || Value::Uint(0);
    let expected = (3..=8)
        .map(|column| (column, zero()))
        .chain([(9, numbers(&[0]))]);
    assert_eq!(range1, expected.collect::<Vec<_>>());
    assert_eq!(
        bench.number(session, uid::USER1, column::authority::ENABLED),
        0
    );
    for table in [uid::MBR, uid::DATA_STORE] {
        let bytes = bench.call(session, &get_bytes(table, 0..=3)).unwrap();
        assert_eq!(bytes, [Value::bytes(&[0; 4])]);
    }
    bench.end(session);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::USER1, USER),
        Err(MethodStatus::NOT_AUTHORIZED)
    );
}

#[test]
fn revert_of_the_locking_sp_erases_it_and_the_data() {
    // [Opal] 5.1.2; reference 5.4.2, 8.1 number 9.
    let mut bench = personalized();
    let admin1 = bench.admin1();
    let session = bench.sid();
    assert_eq!(bench.status(session, &revert(uid::LOCKING_SP)), OK);
    // The session to the Admin SP goes on, that to the Locking SP does not.
    assert_eq!(bench.number(session, uid::LOCKING_SP, LIFE_CYCLE), 8);
    assert!(!bench.is_open(admin1));
    assert_ne!(bench.drive().read(0, 1).unwrap(), block(1));
    assert_ne!(bench.drive().read(1024, 1).unwrap(), block(2));
    assert_eq!(bench.status(session, &activate()), OK);
    bench.end(session);
    check_factory_state(&mut bench, OWNER);
}

#[test]
fn revert_of_an_inactive_locking_sp_has_no_effect() {
    // [Opal] 5.1.2; reference 5.13.
    let mut bench = Bench::new();
    bench.drive().write(0, &block(1)).unwrap();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(bench.status(session, &revert(uid::LOCKING_SP)), OK);
    assert!(bench.is_open(session));
    assert_eq!(bench.drive().read(0, 1).unwrap(), block(1));
}

#[test]
fn revert_of_the_admin_sp_returns_the_whole_tper() {
    // [Opal] 5.1.2; reference 5.4.2.
    let mut bench = personalized();
    let session = bench.sid();
    let admin1 = uid::ADMIN_SP_ADMIN1;
    bench.must_set(
        session,
        admin1,
        &[(column::authority::ENABLED, true.into())],
    );
    bench.must_set(
        session,
        uid::c_pin(admin1),
        &[(column::c_pin::PIN, "x".into())],
    );
    bench.must_set(session, uid::TPER_INFO, &[(8, true.into())]);
    assert_eq!(bench.status(session, &revert(uid::ADMIN_SP)), OK);
    assert!(!bench.is_open(session));
    assert_eq!(bench.feature(0x0002)[4], 0x89);
    assert_eq!(bench.feature(0x0402)[4], 0x04);
    assert_ne!(bench.drive().read(0, 1).unwrap(), block(1));
    assert_eq!(
        bench.start(uid::ADMIN_SP, uid::SID, OWNER),
        Err(MethodStatus::NOT_AUTHORIZED)
    );
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(bench.number(session, admin1, column::authority::ENABLED), 0);
    assert_eq!(bench.number(session, uid::TPER_INFO, 8), 0);
    assert_eq!(bench.status(session, &activate()), OK);
    bench.end(session);
    check_factory_state(&mut bench, MSID);
}

#[test]
fn revert_with_an_inactive_locking_sp_keeps_the_data() {
    // Certification test UCT-13.
    let mut bench = Bench::new();
    bench.drive().write(0, &block(1)).unwrap();
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    assert_eq!(bench.status(session, &revert(uid::ADMIN_SP)), OK);
    assert_eq!(bench.drive().read(0, 1).unwrap(), block(1));
}

#[test]
fn psid_reverts_when_sid_is_lost() {
    // [PSID] 3.1.
    let mut bench = personalized();
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    let refused = MethodStatus::NOT_AUTHORIZED;
    assert_eq!(bench.status(session, &revert(uid::LOCKING_SP)), refused);
    assert_eq!(bench.status(session, &revert(uid::ADMIN_SP)), OK);
    assert!(!bench.is_open(session));
    assert_ne!(bench.drive().read(1024, 1).unwrap(), block(2));
    assert!(bench.start(uid::ADMIN_SP, uid::SID, MSID).is_ok());
}

#[test]
fn a_sid_that_was_never_used_keeps_its_pin() {
    // [Opal] 5.1.2.2: only a SID that was authenticated gets a new PIN.
    let vendor = |options: &mut sedkit::vdrive::CreateOptions| {
        options.profile.initial_pin = SidPin::VendorUnique;
    };
    let mut bench = Bench::with(vendor);
    assert_eq!(bench.feature(0x0203)[13..15], [0xff, 0x00]);
    let by_psid = |bench: &mut Bench| {
        let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
        assert_eq!(bench.status(session, &revert(uid::ADMIN_SP)), OK);
    };
    by_psid(&mut bench);
    assert_eq!(bench.feature(0x0203)[13], 0xff);
    assert_eq!(
        bench.start(uid::ADMIN_SP, uid::SID, MSID),
        Err(MethodStatus::NOT_AUTHORIZED)
    );
    let session = bench.start(uid::ADMIN_SP, uid::SID, PSID).unwrap();
    bench.end(session);
    by_psid(&mut bench);
    assert_eq!(bench.feature(0x0203)[13], 0x00);
    assert!(bench.start(uid::ADMIN_SP, uid::SID, MSID).is_ok());
}

/// Opens the locks of the Global range as given, and reverts from inside.
fn revert_from_inside(
    keep: Option<bool>,
    read: bool,
    write: bool,
) -> (Bench, Session, MethodStatus) {
    let mut bench = personalized();
    let session = bench.admin1();
    let cells = [(5, true), (6, true), (7, read), (8, write)];
    let cells = cells.map(|(column, value)| (column, value.into()));
    bench.must_set(session, uid::LOCKING_GLOBAL_RANGE, &cells);
    let status = bench.status(session, &revert_sp(keep));
    (bench, session, status)
}

#[test]
fn revert_sp_without_keeping_erases_everything() {
    // [Opal] 5.1.3; certification test SPF-08.
    for keep in [None, Some(false)] {
        for locked in [false, true] {
            let (mut bench, session, status) = revert_from_inside(keep, locked, locked);
            assert_eq!(status, OK);
            assert!(!bench.is_open(session));
            assert_eq!(life_cycle(&mut bench), 8);
            let start = bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER);
            assert_eq!(start, Err(INVALID));
            assert_ne!(bench.drive().read(0, 1).unwrap(), block(1));
            assert_ne!(bench.drive().read(1024, 1).unwrap(), block(2));
        }
    }
}

#[test]
fn revert_sp_keeps_the_global_range_if_one_lock_is_open() {
    // [Opal] 5.1.3.3; certification test SPF-08.
    for (read, write) in [(false, false), (true, false), (false, true)] {
        let (mut bench, session, status) = revert_from_inside(Some(true), read, write);
        assert_eq!(status, OK, "{read} {write}");
        assert!(!bench.is_open(session));
        assert_eq!(bench.drive().read(0, 1).unwrap(), block(1));
        // The range has fallen to the Global range, its key is gone.
        assert_ne!(bench.drive().read(1024, 1).unwrap(), block(2));
        let session = bench.sid();
        assert_eq!(bench.status(session, &activate()), OK);
        bench.end(session);
        check_factory_state(&mut bench, OWNER);
    }
}

#[test]
fn revert_sp_does_not_keep_what_is_locked_both_ways() {
    // [Opal] 5.1.3.3; certification test ETC-18.
    let (mut bench, session, status) = revert_from_inside(Some(true), true, true);
    assert_eq!(status, MethodStatus::FAIL);
    assert!(bench.is_open(session));
    assert_eq!(
        bench.number(session, uid::USER1, column::authority::ENABLED),
        1
    );
    bench.lock(session, RangeNumber::GLOBAL, false);
    assert_eq!(bench.drive().read(0, 1).unwrap(), block(1));
    assert_eq!(bench.drive().read(1024, 1).unwrap(), block(2));
}

#[test]
fn locks_that_are_not_enabled_do_not_count() {
    // Reference 5.4.3: "locked" is LockEnabled and Locked.
    let mut bench = personalized();
    let session = bench.admin1();
    bench.must_set(
        session,
        uid::LOCKING_GLOBAL_RANGE,
        &[(7, true.into()), (8, true.into())],
    );
    assert_eq!(bench.status(session, &revert_sp(Some(true))), OK);
}

/// Activate with sizes of DataStore tables.
fn activate_with(sizes: &[u64]) -> MethodCall {
    activate().optional(0x06_0002, numbers(sizes))
}

/// A drive that was activated with three DataStore tables.
fn with_three_tables() -> (Bench, Session) {
    let mut bench = Bench::new();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(bench.status(session, &activate_with(&[4096, 8192, 1])), OK);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, MSID).unwrap();
    (bench, session)
}

#[test]
fn activate_refuses_data_store_tables_that_do_not_fit() {
    // [DataStore] 5.1; reference 5.4.1, 5.11.
    let mut bench = Bench::new();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let space = MethodStatus::INSUFFICIENT_SPACE;
    for (sizes, status) in [
        (&[1; 10][..], space),
        (&[10 << 20, 1], space),
        (&[u64::MAX, 2], space),
        (&[], INVALID),
        (&[4096, 0], INVALID),
    ] {
        assert_eq!(
            bench.status(session, &activate_with(sizes)),
            status,
            "{sizes:?}"
        );
    }
    let wrong = activate().optional(0x06_0002, 5_u64);
    assert_eq!(bench.status(session, &wrong), INVALID);
    assert_eq!(bench.number(session, uid::LOCKING_SP, LIFE_CYCLE), 8);
}

#[test]
fn activate_makes_data_store_tables() {
    // [DataStore] 4.2, 4.3.
    let (mut bench, session) = with_three_tables();
    for (number, size) in [(1, 4096_u64), (2, 8192), (3, 1)] {
        let table = uid::data_store(number);
        assert_eq!(bench.number(session, table.table_descriptor(), 7), size);
        assert_eq!(
            bench.status(session, &set_bytes(table, size, b"x")),
            INVALID
        );
        let byte = [b'0' + u8::try_from(number).unwrap()];
        assert_eq!(
            bench.status(session, &set_bytes(table, size - 1, &byte)),
            OK
        );
    }
    // The tables follow each other in the file, and do not touch.
    for (number, size, byte) in [(1, 4096, b"1"), (2, 8192, b"2"), (3, 1, b"3")] {
        let last = get_bytes(uid::data_store(number), size - 1..=size - 1);
        assert_eq!(bench.call(session, &last), Ok(vec![Value::bytes(byte)]));
    }
    let fourth = bench.status(session, &get_bytes(uid::data_store(4), 0..=6));
    assert_eq!(fourth, MethodStatus::NOT_AUTHORIZED);
    let ace = crate::support::ace(0x0003_fc03);
    assert_eq!(bench.cell(session, ace, 1), "ACE_DataStore2_Set_All".into());
}

#[test]
fn a_revert_leaves_one_data_store_table() {
    let (mut bench, session) = with_three_tables();
    assert_eq!(
        bench.status(session, &set_bytes(uid::data_store(2), 0, b"x")),
        OK
    );
    assert_eq!(bench.status(session, &revert_sp(None)), OK);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(bench.status(session, &activate()), OK);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, MSID).unwrap();
    let rows = bench.number(session, uid::DATA_STORE.table_descriptor(), 7);
    assert_eq!(rows, 10 << 20);
    let zeros = bench.call(session, &get_bytes(uid::DATA_STORE, 4096..=4096));
    assert_eq!(zeros, Ok(vec![Value::bytes(&[0])]));
    let second = get(uid::data_store(2).table_descriptor(), 0..=7);
    assert_eq!(bench.status(session, &second), MethodStatus::NOT_AUTHORIZED);
}

#[test]
fn data_store_sizes_are_multiples_of_the_alignment() {
    let mut bench = Bench::with(|options| {
        options.profile.locking.data_store_alignment = 4096;
    });
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(
        bench.status(session, &activate_with(&[4096, 5000])),
        INVALID
    );
    assert_eq!(bench.status(session, &activate_with(&[4096, 8192])), OK);
}
