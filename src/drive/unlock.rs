//! Unlocking, with as few commands as possible.
//!
//! Ranges that are named cost one Set each, and are not read. Where all shall be unlocked that have
//! locking enabled, they are not read either: an authority that may unlock a range need not see its
//! columns, and unlocking a range without locking enabled changes nothing that anybody could notice.
//! The Global range comes first, and Level 0 Discovery tells after each range whether one is left.
//! Unlocking for reading only sets WriteLocked, which would be noticed later, so there they are read,
//! and one that is not locked for reading is left alone.

use super::error::At;
use super::range::{self, Columns};
use super::single_user::explained;
use super::{
    Authority, Cause, Credential, Drive, Error, MbrState, Mismatch, SingleUserError,
    SingleUserMode, Step,
};
use crate::session::{self, Discovery, Session};
use crate::spec::column::{locking, mbr_control};
use crate::spec::{RangeNumber, uid};
use crate::wire::Value;

/// What shall be unlocked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnlockRequest {
    /// The ranges; empty for all that have locking enabled.
    pub ranges: Vec<RangeNumber>,
    /// Where all are meant: the ranges that are left alone, since they are others'. Level 0
    /// Discovery does not tell then whether there is anything to unlock: it counts them, too.
    pub except: Vec<RangeNumber>,
    /// For reading only.
    pub read_only: bool,
    /// Hides the shadow MBR, too.
    pub mbr_done: bool,
}

/// What unlocking found and did.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnlockReport {
    /// False if Level 0 Discovery said that everything was as asked: no session was opened then. Or
    /// if nothing but ranges that are left alone is locked.
    pub changed: bool,
    /// The ranges that were asked for. Where all were, those that the authority may unlock.
    pub ranges: Vec<RangeOutcome>,
    /// The shadow MBR.
    pub mbr: MbrOutcome,
    /// That Level 0 Discovery shows a locked range, although the drive unlocked all of them.
    pub mismatch: Option<Error>,
}

/// What became of one range.
#[derive(Debug)]
#[non_exhaustive]
pub struct RangeOutcome {
    /// The range.
    pub range: RangeNumber,
    /// Whether it was seen to be as asked: by Level 0 Discovery, or by reading it back. Where the
    /// authority may not see it, the drive's word is all there is.
    pub proven: bool,
    /// The lock that is enabled, if it was seen to be the only one.
    pub only_lock: Option<Lock>,
    /// Whether it was left as it was, since it could be read already and reading was asked for.
    pub left_readable: bool,
    /// Why it is not as asked, if it is not.
    pub error: Option<Error>,
}

/// One of the two locks of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lock {
    /// Against reading.
    Read,
    /// Against writing.
    Write,
}

/// What was seen of a range that was set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) proven: bool,
    pub(super) only_lock: Option<Lock>,
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
        ranges.or(self.mismatch.as_ref()).or(match &self.mbr {
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
        let needs = self.unlock_needs(request, credential.authority)?;
        let mut report = UnlockReport {
            changed: needs.ranges || needs.mbr,
            ranges: Vec::new(),
            mbr: match (request.mbr_done, needs.mbr) {
                (false, _) => MbrOutcome::Untouched,
                (true, false) => MbrOutcome::AlreadyHidden,
                (true, true) => MbrOutcome::Hidden,
            },
            mismatch: None,
        };
        if !report.changed {
            return Ok(report);
        }
        let acting = credential.authority;
        let ranges = self.ranges_meant(&request.ranges, &request.except, acting);
        let glance = self.single_user_mode_at_a_glance();
        let (mut session, discovery) = self.log_in_to_locking_sp(credential)?;
        if needs.ranges {
            let mut unlocking = Unlocking {
                session: &mut session,
                acting,
                read_only: request.read_only,
                except: &request.except,
                discovery,
                mode: glance,
            };
            (report.ranges, report.mismatch) = unlocking.run(&ranges)?;
            report.changed = needs.mbr || !report.ranges.is_empty();
        }
        if needs.mbr {
            report.mbr = hide_mbr(&mut session, acting)?;
        }
        session.end().at(Step::EndSession)?;
        report.unless_in_vain()
    }

    /// What Level 0 Discovery does not show to be as asked, if the authority can do it.
    pub(super) fn unlock_needs(
        &self,
        request: &UnlockRequest,
        acting: Authority,
    ) -> Result<UnlockNeeds, Error> {
        self.require_opal_family()?;
        let needs = UnlockNeeds {
            ranges: self.is_locked(),
            mbr: request.mbr_done && self.state().mbr == MbrState::Shown,
        };
        if needs.ranges || needs.mbr {
            self.require_active_as(acting)?;
        }
        if needs.ranges {
            let meant = self.ranges_meant(&request.ranges, &request.except, acting);
            self.require_locks_of(&meant, acting)?;
        }
        Ok(needs)
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
    /// Ranges to leave alone, where none is named.
    except: &'s [RangeNumber],
    discovery: &'s mut Discovery,
    /// Single user mode, as far as it is known.
    mode: Option<SingleUserMode>,
}

type Outcomes = (Vec<RangeOutcome>, Option<Error>);

impl Unlocking<'_, '_> {
    fn run(&mut self, ranges: &[RangeNumber]) -> Result<Outcomes, Error> {
        if ranges.is_empty() {
            return self.all();
        }
        let outcomes = ranges.iter().map(|&range| self.one(range));
        Ok((outcomes.collect::<Result<_, _>>()?, None))
    }

    fn all(&mut self) -> Result<Outcomes, Error> {
        // Level 0 Discovery tells nothing of one range while another stays locked.
        let (outcomes, mismatch) = if self.read_only || !self.except.is_empty() {
            let mut ranges = range::lockable(self.session)?;
            ranges.retain(|range| !self.except.contains(range));
            let outcomes = ranges.into_iter().map(|range| self.one(range));
            (outcomes.collect::<Result<_, _>>()?, None)
        } else {
            self.until_none_is_locked()?
        };
        Ok((without_strangers(outcomes), mismatch))
    }

    fn until_none_is_locked(&mut self) -> Result<Outcomes, Error> {
        let mut outcomes = vec![self.one(RangeNumber::GLOBAL)?];
        if self.is_done()? {
            return Ok((proven(outcomes), None));
        }
        for range in range::numbers(self.session)? {
            if range != RangeNumber::GLOBAL {
                outcomes.push(self.one(range)?);
                if self.is_done()? {
                    return Ok((proven(outcomes), None));
                }
            }
        }
        // A range that could not be unlocked says why something is locked.
        let is_mismatch = outcomes.iter().all(|outcome| outcome.error.is_none());
        let still = Cause::NotAsAsked(Mismatch::StillLocked);
        let mismatch = is_mismatch.then(|| Error::at(Step::CheckState, still));
        Ok((outcomes, mismatch))
    }

    /// Whether Level 0 Discovery shows that nothing is locked.
    fn is_done(&mut self) -> Result<bool, Error> {
        *self.discovery = self.session.discover().at(Step::CheckState)?;
        let locking = self.discovery.locking();
        Ok(locking.is_some_and(|locking| !locking.locked))
    }

    fn one(&mut self, range: RangeNumber) -> Result<RangeOutcome, Error> {
        let columns = self.columns(range).at_as(Step::ReadRange, self.acting);
        let left_readable = columns.as_ref().is_ok_and(Columns::is_empty);
        let unlocked = match columns {
            Ok(columns) if columns.is_empty() => Ok(()),
            Ok(columns) => range::set(self.session, range, &columns, self.acting),
            Err(error) => Err(error),
        };
        let unlocked =
            unlocked.map_err(|error| explained(self.mode.as_ref(), range, self.acting, error));
        let outcome = outcome(range, unlocked.map(|()| Seen::default()))?;
        Ok(RangeOutcome {
            left_readable,
            ..outcome
        })
    }

    /// What to set; nothing for a range that can be read already, and shall only be.
    fn columns(&mut self, range: RangeNumber) -> Result<Columns, session::Error> {
        let unlocked = |column| (column, Value::from(false));
        let (reading, writing) = (locking::READ_LOCKED, locking::WRITE_LOCKED);
        if !self.read_only {
            return Ok(vec![unlocked(reading), unlocked(writing)]);
        }
        let row = range::lock_columns(self.session, range)?;
        let is_enabled = row.boolean(locking::READ_LOCK_ENABLED)?;
        let is_locked = row.boolean(reading)?;
        let is_write_locked = row.boolean(writing)?;
        Ok(match (is_enabled, is_locked, is_write_locked) {
            (Some(false), _, _) | (_, Some(false), _) => Columns::new(),
            (Some(true), Some(true), Some(false)) => {
                vec![unlocked(reading), (writing, true.into())]
            }
            // WriteLocked is set, or cannot be seen: it stays as it is.
            _ => vec![unlocked(reading)],
        })
    }
}

/// The same, where Level 0 Discovery has shown that nothing is locked.
fn proven(mut outcomes: Vec<RangeOutcome>) -> Vec<RangeOutcome> {
    for outcome in &mut outcomes {
        outcome.proven = outcome.error.is_none();
    }
    outcomes
}

/// What became of a range. What a TPer refuses, or does not do, concerns this range only; anything
/// else ends the operation.
pub(super) fn outcome(
    range: RangeNumber,
    result: Result<Seen, Error>,
) -> Result<RangeOutcome, Error> {
    let (Seen { proven, only_lock }, error) = match result {
        Ok(seen) => (seen, None),
        Err(error) if error.concerns_one_range() => (Seen::default(), Some(error)),
        Err(error) => return Err(error),
    };
    Ok(RangeOutcome {
        range,
        proven,
        only_lock,
        left_readable: false,
        error,
    })
}

/// Where all ranges were asked for, those that the authority has no right to were not, provided that
/// it has a right to some.
pub(super) fn without_strangers(mut outcomes: Vec<RangeOutcome>) -> Vec<RangeOutcome> {
    let is_stranger = |outcome: &RangeOutcome| {
        let cause = outcome.error.as_ref().map(Error::cause);
        let owned = SingleUserError::is_of_another;
        matches!(cause, Some(Cause::NotPermitted { .. }))
            || matches!(cause, Some(Cause::SingleUser(error)) if owned(error))
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
