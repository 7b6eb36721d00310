//! Locking ranges: what the drive shows of them, and how they are brought to a state.

use std::collections::BTreeSet;

use super::error::At;
use super::{Authority, Cause, Credential, Drive, Error, Mismatch, RangeError, Step};
use crate::session::{self, Row, Session, sanitise};
use crate::spec::column::{self, locking};
use crate::spec::{MethodStatus, RangeNumber, Uid, uid};
use crate::wire::Value;

mod change;
mod place;
mod plan;
mod settings;
mod share;
mod work;

pub(super) use work::replace_key;

pub use place::Place;
pub use settings::{KeyChange, NewRange, RangeChange, RangeChoice, RangeReport, RangeSettings};

/// A Locking range. What the authority may not see, and what the drive does not tell, is `None`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LockingRange {
    /// The row.
    pub uid: Uid,
    /// The number; 0 is the Global range.
    pub number: RangeNumber,
    /// Name that a host gave, sanitised.
    pub common_name: Option<String>,
    /// First LBA; 0 for the Global range.
    pub range_start: Option<u64>,
    /// Number of LBAs; 0 for the Global range.
    pub range_length: Option<u64>,
    /// Whether the range can be locked for reading.
    pub read_lock_enabled: Option<bool>,
    /// Whether the range can be locked for writing.
    pub write_lock_enabled: Option<bool>,
    /// Whether it is locked for reading, if that is enabled.
    pub read_locked: Option<bool>,
    /// Whether it is locked for writing, if that is enabled.
    pub write_locked: Option<bool>,
    /// Resets by which it is locked: 0 power cycle, 1 hardware, 3 programmatic.
    pub lock_on_reset: Option<Vec<u8>>,
    /// The media encryption key.
    pub active_key: Option<Uid>,
}

/// Columns of a range and the values that they shall have.
pub(super) type Columns = Vec<(u64, Value)>;

/// Rows that are asked for at one time, where all of them do not fit an answer.
const ROWS_AT_A_TIME: u64 = 64;

impl LockingRange {
    fn from_row(number: RangeNumber, row: &Row) -> Result<Self, session::Error> {
        Ok(Self {
            uid: uid::locking_range(number),
            number,
            common_name: row.bytes(locking::COMMON_NAME)?.map(name_text),
            range_start: row.uint(locking::RANGE_START)?,
            range_length: row.uint(locking::RANGE_LENGTH)?,
            read_lock_enabled: row.boolean(locking::READ_LOCK_ENABLED)?,
            write_lock_enabled: row.boolean(locking::WRITE_LOCK_ENABLED)?,
            read_locked: row.boolean(locking::READ_LOCKED)?,
            write_locked: row.boolean(locking::WRITE_LOCKED)?,
            lock_on_reset: row.set(locking::LOCK_ON_RESET)?,
            active_key: row.uid(locking::ACTIVE_KEY)?,
        })
    }

    /// Where the range is; `None` if it is the Global range, has no LBAs, or is not shown.
    #[must_use]
    pub fn place(&self) -> Option<Place> {
        let (start, length) = self.range_start.zip(self.range_length)?;
        let is_placed = self.number != RangeNumber::GLOBAL && length > 0;
        is_placed.then_some(Place { start, length })
    }

    /// Whether the range can be locked at all; `None` if the authority may not see it.
    #[must_use]
    pub fn is_lock_enabled(&self) -> Option<bool> {
        Some(self.read_lock_enabled? || self.write_lock_enabled?)
    }

    /// Whether reading or writing is refused now; `None` if the authority may not see it.
    #[must_use]
    pub fn is_locked(&self) -> Option<bool> {
        let reading = self.read_lock_enabled? && self.read_locked?;
        let writing = self.write_lock_enabled? && self.write_locked?;
        Some(reading || writing)
    }
}

impl Drive {
    /// One Locking range, as far as the authority may see it.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn range(
        &mut self,
        number: RangeNumber,
        credential: &Credential,
    ) -> Result<LockingRange, Error> {
        self.require_opal_family()?;
        self.require_active()?;
        let acting = credential.authority;
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let (_, range) = read(&mut session, number, Step::ReadRange, acting)?;
        session.end().at(Step::EndSession)?;
        Ok(range)
    }

    /// The Locking ranges, as far as the authority (or anybody) may see them.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn ranges(&mut self, credential: Option<&Credential>) -> Result<Vec<LockingRange>, Error> {
        self.require_opal_family()?;
        self.require_active()?;
        let mut session = match credential {
            Some(credential) => self.log_in_to_locking_sp(credential)?.0,
            None => self.open_as_anybody(uid::LOCKING_SP)?,
        };
        let ranges = all(&mut session)?;
        session.end().at(Step::EndSession)?;
        Ok(ranges)
    }
}

/// The longest CommonName in bytes (type `name`, \[Core\] 5.1.3).
const NAME_LIMIT: usize = 32;

/// A CommonName for people: sanitised, and not longer than one can be.
pub(super) fn name_text(name: &[u8]) -> String {
    sanitise(name.get(..NAME_LIMIT).unwrap_or(name))
}

/// Every range, as far as the authority may see it, the Global range first.
fn all(session: &mut Session<'_>) -> Result<Vec<LockingRange>, Error> {
    let mut first = column::UID;
    let mut ranges = Vec::new();
    for number in numbers(session)? {
        let mut row = shown(session, number, first)?;
        if row.is_none() && ranges.is_empty() {
            // No ACE grants the name. A TPer may refuse a Get for that, instead of leaving it out.
            row = shown(session, number, locking::RANGE_START)?;
            first = match row {
                Some(_) => locking::RANGE_START,
                None => first,
            };
        }
        let range = LockingRange::from_row(number, &row.unwrap_or_default());
        ranges.push(range.at(Step::ReadRange)?);
    }
    Ok(ranges)
}

/// The ranges that the drive has, the Global range first.
pub(super) fn numbers(session: &mut Session<'_>) -> Result<Vec<RangeNumber>, Error> {
    let rows = rows(session, uid::LOCKING).at(Step::ListRanges)?;
    let numbers: BTreeSet<_> = rows.into_iter().filter_map(number).collect();
    Ok(numbers.into_iter().collect())
}

/// The ranges that have locking enabled, and those of which the authority may not see it.
pub(super) fn lockable(session: &mut Session<'_>) -> Result<Vec<RangeNumber>, Error> {
    let ranges = all(session)?.into_iter();
    let lockable = ranges.filter(|range| range.is_lock_enabled() != Some(false));
    Ok(lockable.map(|range| range.number).collect())
}

/// The columns that say whether a range is locked, as far as the authority may see them.
pub(super) fn lock_columns(
    session: &mut Session<'_>,
    range: RangeNumber,
) -> Result<Row, session::Error> {
    let columns = locking::READ_LOCK_ENABLED..=locking::WRITE_LOCKED;
    match session.get(uid::locking_range(range), columns) {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(Row::default()),
        row => row,
    }
}

/// The number of a range from its row, in the Opal family.
pub(super) fn number(row: Uid) -> Option<RangeNumber> {
    if row == uid::LOCKING_GLOBAL_RANGE {
        return Some(RangeNumber::GLOBAL);
    }
    let number = u16::try_from(row.low() & 0xffff).map(RangeNumber).ok()?;
    (uid::locking_range(number) == row).then_some(number)
}

/// The rows of an object table, in order.
pub(super) fn rows(session: &mut Session<'_>, table: Uid) -> Result<BTreeSet<Uid>, session::Error> {
    match session.next(table, None, None) {
        Err(session::Error::Status(MethodStatus::RESPONSE_OVERFLOW)) => {
            rows_by_parts(session, table)
        }
        rows => rows.map(BTreeSet::from_iter),
    }
}

fn rows_by_parts(session: &mut Session<'_>, table: Uid) -> Result<BTreeSet<Uid>, session::Error> {
    let mut rows = BTreeSet::new();
    let mut last = None;
    // Rows have numbers of 16 bits, so a table that goes on is none.
    while rows.len() <= usize::from(u16::MAX) {
        let part = session.next(table, last, Some(ROWS_AT_A_TIME))?;
        let known = rows.len();
        last = part.last().copied();
        rows.extend(part);
        if rows.len() == known {
            break;
        }
    }
    Ok(rows)
}

/// A range, as far as the authority may see it: all, its name, or that it exists.
pub(super) fn show(session: &mut Session<'_>, number: RangeNumber) -> Result<LockingRange, Error> {
    let row = shown(session, number, column::UID)?.unwrap_or_default();
    LockingRange::from_row(number, &row).at(Step::ReadRange)
}

/// The columns of a range from one on; `None` if Get was refused.
fn shown(session: &mut Session<'_>, number: RangeNumber, first: u64) -> Result<Option<Row>, Error> {
    match session.get(uid::locking_range(number), first..=locking::ACTIVE_KEY) {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(None),
        row => row.map(Some).at(Step::ReadRange),
    }
}

/// Reads the columns of a range that say where it is and whether it is locked.
pub(super) fn read(
    session: &mut Session<'_>,
    range: RangeNumber,
    step: Step,
    acting: Authority,
) -> Result<(Row, LockingRange), Error> {
    read_from(session, range, locking::RANGE_START, (step, acting))
}

/// The same, from a column on: the name stands before the place, and may not be shown.
fn read_from(
    session: &mut Session<'_>,
    range: RangeNumber,
    first: u64,
    (step, acting): (Step, Authority),
) -> Result<(Row, LockingRange), Error> {
    let row = session.get(uid::locking_range(range), first..=locking::ACTIVE_KEY);
    let row = unless_missing(row, range, step, acting)?;
    let range = LockingRange::from_row(range, &row).at(step)?;
    Ok((row, range))
}

/// Sets columns of a range and reads them back.
///
/// Some drives take only a part of the columns of one Set, although they report SUCCESS; so what is
/// not as asked is set once more, alone.
pub(super) fn set_and_read_back(
    session: &mut Session<'_>,
    range: RangeNumber,
    columns: &Columns,
    acting: Authority,
) -> Result<LockingRange, Error> {
    let mut missing = columns.clone();
    for _ in 0..2 {
        set(session, range, &missing, acting)?;
        let first = first_column(columns);
        let (row, shown) = read_from(session, range, first, (Step::ReadBack, acting))?;
        missing = differing(&row, columns);
        if missing.is_empty() {
            return Ok(shown);
        }
    }
    let column = missing
        .first()
        .map_or("a column", |(column, _)| name(*column));
    let mismatch = Mismatch::Column { range, column };
    Err(Error::at(Step::ReadBack, Cause::NotAsAsked(mismatch)))
}

/// The first column to read so that all of these are among them.
fn first_column(columns: &Columns) -> u64 {
    let asked = columns.iter().map(|(column, _)| *column);
    asked.fold(locking::RANGE_START, u64::min)
}

/// Sets columns of a range.
pub(super) fn set(
    session: &mut Session<'_>,
    range: RangeNumber,
    columns: &Columns,
    acting: Authority,
) -> Result<(), Error> {
    let set = session.set(uid::locking_range(range), columns.clone());
    unless_missing(set, range, Step::SetRange, acting)
}

/// A range that does not exist is refused as one without permission; but an Admin may do everything
/// with those that exist.
pub(super) fn unless_missing<T>(
    result: Result<T, session::Error>,
    range: RangeNumber,
    step: Step,
    acting: Authority,
) -> Result<T, Error> {
    let is_admin = matches!(acting, Authority::Admin(_));
    match result {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED))
            if is_admin && range != RangeNumber::GLOBAL =>
        {
            Err(Error::at(step, Cause::Range(RangeError::Missing(range))))
        }
        result => result.at_as(step, acting),
    }
}

/// The columns that a row shows with another value, or not at all.
pub(super) fn differing(row: &Row, columns: &Columns) -> Columns {
    let differs = |column, asked| {
        row.value(column)
            .is_none_or(|found| sorted(found) != sorted(asked))
    };
    let columns = columns.iter();
    columns
        .filter(|(column, asked)| differs(*column, asked))
        .cloned()
        .collect()
}

/// A value, with the elements of a set in order.
fn sorted(value: &Value) -> Value {
    let mut value = value.clone();
    if let Value::List(elements) = &mut value {
        elements.sort_by_key(Value::as_uint);
    }
    value
}

const fn name(column: u64) -> &'static str {
    match column {
        locking::COMMON_NAME => "CommonName",
        locking::RANGE_START => "RangeStart",
        locking::RANGE_LENGTH => "RangeLength",
        locking::READ_LOCK_ENABLED => "ReadLockEnabled",
        locking::WRITE_LOCK_ENABLED => "WriteLockEnabled",
        locking::READ_LOCKED => "ReadLocked",
        locking::WRITE_LOCKED => "WriteLocked",
        locking::LOCK_ON_RESET => "LockOnReset",
        _ => "a column",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_harmless_and_no_longer_than_one_can_be() {
        let name = [&b"\x1b[2J"[..], &[b'x'; 100_000]].concat();
        let column = Value::named(locking::COMMON_NAME, Value::bytes(&name));
        let row = Row::from_results(&[Value::list([column])]).unwrap();
        let range = LockingRange::from_row(RangeNumber(1), &row).unwrap();
        let expected = format!("?[2J{}", "x".repeat(28));
        assert_eq!(range.common_name, Some(expected));
    }

    #[test]
    fn rows_have_numbers() {
        for range in [0, 1, 8, 192, u16::MAX].map(RangeNumber) {
            assert_eq!(number(uid::locking_range(range)), Some(range));
        }
        for row in [0x02, 0x0003_0000, 0x0004_0001].map(|low| uid::LOCKING.row(low)) {
            assert_eq!(number(row), None, "{row}");
        }
        assert_eq!(number(uid::MBR_CONTROL), None);
    }
}
