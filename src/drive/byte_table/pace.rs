//! When to look before a block is written, and when to write it unseen.
//!
//! A block costs two IF commands to read and two to write, and whatever was written is read back at
//! the end. A table that is as asked shall be read and not written; one that is altogether different
//! shall not be read in vain. So blocks are read as long as they are as asked. After two in a row
//! that were not, the next one is written unseen, then after each further one that was read and was
//! not as asked twice as many, up to [`LONGEST`]; the first one that is as asked again ends that.
//!
//! Reading in vain is paid for from an account, so that the worst case is not worse than writing
//! everything and reading it back: a block that turns out to be as asked pays one in, a block that
//! does not takes one out, and while there is nothing left, blocks are written unseen. With n blocks,
//! in IF commands:
//!
//! | the table | compared and written | together with reading back |
//! |---|---|---|
//! | as asked | 2n | 2n |
//! | altogether different | 2n + 2 (n / 129 + 9) at most | 4n + 2 (n / 129 + 9) at most |
//! | whatever it is | 3n + 2 (n / 100 + 10) at most | 4n + 2 (n / 100 + 10) at most |
//!
//! 128 MiB are 2,052 blocks at packets of 64 KiB: 4,154 for a table that is altogether different,
//! and 8,268 at most with reading back, whatever was there. Blocks that are written unseen although
//! they were as asked do no harm.

/// The most blocks that are written unseen in a row.
const LONGEST: u32 = 128;

/// How blocks turned out so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pace {
    /// Blocks in a row that were read and were not as asked.
    misses: u32,
    /// Blocks to write unseen now.
    unseen: u32,
    /// Blocks that may still be read in vain.
    credit: u64,
}

impl Pace {
    /// For so many blocks.
    pub(super) const fn new(blocks: u64) -> Self {
        Self {
            misses: 0,
            unseen: 0,
            credit: blocks / 100 + 10,
        }
    }

    /// A block was as asked.
    pub(super) const fn hit(&mut self) {
        self.misses = 0;
        self.unseen = 0;
        self.credit = self.credit.saturating_add(1);
    }

    /// A block was not as asked.
    pub(super) const fn miss(&mut self) {
        self.misses = self.misses.saturating_add(1);
        self.credit = self.credit.saturating_sub(1);
        self.unseen = match self.misses {
            0 | 1 => 0,
            2..=8 => 1 << (self.misses - 2),
            _ => LONGEST,
        };
    }

    /// Whether the next block is to be written unseen.
    pub(super) const fn takes_unseen(&mut self) -> bool {
        let takes = self.unseen > 0 || self.credit == 0;
        self.unseen = self.unseen.saturating_sub(1);
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that were read, and blocks that were written, of some of which `differs` holds.
    fn walk(blocks: u64, differs: impl Fn(u64) -> bool) -> (u64, u64) {
        let mut pace = Pace::new(blocks);
        let (mut read, mut written) = (0, 0);
        for block in 0..blocks {
            if pace.takes_unseen() {
                written += 1;
                continue;
            }
            read += 1;
            if differs(block) {
                written += 1;
                pace.miss();
            } else {
                pace.hit();
            }
        }
        (read, written)
    }

    #[test]
    fn what_is_as_asked_is_only_read() {
        assert_eq!(walk(2052, |_| false), (2052, 0));
    }

    #[test]
    fn one_difference_costs_one_write() {
        assert_eq!(walk(2052, |block| block == 1000), (2052, 1));
    }

    #[test]
    fn what_is_altogether_different_is_hardly_read() {
        let (read, written) = walk(2052, |_| true);
        assert_eq!(written, 2052);
        assert!(read <= 2052 / 129 + 9, "{read}");
    }

    #[test]
    fn no_pattern_costs_more_than_the_table_says() {
        for period in 1..=11_u64 {
            for pattern in 0..1_u64 << period {
                let blocks = period * 60;
                let (read, written) = walk(blocks, |block| (pattern >> (block % period)) & 1 == 1);
                let vain = 2 * (blocks / 100 + 10);
                let case = format!("{pattern:b} of {period}");
                assert!(2 * (read + written) <= 3 * blocks + vain, "{case}");
                assert!(2 * (read + 2 * written) <= 4 * blocks + vain, "{case}");
            }
        }
    }

    #[test]
    fn no_more_is_written_unseen_in_vain_than_was_not_as_asked() {
        for run in 1..600 {
            let (_, written) = walk(2000, |block| block < run);
            assert!(written <= 2 * run, "{run}");
        }
    }
}
