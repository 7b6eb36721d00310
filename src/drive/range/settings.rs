//! What a range shall be, and what became of it.

use super::{Columns, LockingRange, NAME_LIMIT, Place};
use crate::drive::{LockOnReset, RangeError};
use crate::spec::column::locking;
use crate::spec::{MethodStatus, RangeNumber, Ssc};

/// Settings of a range beside its place. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSettings {
    /// `ReadLockEnabled`.
    pub read_lock_enabled: Option<bool>,
    /// `WriteLockEnabled`.
    pub write_lock_enabled: Option<bool>,
    /// Resets by which it is locked.
    pub lock_on_reset: Option<LockOnReset>,
    /// `CommonName`, at most 32 bytes.
    pub common_name: Option<String>,
}

/// A range that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRange {
    /// Which range it is to be.
    pub choice: RangeChoice,
    /// Where it is to be.
    pub place: Place,
    /// What it is to have. Locks that are not mentioned are enabled, and closed by power cycles; none
    /// is closed now.
    pub settings: RangeSettings,
}

/// Which range a new one is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeChoice {
    /// The first that has no LBAs. Every range is read, and compared with the new one.
    FirstFree,
    /// This one, which must have no LBAs.
    Free(RangeNumber),
    /// This one, without reading it first: what it holds is given up. Saves four commands, and keeps
    /// the key that it has.
    AssumedFree(RangeNumber),
}

/// A change of a range. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeChange {
    /// Where it is to be; never for the Global range.
    pub place: Option<Place>,
    /// What it is to have.
    pub settings: RangeSettings,
}

/// What became of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeReport {
    /// False if it was as asked already.
    pub changed: bool,
    /// As it was; `None` if it was not read.
    pub before: Option<LockingRange>,
    /// As it was read back.
    pub range: LockingRange,
    /// Its media encryption key.
    pub key: KeyChange,
}

/// What became of a media encryption key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyChange {
    /// It is the one that the range had.
    Kept,
    /// It is a new one.
    Replaced,
    /// It is the one that the range had: the drive refused to replace it.
    Refused(MethodStatus),
}

impl RangeSettings {
    /// Columns in ascending order, behind those of a place.
    pub(super) fn columns(&self, place: Option<Place>) -> Columns {
        let mut columns = Columns::new();
        let name = self.common_name.as_ref();
        columns.extend(name.map(|name| (locking::COMMON_NAME, name.as_bytes().into())));
        if let Some(Place { start, length }) = place {
            columns.push((locking::RANGE_START, start.into()));
            columns.push((locking::RANGE_LENGTH, length.into()));
        }
        let lock = |column, enabled: Option<bool>| enabled.map(|it| (column, it.into()));
        columns.extend(lock(locking::READ_LOCK_ENABLED, self.read_lock_enabled));
        columns.extend(lock(locking::WRITE_LOCK_ENABLED, self.write_lock_enabled));
        let resets = self.lock_on_reset.map(LockOnReset::value);
        columns.extend(resets.map(|resets| (locking::LOCK_ON_RESET, resets)));
        columns
    }

    pub(super) fn check(&self) -> Result<(), RangeError> {
        let limit = NAME_LIMIT;
        match self.common_name.as_ref().map(String::len) {
            Some(length) if length > limit => Err(RangeError::Name { length, limit }),
            _ => Ok(()),
        }
    }
}

impl NewRange {
    /// The settings with what a new range has where nothing is said.
    fn completed(&self, ssc: Ssc) -> RangeSettings {
        let mut settings = self.settings.clone();
        settings.read_lock_enabled.get_or_insert(true);
        settings.write_lock_enabled.get_or_insert(true);
        // In Opal 1 it is fixed, and a Set that names it is refused.
        if ssc != Ssc::Opal1 {
            settings.lock_on_reset.get_or_insert_default();
        }
        settings
    }

    /// What was asked for in so many words.
    pub(super) fn asked(&self) -> Columns {
        self.settings.columns(Some(self.place))
    }

    /// The columns of the range while it is not in use, and those that it has from then on.
    pub(super) fn columns(&self, ssc: Ssc) -> (Columns, Columns) {
        let lasting = self.completed(ssc).columns(Some(self.place));
        let mut first = lasting.clone();
        first.extend(unlocked());
        first.sort_by_key(|(column, _)| *column);
        (first, lasting)
    }
}

pub(super) fn unlocked() -> Columns {
    vec![
        (locking::READ_LOCKED, false.into()),
        (locking::WRITE_LOCKED, false.into()),
    ]
}
