//! A dump: every table of an SP with every row, as far as an authority may see them.

use super::{RawSession, visible};
use crate::drive::error::At;
use crate::drive::{Drive, Error, Step, range};
use crate::session::{self, Row, Session};
use crate::spec::column::table;
use crate::spec::{MethodStatus, Uid, uid};
use crate::wire::Value;

/// What a dump shall hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpOptions {
    /// Bytes of each byte table, from its beginning.
    pub bytes: u64,
}

/// Every table of an SP.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Dump {
    /// The SP.
    pub sp: Uid,
    /// Its tables.
    pub tables: Vec<DumpedTable>,
    /// Whether there were more rows than any TPer has, so that the rest was left out.
    pub truncated: bool,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpedTable {
    /// The table.
    pub uid: Uid,
    /// Its row in table `Table`.
    pub descriptor: Row,
    /// What it holds.
    pub contents: DumpedContents,
}

/// What a table holds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DumpedContents {
    /// Objects.
    Objects {
        /// Whence the rows are known.
        source: RowSource,
        /// The rows.
        rows: Vec<DumpedRow>,
    },
    /// Bytes.
    Bytes {
        /// How many, if the descriptor tells.
        length: Option<u64>,
        /// The first ones, if they were asked for.
        first: Result<Vec<u8>, MethodStatus>,
    },
}

/// Whence the rows of a table are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowSource {
    /// The TPer listed them.
    Next,
    /// The TPer lists none of this table: those of the standards, as far as they are there.
    Standard,
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DumpedRow {
    /// The row.
    pub uid: Uid,
    /// Its columns, or why none is shown.
    pub columns: Result<Row, MethodStatus>,
}

/// The most rows of a whole SP.
const MAX_ROWS: usize = 100_000;
/// The most bytes of a whole SP: a row takes about a hundred of them, but for those of a drive that
/// never ends.
const MAX_BYTES: usize = 64 << 20;

impl Drive {
    /// Walks through an SP: table `Table`, the rows of each table, the columns of each row.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; what the authority may not see is no error.
    pub fn dump(&mut self, session: RawSession<'_>, options: DumpOptions) -> Result<Dump, Error> {
        let sp = session.sp;
        let mut session = self.open_raw(session)?;
        let descriptors = range::rows(&mut session, uid::TABLE).at(Step::ListRows)?;
        let mut walk = Walk::new(options);
        for descriptor in descriptors {
            if walk.budget == 0 {
                break;
            }
            walk.table(&mut session, descriptor).at(Step::ReadObject)?;
        }
        session.end().at(Step::EndSession)?;
        Ok(Dump {
            sp,
            truncated: walk.budget == 0,
            tables: walk.tables,
        })
    }
}

struct Walk {
    options: DumpOptions,
    tables: Vec<DumpedTable>,
    /// Rows that may still be read.
    budget: usize,
    /// Bytes that they may still have.
    bytes: usize,
}

impl Walk {
    const fn new(options: DumpOptions) -> Self {
        Self {
            options,
            tables: Vec::new(),
            budget: MAX_ROWS,
            bytes: MAX_BYTES,
        }
    }

    /// Takes the bytes of a row from what is left.
    fn spend_row(&mut self, row: &Row) {
        let mut encoded = Vec::new();
        for (_, value) in row.columns() {
            value.encode(&mut encoded);
        }
        self.spend(encoded.len());
    }

    /// Takes bytes from what is left; with the last of them go all rows.
    const fn spend(&mut self, bytes: usize) {
        self.bytes = self.bytes.saturating_sub(bytes);
        if self.bytes == 0 {
            self.budget = 0;
        }
    }

    fn table(&mut self, session: &mut Session<'_>, row: Uid) -> Result<(), session::Error> {
        const BYTE_TABLE: u64 = 2;
        let uid = Uid::from_halves(row.low(), 0);
        let descriptor = visible(session, row)?;
        self.budget = self.budget.saturating_sub(1);
        self.spend_row(&descriptor);
        let kind = descriptor.value(table::KIND);
        let is_byte_table = kind.and_then(Value::as_uint) == Some(BYTE_TABLE);
        let contents = match is_byte_table {
            true => self.first_bytes(session, uid, &descriptor)?,
            false => self.objects(session, uid)?,
        };
        self.tables.push(DumpedTable {
            uid,
            descriptor,
            contents,
        });
        Ok(())
    }

    fn first_bytes(
        &self,
        session: &mut Session<'_>,
        uid: Uid,
        descriptor: &Row,
    ) -> Result<DumpedContents, session::Error> {
        let length = descriptor.uint(table::ROWS).unwrap_or_default();
        let wanted = self.options.bytes.min(length.unwrap_or(u64::MAX));
        let first = answered(super::get_bytes(session, uid, 0, wanted))?;
        Ok(DumpedContents::Bytes { length, first })
    }

    fn objects(
        &mut self,
        session: &mut Session<'_>,
        uid: Uid,
    ) -> Result<DumpedContents, session::Error> {
        let (source, list) = match answered(range::rows(session, uid))? {
            Ok(rows) => (RowSource::Next, rows.into_iter().collect()),
            Err(_) => (RowSource::Standard, self.standard_rows(session, uid)?),
        };
        let mut rows = Vec::new();
        for row in list.into_iter().take(self.budget) {
            if self.bytes == 0 {
                break;
            }
            let columns = answered(session.get_all(row))?;
            if let Ok(columns) = &columns {
                self.spend_row(columns);
            }
            // Of the standards' rows, a drive has those that it shows.
            if source == RowSource::Next || columns.is_ok() {
                rows.push(DumpedRow { uid: row, columns });
            }
        }
        self.budget = self.budget.saturating_sub(rows.len());
        Ok(DumpedContents::Objects { source, rows })
    }

    /// The rows that the standards put into tables which no TPer has to list (\[Opal\] 4.2.1.4,
    /// 4.3.1.6).
    fn standard_rows(
        &self,
        session: &mut Session<'_>,
        uid: Uid,
    ) -> Result<Vec<Uid>, session::Error> {
        Ok(match uid {
            uid::SP_INFO => vec![uid::SP_INFO_ROW],
            uid::TPER_INFO_TABLE => vec![uid::TPER_INFO],
            uid::LOCKING_INFO_TABLE => vec![uid::LOCKING_INFO],
            uid::MBR_CONTROL_TABLE => vec![uid::MBR_CONTROL],
            uid::DATA_REMOVAL_MECHANISM_TABLE => vec![uid::DATA_REMOVAL_MECHANISM],
            uid::K_AES_128 | uid::K_AES_256 => {
                let ranges = self.ranges(session)?;
                ranges
                    .into_iter()
                    .map(|range| uid.row(range.low()))
                    .collect()
            }
            _ => Vec::new(),
        })
    }

    /// The rows of table `Locking`, if it was walked through before; else it is asked.
    fn ranges(&self, session: &mut Session<'_>) -> Result<Vec<Uid>, session::Error> {
        let walked = self.tables.iter().find(|table| table.uid == uid::LOCKING);
        if let Some(DumpedTable {
            contents: DumpedContents::Objects { rows, .. },
            ..
        }) = walked
        {
            return Ok(rows.iter().map(|row| row.uid).collect());
        }
        let rows = answered(range::rows(session, uid::LOCKING))?;
        Ok(rows.unwrap_or_default().into_iter().collect())
    }
}

/// A refusal of the TPer is an answer like others; everything else ends the walk.
fn answered<T>(
    result: Result<T, session::Error>,
) -> Result<Result<T, MethodStatus>, session::Error> {
    match result {
        Err(session::Error::Status(status)) => Ok(Err(status)),
        result => result.map(Ok),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drive_that_never_ends_is_left_off() {
        let column = Value::named(1_u64, Value::bytes(&vec![0; 1 << 20]));
        let row = Row::from_results(&[Value::list([column])]).unwrap();
        let mut walk = Walk::new(DumpOptions::default());
        for _ in 0..63 {
            walk.spend_row(&row);
        }
        assert!(walk.budget > 0);
        walk.spend_row(&row);
        assert_eq!(walk.budget, 0);
    }
}
