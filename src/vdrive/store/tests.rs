use std::fs::{self, File, OpenOptions};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::{FileExt, MetadataExt, PermissionsExt};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use nix::sys::stat::Mode;
use proptest::prelude::*;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use super::slot::SLOT_BYTES;
use super::*;

const AREAS: [Area; 5] = [
    Area::Mbr,
    Area::MbrStaging,
    Area::DataStore,
    Area::DataStoreStaging,
    Area::Medium,
];

/// 64 MiB with a shadow MBR of 128 MiB and a DataStore of 10 MiB.
fn usual() -> Layout {
    Layout {
        block_size: 512,
        blocks: 131_072,
        mbr_bytes: 128 << 20,
        data_store_bytes: 10 << 20,
    }
}

fn small() -> Layout {
    Layout {
        block_size: 4096,
        blocks: 16,
        mbr_bytes: 20_000,
        data_store_bytes: 9_000,
    }
}

struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("drive.img")
    }

    fn create(&self, layout: &Layout) -> Store {
        Store::create(&self.path(), layout, b"factory").unwrap()
    }

    fn file(&self) -> File {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(self.path())
            .unwrap()
    }

    /// Bytes that the file takes on the host.
    fn occupied(&self) -> u64 {
        self.path().metadata().unwrap().blocks() * 512
    }

    fn open_error(&self) -> StoreError {
        Store::open(&self.path()).unwrap_err()
    }
}

/// Inverts a byte of the file.
fn damage(file: &File, offset: u64) {
    let mut byte = [0];
    file.read_exact_at(&mut byte, offset).unwrap();
    file.write_all_at(&[!byte[0]], offset).unwrap();
}

fn read(store: &Store, area: Area, offset: u64, length: usize) -> Vec<u8> {
    let mut buffer = vec![0xee; length];
    store.read(area, offset, &mut buffer).unwrap();
    buffer
}

#[test]
fn drive_opens_with_what_was_put() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&usual());
    assert_eq!((store.state(), store.power()), (&b"factory"[..], &b""[..]));
    store.put_state(b"owned").unwrap();
    store.put_power(b"session open").unwrap();
    store.write(Area::Medium, 512, b"data").unwrap();
    drop(store);
    let store = Store::open(&fixture.path()).unwrap();
    assert_eq!(*store.layout(), usual());
    assert_eq!(
        (store.state(), store.power()),
        (&b"owned"[..], &b"session open"[..])
    );
    assert_eq!(read(&store, Area::Medium, 511, 6), b"\0data\0");
}

#[test]
fn drive_in_memory_does_the_same() {
    let mut store = Store::in_memory(&small(), b"factory").unwrap();
    assert_eq!((store.state(), store.power()), (&b"factory"[..], &b""[..]));
    store.put_state(b"owned").unwrap();
    store.put_power(b"session open").unwrap();
    assert_eq!(
        (store.state(), store.power()),
        (&b"owned"[..], &b"session open"[..])
    );
}

#[test]
fn existing_file_is_not_overwritten() {
    let fixture = Fixture::new();
    fs::write(fixture.path(), "precious").unwrap();
    let error = Store::create(&fixture.path(), &small(), b"").unwrap_err();
    assert!(matches!(error, StoreError::Exists), "{error:?}");
    assert_eq!(fs::read(fixture.path()).unwrap(), b"precious");
}

#[test]
fn dangling_link_is_not_followed_to_create() {
    let fixture = Fixture::new();
    std::os::unix::fs::symlink(fixture.folder.path().join("elsewhere"), fixture.path()).unwrap();
    let error = Store::create(&fixture.path(), &small(), b"").unwrap_err();
    assert!(matches!(error, StoreError::Exists), "{error:?}");
}

#[test]
fn creation_leaves_one_file_or_none() {
    let fixture = Fixture::new();
    let names = || {
        fs::read_dir(fixture.folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
    };
    let limit = usize::try_from(SLOT_BYTES).unwrap();
    let error = Store::create(&fixture.path(), &small(), &vec![1; limit]).unwrap_err();
    assert!(matches!(error, StoreError::TooLong { .. }), "{error:?}");
    assert_eq!(names().count(), 0);
    drop(fixture.create(&small()));
    assert_eq!(names().collect::<Vec<_>>(), ["drive.img"]);
}

#[test]
fn creation_in_no_folder_fails_clearly() {
    let fixture = Fixture::new();
    let error = Store::create(&fixture.path().join("x"), &small(), b"").unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    let error = Store::create(Path::new("/"), &small(), b"").unwrap_err();
    assert!(matches!(error, StoreError::Exists), "{error:?}");
}

#[test]
fn impossible_dimensions_are_refused() {
    let bad = [
        Layout {
            block_size: 0,
            ..small()
        },
        Layout {
            block_size: 511,
            ..small()
        },
        Layout {
            block_size: u32::MAX,
            ..small()
        },
        Layout {
            blocks: 0,
            ..small()
        },
        Layout {
            blocks: u64::MAX,
            ..small()
        },
        Layout {
            blocks: u64::MAX / 4096,
            ..small()
        },
        Layout {
            mbr_bytes: u64::MAX,
            ..small()
        },
        Layout {
            data_store_bytes: i64::MAX.unsigned_abs(),
            ..small()
        },
    ];
    for layout in bad {
        let error = Store::in_memory(&layout, b"").unwrap_err();
        assert!(
            matches!(error, StoreError::Dimensions { .. }),
            "{layout:?}: {error:?}"
        );
    }
}

#[test]
fn drive_is_readable_by_its_owner_only() {
    let fixture = Fixture::new();
    drop(fixture.create(&small()));
    assert_eq!(
        fixture.path().metadata().unwrap().permissions().mode() & 0o777,
        0o600
    );
}

#[test]
fn second_opener_is_told_that_the_drive_is_busy() {
    let fixture = Fixture::new();
    let created = fixture.create(&small());
    assert!(matches!(fixture.open_error(), StoreError::Busy));
    drop(created);
    let opened = Store::open(&fixture.path()).unwrap();
    assert!(matches!(fixture.open_error(), StoreError::Busy));
    drop(opened);
    Store::open(&fixture.path()).unwrap();
}

#[test]
fn drive_in_use_can_be_inspected() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&small());
    store.put_state(b"owned").unwrap();
    store.put_power(b"session open").unwrap();
    let snapshot = Store::inspect(&fixture.path()).unwrap();
    assert_eq!(snapshot.layout, small());
    assert_eq!(
        (&snapshot.state[..], &snapshot.power[..]),
        (&b"owned"[..], &b"session open"[..])
    );
    assert_eq!(store.state(), b"owned");
}

#[test]
fn unwritten_areas_take_no_space() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&usual());
    let empty = fixture.occupied();
    assert!(empty <= 128 << 10, "{empty} bytes for an empty drive");
    store.write(Area::Mbr, 5 << 20, &vec![1; 1 << 20]).unwrap();
    store.sync().unwrap();
    let written = fixture.occupied() - empty;
    assert!(
        (1 << 20..(1 << 20) + (256 << 10)).contains(&written),
        "{written} bytes for 1 MiB"
    );
    store.clear(Area::Mbr, 0, 128 << 20).unwrap();
    store.sync().unwrap();
    assert!(
        fixture.occupied() <= 2 * empty + (64 << 10),
        "a cleared area gives its space back"
    );
}

#[test]
fn terabytes_are_possible() {
    let fixture = Fixture::new();
    let layout = Layout {
        blocks: 4 << 31,
        ..usual()
    };
    let last = (layout.blocks - 1) * 512;
    let mut stores = vec![Store::in_memory(&layout, b"").unwrap()];
    match Store::create(&fixture.path(), &layout, b"") {
        Ok(store) => stores.push(store),
        Err(error) => eprintln!("skipped: no file of 4 TiB here: {error}"),
    }
    for store in &mut stores {
        store.write(Area::Medium, last, &[9; 512]).unwrap();
        assert_eq!(
            read(store, Area::Medium, last - 512, 1024),
            [[0; 512], [9; 512]].concat()
        );
        store.clear(Area::Medium, 0, layout.blocks * 512).unwrap();
        assert_eq!(read(store, Area::Medium, last, 512), [0; 512]);
    }
}

#[test]
fn large_state_fits_and_a_larger_one_is_refused() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&small());
    let large = vec![7; 8 << 20];
    store.put_state(&large).unwrap();
    store.put_power(&large).unwrap();
    let too_large = vec![7; 16 << 20];
    for put in [Store::put_state, Store::put_power] {
        let error = put(&mut store, &too_large).unwrap_err();
        assert!(matches!(error, StoreError::TooLong { .. }), "{error:?}");
    }
    drop(store);
    let store = Store::open(&fixture.path()).unwrap();
    assert!(store.state() == large && store.power() == large);
}

#[test]
fn shorter_value_leaves_nothing_of_a_longer_one() {
    for long in [1000, 100_000, 1 << 20] {
        let fixture = Fixture::new();
        let mut store = fixture.create(&small());
        for fill in [1, 2] {
            store.put_state(&vec![fill; long]).unwrap();
        }
        for fill in [3, 4] {
            store.put_state(&[fill; 10]).unwrap();
        }
        let mut slots = vec![0; usize::try_from(2 * SLOT_BYTES).unwrap()];
        fixture
            .file()
            .read_exact_at(&mut slots, Map::STATE)
            .unwrap();
        assert!(
            !slots
                .windows(16)
                .any(|window| window == [1; 16] || window == [2; 16]),
            "{long}"
        );
    }
}

#[test]
fn forgotten_state_is_gone_from_the_file() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&small());
    store.put_state(b"the old media key").unwrap();
    store.put_state(b"the new media key").unwrap();
    let holds = |needle: &[u8]| {
        let mut slots = vec![0; usize::try_from(2 * SLOT_BYTES).unwrap()];
        fixture
            .file()
            .read_exact_at(&mut slots, Map::STATE)
            .unwrap();
        slots.windows(needle.len()).any(|window| window == needle)
    };
    assert!(
        holds(b"the old media key"),
        "the state before is there to fall back to"
    );
    store.forget_previous_state().unwrap();
    assert!(!holds(b"the old media key"));
    drop(store);
    let mut store = Store::open(&fixture.path()).unwrap();
    assert_eq!(store.state(), b"the new media key");
    store.put_state(b"the next media key").unwrap();
    drop(store);
    assert_eq!(
        Store::open(&fixture.path()).unwrap().state(),
        b"the next media key"
    );
}

#[test]
fn torn_slot_falls_back_to_the_other() {
    let length = 128 + size("new".len());
    for offset in (0..8).chain(16..72).chain(128..length) {
        let fixture = Fixture::new();
        let mut store = fixture.create(&small());
        store.put_state(b"new").unwrap();
        store.put_power(b"old").unwrap();
        store.put_power(b"new").unwrap();
        drop(store);
        // The factory state and the first power state are in slot 0.
        damage(&fixture.file(), Map::STATE + SLOT_BYTES + offset);
        damage(&fixture.file(), Map::POWER + SLOT_BYTES + offset);
        let store = Store::open(&fixture.path()).unwrap();
        assert_eq!(store.state(), b"factory", "byte {offset}");
        assert_eq!(store.power(), b"old", "byte {offset}");
    }
}

#[test]
fn two_torn_slots_are_damage_to_the_state_but_a_power_loss_to_the_power_state() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&small());
    store.put_state(b"new").unwrap();
    store.put_power(b"power").unwrap();
    drop(store);
    for slot in [0, SLOT_BYTES] {
        damage(&fixture.file(), Map::POWER + slot + 41);
    }
    let store = Store::open(&fixture.path()).unwrap();
    assert!(store.power().is_empty());
    drop(store);
    for slot in [0, SLOT_BYTES] {
        damage(&fixture.file(), Map::STATE + slot + 41);
    }
    assert!(matches!(
        fixture.open_error(),
        StoreError::Damaged { part: "state" }
    ));
    let error = Store::inspect(&fixture.path()).unwrap_err();
    assert!(
        matches!(error, StoreError::Damaged { part: "state" }),
        "{error:?}"
    );
}

#[test]
fn power_state_of_another_boot_is_lost() {
    let map = Map::new(&small()).unwrap();
    let boot = |number| Some([number; 16]);
    let [mut disk, mut other] = [0, 1].map(|_| MemoryDisk::new(map.length()));
    initialise(&mut disk, &map, b"state").unwrap();
    let (mut slots, _) = Slots::load(&disk, Kind::Power, Map::POWER).unwrap();
    slots.write(&mut disk, &[1; 16], b"power").unwrap();
    for (now, expected) in [(boot(1), &b"power"[..]), (boot(2), b""), (None, b"")] {
        let store = Store::load(Box::new(disk.clone()), now).unwrap();
        assert_eq!(store.power(), expected, "opened in boot {now:?}");
    }
    initialise(&mut other, &map, b"state").unwrap();
    let mut unknown = Store::load(Box::new(other), None).unwrap();
    unknown.put_power(b"power").unwrap();
    assert_eq!(
        unknown.power(),
        b"power",
        "while the process lasts it is known"
    );
}

#[test]
fn file_cut_anywhere_is_refused() {
    let fixture = Fixture::new();
    drop(fixture.create(&small()));
    let full = fixture.path().metadata().unwrap().len();
    let map = Map::new(&small()).unwrap();
    let mut boundaries = vec![0, 1, 15, 16, 20, 48, 4064, 4095, 4096, 4097];
    boundaries.extend([
        Map::STATE,
        Map::STATE + 128,
        Map::STATE + SLOT_BYTES,
        Map::POWER,
    ]);
    for area in AREAS {
        boundaries.push(map.place(area, 0, 0).unwrap().start);
    }
    for boundary in boundaries
        .into_iter()
        .flat_map(|at| [at.saturating_sub(1), at, at + 1])
    {
        let cut = Fixture::new();
        drop(cut.create(&small()));
        cut.file().set_len(boundary).unwrap();
        match cut.open_error() {
            StoreError::Foreign => assert!(boundary < 16, "cut to {boundary}"),
            StoreError::Length { actual, .. } => assert_eq!(actual, boundary),
            error => panic!("cut to {boundary}: {error:?}"),
        }
    }
    for length in [full - 1, full + 1] {
        fixture.file().set_len(length).unwrap();
        let error = fixture.open_error();
        let expected = matches!(error, StoreError::Length { expected, actual }
            if expected == full && actual == length);
        assert!(expected, "{error:?}");
    }
}

#[test]
fn damaged_header_is_refused() {
    let fixture = Fixture::new();
    drop(fixture.create(&small()));
    let file = fixture.file();
    for offset in (0..64).chain([1000, 4063]).chain(4064..4096) {
        damage(&file, offset);
        match fixture.open_error() {
            StoreError::Foreign => assert!(offset < 16),
            StoreError::Damaged { part: "header" } => assert!(offset >= 16),
            error => panic!("byte {offset}: {error:?}"),
        }
        damage(&file, offset);
    }
    Store::open(&fixture.path()).unwrap();
}

/// Writes a header whose checksum holds.
fn forge(file: &File, offset: usize, bytes: &[u8]) {
    let mut header = [0; 4096];
    file.read_exact_at(&mut header, 0).unwrap();
    header[offset..offset + bytes.len()].copy_from_slice(bytes);
    let checksum = Sha256::digest(&header[..4064]);
    header[4064..].copy_from_slice(&checksum);
    file.write_all_at(&header, 0).unwrap();
}

#[test]
fn newer_version_is_named() {
    let fixture = Fixture::new();
    drop(fixture.create(&small()));
    forge(&fixture.file(), 16, &[2]);
    let error = fixture.open_error();
    assert!(
        matches!(
            error,
            StoreError::Newer {
                version: 2,
                supported: 1
            }
        ),
        "{error:?}"
    );
}

#[test]
fn forged_dimensions_do_no_harm() {
    for (offset, bytes) in [
        (20, [0xff; 8]),
        (24, [0xff; 8]),
        (32, [0xff; 8]),
        (40, [0x7f; 8]),
    ] {
        let fixture = Fixture::new();
        drop(fixture.create(&small()));
        forge(&fixture.file(), offset, &bytes);
        let error = fixture.open_error();
        assert!(matches!(error, StoreError::Dimensions { .. }), "{error:?}");
    }
}

#[test]
fn forged_slot_length_does_no_harm() {
    let fixture = Fixture::new();
    drop(fixture.create(&small()));
    for length in [u64::MAX, SLOT_BYTES, SLOT_BYTES - 127, 1 << 40] {
        fixture
            .file()
            .write_all_at(&length.to_le_bytes(), Map::STATE + 16)
            .unwrap();
        assert!(matches!(
            fixture.open_error(),
            StoreError::Damaged { part: "state" }
        ));
    }
}

#[test]
fn foreign_things_are_refused() {
    let fixture = Fixture::new();
    assert!(
        matches!(fixture.open_error(), StoreError::Io { .. }),
        "there is no file"
    );
    for content in [&b""[..], b"sedkit", b"#!/bin/sh\n", &[0; 10_000]] {
        fs::write(fixture.path(), content).unwrap();
        assert!(matches!(fixture.open_error(), StoreError::Foreign));
    }
    let pipe = fixture.folder.path().join("pipe");
    nix::unistd::mkfifo(&pipe, Mode::S_IRWXU).unwrap();
    let socket = fixture.folder.path().join("socket");
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for path in [
        fixture.folder.path(),
        Path::new("/dev/null"),
        &pipe,
        &socket,
    ] {
        let error = Store::open(path).unwrap_err();
        assert!(
            matches!(error, StoreError::NotRegular),
            "{}: {error:?}",
            path.display()
        );
        let error = Store::inspect(path).unwrap_err();
        assert!(
            matches!(error, StoreError::NotRegular),
            "{}: {error:?}",
            path.display()
        );
    }
}

#[test]
fn access_beyond_an_area_is_refused() {
    let mut store = Store::in_memory(&small(), b"").unwrap();
    for (area, end) in AREAS
        .into_iter()
        .zip([20_000, 20_000, 9_000, 9_000, 65_536])
    {
        for (offset, length) in [(end, 1), (end - 1, 2), (u64::MAX, 1), (end + 1, 0)] {
            let mut bytes = vec![0; length];
            let length = size(length);
            let results = [
                store.read(area, offset, &mut bytes),
                store.write(area, offset, &bytes),
                store.clear(area, offset, length),
                store.copy(area, area, offset, length),
            ];
            for result in results {
                let error = result.unwrap_err();
                assert!(
                    matches!(error, StoreError::OutOfRange { .. }),
                    "{area:?}: {error:?}"
                );
            }
        }
        store.write(area, end, &[]).unwrap();
        store.write(area, end - 1, &[1]).unwrap();
    }
}

#[test]
fn areas_do_not_overlap() {
    let mut store = Store::in_memory(&small(), b"state").unwrap();
    store.put_power(b"power").unwrap();
    let lengths = [20_000, 20_000, 9_000, 9_000, 65_536];
    for ((area, fill), length) in AREAS.into_iter().zip(1..).zip(lengths) {
        store.write(area, 0, &vec![fill; length]).unwrap();
    }
    for ((area, fill), length) in AREAS.into_iter().zip(1..).zip(lengths) {
        assert_eq!(
            read(&store, area, 0, length),
            vec![fill; length],
            "{area:?}"
        );
    }
    assert_eq!(
        (store.state(), store.power()),
        (&b"state"[..], &b"power"[..])
    );
}

#[test]
fn copy_takes_zeros_along_and_keeps_them_sparse() {
    let fixture = Fixture::new();
    let mut store = fixture.create(&usual());
    store.write(Area::Mbr, 0, &vec![1; 4 << 20]).unwrap();
    store.sync().unwrap();
    let before = fixture.occupied();
    store.write(Area::MbrStaging, 70_000, &[2; 10]).unwrap();
    store
        .copy(Area::MbrStaging, Area::Mbr, 5, (4 << 20) - 10)
        .unwrap();
    store.sync().unwrap();
    let mut expected = vec![0; 4 << 20];
    expected[..5].fill(1);
    expected[(4 << 20) - 5..].fill(1);
    expected[70_000..70_010].fill(2);
    assert!(read(&store, Area::Mbr, 0, 4 << 20) == expected);
    assert!(
        fixture.occupied() + (3 << 20) < before,
        "zeros became holes"
    );
}

#[test]
fn memory_gives_cleared_pages_back() {
    let mut disk = MemoryDisk::new(1 << 40);
    disk.write(10_000, &[1; 20_000]).unwrap();
    disk.write(1 << 39, &[1]).unwrap();
    assert_eq!(disk.occupied(), 7 * 4096);
    disk.punch(10_001, (1 << 40) - 10_001).unwrap();
    assert_eq!(disk.occupied(), 4096);
    let mut found = [9; 3];
    disk.read(9_999, &mut found).unwrap();
    assert_eq!(found, [0, 1, 0]);
}

/// A file system of 1 MiB in a mount namespace of its own.
struct TinyFileSystem {
    holder: Child,
    folder: TempDir,
}

impl TinyFileSystem {
    /// Nothing if this user may not mount here.
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let script = "mount -t tmpfs -o size=1m tmpfs \"$1\" && echo mounted && read -r end";
        let mut holder = Command::new("unshare")
            .args([
                "--user",
                "--map-root-user",
                "--mount",
                "sh",
                "-c",
                script,
                "sh",
            ])
            .arg(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let mut line = String::new();
        BufReader::new(holder.stdout.take()?)
            .read_line(&mut line)
            .ok()?;
        if line != "mounted\n" {
            holder.wait().ok()?;
            return None;
        }
        Some(Self { holder, folder })
    }

    fn path(&self) -> PathBuf {
        let root = PathBuf::from(format!("/proc/{}/root", self.holder.id()));
        root.join(self.folder.path().strip_prefix("/").unwrap())
            .join("drive.img")
    }
}

impl Drop for TinyFileSystem {
    fn drop(&mut self) {
        drop(self.holder.stdin.take());
        let _ = self.holder.wait();
    }
}

#[test]
fn really_full_file_system_loses_nothing() {
    let Some(tiny) = TinyFileSystem::mount() else {
        eprintln!("skipped: no mount namespaces here");
        return;
    };
    let mut store = Store::create(&tiny.path(), &usual(), b"factory").unwrap();
    store.put_state(b"owned").unwrap();
    store.put_power(b"power").unwrap();
    let mut written = 0;
    let error = loop {
        match store.write(Area::Medium, written, &[1; 4096]) {
            Ok(()) => written += 4096,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
    assert!(
        (512 << 10..1 << 20).contains(&written),
        "{written} bytes fit"
    );
    let error = store.put_state(&vec![1; 100_000]).unwrap_err();
    assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
    let error = store.put_power(&vec![1; 100_000]).unwrap_err();
    assert!(matches!(error, StoreError::NoSpace { .. }), "{error:?}");
    drop(store);
    let mut store = Store::open(&tiny.path()).unwrap();
    assert_eq!(
        (store.state(), store.power()),
        (&b"owned"[..], &b"power"[..])
    );
    assert!(
        read(&store, Area::Medium, 0, usize::try_from(written).unwrap())
            .iter()
            .all(|&byte| byte == 1)
    );
    store
        .put_state(b"a small state still fits its old place")
        .unwrap();
    store.clear(Area::Medium, 0, 64 << 20).unwrap();
    store.put_state(&vec![1; 100_000]).unwrap();
}

/// What a proptest does to a store.
#[derive(Clone, Debug)]
enum Step {
    Write(usize, u64, Vec<u8>),
    Read(usize, u64, usize),
    Clear(usize, u64, u64),
    Copy(usize, usize, u64, u64),
    State(Vec<u8>),
    Power(Vec<u8>),
    Forget,
    Sync,
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    let bytes = || proptest::collection::vec(any::<u8>(), 0..3000);
    let (area, offset) = (|| 0..AREAS.len(), || 0_u64..22_000);
    prop_oneof![
        4 => (area(), offset(), bytes()).prop_map(|(a, o, b)| Step::Write(a, o, b)),
        4 => (area(), offset(), 0_usize..9000).prop_map(|(a, o, n)| Step::Read(a, o, n)),
        2 => (area(), offset(), 0_u64..9000).prop_map(|(a, o, n)| Step::Clear(a, o, n)),
        2 => (area(), area(), offset(), 0_u64..9000).prop_map(|(a, b, o, n)| Step::Copy(a, b, o, n)),
        1 => bytes().prop_map(Step::State),
        1 => bytes().prop_map(Step::Power),
        1 => Just(Step::Forget),
        1 => Just(Step::Sync),
        1 => Just(Step::Reopen),
    ]
}

/// Does one step and tells everything that can be seen of it.
fn take(store: &mut Store, step: &Step) -> (bool, Vec<u8>) {
    let mut seen = Vec::new();
    let result = match step {
        Step::Write(area, offset, bytes) => store.write(AREAS[*area], *offset, bytes),
        Step::Read(area, offset, length) => {
            seen.resize(*length, 0);
            store.read(AREAS[*area], *offset, &mut seen)
        }
        Step::Clear(area, offset, length) => store.clear(AREAS[*area], *offset, *length),
        Step::Copy(from, to, offset, length) => {
            store.copy(AREAS[*from], AREAS[*to], *offset, *length)
        }
        Step::State(state) => store.put_state(state),
        Step::Power(power) => store.put_power(power),
        Step::Forget => store.forget_previous_state(),
        Step::Sync => store.sync(),
        Step::Reopen => Ok(()),
    };
    (
        result.is_ok(),
        [seen, store.state().to_vec(), store.power().to_vec()].concat(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn file_and_memory_behave_alike(steps in proptest::collection::vec(step(), 1..40)) {
        let fixture = Fixture::new();
        let mut file = fixture.create(&small());
        let mut memory = Store::in_memory(&small(), b"factory").unwrap();
        for step in steps {
            if matches!(step, Step::Reopen) {
                drop(file);
                file = Store::open(&fixture.path()).unwrap();
            }
            prop_assert_eq!(take(&mut file, &step), take(&mut memory, &step), "{:?}", step);
        }
    }
}
