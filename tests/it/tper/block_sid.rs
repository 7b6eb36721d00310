//! Block SID Authentication (\[Block SID\] 4.3; reference 1.7.4).

use sedkit::spec::{MethodStatus, RangeNumber, column, method, uid};
use sedkit::transport::InterfaceStatus;
use sedkit::wire::MethodCall;

use crate::support::{Bench, MSID, OWNER, PSID, Session};

const ABORTED: Result<(), InterfaceStatus> = Err(InterfaceStatus::InvalidParameter);
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;

fn block_sid(bench: &mut Bench, clear_events: u8, freeze: u8) -> Result<(), InterfaceStatus> {
    let mut payload = vec![clear_events, freeze];
    payload.resize(512, 0);
    bench.send(0x02, 0x0005, &payload)
}

fn state(bench: &mut Bench) -> [u8; 2] {
    let feature = bench.feature(0x0402);
    [feature[4], feature[5]]
}

fn sid(bench: &mut Bench) -> Result<Session, MethodStatus> {
    bench.start(uid::ADMIN_SP, uid::SID, MSID)
}

#[test]
fn sid_is_blocked_while_it_has_the_msid() {
    let mut bench = Bench::new();
    assert_eq!(block_sid(&mut bench, 0, 0), Ok(()));
    assert_eq!(state(&mut bench), [0x06, 0x00]);
    // No attempt is counted: after as many as lock out, SID is as it was.
    for _ in 0..6 {
        assert_eq!(sid(&mut bench), Err(REFUSED));
    }
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(bench.authenticate(session, uid::SID, MSID), Ok(false));
    bench.end(session);
    // PSID is not affected.
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    bench.end(session);
    assert_eq!(block_sid(&mut bench, 0, 0), ABORTED);
    bench.drive().power_cycle().unwrap();
    assert_eq!(state(&mut bench), [0x04, 0x00]);
    assert!(sid(&mut bench).is_ok());
}

#[test]
fn sid_with_a_pin_of_its_own_is_not_blocked() {
    let mut bench = Bench::active();
    assert_eq!(block_sid(&mut bench, 1, 0), Ok(()));
    assert_eq!(state(&mut bench), [0x05, 0x00]);
    let session = bench.sid();
    bench.end(session);
    assert_eq!(block_sid(&mut bench, 0, 0), Ok(()));
}

#[test]
fn a_hardware_reset_clears_the_block_if_it_was_selected() {
    let mut bench = Bench::new();
    block_sid(&mut bench, 0, 0).unwrap();
    bench.drive().hardware_reset().unwrap();
    assert_eq!(sid(&mut bench), Err(REFUSED));
    bench.drive().power_cycle().unwrap();
    block_sid(&mut bench, 1, 0).unwrap();
    assert_eq!(state(&mut bench), [0x06, 0x01]);
    bench.drive().hardware_reset().unwrap();
    assert_eq!(state(&mut bench), [0x04, 0x00]);
    assert!(sid(&mut bench).is_ok());
}

#[test]
fn a_revert_clears_the_block() {
    let mut bench = Bench::new();
    block_sid(&mut bench, 0, 0).unwrap();
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    assert!(
        bench
            .call(session, &MethodCall::new(uid::ADMIN_SP, method::REVERT))
            .is_ok()
    );
    assert!(sid(&mut bench).is_ok());
}

#[test]
fn a_session_that_sid_has_open_goes_on() {
    // Only authentication is blocked.
    let mut bench = Bench::new();
    let session = sid(&mut bench).unwrap();
    block_sid(&mut bench, 0, 0).unwrap();
    bench.must_set(
        session,
        uid::C_PIN_SID,
        &[(column::c_pin::PIN, OWNER.into())],
    );
    bench.end(session);
    // Blocked until a clear event, whatever the PIN is now.
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, OWNER), Err(REFUSED));
    assert_eq!(state(&mut bench), [0x07, 0x00]);
}

#[test]
fn the_command_needs_a_payload_and_has_no_answer() {
    let mut bench = Bench::new();
    assert_eq!(bench.send(0x02, 0x0005, &[]), ABORTED);
    assert_eq!(
        bench.recv(0x02, 0x0005, 512),
        Err(InterfaceStatus::InvalidParameter)
    );
    assert_eq!(state(&mut bench), [0x04, 0x00]);
    assert_eq!(bench.send(0x02, 0x0005, &[0]), Ok(()));
    assert_eq!(state(&mut bench), [0x06, 0x00]);
}

#[test]
fn an_inactive_locking_sp_is_not_frozen() {
    let mut bench = Bench::new();
    assert_eq!(block_sid(&mut bench, 0, 1), Ok(()));
    assert_eq!(state(&mut bench), [0x06, 0x00]);
}

#[test]
fn a_frozen_locking_sp_lets_nobody_in_and_goes_on_locking() {
    let mut bench = Bench::active();
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, true);
    assert_eq!(block_sid(&mut bench, 0, 1), Ok(()));
    assert_eq!(state(&mut bench), [0x0d, 0x00]);
    // Sessions are aborted, and no attempt is counted.
    assert!(!bench.is_open(session));
    for _ in 0..6 {
        let start = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"wrong");
        assert_eq!(start, Err(MethodStatus::SP_FROZEN));
    }
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(
        bench.number(session, uid::LOCKING_SP, column::sp::LIFE_CYCLE_STATE),
        11
    );
    assert_eq!(
        bench.number(session, uid::LOCKING_SP, column::sp::FROZEN),
        1
    );
    bench.end(session);
    assert!(bench.drive().read(0, 1).is_err());
    assert_eq!(bench.feature(0x0002)[4], 0x8f);
    assert_eq!(block_sid(&mut bench, 0, 0), ABORTED);
    bench.drive().power_cycle().unwrap();
    assert_eq!(state(&mut bench), [0x05, 0x00]);
    bench.admin1();
}

#[test]
fn a_revert_thaws_the_locking_sp() {
    let mut bench = Bench::active();
    block_sid(&mut bench, 0, 1).unwrap();
    let session = bench.sid();
    assert!(
        bench
            .call(session, &MethodCall::new(uid::ADMIN_SP, method::REVERT))
            .is_ok()
    );
    assert_eq!(state(&mut bench), [0x04, 0x00]);
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(
        bench.number(session, uid::LOCKING_SP, column::sp::LIFE_CYCLE_STATE),
        8
    );
}

#[test]
fn freezing_is_refused_where_it_is_not_supported() {
    let mut bench = Bench::with(|options| options.profile.freeze_lock = false);
    bench.activate();
    assert_eq!(block_sid(&mut bench, 0, 1), ABORTED);
    assert_eq!(state(&mut bench), [0x01, 0x00]);
}

#[test]
fn a_revert_of_the_frozen_locking_sp_leaves_no_clear_event() {
    // Reference 3.9.14, byte 5: it tells how a block ends, and there is none any more.
    let mut bench = Bench::active();
    block_sid(&mut bench, 1, 1).unwrap();
    assert_eq!(state(&mut bench), [0x0d, 0x01]);
    let session = bench.sid();
    let revert = MethodCall::new(uid::LOCKING_SP, method::REVERT);
    assert!(bench.call(session, &revert).is_ok());
    assert_eq!(state(&mut bench), [0x05, 0x00]);
}
