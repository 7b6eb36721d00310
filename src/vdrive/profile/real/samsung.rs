//! Samsung.

use super::{base, packets, shown};
use crate::vdrive::profile::discovery::Feature;
use crate::vdrive::profile::{
    Communication, Defects, HostEcho, IntegerWidth, Model, Profile, Property, SessionLimits,
};

pub(super) const MODELS: &[Model] = &[
    Model {
        name: "samsung-970-evo-plus",
        about: "NVMe, as it comes from the factory",
        make: evo_970_plus,
    },
    Model {
        name: "samsung-990-pro",
        about: "NVMe, delivered with a PIN for SID that is not MSID, needs a revert by PSID",
        make: pro_990,
    },
    Model {
        name: "samsung-pm961",
        about: "NVMe, reads and writes fail after a revert until a power cycle",
        make: pm981,
    },
    Model {
        name: "samsung-pm981",
        about: "NVMe, reads and writes fail after a revert until a power cycle",
        make: pm981,
    },
    Model {
        name: "samsung-pm1733",
        about: "NVMe for servers, loses the global range's key though told to keep it",
        make: pm1733,
    },
    Model {
        name: "samsung-pm9d3a",
        about: "NVMe for servers, hangs after a stack reset until a power cycle",
        make: pm9d3a,
    },
];

/// The order of the properties; DefSessionTimeout ends the list (sedutil issue 468).
const PROPERTIES: [Property; 11] = [
    Property::MaxComPacketSize,
    Property::MaxResponseComPacketSize,
    Property::MaxPacketSize,
    Property::MaxIndTokenSize,
    Property::MaxPackets,
    Property::MaxSubpackets,
    Property::MaxMethods,
    Property::MaxAuthentications,
    Property::MaxSessions,
    Property::MaxTransactionLimit,
    Property::DefSessionTimeout,
];

/// What Samsung's drives have in common (sedutil issues 304, 468, 524).
fn family() -> Profile {
    let base = base();
    Profile {
        communication: Communication {
            base_com_id: 0x1004,
            ..packets(66_048, 66_028, 65_540)
        },
        sessions: SessionLimits {
            max_authentications: 5,
            ..base.sessions
        },
        properties: PROPERTIES.to_vec(),
        defects: defects(),
        ..base
    }
}

fn defects() -> Defects {
    Defects {
        host_echo: HostEcho::WithResponseSize,
        integers: IntegerWidth::FourInSyncSession,
        ..Defects::default()
    }
}

/// Samsung 970 EVO Plus (test data of go-tcg-storage): no Single User Mode.
fn evo_970_plus() -> Profile {
    Profile {
        discovery: shown([
            Feature::Tper,
            Feature::Locking,
            Feature::Geometry,
            Feature::DataStore,
            Feature::Opal2,
            Feature::BlockSid,
            Feature::NamespaceLocking {
                keys: 9,
                unused_keys: 8,
                ranges: 8,
            },
        ]),
        ..family()
    }
}

/// Samsung 970, 980 and 990 (sedutil issues 232, 364, 387).
fn pro_990() -> Profile {
    Profile {
        defects: Defects {
            sid_changed_at_delivery: true,
            ..defects()
        },
        ..evo_970_plus()
    }
}

/// Samsung PM961 and PM981 (sedutil issues 468 and 524).
fn pm981() -> Profile {
    Profile {
        defects: Defects {
            revert_shuts_medium: true,
            ..defects()
        },
        ..family()
    }
}

/// Samsung PM1733 (sedutil issue 413).
fn pm1733() -> Profile {
    Profile {
        defects: Defects {
            loses_global_range_key: true,
            ..defects()
        },
        ..family()
    }
}

/// Samsung PM9D3a (go-tcg-storage, request 158).
fn pm9d3a() -> Profile {
    Profile {
        defects: Defects {
            hangs_after_stack_reset: true,
            ..defects()
        },
        ..family()
    }
}
