//! Data removal mechanisms, and removal that takes time (\[Opal\] 3.1.1, 4.2.7; reference 3.9.16, 5.8).

use sedkit::spec::{DataRemovalMechanism, MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::transport::InterfaceStatus;
use sedkit::vdrive::CreateOptions;
use sedkit::vdrive::profile::{Feature, Removal};
use sedkit::wire::{ComPacket, MethodCall, MethodResponse};

use crate::support::{BUFFER, Bench, OWNER, PSID, Session, get, set};

const ACTIVE: u64 = column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM;
const OK: MethodStatus = MethodStatus::SUCCESS;
const PROCESSING: u8 = 1;
const INTERRUPTED: u8 = 2;
const POLLS: u32 = 3;

fn all(options: &mut CreateOptions) {
    let removal = |mechanism, time, in_minutes| Removal {
        mechanism,
        time,
        in_minutes,
    };
    options.profile.removals = vec![
        removal(DataRemovalMechanism::OVERWRITE, 0x0102, true),
        removal(DataRemovalMechanism::BLOCK_ERASE, 30, false),
        removal(DataRemovalMechanism::VENDOR_SPECIFIC, 7, false),
    ];
}

fn slow(options: &mut CreateOptions) {
    options.profile.behaviour.removal_polls = POLLS;
}

/// Byte 5 of the Supported Data Removal Mechanism feature.
fn state(bench: &mut Bench) -> u8 {
    bench.feature(0x0404)[5]
}

fn call(object: Uid, method: Uid) -> MethodCall {
    MethodCall::new(object, method)
}

/// Every removal, by who does it.
fn removals() -> [(Uid, Uid, &'static [u8], MethodCall); 5] {
    let key = uid::k_aes_256(RangeNumber::GLOBAL);
    [
        (
            uid::LOCKING_SP,
            uid::ADMIN1,
            OWNER,
            call(key, method::GEN_KEY),
        ),
        (
            uid::LOCKING_SP,
            uid::ADMIN1,
            OWNER,
            call(uid::THIS_SP, method::REVERT_SP),
        ),
        (
            uid::ADMIN_SP,
            uid::SID,
            OWNER,
            call(uid::LOCKING_SP, method::REVERT),
        ),
        (
            uid::ADMIN_SP,
            uid::SID,
            OWNER,
            call(uid::ADMIN_SP, method::REVERT),
        ),
        (
            uid::ADMIN_SP,
            uid::PSID,
            PSID,
            call(uid::ADMIN_SP, method::REVERT),
        ),
    ]
}

/// Sends a method and leaves its answer alone.
fn send(bench: &mut Bench, session: Session, call: &MethodCall) -> Result<(), InterfaceStatus> {
    let com_id = bench.com_id();
    let frame = ComPacket::with_tokens(com_id, session.tsn, session.hsn, &call.encode());
    bench.send(0x01, com_id.0, &frame.encode())
}

/// `OutstandingData`, and the status of the answer if it is there.
fn poll(bench: &mut Bench) -> (u32, Option<MethodStatus>) {
    let com_id = bench.com_id();
    let answer = bench.recv(0x01, com_id.0, BUFFER).unwrap();
    let answer = ComPacket::decode(&answer).unwrap();
    let status = answer
        .packets
        .first()
        .map(|packet| MethodResponse::decode(&packet.tokens()).unwrap().status);
    (answer.outstanding_data, status)
}

#[test]
fn a_drive_reports_and_takes_the_mechanisms_that_it_has() {
    // 3.9.16: supported bits, time formats, times; 5.8 (certification test ETC-23).
    let mut bench = Bench::with(all);
    let feature = bench.feature(0x0404);
    assert_eq!(feature[4..8], [0, 0, 0b10_0111, 0b00_0001]);
    assert_eq!(feature[8..20], [1, 2, 0, 30, 0, 1, 0, 0, 0, 0, 0, 7]);
    bench.activate();
    let session = bench.sid();
    for (number, status) in [
        (0_u64, OK),
        (1, OK),
        (2, OK),
        (3, MethodStatus::INVALID_PARAMETER),
        (4, MethodStatus::INVALID_PARAMETER),
        (5, OK),
        (6, MethodStatus::INVALID_PARAMETER),
    ] {
        let found = bench.set(
            session,
            uid::DATA_REMOVAL_MECHANISM,
            &[(ACTIVE, number.into())],
        );
        assert_eq!(found, status, "{number}");
    }
    assert_eq!(
        bench.number(session, uid::DATA_REMOVAL_MECHANISM, ACTIVE),
        5
    );
    // 5.4.2: Revert of the Admin SP sets the default.
    assert_eq!(
        bench.status(session, &call(uid::ADMIN_SP, method::REVERT)),
        OK
    );
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(
        bench.number(session, uid::DATA_REMOVAL_MECHANISM, ACTIVE),
        2
    );
}

#[test]
fn impossible_mechanisms_make_no_drive() {
    for number in [2, 6] {
        let mut options = crate::support::options();
        options.profile.removals = vec![Removal {
            mechanism: DataRemovalMechanism(number),
            time: 1,
            in_minutes: false,
        }];
        assert!(sedkit::vdrive::VirtualDrive::in_memory(&options).is_err());
    }
}

#[test]
fn the_active_mechanism_removes_the_data() {
    // 5.8: it selects what Revert, RevertSP and GenKey run; a new key comes in any case.
    for (mechanism, zeros) in [(0_u64, true), (1, true), (2, false)] {
        for (sp, authority, pin, removal) in removals() {
            let mut bench = Bench::with(all);
            bench.activate();
            let session = bench.sid();
            bench.must_set(
                session,
                uid::DATA_REMOVAL_MECHANISM,
                &[(ACTIVE, mechanism.into())],
            );
            bench.end(session);
            bench.drive().write(0, &[7; 512]).unwrap();
            let session = bench.start(sp, authority, pin).unwrap();
            assert_eq!(bench.status(session, &removal), OK);
            let found = bench.drive().read(0, 1).unwrap();
            assert_ne!(found, [7; 512]);
            assert_eq!(found == [0; 512], zeros, "{mechanism} {removal:?}");
        }
    }
}

#[test]
fn a_drive_that_does_not_report_it_has_no_such_table() {
    // 5.2.1: the table is there only if the feature is reported.
    let mut bench = Bench::with(|options| {
        options.profile.discovery.remove(&Feature::DataRemoval);
    });
    bench.activate();
    let session = bench.sid();
    let refused = MethodStatus::NOT_AUTHORIZED;
    let table = uid::DATA_REMOVAL_MECHANISM_TABLE.table_descriptor();
    for call in [
        get(uid::DATA_REMOVAL_MECHANISM, 0..=1),
        set(uid::DATA_REMOVAL_MECHANISM, &[(ACTIVE, 2_u64.into())]),
        get(table, 0..=1),
    ] {
        assert_eq!(bench.status(session, &call), refused);
    }
    bench.drive().write(0, &[7; 512]).unwrap();
    let revert = call(uid::LOCKING_SP, method::REVERT);
    assert_eq!(bench.status(session, &revert), OK);
    // A cryptographic erase, as ever.
    let found = bench.drive().read(0, 1).unwrap();
    assert!(found != [7; 512] && found != [0; 512]);
}

#[test]
fn a_removal_is_seen_while_it_goes_on() {
    // 3.9.16: Processing = 1 while Revert, RevertSP and GenKey erase; 3.7: 0 / 1 / 0 meanwhile.
    for (sp, authority, pin, removal) in removals() {
        let mut bench = Bench::reopening(slow);
        bench.activate();
        bench.drive().write(0, &[7; 512]).unwrap();
        let session = bench.start(sp, authority, pin).unwrap();
        send(&mut bench, session, &removal).unwrap();
        for _ in 0..POLLS {
            assert_eq!(state(&mut bench), PROCESSING);
            // The session is not idle, however long it takes.
            bench.wait(60_000);
            let again = send(&mut bench, session, &removal);
            assert_eq!(again, Err(InterfaceStatus::SequenceError));
            assert_eq!(poll(&mut bench), (1, None), "{removal:?}");
        }
        assert_eq!(poll(&mut bench), (0, Some(OK)));
        assert_eq!(state(&mut bench), 0);
        assert_ne!(bench.drive().read(0, 1).unwrap(), [7; 512]);
    }
}

#[test]
fn a_reset_breaks_a_removal_off() {
    // 5.4.2: the SP does not revert, personalization is untouched, Interrupted = 1, until the next
    // one succeeds.
    type Reset = fn(&mut Bench);
    let resets: [Reset; 3] = [
        |bench| bench.drive().power_cycle().unwrap(),
        |bench| bench.drive().hardware_reset().unwrap(),
        |bench| bench.send(0x02, 0x0004, &[0; 512]).unwrap(),
    ];
    for reset in resets {
        for (sp, authority, pin, removal) in removals() {
            let mut bench = Bench::reopening(slow);
            bench.activate();
            bench.enable_user(1);
            let session = bench.sid();
            bench.must_set(session, uid::TPER_INFO, &[(8, true.into())]);
            bench.end(session);
            let session = bench.start(sp, authority, pin).unwrap();
            send(&mut bench, session, &removal).unwrap();
            assert_eq!(poll(&mut bench), (1, None));
            reset(&mut bench);
            bench.reopen();
            assert_eq!(state(&mut bench), INTERRUPTED, "{removal:?}");
            assert_eq!(poll(&mut bench), (0, None));
            assert!(!bench.is_open(session));
            check_untouched(&mut bench);
            complete(&mut bench);
        }
    }
}

fn check_untouched(bench: &mut Bench) {
    let session = bench.admin1();
    assert_eq!(bench.number(session, uid::USER1, 5), 1);
    bench.end(session);
    let session = bench.sid();
    bench.end(session);
}

/// The next removal, which succeeds.
fn complete(bench: &mut Bench) {
    let session = bench.admin1();
    let key = uid::k_aes_256(RangeNumber(1));
    send(bench, session, &call(key, method::GEN_KEY)).unwrap();
    assert_eq!(state(bench), PROCESSING | INTERRUPTED);
    while poll(bench).0 == 1 {}
    assert_eq!(state(bench), 0);
}

#[test]
fn what_is_no_tcg_reset_lets_a_removal_go_on() {
    // 5.6.3: resets that are not mapped to a TCG reset type have none of their effects.
    for stack_reset in [false, true] {
        let mut bench = Bench::with(slow);
        bench.activate();
        bench.drive().write(0, &[7; 512]).unwrap();
        let session = bench.admin1();
        let key = uid::k_aes_256(RangeNumber::GLOBAL);
        send(&mut bench, session, &call(key, method::GEN_KEY)).unwrap();
        if stack_reset {
            let com_id = bench.com_id().0;
            bench
                .send(0x02, com_id, &[0x10, 0, 0, 0, 0, 0, 0, 2])
                .unwrap();
        } else {
            bench.drive().lose_responses().unwrap();
        }
        assert_eq!(state(&mut bench), 0);
        assert_eq!(poll(&mut bench), (0, None));
        assert_ne!(bench.drive().read(0, 1).unwrap(), [7; 512]);
    }
}

#[test]
fn what_is_refused_is_refused_at_once() {
    let mut bench = Bench::with(slow);
    bench.activate();
    let session = bench.start_anybody(uid::LOCKING_SP);
    let revert_sp = call(uid::THIS_SP, method::REVERT_SP);
    send(&mut bench, session, &revert_sp).unwrap();
    assert_eq!(state(&mut bench), 0);
    assert_eq!(poll(&mut bench), (0, Some(MethodStatus::NOT_AUTHORIZED)));
}

#[test]
fn an_inactive_drive_reverts_without_a_removal() {
    // Certification test UCT-13: nothing is erased.
    let mut bench = Bench::with(slow);
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    send(&mut bench, session, &call(uid::ADMIN_SP, method::REVERT)).unwrap();
    assert_eq!(poll(&mut bench), (0, Some(OK)));
}
