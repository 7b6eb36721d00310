//! StartSession: every condition and its status, session limits and timeouts (\[Core\] 5.2.3.1).

use sedkit::spec::{MethodStatus, Uid, column, method, uid};
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, HSN, MSID, OWNER, PSID, USER, random, start_session};

const REFUSED: MethodStatus = MethodStatus::INVALID_PARAMETER;

fn status(bench: &mut Bench, call: &MethodCall) -> MethodStatus {
    match bench.start_with(call) {
        Ok(session) => {
            bench.end(session);
            MethodStatus::SUCCESS
        }
        Err(status) => status,
    }
}

fn plain(sp: Uid) -> MethodCall {
    start_session(sp, true, None)
}

#[test]
fn every_condition_has_its_status() {
    // Reference 3.3, table of conditions.
    let by =
        |authority, pin: &'static [u8]| start_session(uid::ADMIN_SP, true, Some((authority, pin)));
    let alone = |authority: Uid| plain(uid::ADMIN_SP).optional(3, authority);
    let cases = [
        ("ok", plain(uid::ADMIN_SP), MethodStatus::SUCCESS),
        ("unknown SP", plain(uid::KEY_PER_IO_SP), REFUSED),
        ("no SP", plain(uid::USER1), REFUSED),
        // Certification test ETC-20.
        ("inactive SP", plain(uid::LOCKING_SP), REFUSED),
        // Certification test ETC-21.
        (
            "wrong PIN",
            by(uid::SID, b"wrong"),
            MethodStatus::NOT_AUTHORIZED,
        ),
        ("right PIN", by(uid::SID, MSID), MethodStatus::SUCCESS),
        ("PSID", by(uid::PSID, PSID), MethodStatus::SUCCESS),
        (
            "disabled",
            by(uid::ADMIN_SP_ADMIN1, b""),
            MethodStatus::NOT_AUTHORIZED,
        ),
        (
            "no such authority",
            by(uid::AUTHORITY.row(0x0777), b""),
            REFUSED,
        ),
        ("authority of another SP", by(uid::USER1, b""), REFUSED),
        ("no authority at all", by(uid::C_PIN_SID, b""), REFUSED),
        ("class", by(uid::ADMINS, MSID), REFUSED),
        ("Anybody", alone(uid::ANYBODY), MethodStatus::SUCCESS),
        (
            "Anybody with a PIN",
            by(uid::ANYBODY, b"any"),
            MethodStatus::SUCCESS,
        ),
        (
            "PIN without authority",
            plain(uid::ADMIN_SP).optional(0, MSID),
            MethodStatus::SUCCESS,
        ),
        (
            "authority without PIN",
            alone(uid::SID),
            MethodStatus::NOT_AUTHORIZED,
        ),
        (
            "too long a PIN",
            by(uid::SID, &[0x41; 33]),
            MethodStatus::NOT_AUTHORIZED,
        ),
    ];
    let mut bench = Bench::new();
    for (name, call, expected) in cases {
        assert_eq!(status(&mut bench, &call), expected, "{name}");
    }
}

#[test]
fn malformed_parameters_are_refused() {
    let mut bench = Bench::new();
    let call = || MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION);
    let named = |number: u64, value: Value| plain(uid::ADMIN_SP).optional(number, value);
    let cases = [
        call().argument(1_u64),
        call().argument(1_u64).argument(uid::ADMIN_SP),
        call().argument(1_u64).argument("short").argument(true),
        call()
            .argument(1_u64)
            .argument(uid::ADMIN_SP)
            .argument(2_u64),
        call()
            .argument(0_u64)
            .argument(uid::ADMIN_SP)
            .argument(true),
        plain(uid::ADMIN_SP).argument(5_u64),
        named(0, 5_u64.into()),
        named(3, "SID".into()),
        named(5, "soon".into()),
        // Exchange, certificates, TransTimeout, InitialCredit, SignedHash.
        named(1, uid::SID.into()),
        named(2, "".into()),
        named(4, "".into()),
        named(6, 1000_u64.into()),
        named(7, 1000_u64.into()),
        named(8, "".into()),
        named(9, 0_u64.into()),
        // Out of order, and twice.
        plain(uid::ADMIN_SP).optional(3, uid::SID).optional(0, MSID),
        plain(uid::ADMIN_SP).optional(0, MSID).optional(0, MSID),
    ];
    for call in cases {
        assert_eq!(status(&mut bench, &call), REFUSED, "{call:?}");
    }
    // Without a HostSessionID nobody can be answered.
    for call in [call(), call().argument("x"), call().argument(1_u64 << 32)] {
        assert_eq!(bench.control(&call), None, "{call:?}");
    }
}

#[test]
fn the_empty_pin_opens_an_enabled_authority_that_has_it() {
    // Reference 3.3, 8.1 numbers 20 and 21.
    let mut bench = Bench::active();
    let session = bench.admin1();
    let user2 = uid::user(2);
    bench.must_set(session, user2, &[(column::authority::ENABLED, true.into())]);
    bench.end(session);
    let locking = |call: MethodCall| call.optional(3, user2);
    let without = locking(plain(uid::LOCKING_SP));
    let empty = locking(plain(uid::LOCKING_SP).optional(0, &b""[..]));
    let wrong = locking(plain(uid::LOCKING_SP).optional(0, &b"x"[..]));
    assert_eq!(status(&mut bench, &without), MethodStatus::SUCCESS);
    assert_eq!(status(&mut bench, &empty), MethodStatus::SUCCESS);
    assert_eq!(status(&mut bench, &wrong), MethodStatus::NOT_AUTHORIZED);
}

#[test]
fn a_read_write_session_excludes_every_other_to_its_sp() {
    // Certification test ETC-22; reference 3.3.
    let mut bench = Bench::active();
    let open = bench.start_anybody(uid::ADMIN_SP);
    let read = start_session(uid::ADMIN_SP, false, None);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SP_BUSY
    );
    assert_eq!(status(&mut bench, &read), MethodStatus::SP_BUSY);
    // Another SP is free.
    let other = bench.start_anybody(uid::LOCKING_SP);
    assert!(bench.is_open(open) && bench.is_open(other));
    bench.end(open);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SUCCESS
    );
}

#[test]
fn a_busy_sp_costs_no_try() {
    let mut bench = Bench::active();
    let open = bench.admin1();
    for _ in 0..10 {
        let wrong = bench.start(uid::LOCKING_SP, uid::ADMIN1, b"wrong");
        assert_eq!(wrong, Err(MethodStatus::SP_BUSY));
    }
    bench.end(open);
    bench.admin1();
}

#[test]
fn read_only_sessions_share_an_sp() {
    // Certification test ETC-22: one more than min(MaxSessions, MaxReadSessions) is too many.
    let mut bench = Bench::active();
    let read = start_session(uid::LOCKING_SP, false, None);
    let first = bench.start_with(&read).unwrap();
    assert_eq!(
        status(&mut bench, &plain(uid::LOCKING_SP)),
        MethodStatus::SP_BUSY
    );
    let second = bench.start_with(&read).unwrap();
    assert_ne!(first, second);
    let full = MethodStatus::NO_SESSIONS_AVAILABLE;
    assert_eq!(status(&mut bench, &read), full);
    assert_eq!(status(&mut bench, &plain(uid::ADMIN_SP)), full);
    bench.end(first);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SUCCESS
    );
}

#[test]
fn read_only_sessions_change_nothing() {
    // Reference 3.3, 5.13.
    let mut bench = Bench::active();
    bench.enable_user(1);
    let admin1 = start_session(uid::LOCKING_SP, false, Some((uid::ADMIN1, OWNER)));
    let session = bench.start_with(&admin1).unwrap();
    let range = uid::locking_range(sedkit::spec::RangeNumber(1));
    let refused = MethodStatus::NOT_AUTHORIZED;
    assert_eq!(bench.set(session, range, &[(7, true.into())]), refused);
    for (object, method) in [
        (uid::THIS_SP, method::REVERT_SP),
        (
            uid::k_aes_256(sedkit::spec::RangeNumber(1)),
            method::GEN_KEY,
        ),
    ] {
        assert_eq!(
            bench.status(session, &MethodCall::new(object, method)),
            refused
        );
    }
    // Reading and authenticating work.
    assert_eq!(bench.number(session, range, 7), 0);
    assert_eq!(bench.authenticate(session, uid::USER1, USER), Ok(true));
    assert!(bench.is_open(session));
}

#[test]
fn a_drive_may_have_no_read_only_sessions() {
    let mut bench = Bench::with(|options| options.profile.sessions.max_read_sessions = 0);
    let read = start_session(uid::ADMIN_SP, false, None);
    assert_eq!(status(&mut bench, &read), REFUSED);
}

#[test]
fn one_session_at_a_time_is_what_client_drives_have() {
    // Reference 8.1 number 5.
    let mut bench = Bench::with(|options| options.profile.sessions.max_sessions = 1);
    bench.activate();
    let open = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SP_BUSY
    );
    let full = MethodStatus::NO_SESSIONS_AVAILABLE;
    assert_eq!(status(&mut bench, &plain(uid::LOCKING_SP)), full);
    bench.end(open);
}

#[test]
fn session_numbers_are_echoed_and_not_reused_soon() {
    // Certification test SPF-07; reference 2.1.
    let mut bench = Bench::new();
    let mut seen = Vec::new();
    for hsn in [1_u64, 0x69, 0xffff_ffff] {
        let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
            .argument(hsn)
            .argument(uid::ADMIN_SP)
            .argument(true);
        let session = bench.start_with(&call).unwrap();
        assert_eq!(u64::from(session.hsn.0), hsn);
        assert!(session.tsn.0 >= 0x1000 && !seen.contains(&session.tsn));
        seen.push(session.tsn);
        bench.end(session);
    }
}

#[test]
fn an_idle_session_ends_after_its_timeout() {
    // [Core] 3.3.7.1.6; reference 3.6: the timer starts anew with each packet.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    for _ in 0..5 {
        bench.wait(29_999);
        assert!(bench.is_open(session));
    }
    bench.wait(30_000);
    assert!(!bench.is_open(session));
    bench.start_anybody(uid::ADMIN_SP);
}

#[test]
fn a_session_that_nobody_ended_frees_its_sp_in_time() {
    let mut bench = Bench::new();
    bench.start_anybody(uid::ADMIN_SP);
    bench.wait(29_000);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SP_BUSY
    );
    bench.wait(1000);
    assert_eq!(
        status(&mut bench, &plain(uid::ADMIN_SP)),
        MethodStatus::SUCCESS
    );
}

#[test]
fn the_host_may_choose_the_timeout() {
    // Reference 3.3: not below MinSessionTimeout, not above MaxSessionTimeout.
    let mut bench = Bench::new();
    let with = |timeout: u64| plain(uid::ADMIN_SP).optional(5, timeout);
    for refused in [0, 1, 999] {
        assert_eq!(status(&mut bench, &with(refused)), REFUSED, "{refused}");
    }
    let session = bench.start_with(&with(1000)).unwrap();
    bench.wait(999);
    assert!(bench.is_open(session));
    bench.wait(1000);
    assert!(!bench.is_open(session));

    let mut bench = Bench::with(|options| options.profile.sessions.max_timeout = Some(60_000));
    assert_eq!(status(&mut bench, &with(60_001)), REFUSED);
    assert_eq!(status(&mut bench, &with(60_000)), MethodStatus::SUCCESS);
}

#[test]
fn many_drives_do_not_take_a_timeout() {
    // Reference 8.2.
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.session_timeout_parameter = false;
    });
    let call = plain(uid::ADMIN_SP).optional(5, 60_000_u64);
    assert_eq!(status(&mut bench, &call), REFUSED);
}

#[test]
fn no_timeout_means_for_ever() {
    // Reference 3.6: a drive whose DefSessionTimeout is 0.
    let mut bench = Bench::with(|options| {
        options.session_timeout = Some(std::time::Duration::ZERO);
    });
    let session = bench.start_anybody(uid::ADMIN_SP);
    bench.wait(u64::from(u32::MAX));
    assert!(bench.is_open(session));
}

#[test]
fn anybody_takes_one_of_the_authentications() {
    // Reference 5.1 number 4, 5.5.4.
    let mut bench = Bench::with(|options| options.profile.sessions.max_authentications = 3);
    bench.activate();
    for user in 1..=3 {
        bench.enable_user(user);
    }
    let session = bench.admin1();
    assert_eq!(bench.authenticate(session, uid::user(1), USER), Ok(true));
    assert_eq!(bench.authenticate(session, uid::user(2), USER), Ok(false));
    // Those who are in already need no place.
    assert_eq!(bench.authenticate(session, uid::user(1), USER), Ok(true));
    assert_eq!(bench.authenticate(session, uid::ANYBODY, b""), Ok(true));
    assert_eq!(
        bench.call(session, &random(1)).map(|results| results.len()),
        Ok(1)
    );
    assert_eq!(session.hsn.0, HSN);
}

#[test]
fn without_room_for_an_authority_its_pin_is_not_looked_at() {
    // [Core] 5.2.2.4.2 (MaxAuthentications); reference 5.5.4, 5.5.5: no attempt was made, so none
    // is counted, and none is forgiven.
    let mut bench = Bench::with(|options| options.profile.sessions.max_authentications = 2);
    bench.activate();
    bench.enable_user(1);
    let tries = |bench: &mut Bench, session| {
        bench.number(session, uid::c_pin(uid::USER1), column::c_pin::TRIES)
    };
    assert!(bench.start(uid::LOCKING_SP, uid::USER1, b"wrong").is_err());
    let session = bench.admin1();
    for pin in [b"wrong", USER] {
        assert_eq!(bench.authenticate(session, uid::USER1, pin), Ok(false));
        assert_eq!(tries(&mut bench, session), 1);
    }
    // Whether there is such an authority does not depend on the room.
    assert_eq!(bench.authenticate(session, uid::USERS, b""), Err(REFUSED));
}

#[test]
fn a_clock_that_goes_back_ends_sessions() {
    // Reference 3.6: how long a session was idle cannot be told any more, and it must not stay
    // open for longer than its timeout.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    bench.drive().set_clock(|| 10);
    assert!(!bench.is_open(session));
    bench.start_anybody(uid::ADMIN_SP);
}

#[test]
fn a_session_that_timed_out_is_not_shown_as_open() {
    // Reference 3.6. No command has come since, so nothing has ended it yet.
    let mut bench = Bench::new();
    bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(bench.drive().info().open_sessions, 1);
    bench.wait(30_000);
    assert_eq!(bench.drive().info().open_sessions, 0);
}

#[test]
fn calls_of_one_packet_are_answered_together_or_not_carried_out() {
    // [Core] 3.3.7.1.5, 5.2.2.4.1 (MaxMethods): whoever opens a session learns its number.
    let mut bench = Bench::with(|options| options.profile.communication.max_methods = 100);
    let control = crate::support::Session {
        tsn: sedkit::spec::Tsn::SESSION_MANAGER,
        hsn: sedkit::spec::Hsn::SESSION_MANAGER,
    };
    let properties = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).encode();
    let start = plain(uid::ADMIN_SP).encode();
    let no_method = MethodCall::new(uid::SESSION_MANAGER, method::GET).encode();
    let no_number = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION).encode();
    let one = bench.tokens(control, &properties).unwrap();
    let two = bench.tokens(control, &[&properties[..], &properties].concat());
    assert_eq!(two, Some([&one[..], &one].concat()));
    for broken in [no_method, no_number] {
        let calls = [&start[..], &broken].concat();
        assert_eq!(bench.tokens(control, &calls), None);
        assert_eq!(bench.drive().info().open_sessions, 0);
    }
    // What the host could not receive is not carried out.
    let many = [properties.repeat(20), start.to_vec()].concat();
    let answer = bench.tokens(control, &many).unwrap();
    assert!(answer.len() >= one.len() && answer.len() <= 1992);
    assert_eq!(bench.drive().info().open_sessions, 0);
}
