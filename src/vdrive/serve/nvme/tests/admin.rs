//! Admin commands but Identify and the security commands.

use super::super::{Completion, Event, Status};
use super::{Bench, HOST_ID, Queue, Sqe};

fn log(queue: &mut Queue, identifier: u32, bytes: u32) -> Vec<u8> {
    let sqe = Sqe::new(0x02).nsid(0xffff_ffff).sgl(bytes);
    let reply = queue.get(sqe.cdw(10, identifier | (bytes / 4 - 1) << 16));
    let data = reply.success().data;
    assert_eq!(data.len(), usize::try_from(bytes).unwrap());
    data
}

#[test]
fn log_pages_are_there() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    assert_eq!(log(&mut queue, 1, 64), [0; 64]);
    let health = log(&mut queue, 2, 512);
    assert_eq!(health[0], 0, "no critical warning");
    assert!(u16::from_le_bytes([health[1], health[2]]) < 0x157);
    let firmware = log(&mut queue, 3, 512);
    assert_eq!(firmware[0], 1, "AFI");
    assert_eq!(firmware[8..16], *b"1.0     ");
}

#[test]
fn other_log_pages_are_invalid() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    for identifier in [0, 4, 6, 7, 0x70, 0x80, 0xff] {
        let sqe = Sqe::new(0x02).cdw(10, identifier).sgl(4);
        queue.get(sqe).refused(0x4109);
    }
}

#[test]
fn effects_name_exactly_the_commands_that_work() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    let effects = log(&mut admin, 5, 4096);
    for (queue, table) in [(&mut admin, 0), (&mut io, 1024)] {
        for opcode in (0..0x7f_u8).chain(0x80..=0xff) {
            let is_listed = effects[table + usize::from(opcode) * 4] & 1 == 1;
            let command = Sqe::new(opcode).cid(opcode.into()).command();
            let refusal = queue.pair.transfer(&command).err();
            let is_unknown = refusal.is_some_and(|refusal| refusal.status.0 == 0x4001);
            assert_eq!(is_listed, !is_unknown, "opcode {opcode:02x} of {table}");
        }
    }
    // LBCC of Write, Write Zeroes, Dataset Management.
    for opcode in [1, 8, 9] {
        assert_eq!(effects[1024 + opcode * 4], 3);
    }
}

#[test]
fn parts_of_a_log_can_be_read() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let part = Sqe::new(0x02).cdw(10, 3 | 1 << 16).sgl(8);
    assert_eq!(queue.get(part.cdw(12, 8)).success().data, b"1.0     ");
    assert_eq!(queue.get(part.cdw(12, 512)).success().data, [0; 8]);
    for offset in [513, 514, 516] {
        queue.get(part.cdw(12, offset)).refused(0x4002);
    }
    queue.get(part.cdw(13, 1)).refused(0x4002);
    // NUMD is of 32 bits, and beyond MDTS.
    queue.get(part.cdw(11, 1).sgl(0x0002_0000)).refused(0x4002);
    queue.get(part.sgl(4)).refused(0x400f);
}

#[test]
fn queues_are_granted_in_pairs() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    for (wanted, granted) in [
        (0x0000_0000, 0x0000_0000),
        (0x0003_0001, 0x0001_0001),
        (0x00ff_00ff, 0x0007_0007),
        (0xfffe_fffe, 0x0007_0007),
    ] {
        assert_eq!(queue.set_feature(7, wanted).success().result, granted);
        assert_eq!(queue.get_feature(7).success().result, granted);
    }
    queue.set_feature(7, 0xffff_0000).refused(0x4002);
    queue.set_feature(7, 0x0000_ffff).refused(0x4002);
    let _io = bench.io_queue(&mut queue, 1);
    queue.set_feature(7, 0).refused(0x400c);
}

#[test]
fn features_keep_what_was_set() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    assert_eq!(
        queue.get_feature(0x0f).success().result,
        5000,
        "KATO of Connect"
    );
    assert_eq!(queue.get_feature(0x06).success().result, 1);
    for (identifier, value) in [(0x06, 0), (0x0b, 0x0000_0900), (0x0f, 120_000)] {
        queue.set_feature(identifier, value).success();
        assert_eq!(
            queue.get_feature(identifier).success().result,
            u64::from(value)
        );
    }
    // SEL: default, and capabilities.
    assert_eq!(queue.get_feature(0x106).success().result, 1);
    assert_eq!(queue.get_feature(0x306).success().result, 4);
    queue.get_feature(0x406).refused(0x4002);
    queue.set_feature(0x8000_0006, 1).refused(0x410d);
    for identifier in [0, 1, 0x0e, 0x10, 0x80, 0xff] {
        queue.get_feature(identifier).refused(0x4002);
        queue.set_feature(identifier, 0).refused(0x4002);
    }
}

#[test]
fn the_host_identifier_is_that_of_connect() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let get = Sqe::new(0x0a).cdw(10, 0x81).sgl(16);
    assert_eq!(queue.get(get.cdw(11, 1)).success().data, HOST_ID);
    queue.get(get).refused(0x4002);
    queue.get(get.cdw(11, 1).sgl(8)).refused(0x400f);
    queue.set_feature(0x81, 1).refused(0x400c);
}

#[test]
fn event_requests_are_held_up_to_the_limit() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let request = Sqe::new(0x0c);
    for cid in 0..4 {
        assert_eq!(queue.try_send(request.cid(cid), &[]), None);
    }
    queue.get(request.cid(4)).refused(0x4105);
    // A CID is used once at a time.
    queue.get(Sqe::new(0x18).cid(2)).refused(0x4003);
    queue.get(Sqe::new(0x18).cid(5)).success();
    assert_eq!(queue.events(), []);
}

#[test]
fn abort_ends_an_event_request_and_nothing_else() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    assert_eq!(queue.try_send(Sqe::new(0x0c).cid(0x101a), &[]), None);
    let abort = Sqe::new(0x08).cid(7);
    for cdw in [0x101b_0000, 0x101a_0001] {
        assert_eq!(queue.get(abort.cdw(10, cdw)).success().result, 1);
    }
    assert_eq!(queue.events(), []);
    assert_eq!(queue.get(abort.cdw(10, 0x101a_0000)).success().result, 0);
    let completion = Completion {
        result: 0,
        status: Status(0x4007),
    };
    let aborted = Event::Complete {
        cid: 0x101a,
        completion,
    };
    assert_eq!(queue.events(), [aborted]);
    assert_eq!(queue.get(abort.cdw(10, 0x101a_0000)).success().result, 1);
}

#[test]
fn commands_that_are_not_there_are_refused() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    // Queues of PCIe, namespace management, firmware, self-test, Format, Sanitize, vendor's.
    for opcode in [0, 1, 4, 5, 0x0d, 0x10, 0x11, 0x14, 0x80, 0x84, 0xc0, 0xff] {
        queue.get(Sqe::new(opcode).sgl(4096)).refused(0x4001);
    }
}

#[test]
fn fused_commands_and_prps_are_refused() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let keep_alive = Sqe::new(0x18);
    for flags in [0x00, 0x41, 0x42, 0xc0] {
        queue.get(keep_alive.put(1, &[flags])).refused(0x4002);
    }
    queue.get(keep_alive.put(1, &[0x80])).success();
}
