//! What Single User Mode changes in the tables of the Locking SP (\[Single User Mode\]; reference
//! 5.9.3).
//!
//! The text of the feature set is not public. Its ACEs have numbers here that nothing else uses;
//! hosts see them in GetACL only.
//!
//! | object, method | who, in Single User Mode |
//! |---|---|
//! | owner's C_PIN, Set | the owner |
//! | owner's Authority, Set of Enabled | nobody: the owner stays enabled |
//! | range, Set of ReadLockEnabled to LockOnReset | the owner |
//! | range, Set of RangeStart, RangeLength, CommonName | the owner, or Admins, by the policy |
//! | range, Get | anybody |
//! | range, Erase | Admins or the owner |
//! | media key, GenKey | the owner |
//! | ACEs of all these, Set | nobody |

use super::access_control::Matrix;
use super::ace::{self, Ace};
use super::{Plan, locking};
use crate::spec::{RangeNumber, RangePolicy, Uid, column, method, uid};

const fn set_read_to_lor(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0004_0000 + range.0 as u32)
}

const fn set_range(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0004_1000 + range.0 as u32)
}

const fn erase(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0004_2000 + range.0 as u32)
}

const fn set_common_name(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0004_3000 + range.0 as u32)
}

/// ReadLockEnabled, WriteLockEnabled, ReadLocked, WriteLocked, LockOnReset.
const READ_TO_LOR: &[u64] = &[5, 6, 7, 8, 9];
/// RangeStart, RangeLength.
const PLACE: &[u64] = &[3, 4];

/// True if the range is in Single User Mode.
pub(super) fn has(plan: &Plan<'_>, range: RangeNumber) -> bool {
    range.0 < plan.profile.locking.users && plan.single_user.contains(range)
}

/// The ranges in Single User Mode.
fn ranges(plan: &Plan<'_>) -> impl Iterator<Item = RangeNumber> {
    locking::owned_ranges(plan.profile).filter(|range| has(plan, *range))
}

/// The number of the User to whom a range belongs.
const fn owner_number(range: RangeNumber) -> u16 {
    range.0.saturating_add(1)
}

/// True if a range in Single User Mode belongs to this User.
pub(super) fn is_owner(plan: &Plan<'_>, user: u16) -> bool {
    let range = RangeNumber(user.saturating_sub(1));
    range.0 <= plan.profile.locking.ranges && plan.single_user.contains(range)
}

/// The ACEs GenKey, Get, RdLocked and WrLocked of a range, as they are in Single User Mode. The
/// last two stand in no access control list then.
pub(super) fn change(range: RangeNumber, aces: [Ace; 4]) -> [Ace; 4] {
    let [gen_key, get, read_locked, write_locked] = aces;
    [
        gen_key.only_for(&[uid::range_owner(range)]),
        get.only_for(&[uid::ANYBODY]),
        read_locked.only_for(&[uid::ADMINS]),
        write_locked.only_for(&[uid::ADMINS]),
    ]
}

/// The ACEs that the feature set adds.
pub(super) fn aces(plan: &Plan<'_>) -> impl Iterator<Item = Ace> {
    ranges(plan).flat_map(|range| new_aces(plan, range))
}

fn new_aces(plan: &Plan<'_>, range: RangeNumber) -> [Ace; 4] {
    let owner = &[uid::range_owner(range)];
    let placer = match plan.single_user.policy() {
        RangePolicy::ADMINS => &[uid::ADMINS],
        _ => owner,
    };
    let destroyers = &[uid::ADMINS, uid::range_owner(range)];
    let name = locking::name(range);
    let ace = |uid, what, who, columns| ace::fixed(uid, format!("ACE_{name}_{what}"), who, columns);
    [
        ace(set_read_to_lor(range), "Set_ReadToLOR", owner, READ_TO_LOR),
        ace(set_range(range), "Set_Range", placer, PLACE),
        ace(erase(range), "Erase", destroyers, &[]),
        ace(
            set_common_name(range),
            "Set_CommonName",
            placer,
            &[column::locking::COMMON_NAME],
        ),
    ]
}

/// Lays who may do what with ranges in Single User Mode over the matrix of the SSC.
pub(super) fn change_access(plan: &Plan<'_>, matrix: &mut Matrix) {
    if plan.profile.has_single_user_mode() {
        matrix.allow(uid::THIS_SP, method::REACTIVATE, &[ace::ADMIN]);
    }
    for range in ranges(plan) {
        let row = uid::locking_range(range);
        let mut set = vec![set_read_to_lor(range), set_common_name(range)];
        if range != RangeNumber::GLOBAL {
            set.push(set_range(range));
        }
        matrix.allow(row, method::SET, &set);
        matrix.allow(row, method::ERASE, &[erase(range)]);
        let common_name = ace::user_set_common_name(owner_number(range));
        matrix.allow(uid::range_owner(range), method::SET, &[common_name]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_ace_has_the_numbers() {
        // Reference 4.8: 0003FC00 to 0003FCFF are DataStore's, 00044001 on the Users' CommonNames.
        let last = RangeNumber(0x07fe);
        assert!(set_read_to_lor(RangeNumber::GLOBAL) > ace::data_store_set(128));
        assert!(set_read_to_lor(last) < set_range(RangeNumber::GLOBAL));
        assert!(set_range(last) < erase(RangeNumber::GLOBAL));
        assert!(erase(last) < set_common_name(RangeNumber::GLOBAL));
        assert!(set_common_name(last) < ace::user_set_common_name(1));
    }
}
