//! Why something cannot be done with a byte table.

use std::io;

use super::super::TableSizesError;
use super::TableName;

/// Why bytes of a table cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The drive has no shadow MBR, by Level 0 Discovery.
    #[error("the drive has no shadow MBR")]
    NoShadowMbr,
    /// The drive has no such table.
    #[error("the drive has no {0}")]
    Missing(TableName),
    /// The bytes do not fit the table; nothing was written.
    #[error("{length} bytes at byte {offset} do not fit {table}, which has {size} bytes")]
    Beyond {
        /// The table.
        table: TableName,
        /// Where they shall begin.
        offset: u64,
        /// How many they are.
        length: u64,
        /// The size of the table in bytes.
        size: u64,
    },
    /// Who asks may not read the table.
    #[error("the drive does not show {0} to who asks for it")]
    NotReadable(TableName),
    /// The drive sent another number of bytes than it was asked for.
    #[error("the drive sent another number of bytes of {0} than it was asked for")]
    Short(TableName),
    /// What shall be written could not be read.
    #[error("the image cannot be read")]
    Contents(#[source] io::Error),
    /// The room for DataStore tables is not cut as asked.
    #[error(transparent)]
    Sizes(TableSizesError),
    /// What was read could not be passed on.
    #[error("what was read cannot be written")]
    Output(#[source] io::Error),
}
