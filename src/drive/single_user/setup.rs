//! Setup with ranges in single user mode: Activate puts them into it, and each owner gets a PIN.

use super::super::error::At;
use super::super::journal::Note;
use super::super::login::check_pin;
use super::super::range::{self, Columns};
use super::super::setup::missing;
use super::super::{
    Authority, Cause, Drive, Error, Mismatch, SetupPlan, SetupReport, Step, TableError,
    TableSizesError,
};
use super::owner::{Owned, Owners};
use super::{OwnerReport, Share, SingleUserError, SingleUserMode, SingleUserRanges, owner_of};
use crate::secret::Secret;
use crate::session::{self, Session};
use crate::spec::column::locking;
use crate::spec::{FeatureCode, MethodStatus, RangeNumber, uid};

/// What single user mode shall be after setup.
#[derive(Debug)]
pub struct SingleUserPlan {
    /// The ranges in it, and who gives them their places.
    pub mode: SingleUserMode,
    /// The PIN that each owner gets; `None` leaves the empty one, with which anybody can act as the
    /// owner, and no locks are enabled on these ranges.
    pub owner_pin: Option<Secret>,
}

/// What setup made of single user mode.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SingleUserReport {
    /// The mode as it was read back. There are drives that do not take the policy.
    pub mode: SingleUserMode,
    /// The owners of the ranges that are in it.
    pub owners: Vec<OwnerReport>,
}

/// What Admin1 leaves to the owners.
#[derive(Default)]
pub(in crate::drive) struct Shared {
    pub(in crate::drive) mode: SingleUserMode,
    ranges: Vec<RangeNumber>,
    owned: Vec<Owned>,
}

impl Drive {
    /// Refuses a plan that this drive cannot take. Nothing is sent.
    pub(in crate::drive) fn require_single_user_plan(&self, plan: &SetupPlan) -> Result<(), Error> {
        let Some(single) = &plan.single_user else {
            return Ok(());
        };
        self.require_mode(&single.mode)?;
        single.owner_pin.as_ref().map(check_pin).transpose()?;
        let is_owners = |number: &RangeNumber| {
            let share = owner_of(*number).map(|owner| single.mode.share(*number, owner));
            single.mode.ranges.include(*number) && share == Some(Share::Whole)
        };
        let mut placed = plan.ranges.iter().map(|range| range.number);
        if let (None, Some(range)) = (&single.owner_pin, placed.find(is_owners)) {
            return Err(before(SingleUserError::PlaceWithoutOwner(range)));
        }
        let known = self.single_user_mode_at_a_glance();
        let is_other = |known: &SingleUserMode| !self.is_mode(known, &single.mode);
        match self.is_active() && known.as_ref().is_some_and(is_other) {
            true => Err(before(SingleUserError::OtherMode)),
            false => Ok(()),
        }
    }

    /// Refuses a mode that the drive does not have. Nothing is sent.
    pub(super) fn require_mode(&self, mode: &SingleUserMode) -> Result<(), Error> {
        if self.discovery().single_user_mode().is_none() {
            return Err(Error::before(Cause::NoFeature(
                FeatureCode::SINGLE_USER_MODE,
            )));
        }
        let count = self.single_user_objects();
        let is_missing = |range: &&RangeNumber| count > 0 && usize::from(range.0) >= count;
        match &mode.ranges {
            SingleUserRanges::Some(ranges) => match ranges.iter().find(is_missing) {
                Some(range) => Err(before(SingleUserError::NoRange(*range))),
                None => Ok(()),
            },
            SingleUserRanges::None | SingleUserRanges::All => Ok(()),
        }
    }

    /// Whether the ranges of a mode are those of another one. The policy is not compared: drives
    /// that do not take it could never be as asked.
    pub(super) fn is_mode(&self, found: &SingleUserMode, asked: &SingleUserMode) -> bool {
        found.ranges.are(&asked.ranges, self.single_user_objects())
    }

    /// Notes the owners that Activate will leave with empty PINs; whether that failed.
    pub(in crate::drive) fn note_planned_owners(&self, single: &SingleUserPlan) -> bool {
        if single.owner_pin.is_none() {
            return false;
        }
        let mut notes = self.owner_notes(&single.mode);
        notes.iter_mut().for_each(Note::write);
        notes.iter().any(Note::failed)
    }

    /// What is asked about, of what the session was opened for: nothing, where there is no plan.
    pub(in crate::drive) fn expected_mode(&self, plan: &SetupPlan) -> Option<Expected> {
        let single = plan.single_user.as_ref()?;
        Some(Expected {
            ranges: single.mode.ranges.clone(),
            count: self.single_user_objects(),
        })
    }

    /// Lets the owners do their part of a setup.
    pub(in crate::drive) fn settle_setup(
        &mut self,
        single: &SingleUserPlan,
        shared: Shared,
        has_consent: bool,
        locks: Columns,
        report: &mut SetupReport,
    ) -> Result<(), Error> {
        let owners = Owners {
            locks,
            ranges: &shared.ranges,
            owned: shared.owned,
            pin: single.owner_pin.as_ref(),
            is_fresh: report.activated,
            has_consent,
        };
        let settled = self.settle(owners)?;
        report.changed |= settled.changed;
        report.journal_failed |= settled.journal_failed;
        report.ranges.extend(settled.ranges);
        report.single_user = Some(SingleUserReport {
            mode: shared.mode,
            owners: settled.owners,
        });
        Ok(())
    }
}

/// The ranges that are to be in the mode, on a drive with so many.
pub(in crate::drive) struct Expected {
    ranges: SingleUserRanges,
    count: usize,
}

impl Shared {
    /// What a session of Admin1 finds of the mode: the ranges as expected, or an error. Nothing is
    /// asked where nothing is expected.
    pub(in crate::drive) fn read(
        session: &mut Session<'_>,
        expected: Option<Expected>,
        is_fresh: bool,
    ) -> Result<Self, Error> {
        let Some(expected) = expected else {
            return Ok(Self::default());
        };
        let mode = SingleUserMode::read(session).at(Step::ReadMode)?;
        if !mode.ranges.are(&expected.ranges, expected.count) {
            let cause = match is_fresh {
                true => Cause::NotAsAsked(Mismatch::SingleUserRanges),
                false => Cause::SingleUser(SingleUserError::OtherMode),
            };
            return Err(Error::at(Step::ReadMode, cause));
        }
        let ranges = ranges_in(session, &mode)?;
        Ok(Self {
            mode,
            ranges,
            owned: Vec::new(),
        })
    }

    /// Whether nothing of a range is left to an owner.
    pub(in crate::drive) fn leaves_whole(&self, number: RangeNumber) -> bool {
        !self.mode.ranges.include(number)
    }

    /// What Admin1 may set of a range; the rest is left to its owner, if it has one.
    pub(in crate::drive) fn part(
        &mut self,
        session: &mut Session<'_>,
        number: RangeNumber,
        columns: Columns,
    ) -> Result<Columns, Error> {
        let admin1 = Authority::Admin(1);
        let share = self.mode.share(number, admin1);
        if share == Share::Whole {
            return Ok(columns);
        }
        let is_admins = |(column, _): &(u64, _)| share == Share::Place && is_place(*column);
        let (admins, owners): (Columns, Columns) = columns.into_iter().partition(is_admins);
        let (row, seen) = range::read(session, number, Step::ReadRange, admin1)?;
        self.owned.push(Owned {
            number,
            is_as_asked: missing(&row, &owners).is_empty(),
            columns: owners,
            seen,
        });
        Ok(admins)
    }
}

/// The ranges that are in a mode, by their numbers.
pub(super) fn ranges_in(
    session: &mut Session<'_>,
    mode: &SingleUserMode,
) -> Result<Vec<RangeNumber>, Error> {
    match &mode.ranges {
        SingleUserRanges::None => Ok(Vec::new()),
        SingleUserRanges::Some(ranges) => Ok(ranges.clone()),
        SingleUserRanges::All => range::numbers(session),
    }
}

/// Activates the Locking SP, with ranges in single user mode and with DataStore tables, if the plan
/// has any. A TPer that refuses the policy is asked without: what it then has is read back, and told.
pub(in crate::drive) fn activate(session: &mut Session<'_>, plan: &SetupPlan) -> Result<(), Error> {
    let single = plan.single_user.as_ref();
    let selection = single.and_then(|single| single.mode.ranges.selection());
    let selection = selection.as_ref();
    let policy = selection.and(single.and_then(|single| single.mode.policy.parameter()));
    let (sp, sizes) = (uid::LOCKING_SP, plan.data_store_sizes.as_slice());
    let activated = match session.activate(sp, selection, policy, sizes) {
        Err(session::Error::Status(MethodStatus::INVALID_PARAMETER)) if policy.is_some() => {
            session.activate(sp, selection, None, sizes)
        }
        activated => activated,
    };
    activated.map_err(|error| match error.status() {
        Some(MethodStatus::INVALID_PARAMETER) if selection.is_some() => {
            let refused = Cause::SingleUser(SingleUserError::ListRefused);
            Error::at(Step::Activate, refused)
        }
        Some(MethodStatus::INVALID_PARAMETER | MethodStatus::INSUFFICIENT_SPACE)
            if !sizes.is_empty() =>
        {
            let refused = TableError::Sizes(TableSizesError::Refused);
            Error::at(Step::Activate, refused)
        }
        _ => refused(error),
    })
}

fn refused(error: session::Error) -> Error {
    let cause = match error.status() {
        Some(MethodStatus::FAIL) => Cause::ActivationFailed,
        Some(MethodStatus::NOT_AUTHORIZED) => Cause::NotPermitted {
            authority: Authority::Sid,
        },
        _ => error.into(),
    };
    Error::at(Step::Activate, cause)
}

pub(super) const fn is_place(column: u64) -> bool {
    matches!(column, locking::RANGE_START | locking::RANGE_LENGTH)
}

pub(super) const fn before(error: SingleUserError) -> Error {
    Error::before(Cause::SingleUser(error))
}
