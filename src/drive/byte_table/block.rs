//! Blocks: the pieces in which bytes of a table are written.

use std::ops::Range;

use super::ByteTable;

/// Bytes of a table that somebody is interested in, and the blocks that hold them.
///
/// Blocks are counted from the beginning of the table, so that a run that goes on where another one
/// was interrupted works on the same ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Span {
    offset: u64,
    end: u64,
    granularity: u64,
    block: u64,
    limit: u64,
}

/// One block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    /// The bytes of the table that one Set writes.
    pub(super) table: Range<u64>,
    /// Those of them that somebody is interested in; the others stay as they are.
    pub(super) wanted: Range<u64>,
}

impl Span {
    /// Bytes of a table, in blocks of so many bytes, a multiple of what the table demands.
    pub(super) fn new(table: ByteTable, offset: u64, length: u64, block: u64) -> Self {
        Self {
            offset,
            end: offset.saturating_add(length),
            granularity: table.write_granularity,
            block: block.max(1),
            limit: table.size,
        }
    }

    /// The number of bytes.
    pub(super) const fn length(&self) -> u64 {
        self.end.saturating_sub(self.offset)
    }

    /// The offset of a byte from the first one.
    pub(super) const fn within(&self, byte: u64) -> u64 {
        byte.saturating_sub(self.offset)
    }

    /// The number of blocks.
    pub(super) const fn count(&self) -> u64 {
        let first = self.offset / self.block;
        match self.length() {
            0 => 0,
            _ => self.end.div_ceil(self.block).saturating_sub(first),
        }
    }

    /// All blocks.
    pub(super) fn blocks(self) -> impl Iterator<Item = Block> {
        self.blocks_of(self.offset..self.end)
    }

    /// The blocks of some of the bytes.
    pub(super) fn blocks_of(self, bytes: Range<u64>) -> impl Iterator<Item = Block> {
        let first = bytes.start / self.block;
        let last = bytes.end.div_ceil(self.block).max(first);
        let last = if bytes.is_empty() { first } else { last };
        (first..last).map(move |number| self.block(number, &bytes))
    }

    /// Bytes of the first block, of the last, and of at most so many between them.
    pub(in super::super) fn samples(self, between: usize) -> Vec<Range<u64>> {
        let mut bytes: Vec<_> = self.blocks().map(|block| block.wanted).collect();
        let last = bytes.pop();
        let step = bytes.len().div_ceil(between.max(1)).max(1);
        bytes.into_iter().step_by(step).chain(last).collect()
    }

    fn block(&self, number: u64, bytes: &Range<u64>) -> Block {
        let start = number.saturating_mul(self.block);
        let wanted = start.max(bytes.start)..start.saturating_add(self.block).min(bytes.end);
        let granularity = self.granularity.max(1);
        let table_start = wanted.start - wanted.start % granularity;
        let table_end = wanted.end.checked_next_multiple_of(granularity);
        let table_end = table_end.unwrap_or(u64::MAX).min(self.limit);
        Block {
            table: table_start..table_end.max(wanted.end),
            wanted,
        }
    }
}

impl Block {
    /// Whether all of its bytes are of interest.
    pub(super) fn is_whole(&self) -> bool {
        self.table == self.wanted
    }

    /// The bytes of interest, of all.
    pub(super) fn part<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        bytes.get(self.indices()).unwrap_or_default()
    }

    /// The same bytes with others where they are of interest.
    pub(super) fn merged(&self, mut bytes: Vec<u8>, wanted: &[u8]) -> Vec<u8> {
        if let Some(part) = bytes.get_mut(self.indices())
            && part.len() == wanted.len()
        {
            part.copy_from_slice(wanted);
        }
        bytes
    }

    fn indices(&self) -> Range<usize> {
        let index = |byte: u64| usize::try_from(byte - self.table.start).unwrap_or(usize::MAX);
        index(self.wanted.start)..index(self.wanted.end)
    }
}

#[cfg(test)]
mod tests {
    use super::super::TableName;
    use super::*;

    const fn table(size: u64, granularity: u64) -> ByteTable {
        ByteTable {
            name: TableName::Mbr,
            size,
            write_granularity: granularity,
            access_granularity: granularity,
        }
    }

    fn span(granularity: u64, offset: u64, length: u64, block: u64) -> Vec<Block> {
        let span = Span::new(table(1000, granularity), offset, length, block);
        let blocks: Vec<Block> = span.blocks().collect();
        assert_eq!(u64::try_from(blocks.len()), Ok(span.count()));
        blocks
    }

    #[test]
    fn a_table_without_end_has_a_last_block() {
        let endless = table(u64::MAX, 48);
        assert_eq!(
            Span::new(endless, 0, u64::MAX, 48).count(),
            u64::MAX / 48 + 1
        );
        let mut last = Span::new(endless, u64::MAX - 3, 3, 48).blocks();
        let expected = block(u64::MAX - 15..u64::MAX, u64::MAX - 3..u64::MAX);
        assert_eq!(last.next(), Some(expected));
    }

    fn block(table: Range<u64>, wanted: Range<u64>) -> Block {
        Block { table, wanted }
    }

    #[test]
    fn blocks_are_counted_from_the_beginning_of_the_table() {
        let blocks = span(1, 250, 160, 100);
        let expected = [
            block(250..300, 250..300),
            block(300..400, 300..400),
            block(400..410, 400..410),
        ];
        assert_eq!(blocks, expected);
        assert_eq!(span(1, 250, 0, 100), []);
        assert_eq!(span(1, 200, 100, 100), [block(200..300, 200..300)]);
    }

    #[test]
    fn blocks_are_aligned_as_the_table_demands() {
        let blocks = span(16, 5, 100, 64);
        assert_eq!(blocks, [block(0..64, 5..64), block(64..112, 64..105)]);
        assert!(blocks.iter().all(|block| !block.is_whole()));
    }

    #[test]
    fn blocks_end_with_the_table() {
        assert_eq!(span(64, 970, 30, 64), [block(960..1000, 970..1000)]);
    }

    #[test]
    fn what_is_of_no_interest_stays_as_it_is() {
        let block = block(0..8, 2..5);
        assert_eq!(
            block.merged(vec![9; 8], &[1, 2, 3]),
            [9, 9, 1, 2, 3, 9, 9, 9]
        );
        assert_eq!(block.part(&[0, 1, 2, 3, 4, 5, 6, 7]), [2, 3, 4]);
    }
}
