//! The properties that a TPer tells of itself, in its own order (\[Core\] 5.2.2).

use serde::{Deserialize, Serialize};

use super::Profile;
use crate::spec::property;

/// A property of a TPer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Property {
    /// `MaxComPacketSize`.
    MaxComPacketSize,
    /// `MaxResponseComPacketSize`.
    MaxResponseComPacketSize,
    /// `MaxPacketSize`.
    MaxPacketSize,
    /// `MaxIndTokenSize`.
    MaxIndTokenSize,
    /// `MaxPackets`, which is 1.
    MaxPackets,
    /// `MaxSubpackets`.
    MaxSubpackets,
    /// `MaxMethods`.
    MaxMethods,
    /// `MaxSessions`.
    MaxSessions,
    /// `MaxReadSessions`; left out if there are none.
    MaxReadSessions,
    /// `MaxAuthentications`.
    MaxAuthentications,
    /// `MaxTransactionLimit`, which is 1.
    MaxTransactionLimit,
    /// `DefSessionTimeout`.
    DefSessionTimeout,
    /// `MaxSessionTimeout`; left out if the profile has none.
    MaxSessionTimeout,
    /// `MinSessionTimeout`; left out if the profile has none.
    MinSessionTimeout,
}

impl Property {
    /// All of them, in the order of \[Core\] 5.2.2.
    pub const ALL: [Self; 14] = [
        Self::MaxComPacketSize,
        Self::MaxResponseComPacketSize,
        Self::MaxPacketSize,
        Self::MaxIndTokenSize,
        Self::MaxPackets,
        Self::MaxSubpackets,
        Self::MaxMethods,
        Self::MaxSessions,
        Self::MaxReadSessions,
        Self::MaxAuthentications,
        Self::MaxTransactionLimit,
        Self::DefSessionTimeout,
        Self::MaxSessionTimeout,
        Self::MinSessionTimeout,
    ];

    /// The order that files mean which do not say it.
    pub(super) fn usual() -> Vec<Self> {
        Self::ALL.to_vec()
    }

    /// Its name on the wire.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::MaxComPacketSize => property::MAX_COM_PACKET_SIZE,
            Self::MaxResponseComPacketSize => property::MAX_RESPONSE_COM_PACKET_SIZE,
            Self::MaxPacketSize => property::MAX_PACKET_SIZE,
            Self::MaxIndTokenSize => property::MAX_IND_TOKEN_SIZE,
            Self::MaxPackets => property::MAX_PACKETS,
            Self::MaxSubpackets => property::MAX_SUBPACKETS,
            Self::MaxMethods => property::MAX_METHODS,
            Self::MaxSessions => property::MAX_SESSIONS,
            Self::MaxReadSessions => property::MAX_READ_SESSIONS,
            Self::MaxAuthentications => property::MAX_AUTHENTICATIONS,
            Self::MaxTransactionLimit => property::MAX_TRANSACTION_LIMIT,
            Self::DefSessionTimeout => property::DEF_SESSION_TIMEOUT,
            Self::MaxSessionTimeout => property::MAX_SESSION_TIMEOUT,
            Self::MinSessionTimeout => property::MIN_SESSION_TIMEOUT,
        }
    }

    /// Its value on a drive of this profile, if it is told at all.
    pub(crate) fn value(self, profile: &Profile) -> Option<u64> {
        let (sizes, sessions) = (&profile.communication, &profile.sessions);
        match self {
            Self::MaxComPacketSize => Some(sizes.max_com_packet),
            Self::MaxResponseComPacketSize => Some(sizes.max_response_com_packet),
            Self::MaxPacketSize => Some(sizes.max_packet),
            Self::MaxIndTokenSize => Some(sizes.max_ind_token),
            Self::MaxPackets | Self::MaxTransactionLimit => Some(1),
            Self::MaxSubpackets => Some(sizes.max_subpackets),
            Self::MaxMethods => Some(sizes.max_methods),
            Self::MaxSessions => Some(sessions.max_sessions),
            Self::MaxReadSessions => {
                (sessions.max_read_sessions > 0).then_some(sessions.max_read_sessions)
            }
            Self::MaxAuthentications => Some(sessions.max_authentications),
            Self::DefSessionTimeout => Some(sessions.default_timeout),
            Self::MaxSessionTimeout => sessions.max_timeout,
            Self::MinSessionTimeout => sessions.min_timeout,
        }
    }
}
