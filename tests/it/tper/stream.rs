//! Malformed token streams: what is dropped, what is answered (\[Core\] 3.2.2.4.2).

use sedkit::spec::{Hsn, MethodStatus, Tsn, uid};
use sedkit::wire::packet::{Packet, Subpacket};
use sedkit::wire::{ComPacket, MethodCall};

use crate::support::{Bench, Session, random, set, start_session};

const CONTROL: Session = Session {
    tsn: Tsn::SESSION_MANAGER,
    hsn: Hsn::SESSION_MANAGER,
};

/// Set of a PIN, which must not be carried out where the stream is malformed.
fn set_pin() -> Vec<u8> {
    set(uid::C_PIN_SID, &[(3, "changed".into())])
        .encode()
        .to_vec()
}

fn insert(tokens: &[u8], index: usize, inserted: &[u8]) -> Vec<u8> {
    let mut tokens = tokens.to_vec();
    tokens.splice(index..index, inserted.iter().copied());
    tokens
}

/// What becomes of the session after tokens: the answer, and whether it is still open.
fn after(tokens: &[u8]) -> (Option<Vec<u8>>, bool) {
    let mut bench = Bench::new();
    let session = bench
        .start(uid::ADMIN_SP, uid::SID, crate::support::MSID)
        .unwrap();
    let answer = bench.tokens(session, tokens);
    let is_open = bench.is_open(session);
    if is_open {
        bench.end(session);
    }
    // Whatever happened, nothing was changed and the SP can be opened again.
    bench
        .start(uid::ADMIN_SP, uid::SID, crate::support::MSID)
        .unwrap();
    (answer, is_open)
}

fn failed(status: MethodStatus) -> Option<Vec<u8>> {
    Some(vec![0xf0, 0xf1, 0xf9, 0xf0, status.0, 0, 0, 0xf1])
}

const ABORTED: (Option<Vec<u8>>, bool) = (None, false);

#[test]
fn a_token_outside_a_method_aborts_the_session() {
    // Certification tests ETC-05, ETC-07.
    for token in [0xf0, 0xf1, 0xf2, 0xf3, 0xf9, 0x00, 0xa0] {
        assert_eq!(
            after(&insert(&set_pin(), 0, &[token])),
            ABORTED,
            "{token:02x}"
        );
    }
}

#[test]
fn a_token_in_the_header_spoils_the_method_alone() {
    // Certification test ETC-06; reference 8.1 number 29.
    for index in [1, 10] {
        let answer = after(&insert(&set_pin(), index, &[0xf1]));
        assert_eq!(
            answer,
            (failed(MethodStatus::NOT_AUTHORIZED), true),
            "{index}"
        );
    }
}

#[test]
fn a_token_among_the_parameters_spoils_the_method_alone() {
    // Certification test ETC-08.
    let refused = (failed(MethodStatus::INVALID_PARAMETER), true);
    // A second Start List, whose End List is then that of the first.
    assert_eq!(after(&insert(&set_pin(), 20, &[0xf0])), refused);
    assert_eq!(after(&insert(&set_pin(), 20, &[0xf9])), refused);
    assert_eq!(after(&insert(&set_pin(), 20, &[0xf3])), refused);
    assert_eq!(after(&insert(&set_pin(), 19, &[0x05])), refused);
}

#[test]
fn header_and_parameters_may_abort_the_session_instead() {
    let mut bench = Bench::with(|options| {
        options.profile.behaviour.header_violation_aborts = true;
        options.profile.behaviour.parameter_violation_aborts = true;
    });
    for index in [1, 20] {
        let session = bench.start_anybody(uid::ADMIN_SP);
        assert_eq!(
            bench.tokens(session, &insert(&set_pin(), index, &[0xf9])),
            None
        );
        assert!(!bench.is_open(session));
    }
}

#[test]
fn a_token_in_the_status_list_aborts_the_session() {
    // Reference 2.5.
    let tokens = set_pin();
    let status = tokens.len() - 5;
    for (index, token) in [
        (status - 1, 0xf0),
        (status, 0xf1),
        (status + 1, 0xa0),
        (status + 4, 0x00),
    ] {
        assert_eq!(after(&insert(&tokens, index, &[token])), ABORTED, "{index}");
    }
}

#[test]
fn a_truncated_method_aborts_the_session() {
    let tokens = set_pin();
    for length in 1..tokens.len() {
        assert_eq!(after(&tokens[..length]), ABORTED, "{length}");
    }
}

#[test]
fn reserved_and_unsupported_tokens_abort_the_session() {
    // [Opal] 3.3.4; reference 2.2.
    let atoms: [&[u8]; 7] = [
        &[0xe4],
        &[0xef],
        &[0xf4],
        &[0xfd],
        &[0x40],
        &[0x91, 1],
        &[0xb1, 0],
    ];
    for atom in atoms {
        for index in [0, 1, 20, 26] {
            assert_eq!(
                after(&insert(&set_pin(), index, atom)),
                ABORTED,
                "{atom:02x?} {index}"
            );
        }
    }
}

#[test]
fn empty_atoms_may_stand_anywhere() {
    // [Opal] 3.3.4; reference 2.2.
    let mut tokens = vec![0xff];
    let bytes = set_pin();
    // Between tokens: the UIDs are tokens of nine bytes.
    for range in [0..1, 1..10, 10..19] {
        tokens.extend([&bytes[range], &[0xff, 0xff]].concat());
    }
    tokens.extend([&bytes[19..22], &[0xff], &bytes[22..]].concat());
    tokens.push(0xff);
    let mut bench = Bench::new();
    let session = bench
        .start(uid::ADMIN_SP, uid::SID, crate::support::MSID)
        .unwrap();
    assert_eq!(
        bench.tokens(session, &tokens),
        failed(MethodStatus::SUCCESS)
    );
}

#[test]
fn a_second_method_is_one_too_many() {
    // MaxMethods is 1; reference 2.3.
    let twice = [set_pin(), set_pin()].concat();
    assert_eq!(after(&twice), ABORTED);
}

#[test]
fn several_methods_are_answered_in_order_where_they_are_allowed() {
    let mut bench = Bench::with(|options| options.profile.communication.max_methods = 3);
    let session = bench.start_anybody(uid::ADMIN_SP);
    let random = random(4).encode().to_vec();
    let stream = [random.clone(), set_pin(), random].concat();
    let answer = bench.tokens(session, &stream).unwrap();
    let length = 1 + 1 + 4 + 1 + 6;
    assert_eq!(answer.len(), length + 8 + length);
    assert_eq!(
        answer[length..length + 8],
        failed(MethodStatus::NOT_AUTHORIZED).unwrap()
    );
}

#[test]
fn a_status_from_the_host_stops_the_method() {
    // Reference 2.3: the code is echoed, nothing is done.
    let call = set(uid::C_PIN_SID, &[(3, "changed".into())]);
    let call = call.with_status(MethodStatus::FAIL);
    assert_eq!(after(&call.encode()), (failed(MethodStatus::FAIL), true));
}

#[test]
fn ten_thousand_lists_abort_the_session() {
    let lists = vec![0xf0; 10_000];
    assert_eq!(after(&insert(&set_pin(), 20, &lists)), ABORTED);
}

#[test]
fn the_session_manager_drops_what_is_malformed() {
    // Certification tests ETC-05 to ETC-08: the next StartSession works.
    let mut bench = Bench::new();
    let start = start_session(uid::ADMIN_SP, true, None).encode().to_vec();
    let tokens = [0, 1, 10, 20, 22, 31, 32, 33].map(|index| insert(&start, index, &[0xf0]));
    let truncated = (1..start.len()).map(|length| start[..length].to_vec());
    for tokens in tokens.into_iter().chain(truncated) {
        assert_eq!(bench.tokens(CONTROL, &tokens), None, "{tokens:02x?}");
    }
    for tokens in [&[0xfa][..], &[0xfb, 0], &[0xfc, 0], &[0xff], &[]] {
        assert_eq!(bench.tokens(CONTROL, tokens), None, "{tokens:02x?}");
    }
    let session = bench.start_anybody(uid::ADMIN_SP);
    bench.end(session);
}

#[test]
fn the_session_manager_knows_two_methods() {
    // Reference 3.4, 3.5: trusted sessions are not supported, CloseSession is the TPer's alone.
    let mut bench = Bench::new();
    for low in [0xff03, 0xff04, 0xff05, 0xff06, 0xff07, 0x01] {
        let method = sedkit::spec::Uid::from_halves(0, low);
        let call = MethodCall::new(uid::SESSION_MANAGER, method).argument(1_u64);
        assert_eq!(bench.control(&call), None, "{low:x}");
    }
    let call = MethodCall::new(uid::THIS_SP, sedkit::spec::method::PROPERTIES);
    assert_eq!(bench.control(&call), None);
}

fn packets(bench: &Bench, session: Session, subpackets: Vec<Subpacket>) -> Vec<u8> {
    let mut com_packet = ComPacket::with_tokens(bench.com_id(), session.tsn, session.hsn, &[]);
    com_packet.packets[0].subpackets = subpackets;
    com_packet.encode().to_vec()
}

fn data(bytes: &[u8]) -> Subpacket {
    Subpacket::Data(bytes.to_vec().into())
}

#[test]
fn more_subpackets_than_announced_abort_the_session() {
    // Certification tests ETC-14, ETC-15.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let tokens = random(4).encode().to_vec();
    let (a, b) = tokens.split_at(7);
    let frame = packets(&bench, session, vec![data(a), data(b)]);
    assert_eq!(bench.frame(&frame).len(), 20);
    assert!(!bench.is_open(session));
    let session = bench.start_anybody(uid::ADMIN_SP);
    // On the control session they are dropped.
    let start = start_session(uid::LOCKING_SP, true, None).encode().to_vec();
    let (a, b) = start.split_at(7);
    let frame = packets(&bench, CONTROL, vec![data(a), data(b)]);
    assert_eq!(bench.frame(&frame).len(), 20);
    assert!(bench.is_open(session));
}

#[test]
fn subpackets_of_a_packet_are_one_stream() {
    // Reference 2.1; credits are ignored.
    let mut bench = Bench::with(|options| options.profile.communication.max_subpackets = 4);
    let session = bench.start_anybody(uid::ADMIN_SP);
    let tokens = random(4).encode().to_vec();
    let (a, b) = tokens.split_at(7);
    let subpackets = vec![data(a), Subpacket::Credit(4096), data(&[]), data(b)];
    let frame = packets(&bench, session, subpackets);
    let answer = ComPacket::decode(&bench.frame(&frame)).unwrap();
    assert_eq!(answer.packets[0].tokens().len(), 13);
}

#[test]
fn more_packets_than_announced_abort_their_sessions() {
    // MaxPackets is 1.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let tokens = random(4).encode().to_vec();
    let mut com_packet = ComPacket::with_tokens(bench.com_id(), session.tsn, session.hsn, &tokens);
    let packet: Packet = com_packet.packets[0].clone();
    com_packet.packets.push(packet);
    assert_eq!(bench.frame(&com_packet.encode()).len(), 20);
    assert!(!bench.is_open(session));
}

#[test]
fn a_compacket_without_packets_is_nothing() {
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let empty = ComPacket::empty(bench.com_id()).encode().to_vec();
    assert_eq!(bench.frame(&empty), empty);
    assert!(bench.is_open(session));
}

#[test]
fn subpackets_of_every_kind_count() {
    // [Core] 5.2.2.4.1 (MaxSubpackets), 3.2.3.4: Credit Control Subpackets are Subpackets.
    let mut bench = Bench::new();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let tokens = random(4).encode().to_vec();
    let frame = packets(
        &bench,
        session,
        vec![data(&tokens), Subpacket::Credit(4096)],
    );
    assert_eq!(bench.frame(&frame).len(), 20);
    assert!(!bench.is_open(session));
}
