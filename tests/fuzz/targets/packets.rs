//! ComPackets: any bytes are one or an error, and the explanation of them ends too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sedkit::wire::{ComPacket, pretty};

fuzz_target!(|data: &[u8]| {
    // The text is for people and may say anything, so long as it comes to an end.
    let _ = pretty::com_packets(data);
    let Ok(packet) = ComPacket::decode(data) else {
        return;
    };
    let again = ComPacket::decode(&packet.encode()).expect("what was encoded can be decoded");
    assert_eq!(packet, again);
});
