//! Users of the Locking SP: which there are, and what each may do.
//!
//! What a User may do stands in ACEs: each names, for one thing, the authorities of which one must
//! be authenticated. `super::expression` reads and writes these lists, `grant` edits them, `list` shows
//! them as rights, and `enable` switches authorities on and off.

use super::{Authority, Cause, Drive, Error, SingleUserError, SingleUserMode};
use crate::session::{self, Row, Session};
use crate::spec::ace::Subject;
use crate::spec::column::authority as authority_column;
use crate::spec::{MethodStatus, RangeNumber, Uid, uid};

mod edit;
mod enable;
mod grant;
mod list;
mod plan;

pub use edit::AccessChange;
pub use enable::EnableReport;
pub use grant::{Grant, Revocation};
pub use list::{Access, Holder};

/// A right that an ACE gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Right {
    /// One that is known here.
    Known(Subject),
    /// One of an ACE that is not known here.
    Unknown(Uid),
}

/// Why rights cannot be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AccessError {
    /// The drive does not have the authority.
    #[error("the drive has no {0}")]
    NoAuthority(Authority),
    /// The drive has no ACE for it: no such range, or no such table.
    #[error("the drive has no right to {0}")]
    NoRight(Right),
    /// The expression says more than "any one of these", and is left alone.
    #[error("who has the right to {0} is said by an expression that is more than a list of names")]
    Expression(Right),
    /// The authority has every right already, or none to give.
    #[error("{0} is no User: rights are granted to Users")]
    NoUser(Authority),
    /// Admin1 is what everything else hangs on.
    #[error("Admin1 cannot be disabled")]
    Admin1,
}

impl Right {
    /// What the ACE of this row gives.
    fn of(row: Uid) -> Self {
        Subject::of(row).map_or(Self::Unknown(row), Self::Known)
    }

    /// The range that it is about.
    #[must_use]
    pub const fn range(self) -> Option<RangeNumber> {
        match self {
            Self::Known(
                Subject::SetReadLocked(range)
                | Subject::SetWriteLocked(range)
                | Subject::GetRange(range)
                | Subject::GenKey(range)
                | Subject::SetLocks(range)
                | Subject::SetPlace(range),
            ) => Some(range),
            _ => None,
        }
    }
}

impl std::fmt::Display for Right {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let subject = match self {
            Self::Known(subject) => subject,
            Self::Unknown(row) => return write!(f, "whatever ACE {row} is about"),
        };
        match subject {
            Subject::SetReadLocked(range) => write!(f, "lock and unlock reads of range {range}"),
            Subject::SetWriteLocked(range) => write!(f, "lock and unlock writes of range {range}"),
            Subject::GetRange(range) => write!(f, "see range {range}"),
            Subject::GenKey(range) => write!(f, "erase range {range}"),
            Subject::SetLocks(range) => write!(f, "set the locks of range {range}"),
            Subject::SetPlace(range) => write!(f, "give range {range} its place"),
            Subject::SetMbrDone => f.write_str("set MBRDone"),
            Subject::GetDataStore(table) => write!(f, "read DataStore {table}"),
            Subject::SetDataStore(table) => write!(f, "write DataStore {table}"),
            Subject::SetPin(user) => write!(f, "set the PIN of User{user}"),
            Subject::SetCommonName(user) => write!(f, "name User{user}"),
            Subject::GetAces => f.write_str("see who has which rights"),
            Subject::GetAuthorities => f.write_str("see the authorities"),
        }
    }
}

impl Drive {
    /// Refuses drives without Users of their own, and whoever cannot give rights.
    fn require_rights_of(&self, user: Authority, acting: Authority) -> Result<(), Error> {
        self.require_ranges_as(acting)?;
        match user {
            Authority::User(_) => Ok(()),
            other => Err(Error::before(Cause::Access(AccessError::NoUser(other)))),
        }
    }
}

/// Refuses rights to ranges that belong to somebody in single user mode: no ACE gives them.
fn require_no_owner_of(mode: &SingleUserMode, rights: &[Subject]) -> Result<(), SingleUserError> {
    let mut ranges = rights
        .iter()
        .filter_map(|right| Right::Known(*right).range());
    ranges.try_for_each(|range| mode.require_no_range(range))
}

/// CommonName to Enabled of an authority, as far as they are shown.
fn authority_row(session: &mut Session<'_>, row: Uid) -> Result<Row, session::Error> {
    let columns = authority_column::COMMON_NAME..=authority_column::ENABLED;
    match session.get(row, columns) {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(Row::default()),
        row => row,
    }
}

/// AdminN or UserN of the Locking SP, if a row of table `Authority` is one.
pub(super) fn authority_of(row: Uid) -> Option<Authority> {
    let number = |base: u32| {
        let number = row.low().checked_sub(base)?;
        u16::try_from(number).ok().filter(|number| *number > 0)
    };
    let admin = number(0x0001_0000).map(Authority::Admin);
    let user = number(0x0003_0000).map(Authority::User);
    let authority = user.or(admin)?;
    (row.table() == uid::AUTHORITY).then_some(authority)
}
