//! Profiles modelled on real drives, one file for each vendor.
//!
//! Every number that differs from [`base`] was seen: in bytes that owners posted in public issue
//! threads (`tests/vectors/drives`), or in what others report there. What was not seen is as in
//! profile `opal2`.

mod crucial;
mod intel;
mod kioxia;
mod micron;
mod samsung;
mod seagate;
mod toshiba;
mod unnamed;
mod western_digital;

use super::discovery::{Feature, Layout};
use super::{Communication, Model, Profile, SessionLimits};

/// The drives, by vendor.
pub(super) const MODELS: &[&[Model]] = &[
    crucial::MODELS,
    intel::MODELS,
    kioxia::MODELS,
    micron::MODELS,
    samsung::MODELS,
    seagate::MODELS,
    toshiba::MODELS,
    western_digital::MODELS,
    unnamed::MODELS,
];

/// What all of them have in common: Opal 2.00 or 2.01 with one session at a time, without what came
/// with Opal 2.02 and later.
fn base() -> Profile {
    let opal2 = Profile::opal2();
    Profile {
        sessions: SessionLimits {
            max_sessions: 1,
            max_read_sessions: 0,
            default_timeout: 0,
            min_timeout: None,
            max_timeout: None,
            ..opal2.sessions
        },
        freeze_lock: false,
        hardware_reset_locks: false,
        discovery: shown([
            Feature::Tper,
            Feature::Locking,
            Feature::Geometry,
            Feature::SingleUserMode,
            Feature::DataStore,
            Feature::Opal2,
            Feature::BlockSid,
        ]),
        ..opal2
    }
}

/// Descriptors of version 1, in this order.
fn shown(features: impl IntoIterator<Item = Feature>) -> Layout {
    let descriptors = features.into_iter().map(|feature| feature.version(0x10));
    Layout {
        descriptors: descriptors.collect(),
        ..Layout::default()
    }
}

/// Packets of these sizes in both directions, in bytes.
fn packets(com_packet: u64, packet: u64, ind_token: u64) -> Communication {
    Communication {
        max_com_packet: com_packet,
        max_response_com_packet: com_packet,
        max_packet: packet,
        max_ind_token: ind_token,
        ..Profile::opal2().communication
    }
}
