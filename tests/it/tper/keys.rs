//! Media keys: a key for each range, and what GenKey does to the data (\[Core\] 5.3.3.15, 5.7.3).

use sedkit::spec::{MethodStatus, RangeNumber, method, uid};
use sedkit::vdrive::MediaError;
use sedkit::vdrive::profile::RemovedData;
use sedkit::wire::MethodCall;

use crate::support::{Bench, Session};

const OK: MethodStatus = MethodStatus::SUCCESS;

fn gen_key(bench: &mut Bench, session: Session, range: u16) {
    let call = MethodCall::new(uid::k_aes_256(RangeNumber(range)), method::GEN_KEY);
    assert_eq!(bench.status(session, &call), OK);
}

/// Ranges 1 and 2, each of 1,024 blocks, and a block of data in each and in the Global range.
fn with_ranges(bench: &mut Bench) -> Session {
    let session = bench.admin1();
    for range in [1, 2] {
        let cells = [(3, (u64::from(range) * 1024).into()), (4, 1024_u64.into())];
        bench.must_set(session, uid::locking_range(RangeNumber(range)), &cells);
    }
    for (lba, byte) in FILLED {
        bench.drive().write(lba, &[byte; 512]).unwrap();
    }
    session
}

/// Blocks with data, by range: 0, 1, 2, and 0 again behind them.
const FILLED: [(u64, u8); 4] = [(0, 1), (1024, 2), (2048, 3), (4096, 4)];

fn intact(bench: &mut Bench) -> [bool; 4] {
    FILLED.map(|(lba, byte)| bench.drive().read(lba, 1).unwrap() == [byte; 512])
}

#[test]
fn gen_key_changes_exactly_one_range() {
    // Reference 8.5 number 10.
    for (range, expected) in [
        (0, [false, true, true, false]),
        (1, [true, false, true, true]),
        (2, [true, true, false, true]),
        (3, [true; 4]),
    ] {
        let mut bench = Bench::active();
        let session = with_ranges(&mut bench);
        let before = bench.drive().ciphertext(0, 8192).unwrap();
        gen_key(&mut bench, session, range);
        assert_eq!(intact(&mut bench), expected, "{range}");
        // Nothing on the medium has moved.
        assert!(bench.drive().ciphertext(0, 8192).unwrap() == before);
    }
}

#[test]
fn removed_data_may_read_as_zeros() {
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.removed_data = RemovedData::Zeros;
    });
    bench.activate();
    let session = with_ranges(&mut bench);
    gen_key(&mut bench, session, 1);
    assert_eq!(intact(&mut bench), [true, false, true, true]);
    assert_eq!(bench.drive().read(1024, 1).unwrap(), [0; 512]);
    gen_key(&mut bench, session, 0);
    assert_eq!(intact(&mut bench), [false, false, true, false]);
    for lba in [0, 4096] {
        assert_eq!(bench.drive().read(lba, 1).unwrap(), [0; 512]);
    }
    assert_eq!(bench.drive().read(2048, 1).unwrap(), [3; 512]);
}

#[test]
fn what_is_written_after_a_removal_stays() {
    // The removal is not done again when the drive is opened.
    let mut bench = Bench::reopening(|options| {
        options.profile.behaviour.removed_data = RemovedData::Zeros;
    });
    bench.activate();
    let session = with_ranges(&mut bench);
    gen_key(&mut bench, session, 0);
    gen_key(&mut bench, session, 1);
    for (lba, byte) in FILLED {
        bench.drive().write(lba, &[byte; 512]).unwrap();
    }
    bench.reopen();
    assert_eq!(intact(&mut bench), [true; 4]);
}

#[test]
fn the_medium_never_holds_the_data() {
    let mut bench = Bench::active();
    with_ranges(&mut bench);
    for (lba, byte) in FILLED {
        let ciphertext = bench.drive().ciphertext(lba, 1).unwrap();
        assert_ne!(ciphertext, [byte; 512]);
        assert!(ciphertext.iter().filter(|found| **found == byte).count() < 64);
    }
}

#[test]
fn locks_hold_where_they_are_set() {
    // Reference 5.6.4, 5.6.5.
    let mut bench = Bench::active();
    let session = with_ranges(&mut bench);
    let range1 = uid::locking_range(RangeNumber(1));
    let is_protected =
        |found: Result<(), MediaError>| matches!(found, Err(MediaError::DataProtection));
    for (read, write) in [(true, false), (false, true), (true, true), (false, false)] {
        let cells = [(5, true), (6, true), (7, read), (8, write)];
        bench.must_set(
            session,
            range1,
            &cells.map(|(column, value)| (column, value.into())),
        );
        assert_eq!(is_protected(bench.drive().read(1030, 1).map(|_| ())), read);
        assert_eq!(is_protected(bench.drive().write(1030, &[9; 512])), write);
        assert_eq!(
            is_protected(bench.drive().read(1020, 8).map(|_| ())),
            read,
            "mixed"
        );
        assert!(bench.drive().read(0, 1024).is_ok());
        assert!(bench.drive().write(2048, &[3; 512]).is_ok());
    }
    bench.must_set(session, range1, &[(5, false.into()), (7, true.into())]);
    assert!(bench.drive().read(1030, 1).is_ok());
}

#[test]
fn gen_key_works_while_the_range_is_locked_and_leaves_it_so() {
    // Reference 5.5.6.
    let mut bench = Bench::active();
    let session = with_ranges(&mut bench);
    bench.lock(session, RangeNumber(1), true);
    gen_key(&mut bench, session, 1);
    assert!(bench.drive().read(1024, 1).is_err());
    bench.lock(session, RangeNumber(1), false);
    assert_eq!(intact(&mut bench), [true, false, true, true]);
}

#[test]
fn moving_a_border_re_encrypts_nothing() {
    // Reference 5.6.1.
    let mut bench = Bench::active();
    let session = with_ranges(&mut bench);
    let range1 = uid::locking_range(RangeNumber(1));
    bench.must_set(session, range1, &[(4, 0_u64.into())]);
    assert_eq!(intact(&mut bench), [true, false, true, true]);
    bench.must_set(session, range1, &[(4, 1024_u64.into())]);
    assert_eq!(intact(&mut bench), [true; 4]);
}

#[test]
fn a_drive_may_refuse_to_cross_from_range_to_range() {
    // [Opal] 3.1.1.5, Range Crossing Behavior.
    let mut bench = Bench::with(|options| options.profile.locking.crossing_terminates = true);
    bench.activate();
    with_ranges(&mut bench);
    let crossing = bench.drive().read(1020, 8).map(|_| ());
    assert!(
        matches!(crossing, Err(MediaError::InvalidParameter)),
        "{crossing:?}"
    );
    assert!(bench.drive().read(1024, 8).is_ok());
}

#[test]
fn info_tells_the_ranges_and_no_secret() {
    let mut bench = Bench::active();
    let session = with_ranges(&mut bench);
    bench.lock(session, RangeNumber(2), true);
    let info = bench.drive().info();
    let ranges: Vec<_> = info
        .ranges
        .iter()
        .map(|range| (range.number.0, range.start, range.read_locked))
        .collect();
    assert_eq!(ranges, [(0, 0, false), (1, 1024, false), (2, 2048, true)]);
    assert_eq!(
        (info.blocks, info.block_size, info.open_sessions),
        (131_072, 512, 1)
    );
    assert!(info.is_owned);
    assert!(!format!("{info:?}").contains("owner"));
}
