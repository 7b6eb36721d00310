//! Findings: what would be refused now, by what evidence, and what can be done about it.
//!
//! A [`Finding`] is what Level 0 Discovery or the drive's answers show; `words` says it in plain
//! English with the way out, `evidence` names the bits behind it. [`Drive::diagnose`] lists all that
//! is known, [`Drive::explain`] (in `explain`) what speaks to one failure.

mod evidence;
mod explain;
mod status;
mod words;

pub use explain::{NoTcg, Trouble};

use super::{AtaSource, Authority, Drive, LockingState, MbrState, Tries};
use crate::session::AtaSecurity;
use crate::spec::feature::PinIndicator;
use crate::spec::{MethodStatus, Ssc};

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
    /// Ranges are in single user mode.
    SingleUserMode {
        /// Whether all of them are.
        all: bool,
    },
    /// The drive is owned and has a boot image that asks for the passphrase.
    BootImage,
    /// The drive is owned and speaks IEEE 1667, as Windows' eDrive needs it.
    Ieee1667,
    /// An ATA password is set: what some firmware calls a disk password.
    AtaPassword {
        /// The state of ATA Security.
        security: AtaSecurity,
        /// Who told it.
        by: AtaSource,
    },
    /// Wrong attempts at the PSID were counted.
    PsidTries(Tries),
    /// Too many wrong PINs.
    LockedOut {
        /// Whose.
        authority: Authority,
        /// What the drive shows of the count.
        tries: Option<Tries>,
    },
    /// Another session is open: the status that the drive answers.
    Busy(MethodStatus),
    /// SID was refused another PIN than the default one, which Level 0 Discovery says it has.
    SidStillMsid,
    /// SID was refused, and nothing that the drive shows explains it.
    SidUnexplained,
    /// Activation failed, and nothing that the drive shows explains it.
    ActivationUnexplained,
    /// The drive took a command and has nothing to say to it.
    NoAnswer,
    /// A status that a method was refused with.
    Status(MethodStatus),
    /// Level 0 Discovery was refused, or not answered.
    NoTcg(NoTcg),
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
            Self::SingleUserMode { .. } => "single_user_mode",
            Self::BootImage => "boot_image",
            Self::Ieee1667 => "ieee_1667",
            Self::AtaPassword { security, .. } if security.locked => "ata_security_locked",
            Self::AtaPassword { .. } => "ata_security_enabled",
            Self::PsidTries(_) => "psid_tries",
            Self::LockedOut { .. } => "locked_out",
            Self::Busy(_) => "tper_busy",
            Self::SidStillMsid => "sid_still_msid",
            Self::SidUnexplained => "sid_unexplained",
            Self::ActivationUnexplained => "activation_unexplained",
            Self::NoAnswer => "no_answer",
            Self::Status(_) => "method_status",
            Self::NoTcg(cause) => cause.name(),
        }
    }
}

impl Drive {
    /// What would be refused now and why, by Level 0 Discovery and, once they were asked for, by
    /// [`Drive::neighbours`]. Nothing is sent.
    #[must_use]
    pub fn diagnose(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        if self.require_opal_family().is_err() {
            findings.push(Finding::UnsupportedSsc(self.ssc()));
        }
        findings.extend(self.sid_findings());
        findings.extend(self.locking_findings());
        findings.extend(self.erasure_findings());
        findings.extend(self.owner_findings());
        findings.extend(self.ata_findings());
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
        findings.extend(self.single_user_finding());
        findings
    }

    /// Drives are known that set ALL without ANY.
    fn single_user_finding(&self) -> Option<Finding> {
        let mode = self.discovery().single_user_mode()?;
        let all = mode.all == Some(true);
        (self.is_active() && (all || mode.any == Some(true)))
            .then_some(Finding::SingleUserMode { all })
    }

    /// Whose the drive may be, where it is somebody's.
    fn owner_findings(&self) -> Vec<Finding> {
        if !self.is_active() && self.is_owned() != Some(true) {
            return Vec::new();
        }
        let mbr = self.state().mbr;
        let image = matches!(mbr, MbrState::Shown | MbrState::Done).then_some(Finding::BootImage);
        let ieee_1667 = self.known_neighbours().is_some_and(|it| it.has_ieee_1667());
        // eDrive has no shadow MBR.
        let ieee_1667 = (ieee_1667 && image.is_none()).then_some(Finding::Ieee1667);
        image.into_iter().chain(ieee_1667).collect()
    }

    fn ata_findings(&self) -> Option<Finding> {
        self.known_neighbours()?.finding()
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
