//! From the errors of the layers below to what the program says.

use std::io::ErrorKind;

use super::error::CliError;
use super::exit::Code;
use super::hint;
use crate::drive::{self, Cause, ErrorCode, Step};
use crate::secret::{PsidError, SchemeError, SourceError};
use crate::transport;
use crate::vdrive::serve::{self, ControlError, Refusal, TcmuError};
use crate::vdrive::{self, StoreError};

impl From<drive::Error> for CliError {
    fn from(error: drive::Error) -> Self {
        Self::from(&error)
    }
}

impl From<&drive::Error> for CliError {
    fn from(error: &drive::Error) -> Self {
        Self {
            step: error.step().map(Step::name),
            status: error.status().map(|status| status.0),
            ..Self::from(error.cause())
        }
    }
}

impl From<&Cause> for CliError {
    fn from(cause: &Cause) -> Self {
        Self {
            hint: hint::for_cause(cause),
            trouble: cause.trouble().map(Box::new),
            is_refusal: cause.is_refusal(),
            ..Self::from_chain(code(cause.code()), cause)
        }
    }
}

const fn code(code: ErrorCode) -> Code {
    match code {
        ErrorCode::InvalidRequest => Code::Usage,
        ErrorCode::NotAuthorized => Code::NotAuthorized,
        ErrorCode::LockedOut => Code::LockedOut,
        ErrorCode::NotSupported => Code::NotSupported,
        ErrorCode::Busy => Code::Busy,
        ErrorCode::ConsentRequired => Code::ConsentRequired,
        ErrorCode::Malformed => Code::Malformed,
        ErrorCode::Interrupted => Code::Interrupted,
        ErrorCode::TimedOut => Code::TimedOut,
        _ => Code::Failed,
    }
}

impl From<transport::Error> for CliError {
    fn from(error: transport::Error) -> Self {
        let code = match &error {
            transport::Error::Open { source, .. } | transport::Error::Io { source, .. } => {
                io_code(source.kind())
            }
            transport::Error::NotSupported { .. } => Code::NotSupported,
            transport::Error::Partition { .. } => Code::Usage,
            _ => Code::Failed,
        };
        let hint = hint::for_transport(&error);
        Self {
            hint,
            ..Self::from_chain(code, &error)
        }
    }
}

/// The code of a file or device that cannot be used.
pub(crate) fn io_code(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::PermissionDenied => Code::PermissionDenied,
        ErrorKind::NotFound => Code::NotFound,
        ErrorKind::ResourceBusy => Code::Busy,
        _ => Code::Failed,
    }
}

impl From<SourceError> for CliError {
    fn from(error: SourceError) -> Self {
        let code = if error.is_usage() {
            Code::Usage
        } else {
            Code::SecretUnavailable
        };
        let hint = hint::for_source(&error);
        Self {
            hint,
            ..Self::from_chain(code, &error)
        }
    }
}

impl From<SchemeError> for CliError {
    fn from(error: SchemeError) -> Self {
        let hint = hint::for_scheme(&error);
        Self {
            hint,
            ..Self::from_chain(Code::Usage, &error)
        }
    }
}

impl From<PsidError> for CliError {
    fn from(error: PsidError) -> Self {
        Self::from_chain(Code::Usage, &error)
            .with_hint("dashes, blanks and small letters are taken; nothing was sent to the drive")
    }
}

impl From<vdrive::Error> for CliError {
    fn from(error: vdrive::Error) -> Self {
        let code = match &error {
            vdrive::Error::Store(error) => store_code(error),
            vdrive::Error::Keep(_) => Code::Malformed,
            vdrive::Error::Random(_) => Code::Failed,
            _ => Code::Usage,
        };
        let hint = hint::for_virtual(&error).map(str::to_owned);
        Self {
            hint,
            ..Self::from_chain(code, &error)
        }
    }
}

fn store_code(error: &StoreError) -> Code {
    match error {
        StoreError::Busy => Code::Busy,
        StoreError::Io { source, .. } => io_code(source.kind()),
        StoreError::NotRegular | StoreError::Foreign => Code::NotSupported,
        StoreError::Length { .. } | StoreError::Damaged { .. } => Code::Malformed,
        StoreError::Dimensions { .. } => Code::Usage,
        _ => Code::Failed,
    }
}

impl From<serve::Error> for CliError {
    fn from(error: serve::Error) -> Self {
        let code = match error {
            serve::Error::Drive(error) => return error.into(),
            serve::Error::Listen { ref source, .. } => listen_code(source.kind()),
            serve::Error::Control { ref source, .. } => io_code(source.kind()),
            serve::Error::Disk { ref source, .. } => disk_code(source),
            _ => Code::Usage,
        };
        Self {
            hint: hint::for_server(&error).map(str::to_owned),
            ..Self::from_chain(code, &error)
        }
    }
}

/// The code of an address that cannot be listened at.
fn listen_code(kind: ErrorKind) -> Code {
    match kind {
        ErrorKind::AddrInUse => Code::Busy,
        ErrorKind::AddrNotAvailable => Code::Usage,
        kind => io_code(kind),
    }
}

const fn disk_code(error: &TcmuError) -> Code {
    match error {
        TcmuError::NotRoot => Code::PermissionDenied,
        TcmuError::NoTarget { .. } => Code::NotSupported,
        TcmuError::Name => Code::Usage,
        _ => Code::Failed,
    }
}

impl From<ControlError> for CliError {
    fn from(error: ControlError) -> Self {
        match error {
            ControlError::Refused(Refusal::DataProtection) => {
                vdrive::MediaError::DataProtection.into()
            }
            ControlError::Refused(Refusal::TooMuch) => Self::from_chain(Code::Usage, &error)
                .with_hint("read at most 1 MiB at a time while the drive is served"),
            ControlError::Refused(Refusal::Failed) => Self::from_chain(Code::Failed, &error)
                .with_hint("the file system of the drive's file may be full, or gone"),
            ControlError::Refused(Refusal::OutOfRange) => Self::from_chain(Code::Usage, &error),
            ControlError::Malformed => Self::from_chain(Code::Malformed, &error),
            ControlError::Silent(ref source) if is_late(source.kind()) => {
                Self::from_chain(Code::TimedOut, &error)
            }
            _ => Self::from_chain(Code::Failed, &error),
        }
    }
}

/// What the kernel says of a time limit, and what we do.
const fn is_late(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::TimedOut | ErrorKind::WouldBlock)
}
