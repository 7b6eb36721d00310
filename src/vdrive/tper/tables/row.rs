//! A row of an object table.

use std::collections::BTreeMap;

use crate::spec::{Uid, column};
use crate::vdrive::tper::cell::Cell;

/// The cells of one row. A column that has no cell is one that the SSC marks as not required.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    uid: Uid,
    cells: BTreeMap<u64, Cell>,
}

impl Row {
    /// A row with nothing but its UID.
    pub(crate) fn new(uid: Uid) -> Self {
        Self {
            uid,
            cells: BTreeMap::from([(column::UID, Cell::Reference(uid))]),
        }
    }

    /// Adds a cell.
    pub(crate) fn with(mut self, column: u64, cell: impl Into<Cell>) -> Self {
        self.cells.insert(column, cell.into());
        self
    }

    /// The row's UID.
    pub(crate) const fn uid(&self) -> Uid {
        self.uid
    }

    /// The cell of a column.
    pub(crate) fn cell(&self, column: u64) -> Option<&Cell> {
        self.cells.get(&column)
    }

    /// The columns that have a cell, in ascending order.
    #[cfg(test)]
    pub(crate) fn columns(&self) -> impl Iterator<Item = u64> {
        self.cells.keys().copied()
    }
}
