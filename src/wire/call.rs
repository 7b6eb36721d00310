//! Method calls and their answers (\[Core\] 3.2.4).
//!
//! A call is `Call, invoking UID, method UID, list of arguments, End of Data, status list`. Inside a
//! session the answer is `list of results, End of Data, status list`; the session manager answers
//! with a call of its own.

use zeroize::Zeroizing;

use super::token::byte;
use super::value::{encode_list, expect_token, unexpected};
use super::{DecodeError, DecodeErrorKind, Reader, Token, Value};
use crate::spec::{MethodStatus, Uid};

/// A method call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodCall {
    /// The object, table or SP on which the method is invoked.
    pub invoking_id: Uid,
    /// The method.
    pub method_id: Uid,
    /// Required arguments, then named optional ones.
    pub arguments: Vec<Value>,
    /// The status: SUCCESS in a request; anything else asks the receiver to do nothing. A session
    /// manager's answer carries its result here.
    pub status: MethodStatus,
}

/// The answer to a method call inside a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodResponse {
    /// The results; empty if the method failed.
    pub results: Vec<Value>,
    /// How the method ended.
    pub status: MethodStatus,
}

impl MethodCall {
    /// A call without arguments.
    #[must_use]
    pub const fn new(invoking_id: Uid, method_id: Uid) -> Self {
        Self {
            invoking_id,
            method_id,
            arguments: Vec::new(),
            status: MethodStatus::SUCCESS,
        }
    }

    /// Adds a required argument.
    #[must_use]
    pub fn argument(mut self, value: impl Into<Value>) -> Self {
        self.arguments.push(value.into());
        self
    }

    /// Adds an optional argument by its number.
    #[must_use]
    pub fn optional(self, number: u64, value: impl Into<Value>) -> Self {
        self.argument(Value::named(number, value))
    }

    /// Sets the status.
    #[must_use]
    pub const fn with_status(mut self, status: MethodStatus) -> Self {
        self.status = status;
        self
    }

    /// The tokens. The buffer is wiped when dropped, since an argument may be a PIN.
    #[must_use]
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(512));
        out.push(byte::CALL);
        Value::from(self.invoking_id).encode(&mut out);
        Value::from(self.method_id).encode(&mut out);
        encode_list(&mut out, &self.arguments);
        encode_status(&mut out, self.status);
        out
    }

    /// Decodes exactly one call.
    ///
    /// # Errors
    /// Any [`DecodeErrorKind`].
    pub fn decode(tokens: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(tokens);
        let call = Self::read(&mut reader)?;
        finish(&mut reader)?;
        Ok(call)
    }

    /// Decodes a call; more tokens may follow.
    ///
    /// # Errors
    /// Any [`DecodeErrorKind`].
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        expect(reader, Token::Call, "Call")?;
        let invoking_id = read_uid(reader)?;
        let method_id = read_uid(reader)?;
        let arguments = read_list(reader)?;
        let status = read_status(reader)?;
        Ok(Self {
            invoking_id,
            method_id,
            arguments,
            status,
        })
    }
}

impl MethodResponse {
    /// The answer of a method that succeeded.
    #[must_use]
    pub const fn success(results: Vec<Value>) -> Self {
        Self {
            results,
            status: MethodStatus::SUCCESS,
        }
    }

    /// The answer of a method that failed.
    #[must_use]
    pub const fn failure(status: MethodStatus) -> Self {
        Self {
            results: Vec::new(),
            status,
        }
    }

    /// The tokens. The buffer is wiped when dropped, since a result may be a PIN.
    #[must_use]
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Zeroizing::new(Vec::with_capacity(512));
        encode_list(&mut out, &self.results);
        encode_status(&mut out, self.status);
        out
    }

    /// Decodes exactly one answer.
    ///
    /// # Errors
    /// Any [`DecodeErrorKind`].
    pub fn decode(tokens: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(tokens);
        let response = Self::read(&mut reader)?;
        finish(&mut reader)?;
        Ok(response)
    }

    /// Decodes an answer; more tokens may follow.
    ///
    /// # Errors
    /// Any [`DecodeErrorKind`].
    pub fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let results = read_list(reader)?;
        let status = read_status(reader)?;
        Ok(Self { results, status })
    }
}

fn encode_status(out: &mut Vec<u8>, status: MethodStatus) {
    out.push(byte::END_OF_DATA);
    let status = Value::Uint(u64::from(status.0));
    encode_list(out, &[status, Value::Uint(0), Value::Uint(0)]);
}

fn expect(
    reader: &mut Reader<'_>,
    token: Token<'_>,
    name: &'static str,
) -> Result<(), DecodeError> {
    let offset = reader.offset();
    let found = expect_token(reader, name)?;
    if found == token {
        Ok(())
    } else {
        Err(unexpected(offset, &found, name))
    }
}

fn read_uid(reader: &mut Reader<'_>) -> Result<Uid, DecodeError> {
    let offset = reader.offset();
    let value = Value::decode(reader)?;
    let length = value.as_bytes().map_or(0, <[u8]>::len);
    value
        .as_uid()
        .ok_or(DecodeError::new(offset, DecodeErrorKind::UidLength(length)))
}

fn read_list(reader: &mut Reader<'_>) -> Result<Vec<Value>, DecodeError> {
    let offset = reader.offset();
    if let Some(token) = Token::peek(reader)?.filter(|token| *token != Token::StartList) {
        return Err(unexpected(offset, &token, "Start List"));
    }
    match Value::decode(reader)? {
        Value::List(values) => Ok(values),
        _ => Err(DecodeError::new(offset, DecodeErrorKind::StatusList)),
    }
}

fn read_status(reader: &mut Reader<'_>) -> Result<MethodStatus, DecodeError> {
    expect(reader, Token::EndOfData, "End of Data")?;
    let offset = reader.offset();
    let invalid = DecodeError::new(offset, DecodeErrorKind::StatusList);
    let list = read_list(reader).map_err(|error| match error.kind {
        DecodeErrorKind::Unexpected { .. } => invalid,
        _ => error,
    })?;
    let code = list.first().and_then(Value::as_uint).ok_or(invalid)?;
    u8::try_from(code).map(MethodStatus).map_err(|_| invalid)
}

/// Checks that only padding follows: empty atoms, or the zero bytes with which some drives fill up
/// a Subpacket.
fn finish(reader: &mut Reader<'_>) -> Result<(), DecodeError> {
    const ZERO: u8 = 0x00;
    let mut rest = reader.clone();
    let is_padding = |byte: &u8| matches!(*byte, byte::EMPTY | ZERO);
    if rest.rest().iter().all(is_padding) {
        return Ok(());
    }
    reader.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::{method, uid};

    /// Get of C_PIN_MSID.PIN, the tokens of a host that real drives answer.
    const GET_MSID: [u8; 0x25] = [
        0xf8, 0xa8, 0, 0, 0, 0x0b, 0, 0, 0x84, 0x02, 0xa8, 0, 0, 0, 0x06, 0, 0, 0, 0x16, 0xf0,
        0xf0, 0xf2, 0x03, 0x03, 0xf3, 0xf2, 0x04, 0x03, 0xf3, 0xf1, 0xf1, 0xf9, 0xf0, 0, 0, 0,
        0xf1,
    ];

    fn get_msid() -> MethodCall {
        MethodCall::new(uid::C_PIN_MSID, method::GET).argument(Value::list([
            Value::named(3_u64, 3_u64),
            Value::named(4_u64, 3_u64),
        ]))
    }

    #[test]
    fn a_call_has_the_bytes_that_drives_know() {
        assert_eq!(*get_msid().encode(), GET_MSID);
        assert_eq!(MethodCall::decode(&GET_MSID), Ok(get_msid()));
    }

    #[test]
    fn every_truncation_of_a_call_fails() {
        for length in 0..GET_MSID.len() {
            assert!(
                MethodCall::decode(GET_MSID.get(..length).unwrap()).is_err(),
                "{length}"
            );
        }
    }

    #[test]
    fn an_answer_carries_its_status() {
        let tokens = [0xf0, 0xf1, 0xf9, 0xf0, 0x01, 0x00, 0x00, 0xf1];
        let failure = MethodResponse::failure(MethodStatus::NOT_AUTHORIZED);
        assert_eq!(MethodResponse::decode(&tokens), Ok(failure.clone()));
        assert_eq!(*failure.encode(), tokens);
    }

    #[test]
    fn empty_atoms_pad_an_answer() {
        let tokens = [
            0xff, 0xf0, 0xf1, 0xff, 0xf9, 0xf0, 0x00, 0xff, 0x00, 0x00, 0xf1, 0xff, 0xff,
        ];
        assert_eq!(
            MethodResponse::decode(&tokens),
            Ok(MethodResponse::success(Vec::new()))
        );
    }

    #[test]
    fn zero_bytes_pad_an_answer() {
        let tokens = [0xf0, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1, 0x00, 0x00, 0xff];
        assert_eq!(
            MethodResponse::decode(&tokens),
            Ok(MethodResponse::success(Vec::new()))
        );
    }

    #[test]
    fn a_missing_status_list_is_an_error() {
        for tokens in [
            &[0xf0, 0xf1, 0xf9][..],
            &[0xf0, 0xf1],
            &[0xf0, 0xf1, 0xf9, 0xf0, 0xf1],
        ] {
            assert!(MethodResponse::decode(tokens).is_err(), "{tokens:x?}");
        }
        let wide = [0xf0, 0xf1, 0xf9, 0xf0, 0x82, 1, 0, 0, 0, 0xf1];
        let error = MethodResponse::decode(&wide).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::StatusList);
    }

    #[test]
    fn trailing_tokens_are_an_error() {
        let tokens = [0xf0, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1, 0x05];
        let error = MethodResponse::decode(&tokens).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TrailingBytes(1));
    }
}
