//! A range in the place of partitions: the EFI system partition stays outside, and so do both
//! partition tables, so that firmware can still boot.

use std::io;

use crate::cli::device::Named;
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::drive::{Contents, Drive, MbrState, Partition, Partitions, Place, partitions};
use crate::transport::BlockSource;

/// The blocks from the first to the last of some partitions, among which there is no other.
///
/// # Errors
/// The drive's blocks cannot be read, it has no intact GPT or not these partitions, or others lie
/// between.
pub(super) fn place(numbers: &[u32], named: &Named, drive: &Drive) -> Result<Place, CliError> {
    let found = read(named, drive)?;
    let chosen = chosen(numbers, &found)?;
    let start = chosen.iter().map(|it| it.blocks.start).min();
    let end = chosen.iter().map(|it| it.blocks.end).max();
    let (start, end) = start.zip(end).unwrap_or_default();
    let is_between = |it: &&Partition| it.blocks.start < end && start < it.blocks.end;
    let mut between = found.iter().filter(is_between);
    match between.find(|it| !chosen.contains(it)) {
        Some(other) => Err(lies_between(other.number)),
        None => Ok(Place {
            start,
            length: end - start,
        }),
    }
}

fn chosen<'p>(numbers: &[u32], found: &'p [Partition]) -> Result<Vec<&'p Partition>, CliError> {
    let one = |number: &u32| {
        let is_it = |it: &&Partition| u32::try_from(it.number) == Ok(*number);
        let partition = found.iter().find(is_it);
        let partition = partition.ok_or_else(|| missing(*number, found))?;
        match partition.is_efi_system {
            true => Err(is_efi_system(partition.number)),
            false => Ok(partition),
        }
    };
    numbers.iter().map(one).collect()
}

fn read(named: &Named, drive: &Drive) -> Result<Vec<Partition>, CliError> {
    if drive.state().mbr == MbrState::Shown {
        let error = CliError::new(
            Code::Failed,
            "the shadow MBR is shown, and hides the partition table",
        );
        return Err(
            error.with_hint("\"sedkit unlock --mbr-done\" hides it until the next power cycle")
        );
    }
    let mut blocks = Blocks(named.blocks().map_err(|error| unreadable(&error))?);
    let block_size = blocks.0.geometry().block_size;
    match partitions(&mut blocks, block_size).map_err(|error| unreadable(&error))? {
        Partitions::Found(found) => Ok(found),
        Partitions::Damaged(flaw) => Err(no_table(&format!("the GPT is of no use: {flaw}"))),
        _ => Err(no_table("the drive has no GPT")),
    }
}

fn unreadable(error: &io::Error) -> CliError {
    let message = format!("the drive's partition table cannot be read: {error}");
    CliError::new(Code::Failed, message).with_hint(
        "unlock the drive first, and name the drive by a block node such as /dev/nvme0n1; or say \
         the place by --start and --length",
    )
}

fn no_table(message: &str) -> CliError {
    CliError::new(Code::Failed, message)
        .with_hint("make partitions first, or say the place by --start and --length")
}

fn missing(number: u32, found: &[Partition]) -> CliError {
    let numbers: Vec<String> = found.iter().map(|it| it.number.to_string()).collect();
    let hint = match numbers.is_empty() {
        true => "the GPT has no partitions".to_owned(),
        false => format!("the GPT has {}", numbers.join(", ")),
    };
    CliError::usage(format!("there is no partition {number}")).with_hint(hint)
}

fn is_efi_system(number: usize) -> CliError {
    CliError::usage(format!("partition {number} is the EFI system partition"))
        .with_hint("leave it out: firmware cannot boot from what is locked")
}

fn lies_between(number: usize) -> CliError {
    CliError::usage(format!("partition {number} lies between those"))
        .with_hint(format!("add --partition {number}, or make two ranges"))
}

/// The bytes of a drive's blocks.
struct Blocks(Box<dyn BlockSource>);

impl Contents for Blocks {
    type Error = io::Error;

    fn length(&self) -> u64 {
        let geometry = self.0.geometry();
        let block_size = u64::from(geometry.block_size);
        geometry.blocks.saturating_mul(block_size)
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let block_size = u64::from(self.0.geometry().block_size.max(1));
        let (mut lba, skipped) = (offset / block_size, offset % block_size);
        let mut skipped = usize::try_from(skipped).map_err(io::Error::other)?;
        let mut rest = buffer;
        while !rest.is_empty() {
            let block = self.0.read_block(lba)?;
            let part = block.get(skipped..).unwrap_or_default();
            let length = part.len().min(rest.len());
            if length == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let (now, later) = rest.split_at_mut(length);
            now.copy_from_slice(part.get(..length).unwrap_or_default());
            (rest, skipped, lba) = (later, 0, lba + 1);
        }
        Ok(())
    }
}
