//! Level 0 Discovery: the bytes of the reference's profiles, and bits that follow the state.

use sedkit::spec::{RangeNumber, column, method, uid};
use sedkit::vdrive::profile::Feature;
use sedkit::wire::MethodCall;

use crate::support::Bench;
use crate::vectors::hex;

/// The drive of the reference's profiles: all is as in `opal2`, but for Single User Mode.
fn without_single_user_mode() -> Bench {
    Bench::with(|options| options.profile.discovery.remove(&Feature::SingleUserMode))
}

#[test]
fn a_new_drive_is_profile_a1() {
    let level0 = without_single_user_mode().level0();
    assert_eq!(level0, hex("profiles/A.1.hex"));
}

#[test]
fn single_user_mode_adds_a_descriptor_to_profile_a1() {
    // Reference 3.9.8: nine Locking objects, and POLICY while nothing is in Single User Mode.
    let mut expected = hex("profiles/A.1.hex");
    let descriptor = [2, 1, 0x10, 0x0c, 0, 0, 0, 9, 4, 0, 0, 0, 0, 0, 0, 0];
    expected.splice(0x70..0x70, descriptor);
    expected[3] += 16;
    assert_eq!(Bench::new().level0(), expected);
}

#[test]
fn a_drive_that_is_set_up_and_locked_is_profile_a2() {
    // Locking SP active, a range locked, MBR enabled and not done, SID changed.
    let mut bench = without_single_user_mode();
    bench.activate();
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, true);
    bench.must_set(
        session,
        uid::MBR_CONTROL,
        &[(column::mbr_control::ENABLE, true.into())],
    );
    bench.end(session);
    assert_eq!(bench.level0(), hex("profiles/A.2.hex"));
}

fn locking_bits(bench: &mut Bench) -> u8 {
    bench.feature(0x0002)[4]
}

#[test]
fn the_locking_bits_follow_the_state() {
    // [Opal] 3.1.1.3. 80h, 08h and 01h are always set on this profile.
    const SUPPORTED: u8 = 0x89;
    const ENABLED: u8 = 0x02;
    const LOCKED: u8 = 0x04;
    let mut bench = Bench::new();
    assert_eq!(locking_bits(&mut bench), SUPPORTED);
    bench.activate();
    assert_eq!(locking_bits(&mut bench), SUPPORTED | ENABLED);
    let session = bench.admin1();
    let range3 = uid::locking_range(RangeNumber(3));
    let steps = [
        (7, true, false),
        (5, true, true), // ReadLockEnabled and ReadLocked
        (7, false, false),
        (8, true, false),
        (6, true, true), // WriteLockEnabled and WriteLocked
        (6, false, false),
    ];
    for (column, value, locked) in steps {
        bench.must_set(session, range3, &[(column, value.into())]);
        let expected = if locked { LOCKED } else { 0 };
        assert_eq!(
            locking_bits(&mut bench),
            SUPPORTED | ENABLED | expected,
            "{column} {value}"
        );
    }
}

#[test]
fn the_mbr_bits_follow_the_state() {
    let mut bench = Bench::active();
    let session = bench.admin1();
    for (enable, done, bits) in [(false, true, 0x20), (true, true, 0x30), (true, false, 0x10)] {
        let cells = [(1, enable.into()), (2, done.into())];
        bench.must_set(session, uid::MBR_CONTROL, &cells);
        assert_eq!(locking_bits(&mut bench) & 0x30, bits);
    }
    bench.end(session);
    // An inactive Locking SP shows neither.
    let session = bench.sid();
    let revert = MethodCall::new(uid::LOCKING_SP, method::REVERT);
    assert!(bench.call(session, &revert).is_ok());
    assert_eq!(locking_bits(&mut bench), 0x89);
}

#[test]
fn the_sid_value_state_follows_the_pin() {
    // [Block SID] 4.2.1.
    let mut bench = Bench::new();
    assert_eq!(bench.feature(0x0402)[4], 0x04);
    bench.activate();
    assert_eq!(bench.feature(0x0402)[4], 0x05);
    let session = bench.sid();
    let msid = crate::support::MSID;
    bench.must_set(
        session,
        uid::C_PIN_SID,
        &[(column::c_pin::PIN, msid.into())],
    );
    assert_eq!(bench.feature(0x0402)[4], 0x04);
}

#[test]
fn the_profile_is_reported() {
    let mut bench = Bench::with(|options| {
        let profile = &mut options.profile;
        profile.geometry.block_size = 4096;
        profile.geometry.alignment_granularity = 2000;
        profile.geometry.lowest_aligned_lba = 1234;
        profile.geometry.alignment_required = false;
        profile.communication.base_com_id = 0x07fe;
        profile.communication.com_ids = 2;
        profile.locking.admins = 6;
        profile.locking.users = 16;
        profile.locking.crossing_terminates = true;
        profile.freeze_lock = false;
        profile.hardware_reset_locks = false;
    });
    let geometry = bench.feature(0x0003);
    assert_eq!(geometry[4], 0);
    assert_eq!(geometry[12..16], [0, 0, 0x10, 0]);
    assert_eq!(
        geometry[16..32],
        [0, 0, 0, 0, 0, 0, 0x07, 0xd0, 0, 0, 0, 0, 0, 0, 0x04, 0xd2]
    );
    let opal = bench.feature(0x0203);
    assert_eq!(opal[4..15], [0x07, 0xfe, 0, 2, 1, 0, 6, 0, 16, 0, 0]);
    assert_eq!(bench.feature(0x0402)[4], 0);
    assert_eq!(locking_bits(&mut bench), 0x09);
}

#[test]
fn the_decoder_of_the_host_side_agrees() {
    use sedkit::wire::discovery::Discovery;
    let mut bench = Bench::active();
    let discovery = Discovery::decode(&bench.level0()).unwrap();
    assert_eq!((discovery.revision, discovery.missing), (1, 0));
    let codes: Vec<u16> = discovery
        .features
        .iter()
        .map(|feature| feature.code.0)
        .collect();
    assert_eq!(
        codes,
        [
            0x0001, 0x0002, 0x0003, 0x0201, 0x0202, 0x0203, 0x0402, 0x0404
        ]
    );
}
