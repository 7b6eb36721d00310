//! Drives whose model was not told.

use super::{base, shown};
use crate::vdrive::profile::discovery::Feature;
use crate::vdrive::profile::{Communication, Model, Profile};

pub(super) const MODELS: &[Model] = &[Model {
    name: "unnamed-nvme",
    about: "NVMe, ComID 07FEh, does not know Block SID Authentication",
    make: nvme,
}];

/// An "OPAL ready SSD" (nvmetool-win issue 2).
fn nvme() -> Profile {
    let base = base();
    Profile {
        communication: Communication {
            base_com_id: 0x07fe,
            ..base.communication
        },
        discovery: shown([
            Feature::Tper,
            Feature::Locking,
            Feature::Geometry,
            Feature::SingleUserMode,
            Feature::DataStore,
            Feature::Opal2,
        ]),
        ..base
    }
}
