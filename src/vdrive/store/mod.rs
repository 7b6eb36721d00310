//! The store: everything that a virtual drive remembers, in one file or in memory.
//!
//! The file is sparse; what was never written takes no space. In it follow each other:
//!
//! | part | bytes | content |
//! |---|---|---|
//! | header | 1 MiB | dimensions, see `layout`; written once |
//! | state | 2 × 16 MiB | two slots, see `slot`: the TPer's tables, which survive a power cut |
//! | power state | 2 × 16 MiB | two slots: what a power cycle clears |
//! | areas | | DataStore, its staging area, MBR, its staging area, medium |
//!
//! **Crashes.** [`Store::put_state`] and [`Store::put_power`] replace their value as a whole: a
//! process killed at any moment leaves the old value or the new one. A state is durable when
//! `put_state` returns. A power state is not, and need not be: it carries the host's boot number,
//! and after another boot it is gone, as the power of a real drive would be. The state carries the
//! boot number too ([`Store::lost_power`]): the TPer takes another boot for a power cycle, which
//! ends sessions and locks what LockOnReset and DoneOnReset say, and keeps the counts of commands. Areas are like a
//! drive with a volatile write cache: what was written before [`Store::sync`] or `put_state` is
//! durable, and of what was written after, a power cut may leave any sectors.
//! There is no journal. Whoever changes an area together with the state writes to the staging area,
//! syncs, puts a state that lists what is being copied, copies, syncs, and puts a state without the
//! list; on opening, a state with such a list says what to copy again.
//!
//! **Deallocated blocks** of the medium are all zero in the file, and there is no other record of
//! them: ciphertext of 512 bytes that is all zero by chance has a probability of 2⁻⁴⁰⁹⁶. So data
//! and record cannot contradict each other after a crash.
//!
//! **Errors lose nothing.** If the file system is full, the value or the bytes that were to be
//! replaced are still there, and the operation may be tried again.

mod disk;
mod error;
mod file;
mod layout;
mod slot;

use std::fmt;
use std::path::Path;

use zeroize::Zeroizing;

use disk::{Disk, MemoryDisk, size};
pub use error::StoreError;
use file::{Draft, FileDisk};
pub(crate) use layout::{Area, Layout};
use layout::{HEADER_BYTES, Map};
use slot::{Boot, Kind, LIMIT, Slots};

/// Bytes that are copied at a time, and found to be zero or not.
const COPY_BYTES: u64 = 65536;
/// How often a look at a drive in use is repeated if the drive was writing just then.
const LOOKS: usize = 5;

/// Everything that a virtual drive remembers.
pub(crate) struct Store {
    disk: Box<dyn Disk>,
    map: Map,
    boot: Option<Boot>,
    lost_power: bool,
    state: Slots,
    state_bytes: Zeroizing<Vec<u8>>,
    power: Slots,
    power_bytes: Zeroizing<Vec<u8>>,
    /// The failure of a sync that no flush has told of.
    lost: Option<StoreError>,
}

/// What a look at a drive shows that may be in use.
#[derive(Debug)]
pub(crate) struct Snapshot {
    /// Dimensions of the drive.
    pub layout: Layout,
    /// State of the TPer.
    pub state: Zeroizing<Vec<u8>>,
    /// Power state of the TPer; empty after another boot of the host.
    pub power: Zeroizing<Vec<u8>>,
    /// As [`Store::lost_power`].
    pub lost_power: bool,
}

impl Store {
    /// Creates the file of a drive and opens it.
    ///
    /// # Errors
    ///
    /// The file exists, the dimensions are impossible, or the file cannot be written. No file is
    /// left behind.
    pub(crate) fn create(path: &Path, layout: &Layout, state: &[u8]) -> Result<Self, StoreError> {
        let map = Map::new(layout)?;
        let (draft, mut disk) = Draft::new(path, map.length())?;
        initialise(&mut disk, &map, state)?;
        draft.publish(&disk)?;
        Self::load(Box::new(disk), file::this_boot())
    }

    /// Opens the file of a drive, which nobody else can do until this is dropped.
    ///
    /// # Errors
    ///
    /// Another process has the drive open; or the file is none of ours, was made by a newer
    /// version, is cut or damaged, or cannot be read.
    pub(crate) fn open(path: &Path) -> Result<Self, StoreError> {
        Self::load(Box::new(FileDisk::open(path)?), file::this_boot())
    }

    /// Looks at a drive that another process may have open. State and power state are each whole,
    /// but may be a moment old.
    ///
    /// # Errors
    ///
    /// As for [`Store::open`], but the drive is never busy.
    pub(crate) fn inspect(path: &Path) -> Result<Snapshot, StoreError> {
        let disk = FileDisk::open_to_look(path)?;
        let mut looks = (0..LOOKS).map(|_| Contents::read(&disk, file::this_boot()));
        let whole =
            |look: &Result<Contents, StoreError>| !matches!(look, Err(StoreError::Damaged { .. }));
        let damaged = StoreError::Damaged { part: "state" };
        let contents = looks.find(whole).unwrap_or(Err(damaged))?;
        Ok(Snapshot {
            layout: contents.map.layout().clone(),
            state: contents.state.1,
            power: contents.power.1,
            lost_power: contents.lost_power,
        })
    }

    /// Makes a drive that lives in memory and ends with this value.
    ///
    /// # Errors
    ///
    /// The dimensions are impossible.
    pub(crate) fn in_memory(layout: &Layout, state: &[u8]) -> Result<Self, StoreError> {
        let map = Map::new(layout)?;
        let mut disk = MemoryDisk::new(map.length());
        initialise(&mut disk, &map, state)?;
        Self::load(Box::new(disk), Some([0; 16]))
    }

    fn load(disk: Box<dyn Disk>, boot: Option<Boot>) -> Result<Self, StoreError> {
        let contents = Contents::read(disk.as_ref(), boot)?;
        Ok(Self {
            disk,
            map: contents.map,
            boot,
            lost_power: contents.lost_power,
            state: contents.state.0,
            state_bytes: contents.state.1,
            power: contents.power.0,
            power_bytes: contents.power.1,
            lost: None,
        })
    }

    /// Dimensions of the drive.
    pub(crate) const fn layout(&self) -> &Layout {
        self.map.layout()
    }

    /// The state of the TPer as it was last put.
    pub(crate) fn state(&self) -> &[u8] {
        &self.state_bytes
    }

    /// Replaces the state of the TPer, durably; with it, everything written to the areas before
    /// becomes durable too.
    ///
    /// The state before stays in the file as the one to fall back to until the next call or
    /// [`Store::forget_previous_state`].
    ///
    /// # Errors
    ///
    /// The state is over 16 MiB, or cannot be written; then the one before goes on to hold.
    pub(crate) fn put_state(&mut self, state: &[u8]) -> Result<(), StoreError> {
        check_length(state)?;
        let boot = self.boot.unwrap_or_default();
        let written = self.state.write(self.disk.as_mut(), &boot, state);
        let synced = written.and_then(|()| self.sync());
        settle(&mut self.state, self.disk.as_mut(), synced)?;
        self.state_bytes = Zeroizing::new(state.to_vec());
        Ok(())
    }

    /// Wipes the state before the present one from the file, durably. A method that erases (GenKey,
    /// Revert, Erase) calls this before it answers, so that the old key is gone by then.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub(crate) fn forget_previous_state(&mut self) -> Result<(), StoreError> {
        self.state.wipe_spare(self.disk.as_mut())?;
        self.sync()
    }

    /// True if the host was booted between the last [`Store::put_state`] and the opening of the
    /// drive. Then what the state says of sessions and the like is past, as after a power cycle.
    pub(crate) const fn lost_power(&self) -> bool {
        self.lost_power
    }

    /// The power state of the TPer as it was last put; empty if power was lost since.
    pub(crate) fn power(&self) -> &[u8] {
        &self.power_bytes
    }

    /// Replaces the power state of the TPer. It survives this process, but no boot of the host.
    ///
    /// # Errors
    ///
    /// The power state is over 16 MiB, or cannot be written; then the one before goes on to hold.
    pub(crate) fn put_power(&mut self, power: &[u8]) -> Result<(), StoreError> {
        check_length(power)?;
        let boot = self.boot.unwrap_or_default();
        let written = self.power.write(self.disk.as_mut(), &boot, power);
        settle(&mut self.power, self.disk.as_mut(), written)?;
        self.power_bytes = Zeroizing::new(power.to_vec());
        Ok(())
    }

    /// Reads bytes of an area. What was never written, or was cleared, is zero.
    ///
    /// # Errors
    ///
    /// The bytes lie beyond the end of the area, or the file cannot be read.
    pub(crate) fn read(
        &self,
        area: Area,
        offset: u64,
        buffer: &mut [u8],
    ) -> Result<(), StoreError> {
        let place = self.map.place(area, offset, size(buffer.len()))?;
        self.disk
            .read(place.start, buffer)
            .map_err(StoreError::io("read the virtual drive"))
    }

    /// Writes bytes of an area. They are durable after the next [`Store::sync`].
    ///
    /// # Errors
    ///
    /// The bytes lie beyond the end of the area, or the file cannot be written.
    pub(crate) fn write(
        &mut self,
        area: Area,
        offset: u64,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let place = self.map.place(area, offset, size(bytes.len()))?;
        self.disk
            .write(place.start, bytes)
            .map_err(StoreError::io("write to the virtual drive"))
    }

    /// Copies bytes of one area to the same offset of another; zeros stay or become holes.
    ///
    /// # Errors
    ///
    /// The bytes lie beyond the end of an area, or the file cannot be written. Some of them may
    /// have been copied.
    pub(crate) fn copy(
        &mut self,
        from: Area,
        to: Area,
        offset: u64,
        length: u64,
    ) -> Result<(), StoreError> {
        self.map.place(from, offset, length)?;
        self.map.place(to, offset, length)?;
        let mut buffer = Zeroizing::new(Vec::new());
        let end = offset + length;
        let mut offset = offset;
        while offset < end {
            let count = (end - offset).min(COPY_BYTES);
            buffer.resize(usize::try_from(count).unwrap_or_default(), 0);
            self.read(from, offset, &mut buffer)?;
            if buffer.iter().all(|&byte| byte == 0) {
                self.clear(to, offset, count)?;
            } else {
                self.write(to, offset, &buffer)?;
            }
            offset += count;
        }
        Ok(())
    }

    /// Makes bytes of an area zero and gives their space back. This is durable after the next
    /// [`Store::sync`].
    ///
    /// # Errors
    ///
    /// The bytes lie beyond the end of the area, or the file cannot be written.
    pub(crate) fn clear(&mut self, area: Area, offset: u64, length: u64) -> Result<(), StoreError> {
        let place = self.map.place(area, offset, length)?;
        self.disk
            .punch(place.start, length)
            .map_err(StoreError::io("clear the virtual drive"))
    }

    /// Returns once everything that was written would survive a power cut.
    ///
    /// # Errors
    ///
    /// The kernel could not write. What was written since the last sync may be lost by now, so it
    /// must be written again, not just synced.
    pub(crate) fn sync(&mut self) -> Result<(), StoreError> {
        let failed = StoreError::io("make the virtual drive durable");
        self.disk.sync().map_err(|error| {
            self.lost = Some(failed(error.kind().into()));
            failed(error)
        })
    }

    /// [`Store::sync`] for whoever wrote to the medium: fails once for syncs of others that failed.
    pub(crate) fn flush(&mut self) -> Result<(), StoreError> {
        let synced = self.sync();
        synced.and(self.lost.take().map_or(Ok(()), Err))
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store")
            .field("layout", self.layout())
            .finish_non_exhaustive()
    }
}

/// What a disk holds, apart from the areas.
struct Contents {
    map: Map,
    state: (Slots, Zeroizing<Vec<u8>>),
    power: (Slots, Zeroizing<Vec<u8>>),
    lost_power: bool,
}

impl Contents {
    fn read(disk: &dyn Disk, boot: Option<Boot>) -> Result<Self, StoreError> {
        let failed = StoreError::io("read the virtual drive");
        let length = disk.length().map_err(&failed)?;
        let mut header = [0; HEADER_BYTES];
        let count = usize::try_from(length)
            .unwrap_or(HEADER_BYTES)
            .min(HEADER_BYTES);
        let beginning = &mut header[..count];
        disk.read(0, beginning).map_err(&failed)?;
        let map = Map::parse(beginning, length)?;
        let (state, value) = Slots::load(disk, Kind::State, Map::STATE)?;
        let value = value.ok_or(StoreError::Damaged { part: "state" })?;
        let (power, last) = Slots::load(disk, Kind::Power, Map::POWER)?;
        let last = last.filter(|last| Some(last.boot) == boot);
        let last = last.map(|last| last.bytes).unwrap_or_default();
        // The state of a new drive belongs to no boot.
        let lost_power = value.boot != Boot::default() && Some(value.boot) != boot;
        Ok(Self {
            map,
            lost_power,
            state: (state, value.bytes),
            power: (power, last),
        })
    }
}

/// Writes what a new drive holds.
fn initialise(disk: &mut dyn Disk, map: &Map, state: &[u8]) -> Result<(), StoreError> {
    check_length(state)?;
    Slots::new(Kind::State, Map::STATE).write(disk, &Boot::default(), state)?;
    disk.write(0, &map.header())
        .map_err(StoreError::io("create the virtual drive"))
}

fn check_length(bytes: &[u8]) -> Result<(), StoreError> {
    if bytes.len() > LIMIT {
        return Err(StoreError::TooLong {
            length: bytes.len(),
            limit: LIMIT,
        });
    }
    Ok(())
}

/// Lets a new value count if it was written as it should be.
fn settle(
    slots: &mut Slots,
    disk: &mut dyn Disk,
    written: Result<(), StoreError>,
) -> Result<(), StoreError> {
    match written {
        Ok(()) => slots.commit(),
        Err(_) => slots.abandon(disk),
    }
    written
}

#[cfg(test)]
pub(in crate::vdrive) mod crash;
#[cfg(test)]
mod tests;
