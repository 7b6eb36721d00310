//! Hex dumps: lines of an offset, groups of hex digits, and maybe a column of text.
//!
//! The offset of the next line tells how many bytes a line holds, so that a column of text is never
//! taken for data. Only the last line has to be judged by its looks.

/// A line that begins with an offset.
#[derive(Clone, Copy, Debug)]
pub(in crate::wire) struct DumpLine<'a> {
    /// The offset.
    pub(in crate::wire) offset: u64,
    /// True if a colon follows the offset.
    pub(in crate::wire) has_colon: bool,
    /// True if a wide gap or a column of text shows that the line is no mere sequence of digits.
    pub(in crate::wire) stands_apart: bool,
    body: &'a str,
}

const BLANK: [char; 2] = [' ', '\t'];

impl<'a> DumpLine<'a> {
    /// The line, if it begins with three to sixteen hex digits that end in a colon or a blank.
    pub(in crate::wire) fn parse(line: &'a str) -> Option<Self> {
        let line = line.trim();
        let line = line.strip_prefix("0x").unwrap_or(line);
        let digits = line.bytes().take_while(u8::is_ascii_hexdigit).count();
        let (offset, rest) = line.split_at_checked(digits)?;
        let body = rest.strip_prefix(':').unwrap_or(rest);
        let ends = body.is_empty() || body.starts_with(BLANK);
        if !(3..=16).contains(&digits) || !ends {
            return None;
        }
        let is_digits = |group| group_bytes(group).is_some();
        let is_gap = body.starts_with("  ") || body.starts_with('\t');
        Some(Self {
            offset: u64::from_str_radix(offset, 16).ok()?,
            has_colon: body.len() < rest.len(),
            stands_apart: is_gap || !body.split_whitespace().all(is_digits),
            body,
        })
    }

    /// The bytes of a line that holds exactly `count`; whatever follows them is text.
    pub(in crate::wire) fn take(&self, count: usize) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut rest = self.body;
        while bytes.len() < count {
            let (pair, after) = rest.trim_start_matches(BLANK).split_at_checked(2)?;
            bytes.push(byte(pair)?);
            rest = after;
        }
        let ends = rest.is_empty() || rest.starts_with([' ', '\t', '|', '>']);
        ends.then_some(bytes)
    }

    /// The bytes of a line that holds nobody knows how many.
    pub(in crate::wire) fn bytes(&self) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        let mut rest = self.body;
        loop {
            let text = rest.trim_start_matches(BLANK);
            let is_apart = rest.len() - text.len() > 1 && !bytes.is_empty();
            if text.is_empty() || text.starts_with(['|', '>']) {
                return Some(bytes);
            }
            let (group, after) = text.split_at(text.find(BLANK).unwrap_or(text.len()));
            match group_bytes(group) {
                Some(more) if !(is_apart && is_text_column(text, bytes.len())) => {
                    bytes.extend(more);
                }
                _ if is_apart => return Some(bytes),
                _ => return None,
            }
            rest = after;
        }
    }
}

/// True if what stands apart after `count` bytes can be their text: a character for each byte.
fn is_text_column(text: &str, count: usize) -> bool {
    let characters = text.chars().count();
    let is_hex = text
        .split_whitespace()
        .all(|group| group_bytes(group).is_some());
    characters == count || characters < count && !is_hex
}

/// The bytes of an even number of hex digits.
pub(super) fn group_bytes(group: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(group.len() / 2);
    let mut rest = group;
    while !rest.is_empty() {
        let (pair, after) = rest.split_at_checked(2)?;
        bytes.push(byte(pair)?);
        rest = after;
    }
    Some(bytes)
}

fn byte(pair: &str) -> Option<u8> {
    let is_hex = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
    u8::from_str_radix(pair, 16).ok().filter(|_| is_hex)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(line: &str) -> Option<Vec<u8>> {
        DumpLine::parse(line)?.bytes()
    }

    #[test]
    fn offsets_end_in_a_colon_or_a_blank() {
        assert_eq!(DumpLine::parse("0010: 00").unwrap().offset, 0x10);
        assert_eq!(DumpLine::parse("0x00a0  00").unwrap().offset, 0xa0);
        assert!(DumpLine::parse("00000000: 0001").unwrap().has_colon);
        assert!(!DumpLine::parse("0000 00000000").unwrap().has_colon);
        let stands_apart = |line| DumpLine::parse(line).unwrap().stands_apart;
        assert!(stands_apart("0000  00000000") && stands_apart("0000\t00"));
        assert!(stands_apart("0000 61626364  abc."));
        assert!(!stands_apart("00000000 1004 00"));
        for line in [
            "",
            "00 11",
            "0000",
            "00000000000000000 00",
            "12g4 00",
            "hexDump",
        ] {
            let parsed = DumpLine::parse(line);
            assert_eq!(parsed.is_some(), line == "0000", "{line}");
        }
    }

    #[test]
    fn a_known_count_ends_before_the_text() {
        let line = DumpLine::parse("0000 61626364 65666768 abcdefgh").unwrap();
        assert_eq!(line.take(8).unwrap(), b"abcdefgh");
        assert_eq!(line.take(4).unwrap(), b"abcd");
        assert_eq!(line.take(13), None);
        assert_eq!(line.take(3), None, "in the middle of a group");
    }

    #[test]
    fn the_last_line_is_judged_by_its_looks() {
        assert_eq!(
            bytes("0050 69840000 f1        i...."),
            Some(vec![0x69, 0x84, 0, 0, 0xf1])
        );
        assert_eq!(bytes("0000 3132 3334  1234"), Some(b"1234".to_vec()));
        assert_eq!(
            bytes("0000 31 32 33 34  35 36 37 38"),
            Some(b"12345678".to_vec())
        );
        assert_eq!(bytes("0000  31 32  |12|"), Some(b"12".to_vec()));
        assert_eq!(bytes("0000 31 32 >12<"), Some(b"12".to_vec()));
        assert_eq!(bytes("0000: 3"), None);
        assert_eq!(bytes("0000: 31 zz"), None);
        assert_eq!(bytes("0000: +1"), None);
    }
}
