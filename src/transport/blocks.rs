//! Reading logical blocks: what a host's READ gets, beside what a TPer tells of the locks.

use std::io;

use super::linux::Geometry;

/// The blocks of a drive, for reading.
///
/// Implemented by the block nodes of real drives and by the virtual drive. What is read comes from
/// the drive and not from a cache of the host, so that it tells what the drive holds now.
pub trait BlockSource: Send {
    /// How many blocks there are, and their size.
    fn geometry(&self) -> Geometry;

    /// Reads one logical block.
    ///
    /// # Errors
    /// What the drive or the kernel says, as where the block is locked;
    /// [`io::ErrorKind::UnexpectedEof`] beyond the last block.
    fn read_block(&mut self, lba: u64) -> io::Result<Vec<u8>>;
}
