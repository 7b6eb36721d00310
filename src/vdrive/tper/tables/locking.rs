//! Table `Locking` (\[Core\] 5.7.2.2, \[Opal\] 4.3.5.2).

use super::{Plan, Row, Schema, Type};
use crate::spec::{RangeNumber, Uid, column, uid};
use crate::vdrive::profile::{Geometry, Profile};
use crate::vdrive::tper::cell::Cell;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::LOCKING,
    name: "Locking",
    last_column: column::locking::GENERAL_STATUS,
    settable: &[
        (column::locking::COMMON_NAME, Type::Name),
        (column::locking::RANGE_START, Type::Lba),
        (column::locking::RANGE_LENGTH, Type::Lba),
        (column::locking::READ_LOCK_ENABLED, Type::Boolean),
        (column::locking::WRITE_LOCK_ENABLED, Type::Boolean),
        (column::locking::READ_LOCKED, Type::Boolean),
        (column::locking::WRITE_LOCKED, Type::Boolean),
        (column::locking::LOCK_ON_RESET, Type::ResetTypes),
    ],
};

pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    ranges(plan.profile).map(row).collect()
}

fn row(range: RangeNumber) -> Row {
    Row::new(uid::locking_range(range))
        .with(column::locking::NAME, name(range).as_str())
        .with(column::locking::COMMON_NAME, "")
        .with(column::locking::RANGE_START, 0)
        .with(column::locking::RANGE_LENGTH, 0)
        .with(column::locking::READ_LOCK_ENABLED, false)
        .with(column::locking::WRITE_LOCK_ENABLED, false)
        .with(column::locking::READ_LOCKED, false)
        .with(column::locking::WRITE_LOCKED, false)
        .with(column::locking::LOCK_ON_RESET, Cell::set([0]))
        .with(column::locking::ACTIVE_KEY, uid::k_aes_256(range))
}

/// The name of a row.
pub(super) fn name(range: RangeNumber) -> String {
    match range {
        RangeNumber::GLOBAL => "Locking_GlobalRange".to_owned(),
        RangeNumber(number) => format!("Locking_Range{number}"),
    }
}

/// The ranges of a profile, the Global range first.
pub(crate) fn ranges(profile: &Profile) -> impl Iterator<Item = RangeNumber> + use<> {
    (0..=profile.locking.ranges).map(RangeNumber)
}

/// The ranges for which there is a User to own them, so that they can be in Single User Mode.
pub(crate) fn owned_ranges(profile: &Profile) -> impl Iterator<Item = RangeNumber> + use<> {
    let users = profile.locking.users;
    ranges(profile).take_while(move |range| range.0 < users)
}

/// The range that a row of Locking stands for.
pub(crate) fn range_of(row: Uid) -> Option<RangeNumber> {
    if row.table() != uid::LOCKING {
        return None;
    }
    if row == uid::LOCKING_GLOBAL_RANGE {
        return Some(RangeNumber::GLOBAL);
    }
    let number = row.low().checked_sub(0x0003_0000)?;
    u16::try_from(number).ok().map(RangeNumber)
}

/// Where a range lies, in logical blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Span {
    /// The first block.
    pub(crate) start: u64,
    /// How many blocks; 0 means that the range holds none.
    pub(crate) length: u64,
}

impl Span {
    /// The block after the last one; `None` beyond 64 bits.
    const fn end(self) -> Option<u64> {
        self.start.checked_add(self.length)
    }

    /// True if the spans share a block.
    fn overlaps(self, other: Self) -> bool {
        let (Some(end), Some(other_end)) = (self.end(), other.end()) else {
            return true;
        };
        self.length > 0 && other.length > 0 && self.start < other_end && other.start < end
    }

    /// True if the range may lie there: aligned, on the drive, not across another range
    /// (\[Core\] 5.7.2.2.4, \[Opal\] 4.3.5.2.1).
    pub(crate) fn is_valid(self, geometry: &Geometry, blocks: u64, others: &[Self]) -> bool {
        self.is_aligned(geometry)
            && (self.length == 0 || self.end().is_some_and(|end| end <= blocks))
            && !others.iter().any(|other| self.overlaps(*other))
    }

    /// \[Opal\] 4.3.5.2.1.1 and 4.3.5.2.1.2.
    fn is_aligned(self, geometry: &Geometry) -> bool {
        let lowest = geometry.lowest_aligned_lba;
        let remainder = |from: u64| modulo(distance(from, lowest), geometry);
        let start = self.start == 0 || remainder(self.start) == 0;
        let length = match (self.start, self.length) {
            (_, 0) => true,
            (0, length) => remainder(length) == 0,
            (_, length) => modulo(i128::from(length), geometry) == 0,
        };
        !geometry.alignment_required || (start && length)
    }
}

fn distance(number: u64, lowest: u64) -> i128 {
    i128::from(number) - i128::from(lowest)
}

/// The mathematical modulo, never negative.
fn modulo(number: i128, geometry: &Geometry) -> i128 {
    number.rem_euclid(i128::from(geometry.alignment_granularity.max(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCKS: u64 = 1 << 20;

    fn span(start: u64, length: u64) -> Span {
        Span { start, length }
    }

    fn geometry(alignment_granularity: u64, lowest_aligned_lba: u64) -> Geometry {
        Geometry {
            block_size: 512,
            alignment_required: true,
            alignment_granularity,
            lowest_aligned_lba,
        }
    }

    #[test]
    fn alignment_follows_the_formulas_of_the_ssc() {
        // [Opal] 4.3.5.2.1, with the vectors of the reference, 5.6.2.
        let vectors = [
            (8, 0, 8, 16, true),
            (8, 0, 4, 16, false),
            (8, 0, 8, 12, false),
            (8, 1, 1, 8, true),
            (8, 1, 0, 9, true),
            (8, 1, 0, 8, false),
            (2000, 1234, 1234, 2000, true),
            (2000, 1234, 0, 1234, true),
            (2000, 1234, 3234, 4000, true),
            (2000, 1234, 2000, 2000, false),
            (8, 0, 0, 0, true),
            (2000, 1234, 0, 0, true),
        ];
        for (granularity, lowest, start, length, valid) in vectors {
            let geometry = geometry(granularity, lowest);
            let found = span(start, length).is_valid(&geometry, BLOCKS, &[]);
            assert_eq!(found, valid, "G {granularity} L {lowest} {start}+{length}");
        }
    }

    #[test]
    fn alignment_is_informative_where_it_is_not_required() {
        let mut geometry = geometry(8, 0);
        geometry.alignment_required = false;
        assert!(span(3, 5).is_valid(&geometry, BLOCKS, &[]));
    }

    #[test]
    fn ranges_may_not_overlap_nor_leave_the_drive() {
        // Reference 5.6.1 (certification test ETC-16).
        let geometry = geometry(1, 0);
        let other = [span(100, 50)];
        for (start, length, valid) in [
            (0, 100, true),
            (150, 10, true),
            (0, 101, false),
            (149, 1, false),
            (120, 5, false),
            (90, 100, false),
            (120, 0, true),
            (BLOCKS - 1, 1, true),
            (BLOCKS - 1, 2, false),
            (u64::MAX, 1, false),
            (u64::MAX, u64::MAX, false),
            (BLOCKS, 0, true),
        ] {
            let found = span(start, length).is_valid(&geometry, BLOCKS, &other);
            assert_eq!(found, valid, "{start}+{length}");
        }
        assert!(span(100, 50).is_valid(&geometry, BLOCKS, &[span(100, 0)]));
    }

    #[test]
    fn rows_name_their_ranges() {
        for range in [0, 1, 8, 300].map(RangeNumber) {
            assert_eq!(range_of(uid::locking_range(range)), Some(range));
        }
        assert_eq!(range_of(uid::LOCKING.row(2)), None);
        assert_eq!(range_of(uid::USER1), None);
    }
}
