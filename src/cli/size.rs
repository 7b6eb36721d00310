//! Sizes in bytes, as people write them.

use super::error::CliError;

/// A size that somebody typed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Size {
    /// So many bytes.
    Bytes(u64),
    /// About so many bytes: it had a unit.
    About(u64),
}

/// Units of a size, the longest names first.
const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("", 0)];

impl Size {
    /// A number of bytes, with or without a unit.
    pub(crate) fn parse(text: &str) -> Result<Self, CliError> {
        let size = UNITS.iter().find_map(|unit| Self::in_unit(text, *unit));
        size.ok_or_else(|| {
            CliError::usage(format!("{text} is no size"))
                .with_hint("a size is a number of bytes, or a number with KiB, MiB, GiB or TiB")
        })
    }

    fn in_unit(text: &str, (unit, shift): (&str, u32)) -> Option<Self> {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        let bytes = number.checked_mul(1 << shift)?;
        Some(match shift {
            0 => Self::Bytes(bytes),
            _ => Self::About(bytes),
        })
    }

    /// Bytes of a drive with such blocks. What had a unit is rounded down to whole blocks, as 64 MiB
    /// are no whole number of blocks of 520 bytes.
    pub(crate) fn of_blocks(self, block_size: u32) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::About(bytes) => bytes - bytes.checked_rem(block_size.into()).unwrap_or(0),
        }
    }
}

/// A number of bytes, with or without a unit.
pub(crate) fn parse(text: &str) -> Result<u64, CliError> {
    Ok(match Size::parse(text)? {
        Size::Bytes(bytes) | Size::About(bytes) => bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        assert_eq!(parse("64MiB"), Ok(64 << 20));
        assert_eq!(parse("4 KiB"), Ok(4096));
        assert_eq!(parse("512"), Ok(512));
        assert_eq!(parse("2TiB"), Ok(2 << 40));
    }

    #[test]
    fn a_size_with_a_unit_is_rounded_to_blocks() {
        assert_eq!(Size::About(64 << 20).of_blocks(512), 64 << 20);
        assert_eq!(Size::About(64 << 20).of_blocks(520), 129_055 * 520);
        assert_eq!(Size::Bytes(1000).of_blocks(512), 1000);
    }

    #[test]
    fn what_is_no_size_is_refused() {
        for text in ["", "MiB", "-1", "64MB", "1e6", "99999999999TiB", "64MiBs"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
