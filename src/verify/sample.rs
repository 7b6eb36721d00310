//! Samples: blocks that are chosen by a seed, and what they hold at one moment.

use std::ops::Range;

use crate::transport::BlockSource;

/// How blocks are chosen. The same numbers choose the same blocks, so that anybody can look again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampling {
    /// How many blocks, at most; 0 for none.
    pub count: u32,
    /// The seed.
    pub seed: u32,
}

/// Blocks that fail before no further one is read: locked ranges and dying drives fail slowly.
const PATIENCE: usize = 8;

/// Chooses blocks of extents, which are ranges of LBAs, in ascending order and each once.
///
/// The first two and the last block of each extent are among them, since partition tables and
/// headers stand there. The others are spread: one at a random place in each of as many equal parts,
/// so that neither a stretch of the extents nor a period goes unseen.
#[must_use]
pub fn spread(extents: &[Range<u64>], sampling: Sampling) -> Vec<u64> {
    let total: u64 = extents
        .iter()
        .map(|extent| extent.end.saturating_sub(extent.start))
        .fold(0, u64::saturating_add);
    let count = u64::from(sampling.count).min(total);
    let mut chosen: Vec<u64> = ends(extents).take(usize_of(count)).collect();
    let mut random = SplitMix64(u64::from(sampling.seed));
    let parts = count.saturating_sub(u64::try_from(chosen.len()).unwrap_or(count));
    for part in 0..parts {
        let (start, end) = (scaled(total, part, parts), scaled(total, part + 1, parts));
        let index = start + random.below(end.saturating_sub(start));
        chosen.extend(lba(extents, index));
    }
    chosen.sort_unstable();
    chosen.dedup();
    chosen
}

/// The first two and the last block of each extent.
fn ends(extents: &[Range<u64>]) -> impl Iterator<Item = u64> {
    let inside = |extent: &Range<u64>| {
        let ends = [
            Some(extent.start),
            extent.start.checked_add(1),
            extent.end.checked_sub(1),
        ];
        let extent = extent.clone();
        let mut ends: Vec<u64> = ends.into_iter().flatten().collect();
        ends.retain(|lba| extent.contains(lba));
        ends.dedup();
        ends
    };
    extents.iter().flat_map(inside)
}

/// `total * part / parts`, without overflow.
fn scaled(total: u64, part: u64, parts: u64) -> u64 {
    let scaled = u128::from(total) * u128::from(part) / u128::from(parts.max(1));
    u64::try_from(scaled).unwrap_or(total)
}

/// The LBA of a block that is counted through all extents.
fn lba(extents: &[Range<u64>], index: u64) -> Option<u64> {
    let mut index = index;
    for extent in extents {
        let length = extent.end.saturating_sub(extent.start);
        match index.checked_sub(length) {
            Some(rest) => index = rest,
            None => return extent.start.checked_add(index),
        }
    }
    None
}

fn usize_of(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

/// A generator of numbers that anybody can write again (Steele, Lea and Flood, 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below a limit; 0 if the limit is 0.
    fn below(&mut self, limit: u64) -> u64 {
        let scaled = (u128::from(self.next()) * u128::from(limit)) >> 64;
        u64::try_from(scaled).unwrap_or(0)
    }
}

/// What blocks hold at one moment.
pub struct Snapshot {
    blocks: Vec<(u64, Option<Vec<u8>>)>,
}

impl Snapshot {
    /// Reads blocks. Those that cannot be read are noted as such, and so are those that are not tried
    /// any more after several failures, or once `stop` says so.
    pub fn take(source: &mut dyn BlockSource, lbas: &[u64], stop: impl Fn() -> bool) -> Self {
        let mut failures = 0;
        let mut read = |&lba: &u64| {
            if failures >= PATIENCE || stop() {
                return (lba, None);
            }
            let block = source.read_block(lba).ok();
            failures += usize::from(block.is_none());
            (lba, block)
        };
        let blocks = lbas.iter().map(&mut read).collect();
        Self { blocks }
    }

    /// The blocks, each with what it holds; `None` where it was not read.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, Option<&[u8]>)> {
        let blocks = self.blocks.iter();
        blocks.map(|(lba, block)| (*lba, block.as_deref()))
    }

    /// The LBAs of the blocks.
    #[must_use]
    pub fn lbas(&self) -> Vec<u64> {
        self.blocks.iter().map(|(lba, _)| *lba).collect()
    }

    /// How many blocks were read.
    #[must_use]
    pub fn read(&self) -> usize {
        self.blocks().filter(|(_, block)| block.is_some()).count()
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::transport::linux::Geometry;

    const fn sampling(count: u32, seed: u32) -> Sampling {
        Sampling { count, seed }
    }

    #[test]
    fn the_generator_is_that_of_the_paper() {
        // The first three numbers of seed 1234567, as published with the algorithm.
        let mut random = SplitMix64(1_234_567);
        let numbers = [random.next(), random.next(), random.next()];
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn samples_are_spread_over_all_extents_and_hold_their_ends() {
        let extents = [0..1000, 5000..5010, 9000..20_000];
        let lbas = spread(&extents, sampling(64, 1));
        assert!(lbas.len() > 55 && lbas.len() <= 64, "{}", lbas.len());
        assert!(lbas.is_sorted());
        for end in [0, 1, 999, 5000, 5001, 5009, 9000, 9001, 19_999] {
            assert!(lbas.contains(&end), "{end}");
        }
        let inside = |lba: &u64| extents.iter().any(|extent| extent.contains(lba));
        assert!(lbas.iter().all(inside));
        // No gap in the last extent is wider than two of the equal parts.
        let last: Vec<u64> = lbas.into_iter().filter(|lba| *lba >= 9000).collect();
        assert!(
            last.windows(2)
                .all(|pair| pair[1] - pair[0] <= 2 * 12_010 / 55 + 2)
        );
    }

    #[test]
    fn the_seed_alone_chooses() {
        let extents = [0..500_000, 500_000..1_000_000];
        assert_eq!(
            spread(&extents, sampling(64, 7)),
            spread(&extents, sampling(64, 7))
        );
        assert_ne!(
            spread(&extents, sampling(64, 7)),
            spread(&extents, sampling(64, 8))
        );
    }

    #[test]
    fn small_and_odd_extents_are_no_trouble() {
        assert_eq!(spread(&[5..7, 7..8], sampling(64, 1)), [5, 6, 7]);
        assert!(spread(&[5..7, 7..8], sampling(0, 1)).is_empty());
        assert!(spread(&[], sampling(9, 1)).is_empty());
        #[expect(clippy::reversed_empty_ranges, reason = "a drive may say anything")]
        let reversed = [8..5, 3..3];
        assert!(spread(&reversed, sampling(9, 1)).is_empty());
        let lbas = spread(&[0..u64::MAX, 0..u64::MAX], sampling(9, 1));
        assert!(!lbas.is_empty());
    }

    /// Ten blocks, of which those from `limit` on cannot be read.
    struct Blocks {
        limit: u64,
        reads: usize,
    }

    impl BlockSource for Blocks {
        fn geometry(&self) -> Geometry {
            Geometry {
                blocks: 10,
                block_size: 1,
            }
        }

        fn read_block(&mut self, lba: u64) -> io::Result<Vec<u8>> {
            self.reads += 1;
            match lba < self.limit {
                true => Ok(vec![u8::try_from(lba).unwrap()]),
                false => Err(io::Error::other("locked")),
            }
        }
    }

    #[test]
    fn what_cannot_be_read_is_noted_and_not_tried_for_ever() {
        let lbas: Vec<u64> = (0..100).collect();
        let mut source = Blocks {
            limit: 10,
            reads: 0,
        };
        let snapshot = Snapshot::take(&mut source, &lbas, || false);
        assert_eq!(snapshot.read(), 10);
        assert_eq!(source.reads, 10 + PATIENCE);
        assert_eq!(snapshot.lbas(), lbas);
        assert_eq!(snapshot.blocks().nth(3), Some((3, Some(&[3][..]))));
    }

    #[test]
    fn who_is_asked_to_stop_reads_no_more() {
        let mut source = Blocks {
            limit: 10,
            reads: 0,
        };
        let snapshot = Snapshot::take(&mut source, &[1, 2], || true);
        assert_eq!((snapshot.read(), source.reads), (0, 0));
    }
}
