//! Hex as people keep it: text of any usual shape to bytes.
//!
//! Understood are digits with or without blanks, commas, `0x`, quotes and brackets between them, and
//! dumps with offsets as xxd, `hexdump -C` and sedutil write them, with a column of text or without,
//! with `*` for repeated lines. Lines that begin with `#` or `//` are
//! comments, and so is what follows these signs in a line without offset.
//!
//! ```
//! use sedkit::wire::hex;
//!
//! assert_eq!(hex::decode("0x10, 0x04, 0x00, 0x00")?, [0x10, 0x04, 0x00, 0x00]);
//! assert_eq!(hex::decode("00000000: 1004 0000 fa    .....")?, [0x10, 0x04, 0x00, 0x00, 0xfa]);
//! # Ok::<(), sedkit::wire::hex::HexError>(())
//! ```

mod dump;
mod listing;

pub(super) use dump::DumpLine;

use std::borrow::Cow;
use std::fmt::Write;

/// Most bytes that `*` lines of a dump may stand for in all.
pub const MAX_SQUEEZED: usize = 1 << 20;

/// Text that is no hex.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} in line {line} (byte {offset})")]
pub struct HexError {
    /// Offset of the offending character from the start of the text, in bytes.
    pub offset: usize,
    /// Its line, from 1.
    pub line: usize,
    /// What is wrong.
    pub kind: HexErrorKind,
}

/// What is wrong with the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HexErrorKind {
    /// Something that is neither a hex digit nor stands between hex digits.
    #[error("{0:?} is no hex digit")]
    NotHex(char),
    /// Half a byte.
    #[error("an odd number of hex digits")]
    OddDigits,
    /// A dump's line that holds other bytes than its own and the next offset say.
    #[error("a line that doesn't fit its offset")]
    Offset,
    /// A dump whose `*` stands for more than [`MAX_SQUEEZED`] bytes, or follows no line.
    #[error("a repetition of too many bytes, or of nothing")]
    Squeezed,
}

/// A line of the text.
#[derive(Clone, Copy)]
struct Line<'a> {
    /// Offset of the line in the text.
    start: usize,
    /// From 1.
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    /// True for the line that stands for repeated ones.
    fn is_squeezed(&self) -> bool {
        self.text.trim() == "*"
    }

    fn error(&self, at: usize, kind: HexErrorKind) -> HexError {
        HexError {
            offset: self.start + at,
            line: self.number,
            kind,
        }
    }
}

/// The bytes of a text.
///
/// # Errors
/// [`HexError`], if the text is not hex.
pub fn decode(text: &str) -> Result<Vec<u8>, HexError> {
    let lines = lines(text);
    if listing::is_dump(&lines) {
        return listing::decode(&lines);
    }
    let mut bytes = Vec::with_capacity(text.len() / 2);
    for line in &lines {
        decode_line(line, &mut bytes)?;
    }
    Ok(bytes)
}

/// The bytes of a captured file: decoded if it is text, as they stand if it isn't.
///
/// # Errors
/// [`HexError`], if the file is text but no hex.
pub fn decode_file(file: &[u8]) -> Result<Cow<'_, [u8]>, HexError> {
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e);
    match std::str::from_utf8(file) {
        Ok(text) if file.iter().all(is_text) => decode(text).map(Cow::Owned),
        _ => Ok(Cow::Borrowed(file)),
    }
}

/// Bytes as lower-case hex without anything between.
#[must_use]
pub fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        // Writing to a string can't fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The lines that are neither blank nor comments.
fn lines(text: &str) -> Vec<Line<'_>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for (index, text) in text.split_inclusive('\n').enumerate() {
        if !without_comment(text.trim_start()).trim_end().is_empty() {
            lines.push(Line {
                start,
                number: index + 1,
                text,
            });
        }
        start += text.len();
    }
    lines
}

fn without_comment(line: &str) -> &str {
    let end = line.find('#').into_iter().chain(line.find("//")).min();
    line.split_at(end.unwrap_or(line.len())).0
}

/// What may stand between bytes.
fn is_separator(character: char) -> bool {
    character.is_ascii_whitespace()
        || matches!(
            character,
            ',' | ';' | ':' | '-' | '{' | '}' | '[' | ']' | '"' | '\''
        )
}

/// Appends the bytes of a line without offset.
fn decode_line(line: &Line<'_>, bytes: &mut Vec<u8>) -> Result<(), HexError> {
    let mut at = 0;
    for token in without_comment(line.text).split_inclusive(is_separator) {
        let group = token.trim_end_matches(is_separator);
        for part in group.split("\\x") {
            decode_group(line, at, part, bytes)?;
        }
        at += token.len();
    }
    Ok(())
}

/// Appends the bytes of a group of digits that begins `at` in its line.
fn decode_group(
    line: &Line<'_>,
    at: usize,
    group: &str,
    bytes: &mut Vec<u8>,
) -> Result<(), HexError> {
    let prefixed = group.strip_prefix("0x").or(group.strip_prefix("0X"));
    let digits = prefixed.unwrap_or(group);
    if let Some((index, other)) = digits.char_indices().find(|(_, c)| !c.is_ascii_hexdigit()) {
        let at = at + group.len() - digits.len() + index;
        return Err(line.error(at, HexErrorKind::NotHex(other)));
    }
    let single = prefixed.filter(|digits| digits.len() == 1);
    if let Some(byte) = single.and_then(|digit| u8::from_str_radix(digit, 16).ok()) {
        bytes.push(byte);
        return Ok(());
    }
    let group = dump::group_bytes(digits).ok_or(line.error(at, HexErrorKind::OddDigits))?;
    bytes.extend(group);
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The first 36 bytes of a ComPacket.
    const BYTES: [u8; 36] = [
        0, 0, 0, 0, 0x10, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, //
        0, 0, 0, 0x28, 0, 0, 0x10, 0x01, 0, 0, 0, 0x69, 0, 0, 0, 0, //
        0x61, 0x62, 0x63, 0x64,
    ];

    #[track_caller]
    fn gives_bytes(text: &str) {
        assert_eq!(decode(text), Ok(BYTES.to_vec()), "{text}");
    }

    #[track_caller]
    fn fails(text: &str, offset: usize, line: usize, kind: HexErrorKind) {
        assert_eq!(decode(text), Err(HexError { offset, line, kind }), "{text}");
    }

    #[test]
    fn digits_alone() {
        gives_bytes(&encode(&BYTES));
        gives_bytes(
            "00000000100400000000000000000000\n0000002800001001\r\n0000006900000000\n\n61626364\n",
        );
        gives_bytes(
            "00000000 10040000 00000000 00000000\n00000028 00001001 00000069 00000000\n61626364",
        );
        assert_eq!(decode(""), Ok(Vec::new()));
    }

    #[test]
    fn source_code() {
        assert_eq!(decode("{ 0x10, 0x4, 0Xfe };"), Ok(vec![0x10, 4, 0xfe]));
        assert_eq!(decode("\"\\x10\\x04\""), Ok(vec![0x10, 4]));
        assert_eq!(
            decode("10:04:fe-00 # a comment"),
            Ok(vec![0x10, 4, 0xfe, 0])
        );
        assert_eq!(decode("// all\n0x1004"), Ok(vec![0x10, 4]));
    }

    #[test]
    fn xxd() {
        gives_bytes(
            "00000000: 0000 0000 1004 0000 0000 0000 0000 0000  ................\n\
             00000010: 0000 0028 0000 1001 0000 0069 0000 0000  ...(.......i....\n\
             00000020: 6162 6364                                abcd\n",
        );
    }

    #[test]
    fn hexdump_c() {
        gives_bytes(
            "00000000  00 00 00 00 10 04 00 00  00 00 00 00 00 00 00 00  |................|\n\
             00000010  00 00 00 28 00 00 10 01  00 00 00 69 00 00 00 00  |...(.......i....|\n\
             00000020  61 62 63 64                                       |abcd|\n\
             00000024\n",
        );
    }

    #[test]
    fn sedutil_and_the_style_of_this_project() {
        gives_bytes(
            "0000 00000000 10040000 00000000 00000000  ................ \n\
             0010 00000028 00001001 00000069 00000000  ...(.......i.... \n\
             0020 61626364                             abcd\n",
        );
        gives_bytes(
            "0000  00000000 10040000 00000000 00000000\n\
             0010  00000028 00001001 00000069 00000000\n\
             0020  61626364\n",
        );
    }

    #[test]
    fn an_excerpt_begins_anywhere() {
        let text = "0010 00000028 00001001 00000069 00000000  ...(.......i....\n0020 61626364";
        assert_eq!(decode(text), Ok(BYTES[16..].to_vec()));
    }

    #[test]
    fn one_line_with_an_offset() {
        assert_eq!(decode("0000  fb000000"), Ok(vec![0xfb, 0, 0, 0]));
        assert_eq!(decode("0000 1004"), Ok(vec![0, 0, 0x10, 4]));
        assert_eq!(decode("0000 1004fa    ..."), Ok(vec![0x10, 4, 0xfa]));
        assert_eq!(
            decode("00000000 1004 0000"),
            Ok(vec![0, 0, 0, 0, 0x10, 4, 0, 0])
        );
        assert_eq!(decode("0010: 1004"), Ok(vec![0x10, 4]));
    }

    #[test]
    fn text_that_looks_like_hex_is_no_data() {
        let text = "0000 30303030 30303030 30303030 30303030  0000000000000000\n\
                    0010 61616161 61616161 61616161 61616161  aaaaaaaaaaaaaaaa\n\
                    0020 63636363                             cccc\n";
        let expected = [[0x30; 16].as_slice(), &[0x61; 16], &[0x63; 4]].concat();
        assert_eq!(decode(text), Ok(expected));
        // No comment either.
        assert_eq!(decode("0000: 61622361  ab#a"), Ok(b"ab#a".to_vec()));
    }

    #[test]
    fn repeated_lines_are_expanded() {
        let text = "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n\
                    *\n\
                    00000100  01                                               |.|\n";
        let mut expected = vec![0; 256];
        expected.push(1);
        assert_eq!(decode(text), Ok(expected));
        let line = text.lines().next().unwrap();
        fails(
            &format!("{line}\n*\n"),
            line.len() + 1,
            2,
            HexErrorKind::Squeezed,
        );
        let far = format!("{line}\n*\nfffffff0  00\n");
        fails(&far, line.len() + 1, 2, HexErrorKind::Squeezed);
    }

    #[test]
    fn errors_say_where() {
        fails("1004 xy", 5, 1, HexErrorKind::NotHex('x'));
        fails("10\n0x1g", 6, 2, HexErrorKind::NotHex('g'));
        fails("10 0", 3, 1, HexErrorKind::OddDigits);
        fails("100", 0, 1, HexErrorKind::OddDigits);
        let gap = "00000000: 0000 0000\n00000004: 0000 0000\n00000010: 00\n";
        fails(gap, 40, 3, HexErrorKind::Offset);
        fails("00000000: zz", 0, 1, HexErrorKind::Offset);
        let error = decode("0000: 00\nno dump").unwrap_err();
        assert_eq!(
            error.to_string(),
            "a line that doesn't fit its offset in line 2 (byte 9)"
        );
    }

    #[test]
    fn binary_files_are_left_alone() {
        assert_eq!(decode_file(&BYTES).unwrap(), BYTES.as_slice());
        assert_eq!(decode_file(b"10 04\n").unwrap(), [0x10, 4].as_slice());
        assert!(decode_file(b"no hex").is_err());
    }

    proptest! {
        #[test]
        fn any_text_decodes_or_fails_cleanly(text in "[0-9a-fA-Fx:|*# \n]{0,200}") {
            let _ = decode(&text);
        }

        #[test]
        fn any_characters_decode_or_fail_cleanly(text in any::<String>()) {
            let _ = decode(&text);
        }

        #[test]
        fn bytes_survive(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(decode(&encode(&bytes)), Ok(bytes));
        }
    }
}
