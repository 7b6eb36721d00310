//! Who may do what: every caller tries every row of section 5.9.3, appendix D style.

use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use super::{ADMINS, OK, REFUSED, SECRET, USER, erase, range, with_ranges};
use crate::support::{
    Bench, OWNER, Session, ace, any_of, get, get_bytes, numbers, random, set, set_bytes,
};

/// Who tries; the drive has Range1 and the Global range in Single User Mode, Range2 not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Anybody,
    /// The owner of Range1.
    User2,
    /// The owner of the Global range.
    User1,
    /// A User whose range, Range2, is not in Single User Mode.
    User3,
    Admin1,
    /// An Admin that Admin1 has enabled.
    Admin2,
}

use Caller::{Admin1, Admin2, Anybody, User1, User2, User3};

const CALLERS: [Caller; 6] = [Anybody, User2, User1, User3, Admin1, Admin2];

/// A drive that is ready for all callers, with the PIN [`SECRET`] but for Admin1.
fn prepared(policy: u64) -> Bench {
    let mut bench = with_ranges(&[0, 1], policy);
    let admin1 = bench.admin1();
    for (authority, pin) in [(uid::admin(2), "admin2"), (uid::user(3), "user3")] {
        let enabled = (column::authority::ENABLED, true.into());
        bench.must_set(admin1, authority, &[enabled]);
        bench.must_set(admin1, uid::c_pin(authority), &[(3, pin.into())]);
    }
    bench.end(admin1);
    for user in [1, 2] {
        let session = bench.start(uid::LOCKING_SP, uid::user(user), b"").unwrap();
        bench.must_set(session, uid::c_pin(uid::user(user)), &[(3, SECRET.into())]);
        bench.end(session);
    }
    bench
}

fn session_of(bench: &mut Bench, caller: Caller) -> Session {
    let (authority, pin): (Uid, &[u8]) = match caller {
        Anybody => return bench.start_anybody(uid::LOCKING_SP),
        User1 => (uid::user(1), SECRET),
        User2 => (uid::user(2), SECRET),
        User3 => (uid::user(3), b"user3"),
        Admin1 => (uid::ADMIN1, OWNER),
        Admin2 => (uid::admin(2), b"admin2"),
    };
    bench.start(uid::LOCKING_SP, authority, pin).unwrap()
}

fn on(object: Uid, method: Uid) -> MethodCall {
    MethodCall::new(object, method)
}

fn pin(authority: Uid) -> MethodCall {
    set(uid::c_pin(authority), &[(column::c_pin::PIN, "new".into())])
}

fn cell(row: Uid, column: u64, value: impl Into<Value>) -> MethodCall {
    set(row, &[(column, value.into())])
}

fn gen_key(number: u16) -> MethodCall {
    on(uid::k_aes_256(RangeNumber(number)), method::GEN_KEY)
}

fn expression(low: u32) -> MethodCall {
    set(ace(low), &[(3, any_of(&[uid::ADMINS]))])
}

/// Calls, and who may make them.
type Line = (Vec<Caller>, Vec<MethodCall>);

/// The rows of 5.9.3, for Range1 and the Global range.
fn lines(policy: u64) -> Vec<Line> {
    let admins = vec![Admin1, Admin2];
    let placers = |owner| match policy {
        ADMINS => admins.clone(),
        _ => vec![owner],
    };
    vec![
        (vec![User2], of_the_owner(1, 2)),
        (vec![User1], of_the_owner(0, 1)),
        (placers(User2), of_the_placer()),
        (placers(User1), vec![cell(range(0), 2, "name")]),
        (vec![User2, Admin1, Admin2], vec![erase(1)]),
        (vec![User1, Admin1, Admin2], vec![erase(0)]),
        (CALLERS.to_vec(), of_everybody()),
        (admins.clone(), of_admins_as_ever()),
        (vec![], of_nobody()),
        (vec![User3, Admin1, Admin2], vec![pin(uid::user(3))]),
    ]
}

fn of_the_owner(number: u16, user: u16) -> Vec<MethodCall> {
    let row = range(number);
    let flags = [(5, true), (6, true), (7, true), (8, true)];
    let flags = flags.map(|(column, value)| (column, Value::from(value)));
    let mut calls: Vec<_> = (5..=8).map(|column| cell(row, column, true)).collect();
    calls.extend([
        set(row, &flags),
        cell(row, 9, numbers(&[0, 3])),
        pin(uid::user(user)),
        gen_key(number),
    ]);
    calls
}

fn of_the_placer() -> Vec<MethodCall> {
    vec![
        cell(range(1), 3, 8_u64),
        cell(range(1), 4, 8_u64),
        set(range(1), &[(3, 8_u64.into()), (4, 16_u64.into())]),
        cell(range(1), 2, "name"),
    ]
}

fn of_everybody() -> Vec<MethodCall> {
    vec![
        get(range(1), 0..=10),
        get(range(0), 3..=10),
        get(uid::LOCKING_INFO, 0x06_0000..=0x06_0001),
        get(uid::MBR_CONTROL, 1..=3),
        get_bytes(uid::MBR, 0..=9),
        on(uid::LOCKING, method::NEXT),
        random(8),
    ]
}

/// MBR, DataStore, other ranges and other Users are as without Single User Mode.
fn of_admins_as_ever() -> Vec<MethodCall> {
    vec![
        get(uid::c_pin(uid::user(2)), 4..=7),
        cell(uid::MBR_CONTROL, 1, true),
        cell(uid::MBR_CONTROL, 2, true),
        set_bytes(uid::MBR, 0, b"x"),
        get_bytes(uid::DATA_STORE, 0..=9),
        set_bytes(uid::DATA_STORE, 0, b"x"),
        set(range(2), &[(3, 8_u64.into()), (4, 8_u64.into())]),
        cell(range(2), 7, true),
        gen_key(2),
        expression(0x0003_e002),
        expression(0x0003_b802),
        expression(0x0003_a803),
        cell(uid::user(3), column::authority::ENABLED, true),
        cell(uid::user(2), column::authority::COMMON_NAME, "name"),
        get(ace(0x0003_e001), 0..=4),
        on(uid::THIS_SP, method::REVERT_SP),
        on(uid::THIS_SP, method::REACTIVATE),
    ]
}

fn of_nobody() -> Vec<MethodCall> {
    let mut calls = vec![
        cell(uid::user(1), column::authority::ENABLED, false),
        cell(uid::user(2), column::authority::ENABLED, false),
        cell(uid::user(2), column::authority::ENABLED, true),
        cell(range(0), 3, 0_u64),
        cell(range(0), 4, 0_u64),
        cell(range(1), 10, uid::k_aes_256(RangeNumber(1))),
        // Range2 is not in Single User Mode.
        erase(2),
    ];
    // The ACEs involved, and those of the feature set.
    let aces = [
        0x0003_a801,
        0x0003_a802,
        0x0003_b800,
        0x0003_b801,
        0x0003_d000,
        0x0003_d001,
        0x0003_e000,
        0x0003_e001,
        0x0003_e800,
        0x0003_e801,
        0x0004_0000,
        0x0004_0001,
        0x0004_1001,
    ];
    calls.extend(aces.map(expression));
    calls
}

#[test]
fn each_caller_does_what_the_overlay_says() {
    // Each call on a drive of its own, so that none depends on another.
    for policy in [USER, ADMINS] {
        for (allowed, calls) in lines(policy) {
            for call in &calls {
                for caller in CALLERS {
                    let mut bench = prepared(policy);
                    let session = session_of(&mut bench, caller);
                    let expected = if allowed.contains(&caller) {
                        OK
                    } else {
                        REFUSED
                    };
                    let found = bench.status(session, call);
                    assert_eq!(found, expected, "{call:?} by {caller:?}, policy {policy}");
                }
            }
        }
    }
}

#[test]
fn a_set_of_place_and_locks_at_once_is_the_owners_alone() {
    // Reference 5.1 number 6: every column must be covered.
    let call = set(range(1), &[(4, 8_u64.into()), (5, true.into())]);
    for (policy, expected) in [(USER, OK), (ADMINS, REFUSED)] {
        for caller in CALLERS {
            let mut bench = prepared(policy);
            let session = session_of(&mut bench, caller);
            let expected = if caller == User2 { expected } else { REFUSED };
            assert_eq!(
                bench.status(session, &call),
                expected,
                "{caller:?} {policy}"
            );
        }
    }
}

#[test]
fn admin_and_owner_together_may_what_each_may() {
    // Reference 5.1 numbers 3 and 5.
    let mut bench = prepared(ADMINS);
    let session = session_of(&mut bench, Admin1);
    let call = set(range(1), &[(4, 8_u64.into()), (5, true.into())]);
    assert_eq!(bench.status(session, &call), REFUSED);
    assert_eq!(bench.authenticate(session, uid::user(2), SECRET), Ok(true));
    assert_eq!(bench.status(session, &call), OK);
}

#[test]
fn no_ace_lets_a_stranger_into_a_range() {
    // 5.9.2: nobody can put another authority into the ACEs of the range. What an Admin may set
    // opens nothing of it.
    let mut bench = prepared(USER);
    let session = session_of(&mut bench, Admin1);
    let everybody = any_of(&[uid::ADMINS, uid::user(3)]);
    let rows = bench.call(session, &on(uid::ACE, method::NEXT)).unwrap();
    let rows: Vec<Uid> = rows[0]
        .as_list()
        .unwrap()
        .iter()
        .map(|r| r.as_uid().unwrap())
        .collect();
    let opened = rows
        .iter()
        .filter(|row| bench.set(session, **row, &[(3, everybody.clone())]) == OK);
    assert!(opened.count() > 20);
    bench.end(session);
    for caller in [User3, Admin1] {
        let session = session_of(&mut bench, caller);
        for call in of_the_owner(1, 2).iter().chain(&of_the_placer()) {
            assert_eq!(bench.status(session, call), REFUSED, "{call:?}");
        }
        bench.end(session);
    }
}

#[test]
fn get_acl_shows_the_overlay() {
    // 5.9.3: the ordinary ACEs leave the lists of the range.
    let mut bench = prepared(USER);
    let session = session_of(&mut bench, Anybody);
    let mut acl = |object: Uid, method: Uid| -> Result<Vec<u32>, MethodStatus> {
        let call = on(uid::ACCESS_CONTROL, method::GET_ACL)
            .argument(object)
            .argument(method);
        let results = bench.call(session, &call)?;
        let aces = results[0].as_list().unwrap().iter();
        Ok(aces.map(|ace| ace.as_uid().unwrap().low()).collect())
    };
    let set = acl(range(1), method::SET).unwrap();
    assert!(set.contains(&0x0004_0001) && set.contains(&0x0004_1001));
    assert!(set.iter().all(|ace| *ace >= 0x0004_0000));
    let global = acl(range(0), method::SET).unwrap();
    assert!(global.contains(&0x0004_0000) && !global.contains(&0x0004_1000));
    assert_eq!(acl(range(2), method::SET).unwrap()[0], 0x0003_f001);
    assert_eq!(acl(range(1), method::ERASE).unwrap().len(), 1);
    assert_eq!(
        acl(range(2), method::ERASE),
        Err(MethodStatus::INVALID_PARAMETER)
    );
    assert_eq!(acl(uid::user(2), method::SET).unwrap(), [0x0004_4002]);
    assert_eq!(acl(uid::THIS_SP, method::REACTIVATE).unwrap(), [0x02]);
}

#[test]
fn the_aces_of_the_feature_set_say_what_they_grant() {
    // 5.9.3, last paragraph.
    let owner = any_of(&[uid::user(2)]);
    for (policy, placer) in [(USER, owner.clone()), (ADMINS, any_of(&[uid::ADMINS]))] {
        let mut bench = prepared(policy);
        let session = session_of(&mut bench, Admin1);
        for (low, who, columns) in [
            (0x0004_0001, &owner, &[5, 6, 7, 8, 9][..]),
            (0x0004_1001, &placer, &[3, 4]),
            (0x0003_b801, &owner, &[]),
            (0x0003_a802, &owner, &[3]),
        ] {
            assert_eq!(bench.cell(session, ace(low), 3), *who, "{low:08x}");
            assert_eq!(
                bench.cell(session, ace(low), 4),
                numbers(columns),
                "{low:08x}"
            );
        }
    }
}
