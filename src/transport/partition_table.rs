//! Where partition tables are on a medium: the MBR, the GPT and its copy at the end (UEFI 5).
//!
//! Only their places are read, never what is in the partitions.

use std::fmt;
use std::io;
use std::ops::Range;

/// A part of a partition table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TablePart {
    /// What it is.
    pub kind: TableKind,
    /// Its blocks.
    pub blocks: Range<u64>,
}

/// The parts of partition tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TableKind {
    /// The MBR with partitions, or the one that protects a GPT.
    Mbr,
    /// The GPT: header and entries.
    Gpt,
    /// The copy of the GPT at the end.
    GptCopy,
}

impl fmt::Display for TablePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.blocks;
        let last = end.saturating_sub(1);
        match self.kind {
            TableKind::Mbr => write!(f, "the MBR (block {start})"),
            TableKind::Gpt => write!(f, "the GPT (blocks {start} to {last})"),
            TableKind::GptCopy => write!(f, "the copy of the GPT (blocks {start} to {last})"),
        }
    }
}

/// The partition tables of a medium of so many blocks, through a function that reads one block.
///
/// # Errors
/// What the function says of a block that cannot be read.
pub fn partition_table(
    blocks: u64,
    read: &dyn Fn(u64) -> io::Result<Vec<u8>>,
) -> io::Result<Vec<TablePart>> {
    let mut parts = Vec::new();
    if blocks < 3 {
        return Ok(parts);
    }
    if has_partitions(&read(0)?) {
        parts.push(TablePart {
            kind: TableKind::Mbr,
            blocks: 0..1,
        });
    }
    let last = blocks - 1;
    let places = [(TableKind::Gpt, 1), (TableKind::GptCopy, last)];
    for (kind, block) in places {
        if let Some(entries) = gpt_entries(&read(block)?).filter(|it| it.end <= blocks) {
            let blocks = entries.start.min(block)..entries.end.max(block + 1);
            parts.push(TablePart { kind, blocks });
        }
    }
    Ok(parts)
}

/// Whether a block is an MBR with a partition: signature, and an entry with a type and a status that
/// it can have. A boot sector of a file system has the signature, too.
fn has_partitions(block: &[u8]) -> bool {
    const ENTRIES: usize = 446;
    const ENTRY: usize = 16;
    let is_partition =
        |entry: &[u8]| matches!(entry, [0x00 | 0x80, _, _, _, kind, ..] if *kind != 0);
    let is_signed = block.get(510..512) == Some(&[0x55, 0xaa]);
    let entries = block.get(ENTRIES..510).unwrap_or_default();
    is_signed && entries.chunks_exact(ENTRY).any(is_partition)
}

/// The blocks of the entries that a GPT header names.
fn gpt_entries(header: &[u8]) -> Option<Range<u64>> {
    if !header.starts_with(b"EFI PART") {
        return None;
    }
    let u32_at = |at: usize| Some(u32::from_le_bytes(header.get(at..at + 4)?.try_into().ok()?));
    let start = u64::from_le_bytes(header.get(72..80)?.try_into().ok()?);
    let bytes = u64::from(u32_at(80)?) * u64::from(u32_at(84)?);
    let block_size = u64::try_from(header.len()).ok()?;
    let end = start.checked_add(bytes.div_ceil(block_size))?;
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: u64 = 1024;

    fn mbr(kind: u8) -> Vec<u8> {
        let mut block = vec![0; 512];
        block[446 + 4] = kind;
        block[510..].copy_from_slice(&[0x55, 0xaa]);
        block
    }

    /// A GPT header with 128 entries of 128 bytes, as UEFI 5.3.2 lays it out.
    fn gpt(entries: u64) -> Vec<u8> {
        let mut block = vec![0; 512];
        block[..8].copy_from_slice(b"EFI PART");
        block[72..80].copy_from_slice(&entries.to_le_bytes());
        block[80..84].copy_from_slice(&128_u32.to_le_bytes());
        block[84..88].copy_from_slice(&128_u32.to_le_bytes());
        block
    }

    fn found(medium: &dyn Fn(u64) -> Vec<u8>) -> Vec<String> {
        let parts = partition_table(BLOCKS, &|block| Ok(medium(block))).unwrap();
        parts.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn gpt_and_its_copy_are_found() {
        let parts = found(&|block| match block {
            0 => mbr(0xee),
            1 => gpt(2),
            1023 => gpt(991),
            _ => vec![0; 512],
        });
        assert_eq!(
            parts,
            [
                "the MBR (block 0)",
                "the GPT (blocks 1 to 33)",
                "the copy of the GPT (blocks 991 to 1023)"
            ]
        );
    }

    #[test]
    fn a_boot_sector_is_no_partition_table() {
        let boot_sector = |block| if block == 0 { mbr(0) } else { vec![0; 512] };
        assert!(found(&boot_sector).is_empty());
        assert!(found(&|_| vec![0; 512]).is_empty());
        let plain = |block| if block == 0 { mbr(0x83) } else { vec![0; 512] };
        assert_eq!(found(&plain), ["the MBR (block 0)"]);
    }

    #[test]
    fn entries_beyond_the_medium_are_nonsense() {
        let nonsense = |block| {
            if block == 1 {
                gpt(u64::MAX - 1)
            } else {
                vec![0; 512]
            }
        };
        assert!(found(&nonsense).is_empty());
        let short = |_| vec![0x45; 10];
        assert!(found(&short).is_empty());
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let locked = |_| Err(io::Error::other("locked"));
        assert!(partition_table(BLOCKS, &locked).is_err());
        assert!(partition_table(2, &locked).unwrap().is_empty());
    }
}
