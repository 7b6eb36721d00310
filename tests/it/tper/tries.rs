//! Try limits and lock-out (\[Core\] 5.3.2.12, 5.3.4.1.1; reference 5.5.5).

use sedkit::spec::{MethodStatus, Uid, column, uid};
use sedkit::vdrive::profile::{LockoutReply, TryPolicy};

use crate::support::{Bench, MSID, OWNER, PSID, USER};

const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;
const LOCKED_OUT: MethodStatus = MethodStatus::AUTHORITY_LOCKED_OUT;

fn fail(bench: &mut Bench, sp: Uid, authority: Uid, times: usize) {
    for _ in 0..times {
        assert_eq!(bench.start(sp, authority, b"wrong"), Err(REFUSED));
    }
}

fn tries(bench: &mut Bench) -> u64 {
    let session = bench.admin1();
    let tries = bench.number(session, uid::c_pin(uid::USER1), column::c_pin::TRIES);
    bench.end(session);
    tries
}

#[test]
fn the_fifth_wrong_attempt_locks_out() {
    // Certification test SPF-03: the attempt that reaches the limit is still NOT_AUTHORIZED.
    let mut bench = Bench::new();
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 5);
    assert_eq!(
        bench.start(uid::ADMIN_SP, uid::SID, b"wrong"),
        Err(LOCKED_OUT)
    );
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, MSID), Err(LOCKED_OUT));
    // Others are not affected.
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    bench.end(session);
}

#[test]
fn success_forgets_the_wrong_attempts() {
    // Certification test SPF-04.
    let mut bench = Bench::new();
    for _ in 0..3 {
        fail(&mut bench, uid::ADMIN_SP, uid::SID, 4);
        let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
        let tries = bench.number(session, uid::C_PIN_SID, column::c_pin::TRIES);
        assert_eq!(tries, 0);
        bench.end(session);
    }
}

#[test]
fn tries_are_counted_where_admins_can_read_them() {
    let mut bench = Bench::active();
    bench.enable_user(1);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 3);
    assert_eq!(tries(&mut bench), 3);
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(bench.authenticate(session, uid::USER1, b"wrong"), Ok(false));
    bench.end(session);
    assert_eq!(tries(&mut bench), 4);
    let session = bench.admin1();
    let limit = bench.number(session, uid::c_pin(uid::USER1), column::c_pin::TRY_LIMIT);
    assert_eq!(limit, 5);
}

#[test]
fn authenticate_tells_a_lock_out_too() {
    // Reference 8.1 number 7.
    let mut bench = Bench::active();
    bench.enable_user(1);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 5);
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(
        bench.authenticate(session, uid::USER1, USER),
        Err(LOCKED_OUT)
    );

    let mut bench = Bench::with(|options| {
        options.profile.behaviour.authenticate_lockout = LockoutReply::False;
    });
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 5);
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(bench.authenticate(session, uid::SID, MSID), Ok(false));
    bench.end(session);
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, MSID), Err(LOCKED_OUT));
}

#[test]
fn a_new_pin_forgets_the_wrong_attempts() {
    // Reference 5.5.5.
    let mut bench = Bench::active();
    bench.enable_user(1);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 5);
    let session = bench.admin1();
    bench.must_set(
        session,
        uid::c_pin(uid::USER1),
        &[(column::c_pin::PIN, USER.into())],
    );
    bench.end(session);
    assert_eq!(tries(&mut bench), 0);
    assert!(bench.start(uid::LOCKING_SP, uid::USER1, USER).is_ok());
}

#[test]
fn a_power_cycle_gives_new_attempts_and_a_hardware_reset_does_not() {
    // Certification test SPF-05.
    let mut bench = Bench::new();
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 5);
    bench.drive().hardware_reset().unwrap();
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, MSID), Err(LOCKED_OUT));
    bench.drive().power_cycle().unwrap();
    assert!(bench.start(uid::ADMIN_SP, uid::SID, MSID).is_ok());
}

#[test]
fn a_persistent_count_survives_a_power_cycle() {
    // [Core] 5.3.2.12: Persistence True.
    let persistent = TryPolicy {
        limit: 3,
        persistent: true,
    };
    let mut bench = Bench::with(|options| options.profile.tries.sid = persistent);
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 2);
    bench.drive().power_cycle().unwrap();
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 1);
    bench.drive().power_cycle().unwrap();
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, MSID), Err(LOCKED_OUT));
    // PSID is the way out.
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    let revert = sedkit::wire::MethodCall::new(uid::ADMIN_SP, sedkit::spec::method::REVERT);
    assert!(bench.call(session, &revert).is_ok());
    assert!(bench.start(uid::ADMIN_SP, uid::SID, MSID).is_ok());
}

#[test]
fn no_limit_counts_nothing() {
    let unlimited = TryPolicy {
        limit: 0,
        persistent: false,
    };
    let mut bench = Bench::with(|options| options.profile.tries.locking_sp = unlimited);
    bench.activate();
    bench.enable_user(1);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 20);
    assert_eq!(tries(&mut bench), 0);
    assert!(bench.start(uid::LOCKING_SP, uid::USER1, USER).is_ok());
}

#[test]
fn each_authority_has_its_own_count() {
    let mut bench = Bench::active();
    bench.enable_user(1);
    bench.enable_user(2);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 5);
    assert!(bench.start(uid::LOCKING_SP, uid::USER1, USER).is_err());
    let session = bench.start(uid::LOCKING_SP, uid::user(2), USER).unwrap();
    bench.end(session);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER).map(|_| ()),
        Ok(())
    );
}

#[test]
fn a_transaction_that_is_rolled_back_keeps_the_count() {
    // Otherwise a transaction would give attempts for nothing.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let session = bench.start_anybody(uid::LOCKING_SP);
    assert_eq!(bench.tokens(session, &[0xfb, 0]), Some(vec![0xfb, 0]));
    for _ in 0..5 {
        assert_eq!(bench.authenticate(session, uid::USER1, b"wrong"), Ok(false));
    }
    bench.end(session);
    assert_eq!(
        bench.start(uid::LOCKING_SP, uid::USER1, USER),
        Err(LOCKED_OUT)
    );
}

#[test]
fn a_drive_without_a_limit_in_its_locking_sp_keeps_to_the_ssc() {
    // [Opal] 4.3.1.9: TryLimit 0 and Tries 0 there; SID and PSID are vendor unique and keep theirs.
    let mut bench = Bench::with(|options| options.try_limit = Some(0));
    bench.activate();
    bench.enable_user(1);
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 50);
    fail(&mut bench, uid::LOCKING_SP, uid::ADMIN1, 50);
    assert_eq!(tries(&mut bench), 0);
    let session = bench.admin1();
    for authority in [uid::ADMIN1, uid::USER1] {
        let limit = bench.number(session, uid::c_pin(authority), column::c_pin::TRY_LIMIT);
        assert_eq!(limit, 0);
    }
    bench.end(session);
    fail(&mut bench, uid::ADMIN_SP, uid::SID, 5);
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, OWNER), Err(LOCKED_OUT));
}

#[test]
fn a_disabled_authority_counts_no_attempt() {
    let mut bench = Bench::active();
    fail(&mut bench, uid::LOCKING_SP, uid::USER1, 10);
    assert_eq!(tries(&mut bench), 0);
}
