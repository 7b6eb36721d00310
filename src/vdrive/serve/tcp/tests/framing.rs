//! Digests, alignment, and which PDUs end a command.

use super::super::digest::digest;
use super::stub::{
    Bench, NOTHING, command, connect, data, hex, initialize, ready, response, with_digests,
};
use crate::vdrive::serve::nvme::{Completion, Status};

/// Transient Transport Error.
const TRANSIENT: u16 = 0x0022;

#[test]
fn the_handshake_grants_the_digests_that_are_wanted() {
    for digests in 0..4 {
        let answer = Bench::new().feed(&initialize(0, digests));
        assert_eq!(
            answer[..12],
            hex(&format!("01008000 80000000 000000{digests:02x}"))
        );
        assert_eq!(answer[12..16], [0, 0, 2, 0]);
        assert_eq!(answer[16..], [0; 112]);
    }
}

#[test]
fn digests_are_sent_where_they_are_agreed() {
    let mut bench = connected(3);
    bench.remember(&[0x11; 512]);
    let answer = bench.feed(&with_digests(&command(2, 7, 0x5a, 512, &[]), 72, 3));
    let mut header = hex("0707181c 20020000 07000000 00000000 00020000 00000000");
    header.extend(digest(&header));
    assert_eq!(answer[..28], header);
    assert_eq!(answer[28..540], [0x11; 512]);
    assert_eq!(answer[540..544], digest(&[0x11; 512]));
    let mut end = hex("05011800 1c000000 00000000 00000000 00000000 07000000");
    end.extend(digest(&end));
    assert_eq!(answer[544..], end);
}

#[test]
fn a_demand_for_data_carries_a_header_digest() {
    let mut bench = connected(1);
    let answer = bench.feed(&with_digests(&command(1, 7, 0x5a, 512, &[]), 72, 1));
    let mut demand = hex("09011800 1c000000 07000100 00000000 00020000 00000000");
    demand.extend(digest(&demand));
    assert_eq!(answer, demand);
}

#[test]
fn a_flipped_bit_under_the_header_digest_ends_the_connection() {
    let intact = with_digests(&command(2, 7, 0x5a, 512, &[]), 72, 3);
    for place in 8..76 {
        let mut bench = connected(3);
        let mut pdu = intact.clone();
        pdu[place] ^= 4;
        let answer = bench.feed(&pdu);
        assert_eq!(answer[..10], hex("03001800 60000000 0300"), "byte {place}");
        assert!(bench.end.is_some());
    }
}

#[test]
fn a_flipped_bit_under_the_data_digest_fails_the_command_only() {
    let mut bench = connected(2);
    let mut pdu = with_digests(&command(1, 7, 1, 512, &[0x11; 512]), 72, 2);
    pdu[72 + 100] ^= 1;
    assert_eq!(bench.feed(&pdu), response(7, TRANSIENT));
    pdu[72 + 100] ^= 1;
    assert_eq!(bench.feed(&pdu), response(7, 0));
}

#[test]
fn one_flipped_part_of_several_fails_the_command() {
    let mut bench = connected(2);
    assert_eq!(
        bench.feed(&command(1, 7, 0x5a, 1024, &[])),
        ready(7, 1, 1024)
    );
    let mut first = with_digests(&data(7, 1, 0, &[0x11; 512], false), 24, 2);
    *first.last_mut().unwrap() ^= 0x80;
    assert_eq!(bench.feed(&first), NOTHING);
    let second = with_digests(&data(7, 1, 512, &[0x22; 512], true), 24, 2);
    assert_eq!(bench.feed(&second), response(7, TRANSIENT));
    assert_eq!(bench.end, None);
}

#[test]
fn data_are_aligned_as_the_host_wants_it() {
    for (hpda, digests, pdo) in [(0, 0, 24), (0, 1, 28), (7, 0, 32), (7, 1, 32), (31, 3, 128)] {
        let mut bench = Bench::initialized(hpda, digests);
        bench.feed(&with_digests(&connect(0), 72, digests));
        bench.remember(&[0x33; 64]);
        let answer = bench.feed(&with_digests(&command(2, 7, 0x5a, 64, &[]), 72, digests));
        let start = usize::from(pdo);
        assert_eq!(answer[3], pdo);
        assert_eq!(answer[start..start + 64], [0x33; 64]);
        let trailer = if digests & 2 != 0 { 4 } else { 0 };
        assert_eq!(answer[4..8], (u32::from(pdo) + 64 + trailer).to_le_bytes());
    }
}

#[test]
fn success_takes_the_place_of_a_response_without_flow_control() {
    let mut bench = Bench::initialized(0, 0);
    bench.feed(&connect(4));
    let answer = bench.feed(&command(2, 7, 0x5a, 64, &[]));
    assert_eq!(answer.len(), 24 + 64);
    assert_eq!(answer[..2], [7, 0b1100]);
    let answer = bench.feed(&command(1, 8, 1, 64, &[0; 64]));
    assert_eq!(answer, response(8, 0));
}

#[test]
fn a_failed_command_sends_no_data() {
    let mut bench = Bench::connected();
    assert_eq!(
        bench.feed(&command(0x55, 7, 0x5a, 64, &[])),
        response(7, 0x4001)
    );
}

#[test]
fn a_held_command_is_answered_later() {
    let mut bench = connected(1);
    let answer = bench.feed(&with_digests(&command(0x0c, 0x1f, 0, 0, &[]), 72, 1));
    assert_eq!(answer, NOTHING);
    let completion = Completion {
        result: 0x0004_0002,
        status: Status(0),
    };
    let mut expected = hex("05011800 1c000000 02000400 00000000 00000000 1f000000");
    expected.extend(digest(&expected));
    assert_eq!(bench.late.response(0x1f, completion), expected);
}

/// A connection with digests, bit 0 of headers, bit 1 of data.
fn connected(digests: u8) -> Bench {
    let mut bench = Bench::initialized(0, digests);
    bench.feed(&with_digests(&connect(0), 72, digests));
    assert!(bench.connection.is_connected());
    bench
}
