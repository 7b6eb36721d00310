//! Connect, Disconnect, properties (\[NVMe\] Fabrics Command Set).

use super::super::Event;
use super::{Bench, Connect, DISABLED, ENABLED, HOST_ID, Queue, Sqe, options};

const INVALID: u16 = 0x4182;
const SEQUENCE: u16 = 0x400c;

/// Connect is refused, and says which parameter is wrong.
#[track_caller]
fn assert_invalid(queue: &mut Queue, connect: &Connect, place: u64) {
    let reply = queue.connect(connect);
    assert_eq!((reply.status, reply.result), (INVALID, place));
    assert!(!queue.pair.is_connected());
}

#[test]
fn an_admin_queue_gets_a_controller_of_its_own() {
    let bench = Bench::new();
    let ids = [(); 3].map(|()| {
        let mut queue = bench.queue();
        assert!(!queue.pair.is_connected());
        let reply = queue.connect(&Connect::admin(0)).success();
        assert!(queue.pair.is_connected());
        assert_eq!(queue.pair.queue_id(), 0);
        // Bits 31:16: no authentication.
        (reply.result, queue)
    });
    assert_eq!(ids.each_ref().map(|(id, _)| *id), [1, 2, 3]);
}

#[test]
fn connect_names_the_parameter_that_is_wrong() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    let sound = Connect::admin(0);
    let unknown = Connect::admin(7);
    assert_invalid(&mut queue, &unknown, 0x1_0100);
    let discovery = Connect {
        subsystem: "nqn.2014-08.org.nvmexpress.discovery".to_owned(),
        ..sound.clone()
    };
    assert_invalid(&mut queue, &discovery, 0x1_0100);
    let static_model = Connect {
        controller_id: 1,
        ..sound.clone()
    };
    assert_invalid(&mut queue, &static_model, 0x1_0010);
    let nameless = Connect {
        host: String::new(),
        ..sound.clone()
    };
    assert_invalid(&mut queue, &nameless, 0x1_0200);
    let endless = Connect {
        host: "x".repeat(256),
        ..sound.clone()
    };
    assert_invalid(&mut queue, &endless, 0x1_0200);
    for size in [0, 128, 0xffff] {
        let sized = Connect {
            size,
            ..sound.clone()
        };
        assert_invalid(&mut queue, &sized, 44);
    }
    queue.connect(&sound).success();
}

#[test]
fn connect_refuses_another_format() {
    let connect = Connect {
        record_format: 1,
        ..Connect::admin(0)
    };
    Bench::new().queue().connect(&connect).refused(0x4180);
}

#[test]
fn connect_must_have_its_whole_data() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    for length in [0, 1023, 1025, 8192] {
        let sqe = Connect::admin(0).command().capsule(length);
        queue.get(sqe).refused(0x400f);
    }
}

#[test]
fn nothing_but_connect_works_before_connect() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    for opcode in 0..=0xff {
        queue.get(Sqe::new(opcode).sgl(4096)).refused(SEQUENCE);
    }
}

#[test]
fn a_queue_connects_once() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    for queue in [&mut admin, &mut io] {
        let connect = Connect::admin(0).command();
        queue.get(connect).refused(SEQUENCE);
    }
}

#[test]
fn an_io_queue_needs_the_controller_of_its_host() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    // I/O queue first.
    assert_invalid(&mut queue, &Connect::io(1, 0xffff), 0x1_0010);
    assert_invalid(&mut queue, &Connect::io(1, 1), 0x1_0010);
    let mut admin = bench.admin();
    let sound = Connect::io(1, admin.controller_id());
    let other_host = Connect {
        host: "nqn.2026-01.sedkit:other".to_owned(),
        ..sound.clone()
    };
    assert_invalid(&mut queue, &other_host, 0x1_0200);
    let other_id = Connect {
        host_id: [0x22; 16],
        ..sound.clone()
    };
    assert_invalid(&mut queue, &other_id, 0x1_0000);
    queue.connect(&sound).success();
    assert_eq!(queue.pair.queue_id(), 1);
}

#[test]
fn an_io_queue_needs_a_controller_that_is_enabled() {
    let bench = Bench::new();
    let mut admin = bench.admin();
    let connect = Connect::io(1, admin.controller_id());
    admin.set_cc(DISABLED);
    let mut queue = bench.queue();
    queue.connect(&connect).refused(SEQUENCE);
    admin.set_cc(ENABLED);
    queue.connect(&connect).success();
}

#[test]
fn an_io_queue_exists_once_and_within_the_grant() {
    let bench = Bench::new();
    let mut admin = bench.admin();
    // Two queues of each kind, 0's based.
    assert_eq!(
        admin.set_feature(0x07, 0x0001_0001).success().result,
        0x0001_0001
    );
    let _first = bench.io_queue(&mut admin, 1);
    let second = bench.io_queue(&mut admin, 2);
    let id = admin.controller_id();
    let mut queue = bench.queue();
    queue.connect(&Connect::io(2, id)).refused(SEQUENCE);
    assert_invalid(&mut queue, &Connect::io(3, id), 42);
    drop(second);
    queue.connect(&Connect::io(2, id)).success();
}

#[test]
fn controllers_are_bounded() {
    let bench = Bench::new();
    let connect = Connect::admin(0);
    let mut queues = (0..64).map(|_| bench.queue()).collect::<Vec<_>>();
    for queue in &mut queues {
        queue.connect(&connect).success();
    }
    let mut late = bench.queue();
    // Controller Busy, without Do Not Retry.
    late.connect(&connect).refused(0x0181);
    drop(queues.pop());
    assert_eq!(late.connect(&connect).success().result, 65);
}

#[test]
fn disconnect_ends_an_io_queue() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    let disconnect = Sqe::new(0x7f).put(4, &[8]);
    admin.get(disconnect).refused(0x4185);
    io.get(disconnect.put(40, &[1])).refused(0x4180);
    io.get(disconnect).success();
    assert!(!io.pair.is_connected());
    io.get(super::read(0, 1)).refused(SEQUENCE);
    let _again = bench.io_queue(&mut admin, 1);
}

#[test]
fn unknown_fabrics_commands_are_refused() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    // Authentication Send and Receive, and a type that nobody knows.
    for kind in [5, 6, 0x33] {
        admin.get(Sqe::new(0x7f).put(4, &[kind])).refused(0x4001);
    }
    io.get(Sqe::new(0x7f).put(4, &[4])).refused(0x4001);
}

#[test]
fn properties_have_their_values_and_sizes() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    queue.connect(&Connect::admin(0)).success();
    let capabilities = queue.property(0x00, true).success().result;
    assert_eq!(capabilities, 0x0000_0020_0f01_007f);
    assert_eq!(queue.property(0x08, false).success().result, 0x0001_0400);
    assert_eq!(queue.property(0x14, false).success().result, 0);
    assert_eq!(queue.csts(), 0);
    for (offset, is_long) in [(0, false), (8, true), (0x20, false), (0x68, false)] {
        queue.property(offset, is_long).refused(0x4002);
    }
    let status = Sqe::new(0x7f).put(4, &[0]).cdw(11, 0x1c).cdw(12, 1);
    queue.get(status).refused(0x4002);
}

#[test]
fn ready_follows_enable() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    queue.connect(&Connect::admin(0)).success();
    queue.identify(1, 0).refused(SEQUENCE);
    queue.set_cc(DISABLED);
    assert_eq!(queue.csts(), 0);
    queue.set_cc(ENABLED);
    assert_eq!(queue.csts(), 1);
    queue.identify(1, 0).success();
    queue.set_cc(DISABLED);
    assert_eq!(queue.csts(), 0);
    queue.identify(1, 0).refused(SEQUENCE);
}

#[test]
fn unsupported_settings_are_fatal() {
    // Entries of other sizes, pages of 8 KiB, another command set, another arbitration.
    for bad in [0x0000_0001, 0x0046_0081, 0x0046_0011, 0x0046_0801] {
        let bench = Bench::new();
        let mut queue = bench.queue();
        queue.connect(&Connect::admin(0)).success();
        queue.set_cc(bad);
        assert_eq!(queue.csts(), 2, "{bad:08x}");
        queue.set_cc(DISABLED);
        queue.set_cc(ENABLED);
        assert_eq!(queue.csts(), 1);
    }
}

#[test]
fn shutdown_completes() {
    let bench = Bench::new();
    let mut admin = bench.admin();
    admin.set_cc(0x0046_4001);
    assert_eq!(admin.csts(), 1 | 2 << 2);
    admin.set_cc(DISABLED);
    admin.set_cc(ENABLED);
    assert_eq!(admin.csts(), 1);
}

#[test]
fn the_head_wraps_with_the_queue() {
    let bench = Bench::new();
    let mut queue = bench.queue();
    assert_eq!(queue.pair.next_head(), 0);
    let connect = Connect {
        size: 2,
        ..Connect::admin(0)
    };
    queue.connect(&connect).success();
    let heads = [(); 4].map(|()| queue.pair.next_head());
    assert_eq!(heads, [1, 2, 0, 1]);
}

#[test]
fn two_hosts_use_two_drives() {
    let bench = Bench::with(2, &options(512));
    let mut first = bench.admin_of(0);
    let mut second = bench.admin_of(1);
    let name = |queue: &mut Queue| queue.identify(1, 0).success().data[768..1024].to_vec();
    assert!(name(&mut first).starts_with(b"nqn.2026-01.sedkit:v0\0"));
    assert!(name(&mut second).starts_with(b"nqn.2026-01.sedkit:v1\0"));
    // The controllers of one do not serve the other's hosts.
    let foreign = Connect {
        host_id: HOST_ID,
        subsystem: super::nqn(1),
        ..Connect::io(1, 2)
    };
    assert_invalid(&mut bench.queue(), &foreign, 0x1_0010);
    assert_eq!(first.events(), Vec::<Event>::new());
}
