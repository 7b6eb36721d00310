//! Crashes, simulated: a disk that dies at any operation, and what a power cut leaves of it.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

use super::disk::{Disk, MemoryDisk, size};
use super::*;

const SECTOR: usize = 512;
const BOOT: Boot = [7; 16];
const LATER_BOOT: Boot = [8; 16];

#[derive(Clone)]
enum Operation {
    Write(u64, Vec<u8>),
    Punch(u64, u64),
}

/// How operations end after the first so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::vdrive) enum Fate {
    /// The process is killed: one operation stops half way, and none follows.
    Killed,
    /// The file system is full for one operation, which stops half way.
    Full,
    /// The device fails one sync; what was written may or may not be lost.
    SyncFails,
}

struct Inner {
    /// What a power cut cannot take.
    durable: MemoryDisk,
    /// What a read shows.
    current: MemoryDisk,
    pending: Vec<Operation>,
    /// Operations that go well before the one that does not.
    left: usize,
    fate: Fate,
    failed: bool,
}

/// A disk that fails after so many operations. Clones share it.
#[derive(Clone)]
struct CrashDisk(Arc<Mutex<Inner>>);

impl CrashDisk {
    fn new(disk: MemoryDisk, left: usize, fate: Fate) -> Self {
        let durable = disk.clone();
        let pending = Vec::new();
        let inner = Inner {
            durable,
            current: disk,
            pending,
            left,
            fate,
            failed: false,
        };
        Self(Arc::new(Mutex::new(inner)))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.0.lock().unwrap()
    }

    /// What the next process finds on the same host.
    fn after_kill(&self) -> MemoryDisk {
        self.inner().current.clone()
    }

    /// What is left after a power cut: of what was not synced, any operations at all, each whole.
    fn after_reordering(&self, seed: u64) -> MemoryDisk {
        let inner = self.inner();
        let mut disk = inner.durable.clone();
        for (index, operation) in inner.pending.iter().enumerate() {
            if seed >> (index % 64) & 1 == 0 {
                continue;
            }
            match operation {
                Operation::Write(offset, bytes) => disk.write(*offset, bytes).unwrap(),
                Operation::Punch(offset, length) => disk.punch(*offset, *length).unwrap(),
            }
        }
        disk
    }

    /// What is left after a power cut: of what was not synced, any sectors at all.
    fn after_power_cut(&self, seed: u64) -> MemoryDisk {
        let inner = self.inner();
        let mut disk = inner.durable.clone();
        let mut random = seed;
        for operation in &inner.pending {
            match operation {
                Operation::Write(offset, bytes) => {
                    for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                        if coin(&mut random) {
                            disk.write(offset + size(index * SECTOR), sector).unwrap();
                        }
                    }
                }
                Operation::Punch(offset, length) if coin(&mut random) => {
                    disk.punch(*offset, *length).unwrap();
                }
                Operation::Punch(..) => {}
            }
        }
        disk
    }
}

/// A coin of a 64-bit xorshift generator; seeds 0 and 1 lose and keep everything.
fn coin(random: &mut u64) -> bool {
    if *random > 1 {
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        return *random >> 63 == 1;
    }
    *random == 1
}

impl Inner {
    /// Counts an operation; true if it is the one that fails.
    fn fails(&mut self, is_sync: bool) -> io::Result<bool> {
        if self.failed && self.fate == Fate::Killed {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
        let counts = match self.fate {
            Fate::Killed => true,
            Fate::Full => !is_sync,
            Fate::SyncFails => is_sync,
        };
        if self.failed || !counts {
            return Ok(false);
        }
        self.failed = self.left == 0;
        self.left = self.left.saturating_sub(1);
        Ok(self.failed)
    }

    fn error(&self) -> io::Error {
        match self.fate {
            Fate::Full => io::ErrorKind::StorageFull.into(),
            Fate::Killed | Fate::SyncFails => io::ErrorKind::Other.into(),
        }
    }
}

impl Disk for CrashDisk {
    fn length(&self) -> io::Result<u64> {
        self.inner().current.length()
    }

    fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.inner().current.read(offset, buffer)
    }

    fn write(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut inner = self.inner();
        let fails = inner.fails(false)?;
        let bytes = if fails {
            &bytes[..bytes.len() / 2]
        } else {
            bytes
        };
        inner.current.write(offset, bytes)?;
        inner.pending.push(Operation::Write(offset, bytes.to_vec()));
        if fails { Err(inner.error()) } else { Ok(()) }
    }

    fn punch(&mut self, offset: u64, length: u64) -> io::Result<()> {
        let mut inner = self.inner();
        if inner.fails(false)? {
            return Err(inner.error());
        }
        inner.current.punch(offset, length)?;
        inner.pending.push(Operation::Punch(offset, length));
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        let mut inner = self.inner();
        if inner.fails(true)? {
            return Err(inner.error());
        }
        inner.pending.clear();
        inner.durable = inner.current.clone();
        Ok(())
    }
}

/// A drive in memory, to be crashed by tests of what stands on the store.
pub(in crate::vdrive) struct Rig {
    disk: MemoryDisk,
    boot: Boot,
}

/// A look at the disk of a store that [`Rig::failing`] gave.
pub(in crate::vdrive) struct Watch(CrashDisk);

impl Rig {
    /// A new drive.
    pub(in crate::vdrive) fn new(layout: &Layout, state: &[u8]) -> Self {
        let map = Map::new(layout).unwrap();
        let mut disk = MemoryDisk::new(map.length());
        initialise(&mut disk, &map, state).unwrap();
        Self { disk, boot: BOOT }
    }

    /// A store on a copy of the disk, which fails after so many operations.
    pub(in crate::vdrive) fn failing(&self, left: usize, fate: Fate) -> (Store, Watch) {
        let disk = CrashDisk::new(self.disk.clone(), left, fate);
        let store = Store::load(Box::new(disk.clone()), Some(self.boot)).unwrap();
        (store, Watch(disk))
    }

    /// True if the bytes stand anywhere on the disk.
    pub(in crate::vdrive) fn holds(&self, bytes: &[u8]) -> bool {
        self.disk
            .dump()
            .windows(bytes.len())
            .any(|window| window == bytes)
    }

    /// A store on a copy of the disk.
    pub(in crate::vdrive) fn store(&self) -> Store {
        Store::load(Box::new(self.disk.clone()), Some(self.boot)).unwrap()
    }
}

impl Watch {
    /// True if an operation has failed.
    pub(in crate::vdrive) fn failed(&self) -> bool {
        self.0.inner().failed
    }

    /// What the next process finds on the same host.
    pub(in crate::vdrive) fn after_kill(&self) -> Rig {
        Rig {
            disk: self.0.after_kill(),
            boot: BOOT,
        }
    }

    /// What may be left after a power cut of the host, in which operations are lost by sectors.
    pub(in crate::vdrive) fn after_power_cut(&self, seed: u64) -> Rig {
        Rig {
            disk: self.0.after_power_cut(seed),
            boot: LATER_BOOT,
        }
    }

    /// What may be left after a power cut of the host, in which whole operations are lost: the bits
    /// of `seed` say which are kept.
    pub(in crate::vdrive) fn after_reordering(&self, seed: u64) -> Rig {
        Rig {
            disk: self.0.after_reordering(seed),
            boot: LATER_BOOT,
        }
    }
}

fn layout() -> Layout {
    Layout {
        block_size: 512,
        blocks: 64,
        mbr_bytes: 300_000,
        data_store_bytes: 4096,
    }
}

fn new_disk(state: &[u8]) -> MemoryDisk {
    let map = Map::new(&layout()).unwrap();
    let mut disk = MemoryDisk::new(map.length());
    initialise(&mut disk, &map, state).unwrap();
    disk
}

fn open(disk: impl Disk + 'static) -> Store {
    Store::load(Box::new(disk), Some(BOOT)).unwrap()
}

/// States of lengths that shrink and grow, each recognisable.
fn states() -> Vec<Vec<u8>> {
    [700, 5000, 100, 0, 40_000, 3]
        .into_iter()
        .zip(1..)
        .map(|(n, fill)| vec![fill; n])
        .collect()
}

/// What a dialogue left: the values that were acknowledged last, and those that were under way.
struct Dialogue {
    state: BTreeSet<Vec<u8>>,
    power: BTreeSet<Vec<u8>>,
}

impl Dialogue {
    /// Puts states and power states in turn, until the disk dies.
    fn run(disk: &CrashDisk) -> Self {
        let mut store = open(disk.clone());
        let mut dialogue = Self {
            state: [store.state().to_vec()].into(),
            power: [Vec::new()].into(),
        };
        for state in states() {
            let power = [state.as_slice(), b" power"].concat();
            if !attempt(&mut dialogue.power, &power, |power| store.put_power(power))
                || !attempt(&mut dialogue.state, &state, |state| store.put_state(state))
            {
                break;
            }
        }
        dialogue
    }
}

/// Puts a value; if that is acknowledged, it is the only one that may be found.
fn attempt(
    known: &mut BTreeSet<Vec<u8>>,
    value: &[u8],
    put: impl FnOnce(&[u8]) -> Result<(), StoreError>,
) -> bool {
    known.insert(value.to_vec());
    let acknowledged = put(value).is_ok();
    if acknowledged {
        known.retain(|each| each == value);
    }
    acknowledged
}

/// More operations than a dialogue has.
const OPERATIONS: usize = 30;

#[test]
fn dialogue_is_covered_to_its_end() {
    let disk = CrashDisk::new(new_disk(b"first"), OPERATIONS, Fate::Killed);
    Dialogue::run(&disk);
    assert!(!disk.inner().failed);
}

#[test]
fn kill_at_any_operation_leaves_the_old_value_or_the_new_one() {
    for left in 0..OPERATIONS {
        let disk = CrashDisk::new(new_disk(b"first"), left, Fate::Killed);
        let dialogue = Dialogue::run(&disk);
        let store = open(disk.after_kill());
        assert!(
            dialogue.state.contains(store.state()),
            "killed at operation {left}"
        );
        assert!(
            dialogue.power.contains(store.power()),
            "killed at operation {left}"
        );
    }
}

#[test]
fn power_cut_at_any_operation_leaves_the_old_state_or_the_new_one() {
    for left in 0..OPERATIONS {
        let disk = CrashDisk::new(new_disk(b"first"), left, Fate::Killed);
        let dialogue = Dialogue::run(&disk);
        for seed in 0..20 {
            let after = Box::new(disk.after_power_cut(seed));
            let store = Store::load(after, Some(LATER_BOOT)).unwrap();
            assert!(
                dialogue.state.contains(store.state()),
                "operation {left}, seed {seed}"
            );
            assert!(
                store.power().is_empty(),
                "a drive without power keeps no power state"
            );
        }
    }
}

#[test]
fn store_goes_on_after_a_crash() {
    for left in 0..OPERATIONS {
        let disk = CrashDisk::new(new_disk(b"first"), left, Fate::Killed);
        Dialogue::run(&disk);
        for seed in 0..5 {
            let mut store = open(disk.after_power_cut(seed));
            store.put_state(b"second life").unwrap();
            store.put_power(b"and power").unwrap();
            assert_eq!(store.state(), b"second life");
            assert_eq!(store.power(), b"and power");
        }
    }
}

#[test]
fn full_file_system_loses_nothing() {
    for left in 0..30 {
        let disk = CrashDisk::new(new_disk(b"first"), left, Fate::Full);
        let mut store = open(disk.clone());
        let (mut state, mut power) = (b"first".to_vec(), Vec::new());
        let mut failures = 0;
        for next in states() {
            match store.put_state(&next) {
                Ok(()) => state = next.clone(),
                Err(error) => {
                    assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
                    failures += 1;
                }
            }
            match store.put_power(&next) {
                Ok(()) => power = next,
                Err(error) => {
                    assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
                    failures += 1;
                }
            }
            assert_eq!(store.state(), state, "what is shown is what is kept");
            let reopened = open(disk.after_kill());
            assert_eq!(reopened.state(), state, "full at operation {left}");
            assert_eq!(reopened.power(), power, "full at operation {left}");
            assert_eq!(open(disk.after_power_cut(0)).state(), state);
        }
        assert!(failures <= 1, "space came back after one operation");
    }
}

#[test]
fn state_whose_sync_failed_does_not_count() {
    for left in 0..states().len() {
        let disk = CrashDisk::new(new_disk(b"first"), left, Fate::SyncFails);
        let mut store = open(disk.clone());
        let mut acknowledged = b"first".to_vec();
        for state in states() {
            if store.put_state(&state).is_ok() {
                acknowledged = state;
            }
            assert_eq!(open(disk.after_kill()).state(), acknowledged);
            assert_eq!(store.state(), acknowledged);
        }
    }
}

/// How byte tables are committed, as the module's documentation says.
fn commit_staged(store: &mut Store, bytes: &[u8]) -> Result<(), StoreError> {
    store.write(Area::MbrStaging, 1000, bytes)?;
    store.sync()?;
    store.put_state(b"copying")?;
    store.copy(Area::MbrStaging, Area::Mbr, 1000, size(bytes.len()))?;
    store.sync()?;
    store.put_state(b"copied")
}

#[test]
fn staged_write_is_there_as_a_whole_or_not_at_all() {
    let (old, new) = (vec![0; 200_000], vec![0xa5; 200_000]);
    for left in 0..30 {
        let disk = CrashDisk::new(new_disk(b"idle"), left, Fate::Killed);
        let result = commit_staged(&mut open(disk.clone()), &new);
        for seed in 0..10 {
            let mut store = open(disk.after_power_cut(seed));
            if store.state() == b"copying" {
                store
                    .copy(Area::MbrStaging, Area::Mbr, 1000, 200_000)
                    .unwrap();
            }
            let expected = if store.state() == b"idle" { &old } else { &new };
            let mut found = vec![1; 200_000];
            store.read(Area::Mbr, 1000, &mut found).unwrap();
            assert!(found == *expected, "operation {left}, seed {seed}");
            assert!(
                result.is_err() || store.state() == b"copied",
                "acknowledged means durable"
            );
        }
    }
}

#[test]
fn synced_area_survives_a_power_cut() {
    let disk = CrashDisk::new(new_disk(b"first"), usize::MAX, Fate::Full);
    let mut store = open(disk.clone());
    store.write(Area::Medium, 512, &[1; 1024]).unwrap();
    store.sync().unwrap();
    store.write(Area::Medium, 512, &[2; 1024]).unwrap();
    let mut found = [0; 1024];
    open(disk.after_power_cut(0))
        .read(Area::Medium, 512, &mut found)
        .unwrap();
    assert_eq!(
        found, [1; 1024],
        "what was not synced is lost, what was is not"
    );
}

#[test]
fn a_flush_tells_of_what_the_sync_of_somebody_else_lost() {
    let disk = CrashDisk::new(new_disk(b"first"), 0, Fate::SyncFails);
    let mut store = open(disk);
    store.write(Area::Medium, 512, &[1; 512]).unwrap();
    // The kernel tells of a failed write-back once, and takes the pages for clean from then on.
    store.put_state(b"second").unwrap_err();
    store.flush().unwrap_err();
    store.write(Area::Medium, 512, &[1; 512]).unwrap();
    store.flush().unwrap();
}
