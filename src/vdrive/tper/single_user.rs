//! What is in Single User Mode: the ranges that belong to one User each, and whose their start and
//! length are (\[Single User Mode\]; reference 5.9).
//!
//! Activate and Reactivate decide it, and it follows from nothing that a host may set. What it means
//! for the rows and for who may do what stands in `tables::single_user`.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Tper;
use super::byte_store::AreaName;
use super::cell::Cell;
use super::removal::whole;
use super::state::Contents;
use super::tables::{SpId, locking};
use crate::spec::{MethodStatus, RangeNumber, RangePolicy, Uid, column, uid};
use crate::vdrive::profile::Profile;

/// The ranges in Single User Mode.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SingleUser {
    ranges: Selection,
    /// Admins own RangeStart and RangeLength, not the User.
    admins_place: bool,
}

/// Which ranges were selected.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Selection {
    /// None: there is no Single User Mode.
    #[default]
    None,
    /// The Locking table, and so every range.
    Table,
    /// These ranges, by number.
    Ranges(BTreeSet<u16>),
}

impl SingleUser {
    /// These ranges; of none, nobody places anything.
    pub(crate) fn new(ranges: Selection, policy: RangePolicy) -> Self {
        match ranges {
            Selection::Ranges(ranges) if ranges.is_empty() => Self::default(),
            Selection::None => Self::default(),
            ranges => Self {
                ranges,
                admins_place: policy == RangePolicy::ADMINS,
            },
        }
    }

    /// True if no range is in Single User Mode.
    pub(crate) const fn is_off(&self) -> bool {
        matches!(self.ranges, Selection::None)
    }

    /// True if the range is in Single User Mode.
    pub(crate) fn contains(&self, range: RangeNumber) -> bool {
        match &self.ranges {
            Selection::None => false,
            Selection::Table => true,
            Selection::Ranges(ranges) => ranges.contains(&range.0),
        }
    }

    /// Who sets RangeStart and RangeLength of the ranges in Single User Mode.
    pub(crate) const fn policy(&self) -> RangePolicy {
        if self.admins_place {
            RangePolicy::ADMINS
        } else {
            RangePolicy::USER
        }
    }

    /// Column SingleUserModeRanges of LockingInfo: the Locking table, or the rows.
    pub(crate) fn cell(&self) -> Cell {
        match &self.ranges {
            Selection::None => Cell::uids([]),
            Selection::Table => Cell::Reference(uid::LOCKING),
            Selection::Ranges(ranges) => {
                let rows = ranges.iter().map(|&range| RangeNumber(range));
                Cell::uids(rows.map(uid::locking_range))
            }
        }
    }

    /// True if a drive of this model can be in this state.
    pub(crate) fn is_possible(&self, profile: &Profile) -> bool {
        let is_owned =
            |number: &u16| locking::owned_ranges(profile).any(|range| range.0 == *number);
        let exist = match &self.ranges {
            Selection::None => return !self.admins_place,
            Selection::Table => true,
            Selection::Ranges(ranges) => !ranges.is_empty() && ranges.iter().all(is_owned),
        };
        profile.has_single_user_mode() && exist
    }
}

/// What Reactivate leaves of a range: where it lies.
const KEPT: [u64; 2] = [column::locking::RANGE_START, column::locking::RANGE_LENGTH];

/// What Erase takes off a range (\[Single User Mode\]; reference 5.9.4).
const LOCKS: [u64; 4] = [
    column::locking::READ_LOCK_ENABLED,
    column::locking::WRITE_LOCK_ENABLED,
    column::locking::READ_LOCKED,
    column::locking::WRITE_LOCKED,
];

impl Tper {
    /// Puts other ranges into Single User Mode. A PIN and sizes that are not given stay as they are;
    /// DataStore tables of other sizes are empty.
    pub(super) fn reactivate(
        &mut self,
        single_user: SingleUser,
        pin: Option<&Cell>,
        sizes: Option<Vec<u64>>,
    ) {
        let kept = self.kept_contents(pin);
        self.forget_tries_of_users_and_admins(pin.is_some());
        let state = self.edit();
        state.locking = kept;
        state.single_user = single_user;
        if let Some(sizes) = sizes {
            let length = state.profile.locking.data_store_size;
            state.data_stores = sizes;
            state.pending.push(whole(AreaName::DataStore, length));
        }
        self.rebuild();
    }

    /// The cells that Reactivate leaves.
    fn kept_contents(&self, new_pin: Option<&Cell>) -> Contents {
        let before = &self.state.locking;
        let mut kept = Contents::default();
        for row in locking::ranges(&self.state.profile).map(uid::locking_range) {
            kept.copy(before, row, &KEPT);
        }
        let admin1 = uid::c_pin(uid::ADMIN1);
        match new_pin {
            Some(pin) => kept.set(admin1, column::c_pin::PIN, pin.clone()),
            None => kept.copy(before, admin1, &[column::c_pin::PIN]),
        }
        kept
    }

    /// A PIN that is replaced takes its count with it.
    fn forget_tries_of_users_and_admins(&mut self, of_admin1: bool) {
        let admin1 = uid::c_pin(uid::ADMIN1);
        let rows = self.catalogue.sp(SpId::Locking).rows_of(uid::C_PIN);
        let rows: Vec<Uid> = rows.filter(|row| of_admin1 || *row != admin1).collect();
        for row in rows {
            self.forget_tries(row);
        }
    }

    /// Makes a range in Single User Mode as nobody had ever used it: a new key, no locks, and its
    /// User with the empty PIN. It stays where it lies.
    pub(super) fn erase(&mut self, range: RangeNumber) -> Result<(), MethodStatus> {
        self.replace_keys(&[range])?;
        let row = uid::locking_range(range);
        let c_pin = uid::c_pin(uid::range_owner(range));
        let locking = &mut self.edit().locking;
        for column in LOCKS {
            locking.set(row, column, false);
        }
        locking.set(row, column::locking::LOCK_ON_RESET, Cell::set([0]));
        locking.set(c_pin, column::c_pin::PIN, Cell::empty());
        self.forget_tries(c_pin);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdrive::profile::Feature;

    fn ranges(numbers: &[u16]) -> Selection {
        Selection::Ranges(numbers.iter().copied().collect())
    }

    #[test]
    fn a_selection_of_nothing_is_no_single_user_mode() {
        // Reference 5.9.1: an empty list is SUM off.
        let off = SingleUser::new(ranges(&[]), RangePolicy::ADMINS);
        assert_eq!(off, SingleUser::default());
        assert!(off.is_off());
        assert_eq!(off.policy(), RangePolicy::USER);
        assert_eq!(off.cell(), Cell::uids([]));
    }

    #[test]
    fn ranges_are_listed_in_ascending_order() {
        // Reference 7.48.4, appendix B.
        let some = SingleUser::new(ranges(&[3, 0]), RangePolicy::USER);
        let rows = [
            uid::LOCKING_GLOBAL_RANGE,
            uid::locking_range(RangeNumber(3)),
        ];
        assert_eq!(some.cell(), Cell::uids(rows));
        assert!(some.contains(RangeNumber(3)) && !some.contains(RangeNumber(1)));
        let all = SingleUser::new(Selection::Table, RangePolicy::ADMINS);
        assert_eq!(all.cell(), Cell::Reference(uid::LOCKING));
        assert!(all.contains(RangeNumber(8)));
    }

    #[test]
    fn a_drive_has_only_the_ranges_of_its_profile() {
        let profile = Profile::opal2();
        let is_possible = |ranges| SingleUser::new(ranges, RangePolicy::USER).is_possible(&profile);
        assert!(is_possible(ranges(&[0, 8])) && is_possible(Selection::Table));
        assert!(!is_possible(ranges(&[9])));
        let mut without = Profile::opal2();
        without.discovery.remove(&Feature::SingleUserMode);
        let all = SingleUser::new(Selection::Table, RangePolicy::USER);
        assert!(!all.is_possible(&without) && SingleUser::default().is_possible(&without));
    }
}
