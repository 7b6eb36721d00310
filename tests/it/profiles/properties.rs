//! Properties of the profiles, against what owners of such drives posted.

use sedkit::spec::{Hsn, Tsn};
use sedkit::wire::{ComPacket, MethodCall, Value};
use serde_json::Value as Json;

use super::drive;
use crate::support::Bench;
use crate::vectors::{hex, text};

/// sedutil's Properties request on the drive's ComID, and the answer.
fn exchange(bench: &mut Bench) -> Vec<u8> {
    let mut request = hex("frames/7.1.hex");
    request[4..6].copy_from_slice(&bench.com_id().0.to_be_bytes());
    bench.frame(&request)
}

fn tokens(answer: &[u8]) -> Vec<u8> {
    let packet = ComPacket::decode(answer).unwrap().packets.remove(0);
    assert_eq!(
        (packet.tsn, packet.hsn),
        (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER)
    );
    packet.tokens().to_vec()
}

fn pairs(list: &Value) -> Vec<(String, u64)> {
    let pairs = list.as_list().unwrap().iter();
    pairs
        .map(|pair| {
            let (name, value) = pair.as_named().unwrap();
            let name = String::from_utf8(name.as_bytes().unwrap().to_vec()).unwrap();
            (name, value.as_uint().unwrap())
        })
        .collect()
}

/// Bytes of the atom that follows a name in a stream of tokens.
fn value_size(tokens: &[u8], name: &str) -> usize {
    let place = tokens
        .windows(name.len())
        .position(|window| window == name.as_bytes())
        .unwrap();
    match tokens[place + name.len()] {
        0x00..=0x3f => 1,
        short => 1 + usize::from(short & 0x0f),
    }
}

/// The facts of a drive.
fn facts(file: &str) -> Json {
    let facts: Json = serde_json::from_str(&text(&format!("drives/{file}.json"))).unwrap();
    facts["properties"].clone()
}

/// Profile, and the file in `tests/vectors/drives`.
const SEEN: [(&str, &str); 4] = [
    ("samsung-pm981", "dta-468-samsung-pm981"),
    ("crucial-m550", "dta-300-crucial-m550"),
    ("crucial-mx200", "dta-64-crucial-mx200"),
    ("seagate-sata-hdd", "dta-392-seagate-sata-opal"),
];

#[test]
fn properties_come_in_the_drive_s_order_values_and_widths() {
    for (profile, file) in SEEN {
        let facts = facts(file);
        let mut bench = drive(profile);
        let tokens = tokens(&exchange(&mut bench));
        let call = MethodCall::decode(&tokens).unwrap();
        let told = pairs(&call.arguments[0]);
        let order = facts["order"].as_array().unwrap();
        let sizes = facts["value_atom_sizes_bytes"].as_array().unwrap();
        for (index, name) in order.iter().enumerate() {
            let name = name.as_str().unwrap();
            let value = facts["tper_properties"][name].as_u64().unwrap();
            assert_eq!(told[index], (name.to_owned(), value), "{profile}");
            let size = Json::from(value_size(&tokens, name));
            assert!(sizes.contains(&size), "{profile}: {name} in {size} bytes");
        }
    }
}

#[test]
fn the_answers_of_samsung_drives_have_the_lengths_that_were_seen() {
    for (profile, file) in [
        ("samsung-pm981", "dta-468-samsung-pm981"),
        ("samsung-pm961", "dta-524-samsung-pm961"),
    ] {
        let facts = facts(file);
        let answer = exchange(&mut drive(profile));
        let length = |place: usize| {
            u64::from(u32::from_be_bytes(
                answer[place..place + 4].try_into().unwrap(),
            ))
        };
        let lengths = [16, 40, 52].map(length);
        let seen = ["compacket_length", "packet_length", "subpacket_length"];
        let seen = seen.map(|name| facts[name].as_u64().unwrap());
        assert_eq!(lengths, seen, "{profile}");
        assert_eq!(answer.len() as u64, facts["total_length"].as_u64().unwrap());
    }
}

#[test]
fn western_digital_s_sizes_and_timeout_are_told() {
    // Reference 3.2: MaxComPacketSize 4200h, MaxPacketSize 41ECh, MaxIndTokenSize 4004h, 240 s.
    let mut bench = drive("wd-sn730");
    assert_eq!(bench.com_id().0, 0x7ffe);
    let call = MethodCall::decode(&tokens(&exchange(&mut bench))).unwrap();
    let told = pairs(&call.arguments[0]);
    for (name, value) in [
        ("MaxComPacketSize", 0x4200),
        ("MaxPacketSize", 0x41ec),
        ("MaxIndTokenSize", 0x4004),
        ("MaxAuthentications", 2),
        ("DefSessionTimeout", 240_000),
    ] {
        assert!(told.contains(&(name.to_owned(), value)), "{name}");
    }
}
