//! The PDUs of NVMe over TCP, and how those of a host are read.
//!
//! All integers are little-endian. Every PDU starts with the common header:
//!
//! | bytes | field | meaning |
//! |---|---|---|
//! | 0 | type | [`kind`] |
//! | 1 | flags | [`flag`] |
//! | 2 | HLEN | length of the header, without its digest |
//! | 3 | PDO | offset of the data, 0 if there are none |
//! | 4–7 | PLEN | length of the whole PDU, digests included |

use std::ops::Range;

use super::digest::{self, Digests, digest};
use super::fatal::Fatal;
use crate::vdrive::serve::nvme::{Command, IN_CAPSULE};

/// Length of the common header.
pub(crate) const COMMON_LENGTH: usize = 8;
/// MAXH2CDATA: the most data that one H2CData PDU may carry.
pub(crate) const MAX_H2C_DATA: u32 = 128 * 1024;
/// The most data that a command capsule may carry: what hosts use on the admin queue, and what
/// IOCCSZ promises for the others.
pub(crate) const MAX_IN_CAPSULE: usize = IN_CAPSULE;
/// The longest header that C2HTermReq carries back.
pub(crate) const MAX_OFFENDING_HEADER: usize = 128;

/// HLEN of ICReq and ICResp.
pub(crate) const INITIALIZE_LENGTH: u8 = 128;
/// HLEN of CapsuleCmd.
pub(crate) const COMMAND_LENGTH: u8 = 72;
/// HLEN of all the others.
pub(crate) const SHORT_LENGTH: u8 = 24;

/// PDU types.
pub(crate) mod kind {
    pub(crate) const INITIALIZE_REQUEST: u8 = 0x00;
    pub(crate) const INITIALIZE_RESPONSE: u8 = 0x01;
    pub(crate) const HOST_TERMINATE: u8 = 0x02;
    pub(crate) const CONTROLLER_TERMINATE: u8 = 0x03;
    pub(crate) const COMMAND: u8 = 0x04;
    pub(crate) const RESPONSE: u8 = 0x05;
    pub(crate) const HOST_DATA: u8 = 0x06;
    pub(crate) const CONTROLLER_DATA: u8 = 0x07;
    pub(crate) const READY_TO_TRANSFER: u8 = 0x09;
}

/// Bits of the flags.
pub(crate) mod flag {
    /// HDGSTF: a header digest follows the header.
    pub(crate) const HEADER_DIGEST: u8 = 1 << 0;
    /// DDGSTF: a data digest follows the data.
    pub(crate) const DATA_DIGEST: u8 = 1 << 1;
    /// LAST_PDU: these are the last data of the command or of the R2T.
    pub(crate) const LAST_PDU: u8 = 1 << 2;
    /// SUCCESS: no response follows, the command was successful.
    pub(crate) const SUCCESS: u8 = 1 << 3;
}

/// Offsets of fields, as Fatal Error Information names them.
pub(crate) mod field {
    pub(crate) const TYPE: u32 = 0;
    pub(crate) const FLAGS: u32 = 1;
    pub(crate) const HLEN: u32 = 2;
    pub(crate) const PDO: u32 = 3;
    pub(crate) const PLEN: u32 = 4;
    /// PFV of ICReq, CCCID of H2CData.
    pub(crate) const PFV: u32 = 8;
    pub(crate) const CCCID: u32 = 8;
    /// HPDA of ICReq, TTAG of H2CData.
    pub(crate) const HPDA: u32 = 10;
    pub(crate) const TTAG: u32 = 10;
    pub(crate) const DATAL: u32 = 16;
}

/// The common header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub kind: u8,
    pub flags: u8,
    pub hlen: u8,
    pub pdo: u8,
    pub plen: u32,
}

impl Header {
    pub(crate) const fn decode(bytes: [u8; COMMON_LENGTH]) -> Self {
        let [kind, flags, hlen, pdo, p0, p1, p2, p3] = bytes;
        Self {
            kind,
            flags,
            hlen,
            pdo,
            plen: u32::from_le_bytes([p0, p1, p2, p3]),
        }
    }

    pub(crate) const fn encode(self) -> [u8; COMMON_LENGTH] {
        let [p0, p1, p2, p3] = self.plen.to_le_bytes();
        [self.kind, self.flags, self.hlen, self.pdo, p0, p1, p2, p3]
    }

    const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// Where the parts of a PDU from the host are. It exists only for one within all bounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    header: Header,
    has_header_digest: bool,
    has_data_digest: bool,
    data: Range<usize>,
    length: usize,
}

impl Layout {
    /// Checks what the common header says, before a byte of the rest is taken.
    pub(crate) fn new(header: Header, agreed: Digests) -> Result<Self, Fatal> {
        let bounds = Bounds::of(header.kind).ok_or(Fatal::field(field::TYPE))?;
        if header.hlen != bounds.hlen {
            return Err(Fatal::field(field::HLEN));
        }
        let agreed = if bounds.carries_digests {
            agreed
        } else {
            Digests::default()
        };
        if bounds.carries_digests && header.has(flag::HEADER_DIGEST) != agreed.header {
            return Err(Fatal::field(field::FLAGS));
        }
        let mut layout = Self {
            header,
            has_header_digest: agreed.header,
            has_data_digest: false,
            data: 0..0,
            length: usize::try_from(header.plen).map_err(|_| Fatal::field(field::PLEN))?,
        };
        let headers = layout.headers_length();
        if layout.length < headers {
            return Err(Fatal::field(field::PLEN));
        }
        if layout.length > headers {
            layout.place_data(&bounds, agreed.data)?;
        } else if bounds.carries_digests && header.has(flag::DATA_DIGEST) {
            return Err(Fatal::field(field::FLAGS));
        }
        Ok(layout)
    }

    fn place_data(&mut self, bounds: &Bounds, has_digest: bool) -> Result<(), Fatal> {
        if bounds.carries_digests && self.header.has(flag::DATA_DIGEST) != has_digest {
            return Err(Fatal::field(field::FLAGS));
        }
        let headers = self.headers_length();
        let start = if bounds.has_offset {
            usize::from(self.header.pdo)
        } else {
            headers
        };
        let digest = if has_digest { digest::LENGTH } else { 0 };
        let end = self.length.saturating_sub(digest);
        if start < headers || start >= end {
            return Err(Fatal::field(field::PDO));
        }
        if end - start > bounds.data {
            return Err(bounds.excess);
        }
        self.has_data_digest = has_digest;
        self.data = start..end;
        Ok(())
    }

    /// Length of the header with its digest.
    pub(crate) fn headers_length(&self) -> usize {
        let digest = if self.has_header_digest {
            digest::LENGTH
        } else {
            0
        };
        usize::from(self.header.hlen) + digest
    }

    /// Length of the header without its digest.
    pub(crate) fn header_length(&self) -> usize {
        usize::from(self.header.hlen)
    }

    /// Length of the whole PDU.
    pub(crate) const fn length(&self) -> usize {
        self.length
    }

    /// Whether the header is what the host has sent; `pdu` holds it and its digest.
    pub(crate) fn is_header_intact(&self, pdu: &[u8]) -> bool {
        !self.has_header_digest || is_intact(pdu, 0..usize::from(self.header.hlen))
    }
}

/// What PDUs of one type must keep to.
struct Bounds {
    hlen: u8,
    data: usize,
    carries_digests: bool,
    has_offset: bool,
    /// What it is to send more data than that.
    excess: Fatal,
}

impl Bounds {
    fn of(kind: u8) -> Option<Self> {
        let excess = Fatal::field(field::PLEN);
        let bare = |hlen, data| Self {
            hlen,
            data,
            carries_digests: false,
            has_offset: false,
            excess,
        };
        let full = |hlen, data, excess| Self {
            hlen,
            data,
            carries_digests: true,
            has_offset: true,
            excess,
        };
        match kind {
            kind::INITIALIZE_REQUEST => Some(bare(INITIALIZE_LENGTH, 0)),
            kind::HOST_TERMINATE => Some(bare(SHORT_LENGTH, MAX_OFFENDING_HEADER)),
            kind::COMMAND => Some(full(COMMAND_LENGTH, MAX_IN_CAPSULE, excess)),
            kind::HOST_DATA => Some(full(SHORT_LENGTH, size(MAX_H2C_DATA), Fatal::LIMIT)),
            _ => None,
        }
    }
}

/// A PDU that a host has sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostPdu<'p> {
    /// ICReq.
    Initialize(Initialize),
    /// CapsuleCmd.
    Command(Command, Payload<'p>),
    /// H2CData.
    Data(DataHeader, Payload<'p>),
    /// H2CTermReq, with its Fatal Error Status and Fatal Error Information.
    Terminate { status: u16, information: u32 },
}

/// What a host wants of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Initialize {
    /// PDU Format Version.
    pub pfv: u16,
    /// Data alignment, in dwords, 0's based.
    pub hpda: u8,
    pub digests: Digests,
}

/// Header of H2CData.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataHeader {
    /// Command Capsule CID.
    pub cccid: u16,
    /// Transfer Tag.
    pub ttag: u16,
    pub offset: u32,
    pub length: u32,
    pub is_last: bool,
}

/// Data of a PDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Payload<'p> {
    pub bytes: &'p [u8],
    /// Whether they agree with their digest.
    pub is_intact: bool,
}

impl<'p> HostPdu<'p> {
    /// Reads a whole PDU, as its layout says.
    pub(crate) fn decode(layout: &Layout, pdu: &'p [u8]) -> Self {
        let payload = Payload {
            bytes: pdu.get(layout.data.clone()).unwrap_or_default(),
            is_intact: !layout.has_data_digest || is_intact(pdu, layout.data.clone()),
        };
        match layout.header.kind {
            kind::INITIALIZE_REQUEST => Self::Initialize(Initialize::decode(pdu)),
            kind::COMMAND => Self::Command(Command::new(array(pdu, COMMON_LENGTH)), payload),
            kind::HOST_DATA => Self::Data(DataHeader::decode(layout.header, pdu), payload),
            _ => Self::Terminate {
                status: u16::from_le_bytes(array(pdu, 8)),
                information: u32::from_le_bytes(array(pdu, 10)),
            },
        }
    }
}

impl Initialize {
    fn decode(pdu: &[u8]) -> Self {
        let [hpda, digests] = array(pdu, 10);
        Self {
            pfv: u16::from_le_bytes(array(pdu, 8)),
            hpda,
            digests: Digests {
                header: digests & 1 != 0,
                data: digests & 2 != 0,
            },
        }
    }
}

impl DataHeader {
    fn decode(header: Header, pdu: &[u8]) -> Self {
        Self {
            cccid: u16::from_le_bytes(array(pdu, 8)),
            ttag: u16::from_le_bytes(array(pdu, 10)),
            offset: u32::from_le_bytes(array(pdu, 12)),
            length: u32::from_le_bytes(array(pdu, 16)),
            is_last: header.has(flag::LAST_PDU),
        }
    }
}

/// Whether a part of a PDU agrees with the digest behind it.
fn is_intact(pdu: &[u8], part: Range<usize>) -> bool {
    let expected = pdu.get(part.end..).and_then(<[u8]>::first_chunk);
    let bytes = pdu.get(part);
    bytes
        .zip(expected)
        .is_some_and(|(bytes, expected)| digest(bytes) == *expected)
}

/// Bytes at an offset; a PDU holds its header, so they are there.
fn array<const N: usize>(pdu: &[u8], offset: usize) -> [u8; N] {
    let bytes = pdu.get(offset..).and_then(<[u8]>::first_chunk);
    bytes.copied().unwrap_or([0; N])
}

/// A length of this module as a size in memory.
pub(crate) const fn size(length: u32) -> usize {
    length as usize
}
