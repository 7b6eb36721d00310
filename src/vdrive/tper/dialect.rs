//! How a TPer writes tokens: atoms wider than they need be, and what follows the status list.
//!
//! The codec in `wire` writes the narrowest form. Drives are known that do not, and hosts must read
//! them all the same ([`crate::vdrive::profile::Defects`]).

use zeroize::Zeroizing;

use crate::vdrive::profile::{Defects, IntegerWidth};
use crate::wire::atom::Atom;
use crate::wire::token::{Token, byte};
use crate::wire::{DecodeError, Reader};

/// Bytes that what follows the status list may take at most.
pub(super) const MAX_TRAILING: u64 = 4;

/// How the numbers of a message are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dialect {
    four_byte_integers: bool,
    medium_names: bool,
}

impl Dialect {
    /// For the answers of methods.
    pub(super) const fn of_methods(defects: &Defects) -> Self {
        Self {
            four_byte_integers: matches!(defects.integers, IntegerWidth::Four),
            medium_names: defects.medium_names,
        }
    }

    /// For SyncSession.
    pub(super) const fn of_sync_session(defects: &Defects) -> Self {
        Self {
            four_byte_integers: !matches!(defects.integers, IntegerWidth::Minimal),
            medium_names: defects.medium_names,
        }
    }

    /// The same tokens in this dialect.
    pub(super) fn write(self, tokens: Zeroizing<Vec<u8>>) -> Zeroizing<Vec<u8>> {
        if !self.four_byte_integers && !self.medium_names {
            return tokens;
        }
        // What the codec has written, the codec can read.
        self.rewrite(&tokens).unwrap_or(tokens)
    }

    fn rewrite(self, tokens: &[u8]) -> Result<Zeroizing<Vec<u8>>, DecodeError> {
        let mut reader = Reader::new(tokens);
        let mut out = Zeroizing::new(Vec::with_capacity(2 * tokens.len()));
        let mut is_name = false;
        let mut in_status = false;
        while !reader.is_empty() {
            let start = reader.offset();
            let token = Token::decode(&mut reader)?;
            let same = tokens.get(start..reader.offset()).unwrap_or_default();
            match token {
                Token::Atom(Atom::Uint(number)) if self.four_byte_integers && !in_status => {
                    push_four_bytes(&mut out, number);
                }
                Token::Atom(Atom::Bytes(name)) if self.medium_names && is_name => {
                    push_medium(&mut out, name);
                }
                _ => out.extend_from_slice(same),
            }
            is_name = token == Token::StartName;
            in_status |= token == Token::EndOfData;
        }
        Ok(out)
    }
}

/// A short atom of four bytes, where the number fits.
fn push_four_bytes(out: &mut Vec<u8>, number: u64) {
    const SHORT_OF_4: u8 = 0x84;
    match u32::try_from(number) {
        Ok(number) => {
            out.push(SHORT_OF_4);
            out.extend(number.to_be_bytes());
        }
        Err(_) => crate::wire::atom::encode_uint(out, number),
    }
}

/// A medium atom, where the bytes fit.
fn push_medium(out: &mut Vec<u8>, bytes: &[u8]) {
    const MEDIUM_BYTES: u16 = 0xd000;
    match u16::try_from(bytes.len()) {
        Ok(length) if length < 0x0800 => {
            out.extend((MEDIUM_BYTES | length).to_be_bytes());
            out.extend(bytes);
        }
        _ => crate::wire::atom::encode_bytes(out, bytes),
    }
}

/// Appends what follows the status list: at least one byte, up to a multiple of four.
pub(super) fn push_trailing(tokens: &mut Vec<u8>, defects: &Defects) {
    if let Some(filler) = defects.trailing.byte()
        && tokens.last() == Some(&byte::END_LIST)
    {
        let length = (tokens.len() + 1).next_multiple_of(4);
        tokens.resize(length, filler);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdrive::profile::Trailing;

    /// Named value "PIN" = 1 and 300, then the status list.
    const TOKENS: [u8; 17] = [
        0xf0, 0xf2, 0xa3, b'P', b'I', b'N', 0x01, 0xf3, 0x82, 0x01, 0x2c, 0xf1, 0xf9, 0xf0, 0x00,
        0x00, 0xf1,
    ];

    fn written(defects: &Defects) -> Vec<u8> {
        Dialect::of_methods(defects)
            .write(Zeroizing::new(TOKENS.to_vec()))
            .to_vec()
    }

    #[test]
    fn integers_have_four_bytes_and_names_are_medium_atoms() {
        let mut defects = Defects::default();
        assert_eq!(written(&defects), TOKENS);
        defects.integers = IntegerWidth::Four;
        let wide = [
            0xf0, 0xf2, 0xa3, b'P', b'I', b'N', 0x84, 0, 0, 0, 1, 0xf3, 0x84, 0, 0, 0x01, 0x2c,
            0xf1, 0xf9, 0xf0, 0x00, 0x00, 0xf1,
        ];
        assert_eq!(written(&defects), wide);
        defects.integers = IntegerWidth::Minimal;
        defects.medium_names = true;
        let medium = [
            0xf0, 0xf2, 0xd0, 0x03, b'P', b'I', b'N', 0x01, 0xf3, 0x82, 0x01, 0x2c, 0xf1, 0xf9,
            0xf0, 0x00, 0x00, 0xf1,
        ];
        assert_eq!(written(&defects), medium);
    }

    #[test]
    fn what_follows_fills_up_to_four_bytes() {
        let mut defects = Defects::default();
        for (trailing, expected) in [
            (Trailing::Nothing, &[][..]),
            (Trailing::EmptyAtoms, &[0xff; 3]),
            (Trailing::Zeros, &[0; 3]),
        ] {
            defects.trailing = trailing;
            let mut tokens = TOKENS.to_vec();
            push_trailing(&mut tokens, &defects);
            assert_eq!(tokens.get(TOKENS.len()..), Some(expected));
        }
    }
}
