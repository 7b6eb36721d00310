//! Profiles of Kioxia drives.

use super::discovery::{Feature, Layout};
use super::{Communication, Geometry, LockingLimits, Profile};

/// Kioxia CM6, an NVMe drive for servers: Opal 2.01 and Ruby on one ComID, 192 ranges and Users, no
/// shadow MBR, 193 DataStore tables that share 128 KiB.
///
/// From a Level 0 response that its owner posted (sedutil issue 407). Alignment and the sizes of
/// packets were not seen.
pub(super) fn cm6() -> Profile {
    let base = Profile::opal2();
    Profile {
        geometry: Geometry {
            block_size: 520,
            alignment_granularity: 1,
            ..base.geometry
        },
        communication: Communication {
            base_com_id: 0x2000,
            com_ids: 2,
            ..base.communication
        },
        locking: LockingLimits {
            users: 192,
            ranges: 192,
            mbr_size: 0,
            data_store_size: 128 << 10,
            data_store_tables: 193,
            ..base.locking
        },
        freeze_lock: false,
        hardware_reset_locks: false,
        discovery: Layout {
            descriptors: vec![
                Feature::Tper.version(0x10),
                Feature::Locking.version(0x20),
                Feature::Geometry.version(0x10),
                Feature::DataStore.version(0x10),
                Feature::Opal2.version(0x10),
                Feature::Ruby.version(0x10),
                Feature::BlockSid.version(0x10),
                Feature::NamespaceLocking {
                    keys: 193,
                    unused_keys: 192,
                    ranges: 128,
                }
                .version(0x10),
            ],
            ..Layout::default()
        },
        ..base
    }
}
