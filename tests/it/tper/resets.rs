//! Power cycle, hardware reset, TPER_RESET (\[Opal\] 3.2.3, 4.3.5.2.2; reference 1.7.3, 5.6.3).

use sedkit::spec::{MethodStatus, RangeNumber, uid};
use sedkit::transport::InterfaceStatus;

use crate::support::{Bench, Session, numbers};

const GLOBAL: sedkit::spec::Uid = uid::LOCKING_GLOBAL_RANGE;

fn tper_reset(bench: &mut Bench) -> Result<(), InterfaceStatus> {
    bench.send(0x02, 0x0004, &[0; 512])
}

fn enable_tper_reset(bench: &mut Bench) {
    let session = bench.sid();
    bench.must_set(session, uid::TPER_INFO, &[(8, true.into())]);
    bench.end(session);
}

type Event = fn(&mut Bench);

const EVENTS: [(u64, Event); 3] = [
    (0, |bench| bench.drive().power_cycle().unwrap()),
    (1, |bench| bench.drive().hardware_reset().unwrap()),
    (3, |bench| tper_reset(bench).unwrap()),
];

#[test]
fn ranges_lock_and_the_shadow_returns_as_their_sets_say() {
    for set in [&[0][..], &[0, 1], &[0, 3], &[0, 1, 3]] {
        for (number, event) in EVENTS {
            let mut bench = Bench::active();
            enable_tper_reset(&mut bench);
            let session = bench.admin1();
            bench.lock(session, RangeNumber(2), false);
            bench.must_set(
                session,
                uid::locking_range(RangeNumber(2)),
                &[(9, numbers(set))],
            );
            let control = [(1, true.into()), (2, true.into()), (3, numbers(set))];
            bench.must_set(session, uid::MBR_CONTROL, &control);
            event(&mut bench);
            let applies = set.contains(&number);
            // Every session is gone, whether or not anything was locked.
            assert!(!bench.is_open(session));
            let session = bench.admin1();
            let range2 = uid::locking_range(RangeNumber(2));
            let found = [7, 8].map(|column| bench.number(session, range2, column));
            assert_eq!(found, [u64::from(applies); 2], "{set:?} {number}");
            let done = bench.number(session, uid::MBR_CONTROL, 2);
            assert_eq!(done, u64::from(!applies), "{set:?} {number}");
            // What is enabled stays so.
            assert_eq!(bench.number(session, range2, 5), 1);
            assert_eq!(bench.number(session, uid::MBR_CONTROL, 1), 1);
        }
    }
}

#[test]
fn locked_bits_are_set_even_where_locks_are_not_enabled() {
    // Reference 5.6.3.
    let mut bench = Bench::active();
    bench.drive().power_cycle().unwrap();
    let session = bench.admin1();
    let found = [5, 6, 7, 8].map(|column| bench.number(session, GLOBAL, column));
    assert_eq!(found, [0, 0, 1, 1]);
    assert_eq!(bench.feature(0x0002)[4] & 0x04, 0);
    assert!(bench.drive().read(0, 1).is_ok());
}

#[test]
fn a_drive_without_hardware_reset_locks_ends_sessions_only() {
    let mut bench = Bench::with(|options| options.profile.hardware_reset_locks = false);
    bench.activate();
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, false);
    let refused = bench.set(session, GLOBAL, &[(9, numbers(&[0, 1]))]);
    assert_eq!(refused, MethodStatus::INVALID_PARAMETER);
    bench.drive().hardware_reset().unwrap();
    assert!(!bench.is_open(session));
    assert!(bench.drive().read(0, 1).is_ok());
}

#[test]
fn tper_reset_must_be_enabled() {
    // [Opal] 3.2.3; reference 5.13.
    let aborted = Err(InterfaceStatus::InvalidParameter);
    let mut bench = Bench::active();
    assert_eq!(tper_reset(&mut bench), aborted);
    enable_tper_reset(&mut bench);
    assert_eq!(bench.send(0x02, 0x0004, &[]), aborted);
    assert_eq!(bench.send(0x02, 0x0004, &[1]), Ok(()));
    assert_eq!(
        bench.recv(0x02, 0x0004, 512),
        Err(InterfaceStatus::InvalidParameter)
    );
    // It stays enabled.
    bench.drive().power_cycle().unwrap();
    assert_eq!(tper_reset(&mut bench), Ok(()));
}

#[test]
fn tper_reset_ends_sessions_and_responses() {
    let mut bench = Bench::active();
    enable_tper_reset(&mut bench);
    let session: Session = bench.start_anybody(uid::ADMIN_SP);
    let call = crate::support::random(8);
    let frame = sedkit::wire::ComPacket::with_tokens(
        bench.com_id(),
        session.tsn,
        session.hsn,
        &call.encode(),
    );
    bench.send_frame(&frame.encode());
    assert_eq!(tper_reset(&mut bench), Ok(()));
    assert_eq!(bench.fetch().len(), 20);
    assert!(!bench.is_open(session));
}

#[test]
fn tper_reset_counts_no_attempts_anew() {
    let mut bench = Bench::active();
    enable_tper_reset(&mut bench);
    for _ in 0..5 {
        assert!(bench.start(uid::LOCKING_SP, uid::ADMIN1, b"wrong").is_err());
    }
    tper_reset(&mut bench).unwrap();
    let locked_out = Err(MethodStatus::AUTHORITY_LOCKED_OUT);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::ADMIN1, b"wrong"),
        locked_out
    );
}

#[test]
fn an_inactive_drive_has_nothing_to_lock() {
    let mut bench = Bench::new();
    bench.drive().write(0, &[3; 512]).unwrap();
    bench.drive().power_cycle().unwrap();
    assert_eq!(bench.drive().read(0, 1).unwrap(), [3; 512]);
    assert_eq!(bench.feature(0x0002)[4], 0x89);
}

#[test]
fn a_power_cycle_keeps_the_counters() {
    let mut bench = Bench::new();
    bench.level0();
    let before = bench.drive().stats().total();
    bench.drive().power_cycle().unwrap();
    assert_eq!(bench.drive().stats().total(), before);
    assert_eq!(before.recv, 1);
}
