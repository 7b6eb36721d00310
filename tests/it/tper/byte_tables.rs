//! Byte tables: the shadow MBR and the DataStore (\[Core\] 5.3.3.6, 5.3.3.7; \[Opal\] 4.3.5.4).

use sedkit::spec::{MethodStatus, Uid, column, uid};
use sedkit::vdrive::MediaError;
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, Session, get_bytes, set_bytes};

const OK: MethodStatus = MethodStatus::SUCCESS;
const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;

fn read(bench: &mut Bench, session: Session, table: Uid, start: u64, length: u64) -> Vec<u8> {
    let results = bench
        .call(session, &get_bytes(table, start..=start + length - 1))
        .unwrap();
    results[0].as_bytes().unwrap().to_vec()
}

#[test]
fn bytes_come_back_as_they_were_written() {
    let mut bench = Bench::active();
    let session = bench.admin1();
    for table in [uid::MBR, uid::DATA_STORE] {
        assert_eq!(read(&mut bench, session, table, 0, 20), [0; 20]);
        assert_eq!(bench.status(session, &set_bytes(table, 5, b"hello")), OK);
        assert_eq!(bench.status(session, &set_bytes(table, 7, b"LL")), OK);
        assert_eq!(read(&mut bench, session, table, 3, 9), b"\0\0heLLo\0\0");
        // Where is 0 if it is left out; no values, no effect.
        let bare = MethodCall::new(table, sedkit::spec::method::SET);
        assert_eq!(bench.status(session, &bare.clone().optional(1, "ab")), OK);
        assert_eq!(bench.status(session, &bare.clone().optional(0, 3_u64)), OK);
        assert_eq!(bench.status(session, &bare), OK);
        assert_eq!(bench.status(session, &set_bytes(table, 9, b"")), OK);
        assert_eq!(
            read(&mut bench, session, table, 0, 12),
            b"ab\0\0\0heLLo\0\0"
        );
    }
}

#[test]
fn the_end_of_a_table_is_its_end() {
    // Reference 5.5.2, 5.13.
    let mut bench = Bench::active();
    let session = bench.admin1();
    for (table, rows) in [(uid::MBR, 128_u64 << 20), (uid::DATA_STORE, 10 << 20)] {
        assert_eq!(
            bench.status(session, &set_bytes(table, rows - 2, b"ab")),
            OK
        );
        for (start, bytes) in [
            (rows - 1, &b"ab"[..]),
            (rows, b"a"),
            (u64::MAX, b"a"),
            (rows + 1, b""),
        ] {
            assert_eq!(
                bench.status(session, &set_bytes(table, start, bytes)),
                INVALID,
                "{start}"
            );
        }
        assert_eq!(read(&mut bench, session, table, rows - 3, 3), b"\0ab");
    }
}

#[test]
fn values_of_the_wrong_kind_are_refused() {
    let mut bench = Bench::active();
    let session = bench.admin1();
    let set = |place: Value, bytes: Value| {
        MethodCall::new(uid::MBR, sedkit::spec::method::SET)
            .optional(0, place)
            .optional(1, bytes)
    };
    for (place, bytes) in [
        (uid::MBR.into(), "ab".into()),
        (0_u64.into(), 5_u64.into()),
        (0_u64.into(), Value::list([Value::named(0_u64, "ab")])),
    ] {
        assert_eq!(bench.status(session, &set(place, bytes)), INVALID);
    }
}

#[test]
fn writes_keep_to_the_mandatory_granularity() {
    // [Opal] 4.3.5.4: both start and length; reference 5.5.2.
    let mut bench = Bench::with(|options| {
        options.profile.locking.write_granularity = 512;
        options.profile.locking.access_granularity = 4096;
    });
    bench.activate();
    let session = bench.admin1();
    for table in [uid::MBR, uid::DATA_STORE] {
        let row = table.table_descriptor();
        let granularity = column::table::MANDATORY_WRITE_GRANULARITY;
        assert_eq!(bench.number(session, row, granularity), 512);
        assert_eq!(bench.number(session, row, granularity + 1), 4096);
        for (start, length, status) in [
            (0, 512, OK),
            (512, 1024, OK),
            (1, 512, INVALID),
            (0, 511, INVALID),
            (256, 256, INVALID),
        ] {
            let call = set_bytes(table, start, &vec![1; length]);
            assert_eq!(bench.status(session, &call), status, "{start} {length}");
        }
        // Reads do not.
        assert_eq!(read(&mut bench, session, table, 3, 5), [1; 5]);
    }
}

#[test]
fn linux_writes_in_chunks_that_are_not_aligned() {
    // Reference 5.5.2: about 1,950 bytes at a time; reads of 1,982.
    let mut bench = Bench::active();
    let session = bench.admin1();
    let image: Vec<u8> = (0..20_000_u32)
        .map(|index| index.to_le_bytes()[0] ^ 0x5a)
        .collect();
    for (index, chunk) in image.chunks(1950).enumerate() {
        let call = set_bytes(uid::MBR, index as u64 * 1950, chunk);
        assert_eq!(bench.status(session, &call), OK);
    }
    let mut found = Vec::new();
    while found.len() < image.len() {
        let length = (image.len() - found.len()).min(1982) as u64;
        found.extend(read(
            &mut bench,
            session,
            uid::MBR,
            found.len() as u64,
            length,
        ));
    }
    assert_eq!(found, image);
}

#[test]
fn the_shadow_mbr_hides_the_first_blocks() {
    // [Core] 5.7.3.6; reference 5.6.4 to 5.6.6. The drive is larger than its shadow.
    let mut bench = Bench::with(|options| options.size = 256 << 20);
    bench.activate();
    let session = bench.admin1();
    bench.drive().write(0, &[7; 512]).unwrap();
    let outside = (128 << 20) / 512;
    bench.drive().write(outside, &[8; 512]).unwrap();
    assert_eq!(bench.status(session, &set_bytes(uid::MBR, 0, b"boot")), OK);
    bench.must_set(session, uid::MBR_CONTROL, &[(1, true.into())]);
    let shadow = bench.drive().read(0, 1).unwrap();
    assert!(shadow.starts_with(b"boot\0"));
    let protected = |found: Result<(), MediaError>| {
        assert!(
            matches!(found, Err(MediaError::DataProtection)),
            "{found:?}"
        );
    };
    protected(bench.drive().write(0, &[1; 512]));
    protected(bench.drive().read(outside - 1, 2).map(|_| ()));
    assert_eq!(bench.drive().read(outside, 1).unwrap(), [8; 512]);
    bench.must_set(session, uid::MBR_CONTROL, &[(2, true.into())]);
    assert_eq!(bench.drive().read(0, 1).unwrap(), [7; 512]);
    // Locked ranges outside the shadow read as zeros.
    bench.must_set(session, uid::MBR_CONTROL, &[(2, false.into())]);
    bench.lock(session, sedkit::spec::RangeNumber::GLOBAL, true);
    assert_eq!(bench.drive().read(outside, 1).unwrap(), [0; 512]);
    assert!(bench.drive().read(0, 1).unwrap().starts_with(b"boot"));
    protected(bench.drive().write(outside, &[1; 512]));
}
