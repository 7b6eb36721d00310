//! Atoms: the integers and byte strings of a token stream (\[Core\] 3.2.2.3.1).
//!
//! | first byte | atom | length of the data |
//! |---|---|---|
//! | `00`–`3f` | tiny, unsigned | the six low bits are the value |
//! | `40`–`7f` | tiny, signed | the six low bits are the value |
//! | `80`–`bf` | short | low four bits of the first byte |
//! | `c0`–`df` | medium | low three bits of the first byte, and the next byte |
//! | `e0`–`e3` | long | the next three bytes |
//!
//! In short, medium and long atoms one bit tells integers (0) from byte strings (1), and the next
//! lower bit tells signed from unsigned integers, and byte strings that continue from ones that end.

use super::{DecodeError, DecodeErrorKind, Reader};

/// An integer or a byte string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom<'a> {
    /// An unsigned integer of any width up to 64 bits.
    Uint(u64),
    /// A signed integer of any width up to 64 bits.
    Int(i64),
    /// A byte string.
    Bytes(&'a [u8]),
    /// A byte string that the next atom continues. No SSC here supports it.
    Continued(&'a [u8]),
}

/// What the header of an atom says.
struct Header {
    is_bytes: bool,
    is_signed: bool,
    length: usize,
}

impl<'a> Atom<'a> {
    /// Decodes one atom.
    ///
    /// Integers may have any width; leading zeros (or sign bytes) beyond 64 bits are dropped.
    ///
    /// # Errors
    /// [`DecodeErrorKind::Truncated`], [`DecodeErrorKind::IntegerTooWide`], or
    /// [`DecodeErrorKind::ReservedToken`] if the next token is no atom.
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let start = reader.offset();
        let first = reader.u8()?;
        if first < 0x80 {
            return Ok(tiny(first));
        }
        let header = Header::decode(first, reader)
            .and_then(|header| header.ok_or(DecodeError::new(0, reserved(first))))
            .map_err(|error| DecodeError::new(start, error.kind))?;
        let data = reader.take(header.length)?;
        header
            .atom(data)
            .ok_or(DecodeError::new(start, DecodeErrorKind::IntegerTooWide))
    }
}

const fn reserved(first: u8) -> DecodeErrorKind {
    DecodeErrorKind::ReservedToken(first)
}

fn tiny(first: u8) -> Atom<'static> {
    let low = first & 0x3f;
    if first & 0x40 == 0 {
        return Atom::Uint(u64::from(low));
    }
    let value = i64::from(low);
    Atom::Int(if low & 0x20 == 0 { value } else { value - 64 })
}

impl Header {
    /// The header that `first` begins; `None` if it begins no atom.
    fn decode(first: u8, reader: &mut Reader<'_>) -> Result<Option<Self>, DecodeError> {
        let (byte_bit, sign_bit, length) = match first {
            0x80..=0xbf => (0x20, 0x10, usize::from(first & 0x0f)),
            0xc0..=0xdf => (
                0x10,
                0x08,
                usize::from(first & 0x07) << 8 | usize::from(reader.u8()?),
            ),
            0xe0..=0xe3 => {
                let [a, b, c] = reader.array()?;
                (
                    0x02,
                    0x01,
                    usize::from(a) << 16 | usize::from(b) << 8 | usize::from(c),
                )
            }
            _ => return Ok(None),
        };
        let (is_bytes, is_signed) = (first & byte_bit != 0, first & sign_bit != 0);
        Ok(Some(Self {
            is_bytes,
            is_signed,
            length,
        }))
    }

    /// The atom with this header and data; `None` if it is an integer of more than 64 bits.
    fn atom<'a>(&self, data: &'a [u8]) -> Option<Atom<'a>> {
        match (self.is_bytes, self.is_signed) {
            (true, false) => Some(Atom::Bytes(data)),
            (true, true) => Some(Atom::Continued(data)),
            (false, false) => unsigned(data).map(Atom::Uint),
            (false, true) => signed(data).map(Atom::Int),
        }
    }
}

fn unsigned(data: &[u8]) -> Option<u64> {
    let (high, low) = split_low(data);
    high.iter().all(|&byte| byte == 0).then(|| fold(low, 0))
}

fn signed(data: &[u8]) -> Option<i64> {
    let fill = if data.first().is_some_and(|first| first & 0x80 != 0) {
        0xff
    } else {
        0
    };
    let (high, low) = split_low(data);
    let seed = if fill == 0xff { u64::MAX } else { 0 };
    let value = fold(low, seed).cast_signed();
    let fits = high.iter().all(|&byte| byte == fill) && (value < 0) == (fill == 0xff);
    fits.then_some(value)
}

fn split_low(data: &[u8]) -> (&[u8], &[u8]) {
    data.split_at_checked(data.len().saturating_sub(8))
        .unwrap_or((&[], data))
}

fn fold(bytes: &[u8], seed: u64) -> u64 {
    bytes
        .iter()
        .fold(seed, |value, &byte| value << 8 | u64::from(byte))
}

/// Appends an unsigned integer in its shortest form.
pub fn encode_uint(out: &mut Vec<u8>, value: u64) {
    if let Ok(low @ 0..=0x3f) = u8::try_from(value) {
        out.push(low);
        return;
    }
    let bytes = value.to_be_bytes();
    let significant = significant_bytes(value);
    out.push(0x80 | u8::try_from(significant).unwrap_or(8));
    out.extend(bytes.iter().skip(bytes.len() - significant));
}

fn significant_bytes(value: u64) -> usize {
    8 - usize::try_from(value.leading_zeros() / 8).unwrap_or(0)
}

/// Appends a signed integer in its shortest form.
pub fn encode_int(out: &mut Vec<u8>, value: i64) {
    if (-32..32).contains(&value) {
        let [.., low] = value.to_be_bytes();
        out.push(0x40 | low & 0x3f);
        return;
    }
    let bytes = value.to_be_bytes();
    let redundant = bytes
        .windows(2)
        .take_while(|pair| is_sign_extension(pair))
        .count();
    out.push(0x90 | u8::try_from(bytes.len() - redundant).unwrap_or(8));
    out.extend(bytes.iter().skip(redundant));
}

fn is_sign_extension(pair: &[u8]) -> bool {
    matches!(pair, [0x00, next] if next & 0x80 == 0)
        || matches!(pair, [0xff, next] if next & 0x80 != 0)
}

/// Appends a byte string in its shortest form.
///
/// # Panics
/// Never: strings beyond the 16,777,215 bytes of a long atom are cut, and no caller has one, since
/// every buffer is bounded by [`crate::transport::MAX_BUFFER`].
pub fn encode_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    let length = u32::try_from(bytes.len()).unwrap_or(LONG_MAX).min(LONG_MAX);
    let [_, a, b, c] = length.to_be_bytes();
    match length {
        0..=0x0f => out.push(0xa0 | c),
        0x10..=0x07ff => out.extend([0xd0 | b, c]),
        _ => out.extend([0xe2, a, b, c]),
    }
    out.extend(bytes.iter().take(LONG_MAX as usize));
}

const LONG_MAX: u32 = 0x00ff_ffff;

/// The size in bytes of a byte string as [`encode_bytes`] writes it, header included.
#[must_use]
pub const fn encoded_bytes_len(length: usize) -> usize {
    match length {
        0..=0x0f => 1 + length,
        0x10..=0x07ff => 2 + length,
        _ => 4 + length,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Atom<'_>, DecodeError> {
        let mut reader = Reader::new(bytes);
        let atom = Atom::decode(&mut reader)?;
        reader.finish().map(|()| atom)
    }

    #[test]
    fn tiny_atoms_hold_six_bits() {
        assert_eq!(decode(&[0x3f]), Ok(Atom::Uint(63)));
        assert_eq!(decode(&[0x5f]), Ok(Atom::Int(31)));
        assert_eq!(decode(&[0x60]), Ok(Atom::Int(-32)));
        assert_eq!(decode(&[0x7f]), Ok(Atom::Int(-1)));
    }

    #[test]
    fn integers_may_be_wider_than_needed() {
        // A real drive's SyncSession and Properties.
        assert_eq!(decode(&[0x84, 0, 0, 0, 0x69]), Ok(Atom::Uint(105)));
        assert_eq!(decode(&[0x83, 0x02, 0, 0]), Ok(Atom::Uint(131_072)));
        let mut wide = vec![0x8f];
        wide.extend([0; 14]);
        wide.push(7);
        assert_eq!(decode(&wide), Ok(Atom::Uint(7)));
    }

    #[test]
    fn integers_beyond_64_bits_are_refused() {
        let bytes = [0x89, 1, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(
            decode(&bytes),
            Err(DecodeError::new(0, DecodeErrorKind::IntegerTooWide))
        );
        let bytes = [0x99, 0x00, 0x80, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(
            decode(&bytes),
            Err(DecodeError::new(0, DecodeErrorKind::IntegerTooWide))
        );
    }

    #[test]
    fn medium_and_long_atoms_have_their_lengths() {
        assert_eq!(
            decode(&[0xd0, 0x02, 0xaa, 0xbb]),
            Ok(Atom::Bytes(&[0xaa, 0xbb]))
        );
        assert_eq!(decode(&[0xc0, 0x01, 0x05]), Ok(Atom::Uint(5)));
        assert_eq!(decode(&[0xe2, 0, 0, 1, 0xcc]), Ok(Atom::Bytes(&[0xcc])));
        assert_eq!(decode(&[0xb1, 0xcc]), Ok(Atom::Continued(&[0xcc])));
    }

    #[test]
    fn reserved_tokens_are_named() {
        let error = DecodeError::new(0, DecodeErrorKind::ReservedToken(0xe4));
        assert_eq!(decode(&[0xe4]), Err(error));
    }

    #[test]
    fn every_truncation_fails() {
        for atom in [
            &[0x84, 0, 0, 0, 0x69][..],
            &[0xd0, 2, 1, 2],
            &[0xe2, 0, 0, 2, 1, 2],
        ] {
            for length in 0..atom.len() {
                assert!(
                    decode(atom.get(..length).unwrap()).is_err(),
                    "{atom:x?} cut at {length}"
                );
            }
        }
    }

    #[test]
    fn encoding_is_the_shortest_form() {
        let encoded = |value| {
            let mut out = Vec::new();
            encode_uint(&mut out, value);
            out
        };
        assert_eq!(encoded(63), [0x3f]);
        assert_eq!(encoded(64), [0x81, 0x40]);
        assert_eq!(encoded(105), [0x81, 0x69]);
        assert_eq!(encoded(2048), [0x82, 0x08, 0x00]);
        assert_eq!(encoded(0x06_0000), [0x83, 0x06, 0x00, 0x00]);
        let mut out = Vec::new();
        encode_bytes(&mut out, &[0x11; 16]);
        assert_eq!(out.get(..3), Some(&[0xd0, 0x10, 0x11][..]));
    }

    proptest! {
        #[test]
        fn unsigned_integers_survive(value: u64) {
            let mut out = Vec::new();
            encode_uint(&mut out, value);
            prop_assert_eq!(decode(&out), Ok(Atom::Uint(value)));
        }

        #[test]
        fn signed_integers_survive(value: i64) {
            let mut out = Vec::new();
            encode_int(&mut out, value);
            prop_assert_eq!(decode(&out), Ok(Atom::Int(value)));
        }

        #[test]
        fn byte_strings_survive(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
            let mut out = Vec::new();
            encode_bytes(&mut out, &bytes);
            prop_assert_eq!(out.len(), encoded_bytes_len(bytes.len()));
            prop_assert_eq!(decode(&out), Ok(Atom::Bytes(&bytes)));
        }
    }
}
