//! Drives that do not do as they are asked (8.2): the switches of a profile.

use sedkit::spec::uid;
use sedkit::vdrive::profile::{Behaviour, SingleUserPolicy, SingleUserRanges};
use sedkit::wire::Value;

use super::{ADMINS, INVALID, OK, USER, activate, activated, bits, info, list, reactivate, with};
use crate::support::Bench;

fn bench(change: fn(&mut Behaviour)) -> Bench {
    let bench = Bench::with(|options| change(&mut options.profile.behaviour));
    activated(bench, &activate())
}

#[test]
fn a_policy_that_is_ignored_is_seen_when_it_is_read_back() {
    // 5.9.5 step 3: hosts read LockingInfo again.
    let mut bench = bench(|behaviour| behaviour.single_user_policy = SingleUserPolicy::Ignored);
    let session = bench.admin1();
    let call = with(reactivate(), list(&[1]), ADMINS);
    assert_eq!(bench.status(session, &call), OK);
    assert_eq!(info(&mut bench), (list(&[1]), USER));
    assert_eq!(bits(&mut bench), 0x01);
}

#[test]
fn a_policy_that_is_refused_leaves_the_way_without_it() {
    // 5.9.5 step 3: Reactivate again with policy 0, then without.
    let mut bench = bench(|behaviour| behaviour.single_user_policy = SingleUserPolicy::Refused);
    let session = bench.admin1();
    for policy in [ADMINS, USER] {
        let call = with(reactivate(), list(&[1]), policy);
        assert_eq!(bench.status(session, &call), INVALID);
    }
    let without = reactivate().optional(0x06_0000, list(&[1]));
    assert_eq!(bench.status(session, &without), OK);
    assert_eq!(info(&mut bench), (list(&[1]), USER));
}

#[test]
fn a_list_that_is_ignored_puts_every_range_into_it() {
    let mut bench = bench(|behaviour| behaviour.single_user_ranges = SingleUserRanges::All);
    let session = bench.admin1();
    let call = with(reactivate(), list(&[1]), ADMINS);
    assert_eq!(bench.status(session, &call), OK);
    assert_eq!(info(&mut bench), (Value::from(uid::LOCKING), ADMINS));
    assert_eq!(bits(&mut bench), 0x07);
    // Off is off.
    let session = bench.admin1();
    assert_eq!(bench.status(session, &reactivate()), OK);
    assert_eq!(info(&mut bench), (list(&[]), USER));
}

#[test]
fn all_may_be_reported_without_any() {
    // 8.2: Crucial M550 and MX200 report 02.
    let mut bench = bench(|behaviour| behaviour.single_user_any_bit = false);
    let session = bench.admin1();
    let all = reactivate().optional(0x06_0000, uid::LOCKING);
    assert_eq!(bench.status(session, &all), OK);
    assert_eq!(bits(&mut bench), 0x02);
    let session = bench.admin1();
    let some = reactivate().optional(0x06_0000, list(&[1]));
    assert_eq!(bench.status(session, &some), OK);
    assert_eq!(bits(&mut bench), 0x01);
}
