//! The PDUs that a controller sends, written.

use super::digest::{self, Digests, digest};
use super::fatal::Fatal;
use super::pdu::{
    Header, INITIALIZE_LENGTH, MAX_H2C_DATA, MAX_OFFENDING_HEADER, SHORT_LENGTH, flag, kind, size,
};
use crate::vdrive::serve::nvme::Completion;

/// What host and controller have agreed upon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Terms {
    pub digests: Digests,
    /// Data that go to the host start at a multiple of so many bytes.
    pub alignment: usize,
}

/// A demand for data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadyToTransfer {
    pub cccid: u16,
    pub ttag: u16,
    pub length: u32,
}

/// Appends ICResp: the digests in force, no padding (CPDA 0), MAXH2CDATA.
pub(crate) fn initialize_response(out: &mut Vec<u8>, digests: Digests) {
    let start = out.len();
    let enabled = u8::from(digests.header) | u8::from(digests.data) << 1;
    let header = Header {
        kind: kind::INITIALIZE_RESPONSE,
        flags: 0,
        hlen: INITIALIZE_LENGTH,
        pdo: 0,
        plen: u32::from(INITIALIZE_LENGTH),
    };
    out.extend_from_slice(&header.encode());
    out.extend_from_slice(&[0, 0, 0, enabled]);
    out.extend_from_slice(&MAX_H2C_DATA.to_le_bytes());
    out.resize(start + usize::from(INITIALIZE_LENGTH), 0);
}

/// Appends CapsuleResp. SQID is reserved in fabrics, the phase bit is 0.
pub(crate) fn response(
    out: &mut Vec<u8>,
    has_digest: bool,
    cid: u16,
    sq_head: u16,
    completion: Completion,
) {
    let fields: [&[u8]; 5] = [
        &completion.result.to_le_bytes(),
        &sq_head.to_le_bytes(),
        &[0; 2],
        &cid.to_le_bytes(),
        &(completion.status.0 << 1).to_le_bytes(),
    ];
    bare(out, kind::RESPONSE, has_digest, &fields);
}

/// Appends R2T, for data from the start of the command's buffer.
pub(crate) fn ready_to_transfer(out: &mut Vec<u8>, has_digest: bool, demand: ReadyToTransfer) {
    let fields: [&[u8]; 5] = [
        &demand.cccid.to_le_bytes(),
        &demand.ttag.to_le_bytes(),
        &0_u32.to_le_bytes(),
        &demand.length.to_le_bytes(),
        &[0; 4],
    ];
    bare(out, kind::READY_TO_TRANSFER, has_digest, &fields);
}

/// Appends C2HData with all data of a command. Where `ends_command` is set, no response follows.
pub(crate) fn data(out: &mut Vec<u8>, terms: Terms, cid: u16, data: &[u8], ends_command: bool) {
    let last = if ends_command {
        flag::LAST_PDU | flag::SUCCESS
    } else {
        flag::LAST_PDU
    };
    let mut offset = 0;
    let mut chunks = data.chunks(size(MAX_H2C_DATA)).peekable();
    while let Some(data) = chunks.next() {
        let flags = if chunks.peek().is_none() { last } else { 0 };
        let chunk = Chunk {
            cid,
            offset,
            data,
            flags,
        };
        chunk.append(out, terms);
        offset += data.len();
    }
}

/// The content of one C2HData.
struct Chunk<'d> {
    cid: u16,
    offset: usize,
    data: &'d [u8],
    flags: u8,
}

impl Chunk<'_> {
    fn append(&self, out: &mut Vec<u8>, terms: Terms) {
        let Digests { header, data } = terms.digests;
        let pdo = headers_length(header).next_multiple_of(terms.alignment);
        let length = pdo + self.data.len() + if data { digest::LENGTH } else { 0 };
        let common = Header {
            kind: kind::CONTROLLER_DATA,
            flags: self.flags | flags(terms.digests),
            hlen: SHORT_LENGTH,
            pdo: u8::try_from(pdo).unwrap_or(u8::MAX),
            plen: wire_length(length),
        };
        let fields: [&[u8]; 5] = [
            &self.cid.to_le_bytes(),
            &[0; 2],
            &wire_length(self.offset).to_le_bytes(),
            &wire_length(self.data.len()).to_le_bytes(),
            &[0; 4],
        ];
        let start = out.len();
        out.reserve(length);
        append_header(out, common, &fields);
        out.resize(start + pdo, 0);
        out.extend_from_slice(self.data);
        if data {
            out.extend_from_slice(&digest(self.data));
        }
    }
}

/// Appends C2HTermReq, with the header that was the reason. It never carries a digest.
pub(crate) fn terminate(out: &mut Vec<u8>, fatal: Fatal, offending: &[u8]) {
    let offending = offending.get(..MAX_OFFENDING_HEADER).unwrap_or(offending);
    let common = Header {
        kind: kind::CONTROLLER_TERMINATE,
        flags: 0,
        hlen: SHORT_LENGTH,
        pdo: 0,
        plen: wire_length(usize::from(SHORT_LENGTH) + offending.len()),
    };
    let status = fatal.status.code().to_le_bytes();
    let fields: [&[u8]; 4] = [
        &status,
        &fatal.information.to_le_bytes(),
        &[0; 10],
        offending,
    ];
    append_header(out, common, &fields);
}

/// Appends a PDU that is nothing but a header.
fn bare(out: &mut Vec<u8>, kind: u8, has_digest: bool, fields: &[&[u8]]) {
    let digests = Digests {
        header: has_digest,
        data: false,
    };
    let common = Header {
        kind,
        flags: flags(digests),
        hlen: SHORT_LENGTH,
        pdo: 0,
        plen: wire_length(headers_length(has_digest)),
    };
    append_header(out, common, fields);
}

/// Appends a header, and its digest where the flags say so.
fn append_header(out: &mut Vec<u8>, common: Header, fields: &[&[u8]]) {
    let start = out.len();
    out.extend_from_slice(&common.encode());
    for field in fields {
        out.extend_from_slice(field);
    }
    if common.flags & flag::HEADER_DIGEST != 0 {
        let digest = digest(out.get(start..).unwrap_or_default());
        out.extend_from_slice(&digest);
    }
}

/// Length of a short header with its digest.
fn headers_length(has_digest: bool) -> usize {
    usize::from(SHORT_LENGTH) + if has_digest { digest::LENGTH } else { 0 }
}

fn flags(digests: Digests) -> u8 {
    let header = if digests.header {
        flag::HEADER_DIGEST
    } else {
        0
    };
    let data = if digests.data { flag::DATA_DIGEST } else { 0 };
    header | data
}

/// A length on the wire. Nothing longer than a controller's data limit comes here.
fn wire_length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}
