//! Locking, and the proof of it.
//!
//! Level 0 Discovery proves it if it showed nothing locked before, and something locked after one
//! range was locked. Where it cannot, the columns are read back as far as the authority may see them.

use super::error::At;
use super::range::{self, Columns};
use super::single_user::explained;
use super::state::is_locked;
use super::unlock::{Seen, outcome, without_strangers};
use super::{Authority, Cause, Credential, Drive, Error, Lock, Mismatch, RangeOutcome, Step};
use crate::session::{self, Session};
use crate::spec::RangeNumber;
use crate::spec::column::locking;

/// What shall be locked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LockRequest {
    /// The ranges; empty for all that have locking enabled.
    pub ranges: Vec<RangeNumber>,
    /// Where all are meant: the ranges that are left alone, since they are others'.
    pub except: Vec<RangeNumber>,
    /// For writing only: reads stay as they are.
    pub read_only: bool,
}

/// What locking found and did.
#[derive(Debug)]
#[non_exhaustive]
pub struct LockReport {
    /// The ranges that were asked for. Where all were, those that the authority may lock.
    pub ranges: Vec<RangeOutcome>,
}

impl LockReport {
    /// The first error, if there is one.
    #[must_use]
    pub fn first_error(&self) -> Option<&Error> {
        self.ranges.iter().find_map(|range| range.error.as_ref())
    }
}

impl LockRequest {
    /// What is set of each range.
    fn columns(&self) -> Columns {
        let mut columns = vec![(locking::WRITE_LOCKED, true.into())];
        if !self.read_only {
            columns.insert(0, (locking::READ_LOCKED, true.into()));
        }
        columns
    }
}

impl Drive {
    /// Locks ranges, and proves it.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, if nothing could be locked; ranges that could not
    /// be are told in the report.
    pub fn lock(
        &mut self,
        request: &LockRequest,
        credential: &Credential,
    ) -> Result<LockReport, Error> {
        self.require_opal_family()?;
        self.require_active_as(credential.authority)?;
        let acting = credential.authority;
        let mut named = self.ranges_meant(&request.ranges, &request.except, acting);
        self.require_locks_of(&named, acting)?;
        let glance = self.single_user_mode_at_a_glance();
        let is_all = named.is_empty();
        let (mut session, discovery) = self.log_in_to_locking_sp(credential)?;
        let was_locked = is_locked(discovery);
        if named.is_empty() {
            named = range::lockable(&mut session)?;
            named.retain(|range| !request.except.contains(range));
        }
        let is_proven_by_discovery = !was_locked && named.len() == 1;
        let mut outcomes = Vec::new();
        for range in named {
            let columns = request.columns();
            let locked = range::set(&mut session, range, &columns, acting);
            let locked = locked.and_then(|()| match is_proven_by_discovery {
                true => Ok(Seen::default()),
                false => prove(&mut session, range, request.read_only, acting),
            });
            let locked = locked.map_err(|error| explained(glance.as_ref(), range, acting, error));
            outcomes.push(outcome(range, locked)?);
        }
        session.end().at(Step::EndSession)?;
        if is_all {
            outcomes = without_strangers(outcomes);
        }
        let is_one_locked = outcomes.iter().any(|outcome| outcome.error.is_none());
        if is_one_locked || (outcomes.is_empty() && request.except.is_empty()) {
            self.check_locked()?;
        }
        for outcome in &mut outcomes {
            outcome.proven |= is_proven_by_discovery && outcome.error.is_none();
        }
        unless_in_vain(LockReport { ranges: outcomes })
    }

    fn check_locked(&mut self) -> Result<(), Error> {
        self.discover_at(Step::CheckState)?;
        if self.is_locked() {
            Ok(())
        } else {
            Err(not_locked(Step::CheckState))
        }
    }
}

fn unless_in_vain(mut report: LockReport) -> Result<LockReport, Error> {
    if report.ranges.iter().any(|range| range.error.is_none()) {
        return Ok(report);
    }
    let first = report
        .ranges
        .iter_mut()
        .find_map(|range| range.error.take());
    first.map_or(Ok(report), Err)
}

/// Reads back that a range is locked, as far as the authority may see it.
fn prove(
    session: &mut Session<'_>,
    range: RangeNumber,
    read_only: bool,
    acting: Authority,
) -> Result<Seen, Error> {
    let row = range::lock_columns(session, range).at_as(Step::ReadBack, acting)?;
    let half = |enabled, locked| -> Result<Half, session::Error> {
        Ok(Half::new(row.boolean(enabled)?, row.boolean(locked)?))
    };
    let reading = match read_only {
        true => Half::Disabled,
        false => half(locking::READ_LOCK_ENABLED, locking::READ_LOCKED).at(Step::ReadBack)?,
    };
    let writing = half(locking::WRITE_LOCK_ENABLED, locking::WRITE_LOCKED).at(Step::ReadBack)?;
    let (proven, only_lock) = match (reading, writing) {
        (Half::Open, _) | (_, Half::Open) | (Half::Disabled, Half::Disabled) => {
            return Err(not_locked(Step::ReadBack));
        }
        (Half::Locked, Half::Locked) => (true, None),
        (Half::Locked, Half::Disabled) => (true, Some(Lock::Read)),
        (Half::Disabled, Half::Locked) => (true, (!read_only).then_some(Lock::Write)),
        (Half::Unseen, _) | (_, Half::Unseen) => (false, None),
    };
    Ok(Seen { proven, only_lock })
}

/// One of the two locks of a range that was locked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    /// Enabled and locked.
    Locked,
    /// Not enabled: it locks nothing.
    Disabled,
    /// Enabled, and not locked.
    Open,
    /// The authority may not see it.
    Unseen,
}

impl Half {
    const fn new(enabled: Option<bool>, locked: Option<bool>) -> Self {
        match (enabled, locked) {
            (Some(false), _) => Self::Disabled,
            (Some(true), Some(true)) => Self::Locked,
            (_, Some(false)) => Self::Open,
            _ => Self::Unseen,
        }
    }
}

fn not_locked(step: Step) -> Error {
    Error::at(step, Cause::NotAsAsked(Mismatch::NotLocked))
}
