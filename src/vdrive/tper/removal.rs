//! Removal of data: new media keys, and the way back to the original factory state
//! (\[Opal\] 5.1.2, 5.1.3, 4.2.7).
//!
//! The new keys replace the old ones in the same record as everything else that a method changes,
//! so after a crash either all of it has happened or nothing. The method answers when it is done.

use super::byte_store::{AreaName, Extent, Pending};
use super::cell::Cell;
use super::single_user::SingleUser;
use super::state::{Block, Contents};
use super::tables::{SpId, locking};
use super::{Tper, catalogue};
use crate::spec::{DataRemovalMechanism, MethodStatus, RangeNumber, Uid, column, uid};
use crate::vdrive::profile::RemovedData;
use crate::vdrive::xts::MediaKey;

impl Tper {
    /// Gives ranges new keys. What they held is unreadable from then on.
    pub(super) fn replace_keys(&mut self, ranges: &[RangeNumber]) -> Result<(), MethodStatus> {
        if self.profile().defects.keeps_keys {
            return Ok(());
        }
        let new: Result<Vec<_>, _> = ranges.iter().map(|_| MediaKey::generate()).collect();
        let new = new.map_err(|_| MethodStatus::TPER_MALFUNCTION)?;
        let state = self.edit();
        state.pending.push(Pending::Forget);
        state.removal_interrupted = false;
        let keys = &mut state.keys;
        for (range, key) in ranges.iter().zip(new) {
            if let Some(place) = keys.get_mut(usize::from(range.0)) {
                *place = key;
            }
        }
        if self.clears_media() {
            let extents: Vec<_> = ranges
                .iter()
                .flat_map(|range| self.extents(*range))
                .collect();
            self.edit()
                .pending
                .extend(extents.into_iter().map(Pending::Clear));
        }
        Ok(())
    }

    /// True if what was removed reads as zeros: on this model, or by a mechanism that does more than
    /// to replace keys.
    fn clears_media(&self) -> bool {
        let column = column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM;
        let active = self
            .view(SpId::Admin)
            .cell(uid::DATA_REMOVAL_MECHANISM, column);
        let keys = Cell::from(u64::from(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE.0));
        self.state.profile.behaviour.removed_data == RemovedData::Zeros
            || active.is_some_and(|active| active != keys)
    }

    /// The stretches of the media that a range holds.
    fn extents(&self, range: RangeNumber) -> Vec<Extent> {
        let view = self.view(SpId::Locking);
        let mut spans: Vec<_> = locking::ranges(&self.state.profile)
            .skip(1)
            .map(|range| view.span(range))
            .filter(|span| span.length > 0)
            .collect();
        if range != RangeNumber::GLOBAL {
            let span = view.span(range);
            return self.medium(span.start, span.length).into_iter().collect();
        }
        spans.sort_by_key(|span| span.start);
        let mut extents = Vec::new();
        let mut next = 0_u64;
        for span in spans {
            extents.extend(self.medium(next, span.start.saturating_sub(next)));
            next = span.start.saturating_add(span.length);
        }
        extents.extend(self.medium(next, self.state.blocks.saturating_sub(next)));
        extents
    }

    fn medium(&self, start: u64, length: u64) -> Option<Extent> {
        let block_size = u64::from(self.state.profile.geometry.block_size);
        (length > 0).then(|| Extent {
            area: AreaName::Medium,
            offset: start.saturating_mul(block_size),
            length: length.saturating_mul(block_size),
        })
    }

    /// Returns the Locking SP to its original factory state, unless it never left it.
    pub(super) fn revert_locking_sp(&mut self, keeps_global_key: bool) -> Result<(), MethodStatus> {
        if !self.state.active {
            return Ok(());
        }
        let kept = usize::from(keeps_global_key);
        let ranges: Vec<_> = locking::ranges(&self.state.profile).skip(kept).collect();
        self.replace_keys(&ranges)?;
        self.abort_sessions_of(SpId::Locking);
        self.power.block.thaw();
        self.forget_tries_of(SpId::Locking);
        let locking = &self.state.profile.locking;
        let (mbr, data_store) = (locking.mbr_size, locking.data_store_size);
        let state = self.edit();
        state.active = false;
        state.locking = Contents::default();
        state.data_stores = vec![data_store];
        state.single_user = SingleUser::default();
        state.pending.push(whole(AreaName::Mbr, mbr));
        state.pending.push(whole(AreaName::DataStore, data_store));
        self.rebuild();
        Ok(())
    }

    /// Returns the Admin SP to its original factory state. The PIN of SID stays as it is if nobody
    /// has ever authenticated with it.
    pub(super) fn revert_admin_sp(&mut self) {
        self.abort_sessions_of(SpId::Admin);
        self.power.block = Block::default();
        self.forget_tries_of(SpId::Admin);
        self.power.medium_is_shut = self.state.profile.defects.revert_shuts_medium;
        let pin = self.state.profile.pin_after_revert;
        let state = self.edit();
        state.admin = Contents::default();
        if state.sid_authenticated {
            state.initial_pin = pin;
            state.sid_authenticated = false;
        }
        self.rebuild();
    }

    fn forget_tries_of(&mut self, sp: SpId) {
        let c_pins: Vec<Uid> = self.catalogue.sp(sp).rows_of(uid::C_PIN).collect();
        for c_pin in c_pins {
            self.forget_tries(c_pin);
        }
    }

    /// Makes the tables anew, after something changed from which their rows follow.
    pub(super) fn rebuild(&mut self) {
        self.catalogue = catalogue(&self.state);
    }
}

pub(super) const fn whole(area: AreaName, length: u64) -> Pending {
    Pending::Clear(Extent {
        area,
        offset: 0,
        length,
    })
}
