//! Transactions (\[Core\] 3.3.8; reference 2.4).

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, MSID, OWNER, Session, get_bytes, set_bytes};

const OK: MethodStatus = MethodStatus::SUCCESS;
const RANGE1: Uid = uid::locking_range(RangeNumber(1));

fn start(bench: &mut Bench, session: Session) {
    assert_eq!(bench.tokens(session, &[0xfb, 0x00]), Some(vec![0xfb, 0x00]));
}

fn commit(bench: &mut Bench, session: Session) {
    assert_eq!(bench.tokens(session, &[0xfc, 0x00]), Some(vec![0xfc, 0x00]));
}

fn abort(bench: &mut Bench, session: Session) {
    assert_eq!(bench.tokens(session, &[0xfc, 0x01]), Some(vec![0xfc, 0x01]));
}

/// A session of Admin1 with a transaction in which things have been changed.
fn changed(bench: &mut Bench) -> Session {
    let session = bench.admin1();
    start(bench, session);
    bench.must_set(
        session,
        RANGE1,
        &[(3, 8_u64.into()), (4, 16_u64.into()), (5, true.into())],
    );
    bench.must_set(session, RANGE1, &[(7, true.into())]);
    bench.must_set(
        session,
        uid::c_pin(uid::ADMIN1),
        &[(column::c_pin::PIN, "new".into())],
    );
    assert_eq!(bench.status(session, &set_bytes(uid::MBR, 0, b"boot")), OK);
    assert_eq!(
        bench.status(session, &set_bytes(uid::DATA_STORE, 100, b"data")),
        OK
    );
    assert_eq!(
        bench.status(session, &set_bytes(uid::DATA_STORE, 102, b"TA")),
        OK
    );
    // The session itself sees it.
    assert_eq!(bench.number(session, RANGE1, 3), 8);
    assert_eq!(bytes(bench, session, uid::MBR, 0), b"boot");
    assert_eq!(bytes(bench, session, uid::DATA_STORE, 100), b"daTA");
    session
}

fn bytes(bench: &mut Bench, session: Session, table: Uid, start: u64) -> Vec<u8> {
    let results = bench
        .call(session, &get_bytes(table, start..=start + 3))
        .unwrap();
    results[0].as_bytes().unwrap().to_vec()
}

fn check_rolled_back(bench: &mut Bench) {
    let session = bench.admin1();
    let cells = bench.get(session, RANGE1, 3..=8).unwrap();
    assert!(
        cells.iter().all(|(_, value)| *value == Value::Uint(0)),
        "{cells:?}"
    );
    assert_eq!(bytes(bench, session, uid::MBR, 0), [0; 4]);
    assert_eq!(bytes(bench, session, uid::DATA_STORE, 100), [0; 4]);
    bench.end(session);
}

#[test]
fn a_commit_makes_everything_count_at_once() {
    let mut bench = Bench::active();
    let session = changed(&mut bench);
    // Nobody else sees it before.
    assert_eq!(bench.feature(0x0002)[4] & 0x04, 0);
    assert!(bench.drive().read(8, 1).is_ok());
    commit(&mut bench, session);
    assert_eq!(bench.feature(0x0002)[4] & 0x04, 0x04);
    assert!(bench.drive().read(8, 1).is_err());
    bench.end(session);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER),
        Err(MethodStatus::NOT_AUTHORIZED)
    );
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"new").unwrap();
    assert_eq!(bench.number(session, RANGE1, 4), 16);
    assert_eq!(bytes(&mut bench, session, uid::MBR, 0), b"boot");
    assert_eq!(bytes(&mut bench, session, uid::DATA_STORE, 100), b"daTA");
}

#[test]
fn an_abort_undoes_everything() {
    let mut bench = Bench::active();
    let session = changed(&mut bench);
    abort(&mut bench, session);
    assert_eq!(bench.number(session, RANGE1, 3), 0);
    assert_eq!(bytes(&mut bench, session, uid::MBR, 0), [0; 4]);
    bench.end(session);
    check_rolled_back(&mut bench);
}

#[test]
fn the_end_of_the_session_undoes_everything() {
    // Certification test SPF-01; reference 2.4.
    let mut bench = Bench::active();
    let session = changed(&mut bench);
    bench.end(session);
    check_rolled_back(&mut bench);
}

#[test]
fn whatever_else_ends_the_session_undoes_everything() {
    type End = fn(&mut Bench, Session);
    let ends: [End; 5] = [
        |bench, _| bench.wait(30_000),
        |bench, _| bench.drive().power_cycle().unwrap(),
        |bench, _| bench.drive().hardware_reset().unwrap(),
        |bench, session| assert_eq!(bench.tokens(session, &[0xf1]), None),
        |bench, _| {
            let mut payload = vec![0x10, 0, 0, 0, 0, 0, 0, 2];
            payload.resize(512, 0);
            bench.send(0x02, 0x1000, &payload).unwrap();
        },
    ];
    for (index, end) in ends.into_iter().enumerate() {
        let mut bench = Bench::active();
        let session = changed(&mut bench);
        end(&mut bench, session);
        assert!(!bench.is_open(session), "{index}");
        let session = bench.admin1();
        assert_eq!(bench.number(session, RANGE1, 3), 0, "{index}");
        assert_eq!(bytes(&mut bench, session, uid::MBR, 0), [0; 4], "{index}");
        // A new transaction does not see what the old one has staged.
        start(&mut bench, session);
        assert_eq!(
            bench.status(session, &set_bytes(uid::DATA_STORE, 101, b"x")),
            OK
        );
        commit(&mut bench, session);
        assert_eq!(bytes(&mut bench, session, uid::DATA_STORE, 100), b"\0x\0\0");
    }
}

#[test]
fn a_method_that_fails_leaves_the_transaction_open() {
    // Reference 2.4.
    let mut bench = Bench::active();
    let session = bench.admin1();
    start(&mut bench, session);
    bench.must_set(session, RANGE1, &[(5, true.into())]);
    assert_ne!(bench.set(session, RANGE1, &[(5, 2_u64.into())]), OK);
    commit(&mut bench, session);
    assert_eq!(bench.number(session, RANGE1, 5), 1);
}

#[test]
fn one_transaction_at_a_time() {
    // MaxTransactionLimit is 1; certification test ETC-09.
    let mut bench = Bench::active();
    let session = changed(&mut bench);
    assert_eq!(bench.tokens(session, &[0xfb, 0x00]), None);
    assert!(!bench.is_open(session));
    check_rolled_back(&mut bench);
    let session = bench.admin1();
    assert_eq!(bench.tokens(session, &[0xfb, 0, 0xfb, 0]), None);
    assert!(!bench.is_open(session));
    // One after another is one at a time.
    let session = bench.admin1();
    let answer = bench.tokens(session, &[0xfb, 0, 0xfc, 0, 0xfb, 0, 0xfc, 1]);
    assert_eq!(answer, Some(vec![0xfb, 0, 0xfc, 0, 0xfb, 0, 0xfc, 1]));
}

#[test]
fn what_is_not_open_cannot_be_ended() {
    // TRANSACTION_FAILURE is 10h.
    let mut bench = Bench::active();
    let session = bench.admin1();
    assert_eq!(bench.tokens(session, &[0xfc, 0]), Some(vec![0xfc, 0x10]));
    assert_eq!(bench.tokens(session, &[0xfb, 1]), Some(vec![0xfb, 0x10]));
    assert_eq!(bench.tokens(session, &[0xfc, 0]), Some(vec![0xfc, 0x10]));
    assert!(bench.is_open(session));
}

#[test]
fn a_transaction_fits_into_one_packet() {
    let mut bench = Bench::active();
    let session = bench.admin1();
    let set = crate::support::set(RANGE1, &[(5, true.into())]).encode();
    let stream = [&[0xfb, 0][..], &set, &[0xfc, 0]].concat();
    let answer = bench.tokens(session, &stream).unwrap();
    assert_eq!(
        answer,
        [0xfb, 0, 0xf0, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1, 0xfc, 0]
    );
    bench.end(session);
    let session = bench.admin1();
    assert_eq!(bench.number(session, RANGE1, 5), 1);
}

#[test]
fn what_cannot_be_undone_is_refused() {
    // Reference 2.4, 8.1 number 10.
    let mut bench = Bench::active();
    let session = bench.admin1();
    start(&mut bench, session);
    let gen_key = MethodCall::new(uid::k_aes_256(RangeNumber(1)), method::GEN_KEY);
    let revert_sp = MethodCall::new(uid::THIS_SP, method::REVERT_SP);
    assert_eq!(bench.status(session, &gen_key), MethodStatus::FAIL);
    assert_eq!(bench.status(session, &revert_sp), MethodStatus::FAIL);
    bench.end(session);
    let mut bench = Bench::new();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    start(&mut bench, session);
    for (object, method) in [
        (uid::LOCKING_SP, method::ACTIVATE),
        (uid::LOCKING_SP, method::REVERT),
        (uid::ADMIN_SP, method::REVERT),
    ] {
        let status = bench.status(session, &MethodCall::new(object, method));
        assert_eq!(status, MethodStatus::FAIL);
    }
    commit(&mut bench, session);
    assert!(bench.is_open(session));
}

#[test]
fn a_reset_locks_what_was_committed() {
    // LockOnReset within a transaction that is rolled back.
    let mut bench = Bench::active();
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, false);
    start(&mut bench, session);
    bench.must_set(
        session,
        uid::LOCKING_GLOBAL_RANGE,
        &[(5, false.into()), (6, false.into())],
    );
    bench.drive().power_cycle().unwrap();
    assert!(bench.drive().read(0, 1).is_err());
}

#[test]
fn a_pin_that_is_committed_starts_with_new_attempts() {
    let mut bench = Bench::active();
    bench.enable_user(1);
    for _ in 0..5 {
        assert!(bench.start(uid::LOCKING_SP, uid::USER1, b"wrong").is_err());
    }
    let c_pin = uid::c_pin(uid::USER1);
    let session = bench.admin1();
    start(&mut bench, session);
    bench.must_set(session, c_pin, &[(column::c_pin::PIN, "new".into())]);
    assert_eq!(bench.number(session, c_pin, column::c_pin::TRIES), 5);
    commit(&mut bench, session);
    assert_eq!(bench.number(session, c_pin, column::c_pin::TRIES), 0);
}

#[test]
fn an_attempt_inside_a_transaction_goes_by_the_committed_pin() {
    // Reference 5.5.5: a PIN that a rollback takes away proves nothing, and gives no new attempts.
    let mut bench = Bench::active();
    bench.enable_user(1);
    for _ in 0..3 {
        assert!(bench.start(uid::LOCKING_SP, uid::USER1, b"wrong").is_err());
    }
    let c_pin = uid::c_pin(uid::USER1);
    let session = bench.admin1();
    start(&mut bench, session);
    bench.must_set(session, c_pin, &[(column::c_pin::PIN, "mine".into())]);
    assert_eq!(bench.number(session, c_pin, column::c_pin::TRIES), 3);
    assert_eq!(bench.authenticate(session, uid::USER1, b"mine"), Ok(false));
    assert_eq!(bench.number(session, c_pin, column::c_pin::TRIES), 4);
    abort(&mut bench, session);
    assert_eq!(bench.number(session, c_pin, column::c_pin::TRIES), 4);
}
