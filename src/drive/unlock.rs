//! Unlocking, with as few commands as possible.
//!
//! Ranges that are named cost one Set each, and are not read. Where all shall be unlocked that have
//! locking enabled, they are not read either: an authority that may unlock a range need not see its
//! columns, and unlocking a range without locking enabled changes nothing that anybody could notice.
//! The Global range comes first, and Level 0 Discovery tells after each range whether one is left.
//! Unlocking for reading only sets WriteLocked, which would be noticed later, so there they are read.

use super::error::At;
use super::range::{self, Columns};
use super::{Authority, Cause, Credential, Drive, Error, MbrState, Step};
use crate::session::{self, Discovery, Session};
use crate::spec::column::{locking, mbr_control};
use crate::spec::{MethodStatus, RangeNumber, uid};

/// What shall be unlocked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlockRequest {
    /// The ranges; empty for all that have locking enabled.
    pub ranges: Vec<RangeNumber>,
    /// For reading only.
    pub read_only: bool,
    /// Hides the shadow MBR, too.
    pub mbr_done: bool,
}

/// What unlocking found and did.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnlockReport {
    /// False if Level 0 Discovery said that everything was as asked: no session was opened then.
    pub changed: bool,
    /// The ranges that were asked for. Where all were, those that the authority may unlock.
    pub ranges: Vec<RangeOutcome>,
    /// The shadow MBR.
    pub mbr: MbrOutcome,
}

/// What became of one range.
#[derive(Debug)]
#[non_exhaustive]
pub struct RangeOutcome {
    /// The range.
    pub range: RangeNumber,
    /// Why it is not as asked, if it is not.
    pub error: Option<Error>,
}

/// What became of the shadow MBR.
#[derive(Debug)]
#[non_exhaustive]
pub enum MbrOutcome {
    /// Not asked for.
    Untouched,
    /// It was disabled, absent or done already.
    AlreadyHidden,
    /// It was hidden.
    Hidden,
    /// It could not be hidden.
    Failed(Error),
}

impl UnlockReport {
    /// The first error, if there is one.
    #[must_use]
    pub fn first_error(&self) -> Option<&Error> {
        let ranges = self.ranges.iter().find_map(|range| range.error.as_ref());
        ranges.or(match &self.mbr {
            MbrOutcome::Failed(error) => Some(error),
            _ => None,
        })
    }

    fn has_success(&self) -> bool {
        let hidden = matches!(self.mbr, MbrOutcome::Hidden);
        hidden || self.ranges.iter().any(|range| range.error.is_none())
    }

    /// The report; its first error, if nothing at all could be done.
    fn unless_in_vain(mut self) -> Result<Self, Error> {
        if self.has_success() {
            return Ok(self);
        }
        let first = self.ranges.iter_mut().find_map(|range| range.error.take());
        match (first, self.mbr) {
            (Some(error), _) | (None, MbrOutcome::Failed(error)) => Err(error),
            (None, mbr) => {
                self.mbr = mbr;
                Ok(self)
            }
        }
    }
}

impl Drive {
    /// Unlocks ranges. What Level 0 Discovery shows to be as asked is not asked again.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, if nothing could be unlocked; ranges that could
    /// not be are told in the report.
    pub fn unlock(
        &mut self,
        request: &UnlockRequest,
        credential: &Credential,
    ) -> Result<UnlockReport, Error> {
        self.require_opal_family()?;
        let needs = self.unlock_needs(request);
        let mut report = UnlockReport {
            changed: needs.ranges || needs.mbr,
            ranges: Vec::new(),
            mbr: match (request.mbr_done, needs.mbr) {
                (false, _) => MbrOutcome::Untouched,
                (true, false) => MbrOutcome::AlreadyHidden,
                (true, true) => MbrOutcome::Hidden,
            },
        };
        if !report.changed {
            return Ok(report);
        }
        self.require_active()?;
        let acting = credential.authority;
        let ranges = self.named_ranges(&request.ranges);
        let (mut session, discovery) = self.log_in_to_locking_sp(credential)?;
        if needs.ranges {
            let mut unlocking = Unlocking {
                session: &mut session,
                acting,
                read_only: request.read_only,
                discovery,
            };
            report.ranges = unlocking.run(&ranges)?;
        }
        if needs.mbr {
            report.mbr = hide_mbr(&mut session, acting)?;
        }
        session.end().at(Step::EndSession)?;
        report.unless_in_vain()
    }

    /// What Level 0 Discovery does not show to be as asked.
    pub(super) fn unlock_needs(&self, request: &UnlockRequest) -> UnlockNeeds {
        UnlockNeeds {
            ranges: self.is_locked() || request.read_only,
            mbr: request.mbr_done && self.state().mbr == MbrState::Shown,
        }
    }
}

/// What must be done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct UnlockNeeds {
    pub(super) ranges: bool,
    pub(super) mbr: bool,
}

/// Ranges being unlocked in a session.
struct Unlocking<'s, 't> {
    session: &'s mut Session<'t>,
    acting: Authority,
    read_only: bool,
    discovery: &'s mut Discovery,
}

impl Unlocking<'_, '_> {
    fn run(&mut self, ranges: &[RangeNumber]) -> Result<Vec<RangeOutcome>, Error> {
        if ranges.is_empty() {
            return self.all();
        }
        ranges.iter().map(|&range| self.one(range)).collect()
    }

    fn all(&mut self) -> Result<Vec<RangeOutcome>, Error> {
        let outcomes = if self.read_only {
            let ranges = range::lockable(self.session)?;
            ranges
                .into_iter()
                .map(|range| self.one(range))
                .collect::<Result<_, _>>()?
        } else {
            self.until_none_is_locked()?
        };
        Ok(without_strangers(outcomes))
    }

    fn until_none_is_locked(&mut self) -> Result<Vec<RangeOutcome>, Error> {
        let mut outcomes = vec![self.one(RangeNumber::GLOBAL)?];
        if self.is_done()? {
            return Ok(outcomes);
        }
        for range in range::numbers(self.session)? {
            if range != RangeNumber::GLOBAL {
                outcomes.push(self.one(range)?);
                if self.is_done()? {
                    break;
                }
            }
        }
        Ok(outcomes)
    }

    /// Whether Level 0 Discovery shows that nothing is locked.
    fn is_done(&mut self) -> Result<bool, Error> {
        *self.discovery = self.session.discover().at(Step::CheckState)?;
        let locking = self.discovery.locking();
        Ok(locking.is_some_and(|locking| !locking.locked))
    }

    fn one(&mut self, range: RangeNumber) -> Result<RangeOutcome, Error> {
        let columns: Columns = vec![
            (locking::READ_LOCKED, false.into()),
            (locking::WRITE_LOCKED, self.read_only.into()),
        ];
        let mut set = range::set(self.session, range, &columns);
        let status = set.as_ref().err().and_then(session::Error::status);
        if self.read_only && status == Some(MethodStatus::NOT_AUTHORIZED) {
            // Who may unlock for reading only may not set WriteLocked, which is set already.
            let reading: Columns = vec![(locking::READ_LOCKED, false.into())];
            set = range::set(self.session, range, &reading);
        }
        outcome(range, set.at_as(Step::SetRange, self.acting))
    }
}

/// What became of a range. What a TPer refuses, or does not do, concerns this range only; anything
/// else ends the operation.
pub(super) fn outcome(
    range: RangeNumber,
    result: Result<(), Error>,
) -> Result<RangeOutcome, Error> {
    match result {
        Ok(()) => Ok(RangeOutcome { range, error: None }),
        Err(error) if error.status().is_some() || error.is_mismatch() => Ok(RangeOutcome {
            range,
            error: Some(error),
        }),
        Err(error) => Err(error),
    }
}

/// Where all ranges were asked for, those that the authority has no right to were not, provided that
/// it has a right to some.
pub(super) fn without_strangers(mut outcomes: Vec<RangeOutcome>) -> Vec<RangeOutcome> {
    let is_stranger = |outcome: &RangeOutcome| {
        let cause = outcome.error.as_ref().map(Error::cause);
        matches!(cause, Some(Cause::NotPermitted { .. }))
    };
    if outcomes.iter().any(|outcome| outcome.error.is_none()) {
        outcomes.retain(|outcome| !is_stranger(outcome));
    }
    outcomes
}

/// Hides the shadow MBR until the next reset that shows it again.
fn hide_mbr(session: &mut Session<'_>, acting: Authority) -> Result<MbrOutcome, Error> {
    let done = [(mbr_control::DONE, true.into())];
    let set = session.set(uid::MBR_CONTROL, done);
    match set.at_as(Step::SetMbrControl, acting) {
        Ok(()) => Ok(MbrOutcome::Hidden),
        Err(error) if error.status().is_some() => Ok(MbrOutcome::Failed(error)),
        Err(error) => Err(error),
    }
}
