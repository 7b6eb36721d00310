//! Secrets that are written in hexadecimal.

use zeroize::Zeroizing;

use super::Secret;

/// Why a text is not hexadecimal. Positions count bytes from 1; the text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HexError {
    /// Neither a digit nor a blank.
    #[error("the character at position {position} is no hexadecimal digit")]
    Digit {
        /// Where it stands.
        position: usize,
    },
    /// A byte has one digit only.
    #[error("the byte that begins at position {position} has one digit only")]
    Odd {
        /// Where its digit stands.
        position: usize,
    },
}

/// Decodes pairs of hexadecimal digits of either case.
///
/// Blanks and line ends may stand between bytes, since tools wrap long lines, and not within one.
///
/// # Errors
/// [`HexError`] for anything else.
pub fn parse_hex(text: &Secret) -> Result<Secret, HexError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(text.len() / 2));
    let mut high = None;
    for (index, &byte) in text.expose().iter().enumerate() {
        let position = index + 1;
        match (digit(byte), high) {
            (Some(value), None) => high = Some((value, position)),
            (Some(low), Some((value, _))) => {
                bytes.push(value << 4 | low);
                high = None;
            }
            (None, Some((_, position))) => return Err(HexError::Odd { position }),
            (None, None) if byte.is_ascii_whitespace() => {}
            (None, None) => return Err(HexError::Digit { position }),
        }
    }
    match high {
        Some((_, position)) => Err(HexError::Odd { position }),
        None => Ok(Secret::from_slice(&bytes)),
    }
}

/// The value of a hexadecimal digit.
pub(super) const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        b'A'..=b'F' => Some(byte - b'A' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Vec<u8>, HexError> {
        parse_hex(&Secret::from_slice(text.as_bytes())).map(|secret| secret.expose().to_vec())
    }

    #[test]
    fn digits_of_either_case_are_read() {
        assert_eq!(parse("00ff7Fa5A5"), Ok(vec![0x00, 0xff, 0x7f, 0xa5, 0xa5]));
        assert_eq!(parse(""), Ok(vec![]));
    }

    #[test]
    fn wrapped_lines_are_read() {
        assert_eq!(parse("0102\n03 04\r\n\t05\n"), Ok(vec![1, 2, 3, 4, 5]));
    }

    #[test]
    fn half_bytes_are_refused() {
        assert_eq!(parse("012"), Err(HexError::Odd { position: 3 }));
        assert_eq!(parse("0 1"), Err(HexError::Odd { position: 1 }));
        assert_eq!(parse("0g"), Err(HexError::Odd { position: 1 }));
    }

    #[test]
    fn other_characters_are_refused() {
        assert_eq!(parse("00gg"), Err(HexError::Digit { position: 3 }));
        assert_eq!(parse("00:11"), Err(HexError::Digit { position: 3 }));
        assert_eq!(parse("0x00"), Err(HexError::Odd { position: 1 }));
        assert_eq!(parse("é"), Err(HexError::Digit { position: 1 }));
    }
}
