//! The switch itself: locks off, Reactivate, and locks on again where the TPer refuses it.

use super::super::error::At;
use super::super::range;
use super::super::revert::{can_lock, conclude, look, unlockable};
use super::super::setup::converge;
use super::super::{Cause, Credential, Drive, Error, LockingRange, Step};
use super::locks::LockNote;
use super::reactivate::{ReactivateReport, Reactivation, lockable};
use super::{SingleUserError, SingleUserMode};
use crate::session::{self, Session};
use crate::spec::{MethodStatus, RangeNumber};

/// What was found of the mode, and what was done about it.
pub(super) struct Switched {
    pub(super) mode: SingleUserMode,
    /// Whether the mode was set in this run.
    pub(super) is_fresh: bool,
    /// Why it is not known whether the TPer carried it out; `None` if it said so.
    pub(super) unanswered: Option<session::Error>,
}

impl Switched {
    /// The mode was set before this run.
    const fn before(mode: SingleUserMode) -> Self {
        Self {
            mode,
            is_fresh: false,
            unanswered: None,
        }
    }
}

impl Drive {
    /// Reactivates, unless the mode is as asked.
    pub(super) fn switch(
        &mut self,
        wanted: &Reactivation,
        credential: &Credential,
        locks: &mut LockNote,
        report: &mut ReactivateReport,
    ) -> Result<Switched, Error> {
        let found = self.with_session(credential, |session| {
            SingleUserMode::read(session).at(Step::ReadMode)
        })?;
        if self.is_as_asked(&found, wanted) {
            return Ok(Switched::before(found));
        }
        let sent = self.switch_off_and_send(wanted, credential, &found, (locks, report));
        let unanswered = match sent {
            // An owner has its locks, but the drive did not take the policy: that was an earlier run.
            Err(error) if is_owners(&error) && self.is_only_unfinished(&found, wanted, locks) => {
                return Ok(Switched::before(found));
            }
            Err(error) => {
                if error.concerns_one_range() && !error.is_refusal() {
                    self.switch_on_again(credential, &found, locks)?;
                }
                return Err(error);
            }
            Ok(unanswered) => unanswered,
        };
        self.discover_at(Step::CheckState)?;
        Ok(Switched {
            mode: found,
            is_fresh: true,
            unanswered,
        })
    }

    /// Whether the ranges are as asked, and an earlier run has left something to do.
    fn is_only_unfinished(
        &self,
        found: &SingleUserMode,
        wanted: &Reactivation,
        locks: &LockNote,
    ) -> bool {
        self.is_mode(found, &wanted.mode) && self.is_unfinished(wanted, locks)
    }

    /// Switches the locks off that Admins can switch off, and calls Reactivate. Why there was no
    /// answer, if there was none.
    fn switch_off_and_send(
        &mut self,
        wanted: &Reactivation,
        credential: &Credential,
        found: &SingleUserMode,
        (locks, report): (&mut LockNote, &mut ReactivateReport),
    ) -> Result<Option<session::Error>, Error> {
        let acting = credential.authority;
        let mut notes = match wanted.owner_pin {
            Some(_) => self.owner_notes(&wanted.mode),
            None => Vec::new(),
        };
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let seen = look(&mut session, acting)?;
        let enabled = lockable_by_admins(&seen, found)?;
        if locks.add(&enabled) && !enabled.is_empty() {
            let unnoted = Cause::SingleUser(SingleUserError::LocksUnnoted);
            return Err(Error::at(Step::ReadRange, unnoted));
        }
        for range in enabled {
            range::set_and_read_back(&mut session, range, &unlockable(), acting)?;
        }
        for note in &mut notes {
            note.write();
            report.journal_failed |= note.failed();
        }
        let sent = send(&mut session, &wanted.mode);
        conclude(session, sent).map_err(refused)
    }

    /// Switches locks on again that were switched off for nothing, since the drive refused.
    fn switch_on_again(
        &mut self,
        credential: &Credential,
        found: &SingleUserMode,
        locks: &LockNote,
    ) -> Result<(), Error> {
        let noted = locks.ranges().iter();
        let ranges: Vec<_> = noted.filter(|it| !found.ranges.include(**it)).collect();
        if ranges.is_empty() {
            return Ok(());
        }
        self.with_session(credential, |session| {
            for range in &ranges {
                converge(session, **range, &lockable(), credential.authority, false)?;
            }
            Ok(())
        })?;
        if ranges.len() == locks.ranges().len() {
            locks.remove();
        }
        Ok(())
    }
}

/// Whether locks are in the way that only owners can switch off.
const fn is_owners(error: &Error) -> bool {
    matches!(
        error.cause(),
        Cause::SingleUser(SingleUserError::LocksEnabled(_))
    )
}

/// The ranges whose locks are enabled, if Admins can switch all of them off.
pub(in crate::drive) fn lockable_by_admins(
    seen: &[LockingRange],
    found: &SingleUserMode,
) -> Result<Vec<RangeNumber>, Error> {
    let enabled = seen.iter().filter(|range| can_lock(range));
    let enabled: Vec<_> = enabled.map(|range| range.number).collect();
    let mut owned = enabled.clone();
    owned.retain(|range| found.ranges.include(*range));
    match owned.is_empty() {
        true => Ok(enabled),
        false => {
            let theirs = Cause::SingleUser(SingleUserError::LocksEnabled(owned));
            Err(Error::at(Step::ReadRange, theirs))
        }
    }
}

/// Reactivate. A TPer that refuses the policy is asked without: what it then has is read back, and
/// told.
fn send(session: &mut Session<'_>, mode: &SingleUserMode) -> Result<(), session::Error> {
    let selection = mode.ranges.selection();
    let policy = selection.as_ref().and(mode.policy.parameter());
    match session.reactivate(selection.as_ref(), policy) {
        Err(session::Error::Status(MethodStatus::INVALID_PARAMETER)) if policy.is_some() => {
            session.reactivate(selection.as_ref(), None)
        }
        reactivated => reactivated,
    }
}

fn refused(error: session::Error) -> Error {
    let reason = match error.status() {
        Some(MethodStatus::FAIL) => SingleUserError::ReactivateFailed,
        Some(MethodStatus::INVALID_PARAMETER) => SingleUserError::ListRefused,
        _ => return Error::at(Step::Reactivate, error),
    };
    Error::at(Step::Reactivate, Cause::SingleUser(reason))
}
