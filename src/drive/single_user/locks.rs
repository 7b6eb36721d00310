//! Locks that are switched off for a reactivation, and switched on again after it.
//!
//! Reactivate is refused while locks are enabled, and nothing on the drive tells afterwards which
//! were. So a run notes them in the journal before it switches the first of them off, and the next
//! run, if this one is interrupted, goes on by that.

use super::super::Drive;
use super::super::journal::{Journal, serial_name};
use crate::spec::RangeNumber;

/// The note of the locks of one drive.
pub(super) struct LockNote {
    journal: Option<Journal>,
    /// The name of its file; `None` if the drive has no serial number to tell it by.
    name: Option<String>,
    /// What it holds, whether or not it could be written.
    ranges: Vec<RangeNumber>,
}

impl LockNote {
    /// Adds ranges to those that were noted before; whether they could not be written.
    pub(super) fn add(&mut self, ranges: &[RangeNumber]) -> bool {
        self.ranges.extend(ranges);
        self.ranges.sort_unstable();
        self.ranges.dedup();
        let text: Vec<_> = self.ranges.iter().map(ToString::to_string).collect();
        match (&self.journal, &self.name) {
            (Some(journal), Some(name)) if !text.is_empty() => {
                journal.replace_file(name, &text.join(" ")).is_err()
            }
            (Some(_), None) => !text.is_empty(),
            _ => false,
        }
    }

    /// The ranges that were noted.
    pub(super) fn ranges(&self) -> &[RangeNumber] {
        &self.ranges
    }

    /// Removes it: the locks are as they were, or as they shall be.
    pub(super) fn remove(&self) {
        if let Some((journal, name)) = self.journal.as_ref().zip(self.name.as_ref()) {
            let _ = journal.remove_file(name);
        }
    }
}

impl Drive {
    /// Forgets the locks that an earlier run has switched off: nothing shall lock any more.
    pub(in crate::drive) fn forget_locks(&self) {
        self.lock_note().remove();
    }

    /// The note of this drive's locks.
    pub(super) fn lock_note(&self) -> LockNote {
        let name = serial_name(&self.identity().serial_text());
        let name = name.map(|serial| format!("{serial}.locks"));
        let journal = self.journal.clone();
        let found = journal.as_ref().zip(name.as_ref());
        let text = found.and_then(|(journal, name)| journal.read_file(name).ok().flatten());
        let text = text.unwrap_or_default();
        let numbers = text.split_whitespace().filter_map(|word| word.parse().ok());
        let ranges = numbers.map(RangeNumber).collect();
        LockNote {
            journal,
            name,
            ranges,
        }
    }
}
