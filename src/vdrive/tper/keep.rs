//! How the state of a TPer reaches its file, and comes back.
//!
//! The file has two records. The state record is durable once it is written; it holds the state and
//! a copy of the power state. The power record is written by the commands that change nothing
//! non-volatile; it survives the death of the program, but not that of the machine. Both count
//! commands, and the power state with the higher count is the right one. So each command is one
//! atomic write, whichever kind it is.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::byte_store::{Extent, Pending};
use super::state::{Power, Stack, State, Transaction};
use super::tables::SpId;
use super::{Clock, KeepError, Tper, catalogue};
use crate::vdrive::store::{Layout, Store};

/// The state record as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    state: State,
    power: Power,
}

/// The state record as it is written.
#[derive(Serialize)]
struct RecordRef<'a> {
    state: &'a State,
    power: &'a Power,
}

impl RecordRef<'_> {
    /// The bytes, which are wiped when they go: they hold PINs and keys.
    fn to_bytes(&self) -> Result<Zeroizing<Vec<u8>>, KeepError> {
        Ok(Zeroizing::new(serde_json::to_vec(self)?))
    }
}

impl Record {
    fn read(store: &Store) -> Result<Self, KeepError> {
        let mut record: Self = serde_json::from_slice(store.state())?;
        let newer = serde_json::from_slice::<Power>(store.power())
            .ok()
            .filter(|power| power.sequence >= record.power.sequence);
        record.power = newer.unwrap_or(record.power);
        record.check(store.layout())?;
        Ok(record)
    }

    /// Checks what the rest of the TPer takes for granted.
    fn check(&self, layout: &Layout) -> Result<(), KeepError> {
        let profile = &self.state.profile;
        profile.check()?;
        let data_stores = self
            .state
            .data_stores
            .iter()
            .try_fold(0_u64, |sum, size| sum.checked_add(*size));
        let holds = layout.block_size == profile.geometry.block_size
            && layout.blocks == self.state.blocks
            && layout.mbr_bytes == profile.locking.mbr_size
            && layout.data_store_bytes == profile.locking.data_store_size
            && self.state.keys.len() == usize::from(profile.locking.ranges) + 1
            && self.power.stacks.len() == usize::from(profile.communication.com_ids)
            && data_stores.is_some_and(|sum| sum <= layout.data_store_bytes);
        if holds {
            Ok(())
        } else {
            Err(KeepError::Contradiction)
        }
    }
}

/// The bytes of the state record of a new drive.
pub(crate) fn first_record(state: &State) -> Result<Zeroizing<Vec<u8>>, KeepError> {
    let power = Power {
        stacks: (0..state.profile.communication.com_ids)
            .map(|_| Stack::default())
            .collect(),
        ..Power::default()
    };
    let record = RecordRef {
        state,
        power: &power,
    };
    record.to_bytes()
}

impl Tper {
    /// Starts a TPer from its file, and finishes what a crash has interrupted.
    pub(crate) fn open(store: Store, clock: Clock) -> Result<Self, KeepError> {
        let Record { state, power } = Record::read(&store)?;
        let catalogue = catalogue(&state);
        let mut tper = Self {
            store,
            state,
            power,
            catalogue,
            clock,
            changed: false,
            done: 0,
            erased: false,
        };
        tper.perform()?;
        Ok(tper)
    }

    /// Ends an interface command: everything that it changed is written, in one step.
    ///
    /// If the file fails, the TPer goes back to what the file holds.
    pub(super) fn keep(&mut self) -> Result<(), KeepError> {
        let kept = self.write_record().and_then(|()| self.perform());
        if kept.is_err() {
            self.reload()?;
        }
        kept
    }

    fn write_record(&mut self) -> Result<(), KeepError> {
        self.power.sequence = self.power.sequence.saturating_add(1);
        if !self.changed {
            let record = Zeroizing::new(serde_json::to_vec(&self.power)?);
            self.store.put_power(&record)?;
            return Ok(());
        }
        if !self.state.pending.is_empty() {
            // What was moved must be durable before the record stops asking for it, and what is
            // staged before the record asks for it.
            self.store.sync()?;
            self.state
                .pending
                .drain(..self.done.min(self.state.pending.len()));
            self.done = 0;
        }
        let record = RecordRef {
            state: &self.state,
            power: &self.power,
        };
        self.store.put_state(&record.to_bytes()?)?;
        self.changed = false;
        if self.erased {
            self.store.forget_previous_state()?;
            self.erased = false;
        }
        Ok(())
    }

    /// Carries out what is pending. Doing it twice does no harm.
    fn perform(&mut self) -> Result<(), KeepError> {
        for pending in self.state.pending.iter().skip(self.done) {
            match *pending {
                Pending::Move(Extent {
                    area,
                    offset,
                    length,
                }) => {
                    if let Some(staging) = area.staging() {
                        self.store.copy(staging, area.area(), offset, length)?;
                    }
                }
                Pending::Clear(Extent {
                    area,
                    offset,
                    length,
                }) => {
                    self.store.clear(area.area(), offset, length)?;
                }
            }
        }
        self.done = self.state.pending.len();
        Ok(())
    }

    /// Goes back to what the file holds.
    fn reload(&mut self) -> Result<(), KeepError> {
        let Record { state, power } = Record::read(&self.store)?;
        self.catalogue = catalogue(&state);
        self.state = state;
        self.power = power;
        self.changed = false;
        self.erased = false;
        self.done = 0;
        Ok(())
    }

    /// Makes sure that the file asks for nothing in `extent` any more, so that new bytes may be
    /// staged there. What the running command has changed is not written.
    pub(super) fn settle(&mut self, extent: Extent) -> Result<(), KeepError> {
        let asks = |pending: &Pending| match pending {
            Pending::Move(other) => other.intersection(extent).is_some(),
            Pending::Clear(_) => false,
        };
        if !self.state.pending.iter().take(self.done).any(asks) {
            return Ok(());
        }
        self.store.sync()?;
        let mut record = Record::read(&self.store)?;
        record.state.pending.clear();
        self.store.put_state(&record.borrow().to_bytes()?)?;
        self.state
            .pending
            .drain(..self.done.min(self.state.pending.len()));
        self.done = 0;
        Ok(())
    }
}

impl Tper {
    /// Takes over what a transaction has changed; the end of the command writes it.
    pub(super) fn commit(&mut self, sp: SpId, transaction: Transaction) {
        let state = self.edit();
        *state.contents_mut(sp) = transaction.contents;
        state
            .pending
            .extend(transaction.staged.iter().map(Pending::Move));
    }
}

impl Record {
    const fn borrow(&self) -> RecordRef<'_> {
        RecordRef {
            state: &self.state,
            power: &self.power,
        }
    }
}
