//! Micron.

use super::base;
use crate::vdrive::profile::{Defects, Model, Profile};

pub(super) const MODELS: &[Model] = &[Model {
    name: "micron-7450",
    about: "NVMe, refuses an IF-RECV of more than 128 KiB",
    make: m7450,
}];

/// Micron 7450 with firmware E2MU110 (go-tcg-storage, request 95), where such commands fail now and
/// then; here they always do.
fn m7450() -> Profile {
    Profile {
        defects: Defects {
            max_receive: Some(128 << 10),
            ..Defects::default()
        },
        ..base()
    }
}
