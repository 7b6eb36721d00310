//! A host of NVMe over TCP, small and blocking, written from the wire format alone.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

/// How long an answer may take.
const PATIENCE: Duration = Duration::from_secs(20);
/// SGL identifiers: data in the capsule, data by the transport.
const IN_CAPSULE: u8 = 0x01;
const TRANSPORT: u8 = 0x5a;

/// How a host wants to be talked to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// Bit 0 header digests, bit 1 data digests.
    pub(crate) digests: u8,
    /// Alignment of data, in dwords, 0's based.
    pub(crate) hpda: u8,
    /// The most data that the host puts into one H2CData.
    pub(crate) chunk: usize,
    /// The most data that the host puts into a capsule.
    pub(crate) capsule: usize,
    pub(crate) disables_flow_control: bool,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            digests: 0,
            hpda: 0,
            chunk: 131_072,
            capsule: 8192,
            disables_flow_control: false,
        }
    }
}

/// A submission queue entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command([u8; 64]);

/// A completion queue entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Completion {
    pub(crate) result: u64,
    pub(crate) sq_head: u16,
    pub(crate) cid: u16,
    /// Without the phase bit.
    pub(crate) status: u16,
}

/// What a command was answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) data: Vec<u8>,
    pub(crate) completion: Completion,
}

/// A PDU of the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pdu {
    pub(crate) kind: u8,
    pub(crate) flags: u8,
    /// The header, without its digest.
    pub(crate) header: Vec<u8>,
    pub(crate) data: Vec<u8>,
}

/// One connection.
pub(crate) struct Connection {
    stream: TcpStream,
    pub(crate) terms: Terms,
    max_data: usize,
    last_cid: u16,
    early: VecDeque<Pdu>,
    /// All that was sent.
    pub(crate) sent: Vec<u8>,
}

impl Command {
    /// A command without data.
    pub(crate) fn new(opcode: u8, nsid: u32) -> Self {
        let mut bytes = [0; 64];
        bytes[0] = opcode;
        bytes[1] = 0x40;
        bytes[4..8].copy_from_slice(&nsid.to_le_bytes());
        bytes[39] = TRANSPORT;
        Self(bytes)
    }

    /// A Fabrics command.
    pub(crate) fn fabrics(kind: u8) -> Self {
        Self::new(0x7f, kind.into())
    }

    /// Sets bytes at an offset.
    pub(crate) fn with(mut self, offset: usize, bytes: &[u8]) -> Self {
        self.0[offset..offset + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Sets Command Dword `number`.
    pub(crate) fn dword(self, number: usize, value: u32) -> Self {
        self.with(number * 4, &value.to_le_bytes())
    }

    /// Announces so many bytes by the transport, to either side.
    pub(crate) fn transfer(self, length: usize) -> Self {
        self.with(32, &narrow(length).to_le_bytes())
    }
}

impl Connection {
    /// Connects the socket, and does nothing else.
    pub(crate) fn raw(address: SocketAddr) -> Self {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        Self {
            stream,
            terms: Terms::default(),
            max_data: 0,
            last_cid: 0,
            early: VecDeque::new(),
            sent: Vec::new(),
        }
    }

    /// Connects, and agrees upon terms.
    pub(crate) fn open(address: SocketAddr, terms: Terms) -> Self {
        let mut connection = Self::raw(address);
        let mut request = vec![0; 128];
        request[2] = 128;
        request[4] = 128;
        request[10] = terms.hpda;
        request[11] = terms.digests;
        connection.send(&request);
        let answer = connection.receive().unwrap();
        assert_eq!((answer.kind, answer.header.len()), (1, 128));
        assert_eq!(answer.header[8..12], [0, 0, 0, terms.digests]);
        connection.max_data = wide(u32_at(&answer.header, 12));
        assert!(connection.max_data >= 4096 && connection.max_data.is_multiple_of(4));
        connection.terms = terms;
        connection
    }

    /// Sends bytes as they are. A controller that has closed does not take them.
    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.sent.extend_from_slice(bytes);
        let _ = self.stream.write_all(bytes);
    }

    /// Sends no more.
    pub(crate) fn shut_down(&self) {
        let _ = self.stream.shutdown(std::net::Shutdown::Write);
    }

    /// The next PDU, or None at the end of the connection.
    pub(crate) fn receive(&mut self) -> Option<Pdu> {
        let mut pdu = vec![0; 8];
        self.stream.read_exact(&mut pdu).ok()?;
        let (kind, flags, hlen, pdo) = (pdu[0], pdu[1], usize::from(pdu[2]), usize::from(pdu[3]));
        let plen = wide(u32_at(&pdu, 4));
        assert!(plen >= hlen && plen < 1 << 20, "PLEN {plen}");
        pdu.resize(plen, 0);
        self.stream.read_exact(&mut pdu[8..]).ok()?;
        let has_header_digest = flags & 1 != 0;
        let has_data_digest = flags & 2 != 0;
        let carries = !matches!(kind, 1 | 3);
        assert_eq!(has_header_digest, carries && self.terms.digests & 1 != 0);
        assert_eq!(has_data_digest, kind == 7 && self.terms.digests & 2 != 0);
        let mut end = hlen;
        if has_header_digest {
            assert_eq!(crc32c(&pdu[..hlen]).to_le_bytes(), pdu[hlen..hlen + 4]);
            end += 4;
        }
        let mut data = Vec::new();
        if pdo > 0 {
            assert!(pdo >= end && pdo.is_multiple_of((usize::from(self.terms.hpda) + 1) * 4));
            end = plen - if has_data_digest { 4 } else { 0 };
            data = pdu[pdo..end].to_vec();
        } else if kind == 3 {
            data = pdu[hlen..].to_vec();
            end = plen;
        }
        if has_data_digest {
            assert_eq!(crc32c(&data).to_le_bytes(), pdu[end..end + 4]);
            end += 4;
        }
        assert_eq!(end, plen, "bytes that belong to nothing");
        pdu.truncate(hlen);
        Some(Pdu {
            kind,
            flags,
            header: pdu,
            data,
        })
    }

    /// The next PDU, which must be there.
    pub(crate) fn next(&mut self) -> Pdu {
        let early = self.early.pop_front();
        early.unwrap_or_else(|| self.receive().expect("the controller has closed"))
    }

    /// Sends a command, with data in its capsule or none; returns its CID.
    pub(crate) fn submit(&mut self, command: Command, capsule: &[u8]) -> u16 {
        self.last_cid = self.last_cid.wrapping_add(0x1001);
        let cid = self.last_cid;
        self.submit_as(cid, command, capsule);
        cid
    }

    /// Sends a command under a CID.
    pub(crate) fn submit_as(&mut self, cid: u16, command: Command, capsule: &[u8]) {
        let mut command = command.with(2, &cid.to_le_bytes());
        if !capsule.is_empty() {
            command = command.transfer(capsule.len()).with(39, &[IN_CAPSULE]);
        }
        let pdu = self.pdu(4, 0, &command.0, capsule);
        self.send(&pdu);
    }

    /// Sends part of the data that an R2T has asked for.
    pub(crate) fn send_data(&mut self, ready: &Pdu, offset: usize, data: &[u8], is_last: bool) {
        let mut fields = ready.header[8..12].to_vec();
        fields.extend(narrow(offset).to_le_bytes());
        fields.extend(narrow(data.len()).to_le_bytes());
        fields.extend([0; 4]);
        let pdu = self.pdu(6, if is_last { 4 } else { 0 }, &fields, data);
        self.send(&pdu);
    }

    /// Sends all the data that an R2T has asked for.
    pub(crate) fn send_all_data(&mut self, ready: &Pdu, data: &[u8]) {
        let start = wide(u32_at(&ready.header, 12));
        let end = start + wide(u32_at(&ready.header, 16));
        let chunk = self.terms.chunk.min(self.max_data);
        for offset in (start..end).step_by(chunk) {
            let stop = (offset + chunk).min(end);
            self.send_data(ready, offset, &data[offset..stop], stop == end);
        }
    }

    /// Sends a command with data for the controller, by capsule or R2T, and awaits its answer.
    pub(crate) fn call_with(&mut self, command: Command, data: &[u8]) -> Answer {
        let cid = if data.len() <= self.terms.capsule {
            self.submit(command, data)
        } else {
            self.submit(command.transfer(data.len()), &[])
        };
        self.answer(cid, data)
    }

    /// Sends a command without data for the controller, and awaits its answer.
    pub(crate) fn call(&mut self, command: Command) -> Answer {
        self.call_with(command, &[])
    }

    /// Awaits the answer to a command.
    pub(crate) fn answer(&mut self, cid: u16, data: &[u8]) -> Answer {
        let mut received = Vec::new();
        loop {
            let pdu = self.next();
            match pdu.kind {
                5 => {
                    let completion = Completion::of(&pdu);
                    assert_eq!(completion.cid, cid);
                    return Answer {
                        data: received,
                        completion,
                    };
                }
                7 => {
                    assert_eq!(u16_at(&pdu.header, 8), cid);
                    assert_eq!(wide(u32_at(&pdu.header, 12)), received.len());
                    assert_eq!(wide(u32_at(&pdu.header, 16)), pdu.data.len());
                    received.extend(&pdu.data);
                    if pdu.flags & 0b1000 != 0 {
                        assert_ne!(pdu.flags & 0b0100, 0, "SUCCESS without LAST_PDU");
                        assert!(self.terms.disables_flow_control);
                        return Answer::successful(cid, received);
                    }
                }
                9 => {
                    assert_eq!(u16_at(&pdu.header, 8), cid);
                    self.send_all_data(&pdu, data);
                }
                kind => panic!("PDU of type {kind:02x}"),
            }
        }
    }

    /// Awaits C2HTermReq and the end; Fatal Error Status and Information.
    pub(crate) fn fatal(&mut self) -> (u16, u32) {
        let pdu = self.next();
        assert_eq!(pdu.kind, 3);
        assert_eq!(self.receive(), None);
        (u16_at(&pdu.header, 8), u32_at(&pdu.header, 10))
    }

    /// Awaits the end, whatever comes before it.
    pub(crate) fn end(&mut self) {
        self.early.clear();
        let mut rest = Vec::new();
        if let Err(error) = self.stream.read_to_end(&mut rest) {
            let kind = error.kind();
            assert_eq!(kind, std::io::ErrorKind::ConnectionReset, "{error}");
        }
    }

    fn pdu(&self, kind: u8, flags: u8, fields: &[u8], data: &[u8]) -> Vec<u8> {
        let header_digest = self.terms.digests & 1;
        let data_digest = if data.is_empty() {
            0
        } else {
            self.terms.digests & 2
        };
        let hlen = 8 + fields.len();
        let pdo = hlen + usize::from(header_digest) * 4;
        let plen = pdo + data.len() + usize::from(data_digest) * 2;
        let short = |length: usize| u8::try_from(length).unwrap();
        let mut pdu = vec![kind, flags | header_digest | data_digest, short(hlen)];
        pdu.push(if data.is_empty() { 0 } else { short(pdo) });
        pdu.extend(narrow(plen).to_le_bytes());
        pdu.extend(fields);
        if header_digest != 0 {
            pdu.extend(crc32c(&pdu).to_le_bytes());
        }
        pdu.extend(data);
        if data_digest != 0 {
            pdu.extend(crc32c(data).to_le_bytes());
        }
        pdu
    }
}

impl Completion {
    fn of(pdu: &Pdu) -> Self {
        let entry = &pdu.header[8..];
        assert_eq!(u16_at(entry, 10), 0, "SQID is reserved");
        let status = u16_at(entry, 14);
        assert_eq!(status & 1, 0, "the phase bit is 0");
        Self {
            result: u64::from_le_bytes(entry[..8].try_into().unwrap()),
            sq_head: u16_at(entry, 8),
            cid: u16_at(entry, 12),
            status: status >> 1,
        }
    }
}

impl Answer {
    fn successful(cid: u16, data: Vec<u8>) -> Self {
        let completion = Completion {
            result: 0,
            sq_head: 0,
            cid,
            status: 0,
        };
        Self { data, completion }
    }

    /// The status.
    pub(crate) fn status(&self) -> u16 {
        self.completion.status
    }

    /// The data of a command that must have been successful.
    pub(crate) fn unwrap(self) -> Vec<u8> {
        assert_eq!(
            self.completion.status, 0,
            "status {:04x}",
            self.completion.status
        );
        self.data
    }
}

/// CRC32C, bit by bit: polynomial 1EDC6F41h, reflected.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let step = |crc: u32| (crc >> 1) ^ if crc & 1 == 0 { 0 } else { 0x82f6_3b78 };
    let fold = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(u32::MAX, fold)
}

pub(crate) fn u16_at(bytes: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes(bytes[offset..offset + 2].try_into().unwrap())
}

pub(crate) fn u32_at(bytes: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(bytes[offset..offset + 4].try_into().unwrap())
}

fn wide(length: u32) -> usize {
    usize::try_from(length).unwrap()
}

fn narrow(length: usize) -> u32 {
    u32::try_from(length).unwrap()
}
