//! Descriptors that every SSC has: TPer, Locking, Geometry, SIIS.

use super::fields::{Fields, is_set};
use crate::spec::IdentifierUsageScope;

/// What the TPer's communication stack can do (\[Opal\] 3.1.1, TPer feature).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tper {
    /// Bit 0: one request, one answer. Always 1 in the SSCs here.
    pub sync_supported: bool,
    /// Bit 1: requests and answers in any order.
    pub async_supported: bool,
    /// Bit 2: acknowledged Packets.
    pub ack_nak_supported: bool,
    /// Bit 3: Credit Control Subpackets.
    pub buffer_management_supported: bool,
    /// Bit 4: token streams. Always 1 in the SSCs here.
    pub streaming_supported: bool,
    /// Bit 6: `GET_COMID` hands out dynamic ComIDs.
    pub com_id_management_supported: bool,
}

impl Tper {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        let flags = fields.u8(4)?;
        Some(Self {
            sync_supported: is_set(flags, 0),
            async_supported: is_set(flags, 1),
            ack_nak_supported: is_set(flags, 2),
            buffer_management_supported: is_set(flags, 3),
            streaming_supported: is_set(flags, 4),
            com_id_management_supported: is_set(flags, 6),
        })
    }
}

/// The state of locking and of the shadow MBR (\[Opal\] 3.1.1, Locking feature).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Locking {
    /// Bit 0: the TPer has the Locking template.
    pub locking_supported: bool,
    /// Bit 1: an SP with the Locking template is active.
    pub locking_enabled: bool,
    /// Bit 2: at least one range is locked for reading or for writing.
    pub locked: bool,
    /// Bit 3: user data is encrypted (never in Pyrite).
    pub media_encryption: bool,
    /// Bit 4: `MBRControl.Enable`.
    pub mbr_enabled: bool,
    /// Bit 5: `MBRControl.Done`.
    pub mbr_done: bool,
    /// Bit 6: there is no shadow MBR (never in Opal).
    pub mbr_shadowing_not_supported: bool,
    /// Bit 7: LockOnReset and DoneOnReset may name the hardware reset.
    pub hw_reset_for_lor_dor_supported: bool,
}

impl Locking {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        let flags = fields.u8(4)?;
        Some(Self {
            locking_supported: is_set(flags, 0),
            locking_enabled: is_set(flags, 1),
            locked: is_set(flags, 2),
            media_encryption: is_set(flags, 3),
            mbr_enabled: is_set(flags, 4),
            mbr_done: is_set(flags, 5),
            mbr_shadowing_not_supported: is_set(flags, 6),
            hw_reset_for_lor_dor_supported: is_set(flags, 7),
        })
    }
}

/// Block size and alignment of Locking ranges (\[Opal\] 3.1.1, Geometry Reporting feature; also
/// Namespace Geometry Reporting).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Geometry {
    /// Byte 4 bit 0, ALIGN: misaligned ranges are refused (`LockingInfo.AlignmentRequired`).
    pub align: bool,
    /// Bytes 12 to 15: bytes in a logical block.
    pub logical_block_size: Option<u32>,
    /// Bytes 16 to 23: blocks in an aligned group.
    pub alignment_granularity: Option<u64>,
    /// Bytes 24 to 31: first LBA that begins an aligned group.
    pub lowest_aligned_lba: Option<u64>,
}

impl Geometry {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            align: fields.bit(4, 0)?,
            logical_block_size: fields.u32(12),
            alignment_granularity: fields.u64(16),
            lowest_aligned_lba: fields.u64(24),
        })
    }
}

/// What the TPer has of the Storage Interface Interactions Specification (\[SIIS\], SIIS feature).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Siis {
    /// Byte 4: the revision of SIIS, as its enumeration.
    pub revision_number: u8,
    /// Byte 5 bits 2:1: what transport identifiers mean for persistent reservations.
    pub identifier_usage_scope: Option<IdentifierUsageScope>,
    /// Byte 5 bit 0: a key change empties the zones that it affects.
    pub key_change_zone_behavior: Option<bool>,
}

impl Siis {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            revision_number: fields.u8(4)?,
            identifier_usage_scope: fields
                .u8(5)
                .map(|flags| IdentifierUsageScope(flags >> 1 & 0x03)),
            key_change_zone_behavior: fields.bit(5, 0),
        })
    }
}
