//! Erase: new media encryption keys for ranges, so that nobody reads their data again.
//!
//! GenKey replaces a key at once and whatever the locks say (\[Opal\] 4.3.1.6); the method Erase
//! exists only where a range is in single user mode, and for the bands of the Enterprise SSC.
//! The drive shows nothing of a key but its name, which stays, so that its word is all that an
//! authority gets; whoever can read the blocks is called before the first key is replaced, and can
//! compare them afterwards.
//!
//! An erase that was interrupted is run again: a range that has a new key already gets another one.

mod keys;

use std::time::Duration;

use self::keys::{Erasing, needs_all};
use super::error::At;
use super::plan::Plan;
use super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, LockingRange, Mismatch,
    PlannedCall, SingleUserMode, Step, owner_of,
};
use crate::spec::{RangeNumber, Ssc, Uid, uid};

/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(250);

/// Which ranges shall be erased.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EraseRequest {
    /// The ranges; empty for all that the drive has. Ranges of length 0 are among these: a range
    /// that was deleted has left its key behind, and its data with it.
    pub ranges: Vec<RangeNumber>,
}

impl EraseRequest {
    /// A request for these ranges, or for all if there are none.
    #[must_use]
    pub const fn new(ranges: Vec<RangeNumber>) -> Self {
        Self { ranges }
    }
}

/// What an erase did.
#[derive(Debug)]
#[non_exhaustive]
pub struct EraseReport {
    /// The ranges that were asked for, by their numbers, as far as the erase came.
    pub ranges: Vec<ErasedRange>,
    /// Why it did not come further, or why the drive does not end it.
    pub stopped: Option<Error>,
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
}

/// What became of one range.
#[derive(Debug)]
#[non_exhaustive]
pub struct ErasedRange {
    /// The range.
    pub range: RangeNumber,
    /// The method by which it was erased, and the object of it; `None` if it was not.
    pub by: Option<(EraseMethod, Uid)>,
    /// Why it was not.
    pub error: Option<Error>,
}

/// A method that replaces the key of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EraseMethod {
    /// GenKey of the key object: everything else stays.
    GenKey,
    /// Erase of the range, in single user mode: its locks are off afterwards, and the PIN of its User
    /// is empty.
    Erase,
}

impl EraseMethod {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::GenKey => "gen_key",
            Self::Erase => "erase",
        }
    }
}

impl EraseReport {
    /// The first error, if there is one.
    #[must_use]
    pub fn first_error(&self) -> Option<&Error> {
        let refused = self.ranges.iter().find_map(|range| range.error.as_ref());
        self.stopped.as_ref().or(refused)
    }
}

/// Somebody who looks at the ranges before anything is lost, as far as the authority may see them.
pub type Witness<'w> = &'w mut dyn FnMut(&[LockingRange]);

impl Drive {
    /// Replaces the media encryption keys of ranges.
    ///
    /// `witness` is called once, after the log-in and before the first key is replaced. It is given
    /// the ranges that were asked for, or every range of the drive if range 0 is among them, since
    /// that one is what the others leave.
    ///
    /// # Warning
    /// The data of the ranges are lost.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, if no range was erased; what failed later stands
    /// in the report. [`Cause::NoEncryption`] if the drive has no keys; [`Cause::ConsentRequired`] if
    /// the consent was given for another drive.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consent is given for one act, and used up by it"
    )]
    pub fn erase(
        &mut self,
        request: &EraseRequest,
        credential: &Credential,
        consent: EraseConsent,
        witness: Witness<'_>,
    ) -> Result<EraseReport, Error> {
        self.require_erase(credential.authority)?;
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let timeout = self.tper.timeout();
        let limit = timeout + self.erasure_time();
        let glance = self.single_user_mode_at_a_glance();
        let (mut session, _) = self.log_in_to_locking_sp(credential)?;
        session.set_timeout(limit);
        let erasing = Erasing::new(&mut session, credential.authority, glance);
        let erased = erasing.and_then(|mut erasing| erasing.run(request, witness));
        let ended = session.end().at(Step::EndSession);
        self.tper.set_timeout(timeout);
        let (ranges, stopped) = erased?;
        self.note_owners_without_pin(&ranges);
        if ranges.iter().all(|range| range.error.is_some()) {
            return Err(first_of(ranges, stopped));
        }
        let settled = ended.and_then(|()| self.await_end_of_erasure(limit));
        Ok(EraseReport {
            ranges,
            stopped: stopped.or(settled.err()),
            state: self.state(),
        })
    }

    /// Notes the Users from whom ranges were taken: their PINs are empty, so that the next setup gives
    /// them theirs. Where it cannot be noted, somebody has to say so to the next command.
    fn note_owners_without_pin(&self, ranges: &[ErasedRange]) {
        let is_taken = |range: &&ErasedRange| matches!(range.by, Some((EraseMethod::Erase, _)));
        let taken = ranges.iter().filter(is_taken);
        for owner in taken.filter_map(|range| owner_of(range.range)) {
            self.note(owner).write();
        }
    }

    /// Refuses drives without keys, and who has no rights to them. Nothing is sent.
    pub(super) fn require_erase(&self, acting: Authority) -> Result<(), Error> {
        self.require_opal_family()?;
        let locking = self.discovery().locking();
        let encrypts = locking.is_some_and(|locking| locking.media_encryption);
        if matches!(self.ssc(), Ssc::Pyrite1 | Ssc::Pyrite2) || !encrypts {
            return Err(Error::before(Cause::NoEncryption));
        }
        self.require_active_as(acting)
    }

    /// Asks Level 0 Discovery until the drive removes no data any more.
    fn await_end_of_erasure(&mut self, limit: Duration) -> Result<(), Error> {
        let start = self.tper.now();
        loop {
            self.discover_at(Step::CheckState)?;
            if !self.is_erasing() {
                return Ok(());
            }
            if self.tper.now().saturating_sub(start) >= limit {
                let cause = Cause::NotAsAsked(Mismatch::StillErasing);
                return Err(Error::at(Step::CheckState, cause));
            }
            self.tper.pause(PAUSE).at(Step::CheckState)?;
        }
    }

    /// What [`Drive::erase`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::erase`] refuses before anything is sent, but for the consent.
    pub fn plan_erase(
        &self,
        request: &EraseRequest,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_erase(acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        let mode = self.single_user_mode_at_a_glance();
        if mode.is_none() {
            plan.read(uid::LOCKING_INFO, "Get", "SingleUserModeRanges");
        }
        if needs_all(request) {
            plan.read(uid::LOCKING, "Next", "");
        }
        for &range in &request.ranges {
            plan.read(uid::locking_range(range), "Get", "RangeStart to ActiveKey");
            match takes_erase(mode.as_ref(), range, acting) {
                true => plan.change(uid::locking_range(range), "Erase", ""),
                false => plan.change(uid::k_aes_256(range), "GenKey", ""),
            }
        }
        if request.ranges.is_empty() {
            plan.read(
                uid::LOCKING,
                "Get",
                "RangeStart to ActiveKey, of each range",
            );
            match takes_erase(mode.as_ref(), RangeNumber::GLOBAL, acting) {
                true => plan.change(uid::LOCKING, "Erase", "of each range"),
                false => plan.change(uid::K_AES_256, "GenKey", "of each range"),
            }
        }
        Ok(plan.calls())
    }
}

/// Whether Level 0 Discovery tells that a range belongs to a User, so that an Admin can but take it.
fn takes_erase(mode: Option<&SingleUserMode>, range: RangeNumber, acting: Authority) -> bool {
    let is_owned = mode.is_some_and(|mode| mode.ranges.include(range));
    is_owned && matches!(acting, Authority::Admin(_))
}

/// Why nothing was erased. A drive has at least one range, and a request for none is for all.
fn first_of(ranges: Vec<ErasedRange>, stopped: Option<Error>) -> Error {
    let refused = ranges.into_iter().find_map(|range| range.error);
    let nothing = || Error::at(Step::ListRanges, Cause::NotActivated);
    refused.or(stopped).unwrap_or_else(nothing)
}
