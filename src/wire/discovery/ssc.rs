//! Descriptors of the Security Subsystem Classes.

use super::fields::{Fields, is_set};
use crate::spec::{ComId, PinIndicator};

/// Enterprise SSC (\[Enterprise\], Level 0 Discovery) and Opal SSC 1.00, whose layouts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnterpriseSsc {
    /// Bytes 4 and 5: the first static ComID.
    pub base_com_id: ComId,
    /// Bytes 6 and 7: how many ComIDs follow each other.
    pub number_of_com_ids: u16,
    /// Byte 8 bit 0, Range Crossing: a command that crosses ranges is terminated, even where all
    /// of them are unlocked.
    pub range_crossing_terminated: Option<bool>,
}

impl EnterpriseSsc {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            base_com_id: ComId(fields.u16(4)?),
            number_of_com_ids: fields.u16(6)?,
            range_crossing_terminated: fields.bit(8, 0),
        })
    }
}

/// Opal SSC 2.x (\[Opal\] 3.1.1) and Ruby SSC, whose layouts are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OpalSsc {
    /// Bytes 4 and 5: the first static ComID.
    pub base_com_id: ComId,
    /// Bytes 6 and 7: how many ComIDs follow each other.
    pub number_of_com_ids: u16,
    /// Byte 8 bit 0, Range Crossing Behavior: a command that crosses ranges is terminated, even
    /// where all of them are unlocked.
    pub range_crossing_terminated: Option<bool>,
    /// Bytes 9 and 10: Admin authorities of the Locking SP.
    pub locking_sp_admins: Option<u16>,
    /// Bytes 11 and 12: User authorities of the Locking SP.
    pub locking_sp_users: Option<u16>,
    /// Byte 13: the PIN of SID in the original factory state.
    pub initial_pin_indicator: Option<PinIndicator>,
    /// Byte 14: the PIN of SID after a Revert of the TPer.
    pub pin_behaviour_on_revert: Option<PinIndicator>,
}

impl OpalSsc {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            base_com_id: ComId(fields.u16(4)?),
            number_of_com_ids: fields.u16(6)?,
            range_crossing_terminated: fields.bit(8, 0),
            locking_sp_admins: fields.u16(9),
            locking_sp_users: fields.u16(11),
            initial_pin_indicator: fields.u8(13).map(PinIndicator),
            pin_behaviour_on_revert: fields.u8(14).map(PinIndicator),
        })
    }
}

/// Opalite SSC (\[Opalite\] 3.1.1) and Pyrite SSC 1.00 and 2.x (\[Pyrite\] 3.1.1), whose layouts
/// are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PyriteSsc {
    /// Bytes 4 and 5: the first static ComID.
    pub base_com_id: ComId,
    /// Bytes 6 and 7: how many ComIDs follow each other.
    pub number_of_com_ids: u16,
    /// Byte 13: the PIN of SID in the original factory state.
    pub initial_pin_indicator: Option<PinIndicator>,
    /// Byte 14: the PIN of SID after a Revert of the TPer.
    pub pin_behaviour_on_revert: Option<PinIndicator>,
}

impl PyriteSsc {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            base_com_id: ComId(fields.u16(4)?),
            number_of_com_ids: fields.u16(6)?,
            initial_pin_indicator: fields.u8(13).map(PinIndicator),
            pin_behaviour_on_revert: fields.u8(14).map(PinIndicator),
        })
    }
}

/// Key Per I/O SSC (\[Key Per I/O\] 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyPerIoSsc {
    /// Bytes 4 and 5: the first static ComID of protocol 01h.
    pub base_com_id: ComId,
    /// Bytes 6 and 7: how many ComIDs of protocol 01h follow each other.
    pub number_of_com_ids: u16,
    /// Bytes 8 and 9: the first static ComID of protocol 03h.
    pub protocol_3_base_com_id: Option<ComId>,
    /// Bytes 10 and 11: how many ComIDs of protocol 03h follow each other.
    pub protocol_3_number_of_com_ids: Option<u16>,
    /// Byte 12: the PIN of SID in the original factory state.
    pub initial_pin_indicator: Option<PinIndicator>,
    /// Byte 13: the PIN of SID after a Revert of the TPer.
    pub pin_behaviour_on_revert: Option<PinIndicator>,
    /// Bytes 14 and 15: Admin authorities of the Key Per I/O SP.
    pub key_per_io_sp_admins: Option<u16>,
    /// Byte 16: what is supported and enabled.
    pub state: Option<KeyPerIoState>,
    /// Bytes 17 and 18: longest Key Unique Identifier in bytes; 0 for no limit of its own.
    pub maximum_key_uid_length: Option<u16>,
    /// Byte 19 bit 0: keys are injected in KMIP's format.
    pub kmip_formatted_key_injection: Option<bool>,
    /// Byte 21: algorithms by which keys are wrapped.
    pub key_wrapping: Option<KeyWrapping>,
    /// Byte 23 bit 0: a wrapping key may be one of AES-256.
    pub aes_256_wrapping_key: Option<bool>,
    /// Byte 25: RSA keys by which keys may be wrapped.
    pub rsa_wrapping_keys: Option<RsaWrappingKeys>,
    /// Byte 27 bit 1: key encryption keys may be transported by public key.
    pub pki_kek_transport: Option<bool>,
    /// Byte 27 bit 0: key encryption keys may be provisioned in plain text.
    pub plaintext_kek_provisioning: Option<bool>,
    /// Bytes 32 to 35: key encryption keys.
    pub number_of_keks: Option<u32>,
    /// Bytes 36 to 39: key tags in all.
    pub total_number_of_key_tags: Option<u32>,
    /// Bytes 40 and 41: key tags that one namespace may have.
    pub maximum_key_tags_per_namespace: Option<u16>,
    /// Byte 42: bytes that Get Nonce returns.
    pub get_nonce_length: Option<u8>,
}

impl KeyPerIoSsc {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            base_com_id: ComId(fields.u16(4)?),
            number_of_com_ids: fields.u16(6)?,
            protocol_3_base_com_id: fields.u16(8).map(ComId),
            protocol_3_number_of_com_ids: fields.u16(10),
            initial_pin_indicator: fields.u8(12).map(PinIndicator),
            pin_behaviour_on_revert: fields.u8(13).map(PinIndicator),
            key_per_io_sp_admins: fields.u16(14),
            state: fields.u8(16).map(KeyPerIoState::from_flags),
            maximum_key_uid_length: fields.u16(17),
            kmip_formatted_key_injection: fields.bit(19, 0),
            key_wrapping: fields.u8(21).map(KeyWrapping::from_flags),
            aes_256_wrapping_key: fields.bit(23, 0),
            rsa_wrapping_keys: fields.u8(25).map(RsaWrappingKeys::from_flags),
            pki_kek_transport: fields.bit(27, 1),
            plaintext_kek_provisioning: fields.bit(27, 0),
            number_of_keks: fields.u32(32),
            total_number_of_key_tags: fields.u32(36),
            maximum_key_tags_per_namespace: fields.u16(40),
            get_nonce_length: fields.u8(42),
        })
    }
}

/// Byte 16 of the Key Per I/O descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyPerIoState {
    /// Bit 0, Key Per I/O Enabled.
    pub key_per_io_enabled: bool,
    /// Bit 1, Key Per I/O Scope: all namespaces are managed alike.
    pub key_per_io_scope: bool,
    /// Bit 2: the tweak key of XTS-AES must be shared.
    pub shared_tweak_key_required: bool,
    /// Bit 3: a wrong key is noticed.
    pub incorrect_key_detection_supported: bool,
    /// Bit 4: replayed key injections can be refused.
    pub replay_protection_supported: bool,
    /// Bit 5: replayed key injections are refused.
    pub replay_protection_enabled: bool,
}

impl KeyPerIoState {
    const fn from_flags(flags: u8) -> Self {
        Self {
            key_per_io_enabled: is_set(flags, 0),
            key_per_io_scope: is_set(flags, 1),
            shared_tweak_key_required: is_set(flags, 2),
            incorrect_key_detection_supported: is_set(flags, 3),
            replay_protection_supported: is_set(flags, 4),
            replay_protection_enabled: is_set(flags, 5),
        }
    }
}

/// Byte 21 of the Key Per I/O descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeyWrapping {
    /// Bit 0: NIST AES-KW.
    pub aes_kw: bool,
    /// Bit 1: AES-GCM.
    pub aes_gcm: bool,
    /// Bit 2: RSA-OAEP.
    pub rsa_oaep: bool,
}

impl KeyWrapping {
    const fn from_flags(flags: u8) -> Self {
        Self {
            aes_kw: is_set(flags, 0),
            aes_gcm: is_set(flags, 1),
            rsa_oaep: is_set(flags, 2),
        }
    }
}

/// Byte 25 of the Key Per I/O descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RsaWrappingKeys {
    /// Bit 0: 2048 bits.
    pub rsa_2048: bool,
    /// Bit 1: 3072 bits.
    pub rsa_3072: bool,
    /// Bit 2: 4096 bits.
    pub rsa_4096: bool,
}

impl RsaWrappingKeys {
    const fn from_flags(flags: u8) -> Self {
        Self {
            rsa_2048: is_set(flags, 0),
            rsa_3072: is_set(flags, 1),
            rsa_4096: is_set(flags, 2),
        }
    }
}
