//! Findings: what would be refused now, why, and what can be done about it.

/// Something that a person should know before acting on a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Finding {
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
    /// The SSC is one for which this program has no operations.
    UnsupportedSsc,
}

impl Finding {
    /// The name, in snake case, as it stands in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SidBlocked { .. } => "sid_blocked",
            Self::SidNotMsid { .. } => "sid_not_msid",
            Self::SidUnknown => "sid_unknown",
            Self::SidVendorUniqueAtDelivery => "sid_vendor_unique_at_delivery",
            Self::SidVendorUniqueAfterRevert => "sid_vendor_unique_after_revert",
            Self::NothingLocked => "nothing_locked",
            Self::Locked => "locked",
            Self::MbrShown => "mbr_shown",
            Self::LockingFrozen => "locking_frozen",
            Self::ErasureProcessing => "erasure_processing",
            Self::ErasureInterrupted => "erasure_interrupted",
            Self::UnsupportedSsc => "unsupported_ssc",
        }
    }

    /// What is found, in plain words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        ""
    }

    /// What can be done about it, in plain words.
    #[must_use]
    pub const fn way_out(self) -> &'static str {
        ""
    }
}
