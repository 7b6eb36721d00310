//! Bad inputs and their statuses: section 5.13 of the reference, and the errors of 5.5 and 5.6.

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::vdrive::profile::Unauthorised;
use sedkit::wire::{MethodCall, Value};

use crate::support::{
    Bench, MSID, OWNER, Session, USER, ace, any_of, get, get_bytes, numbers, random, set, set_bytes,
};

const OK: MethodStatus = MethodStatus::SUCCESS;
const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;

const RANGE1: Uid = uid::locking_range(RangeNumber(1));
const RANGE2: Uid = uid::locking_range(RangeNumber(2));

fn admin1() -> (Bench, Session) {
    let mut bench = Bench::active();
    let session = bench.admin1();
    (bench, session)
}

/// Every call must end with this status.
fn check(bench: &mut Bench, session: Session, status: MethodStatus, calls: &[MethodCall]) {
    for call in calls {
        assert_eq!(bench.status(session, call), status, "{call:?}");
    }
}

fn on(object: Uid, method: Uid) -> MethodCall {
    MethodCall::new(object, method)
}

#[test]
fn objects_that_do_not_exist_are_not_authorized() {
    // Certification tests ETC-10, ETC-11; reference 5.1 number 1.
    let (mut bench, session) = admin1();
    let calls = [
        get(uid::C_PIN.row(0x7777), 0..=3),
        get(uid::locking_range(RangeNumber(9)), 0..=3),
        set(uid::user(10), &[(5, true.into())]),
        get(uid::THIS_SP, 0..=3),
        get(uid::LOCKING, 0..=3),
        get(uid::k_aes_128(RangeNumber(1)), 0..=4),
        get(uid::SID, 0..=3),
        on(Uid::NULL, Uid::NULL),
    ];
    check(&mut bench, session, REFUSED, &calls);
}

#[test]
fn methods_that_do_not_exist_are_not_authorized() {
    // Reference 5.5.9, 5.13.
    let (mut bench, session) = admin1();
    let calls = [
        on(RANGE1, uid::METHOD_ID.row(0x77)),
        on(uid::THIS_SP, method::CREATE_TABLE),
        on(uid::THIS_SP, method::DELETE_SP),
        on(RANGE1, method::ERASE),
        on(uid::ACCESS_CONTROL, method::ADD_ACE),
        on(RANGE1, method::ENTERPRISE_GET),
        on(uid::MBR, method::NEXT),
        on(uid::MBR_CONTROL_TABLE, method::NEXT),
        on(uid::LOCKING_SP, method::ACTIVATE),
        on(uid::LOCKING_SP, method::REVERT),
        on(RANGE1, method::GEN_KEY),
    ];
    check(&mut bench, session, REFUSED, &calls);
}

/// Get with any cell block.
fn get_block(object: Uid, block: &[(u64, Value)]) -> MethodCall {
    let block = block.iter();
    let block = block.map(|(name, value)| Value::named(*name, value.clone()));
    on(object, method::GET).argument(Value::list(block))
}

#[test]
fn get_of_an_object_checks_its_cell_block() {
    // Reference 5.5.1.
    let (mut bench, session) = admin1();
    let block = |block: &[(u64, Value)]| get_block(RANGE1, block);
    let good = [
        block(&[]),
        block(&[(4, 0x13_u64.into())]),
        block(&[(1, RANGE1.into())]),
        block(&[(4, 5_u64.into()), (3, 5_u64.into())]),
    ];
    check(&mut bench, session, OK, &good);
    let bad = [
        block(&[(3, 5_u64.into()), (4, 4_u64.into())]),
        block(&[(4, 0x14_u64.into())]),
        get(uid::LOCKING_INFO, 0x06_0000..=0x06_0002),
        block(&[(1, RANGE2.into())]),
        block(&[(1, 0_u64.into())]),
        block(&[(2, RANGE1.into())]),
        block(&[(0, uid::LOCKING.into())]),
        block(&[(5, 0_u64.into())]),
        block(&[(3, 0_u64.into()), (3, 0_u64.into())]),
        block(&[(3, "x".into())]),
        on(RANGE1, method::GET),
        on(RANGE1, method::GET).argument(3_u64),
        on(RANGE1, method::GET).argument(numbers(&[3])),
        block(&[]).argument(Value::list([])),
    ];
    check(&mut bench, session, INVALID, &bad);
}

#[test]
fn get_of_a_byte_table_checks_its_cell_block() {
    // Reference 5.5.1.
    let (mut bench, session) = admin1();
    let block = |block: &[(u64, Value)]| get_block(uid::MBR, block);
    let last: u64 = (128 << 20) - 1;
    let good = [
        block(&[(2, 9_u64.into())]),
        block(&[(1, last.into()), (2, last.into())]),
        block(&[(1, last.into())]),
    ];
    check(&mut bench, session, OK, &good);
    let bad = [
        block(&[(1, last.into()), (2, (last + 1).into())]),
        block(&[(1, 5_u64.into()), (2, 4_u64.into())]),
        block(&[(3, 0_u64.into())]),
        block(&[(0, uid::MBR.into())]),
        block(&[(1, uid::MBR.into())]),
    ];
    check(&mut bench, session, INVALID, &bad);
}

#[test]
fn cells_that_may_not_be_read_are_left_out() {
    // Certification test ETC-10 case 3; reference 5.1 number 5.
    let (mut bench, session) = admin1();
    let cells = bench.get(session, uid::c_pin(uid::ADMIN1), 3..=6).unwrap();
    let columns: Vec<u64> = cells.iter().map(|(column, _)| *column).collect();
    assert_eq!(columns, [4, 5, 6]);
    bench.end(session);
    let session = bench.sid();
    let cells = bench.get(session, uid::C_PIN_SID, 0..=7).unwrap();
    let columns: Vec<u64> = cells.iter().map(|(column, _)| *column).collect();
    assert_eq!(columns, [0, 4, 5, 6, 7]);
}

#[test]
fn cells_that_may_not_be_read_may_be_refused() {
    // Reference 8.1 numbers 2 and 26.
    let mut bench = Bench::with(|options| {
        let behaviour = &mut options.profile.behaviour;
        behaviour.unauthorised_cells = Unauthorised::Refuse;
        behaviour.unauthorised_bytes = Unauthorised::LeaveOut;
    });
    bench.activate();
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(bench.status(session, &get(RANGE1, 0..=3)), REFUSED);
    assert_eq!(bench.get(session, RANGE1, 0..=0).unwrap().len(), 1);
    let hidden = bench.call(session, &get_bytes(uid::DATA_STORE, 0..=9));
    assert_eq!(hidden, Ok(Vec::new()));
}

#[test]
fn set_checks_its_parameters() {
    // Reference 5.5.2.
    let (mut bench, session) = admin1();
    let bare = || on(RANGE1, method::SET);
    let none = || Value::list([]);
    check(&mut bench, session, OK, &[bare(), set(RANGE1, &[])]);
    let bad = [
        bare().optional(0, 0_u64).optional(1, none()),
        bare().optional(0, RANGE1).optional(1, none()),
        bare().optional(1, "x"),
        bare().optional(1, numbers(&[7])),
        bare().optional(1, none()).optional(0, 0_u64),
        bare().optional(2, 0_u64),
        bare().argument(none()),
        set(RANGE1, &[(7, true.into()), (7, true.into())]),
    ];
    check(&mut bench, session, INVALID, &bad);
}

#[test]
fn set_checks_the_type_of_each_value() {
    // Certification test ETC-17; reference 5.13.
    let (mut bench, session) = admin1();
    let one = |column: u64, value: Value| set(RANGE1, &[(column, value)]);
    let pin = |value: Value| set(uid::c_pin(uid::user(1)), &[(3, value)]);
    let done_on_reset = |resets| set(uid::MBR_CONTROL, &[(3, numbers(resets))]);
    let good = [
        one(9, numbers(&[0, 3])),
        one(2, Value::bytes(&[0x41; 32])),
        pin(Value::bytes(&[0x41; 32])),
        pin("".into()),
        done_on_reset(&[0, 1, 3]),
    ];
    check(&mut bench, session, OK, &good);
    let bad = [
        one(7, 2_u64.into()),
        one(5, 0xaaaa_u64.into()),
        one(8, "\u{1}".into()),
        one(3, "x".into()),
        one(9, 0_u64.into()),
        one(9, numbers(&[3])),
        one(9, numbers(&[1])),
        one(9, numbers(&[])),
        one(2, Value::bytes(&[0x41; 33])),
        pin(Value::bytes(&[0x41; 33])),
        pin(5_u64.into()),
        done_on_reset(&[2]),
    ];
    check(&mut bench, session, INVALID, &bad);
}

#[test]
fn columns_that_no_ace_covers_cannot_be_set() {
    // Reference 5.5.2.
    let (mut bench, session) = admin1();
    let calls = [
        set(RANGE1, &[(0, RANGE1.into())]),
        set(RANGE1, &[(1, "x".into())]),
        set(RANGE1, &[(10, uid::k_aes_256(RangeNumber(2)).into())]),
        set(RANGE1, &[(99, true.into())]),
        set(uid::LOCKING_INFO, &[(4, 9_u64.into())]),
        set(ace(0x0003_e001), &[(4, numbers(&[7]))]),
    ];
    check(&mut bench, session, REFUSED, &calls);
}

#[test]
fn a_set_is_whole_or_not_at_all() {
    // Reference 5.5.2.
    let (mut bench, session) = admin1();
    let before = bench.get(session, RANGE1, 3..=9).unwrap();
    for spoiler in [(7, 2_u64.into()), (10, 1_u64.into()), (4, 3_u64.into())] {
        let cells = [
            (3, 8_u64.into()),
            (5, true.into()),
            (9, numbers(&[0, 3])),
            spoiler,
        ];
        assert_ne!(bench.set(session, RANGE1, &cells), OK);
        assert_eq!(bench.get(session, RANGE1, 3..=9).unwrap(), before);
    }
}

#[test]
fn ranges_lie_on_the_drive_aligned_and_apart() {
    // [Opal] 4.3.5.2.1; certification test ETC-16; reference 5.6.1. The drive has 131,072 blocks.
    let (mut bench, session) = admin1();
    bench.must_set(
        session,
        RANGE1,
        &[(3, 1000_u64.into()), (4, 1000_u64.into())],
    );
    for (start, length, expected) in [
        (1992, 8, INVALID),  // overlaps the end of range 1
        (992, 16, INVALID),  // overlaps its start
        (0, 4000, INVALID),  // contains it
        (1200, 8, INVALID),  // lies within
        (1200, 0, OK),       // holds no block
        (2000, 8, OK),       // follows it
        (1004, 8, INVALID),  // start not aligned
        (2000, 12, INVALID), // length not aligned
        (131_064, 8, OK),    // the last blocks
        (131_064, 16, INVALID),
        (u64::MAX - 7, 8, INVALID),
    ] {
        let cells = [(3, start.into()), (4, length.into())];
        assert_eq!(
            bench.set(session, RANGE2, &cells),
            expected,
            "{start}+{length}"
        );
    }
}

#[test]
fn a_column_that_is_not_set_counts_as_it_is() {
    let (mut bench, session) = admin1();
    let place = |start: u64, length: u64| [(3, start.into()), (4, length.into())];
    bench.must_set(session, RANGE1, &place(1000, 1000));
    bench.must_set(session, RANGE2, &place(131_064, 8));
    assert_eq!(bench.set(session, RANGE2, &[(3, 1000_u64.into())]), INVALID);
    assert_eq!(bench.set(session, RANGE2, &[(4, 16_u64.into())]), INVALID);
    bench.must_set(session, RANGE2, &[(4, 0_u64.into())]);
    bench.must_set(session, RANGE2, &[(3, 1000_u64.into())]);
    // A range may be set to where it is.
    bench.must_set(session, RANGE1, &place(1000, 1000));
}

#[test]
fn the_global_range_has_no_place_of_its_own() {
    // Reference 8.1 number 18.
    let (mut bench, session) = admin1();
    let cells = bench
        .get(session, uid::LOCKING_GLOBAL_RANGE, 3..=4)
        .unwrap();
    assert_eq!(cells, [(3, 0_u64.into()), (4, 0_u64.into())]);
    for column in [3, 4] {
        let refused = bench.set(
            session,
            uid::LOCKING_GLOBAL_RANGE,
            &[(column, 8_u64.into())],
        );
        assert_eq!(refused, REFUSED);
    }
}

#[test]
fn linux_sets_up_a_range_in_two_steps() {
    // Reference 8.3.
    let (mut bench, session) = admin1();
    bench.must_set(
        session,
        RANGE1,
        &[(3, 2048_u64.into()), (4, 4096_u64.into())],
    );
    let flags = [(5, true), (6, true), (7, false), (8, false)];
    bench.must_set(
        session,
        RANGE1,
        &flags.map(|(column, value)| (column, value.into())),
    );
    let found = bench.get(session, RANGE1, 3..=8).unwrap();
    let expected = [(3, 2048_u64), (4, 4096), (5, 1), (6, 1), (7, 0), (8, 0)];
    assert_eq!(
        found,
        expected.map(|(column, value)| (column, value.into()))
    );
}

/// Set of the expression of an ACE.
fn set_ace(low: u32, expression: Value) -> MethodCall {
    set(ace(low), &[(column::ace::BOOLEAN_EXPR, expression)])
}

#[test]
fn expressions_are_checked() {
    // Reference 5.13, 5.3.2.
    let (mut bench, session) = admin1();
    let term = |half: u32, value: Value| Value::named(sedkit::spec::HalfUid(half), value);
    let authority = |uid: Uid| term(0x0c05, uid.into());
    let operator = |code: u64| term(0x040e, code.into());
    let (admins, user) = (authority(uid::ADMINS), authority(uid::USER1));
    let good = [any_of(&[uid::ANYBODY]), any_of(&all_authorities())];
    check(
        &mut bench,
        session,
        OK,
        &good.map(|good| set_ace(0x0003_e001, good)),
    );
    let bad = [
        any_of(&[uid::user(10)]),
        any_of(&[uid::SID]),
        any_of(&[uid::c_pin(uid::USER1)]),
        Value::list([admins.clone(), user]),
        Value::list([operator(1)]),
        Value::list([admins, operator(3)]),
        Value::list([term(0x0c06, uid::ADMINS.into())]),
        Value::list([uid::ADMINS.into()]),
        uid::ADMINS.into(),
    ];
    check(
        &mut bench,
        session,
        INVALID,
        &bad.map(|bad| set_ace(0x0003_e001, bad)),
    );
}

#[test]
fn the_ace_of_a_users_pin_takes_two_expressions() {
    // [Opal] 4.3.1.7; reference 5.13.
    let (mut bench, session) = admin1();
    let user1 = |authorities: &[Uid]| set_ace(0x0003_a801, any_of(authorities));
    let good = [user1(&[uid::ADMINS]), user1(&[uid::ADMINS, uid::USER1])];
    check(&mut bench, session, OK, &good);
    let bad = [user1(&[uid::USER1]), user1(&[uid::ADMINS, uid::user(2)])];
    check(&mut bench, session, INVALID, &bad);
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.c_pin_user_expressions_restricted = false;
    });
    bench.activate();
    let session = bench.admin1();
    check(&mut bench, session, OK, &[user1(&[uid::USER1])]);
}

/// [Opal] 4.3.1.7: at least eight Users, four Admins and the operators between them.
fn all_authorities() -> Vec<Uid> {
    (1..=8)
        .map(uid::user)
        .chain((1..=4).map(uid::admin))
        .collect()
}

#[test]
fn next_lists_the_rows_of_a_table() {
    // Certification test SPF-06; reference 5.5.3.
    let (mut bench, session) = admin1();
    let next = |table| MethodCall::new(table, method::NEXT);
    let rows = |bench: &mut Bench, call: &MethodCall| -> Vec<Uid> {
        let results = bench.call(session, call).unwrap();
        results[0]
            .as_list()
            .unwrap()
            .iter()
            .map(|row| row.as_uid().unwrap())
            .collect()
    };
    let all = rows(&mut bench, &next(uid::LOCKING));
    let expected: Vec<Uid> = (0..=8)
        .map(|n| uid::locking_range(RangeNumber(n)))
        .collect();
    assert_eq!(all, expected);
    let second = next(uid::LOCKING).optional(0, all[0]).optional(1, 1_u64);
    assert_eq!(rows(&mut bench, &second), [all[1]]);
    let after_last = next(uid::LOCKING).optional(0, all[8]);
    assert_eq!(rows(&mut bench, &after_last), []);
    assert_eq!(rows(&mut bench, &next(uid::LOCKING).optional(1, 0_u64)), []);
    assert_eq!(
        rows(&mut bench, &next(uid::LOCKING).optional(1, 100_u64)),
        all
    );
    // Eight of Opal, and Reactivate and Erase of Single User Mode.
    assert_eq!(rows(&mut bench, &next(uid::METHOD_ID)).len(), 10);
    let bad = [
        next(uid::LOCKING).optional(0, uid::USER1),
        next(uid::LOCKING).optional(0, uid::LOCKING.row(2)),
        next(uid::LOCKING).optional(0, 1_u64),
        next(uid::LOCKING).optional(1, "x"),
        next(uid::LOCKING).argument(1_u64),
    ];
    check(&mut bench, session, INVALID, &bad);
}

#[test]
fn authenticate_answers_with_a_boolean() {
    // Reference 5.5.4, 8.1 number 25.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(bench.authenticate(session, uid::ADMIN1, OWNER), Ok(true));
    assert_eq!(
        bench.authenticate(session, uid::ADMIN1, b"wrong"),
        Ok(false)
    );
    assert_eq!(bench.authenticate(session, uid::USER1, USER), Ok(true));
    assert_eq!(bench.authenticate(session, uid::user(2), b""), Ok(false));
    assert_eq!(bench.authenticate(session, uid::ANYBODY, b"x"), Ok(true));
    for authority in [uid::ADMINS, uid::USERS, uid::SID, uid::user(10), RANGE1] {
        assert_eq!(
            bench.authenticate(session, authority, b""),
            Err(INVALID),
            "{authority:?}"
        );
    }
    let call = || MethodCall::new(uid::THIS_SP, method::AUTHENTICATE);
    let bad = [
        call(),
        call().argument(uid::ADMIN1).optional(0, 1_u64),
        call().argument(uid::ADMIN1).optional(1, "x"),
    ];
    check(&mut bench, session, INVALID, &bad);
    let elsewhere = on(RANGE1, method::AUTHENTICATE).argument(uid::ADMIN1);
    check(&mut bench, session, REFUSED, &[elsewhere]);
    // Without a proof the empty PIN is meant.
    let results = bench.call(session, &call().argument(uid::ADMIN1));
    assert_eq!(results, Ok(vec![false.into()]));
}

#[test]
fn random_gives_up_to_32_bytes() {
    // [Opal] 4.2.9.1; reference 5.5.7.
    let (mut bench, session) = admin1();
    let mut bytes = |count| {
        let results = bench.call(session, &random(count))?;
        Ok(results[0].as_bytes().unwrap().to_vec())
    };
    let first = bytes(32).unwrap();
    assert_eq!(first.len(), 32);
    assert_ne!(bytes(32).unwrap(), first);
    assert_eq!(bytes(0), Ok(Vec::new()));
    assert_eq!(bytes(33), Err(INVALID));
    let buffer = random(8).optional(0, Value::list([]));
    assert_eq!(bench.status(session, &buffer), INVALID);
    let bare = MethodCall::new(uid::THIS_SP, method::RANDOM);
    assert_eq!(bench.status(session, &bare), INVALID);
}

#[test]
fn methods_without_parameters_take_none() {
    // Reference 5.5.6, 5.13.
    let (mut bench, session) = admin1();
    let gen_key = || MethodCall::new(uid::k_aes_256(RangeNumber(1)), method::GEN_KEY);
    let revert_sp = || MethodCall::new(uid::THIS_SP, method::REVERT_SP);
    let bad = [
        gen_key().optional(0, 3_u64),
        gen_key().optional(1, 32_u64),
        gen_key().argument(3_u64),
        revert_sp().optional(0x06_0000, "x"),
        revert_sp().optional(0x06_0000, 2_u64),
        revert_sp().optional(0x06_0001, 1_u64),
    ];
    check(&mut bench, session, INVALID, &bad);
    bench.end(session);
    let session = bench.sid();
    let revert = MethodCall::new(uid::LOCKING_SP, method::REVERT).argument(1_u64);
    assert_eq!(bench.status(session, &revert), INVALID);
    let activate = || MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
    let policy = activate().optional(0x06_0001, 1_u64);
    assert_eq!(bench.status(session, &policy), INVALID);
}

#[test]
fn the_admin_sp_refuses_what_the_ssc_does_not_have() {
    // Certification tests ETC-12, ETC-23; reference 5.2.3.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let enabled = set(
        uid::ADMIN_SP_ADMIN1,
        &[(column::authority::ENABLED, true.into())],
    );
    assert_eq!(bench.status(session, &enabled), REFUSED);
    assert_eq!(bench.cell(session, uid::C_PIN_MSID, 3), MSID.into());
    bench.end(session);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let removal = |mechanism: u64| set(uid::DATA_REMOVAL_MECHANISM, &[(1, mechanism.into())]);
    check(&mut bench, session, OK, &[removal(2)]);
    check(&mut bench, session, INVALID, &[0, 1, 3, 4, 5].map(removal));
    let calls = [
        set(uid::C_PIN_MSID, &[(3, "x".into())]),
        set(uid::c_pin(uid::PSID), &[(3, "x".into())]),
        set(uid::C_PIN_SID, &[(5, 0_u64.into())]),
        set(uid::C_PIN_SID, &[(6, 0_u64.into())]),
        set(uid::SP_INFO_ROW, &[(6, false.into())]),
        set(uid::LOCKING_SP, &[(6, 9_u64.into())]),
        on(uid::THIS_SP, method::REVERT_SP),
        set_bytes(uid::DATA_STORE, 0, b"x"),
    ];
    check(&mut bench, session, REFUSED, &calls);
}

#[test]
fn rights_are_checked_before_the_columns_of_a_set() {
    // Reference 5.1 number 10: access control comes before the parameters' validity.
    let (mut bench, session) = admin1();
    let c_pin = uid::c_pin(uid::USER1);
    let limit = (column::c_pin::TRY_LIMIT, Value::Uint(1));
    assert_eq!(bench.set(session, c_pin, &[limit.clone(), limit]), REFUSED);
    let pin = (column::c_pin::PIN, Value::from("new"));
    assert_eq!(bench.set(session, c_pin, &[pin.clone(), pin]), INVALID);
    // Every cell of a Packet of 64 KiB names a column that is not there.
    let cells: Vec<_> = (0..10_000).map(|n| (1000 + n, Value::Uint(1))).collect();
    assert_eq!(bench.set(session, c_pin, &cells), REFUSED);
}
