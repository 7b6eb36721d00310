//! Reading and writing byte tables inside a session.

use super::byte_store::{Extent, Pending};
use super::state::{Session, Transaction};
use super::tables::ByteTable;
use super::{KeepError, Tper};
use crate::spec::MethodStatus;

impl ByteTable {
    /// The place of some of its bytes in its area.
    fn extent(&self, start: u64, length: u64) -> Extent {
        Extent {
            area: self.area,
            offset: self.base.saturating_add(start),
            length,
        }
    }
}

impl Tper {
    /// Bytes of a byte table as a session with this transaction sees them.
    pub(super) fn read_bytes(
        &self,
        transaction: Option<&Transaction>,
        table: &ByteTable,
        start: u64,
        length: usize,
    ) -> Result<Vec<u8>, MethodStatus> {
        let mut bytes = vec![0; length];
        let extent = table.extent(start, size(length));
        self.store
            .read(table.area.area(), extent.offset, &mut bytes)
            .map_err(|_| MethodStatus::TPER_MALFUNCTION)?;
        let staged = transaction
            .iter()
            .flat_map(|transaction| transaction.staged.iter());
        let undone = self.state.pending.iter().skip(self.done).copied();
        for pending in undone.chain(staged.map(Pending::Move)) {
            self.overlay(pending, extent, &mut bytes)?;
        }
        Ok(bytes)
    }

    /// Shows in `bytes`, which stand for `extent`, what they will be.
    fn overlay(
        &self,
        pending: Pending,
        extent: Extent,
        bytes: &mut [u8],
    ) -> Result<(), MethodStatus> {
        let failed = MethodStatus::TPER_MALFUNCTION;
        let (Pending::Move(part) | Pending::Clear(part)) = pending else {
            return Ok(());
        };
        let Some(part) = part.intersection(extent) else {
            return Ok(());
        };
        let range = index(part.offset.saturating_sub(extent.offset), part.length);
        let place = range.and_then(|range| bytes.get_mut(range)).ok_or(failed)?;
        match (pending, part.area.staging()) {
            (Pending::Clear(_), _) => place.fill(0),
            (Pending::Move(_), Some(area)) => {
                let read = self.store.read(area, part.offset, place);
                read.map_err(|_| failed)?;
            }
            (Pending::Move(_) | Pending::Forget, _) => return Err(failed),
        }
        Ok(())
    }

    /// Stages bytes of a byte table, for the end of the command or of the session's transaction.
    pub(super) fn write_bytes(
        &mut self,
        session: &mut Session,
        table: &ByteTable,
        start: u64,
        bytes: &[u8],
    ) -> Result<(), MethodStatus> {
        let extent = table.extent(start, size(bytes.len()));
        if let Some(transaction) = &session.transaction {
            if self.is_awaited(extent) {
                // The bytes there were committed by this command, and are not moved before its end.
                return Err(MethodStatus::TRANSACTION_FAILURE);
            }
            if !transaction.staged.has_room(extent) {
                return Err(MethodStatus::INSUFFICIENT_SPACE);
            }
            if transaction.staged.overlaps(extent) {
                let noted = self.end_on_crash(session);
                noted.map_err(|error| self.fail(error))?;
            }
        }
        let staged = self.stage(extent, bytes);
        staged.map_err(|error| self.fail(error))?;
        let Some(transaction) = &mut session.transaction else {
            self.edit().pending.push(Pending::Move(extent));
            return Ok(());
        };
        if !transaction.staged.insert(extent) {
            return Err(MethodStatus::INSUFFICIENT_SPACE);
        }
        Ok(())
    }

    /// True if the running command will move bytes of the staging area that lie there.
    fn is_awaited(&self, extent: Extent) -> bool {
        let mut undone = self.state.pending.iter().skip(self.done);
        undone.any(|pending| match pending {
            Pending::Move(other) => other.intersection(extent).is_some(),
            Pending::Clear(_) | Pending::Forget => false,
        })
    }

    fn stage(&mut self, extent: Extent, bytes: &[u8]) -> Result<(), KeepError> {
        let area = extent.area.staging().ok_or(KeepError::Contradiction)?;
        self.settle(extent)?;
        Ok(self.store.write(area, extent.offset, bytes)?)
    }
}

fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

fn index(start: u64, length: u64) -> Option<std::ops::Range<usize>> {
    let start = usize::try_from(start).ok()?;
    let end = start.checked_add(usize::try_from(length).ok()?)?;
    Some(start..end)
}
