//! Sizes in bytes, as people write them.

use super::error::CliError;

/// Units of a size, the longest names first.
const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("", 0)];

/// A number of bytes, with or without a unit.
pub(crate) fn parse(text: &str) -> Result<u64, CliError> {
    let number_of = |(unit, shift): &(&str, u32)| {
        let number: u64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        number.checked_mul(1 << shift)
    };
    UNITS.iter().find_map(number_of).ok_or_else(|| {
        CliError::usage(format!("{text} is no size"))
            .with_hint("a size is a number of bytes, or a number with KiB, MiB, GiB or TiB")
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
    fn what_is_no_size_is_refused() {
        for text in ["", "MiB", "-1", "64MB", "1e6", "99999999999TiB", "64MiBs"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
