//! Which blocks belong to a locking range.

use std::ops::Range;

use super::NotRun;
use crate::drive::LockingRange;
use crate::spec::RangeNumber;

/// The blocks of a range, of a drive that has so many; `seen` is every range if `range` is the
/// Global one, which has what the others leave.
pub(super) fn extents(
    range: &LockingRange,
    seen: &[LockingRange],
    blocks: u64,
) -> Result<Vec<Range<u64>>, NotRun> {
    let extents = if range.number == RangeNumber::GLOBAL {
        let others = seen.iter().filter(|other| other.number != range.number);
        let others: Option<Vec<_>> = others.map(|other| place(other, blocks)).collect();
        rest(others.ok_or(NotRun::Hidden)?, blocks)
    } else {
        vec![place(range, blocks).ok_or(NotRun::Hidden)?]
    };
    let extents: Vec<_> = extents.into_iter().filter(|it| !it.is_empty()).collect();
    match extents.is_empty() {
        true => Err(NotRun::NoBlocks),
        false => Ok(extents),
    }
}

/// Where a range lies, as far as the drive reaches; `None` if the authority may not see it.
fn place(range: &LockingRange, blocks: u64) -> Option<Range<u64>> {
    let start = range.range_start?;
    let end = start.saturating_add(range.range_length?);
    Some(start.min(blocks)..end.min(blocks))
}

/// What is left of a drive beside extents that may overlap.
fn rest(mut taken: Vec<Range<u64>>, blocks: u64) -> Vec<Range<u64>> {
    taken.sort_unstable_by_key(|extent| extent.start);
    let mut rest = Vec::new();
    let mut next = 0;
    for extent in taken.into_iter().filter(|extent| !extent.is_empty()) {
        if next < extent.start {
            rest.push(next..extent.start);
        }
        next = next.max(extent.end);
    }
    if next < blocks {
        rest.push(next..blocks);
    }
    rest
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Starts and ends.
    type Pairs<'p> = &'p [(u64, u64)];

    #[test]
    fn the_global_range_is_what_others_leave() {
        let cases: [(Pairs<'_>, Pairs<'_>); 7] = [
            (&[], &[(0, 100)]),
            (&[(0, 100)], &[]),
            (&[(10, 20), (40, 50)], &[(0, 10), (20, 40), (50, 100)]),
            (&[(40, 50), (10, 20)], &[(0, 10), (20, 40), (50, 100)]),
            (&[(0, 20), (20, 40)], &[(40, 100)]),
            (&[(10, 60), (20, 30)], &[(0, 10), (60, 100)]),
            (&[(90, 100), (7, 7)], &[(0, 90)]),
        ];
        let ranges = |pairs: Pairs<'_>| -> Vec<Range<u64>> {
            pairs.iter().map(|&(start, end)| start..end).collect()
        };
        for (taken, expected) in cases {
            assert_eq!(rest(ranges(taken), 100), ranges(expected), "{taken:?}");
        }
    }
}
