//! Values: what a token stream means, as a tree (\[Core\] 3.2.2.4).

use std::fmt;

use zeroize::Zeroizing;

use super::atom::{self, Atom};
use super::token::byte;
use super::{DecodeError, DecodeErrorKind, Reader, Token};
use crate::spec::{HalfUid, Uid};

/// How deep lists and names may be nested. The deepest legal value, a cell block of a Boolean
/// expression, needs five levels.
pub const MAX_DEPTH: usize = 32;

/// An integer, a byte string, a list or a named value.
#[derive(Clone, PartialEq, Eq)]
pub enum Value {
    /// An unsigned integer; also Booleans and enumerations.
    Uint(u64),
    /// A signed integer.
    Int(i64),
    /// A byte string; also UIDs and names. Wiped when dropped, since it may be a PIN.
    Bytes(Zeroizing<Vec<u8>>),
    /// A list; also sets.
    List(Vec<Self>),
    /// A name (an integer, or a string in the Enterprise SSC) and its value.
    Named(Box<Self>, Box<Self>),
}

impl Value {
    /// A byte string.
    #[must_use]
    pub fn bytes(bytes: &[u8]) -> Self {
        Self::Bytes(Zeroizing::new(bytes.to_vec()))
    }

    /// A named value.
    #[must_use]
    pub fn named(name: impl Into<Self>, value: impl Into<Self>) -> Self {
        Self::Named(Box::new(name.into()), Box::new(value.into()))
    }

    /// A list.
    #[must_use]
    pub fn list(values: impl IntoIterator<Item = Self>) -> Self {
        Self::List(values.into_iter().collect())
    }

    /// The integer, if this is an unsigned one.
    #[must_use]
    pub const fn as_uint(&self) -> Option<u64> {
        match self {
            Self::Uint(value) => Some(*value),
            _ => None,
        }
    }

    /// The Boolean, if this is 0 or 1.
    #[must_use]
    pub const fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Uint(0) => Some(false),
            Self::Uint(1) => Some(true),
            _ => None,
        }
    }

    /// The bytes, if this is a byte string.
    #[must_use]
    pub fn as_bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The UID, if this is a byte string of eight bytes.
    #[must_use]
    pub fn as_uid(&self) -> Option<Uid> {
        self.as_bytes()?.try_into().ok().map(Uid::from_bytes)
    }

    /// The elements, if this is a list.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(values) => Some(values),
            _ => None,
        }
    }

    /// Name and value, if this is a named value.
    #[must_use]
    pub fn as_named(&self) -> Option<(&Self, &Self)> {
        match self {
            Self::Named(name, value) => Some((name, value)),
            _ => None,
        }
    }

    /// The value that has `name` among the named values of this list.
    #[must_use]
    pub fn field(&self, name: u64) -> Option<&Self> {
        self.as_list()?
            .iter()
            .find_map(|value| match value.as_named() {
                Some((Self::Uint(found), value)) if *found == name => Some(value),
                _ => None,
            })
    }

    /// Decodes one value; empty atoms around its tokens are skipped.
    ///
    /// # Errors
    /// Any [`DecodeErrorKind`] of tokens; [`DecodeErrorKind::Unexpected`] if no value stands there;
    /// [`DecodeErrorKind::TooDeep`].
    pub fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Self::decode_at(reader, 0)
    }

    fn decode_at(reader: &mut Reader<'_>, depth: usize) -> Result<Self, DecodeError> {
        if depth > MAX_DEPTH {
            return Err(reader.error(DecodeErrorKind::TooDeep));
        }
        let start = reader.offset();
        match expect_token(reader, "a value")? {
            Token::Atom(Atom::Uint(value)) => Ok(Self::Uint(value)),
            Token::Atom(Atom::Int(value)) => Ok(Self::Int(value)),
            Token::Atom(Atom::Bytes(bytes)) => Ok(Self::bytes(bytes)),
            Token::StartList => Self::decode_list(reader, depth),
            Token::StartName => Self::decode_named(reader, depth),
            token => Err(unexpected(start, &token, "a value")),
        }
    }

    fn decode_list(reader: &mut Reader<'_>, depth: usize) -> Result<Self, DecodeError> {
        let mut values = Vec::new();
        while Token::peek(reader)? != Some(Token::EndList) {
            values.push(Self::decode_at(reader, depth + 1)?);
        }
        Token::next(reader)?;
        Ok(Self::List(values))
    }

    fn decode_named(reader: &mut Reader<'_>, depth: usize) -> Result<Self, DecodeError> {
        let start = reader.offset();
        let name = match expect_token(reader, "a name")? {
            Token::Atom(Atom::Uint(value)) => Self::Uint(value),
            Token::Atom(Atom::Bytes(bytes)) => Self::bytes(bytes),
            token => return Err(unexpected(start, &token, "a name")),
        };
        let value = Self::decode_at(reader, depth + 1)?;
        let end = reader.offset();
        match expect_token(reader, "End Name")? {
            Token::EndName => Ok(Self::Named(Box::new(name), Box::new(value))),
            token => Err(unexpected(end, &token, "End Name")),
        }
    }

    /// Appends the value's tokens.
    pub fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Uint(value) => atom::encode_uint(out, *value),
            Self::Int(value) => atom::encode_int(out, *value),
            Self::Bytes(bytes) => atom::encode_bytes(out, bytes),
            Self::List(values) => encode_list(out, values),
            Self::Named(name, value) => {
                out.push(byte::START_NAME);
                name.encode(out);
                value.encode(out);
                out.push(byte::END_NAME);
            }
        }
    }
}

/// Appends a list of values.
pub fn encode_list(out: &mut Vec<u8>, values: &[Value]) {
    out.push(byte::START_LIST);
    for value in values {
        value.encode(out);
    }
    out.push(byte::END_LIST);
}

/// The next token, which must exist.
pub(crate) fn expect_token<'a>(
    reader: &mut Reader<'a>,
    expected: &'static str,
) -> Result<Token<'a>, DecodeError> {
    let end = DecodeErrorKind::Unexpected {
        found: "end of data",
        expected,
    };
    Token::next(reader)?.ok_or_else(|| reader.error(end))
}

pub(crate) const fn unexpected(
    offset: usize,
    token: &Token<'_>,
    expected: &'static str,
) -> DecodeError {
    DecodeError::new(
        offset,
        DecodeErrorKind::Unexpected {
            found: token.name(),
            expected,
        },
    )
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Uint(value)
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Uint(u64::from(value))
    }
}

impl From<Uid> for Value {
    fn from(uid: Uid) -> Self {
        Self::bytes(&uid.to_bytes())
    }
}

impl From<HalfUid> for Value {
    fn from(uid: HalfUid) -> Self {
        Self::bytes(&uid.to_bytes())
    }
}

impl From<&[u8]> for Value {
    fn from(bytes: &[u8]) -> Self {
        Self::bytes(bytes)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::bytes(text.as_bytes())
    }
}

impl From<Vec<Self>> for Value {
    fn from(values: Vec<Self>) -> Self {
        Self::List(values)
    }
}

impl fmt::Debug for Value {
    /// Byte strings appear by their length only: any of them may be a PIN.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Uint(value) => write!(f, "{value}"),
            Self::Int(value) => write!(f, "{value:+}"),
            Self::Bytes(bytes) => match self.as_uid().filter(|uid| uid.high() < 0x2000) {
                Some(uid) => write!(f, "{uid:?}"),
                None => write!(f, "<{} bytes>", bytes.len()),
            },
            Self::List(values) => f.debug_list().entries(values).finish(),
            Self::Named(name, value) => write!(f, "{name:?} = {value:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decode(bytes: &[u8]) -> Result<Value, DecodeError> {
        let mut reader = Reader::new(bytes);
        let value = Value::decode(&mut reader)?;
        reader.finish().map(|()| value)
    }

    #[test]
    fn a_real_cell_block_decodes() {
        // Get of C_PIN_MSID: startColumn = PIN, endColumn = PIN.
        let cell_block = [0xf0, 0xf2, 0x03, 0x03, 0xf3, 0xf2, 0x04, 0x03, 0xf3, 0xf1];
        let expected = Value::list([Value::named(3, 3), Value::named(4, 3)]);
        assert_eq!(decode(&cell_block), Ok(expected));
    }

    #[test]
    fn empty_atoms_inside_a_list_are_skipped() {
        let bytes = [
            0xff, 0xf0, 0xff, 0xf2, 0xff, 0x01, 0xff, 0x02, 0xff, 0xf3, 0xff, 0xf1,
        ];
        assert_eq!(decode(&bytes), Ok(Value::list([Value::named(1, 2)])));
    }

    #[test]
    fn ten_thousand_lists_end_in_an_error() {
        let error = decode(&[0xf0; 10_000]).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TooDeep);
    }

    #[test]
    fn unbalanced_tokens_are_refused() {
        for bytes in [
            &[0xf0, 0xf3][..],
            &[0xf2, 1, 2, 0xf1],
            &[0xf2, 0xf0, 0xf1, 1, 0xf3],
            &[0xf0],
        ] {
            assert!(decode(bytes).is_err(), "{bytes:x?}");
        }
    }

    #[test]
    fn debug_shows_no_bytes() {
        assert_eq!(format!("{:?}", Value::from("password")), "<8 bytes>");
    }

    impl From<i32> for Value {
        fn from(value: i32) -> Self {
            Self::Uint(u64::try_from(value).unwrap())
        }
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<u64>().prop_map(Value::Uint),
            any::<i64>().prop_map(Value::Int),
            prop::collection::vec(any::<u8>(), 0..40).prop_map(|bytes| Value::bytes(&bytes)),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
                (any::<u64>(), inner).prop_map(|(name, value)| Value::named(name, value)),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_survive_a_round_trip(value in any_value()) {
            let mut out = Vec::new();
            value.encode(&mut out);
            prop_assert_eq!(decode(&out), Ok(value));
        }

        #[test]
        fn any_bytes_decode_or_fail_cleanly(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = decode(&bytes);
        }
    }
}
