//! What an interface says of a drive when it is opened, beside who the drive is.

use super::AtaSecurity;

/// What the interface said of the drive when it was opened; nothing more is sent for it.
///
/// A virtual drive and a script have no interface of their own, and say nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Whether the drive states that it has security commands. NVMe: OACS bit 0 of Identify
    /// Controller. ATA: the Trusted Computing feature set, IDENTIFY DEVICE word 48.
    pub has_security_commands: Option<bool>,
    /// The state of ATA Security, by IDENTIFY DEVICE word 128.
    pub ata_security: Option<AtaSecurity>,
}
