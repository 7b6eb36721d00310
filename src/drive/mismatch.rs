//! What differs from what was asked, although the drive reported SUCCESS.

use super::{Authority, Right, TableName};
use crate::spec::{RangeNumber, Uid, uid};

/// A difference between what was asked and what was read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// A column of a Locking range has another value.
    #[error("{column} of range {range} is not as asked")]
    Column {
        /// The range.
        range: RangeNumber,
        /// The standard's name of the column.
        column: &'static str,
    },
    /// Level 0 Discovery says that nothing is locked.
    #[error("nothing is locked; is locking enabled for the range?")]
    NotLocked,
    /// The Locking SP is not activated.
    #[error("locking is still not activated")]
    NotActivated,
    /// Other ranges are in single user mode.
    #[error("other ranges are in single user mode than asked")]
    SingleUserRanges,
    /// There are other DataStore tables.
    #[error("the DataStore tables are not of the sizes that were asked for")]
    DataStoreTables,
    /// The Locking SP is still activated.
    #[error("locking is still activated")]
    StillActivated,
    /// Data are still being removed.
    #[error("it is still removing data")]
    StillErasing,
    /// A range is locked although each was unlocked.
    #[error("a range is still locked")]
    StillLocked,
    /// Nothing shows that anything was done.
    #[error("nothing has changed")]
    Unchanged,
    /// SID still has a PIN of its own.
    #[error("SID does not have the default PIN")]
    SidNotMsid,
    /// The shadow MBR is still enabled.
    #[error("the shadow MBR is still enabled")]
    MbrEnabled,
    /// A column of the control of the shadow MBR has another value.
    #[error("{column} of MBRControl is not as asked")]
    MbrControl {
        /// The standard's name of the column.
        column: &'static str,
    },
    /// A byte table holds other bytes than were written.
    #[error("{table} holds something else from byte {offset} on")]
    Bytes {
        /// The table.
        table: TableName,
        /// Offset of the first byte that differs.
        offset: u64,
    },
    /// SID still has the default PIN.
    #[error("SID still has the default PIN")]
    SidIsMsid,
    /// SID is not blocked.
    #[error("SID is not blocked")]
    NotBlocked,
    /// The block of SID ends otherwise than asked.
    #[error("the block of SID does not end as asked by a hardware reset")]
    ClearEvent,
    /// The Locking SP is not frozen.
    #[error("the Locking SP is not frozen")]
    NotFrozen,
    /// A column of an object has another value.
    #[error("column {column} of {} is not as asked", uid::label(*object))]
    ObjectColumn {
        /// The object.
        object: Uid,
        /// The number of the column.
        column: u64,
    },
    /// The new PIN is refused.
    #[error("the new PIN of {0} is refused")]
    PinRefused(Authority),
    /// An authority is still disabled, or still enabled.
    #[error("{0} was not switched")]
    Enabled(Authority),
    /// Who has a right is not as asked.
    #[error("who has the right to {0} is not as asked")]
    Rights(Right),
}
