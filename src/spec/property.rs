//! Names and minimum values of communication properties (\[Core\] 5.2.2, \[Opal\] 4.1.1).

/// Largest ComPacket that is accepted, in bytes.
pub const MAX_COM_PACKET_SIZE: &str = "MaxComPacketSize";
/// Largest ComPacket that the TPer sends, in bytes.
pub const MAX_RESPONSE_COM_PACKET_SIZE: &str = "MaxResponseComPacketSize";
/// Largest Packet, in bytes.
pub const MAX_PACKET_SIZE: &str = "MaxPacketSize";
/// Largest single token with its header, in bytes.
pub const MAX_IND_TOKEN_SIZE: &str = "MaxIndTokenSize";
/// Largest sum of continued tokens, in bytes.
pub const MAX_AGG_TOKEN_SIZE: &str = "MaxAggTokenSize";
/// Packets in a ComPacket.
pub const MAX_PACKETS: &str = "MaxPackets";
/// Subpackets in a Packet.
pub const MAX_SUBPACKETS: &str = "MaxSubpackets";
/// Methods in a Subpacket.
pub const MAX_METHODS: &str = "MaxMethods";
/// Sessions that may be open at one time.
pub const MAX_SESSIONS: &str = "MaxSessions";
/// Read-only sessions that may be open at one time.
pub const MAX_READ_SESSIONS: &str = "MaxReadSessions";
/// Authorities that one session may authenticate, Anybody included.
pub const MAX_AUTHENTICATIONS: &str = "MaxAuthentications";
/// Nested transactions.
pub const MAX_TRANSACTION_LIMIT: &str = "MaxTransactionLimit";
/// Idle time after which a session is aborted, in milliseconds; 0 is never.
pub const DEF_SESSION_TIMEOUT: &str = "DefSessionTimeout";
/// Longest session timeout that a host may ask for, in milliseconds.
pub const MAX_SESSION_TIMEOUT: &str = "MaxSessionTimeout";
/// Shortest session timeout that a host may ask for, in milliseconds.
pub const MIN_SESSION_TIMEOUT: &str = "MinSessionTimeout";

/// The names of all properties above, and of those that only newer or other SSCs know.
pub const NAMES: [&str; 26] = [
    MAX_COM_PACKET_SIZE,
    MAX_RESPONSE_COM_PACKET_SIZE,
    MAX_PACKET_SIZE,
    MAX_IND_TOKEN_SIZE,
    MAX_AGG_TOKEN_SIZE,
    MAX_PACKETS,
    MAX_SUBPACKETS,
    MAX_METHODS,
    MAX_SESSIONS,
    MAX_READ_SESSIONS,
    MAX_AUTHENTICATIONS,
    MAX_TRANSACTION_LIMIT,
    DEF_SESSION_TIMEOUT,
    MAX_SESSION_TIMEOUT,
    MIN_SESSION_TIMEOUT,
    "DefTransTimeout",
    "MaxTransTimeout",
    "MinTransTimeout",
    "MaxComIDTime",
    "MaxComIDCMD",
    "ContinuedTokens",
    "SequenceNumbers",
    "AckNak",
    "Asynchronous",
    "RealTimeClock",
    "HostProperties",
];

/// What every Opal TPer accepts and sends without an exchange of properties, in bytes.
pub mod opal_minimum {
    /// MaxComPacketSize and MaxResponseComPacketSize.
    pub const COM_PACKET: usize = 2048;
    /// MaxPacketSize.
    pub const PACKET: usize = 2028;
    /// MaxIndTokenSize.
    pub const IND_TOKEN: usize = 1992;
}

/// What every Enterprise TPer accepts and sends without an exchange of properties, in bytes.
pub mod enterprise_minimum {
    /// MaxComPacketSize and MaxResponseComPacketSize.
    pub const COM_PACKET: usize = 1024;
    /// MaxPacketSize.
    pub const PACKET: usize = 1004;
    /// MaxIndTokenSize.
    pub const IND_TOKEN: usize = 968;
}
