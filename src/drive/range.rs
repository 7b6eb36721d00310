//! Locking ranges, as the drive shows them.

use crate::spec::{RangeNumber, Uid};

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
