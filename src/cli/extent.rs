//! `START+LENGTH`: where a locking range is to be, in blocks, aligned as the drive demands.

use super::error::CliError;

/// What a range has to fit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    /// Bytes of a logical block.
    pub(crate) block_size: u64,
    /// Blocks of the drive, where that is known.
    pub(crate) blocks: Option<u64>,
    /// Blocks of which start and length are multiples; 1 where the drive demands nothing.
    pub(crate) granularity: u64,
    /// The block from which alignment counts.
    pub(crate) lowest: u64,
}

/// A run of blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    /// First block.
    pub(crate) start: u64,
    /// Blocks.
    pub(crate) length: u64,
}

/// A number of blocks as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quantity {
    Blocks(u64),
    Bytes(u64),
    /// Of the whole drive, in millionths.
    Share(u64),
}

/// Reads `START+LENGTH` and checks it against the drive (\[Opal\] 4.3.1.7.1 on alignment).
///
/// Numbers without a unit are blocks, percentages are rounded down to the alignment; everything
/// else is refused with the nearest valid value where it does not fit.
pub(crate) fn parse(text: &str, layout: Layout) -> Result<Extent, CliError> {
    let (start, length) = text
        .split_once('+')
        .and_then(|(start, length)| Some((quantity(start)?, quantity(length)?)))
        .ok_or_else(|| malformed(text))?;
    let start = layout.blocks_of(start, Part::Start)?;
    let length = layout.blocks_of(length, Part::Length { start })?;
    if length == 0 {
        return Err(CliError::usage(format!("range {text} is empty")));
    }
    layout.check_end(text, start, length)?;
    Ok(Extent { start, length })
}

#[derive(Clone, Copy)]
enum Part {
    Start,
    Length { start: u64 },
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Length { .. } => "length",
        }
    }
}

impl Layout {
    fn blocks_of(self, quantity: Quantity, part: Part) -> Result<u64, CliError> {
        match quantity {
            Quantity::Blocks(blocks) => self.aligned(blocks, part),
            Quantity::Bytes(bytes) if bytes % self.block_size == 0 => {
                self.aligned(bytes / self.block_size, part)
            }
            Quantity::Bytes(bytes) => Err(self.misaligned(bytes / self.block_size, part)),
            Quantity::Share(share) => {
                let blocks = self.blocks.ok_or_else(unknown_size)?;
                let wide = u128::from(blocks) * u128::from(share) / u128::from(WHOLE);
                let blocks = u64::try_from(wide).unwrap_or(blocks);
                Ok(self.below(blocks, part).unwrap_or(0))
            }
        }
    }

    fn aligned(self, blocks: u64, part: Part) -> Result<u64, CliError> {
        if blocks == 0 || self.below(blocks, part) == Some(blocks) {
            return Ok(blocks);
        }
        Err(self.misaligned(blocks, part))
    }

    /// From which block this part counts: lengths from 0 on count like starts.
    const fn origin(self, part: Part) -> u64 {
        match part {
            Part::Start | Part::Length { start: 0 } => self.lowest % self.granularity,
            Part::Length { .. } => 0,
        }
    }

    /// The greatest valid value that is not above `blocks`; none below the first one.
    fn below(self, blocks: u64, part: Part) -> Option<u64> {
        let origin = self.origin(part);
        let steps = blocks.checked_sub(origin)? / self.granularity;
        Some(origin + steps * self.granularity)
    }

    fn misaligned(self, blocks: u64, part: Part) -> CliError {
        let below = self.below(blocks, part);
        let above = below.map_or(Some(self.origin(part)), |low| {
            low.checked_add(self.granularity)
        });
        let valid: Vec<String> = [below.filter(|&low| low > 0), above]
            .into_iter()
            .flatten()
            .map(|blocks| blocks.to_string())
            .collect();
        CliError::usage(format!(
            "{} {blocks} is not aligned: the drive takes multiples of {} blocks of {} bytes",
            part.name(),
            self.granularity,
            self.block_size
        ))
        .with_hint(format!(
            "the nearest valid values are {} (in blocks)",
            valid.join(" and ")
        ))
    }

    fn check_end(self, text: &str, start: u64, length: u64) -> Result<(), CliError> {
        let end = start.checked_add(length);
        match (end, self.blocks) {
            (Some(end), Some(blocks)) if end > blocks => Err(beyond(text, start, blocks)),
            (None, _) => Err(CliError::usage(format!(
                "range {text} ends beyond any drive"
            ))),
            _ => Ok(()),
        }
    }
}

const WHOLE: u64 = 100_000_000;

fn unknown_size() -> CliError {
    CliError::usage("the size of the drive is not known, so that percentages mean nothing")
        .with_hint("give the range in blocks or with a unit such as GiB")
}

fn beyond(text: &str, start: u64, blocks: u64) -> CliError {
    CliError::usage(format!(
        "range {text} ends beyond the drive, which has {blocks} blocks"
    ))
    .with_hint(format!(
        "the length can be {} blocks at most",
        blocks.saturating_sub(start)
    ))
}

fn malformed(text: &str) -> CliError {
    CliError::usage(format!("{text:?} is no range"))
        .with_hint("write START+LENGTH, each in blocks or with a unit: 0+50%, 1GiB+100GiB")
}

fn quantity(text: &str) -> Option<Quantity> {
    let split = text
        .find(|c: char| !c.is_ascii_digit() && c != '.')
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

/// A percentage with up to six decimal places, in millionths of a percent.
fn share(number: &str) -> Option<u64> {
    let (whole, decimals) = number.split_once('.').unwrap_or((number, "0"));
    let digits = decimals.len();
    if digits == 0 || digits > 6 {
        return None;
    }
    let scale = 10_u64.pow(6 - u32::try_from(digits).ok()?);
    let share = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?;
    let share = share.checked_add(decimals.parse::<u64>().ok()? * scale)?;
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
    fn blocks_units_and_shares_mean_the_same() {
        assert_eq!(parse("2048+65536", DRIVE), Ok(extent(2048, 65536)));
        assert_eq!(parse("1MiB+32MiB", DRIVE), Ok(extent(2048, 65536)));
        assert_eq!(parse("0+50%", DRIVE), Ok(extent(0, 65536)));
        assert_eq!(parse("4KiB+12.5%", DRIVE), Ok(extent(8, 16384)));
    }

    #[test]
    fn shares_are_rounded_down_to_the_alignment() {
        let odd = Layout {
            blocks: Some(1001),
            ..DRIVE
        };
        assert_eq!(parse("0+33.3%", odd), Ok(extent(0, 328)));
    }

    #[test]
    fn misaligned_values_are_refused_with_the_nearest_valid_ones() {
        let error = parse("4+16", DRIVE).unwrap_err();
        assert!(
            error.message.starts_with("start 4 is not aligned"),
            "{error}"
        );
        assert_eq!(
            error.hint.as_deref(),
            Some("the nearest valid values are 8 (in blocks)")
        );
        let error = parse("8+12", DRIVE).unwrap_err();
        assert_eq!(
            error.hint.as_deref(),
            Some("the nearest valid values are 8 and 16 (in blocks)")
        );
    }

    /// The examples of [Opal] 5.4 and of the formula in 4.3.1.7.1.
    #[test]
    fn alignment_counts_from_the_lowest_aligned_block() {
        let shifted = Layout {
            granularity: 8,
            lowest: 1,
            ..DRIVE
        };
        let odd = Layout {
            granularity: 2000,
            lowest: 1234,
            ..DRIVE
        };
        for (layout, start, length, is_valid) in [
            (DRIVE, 8, 16, true),
            (DRIVE, 4, 16, false),
            (DRIVE, 8, 12, false),
            (shifted, 1, 8, true),
            (shifted, 0, 9, true),
            (shifted, 0, 8, false),
            (odd, 1234, 2000, true),
            (odd, 0, 1234, true),
            (odd, 3234, 4000, true),
            (odd, 2000, 2000, false),
        ] {
            let parsed = parse(&format!("{start}+{length}"), layout);
            assert_eq!(parsed.is_ok(), is_valid, "{start}+{length}");
        }
    }

    #[test]
    fn ranges_end_on_the_drive() {
        assert_eq!(parse("131064+8", DRIVE), Ok(extent(131_064, 8)));
        let error = parse("131064+16", DRIVE).unwrap_err();
        assert_eq!(
            error.hint.as_deref(),
            Some("the length can be 8 blocks at most")
        );
        let unknown = Layout {
            blocks: None,
            ..DRIVE
        };
        assert!(parse("131064+16", unknown).is_ok());
        assert!(parse("18446744073709551608+8", unknown).is_err());
        assert!(parse("0+10%", unknown).is_err());
    }

    #[test]
    fn other_texts_are_no_ranges() {
        for text in [
            "", "8", "+", "8+", "+8", "8-16", "8+16GB", "1 + 2", "-8+8", "8+101%", "0+0",
        ] {
            assert!(parse(text, DRIVE).is_err(), "{text}");
        }
        assert!(parse("8+1.5GiB", DRIVE).is_err());
        assert!(parse("99999999999TiB+8", DRIVE).is_err());
    }
}
