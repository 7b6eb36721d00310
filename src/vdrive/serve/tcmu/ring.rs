//! The command ring that the kernel and a handler share (`linux/target_core_user.h`, version 2).
//!
//! The kernel writes while we read, so every access is volatile, and every value is read once,
//! checked, and used from our copy. All offsets count from the start of the mapping.

use std::sync::atomic::Ordering;

use vm_memory::{Bytes, MmapRegion, VolatileMemory, VolatileMemoryError, VolatileSlice};

use super::error::RingError;
use crate::vdrive::serve::scsi::Response;

/// Offsets of the mailbox.
mod mailbox {
    pub(super) const VERSION: usize = 0;
    pub(super) const FLAGS: usize = 2;
    pub(super) const RING_OFFSET: usize = 4;
    pub(super) const RING_SIZE: usize = 8;
    /// Where the kernel puts the next entry.
    pub(super) const HEAD: usize = 12;
    /// Which entry the handler completes next; on a cache line of its own.
    pub(super) const TAIL: usize = 64;
    pub(super) const LENGTH: usize = 68;
}

/// Offsets of an entry. Request and response share their place. The header is packed, what follows
/// it is not: fields of 64 bits are aligned.
mod entry {
    pub(super) const LENGTH_AND_OPERATION: usize = 0;
    pub(super) const HANDLER_FLAGS: usize = 7;
    pub(super) const HEADER: u32 = 8;
    pub(super) const IOVECS: usize = 8;
    pub(super) const CDB_OFFSET: usize = 24;
    pub(super) const IOVEC: usize = 48;
    pub(super) const STATUS: usize = 8;
    pub(super) const READ_LENGTH: usize = 12;
    pub(super) const SENSE: usize = 16;
    pub(super) const SENSE_LENGTH: usize = 96;
    /// The shortest entry of a command.
    pub(super) const COMMAND: u32 = 112;
}

const VERSION: u16 = 2;
/// Mailbox flag `TCMU_MAILBOX_FLAG_CAP_READ_LEN`.
const CAN_REPORT_LENGTH: u16 = 1 << 1;
/// Handler flag `TCMU_UFLAG_UNKNOWN_OP`.
const UNKNOWN_OPERATION: u8 = 1 << 0;
/// Handler flag `TCMU_UFLAG_READ_LEN`.
const HAS_READ_LENGTH: u8 = 1 << 1;
/// Operations, in the low bits of the length.
const OPERATION: u32 = 7;
const PAD: u32 = 0;
const COMMAND: u32 = 1;
/// The longest CDB that the logical unit knows.
const CDB: usize = 16;

/// The handler's side of a ring.
pub(super) struct Ring {
    region: MmapRegion,
    offset: usize,
    size: u32,
    tail: u32,
    reports_length: bool,
}

/// A command that waits in the ring.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Command {
    /// Where its entry begins, in the ring.
    at: u32,
    length: u32,
    pub cdb: Vec<u8>,
    iovecs: Vec<Iovec>,
    /// The bytes under the iovecs: data from the host, or what lay in the room for its data.
    pub data: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Iovec {
    offset: usize,
    length: usize,
}

impl Ring {
    /// Takes up a ring where its last handler left it.
    pub(super) fn new(region: MmapRegion) -> Result<Self, RingError> {
        let memory = region.as_volatile_slice();
        let version = memory.read_obj(mailbox::VERSION)?;
        if version != VERSION {
            return Err(RingError::Version(version));
        }
        let flags: u16 = memory.read_obj(mailbox::FLAGS)?;
        let offset: u32 = memory.read_obj(mailbox::RING_OFFSET)?;
        let size: u32 = memory.read_obj(mailbox::RING_SIZE)?;
        let tail: u32 = memory.load(mailbox::TAIL, Ordering::Relaxed)?;
        let ring = Self {
            offset: check_ring(offset, size, region.len())?,
            region,
            size,
            tail,
            reports_length: flags & CAN_REPORT_LENGTH != 0,
        };
        ring.check_index(tail)?;
        Ok(ring)
    }

    /// The next command, which must be completed before the one after it is asked for.
    pub(super) fn next(&mut self) -> Result<Option<Command>, RingError> {
        loop {
            let head = self.memory().load(mailbox::HEAD, Ordering::Acquire)?;
            self.check_index(head)?;
            if head == self.tail {
                return Ok(None);
            }
            let (length, operation) = self.header()?;
            match operation {
                COMMAND => return self.command(length).map(Some),
                PAD => {}
                _ => self.write(entry::HANDLER_FLAGS, &[UNKNOWN_OPERATION])?,
            }
            self.advance(length)?;
        }
    }

    /// Answers the command that [`Ring::next`] gave.
    pub(super) fn complete(
        &mut self,
        command: &Command,
        response: &Response,
    ) -> Result<(), RingError> {
        self.scatter(&command.iovecs, &response.data_in)?;
        self.respond(response)?;
        self.advance(command.length)
    }

    fn memory(&self) -> VolatileSlice<'_> {
        self.region.as_volatile_slice()
    }

    /// Where the current entry begins, from the start of the mapping.
    fn entry(&self) -> usize {
        self.offset.saturating_add(wide(self.tail))
    }

    /// Length and operation of the current entry, which lies in the ring as a whole.
    fn header(&self) -> Result<(u32, u32), RingError> {
        let field = self.entry().saturating_add(entry::LENGTH_AND_OPERATION);
        let value: u32 = self.memory().read_obj(field)?;
        let (length, operation) = (value & !OPERATION, value & OPERATION);
        let shortest = if operation == COMMAND {
            entry::COMMAND
        } else {
            entry::HEADER
        };
        if length < shortest || length > self.size - self.tail {
            return Err(self.bad_entry(length));
        }
        Ok((length, operation))
    }

    fn command(&self, length: u32) -> Result<Command, RingError> {
        let (memory, entry) = (self.memory(), self.entry());
        let count: u32 = memory.read_obj(entry + entry::IOVECS)?;
        let place: u64 = memory.read_obj(entry + entry::CDB_OFFSET)?;
        let iovecs = self.iovecs(length, count)?;
        Ok(Command {
            at: self.tail,
            length,
            cdb: self.cdb(place)?,
            data: self.gather(&iovecs)?,
            iovecs,
        })
    }

    /// As many bytes of the CDB as there can be; what follows a shorter one does no harm.
    fn cdb(&self, place: u64) -> Result<Vec<u8>, RingError> {
        let place = usize::try_from(place).map_err(|_| RingError::Outside)?;
        let rest = self.region.len().saturating_sub(place);
        let mut cdb = vec![0; rest.min(CDB)];
        if cdb.is_empty() {
            return Err(RingError::Outside);
        }
        self.memory().read_slice(&mut cdb, place)?;
        Ok(cdb)
    }

    /// The iovecs of the current entry. Together they cannot be longer than the mapping.
    fn iovecs(&self, length: u32, count: u32) -> Result<Vec<Iovec>, RingError> {
        let room = wide(length).saturating_sub(entry::IOVEC) / IOVEC;
        if wide(count) > room {
            return Err(self.bad_entry(length));
        }
        let mut total: usize = 0;
        (0..wide(count))
            .map(|index| {
                let iovec = self.iovec(self.entry() + entry::IOVEC + index * IOVEC)?;
                total = total.saturating_add(iovec.length);
                (total <= self.region.len())
                    .then_some(iovec)
                    .ok_or(RingError::Outside)
            })
            .collect()
    }

    fn iovec(&self, place: usize) -> Result<Iovec, RingError> {
        let number = |place| -> Result<usize, RingError> {
            let number: u64 = self.memory().read_obj(place)?;
            usize::try_from(number).map_err(|_| RingError::Outside)
        };
        let (offset, length) = (number(place)?, number(place + IOVEC / 2)?);
        self.memory().subslice(offset, length)?;
        Ok(Iovec { offset, length })
    }

    fn gather(&self, iovecs: &[Iovec]) -> Result<Vec<u8>, RingError> {
        let length = iovecs.iter().map(|iovec| iovec.length).sum();
        let mut data = vec![0; length];
        let mut rest = data.as_mut_slice();
        for iovec in iovecs {
            if let Some(piece) = rest.split_off_mut(..iovec.length) {
                self.memory().read_slice(piece, iovec.offset)?;
            }
        }
        Ok(data)
    }

    fn scatter(&self, iovecs: &[Iovec], data: &[u8]) -> Result<(), RingError> {
        let mut rest = data;
        for iovec in iovecs {
            let (piece, after) = rest.split_at(iovec.length.min(rest.len()));
            self.memory().write_slice(piece, iovec.offset)?;
            rest = after;
        }
        Ok(())
    }

    /// Status, sense, and how many bytes of data there are, where the kernel wants to know. A
    /// length beside CHECK CONDITION says that data were transferred nevertheless.
    fn respond(&self, response: &Response) -> Result<(), RingError> {
        let mut sense = response.sense.clone();
        sense.resize(entry::SENSE_LENGTH, 0);
        let has_length =
            self.reports_length && (response.sense.is_empty() || !response.data_in.is_empty());
        let length = u32::try_from(response.data_in.len()).unwrap_or(u32::MAX);
        self.write(entry::STATUS, &[response.status.byte(), 0, 0, 0])?;
        self.write(entry::READ_LENGTH, &length.to_ne_bytes())?;
        self.write(entry::SENSE, &sense)?;
        let flags = if has_length { HAS_READ_LENGTH } else { 0 };
        self.write(entry::HANDLER_FLAGS, &[flags])
    }

    /// Writes into the current entry.
    fn write(&self, field: usize, bytes: &[u8]) -> Result<(), RingError> {
        Ok(self.memory().write_slice(bytes, self.entry() + field)?)
    }

    /// Hands the current entry back to the kernel.
    fn advance(&mut self, length: u32) -> Result<(), RingError> {
        let tail = self.tail + length;
        self.tail = if tail == self.size { 0 } else { tail };
        let memory = self.memory();
        Ok(memory.store(self.tail, mailbox::TAIL, Ordering::Release)?)
    }

    fn check_index(&self, index: u32) -> Result<(), RingError> {
        if index >= self.size || !index.is_multiple_of(ALIGNMENT) {
            return Err(RingError::Index(index));
        }
        Ok(())
    }

    const fn bad_entry(&self, length: u32) -> RingError {
        RingError::Entry {
            at: self.tail,
            length,
        }
    }
}

/// Bytes of an iovec.
const IOVEC: usize = 16;
/// Entries begin at multiples of this.
const ALIGNMENT: u32 = 8;

/// The ring's offset, if it lies in a mapping of that length, behind the mailbox.
fn check_ring(offset: u32, size: u32, mapping: usize) -> Result<usize, RingError> {
    let end = wide(offset).checked_add(wide(size));
    let fits = wide(offset) >= mailbox::LENGTH && end.is_some_and(|end| end <= mapping);
    let is_aligned = offset.is_multiple_of(ALIGNMENT) && size.is_multiple_of(ALIGNMENT);
    if fits && is_aligned && size > 0 {
        return Ok(wide(offset));
    }
    Err(RingError::Ring { offset, size })
}

fn wide(value: u32) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}

impl From<VolatileMemoryError> for RingError {
    fn from(_: VolatileMemoryError) -> Self {
        Self::Outside
    }
}

#[cfg(test)]
mod tests;
