//! What the media path has to know of the Locking SP (\[Core\] 5.7.3).

use super::state::State;
use super::tables::SpId;
use super::tables::locking::{self, Span};
use super::view::Locks;
use super::{KeepError, Tper};
use crate::spec::{RangeNumber, column, uid};
use crate::vdrive::media::{LockView, RangeView};
use crate::vdrive::profile::AtaSecurityState;
use crate::vdrive::store::{Store, StoreError};

/// Where the ranges lie and what holds for them. An inactive Locking SP is in its original factory
/// state, in which the Global range holds everything and nothing is locked.
struct Locking {
    ranges: Vec<(Span, Locks)>,
    shadow_active: bool,
}

impl Tper {
    /// Locks and keys as they are now. What an open transaction has changed does not count yet.
    pub(crate) fn lock_view(&self) -> LockView<'_> {
        self.locking().view(&self.state)
    }

    /// Locks and keys, and the file to write to.
    ///
    /// # Errors
    /// What a command has left undone because the file failed, fails again.
    pub(crate) fn media(&mut self) -> Result<(LockView<'_>, &mut Store), StoreError> {
        self.catch_up().map_err(|error| match error {
            KeepError::Store(error) => error,
            _ => StoreError::Damaged { part: "state" },
        })?;
        let locking = self.locking();
        let view = locking.view(&self.state);
        Ok((view, &mut self.store))
    }

    /// An ATA password that was not given locks everything: without a range, nothing can be used.
    fn locking(&self) -> Locking {
        if self.ata_security() == AtaSecurityState::Locked {
            return Locking {
                ranges: Vec::new(),
                shadow_active: false,
            };
        }
        let view = self.view(SpId::Locking);
        let is_set = |column| view.is_true(uid::MBR_CONTROL, column);
        // Without even a Global range, nothing can be read or written.
        let is_open = |_: &RangeNumber| !self.power.medium_is_shut;
        Locking {
            ranges: locking::ranges(&self.state.profile)
                .filter(is_open)
                .map(|range| (view.span(range), view.locks(range)))
                .collect(),
            shadow_active: is_set(column::mbr_control::ENABLE)
                && !is_set(column::mbr_control::DONE),
        }
    }
}

impl Locking {
    fn view<'k>(&self, state: &'k State) -> LockView<'k> {
        let profile = &state.profile;
        let ranges = self
            .ranges
            .iter()
            .zip(&state.keys)
            .map(|((span, locks), key)| RangeView {
                start: span.start,
                length: span.length,
                read_locked: locks.read,
                write_locked: locks.write,
                key,
            });
        LockView {
            ranges: ranges.collect(),
            shadow_active: self.shadow_active,
            shadow_blocks: shadow_blocks(state),
            crossing_terminates: profile.locking.crossing_terminates,
            locked_outside_shadow_reads_zero: profile.behaviour.locked_outside_shadow_reads_zero,
        }
    }
}

/// Whole blocks of the shadow MBR. It stands at the beginning of namespace 1, and ends with it where
/// there are others: of these, the standard says nothing without the feature set for it (0407h).
fn shadow_blocks(state: &State) -> u64 {
    let profile = &state.profile;
    let blocks = profile.locking.mbr_size / u64::from(profile.geometry.block_size);
    match state.namespaces {
        0 | 1 => blocks,
        _ => blocks.min(state.namespace_blocks()),
    }
}
