//! Descriptors of feature sets: what an SSC may have beside its own.

use super::fields::{Fields, is_set};
use crate::spec::DataRemovalMechanism;

/// Single User Mode (\[Single User Mode\], Level 0 Discovery).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SingleUserMode {
    /// Bytes 4 to 7: Locking objects that can be in single user mode, the Global range included.
    pub number_of_locking_objects: u32,
    /// Byte 8 bit 0, ANY: at least one Locking object is in single user mode.
    pub any: Option<bool>,
    /// Byte 8 bit 1, ALL: every Locking object is. Some drives set it without ANY.
    pub all: Option<bool>,
    /// Byte 8 bit 2, POLICY: Admins own start and length of ranges, not the ranges' Users; also 1
    /// while the Locking SP is inactive.
    pub policy_admins: Option<bool>,
}

impl SingleUserMode {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            number_of_locking_objects: fields.u32(4)?,
            any: fields.bit(8, 0),
            all: fields.bit(8, 1),
            policy_admins: fields.bit(8, 2),
        })
    }
}

/// Additional DataStore Tables (\[DataStore\] 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataStore {
    /// Bytes 6 and 7: most DataStore tables that can exist.
    pub max_tables: u16,
    /// Bytes 8 to 11: most bytes in all tables together.
    pub max_total_size: Option<u32>,
    /// Bytes 12 to 15: bytes of which every table's size is a multiple.
    pub size_alignment: Option<u32>,
}

impl DataStore {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            max_tables: fields.u16(6)?,
            max_total_size: fields.u32(8),
            size_alignment: fields.u32(12),
        })
    }
}

/// Block SID Authentication (\[Block SID\] 4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BlockSid {
    /// Byte 4 bit 0, SID Value State: the PIN of SID is no longer that of MSID.
    pub sid_pin_differs_from_msid: bool,
    /// Byte 4 bit 1, SID Blocked State: SID can't be authenticated now.
    pub sid_blocked: bool,
    /// Byte 4 bit 2: the Locking SP can be frozen.
    pub locking_sp_freeze_supported: bool,
    /// Byte 4 bit 3: the Locking SP is frozen.
    pub locking_sp_frozen: bool,
    /// Byte 5 bit 0: a hardware reset ends the block, not only a power cycle.
    pub hardware_reset_clears_block: Option<bool>,
}

impl BlockSid {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        let flags = fields.u8(4)?;
        Some(Self {
            sid_pin_differs_from_msid: is_set(flags, 0),
            sid_blocked: is_set(flags, 1),
            locking_sp_freeze_supported: is_set(flags, 2),
            locking_sp_frozen: is_set(flags, 3),
            hardware_reset_clears_block: fields.bit(5, 0),
        })
    }
}

/// Configurable Namespace Locking (\[CNL\], Level 0 Discovery).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceLocking {
    /// Byte 4 bit 7, `Range_C`: namespaces may have ranges besides their own global one.
    pub ranges_supported: bool,
    /// Byte 4 bit 6, `Range_P`: such ranges exist.
    pub ranges_present: bool,
    /// Byte 4 bit 5, `SUM_C`: single user mode can be combined with it.
    pub single_user_mode_supported: bool,
    /// Bytes 8 to 11: most keys that can exist.
    pub maximum_key_count: Option<u32>,
    /// Bytes 12 to 15: keys that are not in use.
    pub unused_key_count: Option<u32>,
    /// Bytes 16 to 19: most ranges of one namespace. A shorter form of the descriptor lacks it.
    pub maximum_ranges_per_namespace: Option<u32>,
}

impl NamespaceLocking {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        let flags = fields.u8(4)?;
        Some(Self {
            ranges_supported: is_set(flags, 7),
            ranges_present: is_set(flags, 6),
            single_user_mode_supported: is_set(flags, 5),
            maximum_key_count: fields.u32(8),
            unused_key_count: fields.u32(12),
            maximum_ranges_per_namespace: fields.u32(16),
        })
    }
}

/// Supported Data Removal Mechanism (\[Opal\] and \[Pyrite\] 3.1.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataRemoval {
    /// Byte 5 bit 0: data is being removed now.
    pub operation_processing: bool,
    /// Byte 5 bit 1: the last removal was interrupted (version 2 of the descriptor).
    pub operation_interrupted: bool,
    /// Byte 6: a bit for each supported mechanism.
    pub supported_mechanisms: Option<u8>,
    /// Byte 7: a bit for each mechanism whose time counts in two minutes, not in two seconds.
    pub time_format: Option<u8>,
    /// Bytes 8 to 19: time of each mechanism in the unit of `time_format`; 0 is not reported.
    pub times: [Option<u16>; 6],
}

impl DataRemoval {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        let flags = fields.u8(5)?;
        Some(Self {
            operation_processing: is_set(flags, 0),
            operation_interrupted: is_set(flags, 1),
            supported_mechanisms: fields.u8(6),
            time_format: fields.u8(7),
            times: [8, 10, 12, 14, 16, 18].map(|byte| fields.u16(byte)),
        })
    }

    /// True if the TPer has the mechanism.
    #[must_use]
    pub fn supports(&self, mechanism: DataRemovalMechanism) -> bool {
        self.supported_mechanisms
            .is_some_and(|flags| mechanism.0 < 8 && is_set(flags, mechanism.0))
    }

    /// How many seconds the mechanism takes; `None` if the drive doesn't tell.
    ///
    /// The greatest value that a drive can tell, 131,070 seconds or minutes, means "or longer".
    #[must_use]
    pub fn seconds(&self, mechanism: DataRemovalMechanism) -> Option<u32> {
        let time = (*self.times.get(usize::from(mechanism.0))?)?;
        let unit = if is_set(self.time_format?, mechanism.0) {
            120
        } else {
            2
        };
        (time != 0).then_some(u32::from(time) * unit)
    }
}

/// Shadow MBR for Multiple Namespaces (Level 0 Discovery).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceShadowMbr {
    /// Byte 4 bit 0, `ANS_C`: one shadow MBR can stand before all namespaces.
    pub all_namespaces_supported: bool,
}

impl NamespaceShadowMbr {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            all_namespaces_supported: fields.bit(4, 0)?,
        })
    }
}

/// Namespace Key Per I/O Capabilities (\[Key Per I/O\] 3.1.1, Namespace Level 0 Discovery only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct NamespaceKeyPerIo {
    /// Byte 4 bit 0: the namespace is managed by Key Per I/O.
    pub managed: bool,
    /// Bytes 5 and 6: key tags that the namespace has.
    pub allocated_key_tags: Option<u16>,
}

impl NamespaceKeyPerIo {
    pub(super) fn decode(fields: Fields<'_>) -> Option<Self> {
        Some(Self {
            managed: fields.bit(4, 0)?,
            allocated_key_tags: fields.u16(5),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_count_in_two_seconds_or_two_minutes() {
        // Overwrite takes 30 units of two minutes, cryptographic erase one of two seconds.
        let contents = [0, 0, 0x05, 0x01, 0, 30, 0, 0, 0, 1];
        let removal = DataRemoval::decode(Fields::new(&contents)).unwrap();
        assert!(removal.supports(DataRemovalMechanism::OVERWRITE));
        assert!(!removal.supports(DataRemovalMechanism::BLOCK_ERASE));
        assert!(!removal.supports(DataRemovalMechanism(200)));
        assert_eq!(removal.seconds(DataRemovalMechanism::OVERWRITE), Some(3600));
        assert_eq!(removal.seconds(DataRemovalMechanism::BLOCK_ERASE), None);
        assert_eq!(
            removal.seconds(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE),
            Some(2)
        );
        assert_eq!(removal.seconds(DataRemovalMechanism::UNMAP), None);
    }
}
