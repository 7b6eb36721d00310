//! Whether the bytes of a shadow MBR look like something that firmware boots.
//!
//! UEFI firmware looks for a GPT with an EFI system partition, which is FAT, and in it for a program
//! in the folder `EFI/BOOT` (\[UEFI\] 3.5.1.1, 5.3, 13.3); older firmware runs the boot code in the
//! first block. Whether it succeeds cannot be said from here: Secure Boot, for one, has its own
//! opinion of the program.

use std::fmt;

use super::byte_table::{Contents, is_blank};

mod bytes;
mod crc32;
mod fat;
mod gpt;
mod mbr;

use gpt::Gpt;
pub use gpt::Partition;
use mbr::Mbr;

/// Block sizes that drives have, in bytes.
const BLOCK_SIZES: [u32; 2] = [512, 4096];
/// A drive that tells of larger blocks is not believed, in bytes.
const LARGEST_BLOCK: u32 = 64 << 10;

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct BootImage {
    /// There is nothing at the beginning but zeros, or nothing but ones.
    pub blank: bool,
    /// There is boot code for firmware of old, and a signature after it.
    pub bios: bool,
    /// The size in bytes of the blocks in which the GPT counts, if there is a GPT.
    pub gpt_block_size: Option<u32>,
    /// Programs for UEFI firmware in `EFI/BOOT`.
    pub loaders: Vec<String>,
    /// What stands against UEFI firmware booting it.
    pub flaws: Vec<BootFlaw>,
}

/// What stands against UEFI firmware booting an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BootFlaw {
    /// There is no partition table.
    NoPartitionTable,
    /// There is a GPT, and no MBR that keeps others from the disk.
    NoProtectiveMbr,
    /// The header of the GPT does not have the checksum that it says.
    GptHeaderChecksum,
    /// The entries of the GPT do not have the checksum that its header says.
    GptEntriesChecksum,
    /// The GPT is not where it says, or is larger than any.
    GptHeader,
    /// The GPT counts in blocks of another size than the drive has.
    BlockSize {
        /// Bytes of a block as the image has it.
        image: u32,
        /// Bytes of a block as the drive has it.
        drive: u32,
    },
    /// There is no EFI system partition.
    NoEfiSystemPartition,
    /// The EFI system partition goes on beyond the end.
    PartitionBeyondEnd,
    /// The EFI system partition has no FAT file system.
    NotFat,
    /// There is no program in `EFI/BOOT`.
    NoLoader,
}

impl BootImage {
    /// Whether firmware of some kind may boot it.
    #[must_use]
    pub const fn looks_bootable(&self) -> bool {
        !self.blank && (self.bios || self.flaws.is_empty())
    }
}

impl BootFlaw {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::NoPartitionTable => "no_partition_table",
            Self::NoProtectiveMbr => "no_protective_mbr",
            Self::GptHeaderChecksum => "gpt_header_checksum",
            Self::GptEntriesChecksum => "gpt_entries_checksum",
            Self::GptHeader => "gpt_header",
            Self::BlockSize { .. } => "block_size",
            Self::NoEfiSystemPartition => "no_efi_system_partition",
            Self::PartitionBeyondEnd => "partition_beyond_end",
            Self::NotFat => "not_fat",
            Self::NoLoader => "no_loader",
        }
    }
}

impl fmt::Display for BootFlaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::NoPartitionTable => "it has no partition table",
            Self::NoProtectiveMbr => "it has a GPT, but no protective MBR before it",
            Self::GptHeaderChecksum => "the header of its GPT is damaged (CRC)",
            Self::GptEntriesChecksum => "the entries of its GPT are damaged (CRC)",
            Self::GptHeader => "the header of its GPT makes no sense",
            Self::BlockSize { image, drive } => {
                return write!(
                    f,
                    "it is laid out for blocks of {image} bytes, and the drive has blocks of {drive}"
                );
            }
            Self::NoEfiSystemPartition => "it has no EFI system partition",
            Self::PartitionBeyondEnd => "its EFI system partition goes on beyond its end",
            Self::NotFat => "its EFI system partition has no FAT file system",
            Self::NoLoader => "its EFI system partition has no EFI/BOOT/BOOT*.EFI",
        };
        f.write_str(text)
    }
}

/// Looks at an image, or at what is in a table, for a drive whose blocks have that many bytes.
///
/// # Errors
/// If the contents cannot be read.
pub fn examine<C: Contents + ?Sized>(
    contents: &mut C,
    drive_block_size: Option<u32>,
) -> Result<BootImage, C::Error> {
    let drive_block_size = drive_block_size.filter(|size| *size <= LARGEST_BLOCK);
    let first = bytes::read_up_to(contents, 0, BLOCK_SIZES[1])?;
    let mut image = BootImage {
        blank: is_blank(&first),
        ..BootImage::default()
    };
    let mbr = Mbr::parse(&first);
    image.bios = mbr.as_ref().is_some_and(Mbr::has_boot_code);
    let place = match gpt_of(contents, &mut image, drive_block_size)? {
        Some(gpt) => {
            if !mbr.as_ref().is_some_and(Mbr::is_protective) {
                image.flaws.push(BootFlaw::NoProtectiveMbr);
            }
            gpt.efi_system_partition()
        }
        None => mbr_place(&mut image, mbr.as_ref(), drive_block_size),
    };
    look_into_partition(contents, &mut image, place)?;
    Ok(image)
}

/// What partitions a drive has.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Partitions {
    /// It has no GPT.
    NoTable,
    /// Its GPT is not to be trusted.
    Damaged(BootFlaw),
    /// These.
    Found(Vec<Partition>),
}

/// Reads the GPT of a drive whose blocks have that many bytes.
///
/// # Errors
/// If the contents cannot be read.
pub fn partitions<C: Contents + ?Sized>(
    contents: &mut C,
    block_size: u32,
) -> Result<Partitions, C::Error> {
    let Some(gpt) = Gpt::read(contents, block_size)? else {
        return Ok(Partitions::NoTable);
    };
    Ok(match gpt.flaws.first() {
        Some(flaw) => Partitions::Damaged(*flaw),
        None => Partitions::Found(gpt.partitions()),
    })
}

/// Where a partition is, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    start: u64,
    end: u64,
}

/// The GPT, by the drive's block size first; what is wrong with it is noted.
fn gpt_of<C: Contents + ?Sized>(
    contents: &mut C,
    image: &mut BootImage,
    drive_block_size: Option<u32>,
) -> Result<Option<Gpt>, C::Error> {
    let others = BLOCK_SIZES
        .into_iter()
        .filter(|size| Some(*size) != drive_block_size);
    for block_size in drive_block_size.into_iter().chain(others) {
        let Some(gpt) = Gpt::read(contents, block_size)? else {
            continue;
        };
        image.gpt_block_size = Some(block_size);
        image.flaws.extend(gpt.flaws.iter().copied());
        if let Some(drive) = drive_block_size.filter(|drive| *drive != block_size) {
            let image_size = block_size;
            image.flaws.push(BootFlaw::BlockSize {
                image: image_size,
                drive,
            });
        }
        return Ok(Some(gpt));
    }
    Ok(None)
}

/// UEFI firmware takes an EFI system partition of an MBR, too.
fn mbr_place(image: &mut BootImage, mbr: Option<&Mbr>, block_size: Option<u32>) -> Option<Place> {
    if mbr.is_none_or(Mbr::is_empty) {
        image.flaws.push(BootFlaw::NoPartitionTable);
        return None;
    }
    mbr.and_then(|mbr| mbr.efi_system_partition(block_size.unwrap_or(BLOCK_SIZES[0])))
}

fn look_into_partition<C: Contents + ?Sized>(
    contents: &mut C,
    image: &mut BootImage,
    place: Option<Place>,
) -> Result<(), C::Error> {
    let Some(place) = place else {
        let has_no_entries = [BootFlaw::NoPartitionTable, BootFlaw::GptHeader];
        if !image.flaws.iter().any(|flaw| has_no_entries.contains(flaw)) {
            image.flaws.push(BootFlaw::NoEfiSystemPartition);
        }
        return Ok(());
    };
    if place.end > contents.length() {
        image.flaws.push(BootFlaw::PartitionBeyondEnd);
    }
    match fat::loaders(contents, place)? {
        None => image.flaws.push(BootFlaw::NotFat),
        Some(loaders) if loaders.is_empty() => image.flaws.push(BootFlaw::NoLoader),
        Some(loaders) => image.loaders = loaders,
    }
    Ok(())
}
