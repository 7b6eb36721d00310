//! The parameters of Activate and Reactivate, and what LockingInfo and Level 0 show of them.

use sedkit::spec::{MethodStatus, uid};
use sedkit::vdrive::profile::{Feature, Profile};
use sedkit::wire::{MethodCall, Value};

use super::{
    ADMINS, INVALID, OK, REFUSED, USER, activate, activated, bits, erase, info, list, range,
    reactivate, with, with_ranges,
};
use crate::support::{Bench, MSID, OWNER, get, numbers, set_bytes};

const ANY: u8 = 1;
const ALL: u8 = 2;
const POLICY: u8 = 4;

/// The parameters that are refused, on any of the two methods (5.9.1).
fn refused(call: impl Fn() -> MethodCall) -> Vec<MethodCall> {
    let table = || Value::from(uid::LOCKING);
    vec![
        with(call(), list(&[1, 1]), USER),
        with(call(), list(&[9]), USER),
        with(call(), list(&[1]), 2),
        with(call(), list(&[1]), 256),
        with(call(), table(), 2),
        with(call(), uid::MBR, USER),
        with(call(), range(1), USER),
        with(call(), Value::list([table()]), USER),
        with(call(), Value::list([uid::USER1.into()]), USER),
        with(call(), Value::list([1_u64.into()]), USER),
        with(call(), 1_u64, USER),
        call()
            .optional(0x06_0000, list(&[1]))
            .optional(0x06_0001, "1"),
        // A policy of no ranges.
        call().optional(0x06_0001, ADMINS),
        // Out of order, and twice.
        call()
            .optional(0x06_0001, USER)
            .optional(0x06_0000, list(&[1])),
        call()
            .optional(0x06_0000, list(&[1]))
            .optional(0x06_0000, list(&[2])),
        call().argument(1_u64),
    ]
}

#[test]
fn activate_refuses_what_is_no_selection() {
    // 5.9.1, parameter errors; 5.4.1. solidigm-sedcli's 0x060003 is no parameter of Activate.
    let mut bench = Bench::new();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let unknown = activate().optional(0x06_0003, numbers(&[4096]));
    for call in refused(activate).iter().chain([&unknown]) {
        assert_eq!(bench.status(session, call), INVALID, "{call:?}");
    }
    assert_eq!(bench.number(session, uid::LOCKING_SP, 6), 8);
}

#[test]
fn reactivate_refuses_what_is_no_selection_and_the_session_goes_on() {
    // 5.9.1, parameter errors.
    let mut bench = with_ranges(&[2], ADMINS);
    let session = bench.admin1();
    let pins = [
        reactivate().optional(0x06_0002, [b'x'; 33].as_slice()),
        reactivate().optional(0x06_0002, 5_u64),
        reactivate().optional(0x06_0004, 5_u64),
        reactivate().optional(0x06_0003, numbers(&[])),
        reactivate().optional(0x06_0003, numbers(&[0])),
        reactivate().optional(0x06_0003, 5_u64),
    ];
    for call in refused(reactivate).iter().chain(&pins) {
        assert_eq!(bench.status(session, call), INVALID, "{call:?}");
    }
    for sizes in [&[1; 10][..], &[10 << 20, 1], &[u64::MAX, 2]] {
        let call = reactivate().optional(0x06_0003, numbers(sizes));
        let status = bench.status(session, &call);
        assert_eq!(status, MethodStatus::INSUFFICIENT_SPACE, "{sizes:?}");
    }
    assert!(bench.is_open(session));
    bench.end(session);
    assert_eq!(info(&mut bench), (list(&[2]), ADMINS));
}

#[test]
fn a_drive_without_single_user_mode_knows_none_of_it() {
    // 8.1 number 8: optional parameters that are not known are refused.
    let mut bench =
        Bench::with(|options| options.profile.discovery.remove(&Feature::SingleUserMode));
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let calls = [
        activate().optional(0x06_0000, list(&[1])),
        activate().optional(0x06_0000, list(&[])),
        activate().optional(0x06_0001, USER),
    ];
    for call in &calls {
        assert_eq!(bench.status(session, call), INVALID, "{call:?}");
    }
    assert_eq!(bench.status(session, &activate()), OK);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, MSID).unwrap();
    let columns = get(uid::LOCKING_INFO, 0x06_0000..=0x06_0001);
    assert_eq!(bench.status(session, &columns), INVALID);
    assert_eq!(bench.status(session, &reactivate()), REFUSED);
    assert_eq!(bench.status(session, &erase(1)), REFUSED);
    assert_eq!(
        bench.get(session, uid::LOCKING_INFO, 0..=10).unwrap().len(),
        11
    );
}

#[test]
fn locking_info_and_level_0_follow_what_was_asked() {
    // 3.9.8, 5.9.1; appendix B: the table's UID, or a list, empty when it is off.
    let table = || Value::from(uid::LOCKING);
    let all: Vec<u16> = (0..=8).collect();
    let cases: [(MethodCall, (Value, u64), u8); 10] = [
        (activate(), (list(&[]), 0), POLICY),
        (with(activate(), list(&[]), ADMINS), (list(&[]), 0), POLICY),
        (
            activate().optional(0x06_0000, list(&[1])),
            (list(&[1]), USER),
            ANY,
        ),
        (with(activate(), list(&[1]), USER), (list(&[1]), USER), ANY),
        (
            with(activate(), list(&[1]), ADMINS),
            (list(&[1]), ADMINS),
            ANY | POLICY,
        ),
        (
            with(activate(), list(&[3, 0]), USER),
            (list(&[0, 3]), USER),
            ANY,
        ),
        (
            activate().optional(0x06_0000, table()),
            (table(), USER),
            ANY | ALL,
        ),
        (
            with(activate(), table(), ADMINS),
            (table(), ADMINS),
            ANY | ALL | POLICY,
        ),
        (
            with(activate(), list(&all), USER),
            (list(&all), USER),
            ANY | ALL,
        ),
        (
            with(activate(), list(&all[1..]), USER),
            (list(&all[1..]), USER),
            ANY,
        ),
    ];
    for (call, expected, level0) in cases {
        let mut bench = Bench::new();
        assert_eq!(bits(&mut bench), POLICY, "inactive");
        let mut bench = activated(bench, &call);
        assert_eq!(info(&mut bench), expected, "{call:?}");
        assert_eq!(bits(&mut bench), level0, "{call:?}");
        assert_eq!(bench.feature(0x0201)[..8], [2, 1, 0x10, 0x0c, 0, 0, 0, 9]);
    }
}

#[test]
fn a_range_without_a_user_cannot_be_in_single_user_mode() {
    // 3.9.8, appendix A.7: 192 Locking objects on a drive of 192 ranges and 192 Users.
    let mut bench = Bench::with(|options| {
        options.profile = Profile::named("kioxia-cm6").unwrap();
        options.size = 520 << 10;
    });
    let feature = bench.feature(0x0201);
    assert_eq!(feature[2..9], [0x10, 0x0c, 0, 0, 0, 0xc0, POLICY]);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let last = activate().optional(0x06_0000, list(&[191, 192]));
    assert_eq!(bench.status(session, &last), INVALID);
    bench.end(session);
    let whole = activate().optional(0x06_0000, uid::LOCKING);
    let mut bench = activated(bench, &whole);
    assert_eq!(bits(&mut bench), ANY | ALL);
    let session = bench.admin1();
    bench.must_set(session, range(192), &[(5, true.into())]);
    assert_eq!(bench.set(session, range(191), &[(5, true.into())]), REFUSED);
    assert_eq!(bench.status(session, &erase(192)), REFUSED);
    assert_eq!(bench.status(session, &erase(191)), OK);
    bench.end(session);
    let session = super::owner(&mut bench, 191, b"");
    bench.must_set(session, range(191), &[(5, true.into())]);
}

#[test]
fn the_policy_bit_is_set_in_a_frozen_locking_sp() {
    // 3.9.8: whenever the Locking SP is in any state other than Manufactured or Issued.
    let mut bench = Bench::new();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let call = with(activate(), list(&[1]), USER);
    assert_eq!(bench.status(session, &call), OK);
    bench.end(session);
    assert_eq!(bits(&mut bench), ANY);
    bench.send(0x02, 0x0005, &[0, 1]).unwrap();
    assert_eq!(bits(&mut bench), ANY | POLICY);
    bench.drive().power_cycle().unwrap();
    assert_eq!(bits(&mut bench), ANY);
}

#[test]
fn all_columns_of_locking_info_come_in_ascending_order() {
    // 5.9.5: exactly the two columns where they are asked for.
    let mut bench = with_ranges(&[1], USER);
    let session = bench.start_anybody(uid::LOCKING_SP);
    let columns = |cells: Vec<(u64, Value)>| -> Vec<u64> {
        cells.into_iter().map(|(column, _)| column).collect()
    };
    let all = bench
        .get(session, uid::LOCKING_INFO, 0..=0x06_0001)
        .unwrap();
    let expected: Vec<u64> = (0..=10).chain([0x06_0000, 0x06_0001]).collect();
    assert_eq!(columns(all), expected);
    let one = bench
        .get(session, uid::LOCKING_INFO, 11..=0x06_0000)
        .unwrap();
    assert_eq!(columns(one), [0x06_0000]);
    let none = bench
        .get(session, uid::LOCKING_INFO, 11..=0x05_ffff)
        .unwrap();
    assert!(columns(none).is_empty());
    let beyond = get(uid::LOCKING_INFO, 0..=0x06_0002);
    assert_eq!(bench.status(session, &beyond), INVALID);
}

#[test]
fn activate_of_an_active_sp_changes_nothing() {
    // 5.4.1: any other state, ACL satisfied: SUCCESS, no effect.
    let mut bench = with_ranges(&[1], ADMINS);
    let session = bench.sid();
    for call in [activate(), with(activate(), list(&[2]), USER)] {
        assert_eq!(bench.status(session, &call), OK);
    }
    bench.end(session);
    assert_eq!(info(&mut bench), (list(&[1]), ADMINS));
}

#[test]
fn activate_makes_data_store_tables_beside_single_user_mode() {
    // 5.4.1: DataStoreTableSizes is the third parameter of Activate.
    let call = with(activate(), list(&[1]), USER).optional(0x06_0002, numbers(&[4096, 100]));
    let mut bench = activated(Bench::new(), &call);
    let session = bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER).unwrap();
    let rows = uid::data_store(2).table_descriptor();
    assert_eq!(bench.number(session, rows, 7), 100);
    let set = set_bytes(uid::data_store(2), 96, b"last");
    assert_eq!(bench.status(session, &set), OK);
}
