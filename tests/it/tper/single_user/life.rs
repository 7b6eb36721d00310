//! What Activate, Reactivate, Erase and the reverts do to ranges, Users and data (5.9.2, 5.9.4).

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use super::{
    ADMINS, INVALID, OK, REFUSED, SECRET, USER, activate, activated, bits, erase, info, list,
    owner, range, reactivate, status_of, with, with_ranges,
};
use crate::support::{Bench, MSID, OWNER, PSID, Session, get_bytes, numbers, set, set_bytes};

const FIRST: u64 = 1024;

fn block(byte: u8) -> Vec<u8> {
    vec![byte; 512]
}

fn own_pin(bench: &mut Bench, number: u16) {
    let session = owner(bench, number, b"");
    let c_pin = uid::c_pin(uid::user(number + 1));
    bench.must_set(session, c_pin, &[(3, SECRET.into())]);
    bench.end(session);
}

/// Range1 in its owner's hands, with data, and data outside it.
fn in_use(policy: u64) -> Bench {
    let mut bench = with_ranges(&[1], policy);
    own_pin(&mut bench, 1);
    let place = [(3, FIRST.into()), (4, 1024_u64.into())];
    let session = match policy {
        ADMINS => bench.admin1(),
        _ => owner(&mut bench, 1, SECRET),
    };
    bench.must_set(session, range(1), &place);
    bench.end(session);
    bench.drive().write(0, &block(1)).unwrap();
    bench.drive().write(FIRST, &block(2)).unwrap();
    bench
}

/// Sets ReadLockEnabled to WriteLocked.
fn lock(bench: &mut Bench, session: Session, number: u16, flags: [bool; 4]) {
    let cells: Vec<_> = (5..).zip(flags.map(Value::from)).collect();
    bench.must_set(session, range(number), &cells);
}

fn reads(bench: &mut Bench, lba: u64, byte: u8) -> bool {
    bench.drive().read(lba, 1).unwrap() == block(byte)
}

#[test]
fn the_owner_is_enabled_with_the_empty_pin_from_activate_on() {
    // 5.9.2; owner mapping of 5.9.1.
    let mut bench = with_ranges(&[0, 8], USER);
    for (user, opens) in [(1, true), (2, false), (8, false), (9, true)] {
        let started = bench.start(uid::LOCKING_SP, uid::user(user), b"");
        assert_eq!(started.is_ok(), opens, "User{user}");
        if let Ok(session) = started {
            bench.end(session);
        }
    }
    let session = bench.admin1();
    for (user, enabled) in [(1, 1), (2, 0), (9, 1)] {
        let found = bench.number(session, uid::user(user), column::authority::ENABLED);
        assert_eq!(found, enabled, "User{user}");
    }
}

#[test]
fn activate_in_single_user_mode_keeps_the_data() {
    // 5.9.4: user data kept; as plain Activate, Admin1 has the PIN of SID.
    let mut bench = Bench::new();
    bench.drive().write(7, &block(7)).unwrap();
    let call = activate().optional(0x06_0000, uid::LOCKING);
    let mut bench = activated(bench, &call);
    assert!(reads(&mut bench, 7, 7));
    let session = bench.admin1();
    bench.end(session);
}

#[test]
fn the_owner_locks_and_unlocks_its_range_and_no_other() {
    // 5.9.5 step 6: one Set of 5, 6, 7, 8 with 5 = 6 = 1.
    let mut bench = in_use(USER);
    let session = owner(&mut bench, 1, SECRET);
    lock(&mut bench, session, 1, [true; 4]);
    assert!(bench.drive().read(FIRST, 1).is_err());
    assert!(reads(&mut bench, 0, 1));
    let others = set(range(2), &[(7, true.into())]);
    assert_eq!(bench.status(session, &others), REFUSED);
    bench.end(session);
    // Nobody else can.
    let session = bench.admin1();
    for (column, value) in [(5, false), (6, false), (7, false), (8, false)] {
        let refused = bench.set(session, range(1), &[(column, value.into())]);
        assert_eq!(refused, REFUSED);
    }
    bench.end(session);
    let session = owner(&mut bench, 1, SECRET);
    lock(&mut bench, session, 1, [true, true, false, false]);
    assert!(reads(&mut bench, FIRST, 2));
    bench.end(session);
    bench.drive().power_cycle().unwrap();
    assert!(bench.drive().read(FIRST, 1).is_err(), "LockOnReset {{0}}");
}

#[test]
fn the_global_range_is_user1s() {
    // 5.9.1: GlobalRange belongs to User1; its place can never be set.
    let mut bench = with_ranges(&[0], USER);
    bench.drive().write(0, &block(1)).unwrap();
    own_pin(&mut bench, 0);
    let session = owner(&mut bench, 0, SECRET);
    lock(&mut bench, session, 0, [true; 4]);
    assert!(bench.drive().read(0, 1).is_err());
    let place = set(range(0), &[(3, 0_u64.into())]);
    assert_eq!(bench.status(session, &place), REFUSED);
    bench.end(session);
    let session = bench.admin1();
    assert_eq!(bench.status(session, &erase(0)), OK);
    assert!(!reads(&mut bench, 0, 1));
    // What is not in Single User Mode is Admins' as ever.
    bench.must_set(session, range(1), &[(3, 8_u64.into()), (4, 8_u64.into())]);
}

#[test]
fn start_and_length_are_checked_for_a_user_as_for_admins() {
    // 5.6.1, 5.6.2: overlap and alignment.
    let mut bench = in_use(USER);
    let session = owner(&mut bench, 1, SECRET);
    for place in [(4_u64, 16_u64), (8, 12), (8, 1 << 40)] {
        let cells = [(3, place.0.into()), (4, place.1.into())];
        assert_eq!(bench.set(session, range(1), &cells), INVALID);
    }
    bench.must_set(session, range(1), &[(3, 8_u64.into()), (4, 16_u64.into())]);
}

/// What Erase must leave of Range1.
fn check_erased(bench: &mut Bench) {
    assert!(!reads(bench, FIRST, 2), "the data are gone");
    assert!(reads(bench, 0, 1), "others' data are not");
    let old = bench.start(uid::LOCKING_SP, uid::user(2), SECRET);
    assert_eq!(old, Err(REFUSED));
    let session = owner(bench, 1, b"");
    let cells = bench.get(session, range(1), 3..=9).unwrap();
    let values: Vec<Value> = cells.into_iter().map(|(_, value)| value).collect();
    let zero = || Value::Uint(0);
    let expected = [
        FIRST.into(),
        1024_u64.into(),
        zero(),
        zero(),
        zero(),
        zero(),
        numbers(&[0]),
    ];
    assert_eq!(values, expected);
    bench.end(session);
    assert_eq!(
        info(bench).0,
        list(&[1]),
        "the range stays in Single User Mode"
    );
}

#[test]
fn erase_gives_the_range_back_as_new() {
    // 5.9.4: new key, no locks, LockOnReset {0}, PIN "", Tries 0; place and owner stay.
    for by_owner in [false, true] {
        for policy in [USER, ADMINS] {
            let mut bench = in_use(policy);
            let session = owner(&mut bench, 1, SECRET);
            bench.must_set(session, range(1), &[(9, numbers(&[0, 3]))]);
            lock(&mut bench, session, 1, [true; 4]);
            bench.end(session);
            assert!(bench.start(uid::LOCKING_SP, uid::user(2), b"no").is_err());
            let session = match by_owner {
                true => owner(&mut bench, 1, SECRET),
                false => bench.admin1(),
            };
            assert_eq!(bench.status(session, &erase(1)), OK);
            assert!(bench.is_open(session));
            bench.end(session);
            check_erased(&mut bench);
        }
    }
}

#[test]
fn erase_ends_a_lock_out() {
    // 5.9.4: Tries := 0.
    let mut bench = in_use(USER);
    for _ in 0..5 {
        assert!(bench.start(uid::LOCKING_SP, uid::user(2), b"no").is_err());
    }
    let locked_out = bench.start(uid::LOCKING_SP, uid::user(2), SECRET);
    assert_eq!(locked_out, Err(MethodStatus::AUTHORITY_LOCKED_OUT));
    let session = bench.admin1();
    assert_eq!(bench.status(session, &erase(1)), OK);
    bench.end(session);
    let session = owner(&mut bench, 1, b"");
    bench.end(session);
}

#[test]
fn erase_takes_no_parameters_and_is_in_no_transaction() {
    // 5.9.1; what Erase does cannot be rolled back.
    let mut bench = in_use(USER);
    let session = bench.admin1();
    let call = erase(1).optional(0, 1_u64);
    assert_eq!(bench.status(session, &call), INVALID);
    assert_eq!(bench.tokens(session, &[0xfb, 0]), Some(vec![0xfb, 0]));
    assert_eq!(bench.status(session, &erase(1)), MethodStatus::FAIL);
    assert_eq!(bench.status(session, &reactivate()), MethodStatus::FAIL);
    assert_eq!(bench.tokens(session, &[0xfc, 0]), Some(vec![0xfc, 0]));
    assert!(reads(&mut bench, FIRST, 2));
    let call = crate::support::start_session(uid::LOCKING_SP, false, None);
    bench.end(session);
    let session = bench.start_with(&call).unwrap();
    assert_eq!(bench.authenticate(session, uid::ADMIN1, OWNER), Ok(true));
    assert_eq!(
        bench.status(session, &erase(1)),
        REFUSED,
        "read-only session"
    );
    assert_eq!(bench.status(session, &reactivate()), REFUSED);
}

#[test]
fn what_an_owner_sets_in_a_transaction_can_be_rolled_back() {
    // 2.4; the ranges in Single User Mode are no exception.
    let mut bench = in_use(USER);
    for (end, locked) in [(1, false), (0, true)] {
        let session = owner(&mut bench, 1, SECRET);
        assert_eq!(bench.tokens(session, &[0xfb, 0]), Some(vec![0xfb, 0]));
        lock(&mut bench, session, 1, [true; 4]);
        assert_eq!(bench.tokens(session, &[0xfc, end]), Some(vec![0xfc, end]));
        bench.end(session);
        assert_eq!(bench.drive().read(FIRST, 1).is_err(), locked);
    }
}

#[test]
fn gen_key_by_the_owner_changes_the_key_and_nothing_else() {
    // 5.9.4, last but one row.
    let mut bench = in_use(USER);
    let session = owner(&mut bench, 1, SECRET);
    lock(&mut bench, session, 1, [true, true, false, false]);
    let gen_key = MethodCall::new(uid::k_aes_256(RangeNumber(1)), method::GEN_KEY);
    assert_eq!(bench.status(session, &gen_key), OK);
    assert!(!reads(&mut bench, FIRST, 2) && reads(&mut bench, 0, 1));
    assert_eq!(bench.number(session, range(1), 5), 1);
    bench.end(session);
    let session = owner(&mut bench, 1, SECRET);
    bench.end(session);
}

/// A drive without Single User Mode that somebody has made their own.
fn personalized() -> Bench {
    let mut bench = Bench::active();
    bench.enable_user(2);
    bench.enable_user(3);
    let session = bench.admin1();
    bench.must_set(
        session,
        range(1),
        &[(3, FIRST.into()), (4, 1024_u64.into())],
    );
    bench.must_set(
        session,
        range(1),
        &[(2, "home".into()), (9, numbers(&[0, 3]))],
    );
    let everybody = crate::support::any_of(&[uid::ADMINS, uid::USERS]);
    for low in [0x0003_e002, 0x0003_fc00] {
        let ace = crate::support::ace(low);
        bench.must_set(session, ace, &[(3, everybody.clone())]);
    }
    let mbr_control = [(1, true.into()), (2, true.into())];
    bench.must_set(session, uid::MBR_CONTROL, &mbr_control);
    for table in [uid::MBR, uid::DATA_STORE] {
        assert_eq!(bench.status(session, &set_bytes(table, 0, b"boot")), OK);
    }
    bench.end(session);
    bench.drive().write(0, &block(1)).unwrap();
    bench.drive().write(FIRST, &block(2)).unwrap();
    bench
}

#[test]
fn reactivate_keeps_data_place_and_admin1_and_forgets_the_rest() {
    // 5.9.4, 5.11.
    let mut bench = personalized();
    let session = bench.admin1();
    let call = with(reactivate(), list(&[1]), ADMINS);
    assert_eq!(bench.status(session, &call), OK);
    assert!(!bench.is_open(session), "the TPer ends the session");
    assert!(reads(&mut bench, 0, 1) && reads(&mut bench, FIRST, 2));
    assert_eq!(info(&mut bench), (list(&[1]), ADMINS));

    check_forgotten(&mut bench);
    // The owner begins anew; the other User is out.
    let session = owner(&mut bench, 1, b"");
    bench.end(session);
    for pin in [&b""[..], crate::support::USER] {
        let other = bench.start(uid::LOCKING_SP, uid::user(3), pin);
        assert_eq!(other, Err(REFUSED));
    }
}

/// What Reactivate leaves in the tables, as Admin1 sees it.
fn check_forgotten(bench: &mut Bench) {
    let session = bench.admin1();
    assert_eq!(bench.number(session, range(1), 3), FIRST);
    assert_eq!(bench.number(session, range(1), 4), 1024);
    assert_eq!(bench.cell(session, range(1), 9), numbers(&[0]));
    assert_eq!(bench.cell(session, range(1), 2), "".into());
    let admins = crate::support::any_of(&[uid::ADMINS]);
    for low in [0x0003_e002, 0x0003_fc00] {
        let found = bench.cell(session, crate::support::ace(low), 3);
        assert_eq!(found, admins, "{low:08x}");
    }
    assert_eq!(bench.number(session, uid::user(3), 5), 0);
    assert_eq!(bench.number(session, uid::MBR_CONTROL, 1), 0);
    for table in [uid::MBR, uid::DATA_STORE] {
        let bytes = bench.call(session, &get_bytes(table, 0..=3)).unwrap();
        assert_eq!(bytes, [Value::bytes(b"boot")]);
    }
    bench.end(session);
}

#[test]
fn reactivate_fails_while_a_lock_of_any_range_is_enabled() {
    // 5.9.4, 8.1 number 32.
    for number in [0, 1, 8] {
        for column in [5, 6] {
            let mut bench = personalized();
            let session = bench.admin1();
            bench.must_set(session, range(number), &[(column, true.into())]);
            let call = with(reactivate(), list(&[1]), ADMINS);
            assert_eq!(bench.status(session, &call), MethodStatus::FAIL);
            assert!(bench.is_open(session), "nothing has changed");
            assert_eq!(bench.number(session, uid::user(3), 5), 1);
            bench.must_set(session, range(number), &[(column, false.into())]);
            assert_eq!(bench.status(session, &call), OK);
        }
    }
    // Locked without being enabled is no lock.
    let mut bench = personalized();
    let session = bench.admin1();
    bench.must_set(session, range(1), &[(7, true.into()), (8, true.into())]);
    assert_eq!(bench.status(session, &reactivate()), OK);
}

#[test]
fn a_locked_range_of_a_user_keeps_admins_from_reactivating() {
    // 5.9.4: what Admins can do about it is Erase.
    let mut bench = in_use(USER);
    let session = owner(&mut bench, 1, SECRET);
    lock(&mut bench, session, 1, [true; 4]);
    bench.end(session);
    let session = bench.admin1();
    assert_eq!(bench.status(session, &reactivate()), MethodStatus::FAIL);
    assert_eq!(bench.status(session, &erase(1)), OK);
    assert_eq!(bench.status(session, &reactivate()), OK);
    assert!(!reads(&mut bench, FIRST, 2));
    assert_eq!(info(&mut bench), (list(&[]), 0));
    assert_eq!(bits(&mut bench), 0x04);
}

#[test]
fn reactivate_without_a_list_ends_single_user_mode() {
    // 5.9.1: no 0x060000 = SUM off.
    for call in [reactivate(), reactivate().optional(0x06_0000, list(&[]))] {
        let mut bench = in_use(USER);
        let session = bench.admin1();
        assert_eq!(bench.status(session, &call), OK);
        assert_eq!(info(&mut bench), (list(&[]), 0));
        let user2 = bench.start(uid::LOCKING_SP, uid::user(2), SECRET);
        assert_eq!(user2, Err(REFUSED), "disabled again");
        assert!(reads(&mut bench, FIRST, 2), "data stay");
        let session = bench.admin1();
        bench.must_set(session, range(1), &[(5, true.into()), (7, true.into())]);
        assert_eq!(bench.status(session, &erase(1)), REFUSED);
    }
}

#[test]
fn reactivate_sets_the_pin_of_admin1_if_one_is_given() {
    // 5.9.1: Admin1PIN, 0x060002.
    let mut bench = personalized();
    let session = bench.admin1();
    let call = reactivate().optional(0x06_0002, "newadmin");
    assert_eq!(bench.status(session, &call), OK);
    let old = bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER);
    assert_eq!(old, Err(REFUSED));
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"newadmin");
    bench.end(session.unwrap());
    let session = bench.sid();
    bench.end(session);
}

#[test]
fn another_admin_may_reactivate_and_is_gone_afterwards() {
    // 5.9.1: Admins; 5.9.4: Users and PINs to OFS, Admin1's unchanged.
    let mut bench = personalized();
    let session = bench.admin1();
    let admin2 = uid::admin(2);
    bench.must_set(session, admin2, &[(5, true.into())]);
    bench.must_set(session, uid::c_pin(admin2), &[(3, "two".into())]);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, admin2, b"two").unwrap();
    assert_eq!(bench.status(session, &reactivate()), OK);
    let again = bench.start(uid::LOCKING_SP, admin2, b"two");
    assert_eq!(again, Err(REFUSED));
    let session = bench.admin1();
    bench.end(session);
}

#[test]
fn reactivate_cuts_data_store_tables_anew() {
    // 5.11: resized by the parameter alone; contents after a resize are vendor unique, here zeros.
    let mut bench = personalized();
    let session = bench.admin1();
    let sizes = reactivate().optional(0x06_0003, numbers(&[8, 4096]));
    assert_eq!(bench.status(session, &sizes), OK);
    let session = bench.admin1();
    let descriptor = |number| uid::data_store(number).table_descriptor();
    assert_eq!(bench.number(session, descriptor(1), 7), 8);
    assert_eq!(bench.number(session, descriptor(2), 7), 4096);
    let zeros = bench.call(session, &get_bytes(uid::DATA_STORE, 0..=7));
    assert_eq!(zeros, Ok(vec![Value::bytes(&[0; 8])]));
    let second = set_bytes(uid::data_store(2), 0, b"second");
    assert_eq!(bench.status(session, &second), OK);
    assert_eq!(bench.status(session, &reactivate()), OK);
    let session = bench.admin1();
    let kept = bench.call(session, &get_bytes(uid::data_store(2), 0..=5));
    assert_eq!(kept, Ok(vec![Value::bytes(b"second")]));
}

/// Everything that ends Single User Mode, by who does it.
fn endings() -> [(Uid, Uid, &'static [u8], MethodCall); 4] {
    let revert = |sp| MethodCall::new(sp, method::REVERT);
    [
        (
            uid::LOCKING_SP,
            uid::ADMIN1,
            OWNER,
            MethodCall::new(uid::THIS_SP, method::REVERT_SP),
        ),
        (uid::ADMIN_SP, uid::SID, OWNER, revert(uid::LOCKING_SP)),
        (uid::ADMIN_SP, uid::SID, OWNER, revert(uid::ADMIN_SP)),
        (uid::ADMIN_SP, uid::PSID, PSID, revert(uid::ADMIN_SP)),
    ]
}

#[test]
fn every_revert_ends_single_user_mode() {
    // 5.9.4: RevertSP and Revert end it altogether, also over a locked range.
    for (sp, authority, pin, call) in endings() {
        let mut bench = in_use(USER);
        let session = owner(&mut bench, 1, SECRET);
        lock(&mut bench, session, 1, [true; 4]);
        bench.end(session);
        let session = bench.start(sp, authority, pin).unwrap();
        assert_eq!(status_of(bench.call(session, &call)), OK, "{call:?}");
        assert_eq!(bits(&mut bench), 0x04);
        assert!(!reads(&mut bench, FIRST, 2) && !reads(&mut bench, 0, 1));
        // Activated plainly, it is a plain Opal drive.
        let pin = if call.invoking_id == uid::ADMIN_SP {
            MSID
        } else {
            OWNER
        };
        if bench.is_open(session) {
            bench.end(session);
        }
        let session = bench.start(uid::ADMIN_SP, uid::SID, pin).unwrap();
        assert_eq!(bench.status(session, &activate()), OK);
        bench.end(session);
        assert_eq!(info(&mut bench), (list(&[]), 0));
        for pin in [SECRET, b""] {
            let user2 = bench.start(uid::LOCKING_SP, uid::user(2), pin);
            assert_eq!(user2, Err(REFUSED));
        }
        let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, pin).unwrap();
        bench.must_set(session, range(1), &[(7, true.into())]);
    }
}

#[test]
fn revert_sp_keeps_the_global_range_of_a_user_too() {
    // 5.4.3: the same condition, whoever owns the range.
    for (locked, status) in [(true, MethodStatus::FAIL), (false, OK)] {
        let mut bench = with_ranges(&[0], USER);
        bench.drive().write(0, &block(1)).unwrap();
        let session = owner(&mut bench, 0, b"");
        lock(&mut bench, session, 0, [true, true, locked, locked]);
        bench.end(session);
        let session = bench.admin1();
        let keep = MethodCall::new(uid::THIS_SP, method::REVERT_SP).optional(0x06_0000, true);
        assert_eq!(bench.status(session, &keep), status);
        if !locked {
            assert!(reads(&mut bench, 0, 1));
        }
    }
}

#[test]
fn users_keep_their_ranges_over_the_file_and_a_power_cycle() {
    // Appendix C: what is in Single User Mode is non-volatile.
    let mut bench = activated(
        Bench::reopening(|_| {}),
        &with(activate(), list(&[1, 2]), ADMINS),
    );
    own_pin(&mut bench, 1);
    bench.drive().power_cycle().unwrap();
    bench.reopen();
    assert_eq!(info(&mut bench), (list(&[1, 2]), ADMINS));
    let session = owner(&mut bench, 1, SECRET);
    bench.end(session);
    let session = owner(&mut bench, 2, b"");
    bench.end(session);
    let session = bench.admin1();
    assert_eq!(bench.status(session, &erase(1)), OK);
    assert_eq!(bench.status(session, &reactivate()), OK);
    bench.reopen();
    assert_eq!(info(&mut bench), (list(&[]), 0));
}
