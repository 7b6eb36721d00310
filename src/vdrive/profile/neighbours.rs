//! What a model speaks beside TCG Storage, as firmware and other systems leave it behind.

use serde::{Deserialize, Serialize};

/// What a drive speaks beside TCG Storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Neighbours {
    /// ATA Security: IDENTIFY DEVICE word 128 of a SATA face, security protocol EFh of all others.
    pub ata_security: AtaSecurityState,
    /// IEEE 1667 (EEh) stands in the list of security protocols, as on drives made for Windows'
    /// eDrive. It is announced and not spoken: commands for it are refused.
    pub ieee_1667: bool,
}

/// In which state firmware has left ATA Security. It stays so: no ATA password can be given here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AtaSecurityState {
    /// The drive does not have the feature set.
    #[default]
    None,
    /// A user password is set, and was given: the media can be used.
    Enabled,
    /// A user password is set, and was not given: the media cannot be used.
    Locked,
    /// No password is set, and none can be, as most firmware leaves drives.
    Frozen,
}

impl AtaSecurityState {
    /// The state of a name: `none`, `enabled`, `locked`, `frozen`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "none" => Self::None,
            "enabled" => Self::Enabled,
            "locked" => Self::Locked,
            "frozen" => Self::Frozen,
            _ => return None,
        })
    }

    /// Whether a user password is set.
    #[must_use]
    pub const fn has_password(self) -> bool {
        matches!(self, Self::Enabled | Self::Locked)
    }

    /// The low bits of IDENTIFY DEVICE word 128, which security protocol EFh has in its byte 9, too
    /// (\[ACS\] 7.12.7, \[SAT\]): bit 0 supported, 1 enabled, 2 locked, 3 frozen.
    ///
    /// The feature set is there only while the Locking SP is inactive (\[SIIS\]): the TPer
    /// knows.
    pub(crate) const fn flags(self) -> u8 {
        match self {
            Self::None => 0b0000,
            Self::Enabled => 0b0011,
            Self::Locked => 0b0111,
            Self::Frozen => 0b1001,
        }
    }
}
