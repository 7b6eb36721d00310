//! Security protocols, ComIDs, transfer lengths and the synchronous protocol.

use sedkit::spec::{ComId, MethodStatus, method, uid};
use sedkit::transport::InterfaceStatus;
use sedkit::vdrive::profile::{AtaSecurityState, InactiveComId, MinTransfer};
use sedkit::wire::{ComPacket, MethodCall};

use crate::support::{BUFFER, Bench, HSN, MSID, Session, get, random, start_session};

const REFUSED: InterfaceStatus = InterfaceStatus::InvalidParameter;
const COM_ID: u16 = 0x1000;

/// A ComPacket header with these fields and no Packet.
fn header(com_id: u16, extension: u16, outstanding: u32, min_transfer: u32) -> Vec<u8> {
    ComPacket {
        extension,
        outstanding_data: outstanding,
        min_transfer,
        ..ComPacket::empty(ComId(com_id))
    }
    .encode()
    .to_vec()
}

fn nothing() -> Vec<u8> {
    header(COM_ID, 0, 0, 0)
}

fn properties(bench: &Bench) -> Vec<u8> {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES);
    control_frame(bench, &call)
}

fn control_frame(bench: &Bench, call: &MethodCall) -> Vec<u8> {
    use sedkit::spec::{Hsn, Tsn};
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    ComPacket::with_tokens(bench.com_id(), tsn, hsn, &call.encode())
        .encode()
        .to_vec()
}

fn frame(bench: &Bench, session: Session, call: &MethodCall) -> Vec<u8> {
    ComPacket::with_tokens(bench.com_id(), session.tsn, session.hsn, &call.encode())
        .encode()
        .to_vec()
}

/// IF-RECV of protocol EFh, page 0, by the layout of [SAT]: length 0Eh, the state in byte 9.
fn ata_security(bench: &mut Bench) -> Result<u8, InterfaceStatus> {
    let bytes = bench.recv(0xef, 0x0000, 512)?;
    assert_eq!((bytes.len(), bytes[1]), (16, 0x0e));
    Ok(bytes[9])
}

#[test]
fn protocols_beside_tcg_are_listed_in_order_and_ata_security_is_told() {
    // [SPC] 7.7.1, [SAT]; reference 1.5.
    for (state, flags) in [
        (AtaSecurityState::Enabled, 0x03),
        (AtaSecurityState::Locked, 0x07),
        (AtaSecurityState::Frozen, 0x09),
    ] {
        let mut bench = Bench::with(|options| {
            options.profile.neighbours.ata_security = state;
            options.profile.neighbours.ieee_1667 = true;
        });
        let list = bench.recv(0x00, 0x0000, 512).unwrap();
        assert_eq!(list[6..], [0, 5, 0x00, 0x01, 0x02, 0xee, 0xef]);
        assert_eq!(ata_security(&mut bench), Ok(flags));
        assert_eq!(bench.recv(0xef, 0x0001, 512), Err(REFUSED));
        assert_eq!(bench.recv(0xee, 0x0000, 512), Err(REFUSED));
    }
    assert_eq!(ata_security(&mut Bench::new()), Err(REFUSED));
}

#[test]
fn an_ata_password_keeps_the_locking_sp_inactive() {
    // Reference 5.4.1: Activate fails while a user password is set, and an active Locking SP has
    // no ATA Security beside it.
    let with = |state| Bench::with(|options| options.profile.neighbours.ata_security = state);
    let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
    for (state, status) in [
        (AtaSecurityState::Enabled, MethodStatus::FAIL),
        (AtaSecurityState::Locked, MethodStatus::FAIL),
        (AtaSecurityState::Frozen, MethodStatus::SUCCESS),
    ] {
        let mut bench = with(state);
        let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
        assert_eq!(bench.status(session, &activate), status, "{state:?}");
    }
    let mut bench = with(AtaSecurityState::Frozen);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    assert_eq!(bench.status(session, &activate), MethodStatus::SUCCESS);
    assert_eq!(ata_security(&mut bench), Err(REFUSED));
}

#[test]
fn protocol_00h_lists_protocols_and_has_no_certificate() {
    // [SPC] 7.7.1; reference 1.5.
    let mut bench = Bench::new();
    let list = bench.recv(0x00, 0x0000, 512).unwrap();
    assert_eq!(list, [0, 0, 0, 0, 0, 0, 0, 3, 0x00, 0x01, 0x02]);
    assert_eq!(bench.recv(0x00, 0x0001, 512).unwrap(), [0; 4]);
    assert_eq!(bench.recv(0x00, 0x0002, 512), Err(REFUSED));
    assert_eq!(bench.recv(0x00, 0x0000, 8).unwrap().len(), 8);
    assert_eq!(bench.send(0x00, 0x0000, &[0; 512]), Err(REFUSED));
}

#[test]
fn other_protocols_are_refused() {
    // Reference 1.9: Invalid Security Protocol ID.
    let mut bench = Bench::new();
    for protocol in [0x03, 0x06, 0xea, 0xee, 0xef, 0xff] {
        assert_eq!(bench.send(protocol, COM_ID, &[0; 512]), Err(REFUSED));
        assert_eq!(bench.recv(protocol, COM_ID, 512), Err(REFUSED));
    }
}

#[test]
fn level_0_discovery_is_there_at_any_time() {
    // Reference 1.6, 3.9: cut to the length that is asked for; IF-SEND is swallowed.
    let mut bench = Bench::new();
    let whole = bench.level0();
    assert_eq!(bench.recv(0x01, 0x0001, 100).unwrap(), whole[..100]);
    assert!(bench.recv(0x01, 0x0001, 0).unwrap().is_empty());
    assert_eq!(bench.send(0x01, 0x0001, &[0xff; 512]), Ok(()));
    // Not even a response that waits is in the way.
    bench.send_frame(&properties(&bench));
    assert_eq!(bench.level0(), whole);
    assert_ne!(bench.fetch(), nothing());
}

#[test]
fn an_if_recv_without_a_response_gets_an_empty_compacket() {
    // [Core] 3.3.10.2: Awaiting IF-SEND answers 0 / 0 / 0.
    let mut bench = Bench::new();
    assert_eq!(bench.fetch(), nothing());
    bench.frame(&properties(&bench));
    assert_eq!(bench.fetch(), nothing());
}

#[test]
fn a_second_if_send_violates_the_synchronous_protocol() {
    // [Core] 3.3.10.1.3; certification test ETC-02: the response survives.
    let mut bench = Bench::new();
    let first = bench.frame(&properties(&bench));
    bench.send_frame(&properties(&bench));
    let start = control_frame(&bench, &start_session(uid::ADMIN_SP, true, None));
    let refused = bench.send(0x01, COM_ID, &start);
    assert_eq!(refused, Err(InterfaceStatus::SequenceError));
    assert_eq!(bench.fetch(), first);
    assert_eq!(bench.frame(&properties(&bench)), first);
}

#[test]
fn too_small_a_buffer_learns_how_much_waits() {
    // [Core] 3.3.10.2; certification test SPF-02; reference 1.10 and 8.1 number 1.
    let mut bench = Bench::new();
    let whole = bench.frame(&properties(&bench));
    let length = u32::try_from(whole.len()).unwrap();
    bench.send_frame(&properties(&bench));
    for room in [20, 60, whole.len() - 1] {
        let told = header(COM_ID, 0, length, length);
        assert_eq!(bench.recv(0x01, COM_ID, room).unwrap(), told, "{room}");
    }
    assert_eq!(bench.recv(0x01, COM_ID, whole.len()).unwrap(), whole);
    assert_eq!(bench.fetch(), nothing());
}

#[test]
fn min_transfer_may_be_zero() {
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.min_transfer = MinTransfer::Zero;
    });
    let whole = bench.frame(&properties(&bench));
    bench.send_frame(&properties(&bench));
    let told = header(COM_ID, 0, u32::try_from(whole.len()).unwrap(), 0);
    assert_eq!(bench.recv(0x01, COM_ID, 64).unwrap(), told);
}

#[test]
fn a_busy_tper_says_that_the_response_is_to_come() {
    // [Core] 3.3.10.2: Processing answers 0 / 1 / 0, and refuses an IF-SEND.
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.polls_before_response = 2;
    });
    bench.send_frame(&properties(&bench));
    assert_eq!(bench.fetch(), header(COM_ID, 0, 1, 0));
    let again = bench.send(0x01, COM_ID, &properties(&bench));
    assert_eq!(again, Err(InterfaceStatus::SequenceError));
    assert_eq!(bench.fetch(), header(COM_ID, 0, 1, 0));
    assert!(bench.fetch().len() > 20);
}

#[test]
fn an_if_send_above_the_limit_is_refused() {
    // [Opal] 3.2.1; certification test ETC-03.
    let mut bench = Bench::new();
    let mut frame = properties(&bench);
    frame.resize(65_536, 0);
    assert_eq!(bench.send(0x01, COM_ID, &frame), Ok(()));
    assert!(bench.fetch().len() > 20);
    frame.resize(65_537, 0);
    assert_eq!(bench.send(0x01, COM_ID, &frame), Err(REFUSED));
    assert_eq!(bench.fetch(), nothing());
}

#[test]
fn padding_behind_the_compacket_is_ignored() {
    // Reference 1.10 and 8.3: hosts pad to 512 bytes and more.
    let mut bench = Bench::new();
    let whole = bench.frame(&properties(&bench));
    for padding in [1, 3, 428, 1500] {
        let mut frame = properties(&bench);
        frame.resize(frame.len() + padding, 0x5a);
        assert_eq!(bench.frame(&frame), whole, "{padding}");
    }
}

#[test]
fn a_broken_envelope_is_dropped() {
    // [Core] 3.2.2.4.2, 3.3.10.1.3; certification test ETC-13. The session is untouched.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let good = frame(&bench, session, &random(8));
    let with = |index: usize, byte: u8| {
        let mut frame = good.clone();
        frame[index] = byte;
        frame
    };
    let broken = [
        good[..good.len() - 1].to_vec(), // shorter than it says
        good[..19].to_vec(),             // no header
        Vec::new(),
        with(5, 0x07),  // another ComID in the header
        with(7, 0x01),  // an extension
        with(17, 0xff), // ComPacket longer than MaxComPacketSize
        with(42, 0xff), // Packet longer than its ComPacket
        with(54, 0xff), // Subpacket longer than its Packet
        with(22, 0x77), // no such TSN
        with(27, 0x6a), // no such HSN
    ];
    for frame in broken {
        assert_eq!(bench.frame(&frame), nothing(), "{frame:02x?}");
    }
    assert!(bench.is_open(session));
}

#[test]
fn an_inactive_com_id_swallows_and_says_so() {
    // [Opal] 3.2.1; reference 1.6, 7.47.
    let mut bench = Bench::new();
    for com_id in [
        0x0000, 0x0002, 0x0004, 0x07fe, 0x0fff, 0x1001, 0x2000, 0xffff,
    ] {
        assert_eq!(bench.send(0x01, com_id, &[0; 512]), Ok(()));
        assert_eq!(
            bench.recv(0x01, com_id, BUFFER).unwrap(),
            header(com_id, 0xffff, 0, 0)
        );
    }
}

#[test]
fn an_inactive_com_id_may_abort() {
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.inactive_com_id = InactiveComId::Abort;
    });
    assert_eq!(bench.send(0x01, 0x2000, &[0; 512]), Err(REFUSED));
    assert_eq!(bench.recv(0x01, 0x2000, BUFFER), Err(REFUSED));
    assert_eq!(bench.fetch(), nothing());
}

#[test]
fn com_ids_have_stacks_of_their_own() {
    // [Core] 3.3.10: the synchronous protocol runs on each ComID; a session belongs to one.
    let mut bench = Bench::with(|options| options.profile.communication.com_ids = 2);
    let session = bench.start_anybody(uid::ADMIN_SP);
    let start = start_session(uid::ADMIN_SP, true, None);
    let mut other = control_frame(&bench, &start);
    other[5] = 0x01;
    bench.send_frame(&properties(&bench));
    bench.send(0x01, 0x1001, &other).unwrap();
    // The SP is busy, on whatever ComID the session was opened.
    let answer = ComPacket::decode(&bench.recv(0x01, 0x1001, BUFFER).unwrap()).unwrap();
    assert!(
        answer.packets[0]
            .tokens()
            .ends_with(&[0xf9, 0xf0, 0x03, 0, 0, 0xf1])
    );
    bench.fetch();
    let mut astray = frame(&bench, session, &random(8));
    astray[5] = 0x01;
    bench.send(0x01, 0x1001, &astray).unwrap();
    assert_eq!(
        bench.recv(0x01, 0x1001, BUFFER).unwrap(),
        header(0x1001, 0, 0, 0)
    );
    assert!(bench.is_open(session));
}

#[test]
fn get_com_id_has_none_to_give() {
    // [Core] 3.3.4.3; reference 1.7.1: only where ComID management is supported.
    let mut bench = Bench::new();
    assert_eq!(bench.recv(0x02, 0x0000, 512), Err(REFUSED));
    let mut bench = Bench::with(|options| {
        options.profile.communication.com_id_management = true;
    });
    assert_eq!(bench.recv(0x02, 0x0000, 512).unwrap(), [0; 4]);
    assert_eq!(bench.feature(0x0001)[4], 0x51);
}

#[test]
fn protocol_02h_refuses_what_is_reserved() {
    // Reference 1.6, 1.9: what is no ComID and names no function is an invalid parameter, in both
    // directions.
    let mut bench = Bench::new();
    for reserved in [0x0000, 0x0001, 0x0002, 0x0003, 0x0006, 0x000f] {
        assert_eq!(bench.send(0x02, reserved, &[0; 512]), Err(REFUSED));
        assert_eq!(bench.recv(0x02, reserved, 512), Err(REFUSED));
    }
}

#[test]
fn protocol_02h_answers_for_an_inactive_com_id_in_its_own_form() {
    // Reference 1.6, 1.7.2: "No Response Available" for the ComID with extension FFFFh.
    let mut bench = Bench::new();
    assert_eq!(bench.send(0x02, 0x2000, &com_id_request(0x2000, 2)), Ok(()));
    let answer = bench.recv(0x02, 0x2000, 512).unwrap();
    assert_eq!(answer, [0x20, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.inactive_com_id = InactiveComId::Abort;
    });
    assert_eq!(bench.send(0x02, 0x2000, &[0; 512]), Err(REFUSED));
    assert_eq!(bench.recv(0x02, 0x2000, 512), Err(REFUSED));
}

fn com_id_request(com_id: u16, code: u32) -> Vec<u8> {
    let mut payload = vec![0; 512];
    payload[..2].copy_from_slice(&com_id.to_be_bytes());
    payload[4..8].copy_from_slice(&code.to_be_bytes());
    payload
}

#[test]
fn verify_com_id_valid_tells_the_state() {
    // [Core] 3.3.4.7.4; reference 1.7.2.
    let mut bench = Bench::new();
    let verify = |bench: &mut Bench, com_id| {
        bench
            .send(0x02, COM_ID, &com_id_request(com_id, 1))
            .unwrap();
        bench.recv(0x02, COM_ID, 512).unwrap()
    };
    let issued = verify(&mut bench, COM_ID);
    assert_eq!(
        issued[..16],
        [0x10, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0x22, 0, 0, 0, 2]
    );
    assert_eq!(issued.len(), 12 + 0x22);
    let session = bench.start_anybody(uid::ADMIN_SP);
    assert_eq!(verify(&mut bench, COM_ID)[12..16], [0, 0, 0, 3]);
    bench.end(session);
    assert_eq!(verify(&mut bench, COM_ID)[12..16], [0, 0, 0, 2]);
    assert_eq!(verify(&mut bench, 0x2000)[12..16], [0, 0, 0, 0]);
}

#[test]
fn a_com_id_response_is_fetched_once() {
    // [ENT] 3.3.5; reference 1.7.2.
    let mut bench = Bench::new();
    let none = [0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    assert_eq!(bench.recv(0x02, COM_ID, 512).unwrap(), none);
    bench
        .send(0x02, COM_ID, &com_id_request(COM_ID, 2))
        .unwrap();
    let done = [0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0];
    // Too short a transfer does not use it up.
    assert_eq!(bench.recv(0x02, COM_ID, 12).unwrap(), done[..12]);
    assert_eq!(bench.recv(0x02, COM_ID, 512).unwrap(), done);
    assert_eq!(bench.recv(0x02, COM_ID, 512).unwrap(), none);
    bench
        .send(0x02, COM_ID, &com_id_request(COM_ID, 9))
        .unwrap();
    assert_eq!(bench.recv(0x02, COM_ID, 512).unwrap(), none);
}

#[test]
fn a_com_id_request_has_8_to_512_bytes() {
    let mut bench = Bench::new();
    let payload = com_id_request(COM_ID, 2);
    for length in [0, 7] {
        assert_eq!(bench.send(0x02, COM_ID, &payload[..length]), Err(REFUSED));
    }
    assert_eq!(bench.send(0x02, COM_ID, &payload[..8]), Ok(()));
    assert_eq!(
        bench.send(0x02, COM_ID, &[payload, vec![0]].concat()),
        Err(REFUSED)
    );
}

#[test]
fn stack_reset_ends_sessions_and_forgets_the_host() {
    // [Core] 3.3.4.7.5; reference 1.7.2.
    let mut bench = Bench::new();
    let large = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).optional(
        0,
        vec![sedkit::wire::Value::named("MaxComPacketSize", 65_536_u64)],
    );
    bench.control(&large).unwrap();
    let session = bench.start_anybody(uid::ADMIN_SP);
    // Even with a response waiting.
    bench.send_frame(&frame(&bench, session, &random(8)));
    bench
        .send(0x02, COM_ID, &com_id_request(COM_ID, 2))
        .unwrap();
    let done = [0x10, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0];
    assert_eq!(bench.recv(0x02, COM_ID, 512).unwrap(), done);
    assert_eq!(bench.fetch(), nothing());
    assert!(!bench.is_open(session));
    bench.start_anybody(uid::ADMIN_SP);
}

#[test]
fn a_response_beyond_what_the_host_can_receive_overflows() {
    // [Core] 3.2.2.4.2, [Opal] 4.1.1.1; reference 1.11: 1982 bytes fill 2048 exactly.
    use sedkit::spec::MethodStatus;
    let mut bench = Bench::new();
    bench.activate();
    let session = bench.admin1();
    let read = |last| crate::support::get_bytes(uid::MBR, 0..=last);
    bench.send_frame(&frame(&bench, session, &read(0x7bd)));
    assert_eq!(bench.fetch().len(), 2048);
    let overflow = Err(MethodStatus::RESPONSE_OVERFLOW);
    assert_eq!(bench.call(session, &read(0x7be)), overflow);
    assert_eq!(bench.call(session, &read((128 << 20) - 1)), overflow);
    let all = MethodCall::new(uid::MBR, method::GET).argument(sedkit::wire::Value::list([]));
    assert_eq!(bench.call(session, &all), overflow);
    assert!(bench.get(session, uid::MBR_CONTROL, 0..=3).is_ok());
    let _ = get;
}

#[test]
fn a_host_that_can_receive_more_gets_more() {
    // [Core] 5.2.2.4.1: properties count for the sessions that are opened after them.
    let mut bench = Bench::active();
    let before = bench.admin1();
    let properties = [
        ("MaxComPacketSize", 65_536_u64),
        ("MaxPacketSize", 65_516),
        ("MaxIndTokenSize", 65_480),
    ];
    let list = properties.map(|(name, value)| sedkit::wire::Value::named(name, value));
    let call = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES)
        .optional(0, sedkit::wire::Value::list(list));
    bench.control(&call).unwrap();
    let read = crate::support::get_bytes(uid::MBR, 0..=59_999);
    assert!(bench.call(before, &read).is_err());
    bench.end(before);
    let session = bench.admin1();
    bench.send_frame(&frame(&bench, session, &read));
    let answer = bench.recv(0x01, COM_ID, 65_536).unwrap();
    assert!(answer.len() > 60_000);
    assert_eq!(HSN, session.hsn.0);
}
