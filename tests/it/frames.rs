//! Every frame of the protocol reference: decoded, encoded again, and damaged in every way.

use sedkit::wire::token::byte;
use sedkit::wire::{ComPacket, MethodCall, MethodResponse, Packet, pretty};
use zeroize::Zeroizing;

use crate::vectors;

/// Frames whose tokens are no method call or answer: ends of sessions and transactions.
const OTHERS: [&str; 4] = ["7.9", "7.48.7", "7.48.8", "7.48.9"];

fn frames() -> Vec<(String, Vec<u8>)> {
    let names = vectors::names("frames", "hex").into_iter();
    let frames = names.map(|name| {
        let bytes = vectors::hex(&format!("frames/{name}.hex"));
        (name, bytes)
    });
    frames.collect()
}

fn tokens(name: &str, bytes: &[u8]) -> Zeroizing<Vec<u8>> {
    let com_packet = ComPacket::decode(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(com_packet.packets.len(), 1, "{name}");
    com_packet.packets[0].tokens()
}

/// The tokens as they are encoded again.
fn again(tokens: &[u8]) -> Option<Zeroizing<Vec<u8>>> {
    match *tokens.first()? {
        byte::CALL => Some(MethodCall::decode(tokens).ok()?.encode()),
        byte::START_LIST => Some(MethodResponse::decode(tokens).ok()?.encode()),
        _ => None,
    }
}

#[test]
fn every_frame_survives_a_round_trip() {
    let frames = frames();
    assert_eq!(frames.len(), 52);
    for (name, bytes) in frames {
        let com_packet = ComPacket::decode(&bytes).unwrap();
        assert_eq!(*com_packet.encode(), bytes, "{name}");
        let tokens = tokens(&name, &bytes);
        let expected = (!OTHERS.contains(&name.as_str())).then(|| tokens.clone());
        assert_eq!(again(&tokens), expected, "{name}");
    }
}

#[test]
fn the_tokens_around_sessions_are_what_they_are() {
    let found = OTHERS.map(|name| {
        let bytes = vectors::hex(&format!("frames/{name}.hex"));
        tokens(name, &bytes).to_vec()
    });
    let expected: [&[u8]; 4] = [
        &[0xfa],
        &[0xfa, 0xf1, 0xf9, 0xf0, 0, 0, 0, 0xf1],
        &[0xfb, 0],
        &[0xfc, 0],
    ];
    assert_eq!(found, expected);
}

#[test]
fn no_cut_frame_decodes() {
    for (name, bytes) in frames() {
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            assert!(ComPacket::decode(cut).is_err(), "{name} {length}");
            assert!(
                pretty::com_packet(cut).contains("error: "),
                "{name} {length}"
            );
        }
        let tokens = tokens(&name, &bytes);
        for length in 0..tokens.len() {
            assert_eq!(again(&tokens[..length]), None, "{name} {length}");
        }
    }
}

/// Reads the tokens as what they seem to be.
fn decode_tokens(packet: &Packet) {
    let tokens = packet.tokens();
    let _ = match tokens.first() {
        Some(&byte::CALL) => MethodCall::decode(&tokens).err(),
        _ => MethodResponse::decode(&tokens).err(),
    };
}

#[test]
fn no_damaged_frame_panics() {
    for (_, mut bytes) in frames() {
        for index in 0..bytes.len() {
            let original = bytes[index];
            for flip in 1..=u8::MAX {
                bytes[index] = original ^ flip;
                if flip.is_power_of_two() {
                    let _ = pretty::com_packet(&bytes);
                }
                if let Ok(com_packet) = ComPacket::decode(&bytes) {
                    com_packet.packets.iter().for_each(decode_tokens);
                }
            }
            bytes[index] = original;
        }
    }
}
