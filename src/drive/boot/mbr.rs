//! The master boot record: boot code, four partitions, a signature (\[UEFI\] 5.2).

use super::Place;
use super::bytes::{u8_at, u16_at, u32_at};

/// Where the signature is, and what it is.
const SIGNATURE: (usize, u16) = (510, 0xaa55);
/// Bytes of boot code before the partitions.
const BOOT_CODE: usize = 440;
/// Where the partitions are, and how long one is.
const PARTITIONS: usize = 446;
const PARTITION: usize = 16;

/// Types of partitions.
const PROTECTIVE: u8 = 0xee;
const EFI_SYSTEM: u8 = 0xef;

/// A master boot record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mbr {
    has_boot_code: bool,
    partitions: Vec<Partition>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Partition {
    kind: u8,
    first: u32,
    blocks: u32,
}

impl Mbr {
    /// Reads the first block; nothing if it has no signature.
    pub(super) fn parse(first: &[u8]) -> Option<Self> {
        if u16_at(first, SIGNATURE.0)? != SIGNATURE.1 {
            return None;
        }
        let partition = |number: usize| {
            let entry = first.get(PARTITIONS + number * PARTITION..)?;
            Some(Partition {
                kind: u8_at(entry, 4)?,
                first: u32_at(entry, 8)?,
                blocks: u32_at(entry, 12)?,
            })
        };
        let partitions = (0..4).filter_map(partition);
        Some(Self {
            has_boot_code: first.iter().take(BOOT_CODE).any(|byte| *byte != 0),
            partitions: partitions.filter(|partition| partition.kind != 0).collect(),
        })
    }

    /// Whether there is a program for firmware of old.
    pub(super) const fn has_boot_code(&self) -> bool {
        self.has_boot_code
    }

    /// Whether it says that a GPT follows.
    pub(super) fn is_protective(&self) -> bool {
        self.partitions
            .iter()
            .any(|partition| partition.kind == PROTECTIVE)
    }

    /// Whether there is no partition.
    pub(super) const fn is_empty(&self) -> bool {
        self.partitions.is_empty()
    }

    /// Where the EFI system partition is.
    pub(super) fn efi_system_partition(&self, block_size: u32) -> Option<Place> {
        let mut partitions = self.partitions.iter();
        let found = partitions.find(|partition| partition.kind == EFI_SYSTEM)?;
        let start = u64::from(found.first) * u64::from(block_size);
        let length = u64::from(found.blocks) * u64::from(block_size);
        Some(Place {
            start,
            end: start.saturating_add(length),
        })
    }
}
