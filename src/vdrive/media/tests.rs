use aes::Aes256;
use aes::cipher::KeyInit;
use proptest::prelude::*;
use xts_mode::{Xts128, get_tweak_default};

use super::*;

const BLOCKS: u64 = 64;
/// Whole blocks of the shadow MBR in these tests; the MBR table has half a block more.
const SHADOW: u64 = 16;
const BLOCK: usize = 512;

/// Three ranges: Global, blocks 20 to 29 and blocks 30 to 39.
struct Ranges {
    keys: [MediaKey; 3],
    /// Whether each is locked, for reads in a test of reads, for writes in a test of writes.
    locked: [bool; 3],
    shadow_active: bool,
    crossing_terminates: bool,
    zeros: bool,
}

impl Ranges {
    fn view(&self, reads: bool) -> LockView<'_> {
        let range = |number: usize, start, length| RangeView {
            start,
            length,
            read_locked: reads && self.locked[number],
            write_locked: !reads && self.locked[number],
            key: &self.keys[number],
        };
        LockView {
            ranges: vec![range(0, 0, 0), range(2, 30, 10), range(1, 20, 10)],
            shadow_active: self.shadow_active,
            shadow_blocks: SHADOW,
            crossing_terminates: self.crossing_terminates,
            locked_outside_shadow_reads_zero: self.zeros,
        }
    }
}

struct Drive {
    store: Store,
    ranges: Ranges,
}

impl Drive {
    /// An unlocked drive, all of it written, whose MBR table holds b0, b1, … in its blocks.
    fn new() -> Self {
        let layout = Layout {
            block_size: 512,
            blocks: BLOCKS,
            mbr_bytes: SHADOW * 512 + 256,
            data_store_bytes: 0,
        };
        let mut drive = Self {
            store: Store::in_memory(&layout, b"").unwrap(),
            ranges: Ranges {
                keys: [1, 2, 3].map(key),
                locked: [false; 3],
                shadow_active: false,
                crossing_terminates: false,
                zeros: true,
            },
        };
        drive.write(0, &data(0, BLOCKS)).unwrap();
        for (lba, byte) in (0..SHADOW).zip(0xb0..) {
            drive
                .store
                .write(Area::Mbr, lba * 512, &[byte; BLOCK])
                .unwrap();
        }
        drive
    }

    /// Locks the Global Range, range 1 and range 2, or not.
    fn locked(mut self, global: bool, one: bool, two: bool) -> Self {
        self.ranges.locked = [global, one, two];
        self
    }

    fn shadow(mut self) -> Self {
        self.ranges.shadow_active = true;
        self
    }

    fn terminating(mut self) -> Self {
        self.ranges.crossing_terminates = true;
        self
    }

    fn read(&self, lba: u64, count: u64) -> Result<Vec<u8>, MediaError> {
        read(&self.store, &self.ranges.view(true), lba, count)
    }

    fn write(&mut self, lba: u64, data: &[u8]) -> Result<(), MediaError> {
        write(&mut self.store, &self.ranges.view(false), lba, data)
    }

    fn deallocate(&mut self, lba: u64, count: u64) -> Result<(), MediaError> {
        deallocate(&mut self.store, &self.ranges.view(false), lba, count)
    }

    fn medium(&self) -> Vec<u8> {
        ciphertext(&self.store, 0, BLOCKS).unwrap()
    }

    fn assert_reads(&self, lba: u64, expected: &[u8]) {
        let count = u64::try_from(expected.len() / BLOCK).unwrap();
        assert!(
            self.read(lba, count).unwrap() == expected,
            "{count} blocks from {lba}"
        );
    }

    fn assert_refuses_read(&self, lba: u64, count: u64, expected: Refusal) {
        let error = self.read(lba, count).unwrap_err();
        assert_eq!(
            refusal(&error),
            Some(expected),
            "{count} blocks from {lba}: {error:?}"
        );
    }

    /// Writes and deallocates; both must do what they say.
    fn assert_writes(&mut self, lba: u64, count: u64) {
        self.write(lba, &new_data(lba, count)).unwrap();
        self.ranges.locked = [false; 3];
        self.ranges.shadow_active = false;
        self.ranges.crossing_terminates = false;
        self.assert_reads(lba, &new_data(lba, count));
        self.deallocate(lba, count).unwrap();
        self.assert_reads(lba, &zeros(count));
    }

    /// Neither writes nor deallocates, and leaves the medium as it is.
    fn assert_refuses_write(&mut self, lba: u64, count: u64, expected: Refusal) {
        let before = self.medium();
        let results = [
            self.write(lba, &new_data(lba, count)),
            self.deallocate(lba, count),
        ];
        for result in results {
            let error = result.unwrap_err();
            assert_eq!(
                refusal(&error),
                Some(expected),
                "{count} blocks from {lba}: {error:?}"
            );
        }
        assert!(self.medium() == before, "a refused command changes nothing");
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Refusal {
    DataProtection,
    InvalidParameter,
}
use Refusal::{DataProtection, InvalidParameter};

fn refusal(error: &MediaError) -> Option<Refusal> {
    match error {
        MediaError::DataProtection => Some(DataProtection),
        MediaError::InvalidParameter => Some(InvalidParameter),
        _ => None,
    }
}

fn key(fill: u8) -> MediaKey {
    MediaKey::from_bytes(std::array::from_fn(|index| {
        fill.wrapping_mul(31)
            .wrapping_add(u8::try_from(index).unwrap())
    }))
}

/// Block n is filled with the byte n.
fn data(lba: u64, count: u64) -> Vec<u8> {
    (lba..lba + count)
        .flat_map(|lba| [u8::try_from(lba).unwrap(); BLOCK])
        .collect()
}

/// Other data for the same blocks.
fn new_data(lba: u64, count: u64) -> Vec<u8> {
    data(lba, count).into_iter().map(|byte| !byte).collect()
}

fn mbr(lba: u64, count: u64) -> Vec<u8> {
    data(lba, count)
        .into_iter()
        .map(|byte| byte + 0xb0)
        .collect()
}

fn zeros(count: u64) -> Vec<u8> {
    vec![0; usize::try_from(count).unwrap() * BLOCK]
}

fn by_xts_mode(key: &MediaKey, lba: u64, block_size: usize, plain: &[u8]) -> Vec<u8> {
    let (data, tweak) = key.expose().split_at(32);
    let [data, tweak] = [data, tweak].map(|half| Aes256::new_from_slice(half).unwrap());
    let mut buffer = plain.to_vec();
    Xts128::new(data, tweak).encrypt_area(&mut buffer, block_size, lba.into(), get_tweak_default);
    buffer
}

// Reads, shadow not active ([Core] table 230).

#[test]
fn read_of_unlocked_ranges_gets_user_data() {
    let drive = Drive::new();
    drive.assert_reads(0, &data(0, BLOCKS));
    drive.assert_reads(25, &data(25, 1));
    drive.assert_reads(19, &data(19, 22));
    let others_locked = Drive::new().locked(true, false, true);
    others_locked.assert_reads(20, &data(20, 10));
}

#[test]
fn read_of_locked_ranges_is_a_data_protection_error() {
    let drive = Drive::new().locked(true, true, true);
    drive.assert_refuses_read(0, 1, DataProtection);
    drive.assert_refuses_read(25, 1, DataProtection);
    drive.assert_refuses_read(0, BLOCKS, DataProtection);
    drive
        .terminating()
        .assert_refuses_read(25, 10, DataProtection);
}

#[test]
fn read_of_locked_and_unlocked_ranges_is_a_data_protection_error() {
    let drive = Drive::new().locked(false, true, false);
    drive.assert_refuses_read(19, 2, DataProtection);
    drive.assert_refuses_read(29, 2, DataProtection);
    drive.assert_refuses_read(0, BLOCKS, DataProtection);
    drive
        .terminating()
        .assert_refuses_read(29, 2, DataProtection);
}

#[test]
fn read_across_unlocked_ranges_is_terminated_by_a_drive_that_says_so() {
    let drive = Drive::new().terminating();
    for (lba, count) in [(19, 2), (29, 2), (39, 2), (0, BLOCKS)] {
        drive.assert_refuses_read(lba, count, InvalidParameter);
    }
    drive.assert_reads(20, &data(20, 10));
    drive.assert_reads(40, &data(40, 24));
}

// Reads, shadow active ([Core] table 230).

#[test]
fn read_inside_the_shadow_gets_mbr_bytes_whatever_is_locked() {
    for locked in [false, true] {
        let drive = Drive::new().locked(locked, locked, locked).shadow();
        drive.assert_reads(0, &mbr(0, SHADOW));
        drive.assert_reads(SHADOW - 1, &mbr(SHADOW - 1, 1));
    }
}

#[test]
fn read_inside_the_shadow_ignores_the_ranges_under_it() {
    let mut drive = Drive::new()
        .locked(true, false, false)
        .shadow()
        .terminating();
    let mut view = drive.ranges.view(true);
    (view.ranges[1].start, view.ranges[1].length) = (4, 4);
    assert!(read(&drive.store, &view, 0, SHADOW).unwrap() == mbr(0, SHADOW));
    drive.ranges.shadow_active = false;
    drive.assert_refuses_read(0, 1, DataProtection);
}

#[test]
fn read_from_inside_the_shadow_to_outside_is_a_data_protection_error() {
    for locked in [false, true] {
        let drive = Drive::new().locked(locked, locked, locked).shadow();
        drive.assert_refuses_read(SHADOW - 1, 2, DataProtection);
        drive.assert_refuses_read(0, BLOCKS, DataProtection);
    }
}

#[test]
fn read_of_unlocked_ranges_outside_the_shadow_gets_user_data() {
    let drive = Drive::new().locked(true, false, true).shadow();
    drive.assert_reads(20, &data(20, 10));
    let drive = Drive::new().shadow();
    drive.assert_reads(SHADOW, &data(SHADOW, BLOCKS - SHADOW));
}

#[test]
fn read_of_locked_ranges_outside_the_shadow_gets_zeros() {
    let drive = Drive::new().locked(true, true, true).shadow();
    drive.assert_reads(SHADOW, &zeros(BLOCKS - SHADOW));
    drive.assert_reads(25, &zeros(1));
    let drive = Drive::new()
        .locked(false, true, false)
        .shadow()
        .terminating();
    drive.assert_reads(20, &zeros(10));
}

#[test]
fn read_of_locked_ranges_outside_the_shadow_can_be_an_error_instead() {
    let mut drive = Drive::new().locked(true, true, true).shadow();
    drive.ranges.zeros = false;
    drive.assert_refuses_read(SHADOW, 1, DataProtection);
    drive.assert_reads(0, &mbr(0, 1));
}

#[test]
fn read_of_locked_and_unlocked_ranges_outside_the_shadow_is_a_data_protection_error() {
    let drive = Drive::new().locked(false, true, false).shadow();
    drive.assert_refuses_read(19, 2, DataProtection);
    drive.assert_refuses_read(SHADOW, BLOCKS - SHADOW, DataProtection);
}

// The bit is defined without regard to the shadow ([Opal] feature 0203h, byte 8).
#[test]
fn read_across_unlocked_ranges_outside_the_shadow_is_terminated_too() {
    Drive::new()
        .shadow()
        .terminating()
        .assert_refuses_read(19, 2, InvalidParameter);
}

// Writes, shadow not active ([Core] table 231).

#[test]
fn write_to_unlocked_ranges_is_written() {
    Drive::new().assert_writes(0, BLOCKS);
    Drive::new().locked(true, false, true).assert_writes(20, 10);
    Drive::new().assert_writes(29, 2);
}

#[test]
fn write_to_locked_ranges_is_a_data_protection_error() {
    let mut drive = Drive::new().locked(true, true, true);
    drive.assert_refuses_write(0, 1, DataProtection);
    drive.assert_refuses_write(25, 10, DataProtection);
    drive
        .terminating()
        .assert_refuses_write(0, BLOCKS, DataProtection);
}

#[test]
fn write_to_locked_and_unlocked_ranges_is_a_data_protection_error() {
    let mut drive = Drive::new().locked(false, false, true);
    drive.assert_refuses_write(29, 2, DataProtection);
    drive.assert_refuses_write(39, 2, DataProtection);
    drive
        .terminating()
        .assert_refuses_write(0, BLOCKS, DataProtection);
}

#[test]
fn write_across_unlocked_ranges_is_terminated_by_a_drive_that_says_so() {
    let mut drive = Drive::new().terminating();
    drive.assert_refuses_write(19, 2, InvalidParameter);
    drive.assert_refuses_write(29, 2, InvalidParameter);
    drive.assert_writes(20, 10);
}

// Writes, shadow active ([Core] table 231).

#[test]
fn write_from_inside_the_shadow_is_a_data_protection_error() {
    for locked in [false, true] {
        let mut drive = Drive::new().locked(locked, locked, locked).shadow();
        drive.assert_refuses_write(0, 1, DataProtection);
        drive.assert_refuses_write(SHADOW - 1, 1, DataProtection);
        drive.assert_refuses_write(SHADOW - 1, 2, DataProtection);
        drive.assert_reads(0, &mbr(0, SHADOW));
    }
}

#[test]
fn write_to_unlocked_ranges_outside_the_shadow_is_written() {
    Drive::new().shadow().assert_writes(SHADOW, BLOCKS - SHADOW);
    Drive::new()
        .locked(true, false, true)
        .shadow()
        .assert_writes(20, 10);
}

#[test]
fn write_to_locked_ranges_outside_the_shadow_is_a_data_protection_error() {
    let mut drive = Drive::new().locked(false, true, false).shadow();
    drive.assert_refuses_write(20, 10, DataProtection);
    drive.assert_refuses_write(19, 2, DataProtection);
}

// Read and write locks are separate columns ([Core] Locking table).
#[test]
fn read_lock_does_not_stop_writes_nor_write_lock_reads() {
    let mut drive = Drive::new().locked(true, true, true);
    let mut view = drive.ranges.view(true);
    write(&mut drive.store, &view, 0, &new_data(0, 1)).unwrap();
    assert!(matches!(
        read(&drive.store, &view, 0, 1),
        Err(MediaError::DataProtection)
    ));
    view = drive.ranges.view(false);
    assert!(read(&drive.store, &view, 0, 1).unwrap() == new_data(0, 1));
}

#[test]
fn without_a_global_range_everything_is_locked() {
    let mut drive = Drive::new();
    let view = LockView {
        ranges: Vec::new(),
        ..drive.ranges.view(true)
    };
    assert!(matches!(
        read(&drive.store, &view, 0, 1),
        Err(MediaError::DataProtection)
    ));
    let result = write(&mut drive.store, &view, 0, &data(0, 1));
    assert!(matches!(result, Err(MediaError::DataProtection)));
}

#[test]
fn range_of_no_blocks_contains_none() {
    let mut drive = Drive::new();
    let mut view = drive.ranges.view(true);
    view.crossing_terminates = true;
    view.ranges[1].length = 0;
    view.ranges[1].read_locked = true;
    view.ranges[2].length = 0;
    let result = read(&drive.store, &view, 19, 1).unwrap();
    assert!(result == data(19, 1));
    assert!(read(&drive.store, &view, 0, BLOCKS).is_ok());
    write(&mut drive.store, &view, 30, &data(30, 1)).unwrap();
    let expected = by_xts_mode(&key(1), 30, BLOCK, &data(30, 1));
    assert!(
        ciphertext(&drive.store, 30, 1).unwrap() == expected,
        "the Global Range has it"
    );
}

#[test]
fn range_to_the_end_of_all_numbers_does_no_harm() {
    let drive = Drive::new();
    let mut view = drive.ranges.view(true);
    view.ranges.truncate(2);
    (view.ranges[1].start, view.ranges[1].length) = (40, u64::MAX);
    view.ranges[1].read_locked = true;
    assert!(matches!(
        read(&drive.store, &view, BLOCKS - 1, 1),
        Err(MediaError::DataProtection)
    ));
    assert!(read(&drive.store, &view, 0, 20).unwrap() == data(0, 20));
}

// Encryption (tables do not say; IEEE 1619, and each range has its own key).

#[test]
fn medium_holds_what_an_independent_implementation_encrypts() {
    let drive = Drive::new();
    let parts = [(0, 20, 1), (20, 10, 2), (30, 10, 3), (40, 24, 1)];
    for (lba, count, number) in parts {
        let medium = ciphertext(&drive.store, lba, count).unwrap();
        assert!(
            medium != data(lba, count),
            "the medium does not hold the data"
        );
        assert!(medium == by_xts_mode(&key(number), lba, BLOCK, &data(lba, count)));
    }
}

#[test]
fn other_block_sizes_are_encrypted_likewise() {
    for block_size in [520, 528, 4096, 4104, 4160] {
        let layout = Layout {
            block_size,
            blocks: 8,
            mbr_bytes: 0,
            data_store_bytes: 0,
        };
        let mut store = Store::in_memory(&layout, b"").unwrap();
        let ranges = Drive::new().ranges;
        let view = ranges.view(true);
        let size = usize::try_from(block_size).unwrap();
        let plain: Vec<u8> = (1..=251).cycle().take(5 * size).collect();
        write(&mut store, &view, 2, &plain).unwrap();
        let medium = ciphertext(&store, 2, 5).unwrap();
        assert!(
            medium == by_xts_mode(&key(1), 2, size, &plain),
            "blocks of {block_size}"
        );
        let expected = [vec![0; 2 * size], plain, vec![0; size]].concat();
        assert!(
            read(&store, &view, 0, 8).unwrap() == expected,
            "blocks of {block_size}"
        );
    }
}

#[test]
fn new_key_makes_the_data_of_one_range_garbage() {
    let mut drive = Drive::new();
    let before = drive.medium();
    drive.ranges.keys[1] = key(9);
    let found = drive.read(0, BLOCKS).unwrap();
    assert!(drive.medium() == before, "the ciphertext is still there");
    assert!(found[..20 * BLOCK] == data(0, 20) && found[30 * BLOCK..] == data(30, 34));
    for (block, old) in found[20 * BLOCK..30 * BLOCK]
        .chunks(16)
        .zip(data(20, 10).chunks(16))
    {
        assert!(block != old && block != [0; 16]);
    }
}

#[test]
fn moved_border_makes_the_moved_blocks_garbage() {
    let drive = Drive::new();
    let mut view = drive.ranges.view(true);
    view.ranges[2].length = 5;
    let found = read(&drive.store, &view, 20, 10).unwrap();
    assert!(found[..5 * BLOCK] == data(20, 5));
    assert!(
        found[5 * BLOCK..]
            .chunks(16)
            .all(|block| block != [25; 16] && block != [0; 16])
    );
}

#[test]
fn deallocated_blocks_read_as_zeros_under_any_key() {
    let mut drive = Drive::new();
    drive.deallocate(25, 10).unwrap();
    drive.assert_reads(20, &[data(20, 5), zeros(10), data(35, 5)].concat());
    assert!(
        ciphertext(&drive.store, 25, 10).unwrap() == zeros(10),
        "no ciphertext is left"
    );
    drive.ranges.keys = [7, 8, 9].map(key);
    drive.assert_reads(25, &zeros(10));
    drive.write(27, &data(27, 1)).unwrap();
    drive.assert_reads(25, &[zeros(2), data(27, 1), zeros(7)].concat());
}

#[test]
fn zeros_that_were_written_are_encrypted() {
    let mut drive = Drive::new();
    drive.write(3, &zeros(2)).unwrap();
    let medium = ciphertext(&drive.store, 3, 2).unwrap();
    assert!(medium == by_xts_mode(&key(1), 3, BLOCK, &zeros(2)));
    drive.assert_reads(3, &zeros(2));
}

// Lengths.

#[test]
fn commands_beyond_the_last_block_are_refused() {
    let mut drive = Drive::new();
    for (lba, count) in [
        (BLOCKS, 1),
        (BLOCKS - 1, 2),
        (u64::MAX, 1),
        (1, u64::MAX),
        (BLOCKS + 1, 0),
    ] {
        let reads = [drive.read(lba, count), ciphertext(&drive.store, lba, count)];
        for result in reads {
            assert!(
                matches!(result, Err(MediaError::OutOfRange { .. })),
                "{count} from {lba}"
            );
        }
        let result = drive.deallocate(lba, count);
        assert!(
            matches!(result, Err(MediaError::OutOfRange { .. })),
            "{count} from {lba}"
        );
    }
    let result = drive.write(BLOCKS - 1, &data(0, 2));
    assert!(matches!(result, Err(MediaError::OutOfRange { .. })));
}

#[test]
fn shadow_does_not_make_the_drive_larger() {
    let layout = Layout {
        block_size: 512,
        blocks: 8,
        mbr_bytes: 8192,
        data_store_bytes: 0,
    };
    let store = Store::in_memory(&layout, b"").unwrap();
    let ranges = Drive::new().shadow().ranges;
    assert!(read(&store, &ranges.view(true), 0, 8).is_ok());
    let result = read(&store, &ranges.view(true), 8, 1);
    assert!(matches!(result, Err(MediaError::OutOfRange { .. })));
}

#[test]
fn command_of_no_blocks_does_nothing() {
    let mut drive = Drive::new();
    assert_eq!(drive.read(BLOCKS, 0).unwrap(), b"");
    drive.write(BLOCKS, b"").unwrap();
    drive.deallocate(BLOCKS, 0).unwrap();
    drive.assert_reads(0, &data(0, BLOCKS));
}

#[test]
fn partial_blocks_and_huge_commands_are_refused() {
    let mut drive = Drive::new();
    for length in [1, BLOCK - 1, BLOCK + 1] {
        let result = drive.write(0, &vec![1; length]);
        assert!(
            matches!(result, Err(MediaError::Length { .. })),
            "{length} bytes"
        );
    }
    let layout = Layout {
        blocks: 1 << 40,
        ..drive.store.layout().clone()
    };
    drive.store = Store::in_memory(&layout, b"").unwrap();
    let limit = (64 << 20) / 512;
    assert_eq!(drive.read(0, limit).unwrap().len(), 64 << 20);
    for count in [limit + 1, 1 << 40] {
        assert!(matches!(
            drive.read(0, count),
            Err(MediaError::Length { .. })
        ));
        assert!(matches!(
            ciphertext(&drive.store, 0, count),
            Err(MediaError::Length { .. })
        ));
    }
    drive.deallocate(0, 1 << 40).unwrap();
}

/// The tables, block by block: what a read, or a write, of these blocks must come to.
fn oracle(ranges: &Ranges, lba: u64, count: u64, reads: bool) -> Result<(), Refusal> {
    let range = |lba| match lba {
        20..30 => 1,
        30..40 => 2,
        _ => 0,
    };
    let addressed: Vec<usize> = (lba..lba + count).map(range).collect();
    let locked = addressed
        .iter()
        .filter(|&&range| ranges.locked[range])
        .count();
    if ranges.shadow_active && lba < SHADOW {
        let inside = reads && lba + count <= SHADOW;
        return if inside { Ok(()) } else { Err(DataProtection) };
    }
    let zeros = reads && ranges.shadow_active && locked == addressed.len();
    if locked > 0 {
        return if zeros { Ok(()) } else { Err(DataProtection) };
    }
    let crosses = addressed.iter().any(|range| *range != addressed[0]);
    if crosses && ranges.crossing_terminates {
        Err(InvalidParameter)
    } else {
        Ok(())
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..Default::default() })]

    #[test]
    fn any_command_follows_the_tables(
        lba in 0..BLOCKS,
        blocks in 1..BLOCKS,
        locked in any::<[bool; 3]>(),
        flags in any::<[bool; 2]>(),
    ) {
        let count = blocks.min(BLOCKS - lba);
        let mut drive = Drive::new().locked(locked[0], locked[1], locked[2]);
        (drive.ranges.shadow_active, drive.ranges.crossing_terminates) = (flags[0], flags[1]);
        let found = drive.read(lba, count).map(|found| found.len());
        let found = found.map_err(|error| refusal(&error).unwrap());
        let length = usize::try_from(count).unwrap() * BLOCK;
        prop_assert_eq!(found, oracle(&drive.ranges, lba, count, true).map(|()| length));
        let written = drive.write(lba, &new_data(lba, count));
        let written = written.map_err(|error| refusal(&error).unwrap());
        prop_assert_eq!(written, oracle(&drive.ranges, lba, count, false));
    }
}
