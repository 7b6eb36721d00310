//! Spoilt answers, as bytes: this module knows where the lengths and numbers of a ComPacket stand
//! (\[Core\] 3.3.10) and no more of it.

use super::FaultKind;
use super::random::SplitMix64;
use crate::spec::ComId;

/// Where the fields of a ComPacket with one Packet and one Subpacket start.
mod offset {
    pub(super) const COM_ID: usize = 4;
    pub(super) const OUTSTANDING_DATA: usize = 8;
    pub(super) const MIN_TRANSFER: usize = 12;
    pub(super) const COM_PACKET_LENGTH: usize = 16;
    pub(super) const TSN: usize = 20;
    pub(super) const HSN: usize = 24;
    pub(super) const PACKET_LENGTH: usize = 40;
    pub(super) const SUBPACKET_LENGTH: usize = 52;
    pub(super) const TOKENS: usize = 56;
}

/// Tokens (\[Core\] 3.2.2.3).
mod token {
    pub(super) const START_LIST: u8 = 0xf0;
    pub(super) const END_LIST: u8 = 0xf1;
    pub(super) const END_OF_DATA: u8 = 0xf9;
}

/// How deep the lists are.
const DEPTH: usize = 10_000;

/// Writes an empty ComPacket that says how much is outstanding, and returns its size.
pub(super) fn outstanding(
    buffer: &mut [u8],
    com_id: ComId,
    outstanding_data: u32,
    min_transfer: u32,
) -> usize {
    buffer.fill(0);
    put(buffer, offset::COM_ID, &com_id.0.to_be_bytes());
    put(
        buffer,
        offset::OUTSTANDING_DATA,
        &outstanding_data.to_be_bytes(),
    );
    put(buffer, offset::MIN_TRANSFER, &min_transfer.to_be_bytes());
    buffer.len()
}

/// Copies as much of an answer as fits, pads with zeros, and returns the size.
pub(super) fn copy(buffer: &mut [u8], answer: &[u8]) -> usize {
    buffer.fill(0);
    let places = buffer.iter_mut().zip(answer);
    places.for_each(|(place, byte)| *place = *byte);
    buffer.len()
}

/// Spoils an answer in place, as far as it is long enough.
pub(super) fn spoil(
    kind: FaultKind,
    is_com_packet: bool,
    bytes: &mut [u8],
    random: &mut SplitMix64,
) {
    match kind {
        FaultKind::BitFlips => flip_bits(bytes, random),
        FaultKind::WrongSession => change_session(bytes, random),
        FaultKind::ZeroLength if is_com_packet => {
            let offsets = [
                offset::COM_PACKET_LENGTH,
                offset::PACKET_LENGTH,
                offset::SUBPACKET_LENGTH,
            ];
            let chosen = random
                .index(offsets.len())
                .and_then(|index| offsets.get(index));
            put(
                bytes,
                chosen.copied().unwrap_or(offset::COM_PACKET_LENGTH),
                &[0; 4],
            );
        }
        // Level 0 Discovery, the protocol list and ComID responses: the length stands at the front
        // of the first, and among the first 12 bytes of the others.
        FaultKind::ZeroLength => put(bytes, 0, &[0; 12]),
        FaultKind::MissingStatus => cut_status_list(bytes),
        _ => {}
    }
}

fn flip_bits(bytes: &mut [u8], random: &mut SplitMix64) {
    for _ in 0..=random.below(8) {
        let place = random
            .index(bytes.len())
            .and_then(|index| bytes.get_mut(index));
        if let Some(byte) = place {
            *byte ^= 1 << random.below(8);
        }
    }
}

fn change_session(bytes: &mut [u8], random: &mut SplitMix64) {
    for place in [offset::TSN, offset::HSN] {
        let difference = u32::try_from(random.below(0xffff)).unwrap_or(0) + 1;
        let number = get(bytes, place).unwrap_or(0) ^ difference;
        put(bytes, place, &number.to_be_bytes());
    }
}

/// Cuts the tokens behind End of Data, and makes all lengths fit.
fn cut_status_list(bytes: &mut [u8]) {
    let length = get(bytes, offset::SUBPACKET_LENGTH).and_then(|length| length.try_into().ok());
    let end = length.and_then(|length: usize| offset::TOKENS.checked_add(length));
    let Some(tokens) = end.and_then(|end| bytes.get_mut(offset::TOKENS..end)) else {
        return;
    };
    let last = tokens.iter().rposition(|&byte| byte == token::END_OF_DATA);
    let kept = last.map_or(0, |last| last + 1);
    tokens.get_mut(kept..).unwrap_or_default().fill(0);
    put_lengths(bytes, kept);
}

/// The answer whose header is given, with deep lists in the place of its tokens.
pub(super) fn deep_lists(answer: &[u8], com_id: ComId) -> Vec<u8> {
    let mut bytes = answer
        .get(..offset::TOKENS)
        .map_or(vec![0; offset::TOKENS], <[u8]>::to_vec);
    put(&mut bytes, offset::COM_ID, &com_id.0.to_be_bytes());
    put(&mut bytes, offset::OUTSTANDING_DATA, &[0; 8]);
    bytes.extend([token::START_LIST; DEPTH]);
    bytes.extend([token::END_LIST; DEPTH]);
    let status_list = [token::START_LIST, 0, 0, 0, token::END_LIST];
    bytes.push(token::END_OF_DATA);
    bytes.extend(status_list);
    let tokens = bytes.len() - offset::TOKENS;
    bytes.resize(offset::TOKENS + tokens.next_multiple_of(4), 0);
    put_lengths(&mut bytes, tokens);
    bytes
}

/// The lengths of Subpacket, Packet and ComPacket; the first leaves its padding out.
fn put_lengths(bytes: &mut [u8], tokens: usize) {
    let padded = tokens.next_multiple_of(4);
    for (place, length) in [
        (offset::SUBPACKET_LENGTH, tokens),
        (offset::PACKET_LENGTH, 12 + padded),
        (offset::COM_PACKET_LENGTH, 24 + 12 + padded),
    ] {
        let length = u32::try_from(length).unwrap_or(u32::MAX);
        put(bytes, place, &length.to_be_bytes());
    }
}

/// Writes bytes at a place, as far as it exists.
fn put(bytes: &mut [u8], place: usize, value: &[u8]) {
    let places = bytes.iter_mut().skip(place).zip(value);
    places.for_each(|(place, byte)| *place = *byte);
}

fn get(bytes: &[u8], place: usize) -> Option<u32> {
    let bytes = bytes.get(place..)?.first_chunk()?;
    Some(u32::from_be_bytes(*bytes))
}
