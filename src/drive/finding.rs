//! Findings: what would be refused now, why, and what can be done about it.

use super::{Drive, LockingState, MbrState};
use crate::spec::Ssc;
use crate::spec::feature::PinIndicator;

/// Something that a person should know before acting on a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Finding {
    /// The SSC is one for which this program has no operations.
    UnsupportedSsc(Ssc),
    /// The firmware has blocked SID until a power cycle.
    SidBlocked {
        /// Whether a hardware reset clears the block, too.
        hardware_reset_clears: bool,
    },
    /// SID does not have the default PIN: the drive is owned.
    SidNotMsid {
        /// Whether locking is activated, too.
        locking_active: bool,
    },
    /// SID has the default PIN although locking is activated: anybody can revert the drive.
    SidIsMsid,
    /// The drive does not tell whether SID has the default PIN.
    SidUnknown,
    /// SID had a vendor's PIN, not the one that the drive shows, when it was delivered.
    SidVendorUniqueAtDelivery,
    /// SID will have a vendor's PIN, not the one that the drive shows, after a revert.
    SidVendorUniqueAfterRevert,
    /// Locking is activated, and no range is locked now.
    NothingLocked,
    /// At least one range is locked.
    Locked,
    /// The shadow MBR is enabled and shown instead of the first blocks.
    MbrShown,
    /// The Locking SP is frozen until a clear event.
    LockingFrozen,
    /// An erase is being carried out.
    ErasureProcessing,
    /// An erase was interrupted.
    ErasureInterrupted,
}

impl Finding {
    /// The name, in snake case, as it stands in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnsupportedSsc(_) => "unsupported_ssc",
            Self::SidBlocked { .. } => "sid_blocked",
            Self::SidNotMsid { .. } => "sid_not_msid",
            Self::SidIsMsid => "sid_is_msid",
            Self::SidUnknown => "sid_unknown",
            Self::SidVendorUniqueAtDelivery => "sid_vendor_unique_at_delivery",
            Self::SidVendorUniqueAfterRevert => "sid_vendor_unique_after_revert",
            Self::NothingLocked => "nothing_locked",
            Self::Locked => "locked",
            Self::MbrShown => "mbr_shown",
            Self::LockingFrozen => "locking_frozen",
            Self::ErasureProcessing => "erasure_processing",
            Self::ErasureInterrupted => "erasure_interrupted",
        }
    }

    /// What is found, in plain words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::UnsupportedSsc(Ssc::Enterprise) => {
                "The drive speaks the Enterprise SSC, for which sedkit has no operations yet."
            }
            Self::UnsupportedSsc(_) => {
                "The drive speaks an SSC for which sedkit has no operations yet."
            }
            Self::SidBlocked { .. } => {
                "The firmware has blocked SID (Block SID Authentication): taking ownership and \
                 reverting as SID will be refused, whatever the PIN."
            }
            Self::SidNotMsid {
                locking_active: false,
            } => {
                "SID has another PIN than the default one: somebody has taken ownership, an earlier \
                 setup was interrupted, or the drive was delivered so."
            }
            Self::SidNotMsid {
                locking_active: true,
            } => {
                "The drive is owned and locking is activated: setup and revert as SID need the PIN \
                 that was set."
            }
            Self::SidIsMsid => {
                "Locking is activated, but SID still has the default PIN, which the drive shows to \
                 anybody: whoever can send commands can revert the drive and erase its data."
            }
            Self::SidUnknown => {
                "The drive does not tell whether SID still has the default PIN (no Block SID \
                 descriptor)."
            }
            Self::SidVendorUniqueAtDelivery => {
                "SID was not delivered with the default PIN that the drive shows, but with a PIN of \
                 the vendor's."
            }
            Self::SidVendorUniqueAfterRevert => {
                "After a revert SID will not have the default PIN that the drive shows, but a PIN \
                 of the vendor's."
            }
            Self::NothingLocked => {
                "Locking is activated, but no range is locked now. If no range has locking enabled, \
                 none will be locked after a power cycle either."
            }
            Self::Locked => "At least one range is locked: reading or writing it fails.",
            Self::MbrShown => "The shadow MBR is shown in place of the first blocks of the drive.",
            Self::LockingFrozen => {
                "The firmware has frozen the Locking SP: locking and unlocking will be refused."
            }
            Self::ErasureProcessing => "The drive is erasing data now.",
            Self::ErasureInterrupted => {
                "An erase was interrupted by a reset or a loss of power: the data are undefined."
            }
        }
    }

    /// What can be done about it, in plain words.
    #[must_use]
    pub const fn way_out(self) -> &'static str {
        match self {
            Self::UnsupportedSsc(_) => "Use a tool of the drive's vendor for this drive.",
            Self::SidBlocked {
                hardware_reset_clears,
            } => way_out_of_block(hardware_reset_clears),
            Self::SidNotMsid {
                locking_active: false,
            } => {
                "Run setup again with the PIN of the earlier run, or give the PIN that SID has. If \
                 nobody knows it, revert with the PSID printed on the label."
            }
            Self::SidNotMsid {
                locking_active: true,
            } => {
                "Use the PIN that was set; if Windows owns the drive, decrypt it there first. If \
                 nobody knows the PIN, revert with the PSID printed on the label: this erases all \
                 data."
            }
            Self::SidIsMsid => "Change the PIN of SID (passwd), or run setup.",
            Self::SidUnknown => {
                "Setup tries the default PIN first, which costs one try if the drive is owned."
            }
            Self::SidVendorUniqueAtDelivery => {
                "Ask the vendor for the PIN of SID and give it to setup, or revert with the PSID \
                 printed on the label if that sets the default PIN."
            }
            Self::SidVendorUniqueAfterRevert => {
                "Ask the vendor which PIN SID has after a revert before you revert the drive."
            }
            Self::NothingLocked => "List the ranges; run setup to enable locking.",
            Self::Locked => "Unlock the drive.",
            Self::MbrShown => "Unlock with the shadow MBR done (unlock --mbr-done).",
            Self::LockingFrozen => {
                "Power-cycle the drive; if it is frozen again, switch the option off in the \
                 firmware setup."
            }
            Self::ErasureProcessing => "Wait until it is done.",
            Self::ErasureInterrupted => "Run the erase or the revert again.",
        }
    }
}

const fn way_out_of_block(hardware_reset_clears: bool) -> &'static str {
    if hardware_reset_clears {
        "Power-cycle or reset the drive without passing through the firmware (suspend to RAM, \
         hot-plug), or switch the block off in the firmware setup (\"Block SID\", \"TCG storage \
         security\") or by the TPM's physical presence interface. PSID is not affected."
    } else {
        "Power-cycle the drive without passing through the firmware (suspend to RAM, hot-plug), or \
         switch the block off in the firmware setup (\"Block SID\", \"TCG storage security\") or \
         by the TPM's physical presence interface. PSID is not affected."
    }
}

impl Drive {
    /// What would be refused now and why, by Level 0 Discovery. Nothing is sent.
    #[must_use]
    pub fn diagnose(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.require_opal_family().is_err() {
            findings.push(Finding::UnsupportedSsc(self.ssc()));
        }
        findings.extend(self.sid_findings());
        findings.extend(self.locking_findings());
        findings.extend(self.erasure_findings());
        findings
    }

    fn sid_findings(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        let block_sid = self.discovery().block_sid();
        if let Some(block_sid) = block_sid.filter(|block_sid| block_sid.sid_blocked) {
            findings.push(Finding::SidBlocked {
                hardware_reset_clears: block_sid.hardware_reset_clears_block == Some(true),
            });
        }
        let locking_active = self.is_active();
        match self.is_owned() {
            None => findings.push(Finding::SidUnknown),
            Some(true) => findings.push(Finding::SidNotMsid { locking_active }),
            Some(false) if locking_active => findings.push(Finding::SidIsMsid),
            Some(false) => {}
        }
        let vendor_unique = Some(PinIndicator::VENDOR_UNIQUE);
        if self.initial_pin_indicator() == vendor_unique {
            findings.push(Finding::SidVendorUniqueAtDelivery);
        }
        if self.pin_behaviour_on_revert() == vendor_unique {
            findings.push(Finding::SidVendorUniqueAfterRevert);
        }
        findings
    }

    fn locking_findings(&self) -> Vec<Finding> {
        let state = self.state();
        let mut findings = Vec::new();
        if state.frozen {
            findings.push(Finding::LockingFrozen);
        }
        match state.locking {
            LockingState::Locked => findings.push(Finding::Locked),
            LockingState::Unlocked => findings.push(Finding::NothingLocked),
            LockingState::Inactive | LockingState::NotSupported => {}
        }
        if state.mbr == MbrState::Shown {
            findings.push(Finding::MbrShown);
        }
        findings
    }

    fn erasure_findings(&self) -> Vec<Finding> {
        let Some(removal) = self.discovery().data_removal() else {
            return Vec::new();
        };
        let processing = removal
            .operation_processing
            .then_some(Finding::ErasureProcessing);
        let interrupted = removal
            .operation_interrupted
            .then_some(Finding::ErasureInterrupted);
        processing.into_iter().chain(interrupted).collect()
    }
}
