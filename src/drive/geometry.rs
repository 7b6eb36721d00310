//! Where ranges may begin and end (\[Opal\] 4.3.5.2.1.1).

use super::{Cause, Drive, Error, Place};
use crate::spec::{RangeNumber, Ssc};

/// Where a Locking range shall be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RangeSpec {
    /// The range; never the Global range, which is what the others leave.
    pub number: RangeNumber,
    /// First LBA.
    pub start: u64,
    /// Number of LBAs.
    pub length: u64,
}

/// A range that the drive cannot take.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RangeError {
    /// The Global range has no place of its own.
    #[error("the Global range cannot be moved")]
    Global,
    /// One range is named twice.
    #[error("range {0} is given twice")]
    Duplicate(RangeNumber),
    /// A range without LBAs.
    #[error("{} is empty", named(*.0))]
    Empty(RangeNumber),
    /// The end lies beyond every LBA.
    #[error("{} ends beyond the last possible block", named(*.0))]
    TooLong(RangeNumber),
    /// Two ranges share LBAs.
    #[error("ranges {0} and {1} overlap")]
    Overlap(RangeNumber, RangeNumber),
    /// The start is not aligned.
    #[error(
        "start {start} of {} is not aligned; the nearest aligned block is {nearest}",
        named(*range)
    )]
    Start {
        /// The range.
        range: RangeNumber,
        /// What was asked for.
        start: u64,
        /// The nearest value that the drive takes.
        nearest: u64,
    },
    /// The length is not aligned.
    #[error(
        "length {length} of {} is not aligned; the nearest aligned length is {nearest}",
        named(*range)
    )]
    Length {
        /// The range.
        range: RangeNumber,
        /// What was asked for.
        length: u64,
        /// The nearest value that the drive takes.
        nearest: u64,
    },
    /// The drive has fewer ranges.
    #[error("the drive has no range {0}")]
    Missing(RangeNumber),
    /// A range that was to be new has LBAs already.
    #[error("range {range} exists: it has {length} blocks from block {start} on")]
    Exists {
        /// The range.
        range: RangeNumber,
        /// Its first LBA.
        start: u64,
        /// Its number of LBAs.
        length: u64,
    },
    /// Another range has some of the LBAs.
    #[error("{} would share blocks with range {by}, which has {length} blocks from block {start} on", named(*range))]
    Taken {
        /// The range that was to be placed.
        range: RangeNumber,
        /// The other one.
        by: RangeNumber,
        /// Its first LBA.
        start: u64,
        /// Its number of LBAs.
        length: u64,
    },
    /// Every range beside the Global range has LBAs.
    #[error("all ranges of the drive are in use: it has {0} beside range 0")]
    NoneFree(usize),
    /// The drive refuses this set of resets.
    #[error("the drive does not take these resets as LockOnReset of range {0}")]
    Resets(RangeNumber),
    /// A name that no column can hold.
    #[error("a name of {length} bytes, {limit} at most")]
    Name {
        /// Its length in bytes.
        length: usize,
        /// The longest name in bytes.
        limit: usize,
    },
}

/// How an error names a range; one that has no number yet stands as the Global range, which has no
/// place to be wrong.
fn named(range: RangeNumber) -> String {
    match range {
        RangeNumber::GLOBAL => "the new range".to_owned(),
        range => format!("range {range}"),
    }
}

/// The alignment that a drive requires, in blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Alignment {
    granularity: u64,
    lowest: u64,
}

impl Drive {
    /// Checks ranges against each other, against the alignment that the drive requires, and against
    /// the SSC, which may have the Global range alone. Nothing is sent.
    ///
    /// # Errors
    /// [`Cause::Range`] with what is wrong, and the nearest valid value.
    pub fn check_ranges(&self, ranges: &[RangeSpec]) -> Result<(), Error> {
        let checked = check(ranges, self.alignment()).and_then(|()| self.check_existence(ranges));
        checked.map_err(|error| Error::before(Cause::Range(error)))
    }

    /// Checks where one range shall be, against the alignment that the drive requires; a range that
    /// is still to be chosen has no number. Nothing is sent.
    ///
    /// # Errors
    /// [`Cause::Range`] with what is wrong, and the nearest valid value.
    pub fn check_place(&self, number: Option<RangeNumber>, place: Place) -> Result<(), Error> {
        let spec = RangeSpec {
            number: number.unwrap_or(RangeNumber::GLOBAL),
            start: place.start,
            length: place.length,
        };
        let is_global = number == Some(RangeNumber::GLOBAL);
        let checked = if is_global {
            Err(RangeError::Global)
        } else {
            Ok(())
        }
        .and_then(|()| spec.check_size())
        .and_then(|()| {
            self.alignment()
                .map_or(Ok(()), |it| spec.check_alignment(it))
        })
        .and_then(|()| self.check_existence(&[spec]));
        checked.map_err(|error| Error::before(Cause::Range(error)))
    }

    /// How many ranges an Opal drive has cannot be asked before it is activated.
    fn check_existence(&self, ranges: &[RangeSpec]) -> Result<(), RangeError> {
        match (self.ssc(), ranges) {
            (Ssc::Opalite | Ssc::Pyrite1 | Ssc::Pyrite2, [range, ..]) => {
                Err(RangeError::Missing(range.number))
            }
            _ => Ok(()),
        }
    }

    /// What the drive requires; nothing if it only recommends (ALIGN = 0) or does not tell.
    fn alignment(&self) -> Option<Alignment> {
        let geometry = self.discovery().geometry()?;
        let granularity = geometry
            .alignment_granularity
            .filter(|&blocks| blocks > 1)?;
        geometry.align.then_some(Alignment {
            granularity,
            lowest: geometry.lowest_aligned_lba.unwrap_or_default(),
        })
    }
}

fn check(ranges: &[RangeSpec], alignment: Option<Alignment>) -> Result<(), RangeError> {
    for (index, range) in ranges.iter().enumerate() {
        range.check_alone()?;
        if let Some(alignment) = alignment {
            range.check_alignment(alignment)?;
        }
        for other in ranges.iter().take(index) {
            range.check_beside(other)?;
        }
    }
    Ok(())
}

impl RangeError {
    /// That another range, which is at a place, has some of the LBAs.
    pub(super) const fn taken(range: RangeNumber, by: RangeNumber, place: Place) -> Self {
        let Place { start, length } = place;
        Self::Taken {
            range,
            by,
            start,
            length,
        }
    }
}

impl RangeSpec {
    fn check_alone(&self) -> Result<(), RangeError> {
        if self.number == RangeNumber::GLOBAL {
            return Err(RangeError::Global);
        }
        self.check_size()
    }

    const fn check_size(&self) -> Result<(), RangeError> {
        if self.length == 0 {
            return Err(RangeError::Empty(self.number));
        }
        match self.start.checked_add(self.length) {
            Some(_) => Ok(()),
            None => Err(RangeError::TooLong(self.number)),
        }
    }

    fn check_beside(&self, other: &Self) -> Result<(), RangeError> {
        if self.number == other.number {
            return Err(RangeError::Duplicate(self.number));
        }
        let apart = self.start.saturating_add(self.length) <= other.start
            || other.start.saturating_add(other.length) <= self.start;
        if apart {
            Ok(())
        } else {
            Err(RangeError::Overlap(other.number, self.number))
        }
    }

    fn check_alignment(&self, alignment: Alignment) -> Result<(), RangeError> {
        let Self {
            number: range,
            start,
            length,
        } = *self;
        let excess = alignment.excess(start, alignment.lowest);
        if start != 0 && excess != 0 {
            let nearest = alignment.nearest(start, excess);
            return Err(RangeError::Start {
                range,
                start,
                nearest,
            });
        }
        // From block 0 on, the end must be aligned; elsewhere, the length alone.
        let offset = if start == 0 { alignment.lowest } else { 0 };
        let excess = alignment.excess(length, offset);
        if excess != 0 {
            let nearest = alignment.nearest(length, excess);
            return Err(RangeError::Length {
                range,
                length,
                nearest,
            });
        }
        Ok(())
    }
}

impl Alignment {
    /// `(value − offset) mod granularity`, never negative.
    const fn excess(self, value: u64, offset: u64) -> u64 {
        let (value, offset) = (value % self.granularity, offset % self.granularity);
        if value >= offset {
            value - offset
        } else {
            value + (self.granularity - offset)
        }
    }

    /// The nearest value without that excess, never 0.
    fn nearest(self, value: u64, excess: u64) -> u64 {
        let up = value.saturating_add(self.granularity - excess);
        match value.checked_sub(excess) {
            Some(down) if down != 0 && excess <= self.granularity - excess => down,
            _ => up,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RANGE: RangeNumber = RangeNumber(1);

    fn range(start: u64, length: u64) -> RangeSpec {
        RangeSpec {
            number: RANGE,
            start,
            length,
        }
    }

    fn aligned(granularity: u64, lowest: u64, start: u64, length: u64) -> Result<(), RangeError> {
        let alignment = Alignment {
            granularity,
            lowest,
        };
        check(&[range(start, length)], Some(alignment))
    }

    #[test]
    fn alignment_is_that_of_the_standard() {
        // tcg.md 5.6.2, derived from [Opal] 4.3.5.2.1.1.
        for (granularity, lowest, start, length) in [
            (8, 0, 8, 16),
            (8, 1, 1, 8),
            (8, 1, 0, 9),
            (2000, 1234, 1234, 2000),
            (2000, 1234, 0, 1234),
            (2000, 1234, 3234, 4000),
        ] {
            let case = (granularity, lowest, start, length);
            assert_eq!(
                aligned(granularity, lowest, start, length),
                Ok(()),
                "{case:?}"
            );
        }
        let start = |start, nearest| {
            Err(RangeError::Start {
                range: RANGE,
                start,
                nearest,
            })
        };
        let length = |length, nearest| {
            Err(RangeError::Length {
                range: RANGE,
                length,
                nearest,
            })
        };
        assert_eq!(aligned(8, 0, 4, 16), start(4, 8));
        assert_eq!(aligned(8, 0, 13, 16), start(13, 16));
        assert_eq!(aligned(8, 0, 8, 12), length(12, 8));
        assert_eq!(aligned(8, 0, 8, 3), length(3, 8));
        assert_eq!(aligned(8, 1, 0, 8), length(8, 9));
        assert_eq!(aligned(2000, 1234, 2000, 2000), start(2000, 1234));
        assert_eq!(
            aligned(8, 0, u64::MAX - 20, 20),
            start(u64::MAX - 20, u64::MAX - 23)
        );
    }

    #[test]
    fn every_nearest_value_is_taken() {
        for granularity in 2..20 {
            for lowest in 0..granularity + 3 {
                for value in 1..60 {
                    if let Err(RangeError::Start { nearest, .. }) =
                        aligned(granularity, lowest, value, granularity)
                    {
                        assert_eq!(aligned(granularity, lowest, nearest, granularity), Ok(()));
                    }
                    if let Err(RangeError::Length { nearest, .. }) =
                        aligned(granularity, lowest, 0, value)
                    {
                        assert_eq!(aligned(granularity, lowest, 0, nearest), Ok(()));
                    }
                }
            }
        }
    }

    #[test]
    fn ranges_stand_beside_each_other() {
        let second = |start, length| RangeSpec {
            number: RangeNumber(2),
            start,
            length,
        };
        assert_eq!(check(&[range(0, 8), second(8, 8)], None), Ok(()));
        assert_eq!(check(&[range(8, 8), second(0, 8)], None), Ok(()));
        assert_eq!(
            check(&[range(0, 9), second(8, 8)], None),
            Err(RangeError::Overlap(RANGE, RangeNumber(2)))
        );
        assert_eq!(
            check(&[range(0, 8), range(8, 8)], None),
            Err(RangeError::Duplicate(RANGE))
        );
        assert_eq!(check(&[range(8, 0)], None), Err(RangeError::Empty(RANGE)));
        assert_eq!(
            check(&[range(u64::MAX, 1)], None),
            Err(RangeError::TooLong(RANGE))
        );
        let global = RangeSpec {
            number: RangeNumber::GLOBAL,
            start: 0,
            length: 8,
        };
        assert_eq!(check(&[global], None), Err(RangeError::Global));
    }
}
