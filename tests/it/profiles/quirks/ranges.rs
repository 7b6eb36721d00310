//! Ranges, their locks and keys, and the shadow MBR.

use sedkit::spec::method::parameter::KEEP_GLOBAL_RANGE_KEY;
use sedkit::spec::{MethodStatus, RangeNumber, column, method, uid};
use sedkit::vdrive::MediaError;
use sedkit::wire::{MethodCall, Value};

use crate::profiles::quirky;
use crate::support::Bench;

const RANGE1: RangeNumber = RangeNumber(1);

fn active(quirks: &[&str]) -> Bench {
    let mut bench = quirky(quirks);
    bench.activate();
    bench
}

/// Sets start and length of range 1; the status.
fn place(bench: &mut Bench, start: u64, length: u64) -> MethodStatus {
    let session = bench.admin1();
    let cells = [(3, start.into()), (4, length.into())];
    let status = bench.set(session, uid::locking_range(RANGE1), &cells);
    bench.end(session);
    status
}

#[test]
fn commands_that_cross_ranges_may_be_refused() {
    // Demands 3.2; reference 3.9.10, byte 8: 1 is "terminated".
    for (quirks, bit) in [(&[][..], 0), (&["range-crossing"], 1)] {
        let mut bench = active(quirks);
        assert_eq!(place(&mut bench, 64, 64), MethodStatus::SUCCESS);
        assert_eq!(bench.feature(0x0203)[8], bit);
        let read = bench.drive().read(60, 8);
        assert_eq!(read.is_err(), bit == 1);
        assert!(read.is_ok() || matches!(read, Err(MediaError::InvalidParameter)));
        assert!(bench.drive().read(64, 64).is_ok());
    }
}

#[test]
fn alignment_may_be_coarse_and_begin_at_an_odd_block() {
    // Reference 5.6.2, formula of [Opal] 4.3.5.2.1 for granularity 2048 and lowest LBA 63.
    let mut bench = active(&["alignment=2048", "lowest-aligned-lba=63"]);
    let geometry = bench.feature(0x0003);
    assert_eq!(geometry[16..24], 2048_u64.to_be_bytes());
    assert_eq!(geometry[24..32], 63_u64.to_be_bytes());
    let (good, bad) = (MethodStatus::SUCCESS, MethodStatus::INVALID_PARAMETER);
    for (start, length, status) in [
        (63, 2048, good),
        (2111, 4096, good),
        (0, 63, good),
        (2048, 2048, bad),
        (63, 2000, bad),
        (64, 2048, bad),
    ] {
        assert_eq!(place(&mut bench, start, length), status, "{start}+{length}");
    }
    assert_eq!(place(&mut active(&[]), 64, 2000), good);
}

#[test]
fn lock_enables_may_be_left_out_of_a_set_with_others() {
    // Demands 3.2: "some drives do not set ReadLockEnabled/WriteLockEnabled when asked in one Set".
    let row = uid::locking_range(RANGE1);
    let enables = [(5, Value::from(true)), (6, true.into())];
    let mut mixed = vec![(3, Value::from(64_u64)), (4, 64_u64.into())];
    mixed.extend(enables.clone());
    for (quirks, together) in [(&[][..], true), (&["partial-lock-set"], false)] {
        let mut bench = active(quirks);
        let session = bench.admin1();
        bench.must_set(session, row, &mixed);
        assert_eq!(bench.number(session, row, 4), 64);
        for column in [5, 6] {
            let value = bench.number(session, row, column);
            assert_eq!(value, u64::from(together), "{column}");
        }
        bench.must_set(session, row, &enables);
        assert_eq!(bench.number(session, row, 5), 1);
    }
}

#[test]
fn there_may_be_no_shadow_mbr() {
    // Reference 3.9.4, bit 6; 5.12: Kioxia has neither the table nor MBRControl.
    let mut bench = active(&["no-mbr"]);
    assert_eq!(bench.feature(0x0002)[4] & 0x70, 0x40);
    let session = bench.admin1();
    let refused = MethodStatus::NOT_AUTHORIZED;
    let enable = [(column::mbr_control::ENABLE, true.into())];
    assert_eq!(bench.set(session, uid::MBR_CONTROL, &enable), refused);
    let next = MethodCall::new(uid::TABLE, method::NEXT);
    let rows = bench.call(session, &next).unwrap();
    let rows = rows[0].as_list().unwrap();
    let table = Value::from(uid::MBR.table_descriptor());
    assert!(!rows.contains(&table));
    bench.end(session);
    bench.drive().power_cycle().unwrap();
    assert_eq!(bench.feature(0x0002)[4] & 0x70, 0x40);

    let mut bench = active(&[]);
    assert_eq!(bench.feature(0x0002)[4] & 0x70, 0);
    let session = bench.admin1();
    let rows = bench.call(session, &next).unwrap();
    assert!(rows[0].as_list().unwrap().contains(&table));
}

#[test]
fn mbr_enable_may_not_stick() {
    // Demands 3.1, Crucial MX200: "cannot disable MBR".
    for (quirks, sticks) in [(&[][..], true), (&["mbr-enable-stuck"], false)] {
        let mut bench = active(quirks);
        let session = bench.admin1();
        let both = [(1, true.into()), (2, true.into())];
        bench.must_set(session, uid::MBR_CONTROL, &both);
        let found = [1, 2].map(|column| bench.number(session, uid::MBR_CONTROL, column));
        assert_eq!(found, [u64::from(sticks), 1]);
    }
}

#[test]
fn the_global_key_may_be_lost_though_it_is_to_be_kept() {
    // Demands D39, Samsung PM1733; reference 5.4.3.
    for (quirks, kept) in [(&[][..], true), (&["global-key-lost"], false)] {
        let mut bench = active(quirks);
        bench.drive().write(0, &[7; 512]).unwrap();
        let session = bench.admin1();
        let revert =
            MethodCall::new(uid::THIS_SP, method::REVERT_SP).optional(KEEP_GLOBAL_RANGE_KEY, true);
        assert_eq!(bench.status(session, &revert), MethodStatus::SUCCESS);
        assert_eq!(bench.drive().read(0, 1).unwrap() == [7; 512], kept);
    }
}
