//! Token streams: any bytes are tokens or an error, and what was understood survives a round trip.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sedkit::wire::{MethodCall, MethodResponse, Reader, Token, Value};

fuzz_target!(|data: &[u8]| {
    walk_tokens(data);
    walk_values(data);
    if let Ok(call) = MethodCall::decode(data) {
        let again = MethodCall::decode(&call.encode()).expect("what was encoded can be decoded");
        assert_eq!(call, again);
    }
    if let Ok(response) = MethodResponse::decode(data) {
        let again = MethodResponse::decode(&response.encode()).expect("likewise");
        assert_eq!(response, again);
    }
});

/// Takes tokens until the end or an error; each must move on.
fn walk_tokens(data: &[u8]) {
    let mut reader = Reader::new(data);
    while let Ok(Some(peeked)) = Token::peek(&mut reader) {
        let before = reader.remaining();
        let taken = Token::next(&mut reader).expect("a token that was seen can be taken");
        assert_eq!(taken, Some(peeked));
        assert!(reader.remaining() < before, "{peeked:?} took nothing");
    }
}

/// Takes values until the end or an error; each survives a round trip.
fn walk_values(data: &[u8]) {
    let mut reader = Reader::new(data);
    while !reader.is_empty() {
        let Ok(value) = Value::decode(&mut reader) else {
            return;
        };
        let mut bytes = Vec::new();
        value.encode(&mut bytes);
        let again = Value::decode(&mut Reader::new(&bytes)).expect("likewise");
        assert_eq!(value, again);
    }
}
