//! Dialogues as hosts hold them that nobody here wrote: the Linux kernel and sedutil.
//!
//! Their side is built from the protocol reference (sections 5.9.5, 7 and 8.3) and from trials with
//! a stock kernel, byte by byte, and reads answers as they do: by position. Nothing of the crate's
//! codec is used on it, so a slip of the codec that the virtual drive shares would show.

mod kernel;
mod kernel_dialogues;
mod kernel_sum;
mod sedutil;

/// Tokens of a request.
#[derive(Clone, Default)]
struct Request(Vec<u8>);

impl Request {
    /// `CALL object method [`.
    fn call(object: u64, method: u64) -> Self {
        Self(vec![0xf8])
            .uid(object)
            .uid(0x0000_0006_0000_0000 | method)
            .raw(0xf0)
    }

    /// The Session Manager's StartSession of a read-write session, up to its optional arguments.
    fn start_session(hsn: u32, sp: u64) -> Self {
        Self(vec![0xf8])
            .uid(0xff)
            .uid(0xff02)
            .raw(0xf0)
            .uint(u64::from(hsn))
            .uid(sp)
            .uint(1)
    }

    fn raw(mut self, byte: u8) -> Self {
        self.0.push(byte);
        self
    }

    /// A tiny atom, or a short one of as few bytes as hold the number.
    fn uint(mut self, number: u64) -> Self {
        if number < 64 {
            return self.raw(u8::try_from(number).unwrap());
        }
        let bytes = number.to_be_bytes();
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        self.0.push(0x80 | u8::try_from(8 - zeros).unwrap());
        self.0.extend(&bytes[zeros..]);
        self
    }

    /// A short atom below sixteen bytes, a medium one from there on, as Linux has it.
    fn bytes(mut self, bytes: &[u8]) -> Self {
        match u8::try_from(bytes.len()) {
            Ok(length @ 0..16) => self.0.push(0xa0 | length),
            _ => self.medium_header(bytes.len()),
        }
        self.0.extend(bytes);
        self
    }

    /// A medium atom whatever the length, as sedutil has it.
    fn medium(mut self, bytes: &[u8]) -> Self {
        self.medium_header(bytes.len());
        self.0.extend(bytes);
        self
    }

    fn medium_header(&mut self, length: usize) {
        let length = u16::try_from(length).unwrap();
        assert!(length < 0x0800);
        self.0.extend((0xd000 | length).to_be_bytes());
    }

    /// A long atom.
    fn long(mut self, bytes: &[u8]) -> Self {
        let length = u32::try_from(bytes.len()).unwrap();
        self.0.extend((0xe200_0000 | length).to_be_bytes());
        self.0.extend(bytes);
        self
    }

    fn uid(self, uid: u64) -> Self {
        self.bytes(&uid.to_be_bytes())
    }

    /// A name whose value is what `value` appends.
    fn named(self, name: u64, value: impl FnOnce(Self) -> Self) -> Self {
        value(self.raw(0xf2).uint(name)).raw(0xf3)
    }

    /// A list of what `values` appends.
    fn list(self, values: impl FnOnce(Self) -> Self) -> Self {
        values(self.raw(0xf0)).raw(0xf1)
    }

    /// `]`, End of Data and the status list.
    fn finish(mut self) -> Vec<u8> {
        self.0.extend([0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1]);
        self.0
    }

    /// Get of columns `first` to `last`.
    fn get(object: u64, first: u64, last: u64) -> Vec<u8> {
        let block = |request: Self| {
            request
                .named(3, |r| r.uint(first))
                .named(4, |r| r.uint(last))
        };
        Self::call(object, 0x16).list(block).finish()
    }

    /// Set of numbers.
    fn set(object: u64, cells: &[(u64, u64)]) -> Vec<u8> {
        let cells = |request: Self| {
            cells.iter().fold(request, |request, &(column, value)| {
                request.named(column, |r| r.uint(value))
            })
        };
        Self::call(object, 0x17)
            .named(1, |request| request.list(cells))
            .finish()
    }

    /// Set of PIN, column 3 of a C_PIN.
    fn set_pin(object: u64, pin: impl FnOnce(Self) -> Self) -> Vec<u8> {
        Self::call(object, 0x17)
            .named(1, |request| request.list(|r| r.named(3, pin)))
            .finish()
    }
}

/// A ComPacket of one Packet and one Subpacket, padded with zeros to `length` bytes.
fn frame(com_id: u16, session: (u32, u32), tokens: &[u8], length: usize) -> Vec<u8> {
    let number = |length: usize| u32::try_from(length).unwrap().to_be_bytes();
    let padded = tokens.len().next_multiple_of(4);
    let mut frame = vec![0; 4];
    frame.extend(com_id.to_be_bytes());
    frame.extend([0; 10]);
    frame.extend(number(24 + 12 + padded));
    frame.extend(session.0.to_be_bytes());
    frame.extend(session.1.to_be_bytes());
    frame.extend([0; 12]);
    frame.extend(number(12 + padded));
    frame.extend([0; 8]);
    frame.extend(number(tokens.len()));
    frame.extend(tokens);
    assert!(frame.len() <= length, "{} bytes", frame.len());
    frame.resize(length, 0);
    frame
}

/// One token of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token {
    Uint(u64),
    Bytes(Vec<u8>),
    Control(u8),
}

use Token::Control;

/// The tokens of an answer, read by position.
#[derive(Debug, PartialEq, Eq)]
struct Answer(Vec<Token>);

/// The most tokens that the kernel can hold; it does not check.
const MOST_TOKENS: usize = 64;

impl Answer {
    /// Reads what an IF-RECV brought for `session`; panics where the kernel or sedutil would give up.
    fn read(bytes: &[u8], com_id: u16, session: (u32, u32)) -> Self {
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(number(0), 0);
        assert_eq!(number(4), u32::from(com_id) << 16);
        assert_eq!((number(8), number(12)), (0, 0), "nothing else may wait");
        assert_eq!((number(20), number(24)), session);
        let tokens = usize::try_from(number(52)).unwrap();
        assert!(tokens > 0 && tokens <= 2048 - 56);
        let padded = u32::try_from(tokens.next_multiple_of(4)).unwrap();
        assert_eq!((number(16), number(40)), (36 + padded, 12 + padded));
        let answer = Self::tokens(&bytes[56..56 + tokens]);
        assert!(answer.0.len() <= MOST_TOKENS, "{} tokens", answer.0.len());
        answer
    }

    fn tokens(mut bytes: &[u8]) -> Self {
        let mut tokens = Vec::new();
        while let Some((&first, rest)) = bytes.split_first() {
            let (token, rest) = Self::token(first, rest);
            tokens.push(token);
            bytes = rest;
        }
        Self(tokens)
    }

    fn token(first: u8, rest: &[u8]) -> (Token, &[u8]) {
        let (length, header) = match first {
            0x00..0x40 => return (Token::Uint(u64::from(first)), rest),
            0x80..0x89 | 0xa0..0xb0 => (usize::from(first & 0x0f), 0),
            0xd0..0xd8 => (usize::from(first & 7) << 8 | usize::from(rest[0]), 1),
            0xf0..=0xfc => return (Control(first), rest),
            _ => panic!("neither host reads a token {first:#04x}"),
        };
        let (bytes, rest) = rest[header..].split_at(length);
        let number = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        match first {
            0x80..0x90 => (Token::Uint(number(bytes)), rest),
            _ => (Token::Bytes(bytes.to_vec()), rest),
        }
    }

    /// The status of the method: the fourth token from the end, in a list of three numbers.
    fn status(&self) -> u8 {
        match self.0.as_slice() {
            [Control(0xfa)] => 0,
            [
                ..,
                Control(0xf9),
                Control(0xf0),
                Token::Uint(status),
                Token::Uint(_),
                Token::Uint(_),
                Control(0xf1),
            ] => u8::try_from(*status).unwrap(),
            tokens => panic!("no status in {tokens:?}"),
        }
    }

    fn uint(&self, place: usize) -> u64 {
        match &self.0[place] {
            Token::Uint(number) => *number,
            token => panic!("{token:?} at {place}"),
        }
    }

    fn bytes(&self, place: usize) -> &[u8] {
        match &self.0[place] {
            Token::Bytes(bytes) => bytes,
            token => panic!("{token:?} at {place}"),
        }
    }

    /// Checks that this is `[ [ name column value` with the value in the fifth place.
    fn check_cell(&self, column: u64) {
        let start = [Control(0xf0), Control(0xf0), Control(0xf2)];
        assert_eq!(self.0[..3], start);
        assert_eq!(self.uint(3), column);
        assert_eq!(self.0[5], Control(0xf3));
    }
}
