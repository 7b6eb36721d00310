//! The media path: what a host's READ and WRITE get, by the state of the locking ranges.
//!
//! The answers follow the tables of \[Core\] for media access, with the shadow MBR and without. A
//! refused command transfers no data and changes nothing. Data are encrypted under the key of the
//! range that contains the block; moving a range's border does not move any data, so that blocks
//! that changed their range read as noise. Blocks that were never written, or were deallocated,
//! read as zeros whatever the key.

use super::store::{Area, Layout, Store, StoreError};
use super::xts::{LengthError, MediaKey, Xts};

/// Bytes that one command may carry.
const MAX_BYTES: u64 = 64 << 20;

/// The state of the locking ranges, as far as it matters to the media.
#[derive(Debug)]
pub(crate) struct LockView<'k> {
    /// The ranges: first the Global Range, whose start and length do not count, then the others in
    /// any order. If even the Global Range is missing, everything is locked.
    pub ranges: Vec<RangeView<'k>>,
    /// `MBRControl.Enable` and not `MBRControl.Done`, in a Locking SP that is active.
    pub shadow_active: bool,
    /// Whole logical blocks of the MBR table.
    pub shadow_blocks: u64,
    /// The Range Crossing Behavior bit of Level 0 Discovery (\[Opal\] feature 0203h, byte 8).
    pub crossing_terminates: bool,
    /// With the shadow active, locked blocks outside of it read as zeros rather than not at all.
    pub locked_outside_shadow_reads_zero: bool,
}

/// The state of one range.
#[derive(Debug)]
pub(crate) struct RangeView<'k> {
    /// `RangeStart`.
    pub start: u64,
    /// `RangeLength`; a range of no blocks contains none.
    pub length: u64,
    /// `ReadLockEnabled` and `ReadLocked`.
    pub read_locked: bool,
    /// `WriteLockEnabled` and `WriteLocked`.
    pub write_locked: bool,
    /// The active key.
    pub key: &'k MediaKey,
}

/// Why a media command was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MediaError {
    /// The blocks are locked (\[SIIS\] Data Protection Error).
    #[error("data protection error")]
    DataProtection,
    /// The command crosses from one unlocked range into another, and the drive terminates such
    /// commands (\[SIIS\] Other Invalid Command Parameter).
    #[error("the command crosses into another locking range")]
    InvalidParameter,
    /// The command ends beyond the last block.
    #[error("{count} blocks from {lba} end beyond the {blocks} blocks of the drive")]
    OutOfRange {
        /// First block.
        lba: u64,
        /// Number of blocks.
        count: u64,
        /// Blocks of the drive.
        blocks: u64,
    },
    /// The data are no whole number of blocks, or more than a command may carry.
    #[error("{length} bytes are no whole blocks of {block_size}, or over {limit}")]
    Length {
        /// Bytes of data.
        length: u64,
        /// Bytes of a logical block.
        block_size: u32,
        /// Bytes that a command may carry.
        limit: u64,
    },
    /// The virtual drive's file failed.
    #[error("the medium failed")]
    Store(#[from] StoreError),
}

/// Reads blocks as a host does.
///
/// # Errors
///
/// The blocks are locked, in ranges that the drive does not read across, beyond the end, or more
/// than 64 MiB.
pub(crate) fn read(
    store: &Store,
    view: &LockView<'_>,
    lba: u64,
    count: u64,
) -> Result<Vec<u8>, MediaError> {
    let span = Span::new(store.layout(), lba, count)?;
    if view.shadow_active && lba < view.shadow_blocks {
        return read_shadow(store, view, &span);
    }
    let segments = view.segments(&span)?;
    match view.access(&segments, |range| range.read_locked)? {
        Access::Unlocked => read_unlocked(store, &span, &segments),
        Access::Locked if view.shadow_active && view.locked_outside_shadow_reads_zero => {
            span.buffer()
        }
        Access::Locked | Access::Mixed => Err(MediaError::DataProtection),
    }
}

/// Writes whole blocks as a host does. They are durable after [`Store::sync`].
///
/// # Errors
///
/// The blocks are locked, under the shadow MBR, in ranges that the drive does not write across,
/// beyond the end, or more than 64 MiB. Nothing was written then.
pub(crate) fn write(
    store: &mut Store,
    view: &LockView<'_>,
    lba: u64,
    data: &[u8],
) -> Result<(), MediaError> {
    let span = Span::of_data(store.layout(), lba, data)?;
    let segments = view.check_write(&span)?;
    let mut buffer = data.to_vec();
    for (segment, data) in span.pieces(&segments, &mut buffer) {
        let xts = Xts::new(segment.range.key);
        xts.encrypt(segment.lba, span.block_bytes(), data)
            .map_err(|error| span.refuse(error))?;
    }
    Ok(store.write(Area::Medium, span.offset(), &buffer)?)
}

/// Deallocates blocks as a host does with TRIM, UNMAP or Write Zeroes: they read as zeros then, and
/// nothing is left of their ciphertext. Alters data, and so is allowed where a write is.
///
/// # Errors
///
/// Those of [`write`], but for the 64 MiB.
pub(crate) fn deallocate(
    store: &mut Store,
    view: &LockView<'_>,
    lba: u64,
    count: u64,
) -> Result<(), MediaError> {
    let span = Span::unbounded(store.layout(), lba, count)?;
    view.check_write(&span)?;
    Ok(store.clear(Area::Medium, span.offset(), span.bytes())?)
}

/// Judges a write or a deallocation without doing it.
///
/// # Errors
///
/// Those of [`deallocate`].
pub(crate) fn check_write(
    store: &Store,
    view: &LockView<'_>,
    lba: u64,
    count: u64,
) -> Result<(), MediaError> {
    let span = Span::unbounded(store.layout(), lba, count)?;
    view.check_write(&span).map(drop)
}

/// The bytes on the medium, which no host sees: ciphertext, or zeros where nothing is written.
///
/// # Errors
///
/// The blocks lie beyond the end or are more than 64 MiB.
pub(crate) fn ciphertext(store: &Store, lba: u64, count: u64) -> Result<Vec<u8>, MediaError> {
    let span = Span::new(store.layout(), lba, count)?;
    let mut buffer = span.buffer()?;
    store.read(Area::Medium, span.offset(), &mut buffer)?;
    Ok(buffer)
}

/// The rows for reads that begin under an active shadow MBR (\[Core\] table 230).
fn read_shadow(store: &Store, view: &LockView<'_>, span: &Span) -> Result<Vec<u8>, MediaError> {
    if span.end() > view.shadow_blocks {
        return Err(MediaError::DataProtection);
    }
    let mut buffer = span.buffer()?;
    store.read(Area::Mbr, span.offset(), &mut buffer)?;
    Ok(buffer)
}

fn read_unlocked(
    store: &Store,
    span: &Span,
    segments: &[Segment<'_, '_>],
) -> Result<Vec<u8>, MediaError> {
    let mut buffer = span.buffer()?;
    store.read(Area::Medium, span.offset(), &mut buffer)?;
    for (segment, data) in span.pieces(segments, &mut buffer) {
        segment
            .decrypt(span.block_bytes(), data)
            .map_err(|error| span.refuse(error))?;
    }
    Ok(buffer)
}

/// Which of the addressed ranges are locked.
enum Access {
    Unlocked,
    Locked,
    Mixed,
}

/// Consecutive blocks of one range.
struct Segment<'v, 'k> {
    range: &'v RangeView<'k>,
    lba: u64,
    count: u64,
}

impl Segment<'_, '_> {
    /// Decrypts what is written, and leaves the zeros of what is not.
    fn decrypt(&self, block_size: usize, data: &mut [u8]) -> Result<(), LengthError> {
        let written = |block: &[u8]| block.iter().any(|&byte| byte != 0);
        let xts = Xts::new(self.range.key);
        if data.chunks(block_size).all(written) {
            return xts.decrypt(self.lba, block_size, data);
        }
        for (lba, block) in (self.lba..).zip(data.chunks_mut(block_size)) {
            if written(block) {
                xts.decrypt(lba, block_size, block)?;
            }
        }
        Ok(())
    }
}

impl<'k> LockView<'k> {
    /// Cuts the span where one range ends and another begins.
    fn segments<'v>(&'v self, span: &Span) -> Result<Vec<Segment<'v, 'k>>, MediaError> {
        let (global, others) = self
            .ranges
            .split_first()
            .ok_or(MediaError::DataProtection)?;
        let mut addressed: Vec<_> = others.iter().filter(|range| range.meets(span)).collect();
        addressed.sort_unstable_by_key(|range| range.start);
        let mut segments = Vec::new();
        let mut lba = span.lba;
        let mut extend = |range, end: u64| {
            let count = end.min(span.end()).saturating_sub(lba);
            if count > 0 {
                segments.push(Segment { range, lba, count });
                lba += count;
            }
        };
        for range in addressed {
            extend(global, range.start);
            extend(range, range.end());
        }
        extend(global, span.end());
        Ok(segments)
    }

    /// Judges the ranges addressed; refuses to cross between unlocked ones if the drive does.
    fn access(
        &self,
        segments: &[Segment<'_, '_>],
        locked: impl Fn(&RangeView<'_>) -> bool,
    ) -> Result<Access, MediaError> {
        let count = segments
            .iter()
            .filter(|segment| locked(segment.range))
            .count();
        match count {
            0 if segments.len() > 1 && self.crossing_terminates => {
                Err(MediaError::InvalidParameter)
            }
            0 => Ok(Access::Unlocked),
            _ if count == segments.len() => Ok(Access::Locked),
            _ => Ok(Access::Mixed),
        }
    }

    /// The rows for writes (\[Core\] table 231).
    fn check_write<'v>(&'v self, span: &Span) -> Result<Vec<Segment<'v, 'k>>, MediaError> {
        if self.shadow_active && span.lba < self.shadow_blocks {
            return Err(MediaError::DataProtection);
        }
        let segments = self.segments(span)?;
        match self.access(&segments, |range| range.write_locked)? {
            Access::Unlocked => Ok(segments),
            Access::Locked | Access::Mixed => Err(MediaError::DataProtection),
        }
    }
}

impl RangeView<'_> {
    const fn end(&self) -> u64 {
        self.start.saturating_add(self.length)
    }

    const fn meets(&self, span: &Span) -> bool {
        self.length > 0 && self.start < span.end() && span.lba < self.end()
    }
}

/// Consecutive blocks that the drive has.
struct Span {
    lba: u64,
    count: u64,
    block_size: u32,
}

impl Span {
    /// As many blocks as a command may carry.
    fn new(layout: &Layout, lba: u64, count: u64) -> Result<Self, MediaError> {
        let span = Self::unbounded(layout, lba, count)?;
        if span.bytes() > MAX_BYTES {
            return Err(span.length_error(span.bytes()));
        }
        Ok(span)
    }

    /// Any number of blocks.
    fn unbounded(layout: &Layout, lba: u64, count: u64) -> Result<Self, MediaError> {
        match lba.checked_add(count) {
            Some(end) if end <= layout.blocks => Ok(Self {
                lba,
                count,
                block_size: layout.block_size,
            }),
            _ => Err(MediaError::OutOfRange {
                lba,
                count,
                blocks: layout.blocks,
            }),
        }
    }

    /// The blocks that the data fill.
    fn of_data(layout: &Layout, lba: u64, data: &[u8]) -> Result<Self, MediaError> {
        let length = u64::try_from(data.len()).unwrap_or(u64::MAX);
        let block_size = u64::from(layout.block_size);
        let span = Self::new(layout, lba, length / block_size)?;
        if !length.is_multiple_of(block_size) {
            return Err(span.length_error(length));
        }
        Ok(span)
    }

    const fn end(&self) -> u64 {
        self.lba + self.count
    }

    fn offset(&self) -> u64 {
        self.lba * u64::from(self.block_size)
    }

    fn bytes(&self) -> u64 {
        self.count * u64::from(self.block_size)
    }

    fn block_bytes(&self) -> usize {
        usize::try_from(self.block_size).unwrap_or(usize::MAX)
    }

    /// Zeros for every byte.
    fn buffer(&self) -> Result<Vec<u8>, MediaError> {
        let length = usize::try_from(self.bytes()).map_err(|_| self.length_error(self.bytes()))?;
        Ok(vec![0; length])
    }

    /// Pairs each segment with its part of the data.
    fn pieces<'s, 'd, 'v, 'k>(
        &self,
        segments: &'s [Segment<'v, 'k>],
        data: &'d mut [u8],
    ) -> impl Iterator<Item = (&'s Segment<'v, 'k>, &'d mut [u8])> {
        let block_size = self.block_bytes();
        let mut rest = data;
        segments.iter().map_while(move |segment| {
            let length = usize::try_from(segment.count)
                .ok()?
                .checked_mul(block_size)?;
            rest.split_off_mut(..length).map(|piece| (segment, piece))
        })
    }

    const fn length_error(&self, length: u64) -> MediaError {
        MediaError::Length {
            length,
            block_size: self.block_size,
            limit: MAX_BYTES,
        }
    }

    fn refuse(&self, error: LengthError) -> MediaError {
        self.length_error(u64::try_from(error.length).unwrap_or(u64::MAX))
    }
}

#[cfg(test)]
mod tests;
