//! Setup: from any state of ours to a drive that is owned, activated and lockable.

use super::{Credential, Drive, EraseConsent, Error, LockingRange, PlannedCall, RangeSpec};
use crate::secret::Secret;

/// What a drive shall be after setup.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SetupPlan {
    /// Ranges beside the Global range; empty for the Global range alone.
    pub ranges: Vec<RangeSpec>,
    /// Resets by which the ranges are locked.
    pub lock_on_reset: LockOnReset,
    /// The PIN that SID has now, where it is neither the default nor the new one.
    pub sid_pin: Option<Secret>,
    /// Consent to lose the data of `ranges`: a range that gets another place gets another key.
    pub consent: Option<EraseConsent>,
}

/// Resets by which ranges are locked (`LockOnReset`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LockOnReset {
    /// Power cycle.
    #[default]
    PowerCycle,
    /// Power cycle and TPER_RESET.
    PowerCycleAndProgrammatic,
    /// Power cycle and hardware reset.
    PowerCycleAndHardware,
    /// Power cycle, hardware reset and TPER_RESET.
    PowerCycleHardwareAndProgrammatic,
}

/// What setup found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetupReport {
    /// False if the drive was already set up: nothing was changed then.
    pub changed: bool,
    /// Whether SID got the new PIN in this run; it had it already otherwise.
    pub owned: bool,
    /// Whether the Locking SP was activated in this run.
    pub activated: bool,
    /// The ranges, as they were read back.
    pub ranges: Vec<LockingRange>,
    /// Whether the shadow MBR was switched off in this run.
    pub mbr_disabled: bool,
}

impl Drive {
    /// Sets the drive up: SID and Admin1 get the new PIN, the Locking SP is activated, locking is
    /// enabled on the Global range or on the ranges of the plan, the shadow MBR is off, and
    /// nothing is locked.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn setup(&mut self, plan: &SetupPlan, new_pin: &Secret) -> Result<SetupReport, Error> {
        let _ = (plan, new_pin);
        Err(Self::provisional())
    }

    /// What [`Drive::setup`] would send, as far as Level 0 Discovery tells. Nothing is sent.
    #[must_use]
    pub fn plan_setup(&self, plan: &SetupPlan) -> Vec<PlannedCall> {
        let _ = plan;
        Vec::new()
    }

    /// The Locking ranges, as far as the authority (or anybody) may see them.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn ranges(&mut self, credential: Option<&Credential>) -> Result<Vec<LockingRange>, Error> {
        let _ = credential;
        Err(Self::provisional())
    }
}
