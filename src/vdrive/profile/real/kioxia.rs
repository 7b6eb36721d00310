//! Kioxia.

use super::{base, shown};
use crate::vdrive::profile::discovery::Feature;
use crate::vdrive::profile::{Communication, Geometry, LockingLimits, Model, Profile};

pub(super) const MODELS: &[Model] = &[Model {
    name: "kioxia-cm6",
    about: "Opal 2 and Ruby at once, 192 ranges and users, 520-byte blocks, no shadow MBR",
    make: cm6,
}];

/// Kioxia CM6, an NVMe drive for servers (sedutil issue 407). 193 DataStore tables share 128 KiB.
fn cm6() -> Profile {
    let base = base();
    let mut discovery = shown([
        Feature::Tper,
        Feature::Locking,
        Feature::Geometry,
        Feature::SingleUserMode,
        Feature::DataStore,
        Feature::Opal2,
        Feature::Ruby,
        Feature::BlockSid,
        Feature::NamespaceLocking {
            keys: 193,
            unused_keys: 192,
            ranges: 128,
        },
    ]);
    for descriptor in &mut discovery.descriptors {
        if descriptor.feature == Feature::Locking {
            descriptor.version = 0x20;
        }
    }
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
        discovery,
        ..base
    }
}
