//! Pseudo-random numbers that are the same everywhere.

/// SplitMix64, by Sebastiano Vigna's description: a counter and a mixing function.
#[derive(Clone, Debug)]
pub(super) struct SplitMix64(u64);

impl SplitMix64 {
    pub(super) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `limit`; 0 if the limit is 0.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next().checked_rem(limit).unwrap_or(0)
    }

    /// An index into something of the given length; `None` if it is empty.
    pub(super) fn index(&mut self, length: usize) -> Option<usize> {
        let limit = u64::try_from(length).ok().filter(|limit| *limit > 0)?;
        usize::try_from(self.below(limit)).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequence_is_that_of_splitmix64() {
        let mut random = SplitMix64::new(1_234_567);
        let numbers = [0; 5].map(|_: u64| random.next());
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423,
                4_593_380_528_125_082_431,
                16_408_922_859_458_223_821,
            ]
        );
    }

    #[test]
    fn numbers_stay_below_their_limit() {
        let mut random = SplitMix64::new(1);
        assert!((0..1000).all(|_| random.below(7) < 7));
        assert!((0..1000).all(|_| random.index(3).is_some_and(|index| index < 3)));
        assert_eq!((random.below(0), random.index(0)), (0, None));
    }
}
