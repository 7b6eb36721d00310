//! Whole sessions of a host, PDU by PDU, for a controller that is the real one.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::connection::{Connection, Late};
use super::stub::{command, data, initialize, with_digests};
use crate::vdrive::serve::nvme::{Port, QueuePair, Subsystem};
use crate::vdrive::serve::shared::SharedDrive;
use crate::vdrive::{CreateOptions, VirtualDrive};

const SUBSYSTEM: &str = "nqn.2026-01.org.example:drive";

/// What a host sends on one connection.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) pdus: Vec<Vec<u8>>,
    /// Responses that it gets.
    pub(super) answers: usize,
}

/// A port with one drive.
pub(super) fn port() -> Arc<Port> {
    let drive = VirtualDrive::in_memory(&CreateOptions::new(16 << 20)).unwrap();
    let drive = Arc::new(SharedDrive::new(drive, None));
    Arc::new(Port::new(vec![Subsystem::new(SUBSYSTEM.to_owned(), drive)]))
}

/// A connection to it.
pub(super) fn connection(port: &Arc<Port>) -> Connection<QueuePair> {
    let queue = QueuePair::new(Arc::clone(port), Box::new(|_| {}));
    Connection::new(queue, Arc::new(Late::default()))
}

/// What is answered to a session, up to its end.
pub(super) fn play(connection: &mut Connection<QueuePair>, session: &Session) -> Vec<u8> {
    let stream = session.pdus.concat();
    let mut input = &stream[..];
    let mut out = Vec::new();
    while !input.is_empty() {
        let flow = connection.receive(&mut input, &mut out);
        assert_eq!(flow, ControlFlow::Continue(()));
    }
    out
}

impl Session {
    /// The admin queue: attach, Security Send in capsule and by R2T, events, keep alive.
    pub(super) fn admin() -> Self {
        let mut pdus = attach();
        pdus.extend([
            with_dwords(&command(0x82, 20, 0x5a, 2048, &[]), &[0x0100_0100, 2048]),
            with_dwords(
                &command(0x81, 21, 1, 2048, &[0; 2048]),
                &[0x0107_fe00, 2048],
            ),
            with_dwords(&command(0x0c, 22, 0x5a, 0, &[]), &[]),
            with_dwords(&command(0x81, 23, 0x5a, 12288, &[]), &[0x0107_fe00, 12288]),
            data(23, 1, 0, &[0; 8192], false),
            data(23, 1, 8192, &[0; 4096], true),
            with_dwords(&command(0x18, 24, 0x5a, 0, &[]), &[]),
            with_dwords(&command(0x08, 25, 0x5a, 0, &[]), &[0x0016_0000]),
        ]);
        Self { pdus, answers: 10 }
    }

    /// The admin queue up to the grant of queues.
    pub(super) fn attach() -> Self {
        let pdus = attach();
        Self { pdus, answers: 5 }
    }

    /// An I/O queue: reads, writes in capsule and by R2T, one split and one between others, and
    /// commands without data.
    pub(super) fn io(controller: u16) -> Self {
        let block = [0x5a; 512];
        let part =
            |cid, tag, index: u32, is_last| data(cid, tag, index * 4096, &[0xa5; 4096], is_last);
        let media = |opcode, cid, length, lba, blocks: u32| {
            on_namespace(&command(opcode, cid, 0x5a, length, &[]), lba, blocks)
        };
        let pdus = vec![
            initialize(0, 0),
            connect(1, controller),
            media(2, 1, 4096, 0, 8),
            on_namespace(&command(1, 2, 1, 512, &block), 8, 1),
            media(1, 3, 8192, 16, 16),
            media(1, 4, 4096, 64, 8),
            part(3, 1, 0, false),
            part(4, 2, 0, true),
            part(3, 1, 1, true),
            on_namespace(&command(5, 5, 1, 512, &block), 8, 1),
            media(0, 6, 0, 0, 1),
            media(8, 7, 0, 16, 8),
            media(2, 8, 8192, 16, 16),
        ];
        Self { pdus, answers: 9 }
    }

    /// The same with digests, bit 0 of headers, bit 1 of data, and an alignment.
    pub(super) fn with_digests(mut self, hpda: u8, digests: u8) -> Self {
        for pdu in self.pdus.iter_mut().skip(1) {
            let header = usize::from(pdu[2]);
            *pdu = with_digests(pdu, header, digests);
        }
        self.pdus[0] = initialize(hpda, digests);
        self
    }
}

fn attach() -> Vec<Vec<u8>> {
    let property = |cid, kind, dwords: &[u32]| {
        let mut pdu = with_dwords(&command(0x7f, cid, 0x5a, 0, &[]), dwords);
        pdu[8 + 4] = kind;
        pdu
    };
    vec![
        initialize(0, 0),
        connect(0, 0xffff),
        property(10, 4, &[1, 0]),
        property(11, 0, &[0, 0x14, 0x0046_0001]),
        with_dwords(&command(0x06, 12, 0x5a, 4096, &[]), &[1]),
        with_dwords(&command(0x09, 13, 0x5a, 0, &[]), &[7, 0x0003_0003]),
    ]
}

/// Connect of a queue with 128 entries.
fn connect(queue: u16, controller: u16) -> Vec<u8> {
    let mut data = [0; 1024];
    data[16..18].copy_from_slice(&controller.to_le_bytes());
    data[256..256 + SUBSYSTEM.len()].copy_from_slice(SUBSYSTEM.as_bytes());
    data[512..528].copy_from_slice(b"nqn.2026-01.host");
    let mut pdu = command(0x7f, 1, 1, 1024, &data);
    pdu[8 + 4] = 1;
    pdu[8 + 42..8 + 44].copy_from_slice(&queue.to_le_bytes());
    pdu[8 + 44] = 127;
    pdu
}

/// Sets dwords 10 and following of a command.
fn with_dwords(pdu: &[u8], dwords: &[u32]) -> Vec<u8> {
    let mut pdu = pdu.to_vec();
    for (dword, place) in dwords.iter().zip((8 + 40..).step_by(4)) {
        pdu[place..place + 4].copy_from_slice(&dword.to_le_bytes());
    }
    pdu
}

/// Sets namespace 1, LBA and number of blocks of a command.
fn on_namespace(pdu: &[u8], lba: u32, blocks: u32) -> Vec<u8> {
    let mut pdu = with_dwords(pdu, &[lba, 0, blocks - 1]);
    pdu[8 + 4] = 1;
    pdu
}
