//! What can go wrong between a host and a TPer, by who is to blame.

use std::fmt;
use std::time::Duration;

use crate::spec::MethodStatus;
use crate::transport::{self, InterfaceClass, InterfaceStatus};
use crate::wire::{DecodeError, DecodeErrorKind};

/// An error of a session.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The TPer sent what no standard allows.
    #[error("the drive answered nonsense: {0}")]
    Malformed(Malformed),
    /// The TPer refused a method.
    #[error("the drive answered {0} ({code:02x}h)", code = .0.0)]
    Status(MethodStatus),
    /// Another session keeps the TPer busy, and did so until the time limit.
    #[error("the drive is busy with another session ({status})")]
    Busy {
        /// SP_BUSY or NO_SESSIONS_AVAILABLE.
        status: MethodStatus,
        /// How long the end of that session was waited for.
        waited: Duration,
    },
    /// The interface failed.
    #[error("the drive could not be reached")]
    Transport(#[from] transport::Error),
    /// The TPer closed the session.
    #[error("the drive closed the session")]
    Closed,
    /// The TPer has nothing to say: it discarded the command, or the session is gone.
    #[error("the drive gave no answer: it discarded the command or closed the session")]
    NoAnswer,
    /// The TPer says that the ComID is inactive.
    #[error("the drive says that its ComID is inactive")]
    InactiveComId,
    /// The answer came in more and more parts, and no end was in sight.
    #[error("the drive's answer has no end")]
    Endless,
    /// The TPer refuses commands because an answer is waiting, although it was fetched: another
    /// program uses the ComID all the time.
    #[error("another program keeps using the drive's ComID")]
    OutOfTurn,
    /// No answer within the time limit.
    #[error("the drive did not answer within {limit:?}")]
    TimedOut {
        /// The time limit.
        limit: Duration,
    },
    /// Somebody asked to stop.
    #[error("interrupted")]
    Interrupted,
    /// What was to be sent or fetched exceeds a limit; nothing more was sent.
    #[error("{what} of {length} bytes exceeds the limit of {limit} bytes")]
    Limit {
        /// What was too large.
        what: &'static str,
        /// Its size in bytes.
        length: usize,
        /// The limit in bytes.
        limit: usize,
    },
    /// The drive could not reset the stack of its ComID.
    #[error("the drive could not reset its protocol stack")]
    StackReset,
    /// No random session number could be made.
    #[error("no random numbers")]
    Entropy(#[from] getrandom::Error),
}

/// What is wrong with an answer, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} at byte {offset} [{excerpt}]")]
pub struct Malformed {
    /// What is wrong.
    pub kind: MalformedKind,
    /// Offset from the start of the ComPacket, or of its tokens.
    pub offset: usize,
    /// The bytes at the offset.
    pub excerpt: Excerpt,
}

/// What is wrong with an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MalformedKind {
    /// The bytes cannot be decoded.
    #[error("{0}")]
    Decode(DecodeErrorKind),
    /// The answer belongs to another ComID.
    #[error("another ComID")]
    ComId,
    /// The answer belongs to another session.
    #[error("another session's numbers")]
    SessionNumbers,
    /// The TPer gave a session a number below 1000h.
    #[error("a reserved TPer session number")]
    ReservedTsn,
    /// The session manager answered with another method.
    #[error("another method")]
    Method,
    /// Nothing but zeros came.
    #[error("nothing but zeros")]
    Zeros,
    /// A result is missing or has another type.
    #[error("no valid {0}")]
    Result(&'static str),
}

/// A few bytes of an answer, for messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Excerpt {
    bytes: [u8; Self::LENGTH],
    length: usize,
}

impl Excerpt {
    const LENGTH: usize = 8;

    /// At most eight bytes from `offset` on.
    #[must_use]
    pub fn new(bytes: &[u8], offset: usize) -> Self {
        let rest = bytes.get(offset..).unwrap_or_default();
        let mut excerpt = Self {
            bytes: [0; Self::LENGTH],
            length: rest.len().min(Self::LENGTH),
        };
        for (to, from) in excerpt.bytes.iter_mut().zip(rest) {
            *to = *from;
        }
        excerpt
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.bytes
            .iter()
            .take(self.length)
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Malformed {
    /// An undecodable answer.
    #[must_use]
    pub(crate) fn decode(error: DecodeError, bytes: &[u8]) -> Self {
        Self {
            kind: MalformedKind::Decode(error.kind),
            offset: error.offset,
            excerpt: Excerpt::new(bytes, error.offset),
        }
    }

    /// An answer that decodes, but means nothing here.
    #[must_use]
    pub(crate) fn new(kind: MalformedKind, bytes: &[u8]) -> Self {
        Self {
            kind,
            offset: 0,
            excerpt: Excerpt::new(bytes, 0),
        }
    }
}

impl From<Malformed> for Error {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

impl Error {
    /// The status of the method, if the TPer refused it.
    #[must_use]
    pub const fn status(&self) -> Option<MethodStatus> {
        match self {
            Self::Status(status) | Self::Busy { status, .. } => Some(*status),
            _ => None,
        }
    }

    /// Whether the kernel keeps ATA TRUSTED commands from the drive.
    #[must_use]
    pub const fn is_blocked_by_kernel(&self) -> bool {
        matches!(self, Self::Transport(transport::Error::Blocked { .. }))
    }

    /// Whether the interface does not know a command, or the kernel knows that it does not. Other
    /// refusals and failures do not tell what the drive can do.
    #[must_use]
    pub const fn is_unknown_command(&self) -> bool {
        match self {
            Self::Transport(transport::Error::NotSupported { .. }) => true,
            Self::Transport(transport::Error::Interface { status, .. }) => is_unknown(*status),
            _ => false,
        }
    }
}

/// Invalid opcode, field or protocol. An ATA drive has one error for everything, and that is what it
/// says of commands that it does not know.
const fn is_unknown(status: InterfaceStatus) -> bool {
    const ILLEGAL_REQUEST: u8 = 0x05;
    const INVALID_OPERATION_CODE: u8 = 0x20;
    const ATA_ABORT: u8 = 0x04;
    match status {
        InterfaceStatus::Nvme { code_type, code } => code_type == 0 && matches!(code, 0x01 | 0x02),
        InterfaceStatus::Sense { key, asc, .. } if key == ILLEGAL_REQUEST => {
            asc == INVALID_OPERATION_CODE
                || matches!(status.class(), Some(InterfaceClass::InvalidParameter))
        }
        InterfaceStatus::Ata { error, .. } => error & ATA_ABORT != 0,
        _ => matches!(status.class(), Some(InterfaceClass::InvalidParameter)),
    }
}
