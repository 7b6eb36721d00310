//! The cells of an SP as somebody sees them: the original factory state, what hosts have set since,
//! and what follows from the state of the drive.

use super::Tper;
use super::cell::Cell;
use super::state::Contents;
use super::tables::locking::Span;
use super::tables::{Sp, SpId};
use crate::spec::{LifeCycle, RangeNumber, Uid, column, uid};

/// An SP as somebody sees it.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    tper: &'a Tper,
    id: SpId,
    contents: &'a Contents,
}

/// What holds for accesses to a range (\[Core\] 5.7.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Locks {
    /// Reads are refused: `ReadLockEnabled` and `ReadLocked`.
    pub(crate) read: bool,
    /// Writes are refused: `WriteLockEnabled` and `WriteLocked`.
    pub(crate) write: bool,
}

impl<'a> View<'a> {
    pub(super) const fn new(tper: &'a Tper, id: SpId, contents: &'a Contents) -> Self {
        Self { tper, id, contents }
    }

    /// Rows and access control.
    pub(crate) const fn sp(&self) -> &'a Sp {
        self.tper.catalogue.sp(self.id)
    }

    /// The value of a cell; `None` if the column is not required by the SSC, or the row is not there.
    pub(crate) fn cell(&self, row: Uid, column: u64) -> Option<Cell> {
        let factory = self.sp().row(row)?;
        self.computed(row, column)
            .or_else(|| self.contents.cell(row, column).cloned())
            .or_else(|| factory.cell(column).cloned())
    }

    fn computed(&self, row: Uid, column: u64) -> Option<Cell> {
        match (row, column) {
            (uid::ADMIN_SP, column::sp::LIFE_CYCLE_STATE) => {
                Some(life_cycle(LifeCycle::MANUFACTURED))
            }
            (uid::LOCKING_SP, column::sp::LIFE_CYCLE_STATE) => {
                Some(life_cycle(self.tper.life_cycle()))
            }
            (uid::ADMIN_SP, column::sp::FROZEN) => Some(Cell::from(false)),
            (uid::LOCKING_SP, column::sp::FROZEN) => Some(Cell::from(self.tper.power.block.frozen)),
            (_, column::c_pin::TRIES) if row.table() == uid::C_PIN => {
                let counts = self.sp().row(row)?.cell(column).is_some();
                counts.then(|| Cell::Uint(self.tper.tries(row)))
            }
            _ => None,
        }
    }

    /// A number; 0 where there is none.
    pub(crate) fn uint(&self, row: Uid, column: u64) -> u64 {
        let cell = self.cell(row, column);
        cell.and_then(|cell| cell.as_uint()).unwrap_or(0)
    }

    /// A Boolean; False where there is none.
    pub(crate) fn is_true(&self, row: Uid, column: u64) -> bool {
        self.cell(row, column).is_some_and(|cell| cell.is_true())
    }

    /// True if a set holds a number.
    pub(crate) fn contains(&self, row: Uid, column: u64, number: u64) -> bool {
        let cell = self.cell(row, column);
        cell.is_some_and(|cell| cell.as_set().is_some_and(|set| set.contains(&number)))
    }

    /// Where a range lies. The Global range has none of its own: it is what the others leave.
    pub(crate) fn span(&self, range: RangeNumber) -> Span {
        let row = uid::locking_range(range);
        Span {
            start: self.uint(row, column::locking::RANGE_START),
            length: self.uint(row, column::locking::RANGE_LENGTH),
        }
    }

    /// What holds for accesses to a range.
    pub(crate) fn locks(&self, range: RangeNumber) -> Locks {
        let row = uid::locking_range(range);
        let holds = |enabled, locked| self.is_true(row, enabled) && self.is_true(row, locked);
        Locks {
            read: holds(
                column::locking::READ_LOCK_ENABLED,
                column::locking::READ_LOCKED,
            ),
            write: holds(
                column::locking::WRITE_LOCK_ENABLED,
                column::locking::WRITE_LOCKED,
            ),
        }
    }
}

fn life_cycle(state: LifeCycle) -> Cell {
    Cell::Uint(u64::from(state.0))
}
