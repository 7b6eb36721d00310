//! Reading and writing byte tables inside a session.

use super::Tper;
use super::byte_store::{Extent, Pending};
use super::state::Session;
use super::tables::ByteTable;
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
    /// Bytes of a byte table as the session sees them: with what its transaction has staged.
    pub(super) fn read_bytes(
        &self,
        session: &Session,
        table: &ByteTable,
        start: u64,
        length: usize,
    ) -> Result<Vec<u8>, MethodStatus> {
        let mut bytes = vec![0; length];
        let extent = table.extent(start, size(length));
        self.store
            .read(table.area.area(), extent.offset, &mut bytes)
            .map_err(|_| MethodStatus::TPER_MALFUNCTION)?;
        let staged = session
            .transaction
            .iter()
            .flat_map(|transaction| transaction.staged.iter());
        for part in self.uncommitted().chain(staged) {
            if let Some(part) = part.intersection(extent) {
                self.read_staged(part, extent.offset, &mut bytes)?;
            }
        }
        Ok(bytes)
    }

    /// What the running command has staged outside a transaction.
    fn uncommitted(&self) -> impl Iterator<Item = Extent> {
        let pending = self.state.pending.iter().skip(self.done);
        pending.filter_map(|pending| match *pending {
            Pending::Move(extent) => Some(extent),
            Pending::Clear(_) => None,
        })
    }

    fn read_staged(&self, part: Extent, base: u64, bytes: &mut [u8]) -> Result<(), MethodStatus> {
        let failed = MethodStatus::TPER_MALFUNCTION;
        let area = part.area.staging().ok_or(failed)?;
        let range = index(part.offset.saturating_sub(base), part.length).ok_or(failed)?;
        let place = bytes.get_mut(range).ok_or(failed)?;
        self.store
            .read(area, part.offset, place)
            .map_err(|_| failed)
    }

    /// Stages bytes of a byte table, for the end of the command or of the session's transaction.
    pub(super) fn write_bytes(
        &mut self,
        session: &mut Session,
        table: &ByteTable,
        start: u64,
        bytes: &[u8],
    ) -> Result<(), MethodStatus> {
        let failed = MethodStatus::TPER_MALFUNCTION;
        let extent = table.extent(start, size(bytes.len()));
        let area = extent.area.staging().ok_or(failed)?;
        self.settle(extent).map_err(|_| failed)?;
        if let Some(transaction) = &mut session.transaction {
            if !transaction.staged.insert(extent) {
                return Err(MethodStatus::INSUFFICIENT_SPACE);
            }
        } else {
            self.edit().pending.push(Pending::Move(extent));
        }
        self.store
            .write(area, extent.offset, bytes)
            .map_err(|_| failed)
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
