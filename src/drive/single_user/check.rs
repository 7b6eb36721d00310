//! What somebody may not do in single user mode, and the reason of a refusal.

use super::setup::before;
use super::{Share, SingleUserError, SingleUserMode, SingleUserRanges, owner_of, range_of};
use crate::drive::{Authority, Cause, Drive, Error, RangeError};
use crate::spec::{MethodStatus, RangeNumber};

impl Drive {
    /// The ranges that are meant: those that were named, or, where every range has an owner, that of
    /// who acts; empty for all.
    pub(in crate::drive) fn ranges_meant(
        &self,
        named: &[RangeNumber],
        except: &[RangeNumber],
        acting: Authority,
    ) -> Vec<RangeNumber> {
        let named = self.named_ranges(named);
        let mode = self.single_user_mode_at_a_glance().unwrap_or_default();
        match range_of(acting).filter(|range| !except.contains(range)) {
            Some(own) if named.is_empty() && mode.ranges == SingleUserRanges::All => vec![own],
            _ => named,
        }
    }

    /// Refuses to lock or unlock where each of the ranges that are meant belongs to somebody else, as
    /// far as Level 0 Discovery tells. Nothing is sent.
    pub(in crate::drive) fn require_locks_of(
        &self,
        meant: &[RangeNumber],
        acting: Authority,
    ) -> Result<(), Error> {
        let mode = self.single_user_mode_at_a_glance().unwrap_or_default();
        let all = [RangeNumber::GLOBAL];
        let asked = match (meant.is_empty(), &mode.ranges) {
            (true, SingleUserRanges::All) => &all,
            _ => meant,
        };
        let refused = asked
            .iter()
            .map(|range| mode.require(*range, acting, Share::Locks));
        let refused: Vec<_> = refused.filter_map(Result::err).collect();
        match refused.len() == asked.len() {
            true => refused
                .into_iter()
                .next()
                .map_or(Ok(()), |error| Err(before(error))),
            false => Ok(()),
        }
    }

    /// Refuses what only an owner may do to itself, as far as Level 0 Discovery tells.
    pub(in crate::drive) fn require_no_owner(&self, user: Authority) -> Result<(), Error> {
        let mode = self.single_user_mode_at_a_glance().unwrap_or_default();
        mode.require_no_owner(user).map_err(before)
    }
}

impl SingleUserMode {
    /// Refuses what an authority may not set of a range.
    pub(in crate::drive) fn require(
        &self,
        range: RangeNumber,
        acting: Authority,
        needed: Share,
    ) -> Result<(), SingleUserError> {
        let Some(owner) = owner_of(range) else {
            return Ok(());
        };
        match (self.share(range, acting), needed) {
            (Share::Whole, _) | (_, Share::Nothing) => Ok(()),
            (Share::Locks, Share::Locks) | (Share::Place, Share::Place) => Ok(()),
            (Share::Locks, _) => Err(SingleUserError::PlaceOfAdmins(range)),
            (Share::Place | Share::Nothing, _) => Err(SingleUserError::Owned { range, owner }),
        }
    }
}

impl SingleUserMode {
    /// Refuses what only an owner may do to itself.
    pub(in crate::drive) fn require_no_owner(
        &self,
        user: Authority,
    ) -> Result<(), SingleUserError> {
        match self.owned_by(user) {
            Some(range) => Err(SingleUserError::Owner { user, range }),
            None => Ok(()),
        }
    }

    /// Refuses to give away what belongs to an owner.
    pub(in crate::drive) fn require_no_range(
        &self,
        range: RangeNumber,
    ) -> Result<(), SingleUserError> {
        match owner_of(range).filter(|_| self.ranges.include(range)) {
            Some(owner) => Err(SingleUserError::Owned { range, owner }),
            None => Ok(()),
        }
    }
}

/// An error of a range with the reason that single user mode gives for it. `None` is a mode of which
/// is known only that some ranges are in it.
pub(in crate::drive) fn explained(
    mode: Option<&SingleUserMode>,
    range: RangeNumber,
    acting: Authority,
    error: Error,
) -> Error {
    let is_refusal = error.status() == Some(MethodStatus::NOT_AUTHORIZED)
        || matches!(error.cause(), Cause::Range(RangeError::Missing(_)));
    let (Some(step), Some(owner)) = (error.step(), owner_of(range)) else {
        return error;
    };
    let may_be_owned = mode.is_none_or(|mode| mode.ranges.include(range)) && owner != acting;
    match is_refusal && may_be_owned {
        true => Error::at(
            step,
            Cause::SingleUser(SingleUserError::Owned { range, owner }),
        ),
        false => error,
    }
}

/// A refusal to set the PIN of another with the reason that single user mode gives for it.
pub(in crate::drive) fn explained_owner(
    mode: Option<&SingleUserMode>,
    user: Authority,
    error: Error,
) -> Error {
    let is_refusal = error.status() == Some(MethodStatus::NOT_AUTHORIZED);
    let may_own = mode.is_none_or(|mode| mode.owned_by(user).is_some());
    match (error.step(), range_of(user)) {
        (Some(step), Some(range)) if is_refusal && may_own => Error::at(
            step,
            Cause::SingleUser(SingleUserError::Owner { user, range }),
        ),
        _ => error,
    }
}
