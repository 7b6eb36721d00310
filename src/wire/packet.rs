//! ComPacket, Packet and Subpacket: the envelopes of a token stream (\[Core\] 3.2.3).

use std::fmt;

use zeroize::Zeroizing;

use super::{DecodeError, DecodeErrorKind, Reader};
use crate::spec::{ComId, Hsn, Tsn};

/// What one IF-SEND or IF-RECV of protocol 01h carries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ComPacket {
    /// The ComID.
    pub com_id: ComId,
    /// The extension of the ComID; FFFFh in an answer says that the ComID is inactive.
    pub extension: u16,
    /// Bytes that wait to be fetched; 1 with nothing else says that the TPer is still at work.
    pub outstanding_data: u32,
    /// Bytes that the host must offer to fetch what waits.
    pub min_transfer: u32,
    /// The Packets.
    pub packets: Vec<Packet>,
}

/// Data of one session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// The TPer's session number.
    pub tsn: Tsn,
    /// The host's session number.
    pub hsn: Hsn,
    /// Sequence number, 0 where sequencing is not used.
    pub seq_number: u32,
    /// Kind of acknowledgement, 0 for none.
    pub ack_type: u16,
    /// Sequence number that is acknowledged.
    pub acknowledgement: u32,
    /// The Subpackets.
    pub subpackets: Vec<Subpacket>,
}

/// Tokens, or a credit of the buffer management.
#[derive(Clone, PartialEq, Eq)]
pub enum Subpacket {
    /// Tokens. Wiped when dropped, since they may hold a PIN.
    Data(Zeroizing<Vec<u8>>),
    /// Credit Control: bytes of buffer that the sender offers.
    Credit(u32),
    /// A kind that no standard here defines.
    Unknown {
        /// The kind.
        kind: u16,
        /// Its bytes.
        data: Vec<u8>,
    },
}

/// Size of the ComPacket header in bytes.
pub const COM_PACKET_HEADER: usize = 20;
/// Size of the Packet header in bytes.
pub const PACKET_HEADER: usize = 24;
/// Size of the Subpacket header in bytes.
pub const SUBPACKET_HEADER: usize = 12;
/// Bytes around the tokens of a ComPacket with one Packet and one Subpacket, without padding.
pub const OVERHEAD: usize = COM_PACKET_HEADER + PACKET_HEADER + SUBPACKET_HEADER;

/// Bytes of a block to which interfaces pad.
const BLOCK: usize = 512;

const KIND_DATA: u16 = 0x0000;
const KIND_CREDIT: u16 = 0x8001;

impl ComPacket {
    /// A ComPacket without Packets: what an IF-RECV gets when nothing is there.
    #[must_use]
    pub const fn empty(com_id: ComId) -> Self {
        Self {
            com_id,
            extension: 0,
            outstanding_data: 0,
            min_transfer: 0,
            packets: Vec::new(),
        }
    }

    /// A ComPacket with one Packet and one data Subpacket: all that hosts and TPers here send.
    #[must_use]
    pub fn with_tokens(com_id: ComId, tsn: Tsn, hsn: Hsn, tokens: &[u8]) -> Self {
        let subpackets = vec![Subpacket::Data(Zeroizing::new(tokens.to_vec()))];
        let packet = Packet {
            tsn,
            hsn,
            seq_number: 0,
            ack_type: 0,
            acknowledgement: 0,
            subpackets,
        };
        Self {
            packets: vec![packet],
            ..Self::empty(com_id)
        }
    }

    /// Decodes a ComPacket from the start of `bytes`; what follows its length is padding.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`] if a header or a length says more than is there;
    /// [`DecodeErrorKind::Length`] if lengths contradict each other.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        reader.take(4)?;
        let com_id = ComId(reader.u16()?);
        let extension = reader.u16()?;
        let outstanding_data = reader.u32()?;
        let min_transfer = reader.u32()?;
        let mut body = body(&mut reader, "ComPacket")?;
        let mut packets = Vec::new();
        while !body.is_at_end() {
            packets.push(Packet::decode(&mut body)?);
        }
        Ok(Self {
            com_id,
            extension,
            outstanding_data,
            min_transfer,
            packets,
        })
    }

    /// Splits a capture of ComPackets that follow each other at once or in blocks of 512 bytes.
    ///
    /// Each part begins with a ComPacket; only the last may be a damaged one. Padding is left out.
    #[must_use]
    pub fn split(capture: &[u8]) -> Vec<&[u8]> {
        let mut parts = Vec::new();
        let mut rest = capture;
        while rest.iter().any(|&byte| byte != 0) {
            let length = Self::length(rest).unwrap_or(rest.len());
            let (part, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            parts.push(part);
            let is_next = Self::decode(after).is_ok_and(|next| next.com_id.0 != 0);
            let block = length.next_multiple_of(BLOCK);
            let next_block = rest.split_at_checked(block).map(|(_, after)| after);
            rest = match next_block {
                Some(next_block) if !is_next => next_block,
                _ => after,
            };
        }
        parts
    }

    /// The length of the whole ComPacket that `bytes` begin with, if it decodes.
    fn length(bytes: &[u8]) -> Option<usize> {
        Self::decode(bytes).ok()?;
        let (header, _) = bytes.split_at_checked(COM_PACKET_HEADER)?;
        let length = u32::from_be_bytes(*header.last_chunk()?);
        usize::try_from(length).ok()?.checked_add(COM_PACKET_HEADER)
    }

    /// The bytes, without padding of the transport. Wiped when dropped.
    #[must_use]
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(2048));
        out.extend([0; 4]);
        out.extend(self.com_id.0.to_be_bytes());
        out.extend(self.extension.to_be_bytes());
        out.extend(self.outstanding_data.to_be_bytes());
        out.extend(self.min_transfer.to_be_bytes());
        with_length(&mut out, |out| {
            for packet in &self.packets {
                packet.encode(out);
            }
        });
        out
    }
}

impl Packet {
    fn decode(body: &mut Body<'_>) -> Result<Self, DecodeError> {
        let base = body.base;
        let reader = &mut body.reader;
        let packet = (|| {
            let (tsn, hsn) = (Tsn(reader.u32()?), Hsn(reader.u32()?));
            let seq_number = reader.u32()?;
            reader.take(2)?;
            let ack_type = reader.u16()?;
            let acknowledgement = reader.u32()?;
            let subpackets = Subpacket::decode_all(reader)?;
            Ok(Self {
                tsn,
                hsn,
                seq_number,
                ack_type,
                acknowledgement,
                subpackets,
            })
        })();
        packet.map_err(|error: DecodeError| error.shifted(base))
    }

    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.tsn.0.to_be_bytes());
        out.extend(self.hsn.0.to_be_bytes());
        out.extend(self.seq_number.to_be_bytes());
        out.extend([0; 2]);
        out.extend(self.ack_type.to_be_bytes());
        out.extend(self.acknowledgement.to_be_bytes());
        with_length(out, |out| {
            for subpacket in &self.subpackets {
                subpacket.encode(out);
            }
        });
    }

    /// The tokens of all data Subpackets, which form one stream.
    #[must_use]
    pub fn tokens(&self) -> Zeroizing<Vec<u8>> {
        let mut tokens = Zeroizing::new(Vec::new());
        for subpacket in &self.subpackets {
            if let Subpacket::Data(data) = subpacket {
                tokens.extend_from_slice(data);
            }
        }
        tokens
    }
}

impl Subpacket {
    fn decode_all(reader: &mut Reader<'_>) -> Result<Vec<Self>, DecodeError> {
        let mut body = body(reader, "Packet")?;
        let mut subpackets = Vec::new();
        while body.reader.remaining() >= SUBPACKET_HEADER {
            let subpacket = Self::decode(&mut body.reader);
            subpackets.push(subpacket.map_err(|error| error.shifted(body.base))?);
        }
        if body.reader.rest().iter().any(|&byte| byte != 0) {
            let kind = DecodeErrorKind::Length {
                what: "Packet",
                says: body.length,
                holds: 0,
            };
            return Err(DecodeError::new(body.base, kind));
        }
        Ok(subpackets)
    }

    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        reader.take(6)?;
        let kind = reader.u16()?;
        let length = length(reader)?;
        let data = reader.take(length)?;
        // Some drives leave the padding out of the Packet's length, so it may be missing.
        reader.take(padding(length).min(reader.remaining()))?;
        match (kind, <[u8; 4]>::try_from(data)) {
            (KIND_DATA, _) => Ok(Self::Data(Zeroizing::new(data.to_vec()))),
            (KIND_CREDIT, Ok(credit)) => Ok(Self::Credit(u32::from_be_bytes(credit))),
            _ => Ok(Self::Unknown {
                kind,
                data: data.to_vec(),
            }),
        }
    }

    fn encode(&self, out: &mut Vec<u8>) {
        let credit;
        let (kind, data) = match self {
            Self::Data(data) => (KIND_DATA, data.as_slice()),
            Self::Credit(bytes) => {
                credit = bytes.to_be_bytes();
                (KIND_CREDIT, credit.as_slice())
            }
            Self::Unknown { kind, data } => (*kind, data.as_slice()),
        };
        out.extend([0; 6]);
        out.extend(kind.to_be_bytes());
        with_length(out, |out| out.extend(data));
        out.extend(std::iter::repeat_n(0, padding(data.len())));
    }
}

impl fmt::Debug for Subpacket {
    /// Bytes appear by their number only: they may hold a PIN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(data) => write!(f, "Data(<{} bytes>)", data.len()),
            Self::Credit(credit) => write!(f, "Credit({credit})"),
            Self::Unknown { kind, data } => {
                write!(f, "Unknown({kind:#06x}, <{} bytes>)", data.len())
            }
        }
    }
}

/// What a length field covers, and where it begins in the whole.
struct Body<'a> {
    reader: Reader<'a>,
    base: usize,
    length: usize,
}

impl Body<'_> {
    /// True if nothing is left but padding that the last Packet did not count.
    fn is_at_end(&self) -> bool {
        let mut rest = self.reader.clone();
        rest.remaining() < 4 && rest.rest().iter().all(|&byte| byte == 0)
    }
}

fn body<'a>(reader: &mut Reader<'a>, what: &'static str) -> Result<Body<'a>, DecodeError> {
    let field = reader.offset();
    let length = length(reader)?;
    let base = reader.offset();
    let holds = reader.remaining();
    let short = DecodeError::new(
        field,
        DecodeErrorKind::Length {
            what,
            says: length,
            holds,
        },
    );
    let bytes = reader.take(length).map_err(|_| short)?;
    Ok(Body {
        reader: Reader::new(bytes),
        base,
        length,
    })
}

fn length(reader: &mut Reader<'_>) -> Result<usize, DecodeError> {
    let field = reader.u32()?;
    Ok(usize::try_from(field).unwrap_or(usize::MAX))
}

/// Zero bytes that bring `length` to a multiple of four.
const fn padding(length: usize) -> usize {
    length.wrapping_neg() & 3
}

/// Appends a 32-bit length field and what `write` appends after it.
fn with_length(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let field = out.len();
    out.extend([0xff; 4]);
    write(out);
    let length = u32::try_from(out.len() - field - 4).unwrap_or(u32::MAX);
    if let Some(place) = out.get_mut(field..field + 4) {
        place.copy_from_slice(&length.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A StartTransaction frame: ComID 1004h, TSN 1001h, HSN 69h, tokens `fb 00`.
    const FRAME: [u8; 60] = [
        0, 0, 0, 0, 0x10, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x28, //
        0, 0, 0x10, 0x01, 0, 0, 0, 0x69, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10, //
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0xfb, 0x00, 0, 0,
    ];

    fn frame() -> ComPacket {
        ComPacket::with_tokens(ComId(0x1004), Tsn(0x1001), Hsn(0x69), &[0xfb, 0x00])
    }

    #[test]
    fn a_frame_has_the_bytes_of_the_standard() {
        assert_eq!(*frame().encode(), FRAME);
        assert_eq!(ComPacket::decode(&FRAME), Ok(frame()));
    }

    #[test]
    fn padding_of_the_transport_is_ignored() {
        let mut padded = FRAME.to_vec();
        padded.resize(512, 0xa5);
        assert_eq!(ComPacket::decode(&padded), Ok(frame()));
    }

    #[test]
    fn a_packet_length_without_padding_is_accepted() {
        // Crucial M550: Packet.Length counts no padding.
        let mut bytes = FRAME[..58].to_vec();
        bytes[19] = 0x26;
        bytes[43] = 0x0e;
        assert_eq!(ComPacket::decode(&bytes), Ok(frame()));
    }

    #[test]
    fn padding_that_only_the_com_packet_counts_is_accepted() {
        let mut bytes = FRAME;
        bytes[43] = 0x0e;
        assert_eq!(ComPacket::decode(&bytes), Ok(frame()));
        bytes[59] = 0xa5;
        assert!(ComPacket::decode(&bytes).is_err());
    }

    #[test]
    fn every_truncation_fails() {
        for length in 0..FRAME.len() {
            assert!(ComPacket::decode(&FRAME[..length]).is_err(), "{length}");
        }
    }

    #[test]
    fn lengths_beyond_the_buffer_fail() {
        for (index, what) in [(17, "ComPacket"), (41, "Packet"), (54, "Subpacket")] {
            let mut bytes = FRAME;
            bytes[index] = 0xff;
            assert!(ComPacket::decode(&bytes).is_err(), "{what}");
        }
    }

    #[test]
    fn debug_shows_no_bytes() {
        let text = format!("{:?}", frame());
        assert!(text.contains("Data(<2 bytes>)"), "{text}");
    }

    #[test]
    fn a_capture_is_split_into_its_packets() {
        let mut block = FRAME.to_vec();
        block.resize(512, 0);
        let empty = ComPacket::empty(ComId(0x1004)).encode();
        let capture = [&FRAME[..], &empty, &block, &FRAME, &[0; 100]].concat();
        let empty = empty.as_slice();
        assert_eq!(
            ComPacket::split(&capture),
            [&FRAME[..], empty, &FRAME, &FRAME]
        );
        assert_eq!(ComPacket::split(&FRAME[..59]), [&FRAME[..59]]);
        assert!(ComPacket::split(&[0; 600]).is_empty());
        // What follows is neither a ComPacket nor in the next block.
        let capture = [&FRAME[..], &[0xff; 5]].concat();
        assert_eq!(ComPacket::split(&capture), [&FRAME[..], &[0xff; 5]]);
    }

    #[test]
    fn credit_and_unknown_subpackets_survive() {
        let mut packet = frame();
        packet.packets[0].subpackets.push(Subpacket::Credit(4096));
        packet.packets[0].subpackets.push(Subpacket::Unknown {
            kind: 7,
            data: vec![1, 2, 3],
        });
        assert_eq!(ComPacket::decode(&packet.encode()), Ok(packet));
    }
}
