//! The state of a drive in a few words, from Level 0 Discovery alone.

use std::fmt;

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
