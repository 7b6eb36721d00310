//! `START+LENGTH`: where a locking range is to be, from what people write to blocks.
//!
//! Whether the drive takes the range is for `drive` to check.

use std::ops::Range;

use super::error::CliError;
use super::exit::Code;
use crate::drive::Place;
use crate::transport::linux::Geometry;
use crate::wire::discovery::Discovery;

/// What numbers mean on a drive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bytes of a logical block.
    block_size: u64,
    /// Blocks of the drive, where that is known.
    blocks: Option<u64>,
    /// Blocks of which percentages give a multiple.
    granularity: u64,
    /// The block from which that counts.
    lowest: u64,
}

/// A run of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// First block.
    pub(crate) start: u64,
    /// Blocks.
    pub(crate) length: u64,
}

impl Layout {
    /// What a drive says of itself; blocks of 512 bytes and no alignment where it says nothing.
    ///
    /// Refuses a drive whose TPer counts in other blocks than the kernel: some keep the geometry
    /// from before a format, and what is set by it covers a part of the data only.
    pub(crate) fn of(discovery: &Discovery, kernel: Option<Geometry>) -> Result<Self, CliError> {
        let geometry = discovery.geometry();
        let told = told_block_size(discovery);
        if let (Some(told), Some(kernel)) = (told, kernel.map(|kernel| kernel.block_size)) {
            check_block_sizes(told, kernel)?;
        }
        let granularity = geometry
            .filter(|it| it.align)
            .and_then(|it| it.alignment_granularity);
        Ok(Self {
            block_size: told.unwrap_or(512).into(),
            blocks: kernel.map(|kernel| kernel.blocks),
            granularity: granularity.unwrap_or(1).max(1),
            lowest: geometry.and_then(|it| it.lowest_aligned_lba).unwrap_or(0),
        })
    }

    /// Reads `START+LENGTH`. Numbers without a unit are blocks; percentages are rounded down to the
    /// alignment, everything else must be whole blocks.
    pub(crate) fn parse(self, text: &str) -> Result<Extent, CliError> {
        let (start, length) = text
            .split_once('+')
            .and_then(|(start, length)| Some((quantity(start)?, quantity(length)?)))
            .ok_or_else(|| malformed(text))?;
        self.extent(text, start, length)
    }

    /// Reads a start and a length that stand for themselves; the length may be `rest`, all blocks up
    /// to the end of the drive that the alignment allows.
    pub(crate) fn parse_parts(self, start: &str, length: &str) -> Result<Extent, CliError> {
        let first = quantity(start).ok_or_else(|| no_quantity("start", start))?;
        let text = format!("{start}+{length}");
        if length == REST {
            let start = self.blocks_of(first, self.lowest)?;
            let blocks = self.blocks.ok_or_else(unknown_size)?;
            let rest = blocks.checked_sub(start).filter(|rest| *rest > 0);
            let rest = rest.ok_or_else(|| beyond(&text, start, blocks))?;
            let length = Quantity::Blocks(self.rounded_down(rest, self.origin(start)));
            return self.extent(&text, Quantity::Blocks(start), length);
        }
        let length = quantity(length).ok_or_else(|| no_quantity("length", length))?;
        self.extent(&text, first, length)
    }

    /// The first block from this one on at which a range may begin.
    pub(crate) const fn next_start(self, block: u64) -> u64 {
        let origin = self.lowest % self.granularity;
        let above = block.saturating_sub(origin);
        match above % self.granularity {
            _ if block == 0 => 0,
            0 if block >= origin => block,
            excess => origin + above + (self.granularity - excess) % self.granularity,
        }
    }

    /// The bytes of a run of blocks.
    pub(crate) fn bytes(self, place: Place) -> Range<u64> {
        let bytes = |blocks: u64| blocks.saturating_mul(self.block_size);
        bytes(place.start)..bytes(place.end())
    }

    fn extent(self, text: &str, start: Quantity, length: Quantity) -> Result<Extent, CliError> {
        let start = self.blocks_of(start, self.lowest)?;
        let length = self.blocks_of(length, self.origin(start))?;
        match (start.checked_add(length), self.blocks) {
            (Some(end), Some(blocks)) if end > blocks => Err(beyond(text, start, blocks)),
            _ => Ok(Extent { start, length }),
        }
    }

    /// From which block the length of a range counts, as the alignment sees it.
    const fn origin(self, start: u64) -> u64 {
        if start == 0 { self.lowest } else { 0 }
    }

    /// Blocks, where percentages count from block `origin`.
    fn blocks_of(self, quantity: Quantity, origin: u64) -> Result<u64, CliError> {
        match quantity {
            Quantity::Blocks(blocks) => Ok(blocks),
            Quantity::Bytes(bytes) if bytes % self.block_size == 0 => Ok(bytes / self.block_size),
            Quantity::Bytes(bytes) => Err(self.fractional(bytes)),
            Quantity::Share(share) => {
                let blocks = u128::from(self.blocks.ok_or_else(unknown_size)?);
                let blocks = blocks * u128::from(share) / u128::from(WHOLE);
                Ok(self.rounded_down(u64::try_from(blocks).unwrap_or(u64::MAX), origin))
            }
        }
    }

    fn rounded_down(self, blocks: u64, origin: u64) -> u64 {
        let origin = origin % self.granularity;
        let above = blocks.saturating_sub(origin);
        if blocks < origin {
            0
        } else {
            origin + above - above % self.granularity
        }
    }

    fn fractional(self, bytes: u64) -> CliError {
        let (size, below) = (self.block_size, bytes / self.block_size);
        CliError::usage(format!(
            "{bytes} bytes are no whole number of blocks of {size} bytes"
        ))
        .with_hint(format!(
            "the nearest are {below} and {} (blocks)",
            below + 1
        ))
    }
}

/// The size of a logical block in bytes, where a TPer tells one (\[Opal\] 3.1.1.4).
pub(crate) fn told_block_size(discovery: &Discovery) -> Option<u32> {
    let told = discovery.geometry()?.logical_block_size;
    told.filter(|&size| size > 0)
}

/// A length up to the end of the drive.
const REST: &str = "rest";

/// A number of blocks as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Blocks(u64),
    Bytes(u64),
    /// Of the whole drive, in millionths of a percent.
    Share(u64),
}

/// 100 %, as [`Quantity::Share`] counts.
const WHOLE: u64 = 100_000_000;

fn check_block_sizes(tper: u32, kernel: u32) -> Result<(), CliError> {
    if tper == kernel {
        return Ok(());
    }
    Err(CliError::new(
        Code::Failed,
        format!("the TPer counts in blocks of {tper} bytes, the kernel in blocks of {kernel}"),
    )
    .with_hint(
        "power-cycle the drive, which may keep its geometry from before a format; until both \
        agree, only range 0 is safe",
    ))
}

fn unknown_size() -> CliError {
    CliError::usage("the size of the drive is not known, so that percentages mean nothing")
        .with_hint("give the range in blocks or with a unit such as GiB")
}

fn beyond(text: &str, start: u64, blocks: u64) -> CliError {
    let error = CliError::usage(format!(
        "range {text} ends beyond the drive, which has {blocks} blocks"
    ));
    match blocks.checked_sub(start) {
        Some(rest @ 1..) => error.with_hint(format!("the length can be {rest} blocks at most")),
        _ => error,
    }
}

fn no_quantity(what: &str, text: &str) -> CliError {
    CliError::usage(format!("{text:?} is no {what}")).with_hint(
        "write blocks, or a number with a unit: 2048, 1GiB, 50%; a length may be \"rest\"",
    )
}

fn malformed(text: &str) -> CliError {
    CliError::usage(format!("{text:?} is no range"))
        .with_hint("write START+LENGTH, each in blocks or with a unit: 0+50%, 1GiB+100GiB")
}

fn quantity(text: &str) -> Option<Quantity> {
    let is_number = |character: char| character.is_ascii_digit() || character == '.';
    let split = text
        .find(|character| !is_number(character))
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    if unit == "%" {
        return share(number).map(Quantity::Share);
    }
    let number: u64 = number.parse().ok()?;
    let shift = match unit {
        "" => return Some(Quantity::Blocks(number)),
        "KiB" => 10,
        "MiB" => 20,
        "GiB" => 30,
        "TiB" => 40,
        _ => return None,
    };
    number.checked_mul(1 << shift).map(Quantity::Bytes)
}

/// A percentage with up to six decimal places.
fn share(number: &str) -> Option<u64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = u32::try_from(decimals.len())
        .ok()
        .filter(|digits| (1..=6).contains(digits))?;
    let decimals = decimals.parse::<u64>().ok()? * 10_u64.pow(6 - digits);
    let share = whole
        .parse::<u64>()
        .ok()?
        .checked_mul(1_000_000)?
        .checked_add(decimals)?;
    (share <= WHOLE).then_some(share)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRIVE: Layout = Layout {
        block_size: 512,
        blocks: Some(131_072),
        granularity: 8,
        lowest: 0,
    };

    fn extent(start: u64, length: u64) -> Extent {
        Extent { start, length }
    }

    #[test]
    fn the_rest_ends_with_the_drive() {
        let rest = |start| DRIVE.parse_parts(start, "rest");
        assert_eq!(rest("8").unwrap(), extent(8, 131_064));
        assert_eq!(rest("0").unwrap(), extent(0, 131_072));
        let odd = Layout {
            blocks: Some(1003),
            lowest: 3,
            ..DRIVE
        };
        assert_eq!(odd.parse_parts("11", "rest").unwrap(), extent(11, 992));
        // From block 0 on, the end is aligned, not the length: 1003 = 3 + 125 * 8.
        assert_eq!(odd.parse_parts("0", "rest").unwrap(), extent(0, 1003));
        assert!(rest("131072").unwrap_err().message.contains("beyond"));
        let parts = DRIVE.parse_parts("1MiB", "2048");
        assert_eq!(parts.unwrap(), extent(2048, 2048));
        assert!(DRIVE.parse_parts("rest", "8").is_err());
    }

    #[test]
    fn ranges_begin_at_aligned_blocks() {
        let odd = Layout { lowest: 3, ..DRIVE };
        for (block, even, with_offset) in
            [(0, 0, 0), (1, 8, 3), (8, 8, 11), (34, 40, 35), (35, 40, 35)]
        {
            assert_eq!(DRIVE.next_start(block), even);
            assert_eq!(odd.next_start(block), with_offset);
        }
    }

    #[test]
    fn blocks_units_and_shares_mean_the_same() {
        assert_eq!(DRIVE.parse("2048+65536"), Ok(extent(2048, 65536)));
        assert_eq!(DRIVE.parse("1MiB+32MiB"), Ok(extent(2048, 65536)));
        assert_eq!(DRIVE.parse("0+50%"), Ok(extent(0, 65536)));
        assert_eq!(DRIVE.parse("4KiB+12.5%"), Ok(extent(8, 16384)));
    }

    /// [Opal] 4.3.5.2.1.1: a start is aligned from the lowest aligned block on; a length too, where
    /// the range starts at block 0.
    #[test]
    fn shares_are_rounded_down_to_the_alignment() {
        let odd = Layout {
            blocks: Some(1001),
            ..DRIVE
        };
        assert_eq!(odd.parse("0+33.3%"), Ok(extent(0, 328)));
        let shifted = Layout { lowest: 3, ..odd };
        assert_eq!(shifted.parse("33.3%+33.3%"), Ok(extent(331, 328)));
        assert_eq!(shifted.parse("0+33.3%"), Ok(extent(0, 331)));
        assert_eq!(shifted.parse("0+0.1%"), Ok(extent(0, 0)));
    }

    #[test]
    fn parts_of_blocks_are_refused_with_the_nearest_numbers() {
        let large = Layout {
            block_size: 4096,
            ..DRIVE
        };
        let error = large.parse("1KiB+8KiB").unwrap_err();
        assert_eq!(
            error.hint.as_deref(),
            Some("the nearest are 0 and 1 (blocks)")
        );
    }

    #[test]
    fn ranges_end_on_the_drive() {
        assert_eq!(DRIVE.parse("131064+8"), Ok(extent(131_064, 8)));
        let error = DRIVE.parse("131064+16").unwrap_err();
        assert_eq!(
            error.hint.as_deref(),
            Some("the length can be 8 blocks at most")
        );
        assert!(DRIVE.parse("131072+8").unwrap_err().hint.is_none());
        let unknown = Layout {
            blocks: None,
            ..DRIVE
        };
        assert!(unknown.parse("131064+16").is_ok());
        assert!(unknown.parse("0+10%").is_err());
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in [
            "", "8", "+", "8+", "+8", "8-16", "8+16GB", "1 + 2", "-8+8", "8+101%",
        ] {
            assert!(DRIVE.parse(text).is_err(), "{text}");
        }
        for text in ["8+1.5GiB", "99999999999TiB+8", "8+.5%", "8+0.0000001%"] {
            assert!(DRIVE.parse(text).is_err(), "{text}");
        }
    }
}
