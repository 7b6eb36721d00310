//! What ends a connection, and what the host is told.

use super::super::connection::End;
use super::stub::{Bench, NOTHING, command, connect, data, hex, initialize};

/// Feeds a PDU and reads C2HTermReq: Fatal Error Status and Information, and the header.
fn fatal(bench: &mut Bench, pdu: &[u8]) -> (u16, u32) {
    let answer = bench.feed(pdu);
    assert!(matches!(bench.end, Some(End::Fatal(_))));
    let length = answer.len();
    assert_eq!(answer[..4], hex("03001800"));
    assert_eq!(answer[4..8], u32::try_from(length).unwrap().to_le_bytes());
    assert!((24..=152).contains(&length));
    assert_eq!(answer[14..24], [0; 10]);
    assert_eq!(answer[24..], pdu[..length - 24]);
    let status = u16::from_le_bytes(answer[8..10].try_into().unwrap());
    (
        status,
        u32::from_le_bytes(answer[10..14].try_into().unwrap()),
    )
}

/// The same for a PDU that is changed at one place.
fn changed(bench: Bench, mut pdu: Vec<u8>, place: usize, value: u8) -> (u16, u32) {
    let mut bench = bench;
    pdu[place] = value;
    fatal(&mut bench, &pdu)
}

#[test]
fn the_handshake_comes_first_and_once() {
    assert_eq!(fatal(&mut Bench::new(), &connect(0)), (2, 0));
    assert_eq!(
        fatal(&mut Bench::new(), &data(1, 1, 0, &[0; 4], true)),
        (2, 0)
    );
    assert_eq!(
        fatal(&mut Bench::initialized(0, 0), &initialize(0, 0)),
        (2, 0)
    );
}

#[test]
fn the_handshake_must_be_one_that_is_known() {
    let request = || initialize(0, 0);
    assert_eq!(changed(Bench::new(), request(), 8, 1), (6, 8));
    assert_eq!(changed(Bench::new(), request(), 9, 1), (6, 8));
    assert_eq!(changed(Bench::new(), request(), 10, 32), (1, 10));
    assert_eq!(changed(Bench::new(), request(), 2, 127), (1, 2));
    assert_eq!(changed(Bench::new(), request(), 4, 129), (1, 4));
    assert_eq!(changed(Bench::new(), request(), 4, 127), (1, 4));
}

#[test]
fn types_of_the_controller_and_unknown_ones_are_refused() {
    for kind in [1, 3, 5, 7, 8, 9, 10, 0x80, 0xff] {
        assert_eq!(
            changed(Bench::connected(), command(2, 1, 0, 0, &[]), 0, kind),
            (1, 0)
        );
    }
}

#[test]
fn lengths_are_checked_before_anything_is_kept() {
    let pdu = || command(2, 1, 0, 0, &[]);
    assert_eq!(changed(Bench::connected(), pdu(), 2, 71), (1, 2));
    assert_eq!(changed(Bench::connected(), pdu(), 2, 0), (1, 2));
    assert_eq!(changed(Bench::connected(), pdu(), 4, 71), (1, 4));
    for plen in [0, 7, u32::MAX, 1 << 31, 72 + 8193] {
        let mut bench = Bench::connected();
        let mut header = hex("04004848");
        header.extend(plen.to_le_bytes());
        assert_eq!(fatal(&mut bench, &header), (1, 4), "PLEN {plen}");
        assert!(bench.connection.reserved() < 4096);
    }
}

#[test]
fn data_lie_behind_the_header() {
    let pdu = || command(1, 1, 1, 512, &[0; 512]);
    for pdo in [0, 1, 71] {
        assert_eq!(changed(Bench::connected(), pdu(), 3, pdo), (1, 3));
    }
    let short = || command(1, 1, 1, 1, &[0]);
    assert_eq!(changed(Bench::connected(), short(), 3, 73), (1, 3));
}

#[test]
fn digests_are_flagged_as_agreed() {
    for flags in 1..4 {
        assert_eq!(
            changed(Bench::connected(), command(2, 1, 0, 0, &[]), 1, flags),
            (1, 1)
        );
    }
    let plain = command(2, 1, 0, 0, &[]);
    assert_eq!(fatal(&mut Bench::initialized(0, 1), &plain), (1, 1));
    assert_eq!(fatal(&mut Bench::initialized(0, 2), &connect(0)), (1, 1));
}

/// A connection that awaits 1024 bytes for the command with CID 5, by tag 1.
fn awaiting() -> Bench {
    let mut bench = Bench::connected();
    bench.feed(&command(1, 5, 0x5a, 1024, &[]));
    bench
}

#[test]
fn data_must_be_those_that_were_asked_for() {
    let good = || data(5, 1, 0, &[0; 512], false);
    assert_eq!(changed(awaiting(), good(), 8, 6), (1, 8));
    assert_eq!(changed(awaiting(), good(), 10, 2), (1, 10));
    assert_eq!(changed(awaiting(), good(), 11, 1), (1, 10));
    assert_eq!(changed(awaiting(), good(), 13, 2), (4, 0));
    assert_eq!(changed(awaiting(), good(), 17, 1), (1, 16));
    assert_eq!(
        fatal(&mut awaiting(), &data(5, 1, 0, &[0; 1025], true)),
        (4, 0)
    );
    assert_eq!(fatal(&mut awaiting(), &data(5, 1, 0, &[], true)), (1, 16));
    assert_eq!(fatal(&mut Bench::connected(), &good()), (1, 10));
}

#[test]
fn the_last_data_are_flagged_and_no_others() {
    assert_eq!(
        fatal(&mut awaiting(), &data(5, 1, 0, &[0; 512], true)),
        (2, 0)
    );
    assert_eq!(
        fatal(&mut awaiting(), &data(5, 1, 0, &[0; 1024], false)),
        (2, 0)
    );
}

#[test]
fn data_after_the_last_find_nobody() {
    let mut bench = awaiting();
    bench.feed(&data(5, 1, 0, &[0; 1024], true));
    assert_eq!(fatal(&mut bench, &data(5, 1, 0, &[0; 1024], true)), (1, 10));
}

#[test]
fn one_pdu_carries_no_more_than_was_announced() {
    let mut bench = awaiting();
    let mut header = hex("06041818");
    header.extend((24 + 131_073_u32).to_le_bytes());
    assert_eq!(fatal(&mut bench, &header), (5, 0));
}

#[test]
fn a_host_that_ends_the_connection_gets_no_answer() {
    let mut bench = Bench::connected();
    let mut pdu = hex("02001800 60000000 0400 10000000 00000000 00000000 0000");
    pdu.resize(96, 0xee);
    assert_eq!(bench.feed(&pdu), NOTHING);
    let end = End::Host {
        status: 4,
        information: 16,
    };
    assert_eq!(bench.end, Some(end));
}

#[test]
fn a_host_may_end_the_connection_before_the_handshake() {
    let mut bench = Bench::new();
    let pdu = hex("02001800 18000000 0200 00000000 00000000 00000000 0000");
    assert_eq!(bench.feed(&pdu), NOTHING);
    assert!(matches!(bench.end, Some(End::Host { status: 2, .. })));
}

#[test]
fn commands_before_connect_are_out_of_sequence() {
    let mut bench = Bench::initialized(0, 0);
    let answer = bench.feed(&command(2, 7, 0x5a, 512, &[]));
    assert_eq!(answer, super::stub::response(7, 0x400c));
    assert_eq!(bench.end, None);
}
