//! Revert: the whole TPer back to its original factory state.

use super::{Authority, Credential, Drive, DriveState, EraseConsent, Error, Finding, PlannedCall};

/// What a revert left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevertReport {
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
    /// What is not as a new drive has it, although the revert was carried out.
    pub findings: Vec<Finding>,
}

impl Drive {
    /// Returns the TPer to its original factory state, and checks it.
    ///
    /// # Warning
    /// All data are lost if locking is activated.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn revert(
        &mut self,
        by: &Credential,
        consent: EraseConsent,
    ) -> Result<RevertReport, Error> {
        let _ = (by, consent);
        Err(Self::provisional())
    }

    /// What [`Drive::revert`] would send. Nothing is sent.
    #[must_use]
    pub fn plan_revert(&self, by: Authority) -> Vec<PlannedCall> {
        let _ = by;
        Vec::new()
    }
}
