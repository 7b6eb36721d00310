//! Who may do what: appendix D of the reference, row by row and caller by caller.

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use crate::support::{
    Bench, MSID, OWNER, PSID, Session, USER, ace, any_of, get, get_bytes, numbers, random, set,
    set_bytes, start_session,
};

const RANGE1: Uid = uid::locking_range(RangeNumber(1));
const GLOBAL: Uid = uid::LOCKING_GLOBAL_RANGE;

/// What a caller gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// SUCCESS, with everything that was asked for.
    Yes,
    /// NOT_AUTHORIZED.
    No,
    /// SUCCESS, without any cell.
    Empty,
}

use Outcome::{Empty, No, Yes};

fn flag(row: Uid, column: u64) -> MethodCall {
    set(row, &[(column, false.into())])
}

fn pin(authority: Uid) -> MethodCall {
    set(uid::c_pin(authority), &[(column::c_pin::PIN, "new".into())])
}

fn on(object: Uid, method: Uid) -> MethodCall {
    MethodCall::new(object, method)
}

fn get_acl(object: Uid, method: Uid) -> MethodCall {
    on(uid::ACCESS_CONTROL, method::GET_ACL)
        .argument(object)
        .argument(method)
}

/// What the caller got.
fn outcome(bench: &mut Bench, session: Session, call: &MethodCall) -> Outcome {
    match bench.call(session, call) {
        Err(MethodStatus::NOT_AUTHORIZED) => No,
        Err(status) => panic!("{call:?}: {status}"),
        Ok(results) if results == [Value::list([])] => Empty,
        Ok(_) => Yes,
    }
}

/// Calls, and what each of `N` callers gets for every one of them.
type Lines<const N: usize> = ([Outcome; N], Vec<MethodCall>);

const KEY1: Uid = uid::k_aes_256(RangeNumber(1));

/// Appendix D, first table, by outcome for Anybody, User1 and Admin1.
fn locking_sp() -> [Lines<3>; 6] {
    [
        ([Yes; 3], open_to_all()),
        ([No, No, Yes], for_admins()),
        ([No, Yes, Yes], vec![pin(uid::USER1)]),
        (
            [Empty, Empty, Yes],
            vec![get(RANGE1, 3..=10), get(uid::USER1, 3..=16)],
        ),
        ([Empty; 3], vec![get(KEY1, 3..=3)]),
        ([No; 3], for_nobody()),
    ]
}

fn open_to_all() -> Vec<MethodCall> {
    vec![
        get(RANGE1, 0..=2),
        get(KEY1, 4..=4),
        get(uid::MBR_CONTROL, 1..=3),
        get_bytes(uid::MBR, 0..=9),
        get(uid::USER1, 0..=2),
        get_acl(RANGE1, method::SET),
        get_acl(uid::THIS_SP, method::REVERT_SP),
        on(uid::LOCKING, method::NEXT),
        on(uid::AUTHORITY, method::NEXT),
        on(uid::C_PIN, method::NEXT),
        on(uid::ACE, method::NEXT),
        get(uid::LOCKING_INFO, 0..=10),
        get(uid::SP_INFO_ROW, 0..=6),
        get(uid::MBR.table_descriptor(), 0..=14),
        get(method::GEN_KEY, 0..=3),
        get(uid::SECRET_PROTECT.row(0x1e), 0..=3),
        random(16),
        on(uid::THIS_SP, method::AUTHENTICATE).argument(uid::ANYBODY),
    ]
}

fn for_admins() -> Vec<MethodCall> {
    vec![
        set(RANGE1, &[(3, 8_u64.into())]),
        flag(RANGE1, 7),
        set(RANGE1, &[(7, true.into()), (9, numbers(&[0]))]),
        flag(GLOBAL, 7),
        on(KEY1, method::GEN_KEY),
        flag(uid::MBR_CONTROL, 1),
        flag(uid::MBR_CONTROL, 2),
        set_bytes(uid::MBR, 0, b"x"),
        get_bytes(uid::DATA_STORE, 0..=9),
        set_bytes(uid::DATA_STORE, 0, b"x"),
        get(uid::c_pin(uid::USER1), 4..=7),
        pin(uid::user(2)),
        pin(uid::admin(2)),
        flag(uid::USER1, column::authority::ENABLED),
        get(ace(0x0003_e001), 0..=4),
        set(ace(0x0003_e001), &[(3, any_of(&[uid::ADMINS]))]),
        on(uid::THIS_SP, method::REVERT_SP),
    ]
}

fn for_nobody() -> Vec<MethodCall> {
    vec![
        set(GLOBAL, &[(3, 8_u64.into())]),
        flag(uid::ADMIN1, column::authority::ENABLED),
        set(ace(0x0003_f001), &[(3, any_of(&[uid::ADMINS]))]),
    ]
}

#[test]
fn the_locking_sp_lets_each_caller_do_what_the_matrix_says() {
    // Each call on a drive of its own, so that none depends on another.
    for (outcomes, calls) in locking_sp() {
        for (call, (caller, expected)) in pairs(&calls, outcomes) {
            let mut bench = Bench::active();
            bench.enable_user(1);
            let session = match caller {
                0 => bench.start_anybody(uid::LOCKING_SP),
                1 => bench.start(uid::LOCKING_SP, uid::USER1, USER).unwrap(),
                _ => bench.admin1(),
            };
            let found = outcome(&mut bench, session, call);
            assert_eq!(found, expected, "{call:?} by caller {caller}");
        }
    }
}

/// Each call with each caller's number and outcome.
fn pairs<const N: usize>(
    calls: &[MethodCall],
    outcomes: [Outcome; N],
) -> impl Iterator<Item = (&MethodCall, (usize, Outcome))> {
    calls.iter().flat_map(move |call| {
        outcomes
            .into_iter()
            .enumerate()
            .map(move |each| (call, each))
    })
}

/// Appendix D, second table, by outcome for Anybody, SID, Admin1 and PSID.
fn admin_sp() -> [Lines<4>; 6] {
    let psid = uid::c_pin(uid::PSID);
    let sid_and_admin1 = vec![
        get(uid::C_PIN_SID, 4..=7),
        pin(uid::ADMIN_SP_ADMIN1),
        set(uid::DATA_REMOVAL_MECHANISM, &[(1, 2_u64.into())]),
        on(uid::LOCKING_SP, method::REVERT),
    ];
    let sid = vec![
        pin(uid::SID),
        flag(uid::ADMIN_SP_ADMIN1, column::authority::ENABLED),
        flag(uid::MAKERS, column::authority::ENABLED),
        flag(uid::TPER_INFO, 8),
        on(uid::LOCKING_SP, method::ACTIVATE),
        on(uid::ADMIN_SP, method::ACTIVATE),
    ];
    let nobody = vec![flag(uid::SID, column::authority::ENABLED), pin(uid::PSID)];
    [
        ([Yes; 4], admin_sp_open_to_all()),
        ([No, Yes, No, No], sid),
        ([No, Yes, Yes, No], sid_and_admin1),
        ([No, Yes, Yes, Yes], vec![on(uid::ADMIN_SP, method::REVERT)]),
        ([Empty; 4], vec![get(psid, 3..=3)]),
        ([No; 4], nobody),
    ]
}

fn admin_sp_open_to_all() -> Vec<MethodCall> {
    vec![
        get(uid::C_PIN_MSID, 3..=3),
        get(uid::c_pin(uid::PSID), 4..=7),
        get(uid::LOCKING_SP, 0..=7),
        get(uid::TEMPLATE.row(1), 0..=4),
        get(uid::TPER_INFO, 0..=8),
        get(ace(0x8c02), 0..=4),
        get(uid::SID, 0..=16),
        get_acl(uid::C_PIN_SID, method::SET),
        on(uid::SP, method::NEXT),
        random(1),
    ]
}

#[test]
fn the_admin_sp_lets_each_caller_do_what_the_matrix_says() {
    for (outcomes, calls) in admin_sp() {
        for (call, (caller, expected)) in pairs(&calls, outcomes) {
            let mut bench = Bench::active();
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
                &[(column::c_pin::PIN, USER.into())],
            );
            bench.end(session);
            let session = match caller {
                0 => bench.start_anybody(uid::ADMIN_SP),
                1 => bench.sid(),
                2 => bench.start(uid::ADMIN_SP, admin1, USER).unwrap(),
                _ => bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap(),
            };
            let found = outcome(&mut bench, session, call);
            assert_eq!(found, expected, "{call:?} by caller {caller}");
        }
    }
}

/// Lets User1 into an ACE, then tries a call as User1.
fn granted(ace_low: u32, call: &MethodCall) -> Outcome {
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.admin1();
    let expression = any_of(&[uid::ADMINS, uid::USER1]);
    bench.must_set(
        session,
        ace(ace_low),
        &[(column::ace::BOOLEAN_EXPR, expression)],
    );
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::USER1, USER).unwrap();
    outcome(&mut bench, session, call)
}

#[test]
fn an_ace_that_includes_a_user_lets_it_in() {
    // Appendix D: "until ACE … includes User1".
    let key1 = on(uid::k_aes_256(RangeNumber(1)), method::GEN_KEY);
    let cases = [
        (0x0003_e001, flag(RANGE1, 7)),
        (0x0003_e801, flag(RANGE1, 8)),
        (0x0003_e000, flag(GLOBAL, 7)),
        (0x0003_b801, key1),
        (0x0003_f801, flag(uid::MBR_CONTROL, 2)),
        (0x0003_fc00, get_bytes(uid::DATA_STORE, 0..=9)),
        (0x0003_fc01, set_bytes(uid::DATA_STORE, 0, b"x")),
        (0x0003_d001, get(RANGE1, 3..=10)),
        (0x0003_8000, get(ace(0x0003_e001), 0..=4)),
        (0x0003_9000, get(uid::user(2), 3..=16)),
        (0x0004_4001, set(uid::USER1, &[(2, "name".into())])),
    ];
    for (low, call) in cases {
        assert_eq!(granted(low, &call), Yes, "{low:08x} {call:?}");
    }
}

#[test]
fn a_column_that_no_ace_covers_spoils_the_whole_set() {
    // Reference 5.1 number 6, 5.3.3.
    let lor = [(7, true.into()), (9, numbers(&[0]))];
    assert_eq!(granted(0x0003_e001, &set(RANGE1, &lor)), No);
    let both = [(7, true.into()), (8, true.into())];
    assert_eq!(granted(0x0003_e001, &set(RANGE1, &both)), No);
    assert_eq!(granted(0x0003_f801, &flag(uid::MBR_CONTROL, 1)), No);
}

#[test]
fn a_user_with_both_lock_aces_sets_exactly_two_columns() {
    // Reference 5.3.3.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.admin1();
    for low in [0x0003_e001, 0x0003_e801] {
        // As sedutil has it: the same User twice, and no Admins.
        let expression = any_of(&[uid::USER1, uid::USER1]);
        bench.must_set(
            session,
            ace(low),
            &[(column::ace::BOOLEAN_EXPR, expression)],
        );
    }
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::USER1, USER).unwrap();
    bench.must_set(session, RANGE1, &[(7, true.into()), (8, true.into())]);
    for column in [2, 3, 4, 5, 6, 9, 10] {
        let refused = bench.set(session, RANGE1, &[(column, true.into())]);
        assert_eq!(refused, MethodStatus::NOT_AUTHORIZED, "{column}");
    }
    bench.end(session);
    // Admins still have 0003F001, which covers the same columns.
    let session = bench.admin1();
    bench.must_set(session, RANGE1, &[(7, false.into()), (8, false.into())]);
}

#[test]
fn single_operands_and_individual_admins_are_accepted() {
    // Reference 5.3.3: Linux 7.x writes User1 alone, and Admin1 OR User1.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.admin1();
    let set_ace = |bench: &mut Bench, low, authorities: &[Uid]| {
        bench.must_set(
            session,
            ace(low),
            &[(column::ace::BOOLEAN_EXPR, any_of(authorities))],
        );
    };
    set_ace(&mut bench, 0x0003_e001, &[uid::USER1]);
    set_ace(&mut bench, 0x0003_d001, &[uid::ADMIN1, uid::USER1]);
    assert_eq!(bench.get(session, RANGE1, 3..=10).unwrap().len(), 8);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::USER1, USER).unwrap();
    bench.must_set(session, RANGE1, &[(7, true.into())]);
    assert_eq!(bench.get(session, RANGE1, 3..=10).unwrap().len(), 8);
}

#[test]
fn authorities_add_up_within_a_session() {
    // Reference 5.1 numbers 3 and 9: disabling does not take out who is in.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(outcome(&mut bench, session, &pin(uid::USER1)), No);
    assert_eq!(bench.authenticate(session, uid::USER1, USER), Ok(true));
    assert_eq!(outcome(&mut bench, session, &flag(RANGE1, 7)), No);
    assert_eq!(bench.authenticate(session, uid::ADMIN1, OWNER), Ok(true));
    assert_eq!(outcome(&mut bench, session, &flag(RANGE1, 7)), Yes);
    bench.must_set(
        session,
        uid::USER1,
        &[(column::authority::ENABLED, false.into())],
    );
    assert_eq!(outcome(&mut bench, session, &pin(uid::USER1)), Yes);
    assert_eq!(bench.authenticate(session, uid::USER1, b"new"), Ok(false));
}

/// Cells that must have these values.
fn check_cells(bench: &mut Bench, session: Session, cells: &[(Uid, u64, Value)]) {
    for (row, column, expected) in cells {
        let found = bench.cell(session, *row, *column);
        assert_eq!(found, *expected, "{row:?} column {column}");
    }
}

#[test]
fn the_rows_of_the_admin_sp_have_the_values_of_the_ssc() {
    // [Opal] 4.2.1; reference 5.2.1.
    let mut bench = Bench::active();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let cells = [
        (uid::SP_INFO_ROW, 1, uid::ADMIN_SP.into()),
        (uid::SP_INFO_ROW, 2, "Admin".into()),
        (uid::ADMIN_SP, 6, 9_u64.into()),
        (uid::LOCKING_SP, 6, 9_u64.into()),
        (uid::LOCKING_SP, 7, false.into()),
        // FirmwareVersion is vendor unique: "1.0" of the firmware revision.
        (uid::TPER_INFO, 4, 0x312e_3000_u64.into()),
        (uid::TPER_INFO, 5, 1_u64.into()),
        (uid::TPER_INFO, 6, 0_u64.into()),
        (uid::TPER_INFO, 7, Value::list(["Opal".into()])),
        (uid::TPER_INFO, 8, false.into()),
        (uid::DATA_REMOVAL_MECHANISM, 1, 2_u64.into()),
        (uid::PSID, 2, "PhysicalDriveOwner".into()),
        (uid::SID, 10, uid::C_PIN_SID.into()),
        (uid::ADMIN_SP_ADMIN1, 4, uid::ADMINS.into()),
        (uid::ADMIN_SP_ADMIN1, 5, false.into()),
        (uid::SP_TEMPLATES.row(2), 1, uid::TEMPLATE.row(2).into()),
        (uid::SP_TEMPLATES.row(2), 3, Value::bytes(&[0, 0, 0, 2])),
    ];
    check_cells(&mut bench, session, &cells);
}

#[test]
fn the_rows_of_the_locking_sp_have_the_values_of_the_ssc() {
    // [Opal] 4.3.1; reference 5.3.1, 5.3.2.
    let mut bench = Bench::active();
    let session = bench.admin1();
    let user9 = any_of(&[uid::ADMINS, uid::user(9)]);
    let key8 = uid::k_aes_256(RangeNumber(8));
    let cells = [
        (uid::LOCKING_INFO, 4, 8_u64.into()),
        (uid::MBR.table_descriptor(), 4, 2_u64.into()),
        (uid::MBR.table_descriptor(), 7, (128_u64 << 20).into()),
        (uid::DATA_STORE.table_descriptor(), 7, (10_u64 << 20).into()),
        (uid::LOCKING.table_descriptor(), 13, 0_u64.into()),
        (uid::SP_TEMPLATES.row(2), 1, uid::TEMPLATE.row(6).into()),
        (uid::MBR_CONTROL, 3, numbers(&[0])),
        (uid::ADMIN1, 5, true.into()),
        (uid::admin(2), 5, false.into()),
        (uid::user(9), 5, false.into()),
        (ace(0x0003_a809), 3, user9),
        (ace(0x0000_0001), 4, Value::list([])),
        (ace(0x0003_f801), 4, numbers(&[2, 3])),
        (uid::locking_range(RangeNumber(8)), 10, key8.into()),
        (key8, 4, 7_u64.into()),
    ];
    check_cells(&mut bench, session, &cells);
}

#[test]
fn get_acl_reads_every_association() {
    // Reference 7.23 and 7.24, and the matrices 5.2.3 and 5.3.3.
    let mut bench = Bench::active();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let acl = |bench: &mut Bench, session, object, method| -> Vec<u32> {
        let results = bench.call(session, &get_acl(object, method)).unwrap();
        let aces = results[0].as_list().unwrap().iter();
        aces.map(|ace| ace.as_uid().unwrap().low()).collect()
    };
    let revert = acl(&mut bench, session, uid::ADMIN_SP, method::REVERT);
    assert_eq!(revert, [0x0003_0002, 0x02, 0x0001_00e0]);
    let revert = acl(&mut bench, session, uid::LOCKING_SP, method::REVERT);
    assert_eq!(revert, [0x0003_0002, 0x02]);
    let unknown = get_acl(uid::C_PIN_MSID, method::SET);
    assert_eq!(
        bench.call(session, &unknown),
        Err(MethodStatus::INVALID_PARAMETER)
    );
    bench.end(session);
    let session = bench.start_anybody(uid::LOCKING_SP);
    let get_range1 = acl(&mut bench, session, RANGE1, method::GET);
    assert_eq!(get_range1, [0x0003_d001, 0x03]);
    let set_global = acl(&mut bench, session, GLOBAL, method::SET);
    assert_eq!(set_global, [0x0003_f000, 0x0003_e000, 0x0003_e800, 0x04]);
    let admin1 = acl(&mut bench, session, uid::ADMIN1, method::SET);
    assert_eq!(admin1, [0x04]);
    let admin2 = acl(&mut bench, session, uid::admin(2), method::SET);
    assert_eq!(admin2, [0x0003_9001, 0x04]);
}

#[test]
fn read_only_sessions_authenticate_too() {
    let mut bench = Bench::active();
    let call = start_session(uid::ADMIN_SP, false, Some((uid::SID, OWNER)));
    let session = bench.start_with(&call).unwrap();
    assert_eq!(
        outcome(&mut bench, session, &get(uid::C_PIN_SID, 4..=7)),
        Yes
    );
    assert_eq!(outcome(&mut bench, session, &pin(uid::SID)), No);
    assert_ne!(OWNER, MSID);
}
