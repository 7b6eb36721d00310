//! Single user mode: ranges that belong to one User each, and to no Admin (\[Single User Mode\]).
//!
//! Range N belongs to User N+1, who alone may lock it, unlock it, replace its key, and set its own
//! PIN; the policy says whether it gives the range its place, too, or whether Admins do. An Admin can
//! only take everything away: the method Erase, Reactivate, and the reverts.
//! Owners are enabled from the start, with an empty PIN: whoever comes first is the owner.
//!
//! Level 0 Discovery tells whether a range is in the mode, and if all are; which ones, where it is
//! some, stands in `LockingInfo`. So drives without such ranges cost no command more.
//!
//! In reading order: `mod` (what the mode is and who may do what), `check` and `error`, `owner` (first PINs),
//! `setup`, `reactivate` with `switch` and `locks`, `plan`.

mod check;
mod error;
mod locks;
mod owner;
mod plan;
mod reactivate;
mod setup;
mod switch;

pub use error::SingleUserError;
pub use owner::{OwnerPin, OwnerReport};
pub use reactivate::{ReactivateReport, Reactivation};
pub use setup::{SingleUserPlan, SingleUserReport};

pub(super) use check::{explained, explained_owner};
pub(super) use plan::arguments as activation;
pub(super) use setup::{Shared, activate};
pub(super) use switch::lockable_by_admins;

use super::error::At;
use super::{Authority, Drive, Error, Step};
use crate::session::{self, Discovery, Policy, Selection, Session};
use crate::spec::column::locking_info;
use crate::spec::{MethodStatus, RangeNumber, Uid, uid};
use crate::wire::Value;

/// Which ranges are in single user mode.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SingleUserRanges {
    /// None: the mode is off.
    #[default]
    None,
    /// These, by their numbers.
    Some(Vec<RangeNumber>),
    /// Every one that the drive has.
    All,
}

/// Who gives ranges in single user mode their places (`RangeStartRangeLengthPolicy`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RangePolicy {
    /// The User of the range.
    #[default]
    User,
    /// Admins.
    Admins,
}

/// The ranges that are in single user mode, and their policy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SingleUserMode {
    /// The ranges.
    pub ranges: SingleUserRanges,
    /// Who gives them their places.
    pub policy: RangePolicy,
}

/// What somebody may set of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Share {
    /// Everything, as far as single user mode is concerned.
    Whole,
    /// Its locks and its key: Admins give it its place.
    Locks,
    /// Its place and its name: the rest is its owner's.
    Place,
    /// Nothing.
    Nothing,
}

impl SingleUserRanges {
    /// These ranges, each once and in order; none is no mode.
    #[must_use]
    pub fn listed(ranges: impl IntoIterator<Item = RangeNumber>) -> Self {
        let mut ranges: Vec<_> = ranges.into_iter().collect();
        ranges.sort_unstable();
        ranges.dedup();
        match ranges.is_empty() {
            true => Self::None,
            false => Self::Some(ranges),
        }
    }

    /// Whether a range is among them.
    #[must_use]
    pub fn include(&self, range: RangeNumber) -> bool {
        match self {
            Self::None => false,
            Self::Some(ranges) => ranges.contains(&range),
            Self::All => true,
        }
    }

    /// Whether these are the same ranges on a drive that has so many, the Global range among them.
    fn are(&self, other: &Self, count: usize) -> bool {
        let counted = |ranges: &Self| match ranges {
            Self::Some(listed) if count > 0 && listed.len() >= count => Self::All,
            ranges => ranges.clone(),
        };
        counted(self) == counted(other)
    }

    /// What a TPer is told; `None` where there are none.
    fn selection(&self) -> Option<Selection> {
        match self {
            Self::None => None,
            Self::Some(ranges) => {
                let objects = ranges.iter().map(|range| uid::locking_range(*range));
                Some(Selection::Objects(objects.collect()))
            }
            Self::All => Some(Selection::Table),
        }
    }
}

impl RangePolicy {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Admins => "admins",
        }
    }

    /// What a TPer is told: nothing where it would take the same without being told, since there are
    /// drives that do not know the parameter.
    const fn parameter(self) -> Option<Policy> {
        match self {
            Self::User => None,
            Self::Admins => Some(Policy::Admins),
        }
    }
}

/// The User to whom a range belongs while it is in single user mode.
#[must_use]
pub fn owner_of(range: RangeNumber) -> Option<Authority> {
    range.0.checked_add(1).map(Authority::User)
}

/// The range that would belong to an authority.
#[must_use]
pub fn range_of(owner: Authority) -> Option<RangeNumber> {
    match owner {
        Authority::User(number) => number.checked_sub(1).map(RangeNumber),
        _ => None,
    }
}

impl SingleUserMode {
    /// What an authority may set of a range.
    pub(super) fn share(&self, range: RangeNumber, acting: Authority) -> Share {
        if !self.ranges.include(range) {
            return Share::Whole;
        }
        let is_owner = owner_of(range) == Some(acting);
        match (is_owner, acting, self.policy) {
            (true, _, RangePolicy::User) => Share::Whole,
            (true, _, RangePolicy::Admins) => Share::Locks,
            (false, Authority::Admin(_), RangePolicy::Admins) => Share::Place,
            (false, ..) => Share::Nothing,
        }
    }

    /// The range that a User owns.
    #[must_use]
    pub fn owned_by(&self, user: Authority) -> Option<RangeNumber> {
        range_of(user).filter(|range| self.ranges.include(*range))
    }

    /// What Level 0 Discovery tells; `None` where it does not tell which ranges.
    fn at_a_glance(discovery: &Discovery) -> Option<Self> {
        let Some(shown) = discovery.single_user_mode() else {
            return Some(Self::default());
        };
        let is_active = discovery.locking().is_some_and(|it| it.locking_enabled);
        match (shown.any, shown.all) {
            _ if !is_active => Some(Self::default()),
            (Some(true), Some(true)) => Some(Self {
                ranges: SingleUserRanges::All,
                policy: match shown.policy_admins {
                    Some(true) => RangePolicy::Admins,
                    _ => RangePolicy::User,
                },
            }),
            // Some drives set ALL without ANY, so that nothing follows from it.
            (Some(true), _) | (_, Some(true)) => None,
            _ => Some(Self::default()),
        }
    }

    /// What `LockingInfo` tells. A TPer without the columns has no such ranges.
    pub(super) fn read(session: &mut Session<'_>) -> Result<Self, session::Error> {
        let columns =
            locking_info::SINGLE_USER_MODE_RANGES..=locking_info::RANGE_START_RANGE_LENGTH_POLICY;
        let row = match session.get(uid::LOCKING_INFO, columns) {
            Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => return Ok(Self::default()),
            row => row?,
        };
        let ranges = match row.value(locking_info::SINGLE_USER_MODE_RANGES) {
            None => SingleUserRanges::None,
            Some(value) if value.as_uid() == Some(uid::LOCKING) => SingleUserRanges::All,
            Some(value) => listed(value),
        };
        let policy = match row.uint(locking_info::RANGE_START_RANGE_LENGTH_POLICY)? {
            Some(1) => RangePolicy::Admins,
            _ => RangePolicy::User,
        };
        Ok(Self { ranges, policy })
    }

    /// What a session knows, or has to ask.
    pub(super) fn known(
        session: &mut Session<'_>,
        at_a_glance: Option<Self>,
    ) -> Result<Self, Error> {
        match at_a_glance {
            Some(known) => Ok(known),
            None => Self::read(session).at(Step::ReadMode),
        }
    }
}

/// A list of rows, or the one row that a careless TPer does not put into a list.
fn listed(value: &Value) -> SingleUserRanges {
    let rows = value.as_list().unwrap_or(std::slice::from_ref(value));
    let numbers = rows.iter().filter_map(Value::as_uid).filter_map(number);
    SingleUserRanges::listed(numbers)
}

fn number(row: Uid) -> Option<RangeNumber> {
    super::range::number(row)
}

impl Drive {
    /// What Level 0 Discovery tells of single user mode; `None` where some ranges are in it, and it
    /// does not tell which.
    #[must_use]
    pub fn single_user_mode_at_a_glance(&self) -> Option<SingleUserMode> {
        SingleUserMode::at_a_glance(self.discovery())
    }

    /// Which ranges are in single user mode, as a drive tells anybody. Nothing is sent where Level 0
    /// Discovery tells that none are. Where another session is open, its end is waited for only for a
    /// moment.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn single_user_mode(&mut self) -> Result<SingleUserMode, Error> {
        if !self.is_active() || !self.may_have_single_users() {
            return Ok(SingleUserMode::default());
        }
        self.in_passing(Self::read_single_user_mode)
    }

    fn read_single_user_mode(&mut self) -> Result<SingleUserMode, Error> {
        let mut session = self.open_as_anybody(uid::LOCKING_SP)?;
        let mode = SingleUserMode::read(&mut session).at(Step::ReadMode)?;
        session.end().at(Step::EndSession)?;
        Ok(mode)
    }

    /// Whether ranges may be in single user mode.
    pub(super) fn may_have_single_users(&self) -> bool {
        self.single_user_mode_at_a_glance() != Some(SingleUserMode::default())
    }

    /// Locking objects that can be in single user mode, the Global range among them; 0 where the
    /// drive does not tell.
    fn single_user_objects(&self) -> usize {
        let shown = self.discovery().single_user_mode();
        let count = shown.map(|shown| shown.number_of_locking_objects);
        count
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or_default()
    }

    /// The ranges of a mode, as far as Level 0 Discovery tells.
    fn ranges_of(&self, mode: &SingleUserMode) -> Vec<RangeNumber> {
        match &mode.ranges {
            SingleUserRanges::None => Vec::new(),
            SingleUserRanges::Some(ranges) => ranges.clone(),
            SingleUserRanges::All => {
                let count = u16::try_from(self.single_user_objects()).unwrap_or(u16::MAX);
                (0..count).map(RangeNumber).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGES: [RangeNumber; 2] = [RangeNumber(0), RangeNumber(2)];

    fn mode(policy: RangePolicy) -> SingleUserMode {
        let ranges = SingleUserRanges::listed(RANGES);
        SingleUserMode { ranges, policy }
    }

    #[test]
    fn who_may_set_what_follows_from_owner_and_policy() {
        let admin = Authority::Admin(1);
        for (policy, range, acting, share) in [
            (RangePolicy::User, 2, Authority::User(3), Share::Whole),
            (RangePolicy::User, 2, admin, Share::Nothing),
            (RangePolicy::User, 2, Authority::User(2), Share::Nothing),
            (RangePolicy::Admins, 2, Authority::User(3), Share::Locks),
            (RangePolicy::Admins, 2, admin, Share::Place),
            (RangePolicy::Admins, 0, Authority::User(1), Share::Locks),
            (RangePolicy::Admins, 1, admin, Share::Whole),
            (RangePolicy::User, 1, Authority::User(2), Share::Whole),
        ] {
            let found = mode(policy).share(RangeNumber(range), acting);
            assert_eq!(found, share, "{policy:?} {range} {acting}");
        }
    }

    #[test]
    fn a_list_of_every_range_is_the_whole_table() {
        let list = SingleUserRanges::listed((0..9).map(RangeNumber));
        assert!(list.are(&SingleUserRanges::All, 9));
        assert!(!list.are(&SingleUserRanges::All, 10));
        assert!(!list.are(&SingleUserRanges::All, 0));
        assert_eq!(SingleUserRanges::listed([]), SingleUserRanges::None);
    }

    #[test]
    fn range_n_belongs_to_the_next_user() {
        assert_eq!(owner_of(RangeNumber::GLOBAL), Some(Authority::User(1)));
        assert_eq!(owner_of(RangeNumber(8)), Some(Authority::User(9)));
        assert_eq!(owner_of(RangeNumber(u16::MAX)), None);
        assert_eq!(range_of(Authority::User(9)), Some(RangeNumber(8)));
        assert_eq!(range_of(Authority::Admin(1)), None);
    }
}
