//! A drive with several NVMe namespaces and one TPer (reference 5.10; [SIIS] by way of it).

use sedkit::spec::{MethodStatus, RangeNumber, uid};
use sedkit::vdrive::{CreateOptions, Error, MAX_NAMESPACES, MediaError, VirtualDrive};

use crate::support::{Bench, set, set_bytes};

const OK: MethodStatus = MethodStatus::SUCCESS;
const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;
/// Columns of Locking (reference 4.2).
const START: u64 = 3;
const LENGTH: u64 = 4;
const READ_LOCK_ENABLED: u64 = 5;
const READ_LOCKED: u64 = 7;

fn bench(namespaces: u32) -> Bench {
    Bench::reopening(|options| options.namespaces = namespaces)
}

fn is_protected(result: &Result<Vec<u8>, MediaError>) -> bool {
    matches!(result, Err(MediaError::DataProtection))
}

#[test]
fn the_media_is_divided_into_equal_parts() {
    let options = |size, namespaces| {
        let mut options = CreateOptions::new(size);
        options.namespaces = namespaces;
        options
    };
    let drive = VirtualDrive::in_memory(&options(64 << 20, 1)).unwrap();
    assert_eq!((drive.namespaces(), drive.namespace_blocks()), (1, 131_072));
    let drive = VirtualDrive::in_memory(&options(48 << 20, 3)).unwrap();
    assert_eq!((drive.namespaces(), drive.namespace_blocks()), (3, 32_768));
    assert_eq!(drive.info().blocks, 98_304);
    for (size, namespaces) in [(64 << 20, 3), (64 << 20, 0), (17 << 20, MAX_NAMESPACES + 1)] {
        let refused = VirtualDrive::in_memory(&options(size, namespaces));
        assert!(
            matches!(refused, Err(Error::Namespaces { .. })),
            "{namespaces}"
        );
    }
}

#[test]
fn the_number_outlives_the_program() {
    let mut bench = bench(2);
    bench.reopen();
    assert_eq!(bench.drive().namespaces(), 2);
    assert_eq!(bench.drive().info().namespaces, 2);
}

#[test]
fn the_global_range_locks_every_namespace() {
    let mut bench = bench(2);
    bench.activate();
    let session = bench.admin1();
    let second = bench.drive().namespace_blocks();
    bench.drive().write(0, &[1; 512]).unwrap();
    bench.drive().write(second, &[2; 512]).unwrap();
    bench.lock(session, RangeNumber::GLOBAL, true);
    for lba in [0, second] {
        assert!(is_protected(&bench.drive().read(lba, 1)), "{lba}");
    }
    bench.lock(session, RangeNumber::GLOBAL, false);
    assert_eq!(bench.drive().read(0, 1).unwrap(), [1; 512]);
    assert_eq!(bench.drive().read(second, 1).unwrap(), [2; 512]);
}

#[test]
fn no_other_range_gets_a_place_where_there_are_several() {
    for (namespaces, expected) in [(1, OK), (2, INVALID)] {
        let mut bench = bench(namespaces);
        bench.activate();
        let session = bench.admin1();
        let range = uid::locking_range(RangeNumber(1));
        for cells in [
            &[(START, 8_u64.into())][..],
            &[(LENGTH, 8_u64.into())],
            &[(START, 64_u64.into()), (LENGTH, 64_u64.into())],
            &[(LENGTH, 0_u64.into())],
            &[(LENGTH, 64_u64.into()), (READ_LOCK_ENABLED, true.into())],
        ] {
            assert_eq!(
                bench.status(session, &set(range, cells)),
                expected,
                "{cells:?}"
            );
        }
        let place = [START, LENGTH].map(|column| bench.number(session, range, column));
        assert_eq!(place == [0, 0], namespaces == 2, "{place:?}");
        // Locks have nothing to do with the place.
        let locks = [(READ_LOCK_ENABLED, true.into()), (READ_LOCKED, true.into())];
        assert_eq!(bench.status(session, &set(range, &locks)), OK);
    }
}

#[test]
fn the_shadow_mbr_ends_with_the_first_namespace() {
    // The shadow of 128 MiB is larger than the namespaces of 32 MiB.
    let mut bench = bench(2);
    bench.activate();
    let session = bench.admin1();
    let second = bench.drive().namespace_blocks();
    bench.drive().write(second, &[8; 512]).unwrap();
    assert_eq!(bench.status(session, &set_bytes(uid::MBR, 0, b"boot")), OK);
    bench.must_set(session, uid::MBR_CONTROL, &[(1, true.into())]);
    assert!(bench.drive().read(0, 1).unwrap().starts_with(b"boot"));
    assert_eq!(bench.drive().read(second - 1, 1).unwrap(), [0; 512]);
    assert_eq!(bench.drive().read(second, 1).unwrap(), [8; 512]);
    assert!(is_protected(&bench.drive().read(second - 1, 2)));
    bench.drive().write(second, &[9; 512]).unwrap();
}
