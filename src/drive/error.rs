//! Why an operation failed, at which step, and in which class of failures.

use std::time::Duration;

use super::code::{ErrorCode, session_code};
use super::{
    AccessError, Authority, Mismatch, RangeError, SetupReport, SingleUserError, Step, TableError,
    TallyError,
};
use crate::secret::SchemeError;
use crate::session;
use crate::spec::{DataRemovalMechanism, FeatureCode, MethodStatus, RangeNumber, Ssc};

/// The error of an operation.
#[derive(Debug, thiserror::Error)]
#[error("{cause}")]
pub struct Error {
    step: Option<Step>,
    #[source]
    cause: Cause,
    setup: Option<Box<SetupReport>>,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Cause {
    /// No TCG Storage drive: it has no Level 0 Discovery.
    #[error("no self-encrypting drive: it does not answer Level 0 Discovery")]
    NotSed(#[source] Option<session::Error>),
    /// A TCG Storage drive whose SSC tells no ComID, or is none that is known.
    #[error("no known security subsystem class")]
    NoSsc,
    /// The drive has no locking.
    #[error("the drive has no locking")]
    NoLocking,
    /// The drive has no media encryption keys that could be replaced.
    #[error("the drive does not encrypt: it has no key to replace")]
    NoEncryption,
    /// The SSC does not have this operation, or this program does not have it for the SSC.
    #[error("not supported for the {} SSC", .0.name())]
    Ssc(Ssc),
    /// Level 0 Discovery does not show the feature.
    #[error("the drive does not have the feature {0}")]
    NoFeature(FeatureCode),
    /// The drive cannot freeze the Locking SP.
    #[error("the drive cannot freeze its Locking SP")]
    NoFreeze,
    /// SID is blocked already, and what comes with a block can be chosen only with a new one.
    #[error("SID is blocked already, and not as asked; a block is not changed until it ends")]
    BlockedOtherwise,
    /// `TPerInfo.ProgrammaticResetEnable` is false.
    #[error("the drive does not take TPER_RESET: ProgrammaticResetEnable is false")]
    ProgrammaticResetDisabled,
    /// The drive cannot remove data in this way.
    #[error("the drive does not support the data removal mechanism {0}")]
    NoMechanism(DataRemovalMechanism),
    /// The authority cannot act here.
    #[error("{0} cannot do this")]
    WrongAuthority(Authority),
    /// The Locking SP is not activated.
    #[error("locking is not activated")]
    NotActivated,
    /// The firmware has blocked SID until the next power cycle.
    #[error("SID is blocked until the next power cycle")]
    SidBlocked,
    /// The firmware has frozen the Locking SP until the next power cycle.
    #[error("the Locking SP is frozen until the next power cycle")]
    Frozen,
    /// Activate was refused with FAIL, as by drives with an ATA password (\[Opal\] 5.1.1).
    #[error("activation failed (FAIL, 3fh); is an ATA password set?")]
    ActivationFailed,
    /// The PIN was refused, or the authority is disabled.
    #[error("{authority} was refused (NOT_AUTHORIZED, 01h)")]
    Refused {
        /// Who was refused.
        authority: Authority,
    },
    /// The first of two PINs was refused; the second was not tried.
    #[error(
        "{authority} was refused (NOT_AUTHORIZED, 01h); if an earlier run was interrupted, it may \
         have the new PIN already, which takes a second attempt: --tries 2"
    )]
    OneOfTwoRefused {
        /// Who was refused.
        authority: Authority,
    },
    /// The drive does not know the authority.
    #[error("{authority} is unknown to the drive (INVALID_PARAMETER, 0ch)")]
    UnknownAuthority {
        /// Who was to act.
        authority: Authority,
    },
    /// The authority may not do this.
    #[error("{authority} is not authorized for this (NOT_AUTHORIZED, 01h)")]
    NotPermitted {
        /// Who acted.
        authority: Authority,
    },
    /// Too many wrong PINs.
    #[error("{authority} is locked out (AUTHORITY_LOCKED_OUT, 12h)")]
    LockedOut {
        /// Who is locked out.
        authority: Authority,
    },
    /// A further attempt would exceed the try budget; it was not made.
    #[error("{authority} was refused before in this run; no further attempt was made")]
    TryBudget {
        /// Whose budget.
        authority: Authority,
        /// Attempts that were refused.
        refused: u32,
    },
    /// Another session is open, and stayed open.
    #[error("the drive is busy with another session ({status}), which did not end in {waited:?}")]
    Busy {
        /// SP_BUSY or NO_SESSIONS_AVAILABLE.
        status: MethodStatus,
        /// How long the end of that session was waited for.
        waited: Duration,
    },
    /// Ranges other than the Global one hold blocks, and would lose their data.
    #[error("the data of {} would be lost, since only that of range 0 can be kept", range_names(.0))]
    OtherRanges(Vec<RangeNumber>),
    /// Data would be lost, and nobody has named the drive.
    #[error("data would be lost, and the drive was not named")]
    ConsentRequired,
    /// A PIN that no drive can take.
    #[error("a PIN of {length} bytes, {limit} at most, and not empty")]
    PinLength {
        /// Its length in bytes.
        length: usize,
        /// The longest PIN in bytes.
        limit: usize,
    },
    /// A range that the drive cannot take.
    #[error("{0}")]
    Range(RangeError),
    /// Something cannot be done with a byte table.
    #[error(transparent)]
    Table(TableError),
    /// The drive said SUCCESS, but the state is not as asked.
    #[error("the drive accepted the change, but {0}")]
    NotAsAsked(Mismatch),
    /// Rights that cannot be changed so.
    #[error("{0}")]
    Access(AccessError),
    /// Single user mode stands in the way, or cannot be had.
    #[error("{0}")]
    SingleUser(SingleUserError),
    /// Attempts cannot be counted, so that none is made.
    #[error("no attempt was made")]
    Tally(#[source] TallyError),
    /// A scheme makes no PIN of the passphrase.
    #[error("the passphrase makes no PIN")]
    Scheme(#[source] SchemeError),
    /// Session and transport.
    #[error(transparent)]
    Session(session::Error),
}

fn range_names(ranges: &[RangeNumber]) -> String {
    let names: Vec<_> = ranges
        .iter()
        .map(|range| format!("range {range}"))
        .collect();
    names.join(", ")
}

impl Cause {
    /// Whether a PIN was refused, so that another one may be taken.
    #[must_use]
    pub const fn is_refusal(&self) -> bool {
        matches!(self, Self::Refused { .. } | Self::OneOfTwoRefused { .. })
    }

    /// The class of the failure.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        match self {
            // A drive without PSID cannot be reverted by it, whoever asks.
            Self::NotSed(_)
            | Self::NoSsc
            | Self::NoLocking
            | Self::NoEncryption
            | Self::Table(TableError::NoShadowMbr | TableError::Missing(_))
            | Self::Ssc(_)
            | Self::NoFeature(_)
            | Self::NoFreeze
            | Self::NoMechanism(_)
            | Self::UnknownAuthority {
                authority: Authority::Psid,
            } => ErrorCode::NotSupported,
            Self::WrongAuthority(_)
            | Self::UnknownAuthority { .. }
            | Self::PinLength { .. }
            | Self::Table(TableError::Beyond { .. })
            | Self::Scheme(_)
            | Self::Range(_) => ErrorCode::InvalidRequest,
            Self::Access(AccessError::Expression(_)) => ErrorCode::Failed,
            Self::Access(_) => ErrorCode::InvalidRequest,
            Self::SingleUser(error) => error.code(),
            Self::Table(TableError::Sizes(error)) => error.code(),
            Self::SidBlocked
            | Self::Frozen
            | Self::Refused { .. }
            | Self::OneOfTwoRefused { .. }
            | Self::NotPermitted { .. }
            | Self::Table(TableError::NotReadable(_))
            | Self::TryBudget { .. } => ErrorCode::NotAuthorized,
            Self::LockedOut { .. } => ErrorCode::LockedOut,
            Self::Busy { .. } => ErrorCode::Busy,
            Self::ConsentRequired | Self::OtherRanges(_) => ErrorCode::ConsentRequired,
            Self::Table(TableError::Short(_)) => ErrorCode::Malformed,
            Self::NotActivated
            | Self::ActivationFailed
            | Self::Table(TableError::Contents(_) | TableError::Output(_))
            | Self::BlockedOtherwise
            | Self::ProgrammaticResetDisabled
            | Self::NotAsAsked(_)
            | Self::Tally(_) => ErrorCode::Failed,
            Self::Session(error) => session_code(error),
        }
    }
}

impl From<session::Error> for Cause {
    fn from(error: session::Error) -> Self {
        match error {
            session::Error::Busy { status, waited } => Self::Busy { status, waited },
            error => Self::Session(error),
        }
    }
}

impl From<TableError> for Cause {
    fn from(error: TableError) -> Self {
        Self::Table(error)
    }
}

/// Tells at which step something failed.
pub(super) trait At<T> {
    /// Adds the step.
    fn at(self, step: Step) -> Result<T, Error>;

    /// Adds the step, and takes NOT_AUTHORIZED as a lack of permission of who acts.
    fn at_as(self, step: Step, acting: Authority) -> Result<T, Error>;
}

impl<T> At<T> for Result<T, session::Error> {
    fn at(self, step: Step) -> Result<T, Error> {
        self.map_err(|error| Error::at(step, error))
    }

    fn at_as(self, step: Step, acting: Authority) -> Result<T, Error> {
        self.map_err(|error| match error.status() {
            Some(MethodStatus::NOT_AUTHORIZED) => {
                Error::at(step, Cause::NotPermitted { authority: acting })
            }
            _ => Error::at(step, error),
        })
    }
}

impl Error {
    /// An error at a step.
    pub(super) fn at(step: Step, cause: impl Into<Cause>) -> Self {
        Self {
            step: Some(step),
            cause: cause.into(),
            setup: None,
        }
    }

    /// An error before anything was sent.
    pub(super) const fn before(cause: Cause) -> Self {
        Self {
            step: None,
            cause,
            setup: None,
        }
    }

    /// The same, after a setup that got so far.
    pub(super) fn after(mut self, report: SetupReport) -> Self {
        self.setup = Some(Box::new(report));
        self
    }

    /// What setup had done when it failed.
    #[must_use]
    pub fn setup_report(&self) -> Option<&SetupReport> {
        self.setup.as_deref()
    }

    /// Why.
    #[must_use]
    pub const fn cause(&self) -> &Cause {
        &self.cause
    }

    /// At which step; `None` if nothing was sent.
    #[must_use]
    pub const fn step(&self) -> Option<Step> {
        self.step
    }

    /// The status of the method that failed, if the drive gave one.
    #[must_use]
    pub const fn status(&self) -> Option<MethodStatus> {
        match &self.cause {
            Cause::Refused { .. } | Cause::OneOfTwoRefused { .. } | Cause::NotPermitted { .. } => {
                Some(MethodStatus::NOT_AUTHORIZED)
            }
            Cause::SingleUser(error) => match self.step {
                Some(_) => error.status(),
                None => None,
            },
            Cause::UnknownAuthority { .. } => Some(MethodStatus::INVALID_PARAMETER),
            Cause::LockedOut { .. } => Some(MethodStatus::AUTHORITY_LOCKED_OUT),
            Cause::ActivationFailed => Some(MethodStatus::FAIL),
            Cause::Busy { status, .. } => Some(*status),
            Cause::Session(error) => error.status(),
            _ => None,
        }
    }

    /// Whether a PIN was refused.
    pub(super) const fn is_refusal(&self) -> bool {
        self.cause.is_refusal()
    }

    /// Whether it tells of one range only what the drive refused, or did not do.
    pub(super) const fn concerns_one_range(&self) -> bool {
        let is_of_range = matches!(
            self.cause,
            Cause::NotAsAsked(_) | Cause::Range(_) | Cause::SingleUser(_)
        );
        self.status().is_some() || is_of_range
    }

    /// The class of the failure.
    #[must_use]
    pub const fn code(&self) -> ErrorCode {
        self.cause.code()
    }
}
