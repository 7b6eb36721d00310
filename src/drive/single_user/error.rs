//! Why single user mode stands in the way.

use super::super::{Authority, ErrorCode};
use super::RangePolicy;
use crate::spec::{MethodStatus, RangeNumber};

/// Why something cannot be done in single user mode, or with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SingleUserError {
    /// The range belongs to somebody else.
    #[error("range {range} is in single user mode: nobody but {owner} may do this")]
    Owned {
        /// The range.
        range: RangeNumber,
        /// The User to whom it belongs.
        owner: Authority,
    },
    /// The range belongs to who acts, but has its place from Admins.
    #[error(
        "range {0} is in single user mode, and gets its place from Admins \
         (RangeStartRangeLengthPolicy)"
    )]
    PlaceOfAdmins(RangeNumber),
    /// An owner has its PIN for itself, and is always enabled.
    #[error(
        "{user} owns range {range} in single user mode: nobody else may set its PIN or disable it"
    )]
    Owner {
        /// The User.
        user: Authority,
        /// The range that it owns.
        range: RangeNumber,
    },
    /// The drive is activated, and other ranges are in single user mode than asked.
    #[error("the drive is activated already, and its single user mode is not as asked")]
    OtherMode,
    /// The drive does not take the list of ranges.
    #[error("the drive refuses these ranges for single user mode (INVALID_PARAMETER, 0ch)")]
    ListRefused,
    /// A range that the drive does not have, or not for single user mode.
    #[error("the drive has no range {0} for single user mode")]
    NoRange(RangeNumber),
    /// Reactivate is refused while locks are enabled, and only their owners can switch them off.
    #[error("the locks of {} are enabled, and only the owner can switch them off", names(.0))]
    LocksEnabled(Vec<RangeNumber>),
    /// Reactivate takes the PIN of every Admin but Admin1, so that another one could not finish it.
    #[error("reactivation takes the PIN and the rights of {0} away: only Admin1 keeps its own")]
    NotAdmin1(Authority),
    /// Which locks are enabled cannot be noted: they would stay off after an interruption.
    #[error("which locks are on cannot be noted, so that they are not switched off")]
    LocksUnnoted,
    /// Reactivate failed.
    #[error("the drive refuses to reactivate (FAIL, 3fh); are locks enabled?")]
    ReactivateFailed,
    /// A range cannot be placed, since its owner gets no PIN.
    #[error(
        "range {0} gets its place from its owner, who gets no PIN now \
         (policy {policy})", policy = RangePolicy::User.name()
    )]
    PlaceWithoutOwner(RangeNumber),
}

impl SingleUserError {
    /// The status of which it tells.
    pub(in crate::drive) const fn status(&self) -> Option<MethodStatus> {
        match self {
            Self::Owned { .. } | Self::Owner { .. } => Some(MethodStatus::NOT_AUTHORIZED),
            Self::ListRefused => Some(MethodStatus::INVALID_PARAMETER),
            Self::ReactivateFailed => Some(MethodStatus::FAIL),
            _ => None,
        }
    }

    /// Whether it tells of a range that is somebody else's.
    pub(in crate::drive) const fn is_of_another(&self) -> bool {
        matches!(self, Self::Owned { .. })
    }

    /// The class of the failure.
    pub(in crate::drive) const fn code(&self) -> ErrorCode {
        match self {
            Self::Owned { .. } | Self::PlaceOfAdmins(_) | Self::Owner { .. } => {
                ErrorCode::NotAuthorized
            }
            Self::NoRange(_) | Self::PlaceWithoutOwner(_) | Self::NotAdmin1(_) => {
                ErrorCode::InvalidRequest
            }
            Self::ListRefused => ErrorCode::NotSupported,
            Self::OtherMode
            | Self::LocksUnnoted
            | Self::LocksEnabled(_)
            | Self::ReactivateFailed => ErrorCode::Failed,
        }
    }
}

fn names(ranges: &[RangeNumber]) -> String {
    let names: Vec<_> = ranges
        .iter()
        .map(|range| format!("range {range}"))
        .collect();
    names.join(", ")
}
