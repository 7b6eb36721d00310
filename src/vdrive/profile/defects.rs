//! What drives do that no standard lets them do, or that no host expects.

use serde::{Deserialize, Serialize};

/// How a TPer deviates from the standards. [`Defects::default`] is not at all.
///
/// Each of them was seen on a drive; the family stands beside it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Defects {
    /// What the answer of Properties says of the host.
    pub host_echo: HostEcho,
    /// How integers are encoded.
    pub integers: IntegerWidth,
    /// Names are medium atoms, however short they are.
    pub medium_names: bool,
    /// What follows the status list within the Subpacket (Toshiba).
    pub trailing: Trailing,
    /// The Packet's length leaves out the padding of its Subpacket (Crucial M550).
    pub packet_length_without_padding: bool,
    /// How many IF-RECVs find nothing at all before the response is there.
    pub empty_answers: u32,
    /// Commands on the ComID are swallowed after power-up, until the interface is reset
    /// (Intel 6000p).
    pub mute_until_reset: bool,
    /// After STACK_RESET every response is "still to come", until a power cycle (Samsung PM9D3a).
    pub hangs_after_stack_reset: bool,
    /// StartSession without SessionTimeout is refused (some Enterprise drives).
    pub requires_session_timeout: bool,
    /// The most bytes that an IF-RECV may ask for (WD SN850X, Micron 7450).
    pub max_receive: Option<u32>,
    /// RevertSP replaces the Global range's key, also if it is told to keep it (Samsung PM1733).
    pub loses_global_range_key: bool,
    /// GenKey, Revert and RevertSP succeed and replace no key: what was to be removed stays readable
    /// (a Samsung 970 EVO, sedutil issue 267).
    pub keeps_keys: bool,
    /// Set of `MBRControl.Enable` succeeds and changes nothing (Crucial MX200).
    pub keeps_mbr_enable: bool,
    /// Set of a range leaves out ReadLockEnabled and WriteLockEnabled if it has other columns too
    /// (drives that cryptsetup reads back).
    pub sets_lock_enables_alone: bool,
    /// After Revert of the Admin SP the media refuse everything, until a power cycle (Samsung PM981,
    /// PM961).
    pub revert_shuts_medium: bool,
    /// Block SID Authentication is in force after every power-up, as firmware sees to it.
    pub blocks_sid_at_power_up: bool,
    /// StartSession with a PIN of more than 32 bytes is swallowed (Crucial MX200).
    pub swallows_long_pins: bool,
    /// The size of a logical block that the TPer tells, where it is another than hosts see: some
    /// firmware keeps it from before the drive was formatted (cryptsetup 2.7.3 refuses such drives).
    pub told_block_size: Option<u32>,
    /// SID has another PIN than MSID when the drive is delivered, although Level 0 Discovery
    /// promises MSID's (Samsung 970, 980, 990).
    pub sid_changed_at_delivery: bool,
}

/// What the answer of Properties says of the host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum HostEcho {
    /// The properties that the TPer knows, with the values that it will use.
    #[default]
    Understood,
    /// These, and MaxResponseComPacketSize = 2048 (Samsung).
    WithResponseSize,
    /// Whatever the host said (WD SN850X).
    Verbatim,
    /// Nothing (HGST HUH721212).
    Nothing,
}

/// How integers are encoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum IntegerWidth {
    /// In as few bytes as possible.
    #[default]
    Minimal,
    /// The numbers of SyncSession in four bytes, the others in as few as possible (Samsung).
    FourInSyncSession,
    /// All in four bytes at least (Crucial M550).
    Four,
}

/// What follows the status list within the Subpacket, up to the next multiple of four bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Trailing {
    /// Nothing.
    #[default]
    Nothing,
    /// Empty atoms, FFh.
    EmptyAtoms,
    /// Zero bytes, each of which is a tiny atom.
    Zeros,
}

impl Trailing {
    /// The byte.
    pub(crate) const fn byte(self) -> Option<u8> {
        match self {
            Self::Nothing => None,
            Self::EmptyAtoms => Some(0xff),
            Self::Zeros => Some(0),
        }
    }
}
