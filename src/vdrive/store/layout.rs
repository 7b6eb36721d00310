//! The dimensions of a drive, where each area lies in its file, and the header that says so.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::StoreError;
use super::slot::SLOT_BYTES;

/// The dimensions of a drive. They are fixed when it is created.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Layout {
    /// Bytes of a logical block, at least 512.
    pub block_size: u32,
    /// Logical blocks, at least one.
    pub blocks: u64,
    /// Bytes of the MBR table.
    pub mbr_bytes: u64,
    /// Bytes of all DataStore tables together.
    pub data_store_bytes: u64,
}

/// A part of the drive that is addressed by byte offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Area {
    /// The MBR table.
    Mbr,
    /// Bytes set in the MBR table by a transaction that is not committed.
    MbrStaging,
    /// The DataStore tables.
    DataStore,
    /// Bytes set in the DataStore tables by a transaction that is not committed.
    DataStoreStaging,
    /// The ciphertext of the user data.
    Medium,
}

impl Area {
    /// Every area, as they follow each other in the file.
    pub(super) const ALL: [Self; 5] = [
        Self::DataStore,
        Self::DataStoreStaging,
        Self::Mbr,
        Self::MbrStaging,
        Self::Medium,
    ];

    /// What an error message calls it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Mbr => "MBR table",
            Self::MbrStaging => "uncommitted part of the MBR table",
            Self::DataStore => "DataStore",
            Self::DataStoreStaging => "uncommitted part of the DataStore",
            Self::Medium => "medium",
        }
    }
}

const MAGIC: &[u8; 16] = b"sedkit\0vdrive\r\n\x1a";
/// The version that this program writes.
const VERSION: u32 = 1;
/// The smallest logical block that any interface has.
const MIN_BLOCK: u32 = 512;
/// The largest logical block; a bound, so that a header cannot ask for more.
const MAX_BLOCK: u32 = 65536;
/// Areas begin at multiples of this, so that holes can be punched exactly on any file system.
const ALIGNMENT: u64 = 1 << 20;
/// Bytes of the header.
pub(super) const HEADER_BYTES: usize = 4096;
const CHECKSUM_AT: usize = HEADER_BYTES - 32;

/// Where everything lies in the file of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Map {
    layout: Layout,
    /// Start and length of each area, in the order of [`Area::ALL`].
    areas: [(u64, u64); 5],
    length: u64,
}

impl Map {
    /// Offset of the two slots of the state.
    pub(super) const STATE: u64 = ALIGNMENT;
    /// Offset of the two slots of the power state.
    pub(super) const POWER: u64 = Self::STATE + 2 * SLOT_BYTES;
    const AREAS: u64 = Self::POWER + 2 * SLOT_BYTES;

    /// Lays out a file.
    pub(super) fn new(layout: &Layout) -> Result<Self, StoreError> {
        let impossible = || StoreError::Dimensions {
            block_size: layout.block_size,
            blocks: layout.blocks,
        };
        if !(MIN_BLOCK..=MAX_BLOCK).contains(&layout.block_size) || layout.blocks == 0 {
            return Err(impossible());
        }
        let mut areas = [(0, 0); 5];
        let mut end = Self::AREAS;
        for (area, place) in Area::ALL.into_iter().zip(&mut areas) {
            let length = layout.bytes(area).ok_or_else(impossible)?;
            *place = (end, length);
            end = end
                .checked_add(length)
                .and_then(|end| end.checked_next_multiple_of(ALIGNMENT))
                .filter(|&end| i64::try_from(end).is_ok())
                .ok_or_else(impossible)?;
        }
        Ok(Self {
            layout: layout.clone(),
            areas,
            length: end,
        })
    }

    pub(super) const fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Bytes of the whole file.
    pub(super) const fn length(&self) -> u64 {
        self.length
    }

    /// The place in the file of some bytes of an area.
    pub(super) fn place(
        &self,
        area: Area,
        offset: u64,
        length: u64,
    ) -> Result<Range<u64>, StoreError> {
        let index = Area::ALL
            .iter()
            .position(|&each| each == area)
            .unwrap_or_default();
        let (start, size) = self.areas[index];
        match offset.checked_add(length) {
            Some(end) if end <= size => Ok(start + offset..start + end),
            _ => Err(StoreError::OutOfRange {
                area: area.name(),
                offset,
                length,
            }),
        }
    }

    /// The header, which is written once.
    ///
    /// | bytes | content, integers little-endian |
    /// |---|---|
    /// | 0–15 | magic |
    /// | 16–19 | version |
    /// | 20–23 | bytes of a logical block |
    /// | 24–31 | logical blocks |
    /// | 32–39 | bytes of the MBR table |
    /// | 40–47 | bytes of the DataStore tables |
    /// | 48–4063 | zero |
    /// | 4064–4095 | SHA-256 of the bytes before |
    ///
    /// Magic, version and checksum stay where they are in every version.
    pub(super) fn header(&self) -> [u8; HEADER_BYTES] {
        let mut header = [0; HEADER_BYTES];
        header[..16].copy_from_slice(MAGIC);
        header[16..20].copy_from_slice(&VERSION.to_le_bytes());
        header[20..24].copy_from_slice(&self.layout.block_size.to_le_bytes());
        header[24..32].copy_from_slice(&self.layout.blocks.to_le_bytes());
        header[32..40].copy_from_slice(&self.layout.mbr_bytes.to_le_bytes());
        header[40..48].copy_from_slice(&self.layout.data_store_bytes.to_le_bytes());
        let checksum = Sha256::digest(&header[..CHECKSUM_AT]);
        header[CHECKSUM_AT..].copy_from_slice(&checksum);
        header
    }

    /// Reads the beginning of a file that has `actual` bytes in all.
    pub(super) fn parse(beginning: &[u8], actual: u64) -> Result<Self, StoreError> {
        if !beginning.starts_with(MAGIC) {
            return Err(StoreError::Foreign);
        }
        let Some(header) = beginning.first_chunk::<HEADER_BYTES>() else {
            return Err(StoreError::Length {
                expected: Self::AREAS,
                actual,
            });
        };
        let (content, checksum) = header.split_at(CHECKSUM_AT);
        if Sha256::digest(content).as_slice() != checksum {
            return Err(StoreError::Damaged { part: "header" });
        }
        let version = u32_at(header, 16);
        if version != VERSION {
            return Err(StoreError::Newer {
                version,
                supported: VERSION,
            });
        }
        let map = Self::new(&Layout {
            block_size: u32_at(header, 20),
            blocks: u64_at(header, 24),
            mbr_bytes: u64_at(header, 32),
            data_store_bytes: u64_at(header, 40),
        })?;
        if actual != map.length {
            return Err(StoreError::Length {
                expected: map.length,
                actual,
            });
        }
        Ok(map)
    }
}

impl Layout {
    /// Bytes of an area, unless there are too many to count.
    fn bytes(&self, area: Area) -> Option<u64> {
        match area {
            Area::Mbr | Area::MbrStaging => Some(self.mbr_bytes),
            Area::DataStore | Area::DataStoreStaging => Some(self.data_store_bytes),
            Area::Medium => self.blocks.checked_mul(u64::from(self.block_size)),
        }
    }
}

fn u32_at(header: &[u8; HEADER_BYTES], offset: usize) -> u32 {
    let bytes = std::array::from_fn(|index| header[offset + index]);
    u32::from_le_bytes(bytes)
}

fn u64_at(header: &[u8; HEADER_BYTES], offset: usize) -> u64 {
    let bytes = std::array::from_fn(|index| header[offset + index]);
    u64::from_le_bytes(bytes)
}
