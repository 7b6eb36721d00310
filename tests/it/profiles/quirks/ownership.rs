//! Who owns the drive when it is delivered, and what revert leaves.

use sedkit::spec::{MethodStatus, column, method, uid};
use sedkit::vdrive::MediaError;
use sedkit::wire::MethodCall;

use crate::profiles::quirky;
use crate::support::{Bench, MSID, PSID};

const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;

/// Whether SID has the PIN of MSID: the status of StartSession.
fn sid_by_msid(bench: &mut Bench) -> MethodStatus {
    match bench.start(uid::ADMIN_SP, uid::SID, MSID) {
        Ok(session) => {
            bench.end(session);
            MethodStatus::SUCCESS
        }
        Err(status) => status,
    }
}

/// SID Value State and SID Blocked State of Level 0 Discovery.
fn sid_bits(bench: &mut Bench) -> u8 {
    bench.feature(0x0402)[4] & 0x03
}

/// Revert of the Admin SP by PSID.
fn revert(bench: &mut Bench) {
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    let revert = MethodCall::new(uid::ADMIN_SP, method::REVERT);
    assert_eq!(bench.status(session, &revert), MethodStatus::SUCCESS);
}

#[test]
fn sid_is_msid_on_a_drive_of_the_standard() {
    let mut bench = Bench::new();
    assert_eq!(sid_by_msid(&mut bench), MethodStatus::SUCCESS);
    assert_eq!(bench.feature(0x0203)[13], 0x00);
    assert_eq!(sid_bits(&mut bench), 0x00);
}

#[test]
fn sid_may_have_a_vendor_s_pin_by_design() {
    // Demands D24; reference 3.9.10, byte 13: FFh is vendor unique.
    let mut bench = quirky(&["sid-not-msid"]);
    assert_eq!(sid_by_msid(&mut bench), REFUSED);
    assert_eq!(bench.feature(0x0203)[13], 0xff);
    assert_eq!(sid_bits(&mut bench), 0x01);
    assert!(bench.start(uid::ADMIN_SP, uid::SID, PSID).is_ok());
}

#[test]
fn sid_may_have_been_changed_before_delivery() {
    // Demands D24 and 3.1, Samsung 970 to 990, Crucial MX500: MSID is promised, and SID differs
    // until a revert by PSID.
    let mut bench = quirky(&["sid-changed"]);
    assert_eq!(bench.feature(0x0203)[13], 0x00);
    assert_eq!(sid_bits(&mut bench), 0x01);
    assert_eq!(sid_by_msid(&mut bench), REFUSED);
    revert(&mut bench);
    assert_eq!(sid_bits(&mut bench), 0x00);
    assert_eq!(sid_by_msid(&mut bench), MethodStatus::SUCCESS);
}

#[test]
fn firmware_may_block_sid_at_every_power_up() {
    // Demands D24; reference 1.7.4: blocked SID is NOT_AUTHORIZED, and a power cycle clears it.
    let mut bench = quirky(&["block-sid-at-power-up"]);
    for _ in 0..2 {
        assert_eq!(sid_bits(&mut bench), 0x02);
        assert_eq!(sid_by_msid(&mut bench), REFUSED);
        bench.drive().power_cycle().unwrap();
    }
    // Only a SID that has MSID's PIN can be blocked.
    let psid = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    let revert = MethodCall::new(uid::ADMIN_SP, method::REVERT);
    assert_eq!(bench.status(psid, &revert), MethodStatus::SUCCESS);
    assert_eq!(sid_bits(&mut bench), 0x00);
    bench.activate();
    bench.drive().power_cycle().unwrap();
    assert_eq!(sid_bits(&mut bench), 0x01);
}

#[test]
fn revert_may_leave_the_medium_shut() {
    // Demands D38, Samsung PM981 and PM961.
    let mut bench = quirky(&["revert-shuts-medium"]);
    bench.activate();
    assert!(bench.drive().read(0, 1).is_ok());
    revert(&mut bench);
    let is_shut = |bench: &mut Bench| {
        let read = bench.drive().read(0, 1);
        let write = bench.drive().write(0, &[1; 512]);
        assert_eq!(read.is_err(), write.is_err());
        matches!(read, Err(MediaError::DataProtection))
    };
    assert!(is_shut(&mut bench));
    bench.drive().hardware_reset().unwrap();
    assert!(is_shut(&mut bench));
    bench.drive().power_cycle().unwrap();
    assert!(!is_shut(&mut bench));

    let mut bench = Bench::active();
    revert(&mut bench);
    assert!(bench.drive().read(0, 1).is_ok());
    let session = bench.start_anybody(uid::ADMIN_SP);
    let msid = bench.cell(session, uid::C_PIN_MSID, column::c_pin::PIN);
    assert_eq!(msid.as_bytes(), Some(MSID));
}
