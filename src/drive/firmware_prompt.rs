//! What a firmware's prompt would do with a drive at boot: whether it asks, and what it takes.
//!
//! Known are the rules of TianoCore's OpalPassword, which Dasharo and coreboot with edk2 share, and
//! what users have seen of Dell's. Both send the characters as typed: no firmware whose code is
//! known hashes them. They need nothing but Level 0 Discovery, and no more is needed here.

use super::{Authority, Drive, LockingState, MbrState};

/// What firmware would do with a drive at the next cold boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FirmwarePrompt {
    /// TianoCore EDK2.
    pub edk2: Prompt,
    /// Dell's client machines.
    pub dell: Prompt,
    /// Whether EDK2's prompt leaves the shadow MBR shown, since it never sets Done.
    pub leaves_mbr_shown: bool,
}

/// Whether a firmware asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Prompt {
    /// It asks.
    Asks,
    /// It asks if a range is locked when the machine starts.
    AsksIfLocked,
    /// Locking is not activated.
    NotActivated,
    /// It leaves the drive to what is in the shadow MBR.
    LeftToShadowMbr,
}

/// Who is asked for, in this order: each wrong passphrase costs an attempt of both.
pub const PROMPTED: [Authority; 2] = [Authority::Admin(1), Authority::User(1)];
/// The longest passphrase of a prompt in bytes; there the input ends by itself.
pub const PROMPT_MAX: usize = 32;

impl Prompt {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asks => "asks",
            Self::AsksIfLocked => "asks_if_locked",
            Self::NotActivated => "not_activated",
            Self::LeftToShadowMbr => "left_to_shadow_mbr",
        }
    }

    /// The same in words.
    #[must_use]
    pub const fn text(self) -> &'static str {
        match self {
            Self::Asks => "asks for the passphrase, even if nothing is locked",
            Self::AsksIfLocked => "asks if a range is locked when the machine starts",
            Self::NotActivated => "does not ask: locking is not activated",
            Self::LeftToShadowMbr => "does not ask: the shadow MBR is enabled",
        }
    }
}

impl Drive {
    /// What firmware would do with the drive. Nothing is sent.
    #[must_use]
    pub fn firmware_prompt(&self) -> FirmwarePrompt {
        let state = self.state();
        let is_active = matches!(state.locking, LockingState::Unlocked | LockingState::Locked);
        let has_mbr = matches!(state.mbr, MbrState::Shown | MbrState::Done);
        let (edk2, dell) = match (is_active, has_mbr) {
            (false, _) => (Prompt::NotActivated, Prompt::NotActivated),
            (true, true) => (Prompt::Asks, Prompt::LeftToShadowMbr),
            (true, false) => (Prompt::Asks, Prompt::AsksIfLocked),
        };
        FirmwarePrompt {
            edk2,
            dell,
            leaves_mbr_shown: is_active && has_mbr,
        }
    }
}
