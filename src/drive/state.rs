//! The state of a drive in a few words, from Level 0 Discovery alone.

use std::fmt;

use super::Drive;
use crate::session::Discovery;
use crate::spec::feature::PinIndicator;

/// The state of a drive, as Level 0 Discovery tells it to anybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DriveState {
    /// Whether locking is activated, and whether a range is locked.
    pub locking: LockingState,
    /// Whether SID has another PIN than the default one; `None` if the drive does not tell.
    pub owned: Option<bool>,
    /// Whether SID is blocked; `None` if the drive cannot block it.
    pub sid_blocked: Option<bool>,
    /// Whether the Locking SP is frozen.
    pub frozen: bool,
    /// The shadow MBR.
    pub mbr: MbrState,
}

/// Locking, as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LockingState {
    /// The drive has no locking.
    NotSupported,
    /// The Locking SP is not activated: nothing can be locked.
    Inactive,
    /// Activated, and no range is locked.
    Unlocked,
    /// Activated, and at least one range is locked for reading or writing.
    Locked,
}

/// The shadow MBR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MbrState {
    /// The drive has none.
    NotSupported,
    /// Not enabled.
    Disabled,
    /// Enabled and shown: reads of the first blocks get the shadow MBR.
    Shown,
    /// Enabled and done: hidden until the next power cycle.
    Done,
}

impl DriveState {
    /// One word: `factory`, `inactive`, `owned`, `unlocked`, `locked`, `frozen` or `unsupported`.
    #[must_use]
    pub const fn word(&self) -> &'static str {
        match (self.locking, self.owned) {
            (LockingState::NotSupported, _) => "unsupported",
            (LockingState::Inactive, Some(false)) => "factory",
            (LockingState::Inactive, None) => "inactive",
            (LockingState::Inactive, Some(true)) => "owned",
            (LockingState::Locked, _) => "locked",
            (LockingState::Unlocked, _) if self.frozen => "frozen",
            (LockingState::Unlocked, _) => "unlocked",
        }
    }
}

impl fmt::Display for DriveState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl LockingState {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotSupported => "not_supported",
            Self::Inactive => "inactive",
            Self::Unlocked => "unlocked",
            Self::Locked => "locked",
        }
    }
}

impl MbrState {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotSupported => "not_supported",
            Self::Disabled => "disabled",
            Self::Shown => "shown",
            Self::Done => "done",
        }
    }
}

/// Whether a range is locked.
pub(super) fn is_locked(discovery: &Discovery) -> bool {
    let locking = discovery.locking();
    locking.is_some_and(|locking| locking.locked)
}

impl Drive {
    /// The state, by Level 0 Discovery.
    #[must_use]
    pub fn state(&self) -> DriveState {
        let block_sid = self.discovery.block_sid();
        DriveState {
            locking: self.locking_state(),
            owned: block_sid.map(|block_sid| block_sid.sid_pin_differs_from_msid),
            sid_blocked: block_sid.map(|block_sid| block_sid.sid_blocked),
            frozen: block_sid.is_some_and(|block_sid| block_sid.locking_sp_frozen),
            mbr: self.mbr_state(),
        }
    }

    fn locking_state(&self) -> LockingState {
        match self.discovery.locking() {
            Some(locking) if locking.locked => LockingState::Locked,
            Some(locking) if locking.locking_enabled => LockingState::Unlocked,
            Some(locking) if locking.locking_supported => LockingState::Inactive,
            _ => LockingState::NotSupported,
        }
    }

    fn mbr_state(&self) -> MbrState {
        match self.discovery.locking() {
            Some(locking) if locking.mbr_enabled && locking.mbr_done => MbrState::Done,
            Some(locking) if locking.mbr_enabled => MbrState::Shown,
            Some(locking) if !locking.mbr_shadowing_not_supported => MbrState::Disabled,
            _ => MbrState::NotSupported,
        }
    }

    /// Whether the Locking SP is activated.
    pub(super) fn is_active(&self) -> bool {
        let locking = self.discovery.locking();
        locking.is_some_and(|locking| locking.locking_enabled)
    }

    /// Whether a range is locked.
    pub(super) fn is_locked(&self) -> bool {
        is_locked(&self.discovery)
    }

    /// Whether SID is blocked.
    pub(super) fn is_sid_blocked(&self) -> bool {
        let block_sid = self.discovery.block_sid();
        block_sid.is_some_and(|block_sid| block_sid.sid_blocked)
    }

    /// Whether SID has another PIN than the default one; `None` if the drive does not tell.
    pub(super) fn is_owned(&self) -> Option<bool> {
        self.state().owned
    }

    /// What SID's PIN is on delivery; `None` if the SSC does not tell.
    pub(super) fn initial_pin_indicator(&self) -> Option<PinIndicator> {
        let discovery = &self.discovery;
        let opal = discovery.opal2().or_else(|| discovery.ruby());
        let pyrite = discovery.pyrite2().or_else(|| discovery.pyrite1());
        let pyrite = pyrite.or_else(|| discovery.opalite());
        let opal = opal.and_then(|opal| opal.initial_pin_indicator);
        opal.or_else(|| pyrite.and_then(|pyrite| pyrite.initial_pin_indicator))
    }

    /// What SID's PIN is after a revert; `None` if the SSC does not tell.
    pub(super) fn pin_behaviour_on_revert(&self) -> Option<PinIndicator> {
        let discovery = &self.discovery;
        let opal = discovery.opal2().or_else(|| discovery.ruby());
        let pyrite = discovery.pyrite2().or_else(|| discovery.pyrite1());
        let pyrite = pyrite.or_else(|| discovery.opalite());
        let opal = opal.and_then(|opal| opal.pin_behaviour_on_revert);
        opal.or_else(|| pyrite.and_then(|pyrite| pyrite.pin_behaviour_on_revert))
    }
}
