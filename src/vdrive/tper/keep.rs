//! How the state of a TPer reaches its file, and comes back.
//!
//! The file has two records. The state record is durable once it is written; it holds the state and
//! a copy of the power state. The power record is written by the commands that change nothing
//! non-volatile; it survives the death of the program, but not that of the machine. Both count
//! commands, and the power state with the higher count is the right one. So each command is one
//! atomic write, whichever kind it is.
//!
//! Work that follows a record ([`Pending`]) is done before the command ends, and again after a crash;
//! the next record does not ask for it any more. Work on the media is different: a host may write
//! there at once, so a record without that work follows before the command ends.
//!
//! If the host's machine was booted since the file was written, the power was cut: that is a power
//! cycle, with all that it locks and ends. Only the count of commands goes on.

use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use super::byte_store::{AreaName, Extent, Pending};
use super::resets::Reset;
use super::state::{Power, Session, State, Transaction};
use super::tables::SpId;
use super::{Clock, KeepError, Tper, catalogue};
use crate::spec::MethodStatus;
use crate::vdrive::MAX_NAMESPACES;
use crate::vdrive::fault::ArmedFault;
use crate::vdrive::profile::SidPin;
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
        let holds = layout.block_size == profile.geometry.block_size
            && layout.blocks == self.state.blocks
            && self.namespaces_fit()
            && layout.mbr_bytes == profile.locking.mbr_size
            && layout.data_store_bytes == profile.locking.data_store_size
            && self.state.keys.len() == usize::from(profile.locking.ranges) + 1
            && self.power.stacks.len() == usize::from(profile.communication.com_ids)
            && self.data_stores_fit()
            && self.single_user_fits();
        if holds {
            Ok(())
        } else {
            Err(KeepError::Contradiction)
        }
    }

    fn namespaces_fit(&self) -> bool {
        let (count, blocks) = (self.state.namespaces, self.state.blocks);
        (1..=MAX_NAMESPACES).contains(&count) && blocks.is_multiple_of(u64::from(count))
    }

    /// An inactive Locking SP has nothing in Single User Mode.
    fn single_user_fits(&self) -> bool {
        let single_user = &self.state.single_user;
        single_user.is_possible(&self.state.profile) && (self.state.active || single_user.is_off())
    }

    fn data_stores_fit(&self) -> bool {
        let (tables, limits) = (&self.state.data_stores, &self.state.profile.locking);
        let sum = tables
            .iter()
            .try_fold(0_u64, |sum, size| sum.checked_add(*size));
        tables.len() <= usize::from(limits.data_store_tables)
            && tables.iter().all(|size| *size > 0)
            && sum.is_some_and(|sum| sum <= limits.data_store_size)
    }
}

/// The bytes of the state record of a new drive.
pub(crate) fn first_record(state: &State) -> Result<Zeroizing<Vec<u8>>, KeepError> {
    let sid_is_msid = state.initial_pin == SidPin::Msid;
    let power = Power::up(&state.profile, sid_is_msid, &Power::default());
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
            failed: None,
        };
        tper.perform()?;
        tper.settle_done()?;
        if tper.store.lost_power() {
            tper.reset_from_outside(Reset::PowerCycle)?;
        }
        Ok(tper)
    }

    /// Writes which fault is arranged.
    pub(in crate::vdrive) fn keep_fault(
        &mut self,
        fault: Option<ArmedFault>,
    ) -> Result<(), KeepError> {
        self.edit().fault = fault;
        self.keep()
    }

    /// Ends an interface command: everything that it changed is written, in one step.
    ///
    /// If the file fails, the TPer goes back to what the file holds: the state before the command,
    /// or, if the record was written and the work that follows it failed, the state after it. That
    /// work is then the first thing that the next command does.
    pub(super) fn keep(&mut self) -> Result<(), KeepError> {
        if let Some(error) = self.failed.take() {
            self.reload()?;
            self.roll_back_all()?;
            return Err(error);
        }
        let kept = self.write_record().and_then(|()| self.perform());
        let kept = kept.and_then(|()| self.settle_media());
        if kept.is_err() {
            self.reload()?;
        }
        kept
    }

    /// Notes that the file failed while a method was carried out.
    pub(super) fn fail(&mut self, error: KeepError) -> MethodStatus {
        self.failed = Some(error);
        MethodStatus::TPER_MALFUNCTION
    }

    /// Finishes what the last command left undone because the file failed.
    pub(super) fn catch_up(&mut self) -> Result<(), KeepError> {
        if self.state.pending.len() > self.done {
            self.perform()?;
        }
        self.settle_media()
    }

    /// Makes sure that nothing which a host writes to the media from now on is cleared, now or when
    /// the file is opened again.
    fn settle_media(&mut self) -> Result<(), KeepError> {
        let clears_media = |pending: &Pending| match pending {
            Pending::Clear(extent) => extent.area == AreaName::Medium,
            Pending::Move(_) | Pending::Forget => false,
        };
        if !self.state.pending.iter().any(clears_media) {
            return Ok(());
        }
        self.settle_done()
    }

    /// Writes a record that does not ask any more for what has been done.
    fn settle_done(&mut self) -> Result<(), KeepError> {
        if self.done == 0 {
            return Ok(());
        }
        self.edit();
        self.write_record()
    }

    /// Lets a crash during this command end a session: it would tear what the session's transaction
    /// has staged.
    pub(super) fn end_on_crash(&mut self, session: &Session) -> Result<(), KeepError> {
        let mut power = Record::read(&self.store)?.power;
        power.sessions.retain(|other| other.tsn != session.tsn);
        let sequence = self.power.sequence.max(power.sequence).saturating_add(1);
        power.sequence = sequence;
        self.power.sequence = sequence;
        let record = Zeroizing::new(serde_json::to_vec(&power)?);
        Ok(self.store.put_power(&record)?)
    }

    /// Ends every transaction: what it has staged may have been damaged.
    fn roll_back_all(&mut self) -> Result<(), KeepError> {
        for session in &mut self.power.sessions {
            session.transaction = None;
        }
        self.write_record()
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
                Pending::Forget => self.store.forget_previous_state()?,
            }
        }
        self.done = self.state.pending.len();
        Ok(())
    }

    /// Forgets a command that was broken off.
    pub(super) fn forget(&mut self) -> Result<(), KeepError> {
        self.failed = None;
        self.reload()
    }

    /// Goes back to what the file holds.
    fn reload(&mut self) -> Result<(), KeepError> {
        let Record { state, power } = Record::read(&self.store)?;
        self.catalogue = catalogue(&state);
        self.state = state;
        self.power = power;
        self.changed = false;
        self.done = 0;
        Ok(())
    }

    /// Makes sure that the file asks for nothing in `extent` any more, so that new bytes may be
    /// staged there. What the running command has changed is not written.
    pub(super) fn settle(&mut self, extent: Extent) -> Result<(), KeepError> {
        let asks = |pending: &Pending| match pending {
            Pending::Move(other) => other.intersection(extent).is_some(),
            Pending::Clear(_) | Pending::Forget => false,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::RangePolicy;
    use crate::vdrive::CreateOptions;
    use crate::vdrive::tper::single_user::{Selection, SingleUser};
    use crate::vdrive::tper::state::Stack;

    fn new_store(change: impl FnOnce(&mut State)) -> Store {
        let (layout, record) = CreateOptions::new(1 << 20).first_record().unwrap();
        let mut record: Record = serde_json::from_slice(&record).unwrap();
        change(&mut record.state);
        Store::in_memory(&layout, &record.borrow().to_bytes().unwrap()).unwrap()
    }

    fn open(store: Store) -> Result<Tper, KeepError> {
        Tper::open(store, Box::new(|| 0))
    }

    #[test]
    fn a_state_that_contradicts_itself_is_refused() {
        type Change = fn(&mut State);
        let changes: [Change; 10] = [
            // An inactive Locking SP has nothing in Single User Mode, and no drive has Range9.
            |state| {
                state.single_user = SingleUser::new(Selection::Table, RangePolicy::USER);
            },
            |state| {
                state.active = true;
                let ranges = Selection::Ranges([9].into());
                state.single_user = SingleUser::new(ranges, RangePolicy::USER);
            },
            |state| state.keys.truncate(3),
            |state| state.blocks += 1,
            |state| state.namespaces = 0,
            |state| state.namespaces = 3,
            |state| state.data_stores = vec![u64::MAX, 1],
            |state| state.data_stores = vec![1; 10],
            |state| state.profile.locking.mbr_size += 1,
            |state| state.profile.communication.com_ids = 2,
        ];
        for (index, change) in changes.into_iter().enumerate() {
            let refused = open(new_store(change));
            assert!(matches!(refused, Err(KeepError::Contradiction)), "{index}");
        }
        let impossible = open(new_store(|state| {
            state.profile.geometry.alignment_granularity = 0;
        }));
        assert!(matches!(impossible, Err(KeepError::Profile(_))));
        assert!(open(new_store(|_| {})).is_ok());
    }

    #[test]
    fn a_file_from_before_there_were_namespaces_has_one() {
        let (layout, record) = CreateOptions::new(1 << 20).first_record().unwrap();
        let text = std::str::from_utf8(&record).unwrap();
        assert!(!text.contains("namespaces"), "as that program wrote it");
        let store = Store::in_memory(&layout, &record).unwrap();
        assert_eq!(open(store).unwrap().state.namespaces, 1);
    }

    #[test]
    fn what_is_in_single_user_mode_is_kept() {
        let single_user = SingleUser::new(Selection::Ranges([1, 8].into()), RangePolicy::ADMINS);
        let tper = open(new_store(|state| {
            state.active = true;
            state.single_user = single_user.clone();
        }));
        let mut tper = open(tper.unwrap().store).unwrap();
        tper.edit();
        tper.keep().unwrap();
        assert_eq!(open(tper.store).unwrap().state.single_user, single_user);
    }

    #[test]
    fn a_file_from_before_there_was_single_user_mode_has_none() {
        let (layout, record) = CreateOptions::new(1 << 20).first_record().unwrap();
        let mut record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        assert!(record["state"].get("single_user").is_none());
        let profile = record["state"]["profile"].as_object_mut().unwrap();
        assert!(profile.remove("discovery").is_some());
        let record = serde_json::to_vec(&record).unwrap();
        let store = Store::in_memory(&layout, &record).unwrap();
        let tper = open(store).unwrap();
        assert!(!tper.state.profile.has_single_user_mode());
        assert!(tper.state.single_user.is_off());
    }

    #[test]
    fn a_file_from_before_profiles_had_quirks_has_none() {
        let (layout, record) = CreateOptions::new(1 << 20).first_record().unwrap();
        let mut record: serde_json::Value = serde_json::from_slice(&record).unwrap();
        let profile = record["state"]["profile"].as_object_mut().unwrap();
        for name in ["discovery", "properties", "defects", "quirks"] {
            assert!(profile.remove(name).is_some(), "{name}");
        }
        let power = record["power"].as_object_mut().unwrap();
        for name in ["is_mute", "is_hung", "medium_is_shut"] {
            assert!(power.remove(name).is_some(), "{name}");
        }
        let stack = power["stacks"][0].as_object_mut().unwrap();
        assert!(stack.remove("empty_answers").is_some());
        let store = Store::in_memory(&layout, record.to_string().as_bytes()).unwrap();
        let profile = open(store).unwrap().state.profile;
        let discovery = crate::vdrive::profile::Layout::default();
        let opal2 = crate::vdrive::profile::Profile::opal2();
        assert_eq!(
            profile,
            crate::vdrive::profile::Profile { discovery, ..opal2 }
        );
    }

    #[test]
    fn the_number_of_namespaces_is_kept() {
        let tper = open(new_store(|state| state.namespaces = 2)).unwrap();
        let mut tper = open(tper.store).unwrap();
        tper.edit();
        tper.keep().unwrap();
        assert_eq!(open(tper.store).unwrap().state.namespaces, 2);
    }

    #[test]
    fn a_record_that_is_no_state_is_refused() {
        let (layout, _) = CreateOptions::new(1 << 20).first_record().unwrap();
        for record in [&b""[..], b"{}", b"[1]", b"\xff\xff"] {
            let store = Store::in_memory(&layout, record).unwrap();
            assert!(matches!(open(store), Err(KeepError::Malformed(_))));
        }
    }

    #[test]
    fn the_newer_power_state_counts() {
        let mut store = new_store(|_| {});
        let stacks = vec![Stack::default()];
        let power = |sequence, last_tsn| Power {
            sequence,
            last_tsn,
            stacks: stacks.clone(),
            ..Power::default()
        };
        store
            .put_power(&serde_json::to_vec(&power(7, 0x1111)).unwrap())
            .unwrap();
        let mut tper = open(store).unwrap();
        assert_eq!(tper.power.last_tsn, 0x1111);
        // A command that changes the state carries its power state with it.
        tper.power.last_tsn = 0x2222;
        tper.edit();
        tper.keep().unwrap();
        let mut tper = open(tper.store).unwrap();
        assert_eq!((tper.power.last_tsn, tper.power.sequence), (0x2222, 8));
        tper.power.last_tsn = 0x3333;
        tper.keep().unwrap();
        assert_eq!(open(tper.store).unwrap().power.last_tsn, 0x3333);
    }

    #[test]
    fn a_power_state_that_cannot_be_read_gives_way() {
        let mut store = new_store(|_| {});
        store.put_power(b"no power state").unwrap();
        assert_eq!(open(store).unwrap().power.sequence, 0);
    }
}
