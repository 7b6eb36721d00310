//! What became of samples: changed, unchanged, or nothing that says either.
//!
//! A block that reads as nothing but 00h or FFh tells little: many drives answer so for blocks that
//! were never written, or that they have given up. So it counts as evidence of its own kind, and
//! never for a new key.

use super::Snapshot;

/// What was asked of the drive, and so what the samples should show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Expectation {
    /// The data are gone.
    Changed,
    /// The data are kept.
    Kept,
}

/// What samples say of a drive's claim. "Supported" is no proof: the drive may read something else
/// where nobody looked, or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// At least one block shows that the claim is wrong.
    Refuted,
    /// Blocks that can tell agree with the claim, and none disagrees.
    Supported,
    /// No block could tell.
    NothingLearned,
}

impl Verdict {
    /// The name, in snake case, as it stands in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Refuted => "refuted",
            Self::Supported => "supported",
            Self::NothingLearned => "nothing_learned",
        }
    }
}

/// Two snapshots of the same blocks, counted. Each block is in one of the first five groups.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// Blocks that hold something else now, and not nothing but 00h or FFh.
    pub changed: usize,
    /// Blocks that read as nothing but 00h or FFh now, and held something else.
    pub blanked: usize,
    /// Blocks that hold the same as before, which is not nothing but 00h or FFh.
    pub unchanged: usize,
    /// Blocks that read as nothing but 00h or FFh, alike before and now.
    pub blank: usize,
    /// Blocks of which one of the two readings is missing.
    pub unread: usize,
    /// Of these, those that could be read before.
    pub lost: usize,
    /// Of these, those that can be read now.
    pub opened: usize,
    /// The first block that is unchanged.
    pub first_unchanged: Option<u64>,
    /// The first block that is changed, blanked, or cannot be read any more.
    pub first_changed: Option<u64>,
}

impl Comparison {
    /// Compares two snapshots of the same blocks.
    #[must_use]
    pub fn of(before: &Snapshot, after: &Snapshot) -> Self {
        let mut comparison = Self::default();
        for ((lba, before), (_, after)) in before.blocks().zip(after.blocks()) {
            comparison.add(lba, before, after);
        }
        comparison
    }

    fn add(&mut self, lba: u64, before: Option<&[u8]>, after: Option<&[u8]>) {
        let group = match (before, after) {
            (Some(before), Some(after)) if before == after && is_blank(after) => &mut self.blank,
            (Some(before), Some(after)) if before == after => {
                self.first_unchanged.get_or_insert(lba);
                &mut self.unchanged
            }
            (Some(_), Some(after)) => {
                self.first_changed.get_or_insert(lba);
                match is_blank(after) {
                    true => &mut self.blanked,
                    false => &mut self.changed,
                }
            }
            (before, after) => {
                self.lost += usize::from(before.is_some());
                self.opened += usize::from(after.is_some());
                if before.is_some() {
                    self.first_changed.get_or_insert(lba);
                }
                &mut self.unread
            }
        };
        *group += 1;
    }

    /// How many blocks there were.
    #[must_use]
    pub const fn samples(&self) -> usize {
        self.changed + self.blanked + self.unchanged + self.blank + self.unread
    }

    /// What they say.
    ///
    /// Data that read as zeros are gone for whoever reads, but a drive may answer so and keep its
    /// key, so that they do not support a new one. Data that cannot be read are not kept.
    #[must_use]
    pub const fn verdict(&self, expectation: Expectation) -> Verdict {
        let (against, for_it) = match expectation {
            Expectation::Changed => (self.unchanged, self.changed),
            Expectation::Kept => (self.changed + self.blanked + self.lost, self.unchanged),
        };
        match (against, for_it) {
            (1.., _) => Verdict::Refuted,
            (0, 1..) => Verdict::Supported,
            (0, 0) => Verdict::NothingLearned,
        }
    }
}

/// Nothing but 00h, or nothing but FFh.
fn is_blank(block: &[u8]) -> bool {
    [0, 0xff]
        .iter()
        .any(|value| block.iter().all(|byte| byte == value))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a block held, if it was read.
    type Reading = Option<&'static [u8]>;

    const DATA: Reading = Some(&[1, 2]);
    const OTHER: Reading = Some(&[7, 9]);
    const ZEROS: Reading = Some(&[0, 0]);
    const ONES: Reading = Some(&[0xff, 0xff]);

    fn compare(pairs: &[(Reading, Reading)]) -> Comparison {
        let mut comparison = Comparison::default();
        for (lba, &(before, after)) in (0..).zip(pairs) {
            comparison.add(lba, before, after);
        }
        assert_eq!(comparison.samples(), pairs.len());
        comparison
    }

    fn verdicts(before: Reading, after: Reading) -> (Verdict, Verdict) {
        let comparison = compare(&[(before, after)]);
        let verdict = |expectation| comparison.verdict(expectation);
        (verdict(Expectation::Changed), verdict(Expectation::Kept))
    }

    #[test]
    fn one_block_says_this() {
        use Verdict::{NothingLearned, Refuted, Supported};
        for (before, after, changed, kept) in [
            (DATA, DATA, Refuted, Supported),
            (DATA, OTHER, Supported, Refuted),
            (DATA, ZEROS, NothingLearned, Refuted),
            (DATA, ONES, NothingLearned, Refuted),
            (ZEROS, OTHER, Supported, Refuted),
            (ZEROS, ZEROS, NothingLearned, NothingLearned),
            (ONES, ONES, NothingLearned, NothingLearned),
            (DATA, None, NothingLearned, Refuted),
            (None, DATA, NothingLearned, NothingLearned),
            (None, None, NothingLearned, NothingLearned),
        ] {
            let found = verdicts(before, after);
            assert_eq!(found, (changed, kept), "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_pattern_that_no_blank_block_has_counts_as_data() {
        let pattern: Reading = Some(&[0x5a, 0x5a]);
        assert_eq!(verdicts(pattern, pattern).0, Verdict::Refuted);
    }

    #[test]
    fn one_block_that_survives_refutes_all_others() {
        let comparison = compare(&[(DATA, OTHER), (OTHER, OTHER), (ZEROS, ZEROS), (None, None)]);
        assert_eq!(comparison.verdict(Expectation::Changed), Verdict::Refuted);
        assert_eq!(comparison.first_unchanged, Some(1));
        assert_eq!(comparison.first_changed, Some(0));
        assert_eq!((comparison.changed, comparison.unchanged), (1, 1));
        assert_eq!((comparison.blank, comparison.unread), (1, 1));
    }
}
