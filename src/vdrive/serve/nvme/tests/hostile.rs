//! Hosts that send nonsense, or do many things at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use proptest::prelude::*;

use super::super::flow::MAX_TRANSFER;
use super::super::{Command, IN_CAPSULE, Outcome, Transfer};
use super::{Bench, Connect, ENABLED, Queue, Sqe, read, write};

/// Opcodes that are known, so that nonsense gets past the first check.
const OPCODES: &[u8] = &[
    0x00, 0x01, 0x02, 0x05, 0x06, 0x08, 0x09, 0x0a, 0x0c, 0x18, 0x7f, 0x81, 0x82,
];

/// An entry with an opcode and an SGL that are known, and small numbers here and there.
fn entry() -> impl Strategy<Value = [u8; 64]> {
    let bytes = proptest::collection::vec(prop_oneof![Just(0), Just(1), any::<u8>()], 64);
    let opcode = proptest::sample::select(OPCODES);
    (bytes, opcode, any::<bool>()).prop_map(|(bytes, opcode, in_capsule)| {
        let mut entry: [u8; 64] = bytes.try_into().unwrap();
        entry[0] = opcode;
        entry[1] = 0x40;
        entry[39] = if in_capsule { 0x01 } else { 0x5a };
        entry
    })
}

/// Carries out a command, and checks that it asks for no more than the limits, and answers no more
/// than the host has room for.
fn execute(queue: &mut Queue, entry: [u8; 64]) {
    let command = Command::new(entry);
    let length = match queue.pair.transfer(&command) {
        Ok(Transfer::FromHost(length)) => length,
        Ok(Transfer::Nothing) | Err(_) => 0,
    };
    let limit = if entry[39] == 1 {
        IN_CAPSULE
    } else {
        MAX_TRANSFER
    };
    assert!(length <= limit);
    let room = u32::from_le_bytes(entry[32..36].try_into().unwrap());
    if let Outcome::Done { data, .. } = queue.pair.execute(&command, &vec![0xa5; length]) {
        assert!(data.len() <= MAX_TRANSFER);
        assert!(data.is_empty() || u32::try_from(data.len()).unwrap() == room);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..Default::default() })]

    #[test]
    fn nonsense_is_answered_within_the_limits(entries in proptest::collection::vec(entry(), 40)) {
        let bench = Bench::new();
        let (mut admin, mut io) = bench.host();
        let mut unconnected = bench.queue();
        for entry in entries {
            execute(&mut unconnected, entry);
            execute(&mut io, entry);
            execute(&mut admin, entry);
        }
    }
}

#[test]
fn many_hosts_and_power_cycles_at_once_stop_nobody() {
    let bench = Bench::new();
    let is_done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosts = [1, 2, 3, 4].map(|host| {
            let bench = &bench;
            scope.spawn(move || (0..50).for_each(|_| live(bench, host)))
        });
        scope.spawn(|| {
            while !is_done.load(Ordering::Relaxed) {
                bench.drives[0].power_cycle().unwrap();
                bench.port.lose_power(0);
                bench.port.tick(Instant::now() + Duration::from_secs(20));
                std::thread::yield_now();
            }
        });
        for host in hosts {
            host.join().unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
    });
    // The hosts left nothing behind.
    let drives = Arc::strong_count(&bench.drives[0]);
    assert_eq!(drives, 2);
    let (_admin, mut io) = bench.host();
    io.get(read(0, 1)).success();
}

/// A short life of a host, in which every answer may be missing.
fn live(bench: &Bench, host: u16) {
    let mut admin = bench.queue();
    let connect = Connect {
        host: format!("nqn.2026-01.sedkit:host{host}"),
        ..Connect::admin(0)
    };
    let Some(reply) = admin.try_send(connect.command(), &connect.data()) else {
        return;
    };
    let controller_id = u16::try_from(reply.success().result).unwrap();
    let enable = Sqe::new(0x7f).put(4, &[0]).cdw(11, 0x14);
    admin.try_send(enable.cdw(12, ENABLED), &[]);
    let mut io = bench.queue();
    let connect = Connect {
        queue_id: 1,
        controller_id,
        ..connect
    };
    io.try_send(connect.command(), &connect.data());
    if io.pair.is_connected() {
        execute(&mut io, write(host.into(), 1).0);
        execute(&mut io, read(host.into(), 1).0);
    }
    let receive = Sqe::new(0x82).cdw(10, 0x0100_0100).cdw(11, 512).sgl(512);
    execute(&mut admin, receive.0);
}
