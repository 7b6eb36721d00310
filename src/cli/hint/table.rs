//! Hints for byte tables: the shadow MBR and the DataStore.

use crate::drive::{TableError, TableSizesError};

/// What to do about a byte table.
pub(super) const fn hint(error: &TableError) -> &'static str {
    match error {
        TableError::NoShadowMbr | TableError::Missing(_) => {
            "see \"sedkit info\" for what the drive can do"
        }
        TableError::Beyond { .. } => {
            "nothing was written; \"sedkit mbr status\" and \"sedkit datastore list\" show the sizes"
        }
        TableError::Sizes(error) => for_table_sizes(error),
        TableError::NotReadable(_) => "act as Admin1 with --as Admin1, or as who was granted it",
        TableError::Short(_) => "the drive sent less than was asked for: run the command again",
        TableError::Contents(_) => "the file that was to be written could not be read",
        TableError::Output(_) => {
            "what was read could not be written: is the disk full, or the pipe closed?"
        }
    }
}

const fn for_table_sizes(error: &TableSizesError) -> &'static str {
    match error {
        TableSizesError::Others => {
            "\"sedkit datastore list\" shows the tables; they are cut when locking is activated, so \
             that a drive must be reverted before it gets others"
        }
        _ => {
            "\"sedkit info\" shows how many tables, how many bytes and which multiples there can be"
        }
    }
}
