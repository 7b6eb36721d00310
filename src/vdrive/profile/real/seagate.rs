//! Seagate.

use super::{base, packets, shown};
use crate::vdrive::profile::discovery::{Feature, Layout};
use crate::vdrive::profile::{
    Communication, LockingLimits, Model, Profile, Property, SessionLimits,
};

pub(super) const MODELS: &[Model] = &[Model {
    name: "seagate-sata-hdd",
    about: "SATA hard disk, descriptors in no order and one of the vendor's, two ComIDs",
    make: sata,
}];

/// The order of the properties.
const PROPERTIES: [Property; 13] = [
    Property::MaxMethods,
    Property::MaxSubpackets,
    Property::MaxPacketSize,
    Property::MaxPackets,
    Property::MaxComPacketSize,
    Property::MaxResponseComPacketSize,
    Property::MaxSessions,
    Property::MaxIndTokenSize,
    Property::MaxAuthentications,
    Property::MaxTransactionLimit,
    Property::DefSessionTimeout,
    Property::MaxSessionTimeout,
    Property::MinSessionTimeout,
];

/// A Seagate SATA drive with Opal (sedutil issue 392); the model was not told.
fn sata() -> Profile {
    let base = base();
    Profile {
        communication: Communication {
            base_com_id: 0x07fe,
            com_ids: 2,
            ..packets(17_408, 17_388, 17_352)
        },
        sessions: SessionLimits {
            max_authentications: 24,
            min_timeout: Some(0),
            max_timeout: Some(0),
            ..base.sessions
        },
        locking: LockingLimits {
            users: 16,
            ranges: 15,
            data_store_size: 50 << 20,
            data_store_tables: 16,
            data_store_alignment: 4096,
            ..base.locking
        },
        discovery: Layout {
            vendor_specific: vec![0x01, 0x80, 0x00, 0x5f, 0x00, 0x59],
            ..shown([
                Feature::Tper,
                Feature::Locking,
                Feature::Opal2,
                Feature::SingleUserMode,
                Feature::DataStore,
                logical_ports(),
                Feature::Geometry,
            ])
        },
        properties: PROPERTIES.to_vec(),
        ..base
    }
}

/// Number of a logical port, and whether it is locked: firmware download, diagnosis, IEEE 1667.
fn logical_ports() -> Feature {
    let ports = [(1, 1), (2, 0), (3, 1)];
    let data = ports.map(|(port, locked)| [0, 1, 0, port, locked, 0, 0, 0]);
    Feature::Other {
        code: 0xc001,
        data: data.concat(),
    }
}
