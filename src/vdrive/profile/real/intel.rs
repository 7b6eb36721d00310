//! Intel.

use super::base;
use crate::vdrive::profile::{Communication, Defects, LockingLimits, Model, Profile};

pub(super) const MODELS: &[Model] = &[
    Model {
        name: "intel-6000p",
        about: "NVMe, answers nothing after power-up until the controller is reset",
        make: p6000,
    },
    Model {
        name: "intel-7600p",
        about: "NVMe, ten DataStore tables aligned to 4096 bytes, a vendor's ComID",
        make: p7600,
    },
];

/// Intel SSD 6000p (sedutil issue 171).
fn p6000() -> Profile {
    Profile {
        defects: Defects {
            mute_until_reset: true,
            ..Defects::default()
        },
        ..base()
    }
}

/// Intel SSD Pro 7600p (sedutil issue 222).
fn p7600() -> Profile {
    let base = base();
    Profile {
        communication: Communication {
            base_com_id: 0x0800,
            ..base.communication
        },
        locking: LockingLimits {
            data_store_tables: 10,
            data_store_alignment: 4096,
            ..base.locking
        },
        ..base
    }
}
