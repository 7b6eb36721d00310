//! The GUID partition table (\[UEFI\] 5.3).

use std::ops::Range;

use super::bytes::{self, u32_at, u64_at};
use super::crc32::crc32;
use super::{BootFlaw, Place};
use crate::drive::byte_table::Contents;

const SIGNATURE: &[u8] = b"EFI PART";
/// Bytes of the header's fields.
const HEADER: usize = 92;
/// The most bytes of entries that are looked at: sixteen times what anybody writes.
const MOST_ENTRY_BYTES: u64 = 256 << 10;
/// The least bytes of an entry.
const LEAST_ENTRY: u32 = 128;

/// The type of an EFI system partition, C12A7328-F81F-11D2-BA4B-00A0C93EC93B, as it is on a disk.
const EFI_SYSTEM: [u8; 16] = [
    0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b,
];

/// A GPT.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Gpt {
    block_size: u32,
    entries: Vec<Entry>,
    /// What is wrong with it.
    pub(super) flaws: Vec<BootFlaw>,
}

/// A partition of a drive.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Partition {
    /// Its number, from 1 on, as the kernel counts.
    pub number: usize,
    /// Its logical blocks.
    pub blocks: Range<u64>,
    /// Whether firmware looks into it for what it boots.
    pub is_efi_system: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Entry {
    kind: [u8; 16],
    first: u64,
    last: u64,
}

/// What the header says.
struct Header {
    own_block: u64,
    entries_block: u64,
    entries: u32,
    entry: u32,
    entries_checksum: u32,
    is_intact: bool,
}

impl Gpt {
    /// Reads the GPT of blocks of that many bytes; nothing if there is none.
    pub(super) fn read<C: Contents + ?Sized>(
        contents: &mut C,
        block_size: u32,
    ) -> Result<Option<Self>, C::Error> {
        let block = bytes::read(contents, u64::from(block_size), block_size)?;
        let Some(header) = block.as_deref().and_then(Header::parse) else {
            return Ok(None);
        };
        let mut gpt = Self {
            block_size,
            entries: Vec::new(),
            flaws: Vec::new(),
        };
        if !header.is_intact {
            gpt.flaws.push(BootFlaw::GptHeaderChecksum);
        }
        gpt.read_entries(contents, &header)?;
        Ok(Some(gpt))
    }

    fn read_entries<C: Contents + ?Sized>(
        &mut self,
        contents: &mut C,
        header: &Header,
    ) -> Result<(), C::Error> {
        let length = u64::from(header.entries) * u64::from(header.entry);
        let offset = header.entries_block.checked_mul(self.block_size.into());
        let is_sane =
            header.own_block == 1 && header.entry >= LEAST_ENTRY && length <= MOST_ENTRY_BYTES;
        let (Some(offset), Ok(length), true) = (offset, u32::try_from(length), is_sane) else {
            self.flaws.push(BootFlaw::GptHeader);
            return Ok(());
        };
        let bytes = bytes::read(contents, offset, length)?.unwrap_or_default();
        if crc32(&bytes) != header.entries_checksum {
            self.flaws.push(BootFlaw::GptEntriesChecksum);
        }
        let size = usize::try_from(header.entry).unwrap_or(usize::MAX);
        self.entries = bytes.chunks_exact(size).filter_map(Entry::parse).collect();
        Ok(())
    }

    /// The partitions, by their numbers.
    pub(super) fn partitions(&self) -> Vec<Partition> {
        let used =
            |(_, entry): &(usize, &Entry)| entry.kind != [0; 16] && entry.first <= entry.last;
        let entries = self.entries.iter().enumerate().filter(used);
        let partition = |(index, entry): (usize, &Entry)| Partition {
            number: index + 1,
            blocks: entry.first..entry.last.saturating_add(1),
            is_efi_system: entry.kind == EFI_SYSTEM,
        };
        entries.map(partition).collect()
    }

    /// Where the EFI system partition is.
    pub(super) fn efi_system_partition(&self) -> Option<Place> {
        let mut entries = self.entries.iter();
        let found = entries.find(|entry| entry.kind == EFI_SYSTEM)?;
        let block_size = u64::from(self.block_size);
        Some(Place {
            start: found.first.saturating_mul(block_size),
            end: found.last.saturating_add(1).saturating_mul(block_size),
        })
    }
}

impl Header {
    fn parse(block: &[u8]) -> Option<Self> {
        if !block.starts_with(SIGNATURE) {
            return None;
        }
        Some(Self {
            own_block: u64_at(block, 24)?,
            entries_block: u64_at(block, 72)?,
            entries: u32_at(block, 80)?,
            entry: u32_at(block, 84)?,
            entries_checksum: u32_at(block, 88)?,
            is_intact: is_intact(block),
        })
    }
}

/// Whether a header has the checksum that it says; its own field counts as 0.
fn is_intact(block: &[u8]) -> bool {
    let length = u32_at(block, 12).and_then(|length| usize::try_from(length).ok());
    let header = length
        .filter(|length| *length >= HEADER)
        .and_then(|length| block.get(..length));
    let (Some(header), Some(checksum)) = (header, u32_at(block, 16)) else {
        return false;
    };
    let mut header = header.to_vec();
    if let Some(field) = header.get_mut(16..20) {
        field.fill(0);
    }
    crc32(&header) == checksum
}

impl Entry {
    fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            kind: *bytes.first_chunk()?,
            first: u64_at(bytes, 32)?,
            last: u64_at(bytes, 40)?,
        })
    }
}
