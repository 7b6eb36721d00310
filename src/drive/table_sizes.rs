//! How the room for DataStore tables is cut: one table or several, each of its own size
//! (\[DataStore\] 5.1). Activate does it, and setup with it.

use super::byte_table::{self, TableName};
use super::{Cause, Drive, Error, ErrorCode, Mismatch, Step, TableError};
use crate::session::Session;
use crate::spec::FeatureCode;

/// Why the room for DataStore tables is not cut as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TableSizesError {
    /// More tables than there can be.
    #[error("the drive has {most} DataStore tables at most, not {asked}")]
    TooMany {
        /// How many were asked for.
        asked: usize,
        /// How many there can be.
        most: u16,
    },
    /// More bytes than there is room for.
    #[error("the drive has room for {most} bytes of DataStore tables, not for {asked}")]
    TooLarge {
        /// The bytes of all tables together.
        asked: u64,
        /// The bytes that there are.
        most: u32,
    },
    /// A size that no table can have.
    #[error("the size of a DataStore table is a multiple of {alignment} bytes, not {size}")]
    Unaligned {
        /// The size in bytes.
        size: u64,
        /// What it must be a multiple of, in bytes.
        alignment: u32,
    },
    /// The drive is activated, and its tables are others.
    #[error("the drive is activated already, and its DataStore tables are not as asked")]
    Others,
    /// The drive does not take the sizes.
    #[error("the drive refuses these sizes of DataStore tables")]
    Refused,
}

impl TableSizesError {
    /// The class of the failure.
    pub(super) const fn code(&self) -> ErrorCode {
        match self {
            Self::TooMany { .. } | Self::TooLarge { .. } | Self::Unaligned { .. } => {
                ErrorCode::InvalidRequest
            }
            Self::Others => ErrorCode::Failed,
            Self::Refused => ErrorCode::NotSupported,
        }
    }
}

impl Drive {
    /// Refuses sizes that the drive cannot have, as far as Level 0 Discovery tells. Nothing is sent.
    pub(super) fn require_table_sizes(&self, sizes: &[u64]) -> Result<(), Error> {
        if sizes.is_empty() {
            return Ok(());
        }
        let told = self.discovery.data_store();
        let told = told.ok_or_else(|| Error::before(Cause::NoFeature(FeatureCode::DATA_STORE)))?;
        let alignment = told.size_alignment.unwrap_or(1).max(1);
        let is_odd = |size: &&u64| **size == 0 || !size.is_multiple_of(alignment.into());
        if let Some(&size) = sizes.iter().find(is_odd) {
            return Err(before(TableSizesError::Unaligned { size, alignment }));
        }
        if sizes.len() > usize::from(told.max_tables) {
            let (asked, most) = (sizes.len(), told.max_tables);
            return Err(before(TableSizesError::TooMany { asked, most }));
        }
        let asked = sizes
            .iter()
            .fold(0_u64, |sum, size| sum.saturating_add(*size));
        match told.max_total_size {
            Some(most) if asked > most.into() => {
                Err(before(TableSizesError::TooLarge { asked, most }))
            }
            _ => Ok(()),
        }
    }
}

/// Reads the tables, which must have these sizes. Nothing is asked where none were asked for.
pub(super) fn check(session: &mut Session<'_>, sizes: &[u64], is_fresh: bool) -> Result<(), Error> {
    if sizes.is_empty() {
        return Ok(());
    }
    let mut found = Vec::new();
    // One more than was asked for, unless there can be none.
    for number in (1..=u16::MAX).take(sizes.len() + 1) {
        let Some(table) = byte_table::describe(session, TableName::DataStore(number))? else {
            break;
        };
        found.push(table.size);
    }
    let cause = match is_fresh {
        _ if found == sizes => return Ok(()),
        true => Cause::NotAsAsked(Mismatch::DataStoreTables),
        false => TableError::Sizes(TableSizesError::Others).into(),
    };
    Err(Error::at(Step::DescribeTable, cause))
}

/// The parameter of Activate for people.
pub(super) fn argument(sizes: &[u64]) -> Option<String> {
    let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    (!texts.is_empty()).then(|| format!("DataStoreTableSizes = [{}]", texts.join(", ")))
}

fn before(error: TableSizesError) -> Error {
    Error::before(TableError::Sizes(error).into())
}
