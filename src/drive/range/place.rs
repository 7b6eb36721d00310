//! Where ranges are, and which blocks change their key when one moves.

/// A run of LBAs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// First LBA.
    pub start: u64,
    /// Number of LBAs.
    pub length: u64,
}

impl Place {
    /// Where a range is that has no LBAs.
    pub(super) const NOWHERE: Self = Self {
        start: 0,
        length: 0,
    };

    /// The LBA after the last one.
    #[must_use]
    pub const fn end(self) -> u64 {
        self.start.saturating_add(self.length)
    }

    /// Whether both have an LBA in common.
    #[must_use]
    pub const fn overlaps(self, other: Self) -> bool {
        self.start < other.end() && other.start < self.end() && self.length > 0 && other.length > 0
    }

    /// The LBAs whose key is another one when a range goes from one place to another, in order. No
    /// data move with a range: what these blocks hold can no longer be read.
    #[must_use]
    pub fn rekeyed(before: Option<Self>, after: Option<Self>) -> Vec<Self> {
        let parts = [(before, after), (after, before)];
        let parts = parts.into_iter();
        let mut changed: Vec<Self> = parts
            .flat_map(|(one, other)| one.map_or(Vec::new(), |one| one.without(other)))
            .collect();
        changed.sort_by_key(|place| place.start);
        changed
    }

    /// The LBAs that only this place has.
    fn without(self, other: Option<Self>) -> Vec<Self> {
        let Some(other) = other.filter(|other| self.overlaps(*other)) else {
            return vec![self];
        };
        let below = Self::between(self.start, other.start);
        let above = Self::between(other.end(), self.end());
        below.into_iter().chain(above).collect()
    }

    fn between(start: u64, end: u64) -> Option<Self> {
        let length = end.checked_sub(start).filter(|length| *length > 0)?;
        Some(Self { start, length })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn place(start: u64, length: u64) -> Place {
        Place { start, length }
    }

    #[test]
    fn blocks_at_the_border_belong_to_one_place_only() {
        assert!(place(0, 9).overlaps(place(8, 8)));
        assert!(!place(0, 8).overlaps(place(8, 8)));
        assert!(!place(0, 0).overlaps(place(0, 8)));
        assert!(!place(u64::MAX, 1).overlaps(place(0, 8)));
    }

    #[test]
    fn only_blocks_that_change_hands_are_rekeyed() {
        let rekeyed = |before, after| Place::rekeyed(before, after);
        assert_eq!(rekeyed(None, Some(place(8, 8))), [place(8, 8)]);
        assert_eq!(rekeyed(Some(place(8, 8)), None), [place(8, 8)]);
        assert_eq!(rekeyed(Some(place(8, 8)), Some(place(8, 8))), []);
        assert_eq!(
            rekeyed(Some(place(8, 8)), Some(place(8, 24))),
            [place(16, 16)]
        );
        assert_eq!(
            rekeyed(Some(place(8, 16)), Some(place(16, 16))),
            [place(8, 8), place(24, 8)]
        );
        assert_eq!(
            rekeyed(Some(place(0, 8)), Some(place(64, 8))),
            [place(0, 8), place(64, 8)]
        );
        assert_eq!(
            rekeyed(Some(place(0, 64)), Some(place(16, 16))),
            [place(0, 16), place(32, 32)]
        );
    }
}
