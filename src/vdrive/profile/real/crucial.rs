//! Crucial.

use super::{base, packets, shown};
use crate::vdrive::profile::discovery::Feature;
use crate::vdrive::profile::{
    Behaviour, Communication, Defects, Geometry, IntegerWidth, LockingLimits, Model, Profile,
    SessionLimits,
};

pub(super) const MODELS: &[Model] = &[
    Model {
        name: "crucial-m550",
        about: "SATA, integers of four bytes, 90 MiB of DataStore, no Block SID",
        make: m550,
    },
    Model {
        name: "crucial-mx200",
        about: "SATA, MBREnable does not stick, PINs over 32 bytes are swallowed",
        make: mx200,
    },
    Model {
        name: "crucial-mx500",
        about: "SATA, delivered with a PIN for SID that is not MSID",
        make: mx500,
    },
];

const WITHOUT_BLOCK_SID: [Feature; 6] = [
    Feature::Tper,
    Feature::Locking,
    Feature::Geometry,
    Feature::SingleUserMode,
    Feature::DataStore,
    Feature::Opal2,
];

/// Where all ranges are in Single User Mode, it says that none is.
fn all_without_any() -> Behaviour {
    Behaviour {
        single_user_any_bit: false,
        ..Behaviour::default()
    }
}

/// Crucial M550 (sedutil issue 300).
fn m550() -> Profile {
    let base = base();
    Profile {
        communication: packets(131_072, 128_512, 123_904),
        sessions: SessionLimits {
            max_authentications: 14,
            ..base.sessions
        },
        locking: LockingLimits {
            data_store_size: 90 << 20,
            ..base.locking
        },
        discovery: shown(WITHOUT_BLOCK_SID),
        behaviour: all_without_any(),
        defects: Defects {
            integers: IntegerWidth::Four,
            packet_length_without_padding: true,
            ..Defects::default()
        },
        ..base
    }
}

/// Crucial MX200 (sedutil issues 64 and 125). Sizes of Packets and tokens were not seen.
fn mx200() -> Profile {
    let base = base();
    Profile {
        communication: packets(131_072, 131_052, 131_016),
        locking: LockingLimits {
            users: 16,
            ranges: 15,
            data_store_size: 90 << 20,
            data_store_tables: 16,
            ..base.locking
        },
        discovery: shown(WITHOUT_BLOCK_SID),
        behaviour: all_without_any(),
        defects: Defects {
            keeps_mbr_enable: true,
            swallows_long_pins: true,
            ..Defects::default()
        },
        ..base
    }
}

/// Crucial MX500 (sedutil issue 340).
fn mx500() -> Profile {
    let base = base();
    Profile {
        geometry: Geometry {
            alignment_granularity: 1,
            ..base.geometry
        },
        communication: Communication {
            base_com_id: 0x0888,
            ..base.communication
        },
        locking: LockingLimits {
            data_store_tables: 10,
            ..base.locking
        },
        defects: Defects {
            sid_changed_at_delivery: true,
            ..Defects::default()
        },
        ..base
    }
}
