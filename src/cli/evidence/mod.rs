//! Evidence for an erase or a revert: samples of blocks, read before and after.
//!
//! What cannot be read before shows nothing afterwards. That is said, with the reason, and is no
//! failure: a locked drive is erased as well as any other.

mod fields;
mod place;

use std::io;
use std::ops::Range;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::Context;
use super::args::Samples;
use super::device::Named;
use crate::drive::{Drive, LockingRange, MbrState};
use crate::session::Interrupt;
use crate::transport::BlockSource;
use crate::verify::{Comparison, Expectation, Sampling, Snapshot, spread};

pub(crate) use fields::{EvidenceFields, SamplingFields, refutation};

/// Why nothing was compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NotRun {
    /// Nobody wants samples.
    NotAsked,
    /// The drive has no block device that this user can read.
    NoDevice,
    /// The kernel and the TPer count in blocks of different sizes.
    BlockSize,
    /// The shadow MBR stands in place of the first blocks, and locked ones read as zeros.
    ShadowMbr,
    /// The authority may not see where the range lies.
    Hidden,
    /// The range has no blocks.
    NoBlocks,
    /// The range is locked.
    Locked,
    /// No block could be read before.
    Unreadable,
}

/// What was seen of a place before it was to change.
pub(crate) enum Before {
    Seen(Snapshot),
    NotRun(NotRun),
}

/// What became of a place.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Evidence {
    Compared(Comparison, Expectation),
    NotRun(NotRun),
}

/// Somebody who reads samples of a drive.
pub(crate) struct Observer<'a> {
    named: &'a Named,
    sampling: Sampling,
    refusal: Option<NotRun>,
    interrupt: &'a Interrupt,
}

impl<'a> Observer<'a> {
    /// For a drive in the state that Level 0 Discovery told last.
    pub(crate) fn new(
        named: &'a Named,
        drive: &Drive,
        samples: Samples,
        context: &'a Context,
    ) -> Self {
        let told = drive.discovery().geometry();
        let told = told.and_then(|geometry| geometry.logical_block_size);
        let known = named.geometry.map(|geometry| geometry.block_size);
        let refusal = if samples.samples == 0 {
            Some(NotRun::NotAsked)
        } else if drive.state().mbr == MbrState::Shown {
            Some(NotRun::ShadowMbr)
        } else if told.is_some_and(|told| told > 0 && known.is_some_and(|known| told != known)) {
            Some(NotRun::BlockSize)
        } else {
            None
        };
        Self {
            named,
            sampling: sampling(samples),
            refusal,
            interrupt: context.signals.interrupt(),
        }
    }

    /// How blocks are chosen.
    pub(crate) const fn sampling(&self) -> Sampling {
        self.sampling
    }

    /// Reads samples of a locking range.
    pub(crate) fn look_at(&self, range: &LockingRange, seen: &[LockingRange]) -> Before {
        let is_locked = range.read_lock_enabled == Some(true) && range.read_locked == Some(true);
        self.look(|blocks| match is_locked {
            true => Err(NotRun::Locked),
            false => place::extents(range, seen, blocks),
        })
    }

    /// Reads samples of all blocks.
    pub(crate) fn look_at_all(&self) -> Before {
        self.look(|blocks| Ok(std::iter::once(0..blocks).collect()))
    }

    fn look(&self, extents: impl FnOnce(u64) -> Result<Vec<Range<u64>>, NotRun>) -> Before {
        let snapshot = || {
            self.refusal.map_or(Ok(()), Err)?;
            let mut source = self.named.blocks().map_err(|_| NotRun::NoDevice)?;
            let extents = extents(source.geometry().blocks)?;
            let snapshot = self.take(source.as_mut(), &spread(&extents, self.sampling));
            match snapshot.read() {
                0 => Err(NotRun::Unreadable),
                _ => Ok(snapshot),
            }
        };
        snapshot().map_or_else(Before::NotRun, Before::Seen)
    }

    fn take(&self, source: &mut dyn BlockSource, lbas: &[u64]) -> Snapshot {
        Snapshot::take(source, lbas, || self.interrupt.is_raised())
    }

    /// Reads the same samples again, and compares. A device that is gone cannot be read.
    pub(crate) fn compare(&self, before: &Before, expectation: Expectation) -> Evidence {
        let before = match before {
            Before::Seen(before) => before,
            Before::NotRun(reason) => return Evidence::NotRun(*reason),
        };
        let mut source = self.named.blocks().unwrap_or_else(|_| Box::new(Gone));
        let after = self.take(source.as_mut(), &before.lbas());
        Evidence::Compared(Comparison::of(before, &after), expectation)
    }
}

/// A block that cannot be read, and why.
pub(crate) struct Unreadable {
    pub(crate) lba: u64,
    pub(crate) error: io::Error,
}

/// How often blocks are read that cannot be, and the pause between: a drive may need a moment after
/// a revert.
const ATTEMPTS: u32 = 4;
const PAUSE: Duration = Duration::from_millis(250);

impl Observer<'_> {
    /// Whether the first, the middle and the last block can be read; `None` where there is no device
    /// to read from.
    pub(crate) fn read_test(&self) -> Option<Result<(), Unreadable>> {
        let mut outcome = self.read_some()?;
        for _ in 1..ATTEMPTS {
            if outcome.is_ok() || self.interrupt.is_raised() {
                break;
            }
            thread::sleep(PAUSE);
            outcome = self.read_some()?;
        }
        Some(outcome)
    }

    fn read_some(&self) -> Option<Result<(), Unreadable>> {
        let mut source = self.named.blocks().ok()?;
        let blocks = source.geometry().blocks;
        let last = blocks.checked_sub(1)?;
        let mut read = |lba| {
            let block = source.read_block(lba);
            block.map(drop).map_err(|error| Unreadable { lba, error })
        };
        Some([0, blocks / 2, last].into_iter().try_for_each(&mut read))
    }
}

/// How blocks are chosen: by the clock, unless a seed is given.
fn sampling(samples: Samples) -> Sampling {
    let clock = || {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        now.map_or(0, |since| since.subsec_nanos())
    };
    Sampling {
        count: samples.samples,
        seed: samples.sample_seed.unwrap_or_else(clock),
    }
}

/// The blocks of a device that is not there any more.
struct Gone;

impl BlockSource for Gone {
    fn geometry(&self) -> crate::transport::linux::Geometry {
        crate::transport::linux::Geometry {
            blocks: 0,
            block_size: 512,
        }
    }

    fn read_block(&mut self, _: u64) -> io::Result<Vec<u8>> {
        Err(io::ErrorKind::NotFound.into())
    }
}
