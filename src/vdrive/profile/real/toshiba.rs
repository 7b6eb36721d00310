//! Toshiba.

use super::base;
use crate::vdrive::profile::{Defects, LockingLimits, Model, Profile, Trailing};

pub(super) const MODELS: &[Model] = &[Model {
    name: "toshiba-kxg8",
    about: "NVMe, DataStore tables aligned to 4096 bytes, fills up with empty atoms",
    make: kxg8,
}];

/// Toshiba KXG8.
fn kxg8() -> Profile {
    let base = base();
    Profile {
        locking: LockingLimits {
            data_store_alignment: 4096,
            ..base.locking
        },
        defects: Defects {
            trailing: Trailing::EmptyAtoms,
            ..Defects::default()
        },
        ..base
    }
}
