//! Where ranges may begin and end (\[Opal\] 4.3.5.2.1.1).

use crate::spec::RangeNumber;

/// Where a Locking range shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeSpec {
    /// The range; never the Global range, which is what the others leave.
    pub number: RangeNumber,
    /// First LBA.
    pub start: u64,
    /// Number of LBAs.
    pub length: u64,
}

/// A range that the drive cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The Global range has no place of its own.
    #[error("the Global range cannot be moved")]
    Global,
    /// One range is named twice.
    #[error("range {0} is given twice")]
    Duplicate(RangeNumber),
    /// A range without LBAs.
    #[error("range {0} is empty")]
    Empty(RangeNumber),
    /// The end lies beyond every LBA.
    #[error("range {0} ends beyond the last possible block")]
    TooLong(RangeNumber),
    /// Two ranges share LBAs.
    #[error("ranges {0} and {1} overlap")]
    Overlap(RangeNumber, RangeNumber),
    /// The start is not aligned.
    #[error(
        "start {start} of range {range} is not aligned; the nearest aligned block is {nearest}"
    )]
    Start {
        /// The range.
        range: RangeNumber,
        /// What was asked for.
        start: u64,
        /// The nearest value that the drive takes.
        nearest: u64,
    },
    /// The length is not aligned.
    #[error(
        "length {length} of range {range} is not aligned; the nearest aligned length is {nearest}"
    )]
    Length {
        /// The range.
        range: RangeNumber,
        /// What was asked for.
        length: u64,
        /// The nearest value that the drive takes.
        nearest: u64,
    },
    /// The drive has fewer ranges.
    #[error("the drive has no range {0}")]
    Missing(RangeNumber),
}
