//! Reactivation: other ranges in single user mode, or none, on a drive that is in use already.
//!
//! | what | what becomes of it (\[Single User Mode\] 4.3.2) |
//! |---|---|
//! | media keys, data, places of ranges | stay |
//! | Admin1 and its PIN | stay |
//! | owners of ranges in the new mode | enabled, with the empty PIN |
//! | all other Users and Admins | as after activation: disabled, without PIN and rights |
//! | locks | must be off before, or the TPer fails |
//!
//! So locks that Admins can switch off are switched off first, and switched on again afterwards, by
//! Admin1 or by the new owner, or at once where the TPer refuses. Those that only an owner can switch
//! off are refused.
//!
//! | interrupted after | what the next run finds |
//! |---|---|
//! | Set of some locks | the mode is not as asked; the journal tells which locks there were |
//! | Reactivate | the mode is as asked; the journal has a note for each owner without PIN |
//! | anything later | the same; what is as asked is only read |

use super::super::error::At;
use super::super::login::check_pin;
use super::super::range::{self, Columns};
use super::super::setup::{converge, missing};
use super::super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, Finding, LockingRange,
    Mismatch, Step,
};
use super::locks::LockNote;
use super::owner::{Owned, Owners, Settled};
use super::setup::{before, ranges_in};
use super::switch::Switched;
use super::{OwnerReport, SingleUserError, SingleUserMode, SingleUserRanges};
use crate::secret::Secret;
use crate::session::Session;
use crate::spec::RangeNumber;
use crate::spec::column::locking;

/// Which ranges shall be in single user mode.
#[derive(Debug, Default)]
pub struct Reactivation {
    /// The ranges, and who gives them their places; none ends the mode.
    pub mode: SingleUserMode,
    /// The PIN that each owner gets; `None` leaves the empty one, with which anybody can act as the
    /// owner, and the locks of these ranges stay off.
    pub owner_pin: Option<Secret>,
}

/// What a reactivation found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReactivateReport {
    /// False if the mode was as asked already: nothing was changed.
    pub changed: bool,
    /// The mode as it was read back. There are drives that do not take the policy.
    pub mode: SingleUserMode,
    /// The owners of the ranges that are in it.
    pub owners: Vec<OwnerReport>,
    /// The ranges whose locks were on before, and are on again.
    pub ranges: Vec<LockingRange>,
    /// The ranges whose locks were on before, and are off: their owners have no PIN yet.
    pub open: Vec<RangeNumber>,
    /// Whether the journal could not be written, so that this run, interrupted, would have cost the
    /// next one a second attempt, and would have left locks off.
    pub journal_failed: bool,
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
    /// What a person should know of it.
    pub findings: Vec<Finding>,
}

/// What an Admin leaves to the owners.
struct Left {
    mode: SingleUserMode,
    ranges: Vec<RangeNumber>,
    owned: Vec<Owned>,
    done: Vec<LockingRange>,
    changed: bool,
}

impl Drive {
    /// Puts other ranges into single user mode, or none, as Admin1, and gives the owners their PIN.
    ///
    /// Can be run again after an interruption, with the same PINs. A drive whose mode is as asked is
    /// left alone.
    ///
    /// # Warning
    /// All Users lose their PINs, their names and their rights. No data are lost.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`SingleUserError::LocksEnabled`] if ranges have
    /// locks that only their owners can switch off, [`SingleUserError::NotAdmin1`] for other Admins,
    /// who would lose their own PIN half-way: nothing is changed then.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consent is given for one act, and used up by it"
    )]
    pub fn reactivate(
        &mut self,
        wanted: &Reactivation,
        credential: &Credential,
        consent: EraseConsent,
    ) -> Result<ReactivateReport, Error> {
        self.require_reactivation(wanted, credential.authority)?;
        let mut report = self.reactivate_report(wanted.mode.clone());
        if self.is_reactivated(wanted) {
            return Ok(report);
        }
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let mut locks = self.lock_note();
        let switched = self.switch(wanted, credential, &mut locks, &mut report)?;
        if !switched.is_fresh && !self.is_unfinished(wanted, &locks) {
            report.mode = switched.mode;
            return Ok(report);
        }
        let is_fresh = switched.is_fresh;
        let left = self.restore(wanted, credential, switched, &locks)?;
        let open = left.owned.iter().filter(|owned| !owned.is_as_asked);
        report.open = match wanted.owner_pin {
            Some(_) => Vec::new(),
            None => open.map(|owned| owned.number).collect(),
        };
        (report.mode, report.ranges) = (left.mode, left.done);
        report.changed = is_fresh || left.changed;
        let settled = self.settle(Owners {
            ranges: &left.ranges,
            owned: left.owned,
            pin: wanted.owner_pin.as_ref(),
            is_fresh,
            has_consent: false,
            locks: Columns::new(),
        })?;
        self.conclude_reactivation(settled, &mut report)?;
        locks.remove();
        Ok(report)
    }

    /// Refuses what cannot be asked for. Nothing is sent.
    pub(super) fn require_reactivation(
        &self,
        wanted: &Reactivation,
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_opal_family()?;
        self.require_active_as(acting)?;
        match acting {
            Authority::Admin(1) => {}
            Authority::Admin(_) => return Err(before(SingleUserError::NotAdmin1(acting))),
            _ => return Err(Error::before(Cause::WrongAuthority(acting))),
        }
        wanted.owner_pin.as_ref().map(check_pin).transpose()?;
        self.require_mode(&wanted.mode)
    }

    /// Whether Level 0 Discovery and the journal tell that nothing is to be done.
    #[must_use]
    pub fn is_reactivated(&self, wanted: &Reactivation) -> bool {
        let known = self.single_user_mode_at_a_glance();
        let is_as_asked = known.is_some_and(|known| self.is_as_asked(&known, wanted));
        is_as_asked && !self.is_unfinished(wanted, &self.lock_note())
    }

    /// Whether the mode is as asked. Without ranges there is no policy.
    pub(super) fn is_as_asked(&self, found: &SingleUserMode, wanted: &Reactivation) -> bool {
        let has_policy = found.policy == wanted.mode.policy;
        let is_off = wanted.mode.ranges == SingleUserRanges::None;
        self.is_mode(found, &wanted.mode) && (has_policy || is_off)
    }

    /// Whether an earlier run has left locks off, or owners without PIN.
    pub(super) fn is_unfinished(&self, wanted: &Reactivation, locks: &LockNote) -> bool {
        let gives_pins = wanted.owner_pin.is_some();
        !locks.ranges().is_empty() || (gives_pins && self.has_noted_owners(&wanted.mode))
    }

    fn reactivate_report(&self, mode: SingleUserMode) -> ReactivateReport {
        ReactivateReport {
            changed: false,
            mode,
            owners: Vec::new(),
            ranges: Vec::new(),
            open: Vec::new(),
            journal_failed: false,
            state: self.state(),
            findings: self.diagnose(),
        }
    }

    /// Reads the mode back, and enables the locks that are still the Admins'.
    fn restore(
        &mut self,
        wanted: &Reactivation,
        credential: &Credential,
        switched: Switched,
        locks: &LockNote,
    ) -> Result<Left, Error> {
        let count = self.single_user_objects();
        self.with_session(credential, |session| {
            let mode = SingleUserMode::read(session).at(Step::ReadMode)?;
            if !mode.ranges.are(&wanted.mode.ranges, count) {
                let mismatch = Cause::NotAsAsked(Mismatch::SingleUserRanges);
                return Err(match switched.unanswered {
                    Some(error) => Error::at(Step::Reactivate, error),
                    None => Error::at(Step::ReadMode, mismatch),
                });
            }
            let ranges = ranges_in(session, &mode)?;
            let mut left = Left {
                mode,
                ranges,
                owned: Vec::new(),
                done: Vec::new(),
                changed: false,
            };
            for range in locks.ranges() {
                left.lock(session, *range, credential.authority)?;
            }
            Ok(left)
        })
    }

    /// Works in a session of its own, which is ended.
    pub(super) fn with_session<T>(
        &mut self,
        credential: &Credential,
        work: impl FnOnce(&mut Session<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let done = work(&mut session)?;
        session.end().at(Step::EndSession)?;
        Ok(done)
    }

    fn conclude_reactivation(
        &mut self,
        settled: Settled,
        report: &mut ReactivateReport,
    ) -> Result<(), Error> {
        self.discover_at(Step::CheckState)?;
        report.changed |= settled.changed;
        report.journal_failed |= settled.journal_failed;
        report.owners = settled.owners;
        let open = &report.open;
        let locked = settled.ranges.into_iter();
        report
            .ranges
            .extend(locked.filter(|range| !open.contains(&range.number)));
        (report.state, report.findings) = (self.state(), self.diagnose());
        Ok(())
    }
}

impl Left {
    /// Enables the locks of a range, or leaves that to its owner.
    fn lock(
        &mut self,
        session: &mut Session<'_>,
        number: RangeNumber,
        acting: Authority,
    ) -> Result<(), Error> {
        if !self.mode.ranges.include(number) {
            let (range, changed) = converge(session, number, &lockable(), acting, false)?;
            self.changed |= changed;
            self.done.push(range);
            return Ok(());
        }
        let (row, seen) = range::read(session, number, Step::ReadRange, acting)?;
        self.owned.push(Owned {
            number,
            is_as_asked: missing(&row, &lockable()).is_empty(),
            columns: lockable(),
            seen,
        });
        Ok(())
    }
}

/// What a range has that locks and is not locked.
pub(super) fn lockable() -> Columns {
    vec![
        (locking::READ_LOCK_ENABLED, true.into()),
        (locking::WRITE_LOCK_ENABLED, true.into()),
        (locking::READ_LOCKED, false.into()),
        (locking::WRITE_LOCKED, false.into()),
    ]
}
