//! Whole dumps: offsets that follow each other, and `*` for lines that repeat.

use super::{DumpLine, HexError, HexErrorKind, Line, MAX_SQUEEZED};

/// Most bytes in one line of a dump.
const MAX_LINE: u64 = 256;

/// True if the lines are a dump with offsets, not digits without.
///
/// A `*` or a colon tells. Offsets without a colon are told from data by following each other in
/// most lines. A single line counts if its first group is all zeros and stands apart from the others.
pub(super) fn is_dump(lines: &[Line<'_>]) -> bool {
    if lines.iter().any(Line::is_squeezed) {
        return true;
    }
    let parsed: Vec<_> = lines
        .iter()
        .map(|line| DumpLine::parse(line.text))
        .collect();
    match parsed.as_slice() {
        [Some(first), ..] if first.has_colon => true,
        [Some(only)] => only.offset == 0 && only.stands_apart,
        pairs => {
            let fitting = pairs.windows(2).filter(|pair| match pair {
                [Some(line), Some(next)] => taken(line, next.offset).is_some(),
                _ => false,
            });
            let fitting = fitting.count();
            fitting > 0 && 2 * fitting >= pairs.len() - 1
        }
    }
}

/// The bytes of a line that ends where the next one begins.
fn taken(line: &DumpLine<'_>, next: u64) -> Option<Vec<u8>> {
    let count = next.checked_sub(line.offset)?;
    let count = usize::try_from(count)
        .ok()
        .filter(|_| (1..=MAX_LINE).contains(&count))?;
    line.take(count)
}

/// The bytes of a dump. Its first offset may be any.
pub(super) fn decode(lines: &[Line<'_>]) -> Result<Vec<u8>, HexError> {
    let mut dump = Dump::default();
    for (index, line) in lines.iter().enumerate() {
        if line.is_squeezed() {
            dump.squeezed = Some(*line);
            continue;
        }
        let unfit = line.error(0, HexErrorKind::Offset);
        let parsed = DumpLine::parse(line.text).ok_or(unfit)?;
        dump.reach(parsed.offset, unfit)?;
        let next = lines
            .get(index + 1)
            .and_then(|next| DumpLine::parse(next.text));
        let bytes = next
            .and_then(|next| taken(&parsed, next.offset))
            .or_else(|| parsed.bytes())
            .ok_or(unfit)?;
        dump.append(bytes);
    }
    match dump.squeezed {
        Some(line) => Err(line.error(0, HexErrorKind::Squeezed)),
        None => Ok(dump.bytes),
    }
}

/// A dump as far as it has been read.
#[derive(Default)]
struct Dump<'a> {
    base: Option<u64>,
    bytes: Vec<u8>,
    last: Vec<u8>,
    squeezed: Option<Line<'a>>,
    repeated: usize,
}

impl Dump<'_> {
    /// Repeats the last line up to `offset` if a `*` says so, and checks that `offset` comes next.
    fn reach(&mut self, offset: u64, unfit: HexError) -> Result<(), HexError> {
        let base = *self.base.get_or_insert(offset);
        let expected = offset
            .checked_sub(base)
            .and_then(|offset| usize::try_from(offset).ok())
            .ok_or(unfit)?;
        if let Some(line) = self.squeezed.take() {
            self.repeat(expected)
                .ok_or(line.error(0, HexErrorKind::Squeezed))?;
        }
        if expected == self.bytes.len() {
            Ok(())
        } else {
            Err(unfit)
        }
    }

    fn repeat(&mut self, end: usize) -> Option<()> {
        let more = end.checked_sub(self.bytes.len())?;
        self.repeated = self.repeated.checked_add(more)?;
        if self.last.is_empty() || self.repeated > MAX_SQUEEZED {
            return None;
        }
        let repeated = self.last.iter().copied().cycle().take(more);
        self.bytes.extend(repeated);
        Some(())
    }

    fn append(&mut self, bytes: Vec<u8>) {
        self.bytes.extend_from_slice(&bytes);
        self.last = bytes;
    }
}
