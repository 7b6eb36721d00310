//! Byte tables: the shadow MBR and the DataStore tables, read, compared and written
//! (\[Opal\] 4.3.5.4, 4.3.8.1; \[DataStore\] 4.2).
//!
//! In reading order: `mod` (which table, how large), `access` with `portion` (one table in a session),
//! `contents` (what shall be there), `block` (in which pieces), `read`, `compare`, and `write` with
//! `pace`.
//!
//! Everything is worked on in blocks: the most bytes that one Set and one Get can carry, by what the
//! TPer, the path to it and the table's `MandatoryWriteGranularity` allow. One block is in memory at
//! a time.

use std::fmt;

use super::error::At;
use super::{Authority, Credential, Drive, Error, Step};
use crate::session::{self, Row, Session};
use crate::spec::column::table;
use crate::spec::{MethodStatus, Uid, uid};

mod access;
mod block;
mod compare;
mod contents;
mod error;
mod pace;
mod plan;
mod portion;
mod read;
mod write;

pub use compare::Comparison;
pub use contents::{Contents, ZeroPadded};
pub use error::TableError;
pub use read::{OnPiece, Piece};
pub use write::{Atomicity, Verification, WriteReport};

pub(super) use access::Access;
pub(super) use block::Span;
pub(super) use compare::wanted;
pub(super) use portion::Portion;
pub(super) use write::{Overwriting, WriteRequest, is_blank};

/// A byte table of the Locking SP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableName {
    /// The shadow MBR.
    Mbr,
    /// `DataStoreN`, N from 1.
    DataStore(u16),
}

/// How large a byte table is, and in which pieces it takes bytes (\[Opal\] 4.3.2, table `Table`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ByteTable {
    /// Which one.
    pub name: TableName,
    /// `Rows`: its size in bytes.
    pub size: u64,
    /// `MandatoryWriteGranularity` in bytes: offset and length of every Set are multiples of it; 1
    /// where the drive does not tell.
    pub write_granularity: u64,
    /// `RecommendedAccessGranularity` in bytes; 1 where the drive does not tell.
    pub access_granularity: u64,
}

/// What is being done with a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Bytes are read.
    Read,
    /// Bytes are compared with what they shall be.
    Compare,
    /// Bytes are compared or written.
    Write,
    /// What was written is read back.
    Verify,
}

/// How far the work on a table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableProgress {
    /// What is being done.
    pub phase: Phase,
    /// Bytes of this phase that are done.
    pub done: u64,
    /// Bytes of this phase.
    pub total: u64,
}

/// Hears how far the work is.
pub type OnProgress<'a> = &'a mut dyn FnMut(TableProgress);

impl TableName {
    /// The table.
    #[must_use]
    pub const fn uid(self) -> Uid {
        match self {
            Self::Mbr => uid::MBR,
            Self::DataStore(number) => uid::data_store(number),
        }
    }
}

impl fmt::Display for TableName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mbr => f.write_str("the shadow MBR"),
            Self::DataStore(number) => write!(f, "DataStore table {number}"),
        }
    }
}

impl Drive {
    /// Opens a session for a byte table, as somebody or as anybody; whose packets are as large as
    /// `length` bytes need.
    pub(super) fn open_for_table(
        &mut self,
        credential: Option<&Credential>,
        length: u64,
    ) -> Result<Session<'_>, Error> {
        self.require_opal_family()?;
        self.require_active()?;
        if let Some(credential) = credential {
            self.require_active_as(credential.authority)?;
        }
        self.prepare_for(length)?;
        match credential {
            Some(credential) => Ok(self.log_in_to_locking_sp(credential)?.0),
            None => self.open_as_anybody(uid::LOCKING_SP),
        }
    }

    /// Agrees on larger packets, if so many bytes profit from them. A TPer that refuses to is talked
    /// to in the packets that its SSC guarantees.
    fn prepare_for(&mut self, length: u64) -> Result<(), Error> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        match self.tper.prepare_for_tokens_of(length) {
            Err(session::Error::Status(_)) => Ok(()),
            prepared => prepared.at(Step::ExchangeProperties),
        }
    }
}

/// Reads what table `Table` says of a byte table.
pub(super) fn describe(
    session: &mut Session<'_>,
    name: TableName,
) -> Result<Option<ByteTable>, Error> {
    let descriptor = name.uid().table_descriptor();
    let columns = table::ROWS..=table::RECOMMENDED_ACCESS_GRANULARITY;
    let row = match session.get(descriptor, columns) {
        // Opal 2.00 and older have no columns for the granularity.
        Err(session::Error::Status(MethodStatus::INVALID_PARAMETER)) => {
            session.get(descriptor, table::ROWS..=table::ROWS)
        }
        row => row,
    };
    match row {
        // A row that does not exist is refused as one without permission; anybody may read those
        // that do.
        Err(session::Error::Status(
            MethodStatus::NOT_AUTHORIZED | MethodStatus::INVALID_PARAMETER,
        )) => Ok(None),
        row => of_row(name, &row.at(Step::DescribeTable)?).at(Step::DescribeTable),
    }
}

/// As [`describe`], where the table must be there.
pub(super) fn require(session: &mut Session<'_>, name: TableName) -> Result<ByteTable, Error> {
    let found = describe(session, name)?;
    found.ok_or_else(|| Error::at(Step::DescribeTable, TableError::Missing(name)))
}

fn of_row(name: TableName, row: &Row) -> Result<Option<ByteTable>, session::Error> {
    let granularity = |column| Ok::<_, session::Error>(row.uint(column)?.unwrap_or(1).max(1));
    let size = row.uint(table::ROWS)?.filter(|size| *size > 0);
    let write_granularity = granularity(table::MANDATORY_WRITE_GRANULARITY)?;
    let access_granularity = granularity(table::RECOMMENDED_ACCESS_GRANULARITY)?;
    Ok(size.map(|size| ByteTable {
        name,
        size,
        write_granularity,
        access_granularity,
    }))
}

impl ByteTable {
    /// Checks that bytes fit the table.
    ///
    /// # Errors
    /// An error whose cause is [`TableError::Beyond`] otherwise.
    pub fn check(&self, offset: u64, length: u64) -> Result<(), Error> {
        let fits = offset
            .checked_add(length)
            .is_some_and(|end| end <= self.size);
        match fits {
            true => Ok(()),
            false => Err(Error::before(
                TableError::Beyond {
                    table: self.name,
                    offset,
                    length,
                    size: self.size,
                }
                .into(),
            )),
        }
    }
}

/// Refuses who is no authority of the Locking SP; anybody is one.
pub(super) fn acting(credential: Option<&Credential>) -> Option<Authority> {
    credential.map(|credential| credential.authority)
}
