//! Classes of failures: what exit codes and hints are made of.

use crate::session;
use crate::spec::MethodStatus;

/// The class of a failure; the command line makes exit codes and hints of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Anything without a class of its own.
    Failed,
    /// What was asked for is impossible on this drive: a PIN, a range, an authority.
    InvalidRequest,
    /// A PIN was refused, or the authority may not do this.
    NotAuthorized,
    /// Too many wrong PINs.
    LockedOut,
    /// No self-encrypting drive, or not this feature.
    NotSupported,
    /// Another session is open.
    Busy,
    /// Data would be lost, and nobody has named the drive.
    ConsentRequired,
    /// The drive answered nonsense.
    Malformed,
    /// Somebody asked to stop.
    Interrupted,
    /// No answer within the time limit.
    TimedOut,
}

impl ErrorCode {
    /// The name, in snake case, as it stands in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::InvalidRequest => "invalid_request",
            Self::NotAuthorized => "not_authorized",
            Self::LockedOut => "locked_out",
            Self::NotSupported => "not_supported",
            Self::Busy => "busy",
            Self::ConsentRequired => "consent_required",
            Self::Malformed => "malformed",
            Self::Interrupted => "interrupted",
            Self::TimedOut => "timed_out",
        }
    }
}

/// The class of what failed below.
pub(super) const fn session_code(error: &session::Error) -> ErrorCode {
    match error {
        session::Error::Malformed(_) | session::Error::Endless => ErrorCode::Malformed,
        session::Error::OutOfTurn => ErrorCode::Busy,
        session::Error::Interrupted => ErrorCode::Interrupted,
        session::Error::TimedOut { .. } => ErrorCode::TimedOut,
        session::Error::Status(MethodStatus::NOT_AUTHORIZED) => ErrorCode::NotAuthorized,
        session::Error::Status(MethodStatus::AUTHORITY_LOCKED_OUT) => ErrorCode::LockedOut,
        session::Error::Status(MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE) => {
            ErrorCode::Busy
        }
        _ => ErrorCode::Failed,
    }
}
