//! When to look before a block is written, and when to write it unseen.
//!
//! A block costs two IF commands to read and two to write, and whatever was written is read back at
//! the end. A table that is as asked shall be read and not written; one that is altogether different
//! shall not be read in vain. So blocks are read as long as they are as asked. After two in a row
//! that were not, the next one is written unseen, then after each further one that was read and was
//! not as asked twice as many, up to [`LONGEST`]; the first one that is as asked again ends that.
//!
//! With n blocks, in IF commands:
//!
//! | the table | compared and written | read back |
//! |---|---|---|
//! | as asked | 2n | 0 |
//! | altogether different | 2n + 2 (n / 129 + 9) at most | 2n |
//! | as asked up to some block, different from there | less than the sum of both | |
//! | the worst that can be devised | 2.86n | 1.72n |
//!
//! The worst is a table of which two or three blocks of every seven differ, in a pattern made for
//! it. Blocks that are written unseen although they were as asked do no harm, and are never more
//! than those that were not.

/// The most blocks that are written unseen in a row.
const LONGEST: u32 = 128;

/// How blocks turned out so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Pace {
    /// Blocks in a row that were read and were not as asked.
    misses: u32,
    /// Blocks to write unseen now.
    unseen: u32,
}

impl Pace {
    /// A block was as asked.
    pub(super) const fn hit(&mut self) {
        *self = Self {
            misses: 0,
            unseen: 0,
        };
    }

    /// A block was not as asked.
    pub(super) const fn miss(&mut self) {
        self.misses = self.misses.saturating_add(1);
        self.unseen = match self.misses {
            0 | 1 => 0,
            2..=8 => 1 << (self.misses - 2),
            _ => LONGEST,
        };
    }

    /// Whether the next block is to be written unseen.
    pub(super) const fn takes_unseen(&mut self) -> bool {
        let takes = self.unseen > 0;
        self.unseen = self.unseen.saturating_sub(1);
        takes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Blocks that were read, and blocks that were written, of some of which `differs` holds.
    fn walk(blocks: u32, differs: impl Fn(u32) -> bool) -> (u32, u32) {
        let mut pace = Pace::default();
        let (mut read, mut written) = (0, 0);
        for block in 0..blocks {
            if pace.takes_unseen() {
                written += 1;
                continue;
            }
            read += 1;
            match differs(block) {
                true => {
                    written += 1;
                    pace.miss();
                }
                false => pace.hit(),
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
        for period in 1..=14_u32 {
            for pattern in 0..1_u32 << period {
                let (read, written) =
                    walk(period * 60, |block| pattern >> (block % period) & 1 == 1);
                let blocks = period * 60;
                // In hundredths of an IF command.
                assert!(
                    200 * (read + written) <= 286 * blocks + 2000,
                    "{period} {pattern:b}"
                );
                assert!(
                    200 * (read + 2 * written) <= 458 * blocks + 2000,
                    "{period} {pattern:b}"
                );
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
