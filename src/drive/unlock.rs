//! Locking and unlocking.

use super::{Authority, Credential, Drive, Error, PlannedCall};
use crate::spec::RangeNumber;

/// What shall be unlocked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnlockRequest {
    /// The ranges; empty for all that have locking enabled.
    pub ranges: Vec<RangeNumber>,
    /// For reading only.
    pub read_only: bool,
    /// Hides the shadow MBR, too.
    pub mbr_done: bool,
}

/// What shall be locked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockRequest {
    /// The ranges; empty for all that have locking enabled.
    pub ranges: Vec<RangeNumber>,
}

/// What unlocking found and did.
#[derive(Debug)]
#[non_exhaustive]
pub struct UnlockReport {
    /// False if Level 0 Discovery said that everything was as asked: no session was opened then.
    pub changed: bool,
    /// The ranges that were worked on.
    pub ranges: Vec<RangeOutcome>,
    /// The shadow MBR.
    pub mbr: MbrOutcome,
}

/// What locking found and did.
#[derive(Debug)]
#[non_exhaustive]
pub struct LockReport {
    /// The ranges that were worked on.
    pub ranges: Vec<RangeOutcome>,
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

impl Drive {
    /// Unlocks ranges. What Level 0 Discovery shows to be as asked is not asked again.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, if nothing could be unlocked.
    pub fn unlock(
        &mut self,
        request: &UnlockRequest,
        credential: &Credential,
    ) -> Result<UnlockReport, Error> {
        let _ = (request, credential);
        Err(Self::provisional())
    }

    /// What [`Drive::unlock`] would send, as far as Level 0 Discovery tells. Nothing is sent.
    #[must_use]
    pub fn plan_unlock(&self, request: &UnlockRequest, authority: Authority) -> Vec<PlannedCall> {
        let _ = (request, authority);
        Vec::new()
    }

    /// Locks ranges, and proves it by Level 0 Discovery.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, if nothing could be locked.
    pub fn lock(
        &mut self,
        request: &LockRequest,
        credential: &Credential,
    ) -> Result<LockReport, Error> {
        let _ = (request, credential);
        Err(Self::provisional())
    }

    /// What [`Drive::lock`] would send, as far as Level 0 Discovery tells. Nothing is sent.
    #[must_use]
    pub fn plan_lock(&self, request: &LockRequest, authority: Authority) -> Vec<PlannedCall> {
        let _ = (request, authority);
        Vec::new()
    }
}
