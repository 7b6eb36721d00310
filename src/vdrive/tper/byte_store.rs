//! Bytes of byte tables on their way into the file: staged, committed, moved.
//!
//! A Set of a byte table must be there as a whole or not at all, after a crash too, and inside a
//! transaction it must not be there before the commit. So its bytes go to a staging area first; the
//! commit is a record in the drive's state that says which of them count ([`Pending`]); then they
//! are moved to their place. If the program dies in between, [`Tper::open`](super::Tper::open)
//! moves them again.

use serde::{Deserialize, Serialize};

use crate::vdrive::store::Area;

/// The areas of the file on which a TPer works.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum AreaName {
    /// The shadow MBR.
    Mbr,
    /// The DataStore tables.
    DataStore,
    /// The media.
    Medium,
}

impl AreaName {
    /// The area itself.
    pub(crate) const fn area(self) -> Area {
        match self {
            Self::Mbr => Area::Mbr,
            Self::DataStore => Area::DataStore,
            Self::Medium => Area::Medium,
        }
    }

    /// The area in which bytes wait for a commit; media are never staged.
    pub(crate) const fn staging(self) -> Option<Area> {
        match self {
            Self::Mbr => Some(Area::MbrStaging),
            Self::DataStore => Some(Area::DataStoreStaging),
            Self::Medium => None,
        }
    }
}

/// A stretch of an area.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Extent {
    /// The area.
    pub(crate) area: AreaName,
    /// First byte.
    pub(crate) offset: u64,
    /// How many bytes.
    pub(crate) length: u64,
}

/// Work on the file that follows a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Pending {
    /// The bytes wait in the staging area.
    Move(Extent),
    /// The bytes become zeros.
    Clear(Extent),
    /// The record before this one is wiped: it holds media keys that were replaced.
    Forget,
}

/// Disjoint stretches that do not touch each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Extents(Vec<Extent>);

/// The most stretches that one transaction may have. A host that writes from start to end has one.
const MAX_EXTENTS: usize = 4096;

impl Extent {
    const fn end(self) -> u64 {
        self.offset.saturating_add(self.length)
    }

    /// What both stretches hold.
    pub(crate) fn intersection(self, other: Self) -> Option<Self> {
        let (start, end) = (self.offset.max(other.offset), self.end().min(other.end()));
        let length = end.checked_sub(start).filter(|&length| length > 0)?;
        (self.area == other.area).then_some(Self {
            area: self.area,
            offset: start,
            length,
        })
    }

    fn touches(self, other: Self) -> bool {
        self.area == other.area && self.offset <= other.end() && other.offset <= self.end()
    }

    fn union(self, other: Self) -> Self {
        let offset = self.offset.min(other.offset);
        Self {
            area: self.area,
            offset,
            length: self.end().max(other.end()).saturating_sub(offset),
        }
    }
}

impl Extents {
    /// Adds a stretch. False if there are too many already; then it is not added.
    pub(crate) fn insert(&mut self, extent: Extent) -> bool {
        let mut merged = extent;
        self.0.retain(|other| {
            let touches = merged.touches(*other);
            if touches {
                merged = merged.union(*other);
            }
            !touches
        });
        if self.0.len() >= MAX_EXTENTS {
            return false;
        }
        self.0.push(merged);
        true
    }

    /// True if [`Extents::insert`] would add it.
    pub(crate) fn has_room(&self, extent: Extent) -> bool {
        self.0.len() < MAX_EXTENTS || self.0.iter().any(|other| other.touches(extent))
    }

    /// True if some of its bytes are there already.
    pub(crate) fn overlaps(&self, extent: Extent) -> bool {
        let mut extents = self.0.iter();
        extents.any(|other| other.intersection(extent).is_some())
    }

    /// The stretches.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Extent> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extent(offset: u64, length: u64) -> Extent {
        Extent {
            area: AreaName::Mbr,
            offset,
            length,
        }
    }

    #[test]
    fn stretches_that_touch_become_one() {
        let mut extents = Extents::default();
        for (offset, length) in [(0, 10), (20, 10), (10, 5), (15, 5), (50, 1)] {
            assert!(extents.insert(extent(offset, length)));
        }
        let found: Vec<_> = extents.iter().collect();
        assert_eq!(found, [extent(0, 30), extent(50, 1)]);
    }

    #[test]
    fn areas_are_kept_apart() {
        let mut extents = Extents::default();
        extents.insert(extent(0, 10));
        extents.insert(Extent {
            area: AreaName::DataStore,
            ..extent(0, 10)
        });
        assert_eq!(extents.iter().count(), 2);
    }

    #[test]
    fn a_write_in_every_other_byte_is_bounded() {
        let mut extents = Extents::default();
        let fits = (0..5000).all(|index| {
            let has_room = extents.has_room(extent(2 * index, 1));
            assert_eq!(extents.insert(extent(2 * index, 1)), has_room);
            has_room
        });
        assert!(!fits && extents.has_room(extent(0, 1)));
    }

    #[test]
    fn intersections_are_clipped() {
        let (a, b) = (extent(0, 10), extent(5, 10));
        assert_eq!(a.intersection(b), Some(extent(5, 5)));
        assert_eq!(a.intersection(extent(10, 5)), None);
    }
}
