//! Western Digital.

use super::{base, packets};
use crate::vdrive::profile::{Communication, Defects, HostEcho, Model, Profile, SessionLimits};

pub(super) const MODELS: &[Model] = &[
    Model {
        name: "wd-sn730",
        about: "NVMe, ComID 7FFEh, packets of 16896 bytes, sessions end after four minutes",
        make: sn730,
    },
    Model {
        name: "wd-sn850x",
        about: "NVMe, repeats whatever the host said in Properties, no IF-RECV over 64 KiB",
        make: sn850x,
    },
];

/// WD SN730 (sedutil issue 507).
fn sn730() -> Profile {
    let base = base();
    Profile {
        communication: Communication {
            base_com_id: 0x7ffe,
            ..packets(16_896, 16_876, 16_388)
        },
        sessions: SessionLimits {
            max_authentications: 2,
            default_timeout: 240_000,
            ..base.sessions
        },
        ..base
    }
}

/// WD SN850X (go-tcg-storage, issue 130): hosts that took the echo for the drive's word asked for
/// 1 MiB at once, and were refused.
fn sn850x() -> Profile {
    Profile {
        defects: Defects {
            host_echo: HostEcho::Verbatim,
            max_receive: Some(64 << 10),
            ..Defects::default()
        },
        ..base()
    }
}
