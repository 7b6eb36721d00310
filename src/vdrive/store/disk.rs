//! What a store asks of the thing that keeps its bytes, and the one that keeps them in memory.

use std::collections::BTreeMap;
use std::io;

/// A sparse run of bytes of fixed length, in a file or in memory.
pub(super) trait Disk: Send + Sync {
    /// Bytes in all.
    fn length(&self) -> io::Result<u64>;

    /// Fills the buffer. Bytes that were never written are zero.
    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Writes; not durable until [`Disk::sync`], and then only if nothing failed.
    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes the bytes zero and gives their space back, with the durability of a write.
    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()>;

    /// Returns once everything written before would survive a power cut.
    fn sync(&mut self) -> io::Result<()>;
}

const PAGE_BYTES: usize = 4096;

type Page = [u8; PAGE_BYTES];

/// A disk in memory, which keeps the pages that were written.
#[derive(Clone)]
pub(super) struct MemoryDisk {
    pages: BTreeMap<u64, Box<Page>>,
    length: u64,
}

impl MemoryDisk {
    /// Makes a disk of zeros.
    pub(super) const fn new(length: u64) -> Self {
        Self {
            pages: BTreeMap::new(),
            length,
        }
    }

    /// Bytes that are really kept.
    #[cfg(test)]
    pub(super) fn occupied(&self) -> usize {
        self.pages.len() * PAGE_BYTES
    }

    /// Every byte that was written, and what lies around it.
    #[cfg(test)]
    pub(super) fn dump(&self) -> Vec<u8> {
        self.pages
            .values()
            .flat_map(|page| page.iter().copied())
            .collect()
    }

    fn check(&self, offset: u64, length: u64) -> io::Result<()> {
        match offset.checked_add(length) {
            Some(end) if end <= self.length => Ok(()),
            _ => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

impl Disk for MemoryDisk {
    fn length(&self) -> io::Result<u64> {
        Ok(self.length)
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.check(offset, size(buffer.len()))?;
        let mut offset = offset;
        let mut rest = buffer;
        while !rest.is_empty() {
            let (number, start, count) = locate(offset, rest.len());
            let (piece, after) = rest.split_at_mut(count);
            match self.pages.get(&number) {
                Some(page) => piece.copy_from_slice(&page[start..start + count]),
                None => piece.fill(0),
            }
            offset += size(count);
            rest = after;
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.check(offset, size(bytes.len()))?;
        let mut offset = offset;
        let mut rest = bytes;
        while !rest.is_empty() {
            let (number, start, count) = locate(offset, rest.len());
            let (piece, after) = rest.split_at(count);
            let page = self
                .pages
                .entry(number)
                .or_insert_with(|| Box::new([0; PAGE_BYTES]));
            page[start..start + count].copy_from_slice(piece);
            offset += size(count);
            rest = after;
        }
        Ok(())
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        self.check(offset, length)?;
        let end = offset + length;
        let page = size(PAGE_BYTES);
        let touched: Vec<u64> = self
            .pages
            .range(offset / page..end.div_ceil(page))
            .map(|(&number, _)| number)
            .collect();
        for number in touched {
            let start = offset.max(number * page);
            let length = end.min((number + 1) * page).saturating_sub(start);
            if length == page {
                self.pages.remove(&number);
            } else {
                let (_, _, count) = locate(start, usize::try_from(length).unwrap_or(PAGE_BYTES));
                self.write(start, &[0; PAGE_BYTES][..count])?;
            }
        }
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The page at an offset, where in it that is, and how many of the bytes it holds.
fn locate(offset: u64, length: usize) -> (u64, usize, usize) {
    let start = usize::try_from(offset % size(PAGE_BYTES)).unwrap_or_default();
    (
        offset / size(PAGE_BYTES),
        start,
        length.min(PAGE_BYTES - start),
    )
}

/// A length in memory as one in a file.
pub(super) fn size(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
