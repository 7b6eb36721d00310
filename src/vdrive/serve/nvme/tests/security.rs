//! Security Send and Security Receive.

use super::{Bench, Queue, Reply, Sqe};
use crate::spec::{ComId, Hsn, Tsn, method, uid};
use crate::wire::packet::ComPacket;
use crate::wire::{MethodCall, Value};

/// CDW10 of Level 0 Discovery.
const LEVEL_0: u32 = 0x0100_0100;

impl Queue {
    /// Security Receive of `length` bytes.
    pub(super) fn receive(&mut self, cdw10: u32, length: u32) -> Reply {
        let sqe = Sqe::new(0x82).cdw(10, cdw10).cdw(11, length);
        self.get(sqe.sgl(length))
    }

    /// Security Send of data, in the capsule if they fit, as Linux has it.
    pub(super) fn security_send(&mut self, cdw10: u32, data: &[u8]) -> Reply {
        let length = u32::try_from(data.len()).unwrap();
        let sqe = Sqe::new(0x81).cdw(10, cdw10).cdw(11, length);
        let sqe = match data.len() {
            ..=8192 => sqe.capsule(length),
            _ => sqe.sgl(length),
        };
        self.send(sqe, data)
    }
}

pub(super) fn base_com_id(bench: &Bench) -> ComId {
    ComId(bench.drives[0].lock().profile().communication.base_com_id)
}

/// CDW10 of TCG commands for a ComID.
pub(super) fn tcg(com_id: ComId) -> u32 {
    0x0100_0000 | u32::from(com_id.0) << 8
}

/// StartSession of the Admin SP by nobody, in 2048 bytes.
fn start_session(com_id: ComId) -> Vec<u8> {
    let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
        .argument(0x41_u64)
        .argument(uid::ADMIN_SP)
        .argument(true);
    padded(com_id, Tsn(0), Hsn(0), &call.encode())
}

/// A ComPacket in 2048 bytes, as Linux sends it.
pub(super) fn padded(com_id: ComId, tsn: Tsn, hsn: Hsn, tokens: &[u8]) -> Vec<u8> {
    let mut bytes = ComPacket::with_tokens(com_id, tsn, hsn, tokens)
        .encode()
        .to_vec();
    bytes.resize(2048, 0);
    bytes
}

/// TSN of the session that SyncSession answers.
pub(super) fn synchronised(data: &[u8]) -> Tsn {
    let com_packet = ComPacket::decode(data).unwrap();
    let answer = MethodCall::decode(&com_packet.packets[0].tokens()).unwrap();
    assert_eq!(answer.method_id, method::SYNC_SESSION);
    assert_eq!(answer.status.0, 0);
    let tsn = answer.arguments.get(1).and_then(Value::as_uint);
    Tsn(u32::try_from(tsn.unwrap()).unwrap())
}

#[test]
fn discovery_is_padded_to_the_allocation_length() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let data = queue.receive(LEVEL_0, 2048).success().data;
    assert_eq!(data.len(), 2048);
    // The length in the header does not count itself.
    let length = usize::try_from(u32::from_be_bytes(data[..4].try_into().unwrap())).unwrap() + 4;
    assert!((48..2048).contains(&length));
    assert_eq!(data[length..], vec![0; 2048 - length]);
    // Smaller than the answer, and larger than anything.
    assert_eq!(queue.receive(LEVEL_0, 48).success().data, data[..48]);
    assert!(queue.receive(LEVEL_0, 0).success().data.is_empty());
    let most = queue.receive(LEVEL_0, 0x2_0000).success().data;
    assert_eq!(most[..2048], data);
    queue.receive(LEVEL_0, 0x2_0004).refused(0x4002);
    queue.receive(LEVEL_0, u32::MAX).refused(0x4002);
}

#[test]
fn the_protocols_are_listed() {
    let bench = Bench::new();
    let data = bench.admin().receive(0, 512).success().data;
    assert_eq!(data[..11], [0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2]);
    assert_eq!(data[11..], [0; 501]);
}

#[test]
fn other_protocols_are_invalid_fields() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    for protocol in [0x03, 0xea, 0xee, 0xef, 0xff] {
        queue.receive(protocol << 24, 512).refused(0x4002);
        queue
            .security_send(protocol << 24, &[0; 512])
            .refused(0x4002);
    }
    // The information protocol only tells.
    queue.security_send(0, &[0; 512]).refused(0x4002);
}

#[test]
fn the_host_may_have_more_room_than_it_asks_for() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let receive = Sqe::new(0x82).cdw(10, LEVEL_0).cdw(11, 48);
    let data = queue.get(receive.sgl(512)).success().data;
    assert_eq!(data.len(), 512);
    assert_ne!(data[..48], [0; 48]);
    assert_eq!(data[48..], [0; 464], "no more than Allocation Length");
    queue.get(receive.sgl(44)).refused(0x400f);
}

#[test]
fn the_host_may_have_more_data_than_it_sends() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let send = Sqe::new(0x81).cdw(10, LEVEL_0).cdw(11, 512);
    queue.send(send.capsule(1024), &[0; 1024]).success();
    queue.get(send.capsule(256)).refused(0x400f);
    queue.get(send.capsule(8196)).refused(0x400f);
    queue
        .get(send.cdw(11, 0x2_0004).sgl(0x2_0004))
        .refused(0x4002);
}

#[test]
fn sends_of_all_lengths_are_taken() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let cdw10 = tcg(base_com_id(&bench));
    let limit = bench.drives[0]
        .lock()
        .profile()
        .communication
        .max_com_packet;
    for length in [0, 512, 8192, 12288] {
        let status = queue.security_send(LEVEL_0, &vec![0; length]).status;
        assert_eq!(status, 0, "{length} bytes for Level 0 are dropped");
        let status = queue.security_send(cdw10, &vec![0; length]).status;
        let is_too_long = u64::try_from(length).unwrap() > limit;
        assert_eq!(status, if is_too_long { 0x4002 } else { 0 }, "{length}");
    }
    // TPER_RESET, which must have data, and is not enabled.
    queue.security_send(0x0200_0400, &[]).refused(0x4002);
    queue.security_send(0x0200_0400, &[0; 512]).refused(0x4002);
}

#[test]
fn a_command_out_of_turn_is_a_sequence_error() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let com_id = base_com_id(&bench);
    let cdw10 = tcg(com_id);
    queue.security_send(cdw10, &start_session(com_id)).success();
    queue
        .security_send(cdw10, &start_session(com_id))
        .refused(0x400c);
    let data = queue.receive(cdw10, 2048).success().data;
    assert!(synchronised(&data).0 >= 4096);
}

#[test]
fn an_answer_waits_for_enough_room() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let com_id = base_com_id(&bench);
    queue
        .security_send(tcg(com_id), &start_session(com_id))
        .success();
    let data = queue.receive(tcg(com_id), 24).success().data;
    let needed = u32::from_be_bytes(data[8..12].try_into().unwrap());
    assert!(needed > 24);
    assert_eq!(data[16..20], [0; 4], "an empty ComPacket");
    let data = queue.receive(tcg(com_id), needed).success().data;
    synchronised(&data);
}

#[test]
fn a_controller_reset_loses_the_answer_and_not_the_session() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let com_id = base_com_id(&bench);
    queue
        .security_send(tcg(com_id), &start_session(com_id))
        .success();
    let open = |bench: &Bench| bench.drives[0].lock().info().open_sessions;
    assert_eq!(open(&bench), 1);
    queue.set_cc(super::DISABLED);
    queue.set_cc(super::ENABLED);
    assert_eq!(open(&bench), 1);
    let data = queue.receive(tcg(com_id), 2048).success().data;
    assert_eq!(data[8..20], [0; 12], "nothing waits");
}

#[test]
fn another_host_does_not_lose_its_answer() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let mut other = bench.admin();
    let com_id = base_com_id(&bench);
    queue
        .security_send(tcg(com_id), &start_session(com_id))
        .success();
    other.set_cc(super::DISABLED);
    drop(other);
    let data = queue.receive(tcg(com_id), 2048).success().data;
    synchronised(&data);
}

#[test]
fn security_commands_are_no_io_commands() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    for opcode in [0x81, 0x82] {
        io.get(Sqe::new(opcode).nsid(1).cdw(10, LEVEL_0))
            .refused(0x4001);
    }
}
