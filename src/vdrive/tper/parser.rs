//! The token stream of a Packet, cut into what a TPer carries out (\[Core\] 3.2.2, 3.2.4).
//!
//! The stream is read to its end before anything is carried out, so a method in a stream that is
//! malformed further on has no effect. What the TPer answers to a malformed stream depends on where
//! the offending token stands (\[Core\] 3.2.2.4.2); the parser tells the place, and the caller
//! decides.

use crate::spec::{MethodStatus, Uid};
use crate::wire::atom::Atom;
use crate::wire::value::MAX_DEPTH;
use crate::wire::{MethodCall, Reader, Token, Value};

/// A stream, as far as it could be read.
#[derive(Debug, PartialEq)]
pub(crate) struct Stream {
    /// What stands in it.
    pub(crate) items: Vec<Item>,
    /// What ended it before its end.
    pub(crate) violation: Option<Violation>,
}

/// One thing to carry out.
#[derive(Debug, PartialEq)]
pub(crate) enum Item {
    /// A method.
    Call(MethodCall),
    /// Start Transaction, and the status that the host sent with it.
    StartTransaction(u64),
    /// End Transaction, and the status that the host sent with it.
    EndTransaction(u64),
    /// End of Session. Whatever follows is not read: Linux appends the trailer of a method.
    EndOfSession,
}

/// What is wrong with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// A reserved or unsupported token, one that is too large, or the end inside a method.
    Malformed,
    /// A token that exists, in a place where it may not stand.
    Unexpected(Place),
    /// More methods than the TPer takes at once.
    TooMany,
}

/// Where an unexpected token stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Between methods.
    Outside,
    /// Invoking UID or method UID.
    Header,
    /// The parameter list.
    Parameters,
    /// End of Data and the status list.
    Status,
}

/// What the TPer said that it takes (\[Core\] 5.2.2).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// `MaxIndTokenSize`.
    pub(crate) token: u64,
    /// `MaxMethods`.
    pub(crate) methods: u64,
}

type Result<T> = std::result::Result<T, Violation>;

/// Reads a stream.
pub(crate) fn parse(tokens: &[u8], limits: Limits) -> Stream {
    let mut parser = Parser {
        reader: Reader::new(tokens),
        limits,
        methods: 0,
    };
    let mut items = Vec::new();
    loop {
        match parser.item() {
            Ok(None) => break,
            Ok(Some(Item::EndOfSession)) => {
                items.push(Item::EndOfSession);
                break;
            }
            Ok(Some(item)) => items.push(item),
            Err(violation) => {
                return Stream {
                    items,
                    violation: Some(violation),
                };
            }
        }
    }
    Stream {
        items,
        violation: None,
    }
}

struct Parser<'a> {
    reader: Reader<'a>,
    limits: Limits,
    methods: u64,
}

impl<'a> Parser<'a> {
    fn item(&mut self) -> Result<Option<Item>> {
        let item = match self.next()? {
            None => return Ok(None),
            Some(Token::Call) => self.call().map(Item::Call),
            Some(Token::StartTransaction) => self.status_code().map(Item::StartTransaction),
            Some(Token::EndTransaction) => self.status_code().map(Item::EndTransaction),
            Some(Token::EndOfSession) => Ok(Item::EndOfSession),
            Some(_) => Err(Violation::Unexpected(Place::Outside)),
        };
        item.map(Some)
    }

    fn call(&mut self) -> Result<MethodCall> {
        self.methods += 1;
        if self.methods > self.limits.methods {
            return Err(Violation::TooMany);
        }
        let mut call = MethodCall::new(self.uid()?, self.uid()?);
        self.expect(&Token::StartList, Place::Parameters)?;
        call.arguments = self.list(0)?;
        self.expect(&Token::EndOfData, Place::Status)?;
        call.status = self.status_list()?;
        Ok(call)
    }

    fn uid(&mut self) -> Result<Uid> {
        let unexpected = Violation::Unexpected(Place::Header);
        let Token::Atom(Atom::Bytes(bytes)) = self.token()? else {
            return Err(unexpected);
        };
        let bytes = bytes.try_into().map_err(|_| unexpected)?;
        Ok(Uid::from_bytes(bytes))
    }

    fn status_list(&mut self) -> Result<MethodStatus> {
        let unexpected = Violation::Unexpected(Place::Status);
        self.expect(&Token::StartList, Place::Status)?;
        let (code, _, _) = (self.code()?, self.code()?, self.code()?);
        self.expect(&Token::EndList, Place::Status)?;
        u8::try_from(code).map(MethodStatus).map_err(|_| unexpected)
    }

    fn code(&mut self) -> Result<u64> {
        match self.token()? {
            Token::Atom(Atom::Uint(code)) => Ok(code),
            _ => Err(Violation::Unexpected(Place::Status)),
        }
    }

    fn status_code(&mut self) -> Result<u64> {
        match self.token()? {
            Token::Atom(Atom::Uint(code)) => Ok(code),
            _ => Err(Violation::Unexpected(Place::Outside)),
        }
    }

    /// The values up to End List.
    fn list(&mut self, depth: usize) -> Result<Vec<Value>> {
        let mut values = Vec::new();
        loop {
            match self.token()? {
                Token::EndList => return Ok(values),
                token => values.push(self.value(token, depth)?),
            }
        }
    }

    fn value(&mut self, token: Token<'a>, depth: usize) -> Result<Value> {
        if depth > MAX_DEPTH {
            return Err(Violation::Malformed);
        }
        match token {
            Token::Atom(Atom::Uint(number)) => Ok(Value::Uint(number)),
            Token::Atom(Atom::Bytes(bytes)) => Ok(Value::bytes(bytes)),
            Token::StartList => self.list(depth + 1).map(Value::List),
            Token::StartName => self.named(depth + 1),
            _ => Err(Violation::Unexpected(Place::Parameters)),
        }
    }

    fn named(&mut self, depth: usize) -> Result<Value> {
        let name = match self.token()? {
            Token::Atom(Atom::Uint(number)) => Value::Uint(number),
            Token::Atom(Atom::Bytes(bytes)) => Value::bytes(bytes),
            _ => return Err(Violation::Unexpected(Place::Parameters)),
        };
        let token = self.token()?;
        let value = self.value(token, depth)?;
        self.expect(&Token::EndName, Place::Parameters)?;
        Ok(Value::named(name, value))
    }

    fn expect(&mut self, expected: &Token<'_>, place: Place) -> Result<()> {
        if self.token()? == *expected {
            return Ok(());
        }
        Err(Violation::Unexpected(place))
    }

    /// The next token, which must exist.
    fn token(&mut self) -> Result<Token<'a>> {
        self.next()?.ok_or(Violation::Malformed)
    }

    /// The next token that is not empty. Signed integers and continued tokens are not supported
    /// (\[Opal\] 3.3.4).
    fn next(&mut self) -> Result<Option<Token<'a>>> {
        loop {
            if self.reader.is_empty() {
                return Ok(None);
            }
            let start = self.reader.offset();
            let token = Token::decode(&mut self.reader).map_err(|_| Violation::Malformed)?;
            let size = self.reader.offset().saturating_sub(start);
            let is_too_large = u64::try_from(size).map_or(true, |size| size > self.limits.token);
            match token {
                Token::Empty => {}
                Token::Atom(Atom::Int(_) | Atom::Continued(_)) => return Err(Violation::Malformed),
                _ if is_too_large => return Err(Violation::Malformed),
                token => return Ok(Some(token)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::spec::{method, uid};

    const LIMITS: Limits = Limits {
        token: 64,
        methods: 1,
    };

    fn random() -> MethodCall {
        MethodCall::new(uid::THIS_SP, method::RANDOM).argument(32_u64)
    }

    fn tokens() -> Vec<u8> {
        random().encode().to_vec()
    }

    fn violation(tokens: &[u8]) -> Option<Violation> {
        parse(tokens, LIMITS).violation
    }

    #[test]
    fn a_call_is_read_as_it_was_written() {
        let stream = parse(&tokens(), LIMITS);
        assert_eq!(stream.items, [Item::Call(random())]);
        assert_eq!(stream.violation, None);
    }

    #[test]
    fn every_truncation_is_malformed() {
        let tokens = tokens();
        for length in 1..tokens.len() {
            let cut = &tokens[..length];
            assert_eq!(violation(cut), Some(Violation::Malformed), "{length}");
        }
    }

    #[test]
    fn the_place_of_an_unexpected_token_is_told() {
        // [Core] 3.2.2.4.2; certification tests ETC-05 to ETC-08.
        let unexpected = |place| Some(Violation::Unexpected(place));
        let tokens = tokens();
        let with = |index: usize, token: u8| {
            let mut tokens = tokens.clone();
            tokens.insert(index, token);
            tokens
        };
        assert_eq!(violation(&with(0, 0xf1)), unexpected(Place::Outside));
        assert_eq!(violation(&with(1, 0xf1)), unexpected(Place::Header));
        assert_eq!(violation(&with(10, 0xf1)), unexpected(Place::Header));
        assert_eq!(violation(&with(19, 0xf9)), unexpected(Place::Parameters));
        assert_eq!(violation(&with(20, 0xf0)), unexpected(Place::Parameters));
        assert_eq!(violation(&with(22, 0x05)), unexpected(Place::Status));
        assert_eq!(violation(&with(24, 0xf0)), unexpected(Place::Status));
        let end = tokens.len();
        assert_eq!(violation(&with(end, 0xf1)), unexpected(Place::Outside));
    }

    #[test]
    fn unsupported_tokens_are_malformed_anywhere() {
        // [Opal] 3.3.4: neither signed integers nor continued tokens; E4h to EFh are reserved.
        for token in [&[0x41][..], &[0xb1, 0x00], &[0x91, 0x05], &[0xe4], &[0xfd]] {
            let mut bytes = tokens();
            bytes.splice(20..21, token.iter().copied());
            assert_eq!(violation(&bytes), Some(Violation::Malformed), "{token:x?}");
        }
    }

    #[test]
    fn a_token_beyond_the_announced_size_is_malformed() {
        let call = MethodCall::new(uid::THIS_SP, method::RANDOM);
        let with = |length| call.clone().argument(Value::bytes(&vec![0; length]));
        assert_eq!(violation(&with(62).encode()), None);
        let too_large = violation(&with(63).encode());
        assert_eq!(too_large, Some(Violation::Malformed));
    }

    #[test]
    fn nothing_is_read_after_end_of_session() {
        // Linux sends fa f1 f9 f0 00 00 00 f1.
        let stream = parse(&[0xfa, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1], LIMITS);
        assert_eq!(stream.items, [Item::EndOfSession]);
        assert_eq!(stream.violation, None);
    }

    #[test]
    fn transactions_carry_a_status() {
        let stream = parse(&[0xfb, 0x00, 0xfc, 0x01], LIMITS);
        let expected = [Item::StartTransaction(0), Item::EndTransaction(1)];
        assert_eq!(stream.items, expected);
        assert_eq!(violation(&[0xfb]), Some(Violation::Malformed));
        let outside = Some(Violation::Unexpected(Place::Outside));
        assert_eq!(violation(&[0xfb, 0xf8]), outside);
    }

    #[test]
    fn a_second_method_is_one_too_many() {
        let twice = [tokens(), tokens()].concat();
        let stream = parse(&twice, LIMITS);
        assert_eq!(stream.items.len(), 1);
        assert_eq!(stream.violation, Some(Violation::TooMany));
        let limits = Limits {
            methods: 2,
            ..LIMITS
        };
        assert_eq!(parse(&twice, limits).items.len(), 2);
    }

    #[test]
    fn ten_thousand_lists_end_in_a_violation() {
        let mut bytes = tokens();
        bytes.splice(20..20, std::iter::repeat_n(0xf0, 10_000));
        assert_eq!(violation(&bytes), Some(Violation::Malformed));
    }

    proptest! {
        #[test]
        fn any_bytes_end_cleanly(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            parse(&bytes, LIMITS);
        }

        #[test]
        fn parser_and_codec_agree(bytes in prop::collection::vec(any::<u8>(), 0..40), at in 20_usize..21) {
            let mut stream = tokens();
            stream.splice(at..at, bytes);
            let parsed = parse(&stream, Limits { token: 1 << 20, methods: 1 });
            if let (None, [Item::Call(call)]) = (parsed.violation, parsed.items.as_slice()) {
                prop_assert_eq!(MethodCall::decode(&stream), Ok(call.clone()));
            }
        }
    }
}
