//! Tokens: atoms and the control tokens between them (\[Core\] 3.2.2.3).

use super::atom::Atom;
use super::{DecodeError, Reader};

/// One token of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// An integer or a byte string.
    Atom(Atom<'a>),
    /// `f0`.
    StartList,
    /// `f1`.
    EndList,
    /// `f2`.
    StartName,
    /// `f3`.
    EndName,
    /// `f8`.
    Call,
    /// `f9`.
    EndOfData,
    /// `fa`.
    EndOfSession,
    /// `fb`; a status follows.
    StartTransaction,
    /// `fc`; a status follows.
    EndTransaction,
    /// `ff`: nothing, anywhere.
    Empty,
}

/// The bytes of the control tokens.
pub mod byte {
    /// Start List.
    pub const START_LIST: u8 = 0xf0;
    /// End List.
    pub const END_LIST: u8 = 0xf1;
    /// Start Name.
    pub const START_NAME: u8 = 0xf2;
    /// End Name.
    pub const END_NAME: u8 = 0xf3;
    /// Call.
    pub const CALL: u8 = 0xf8;
    /// End of Data.
    pub const END_OF_DATA: u8 = 0xf9;
    /// End of Session.
    pub const END_OF_SESSION: u8 = 0xfa;
    /// Start Transaction.
    pub const START_TRANSACTION: u8 = 0xfb;
    /// End Transaction.
    pub const END_TRANSACTION: u8 = 0xfc;
    /// Empty atom.
    pub const EMPTY: u8 = 0xff;
}

impl<'a> Token<'a> {
    /// Decodes one token, [`Token::Empty`] included.
    ///
    /// # Errors
    /// As [`Atom::decode`].
    pub fn decode(reader: &mut Reader<'a>) -> Result<Self, DecodeError> {
        let control = match reader.peek() {
            Some(byte::START_LIST) => Self::StartList,
            Some(byte::END_LIST) => Self::EndList,
            Some(byte::START_NAME) => Self::StartName,
            Some(byte::END_NAME) => Self::EndName,
            Some(byte::CALL) => Self::Call,
            Some(byte::END_OF_DATA) => Self::EndOfData,
            Some(byte::END_OF_SESSION) => Self::EndOfSession,
            Some(byte::START_TRANSACTION) => Self::StartTransaction,
            Some(byte::END_TRANSACTION) => Self::EndTransaction,
            Some(byte::EMPTY) => Self::Empty,
            _ => return Atom::decode(reader).map(Self::Atom),
        };
        reader.u8().map(|_| control)
    }

    /// Decodes the next token that is not empty; `None` at the end of the stream.
    ///
    /// # Errors
    /// As [`Token::decode`].
    pub fn next(reader: &mut Reader<'a>) -> Result<Option<Self>, DecodeError> {
        while !reader.is_empty() {
            match Self::decode(reader)? {
                Self::Empty => {}
                token => return Ok(Some(token)),
            }
        }
        Ok(None)
    }

    /// The next token that is not empty, without taking it. The reader stays before it.
    ///
    /// # Errors
    /// As [`Token::decode`].
    pub fn peek(reader: &mut Reader<'a>) -> Result<Option<Self>, DecodeError> {
        while reader.peek() == Some(byte::EMPTY) {
            reader.u8()?;
        }
        Self::next(&mut reader.clone())
    }

    /// The standard's name of the token, for messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Atom(Atom::Uint(_)) => "unsigned integer",
            Self::Atom(Atom::Int(_)) => "signed integer",
            Self::Atom(Atom::Bytes(_)) => "byte string",
            Self::Atom(Atom::Continued(_)) => "continued byte string",
            Self::StartList => "Start List",
            Self::EndList => "End List",
            Self::StartName => "Start Name",
            Self::EndName => "End Name",
            Self::Call => "Call",
            Self::EndOfData => "End of Data",
            Self::EndOfSession => "End of Session",
            Self::StartTransaction => "Start Transaction",
            Self::EndTransaction => "End Transaction",
            Self::Empty => "Empty",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_atoms_are_skipped_anywhere() {
        let mut reader = Reader::new(&[0xff, 0xf0, 0xff, 0xff, 0x05, 0xf1, 0xff]);
        assert_eq!(Token::peek(&mut reader), Ok(Some(Token::StartList)));
        assert_eq!(Token::next(&mut reader), Ok(Some(Token::StartList)));
        assert_eq!(
            Token::next(&mut reader),
            Ok(Some(Token::Atom(Atom::Uint(5))))
        );
        assert_eq!(Token::next(&mut reader), Ok(Some(Token::EndList)));
        assert_eq!(Token::next(&mut reader), Ok(None));
    }

    #[test]
    fn reserved_control_tokens_are_refused() {
        for reserved in [0xe4, 0xef, 0xf4, 0xf7, 0xfd, 0xfe] {
            assert!(
                Token::decode(&mut Reader::new(&[reserved])).is_err(),
                "{reserved:#x}"
            );
        }
    }
}
