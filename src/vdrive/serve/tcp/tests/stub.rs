//! A controller of few words, and a connection that is fed by a test.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::connection::{Connection, End, Late, Queue};
use super::super::digest::digest;
use crate::vdrive::serve::nvme::{Command, Completion, DataPointer, Outcome, Status, Transfer};

/// No answer.
pub(super) const NOTHING: [u8; 0] = [];
/// The most that a command of the stub transfers.
pub(super) const MAX_TRANSFER: u32 = 128 * 1024;

/// Executes Connect, Property Get of CAP, Write (01h), Read (02h), Security Send and Receive
/// (81h, 82h); holds Asynchronous Event Requests; answers all others with Invalid Opcode.
/// What is read is what was written last.
#[derive(Default)]
pub(super) struct Stub {
    pub(super) is_connected: bool,
    pub(super) memory: Vec<u8>,
    pub(super) executed: Vec<(u16, usize)>,
}

impl Queue for Stub {
    fn transfer(&mut self, command: &Command) -> Result<Transfer, Completion> {
        let is_connect = command.opcode() == 0x7f && command.bytes()[4] == 1;
        if !is_connect && !self.is_connected {
            return Err(completion(0, 0x400c));
        }
        let takes_data = is_connect || matches!(command.opcode(), 0x01 | 0x81);
        let length = length(command);
        if length > MAX_TRANSFER {
            return Err(completion(0, 0x4002));
        }
        Ok(if takes_data {
            Transfer::FromHost(usize::try_from(length).unwrap())
        } else {
            Transfer::Nothing
        })
    }

    fn execute(&mut self, command: &Command, data: &[u8]) -> Outcome {
        self.executed.push((command.cid(), data.len()));
        let room = usize::try_from(length(command)).unwrap();
        match (command.opcode(), command.bytes()[4]) {
            (0x7f, 1) => {
                self.is_connected = true;
                done(1, 0, Vec::new())
            }
            (0x7f, 4) => done(0x0000_0020_0f01_007f, 0, Vec::new()),
            (0x01 | 0x81, _) => {
                self.memory = data.to_vec();
                done(0, 0, Vec::new())
            }
            (0x02 | 0x82, _) => {
                let mut data = self.memory.clone();
                data.resize(room, 0);
                done(0, 0, data)
            }
            (0x0c, _) => Outcome::Held,
            _ => done(0, 0x4001, Vec::new()),
        }
    }

    fn is_connected(&self) -> bool {
        self.is_connected
    }

    fn next_head(&mut self) -> u16 {
        0
    }
}

/// A connection, and all that it has answered.
pub(super) struct Bench {
    pub(super) connection: Connection<Stub>,
    pub(super) late: Arc<Late>,
    pub(super) end: Option<End>,
}

impl Bench {
    pub(super) fn new() -> Self {
        let late = Arc::new(Late::default());
        Self {
            connection: Connection::new(Stub::default(), Arc::clone(&late)),
            late,
            end: None,
        }
    }

    /// One whose handshake is done; the answer to it is thrown away.
    pub(super) fn initialized(hpda: u8, digests: u8) -> Self {
        let mut bench = Self::new();
        assert_eq!(bench.feed(&initialize(hpda, digests)).len(), 128);
        bench
    }

    /// One that is connected, without digests.
    pub(super) fn connected() -> Self {
        let mut bench = Self::initialized(0, 0);
        bench.feed(&connect(0));
        assert!(bench.connection.is_connected());
        bench
    }

    /// What executes its commands.
    pub(super) fn queue(&mut self) -> &mut Stub {
        self.connection.queue()
    }

    /// Has the stub answer these bytes to the next read.
    pub(super) fn remember(&mut self, bytes: &[u8]) {
        self.queue().memory = bytes.to_vec();
    }

    /// What is answered to some bytes.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let mut input = bytes;
        while !input.is_empty() && self.end.is_none() {
            if let ControlFlow::Break(end) = self.connection.receive(&mut input, &mut out) {
                self.end = Some(end);
            }
        }
        out
    }
}

/// Text of hexadecimal digits as bytes; blanks and bars between them mean nothing.
pub(super) fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .collect();
    let byte = |pair: &[u32]| u8::try_from(pair[0] << 4 | pair[1]).unwrap();
    digits.chunks(2).map(byte).collect()
}

/// ICReq.
pub(super) fn initialize(hpda: u8, digests: u8) -> Vec<u8> {
    let mut pdu = hex("00008000 80000000 0000");
    pdu.extend([hpda, digests]);
    pdu.resize(128, 0);
    pdu
}

/// CapsuleCmd without digests: opcode, CID, SGL identifier and length, in-capsule data.
pub(super) fn command(opcode: u8, cid: u16, sgl: u8, length: u32, data: &[u8]) -> Vec<u8> {
    let mut pdu = vec![4, 0, 72, if data.is_empty() { 0 } else { 72 }];
    pdu.extend(u32::try_from(72 + data.len()).unwrap().to_le_bytes());
    pdu.extend([opcode, 0x40]);
    pdu.extend(cid.to_le_bytes());
    pdu.resize(8 + 32, 0);
    pdu.extend(length.to_le_bytes());
    pdu.extend([0, 0, 0, sgl]);
    pdu.resize(72, 0);
    pdu.extend(data);
    pdu
}

/// Connect with its data in the capsule, and its CATTR.
pub(super) fn connect(cattr: u8) -> Vec<u8> {
    let mut pdu = command(0x7f, 0, 1, 1024, &[0; 1024]);
    pdu[8 + 4] = 1;
    pdu[8 + 46] = cattr;
    pdu
}

/// H2CData without digests.
pub(super) fn data(cid: u16, tag: u16, offset: u32, data: &[u8], is_last: bool) -> Vec<u8> {
    let length = u32::try_from(data.len()).unwrap();
    let mut pdu = vec![6, if is_last { 4 } else { 0 }, 24, 24];
    pdu.extend((24 + length).to_le_bytes());
    pdu.extend(cid.to_le_bytes());
    pdu.extend(tag.to_le_bytes());
    pdu.extend(offset.to_le_bytes());
    pdu.extend(length.to_le_bytes());
    pdu.extend([0; 4]);
    pdu.extend(data);
    pdu
}

/// CapsuleResp without digest, with SQHD 0.
pub(super) fn response(cid: u16, status: u16) -> Vec<u8> {
    let mut pdu = hex("05001800 18000000 00000000 00000000 00000000");
    pdu.extend(cid.to_le_bytes());
    pdu.extend((status << 1).to_le_bytes());
    pdu
}

/// R2T without digest.
pub(super) fn ready(cid: u16, tag: u16, length: u32) -> Vec<u8> {
    let mut pdu = hex("09001800 18000000");
    pdu.extend(cid.to_le_bytes());
    pdu.extend(tag.to_le_bytes());
    pdu.extend([0; 4]);
    pdu.extend(length.to_le_bytes());
    pdu.extend([0; 4]);
    pdu
}

/// Puts digests into a PDU that has none.
pub(super) fn with_digests(pdu: &[u8], header_length: usize, digests: u8) -> Vec<u8> {
    let (header, data) = pdu.split_at(header_length);
    let has_data_digest = digests & 2 != 0 && !data.is_empty();
    let mut header = header.to_vec();
    header[1] |= digests & 1 | if has_data_digest { 2 } else { 0 };
    let mut length = u32::from_le_bytes(header[4..8].try_into().unwrap());
    if digests & 1 != 0 {
        length += 4;
        header[3] += if data.is_empty() { 0 } else { 4 };
    }
    length += if has_data_digest { 4 } else { 0 };
    header[4..8].copy_from_slice(&length.to_le_bytes());
    if digests & 1 != 0 {
        header.extend(digest(&header));
    }
    header.extend(data);
    if has_data_digest {
        header.extend(digest(data));
    }
    header
}

fn length(command: &Command) -> u32 {
    match command.data_pointer() {
        DataPointer::Capsule { length, .. } | DataPointer::Transport { length } => length,
        DataPointer::Unknown { .. } => 0,
    }
}

fn completion(result: u64, status: u16) -> Completion {
    let status = Status(status);
    Completion { result, status }
}

fn done(result: u64, status: u16, data: Vec<u8>) -> Outcome {
    let completion = completion(result, status);
    Outcome::Done { completion, data }
}
