//! The first bytes of a connection with kernel 6.12, as they were on the wire.

use super::stub::{Bench, hex};

const INITIALIZE: &str = "00008000 80000000 00000000 00000000";
const INITIALIZED: &str = "01008000 80000000 00000000 00000200";
/// Connect, QID 0, SQSIZE 31, KATO 5000; 1024 bytes of data follow.
const CONNECT: &str = "04004848 48040000
    7f400000 01000000 00000000 00000000 00000000 00000000 00000000 00000000 00040000 00000001
    00000000 1f000000 88130000 00000000 00000000 00000000";
const CONNECTED: &str = "05001800 18000000 01000000 00000000 00000000 00000000";
/// Property Get of 8 bytes at offset 0.
const GET_CAP: &str = "04004800 48000000
    7f400100 04000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 0000005a
    01000000 00000000 00000000 00000000 00000000 00000000";
const CAP: &str = "05001800 18000000 7f00010f 20000000 00000000 01000000";
/// Security Receive, protocol 01h, ComID 0001h, 2048 bytes.
const SECURITY_RECEIVE: &str = "04004800 48000000
    82401b00 00000000 00000000 00000000 00000000 00000000 00000000 00000000 00080000 0000005a
    00010001 00080000 00000000 00000000 00000000 00000000";
const DATA: &str = "07041818 18080000 1b000000 00000000 00080000 00000000";
const RECEIVED: &str = "05001800 18000000 00000000 00000000 00000000 1b000000";
/// Write, LBA 0, 16 blocks.
const WRITE: &str = "04004800 48000000
    01400e00 01000000 00000000 00000000 00000000 00000000 00000000 00000000 00200000 0000005a
    00000000 00000000 0f000000 00000000 00000000 00000000";
const READY: &str = "09001800 18000000 0e000100 00000000 00200000 00000000";
const WRITE_DATA: &str = "06041818 18200000 0e000100 00000000 00200000 00000000";

#[test]
fn a_kernel_gets_the_answers_that_it_got() {
    let mut bench = Bench::new();
    assert_eq!(
        bench.feed(&padded(INITIALIZE, 128)),
        padded(INITIALIZED, 128)
    );
    assert_eq!(bench.feed(&padded(CONNECT, 72 + 1024)), hex(CONNECTED));
    assert_eq!(bench.feed(&hex(GET_CAP)), hex(CAP));
    let mut data = padded(DATA, 24 + 2048);
    data.extend(hex(RECEIVED));
    assert_eq!(bench.feed(&hex(SECURITY_RECEIVE)), data);
    assert_eq!(bench.feed(&hex(WRITE)), hex(READY));
    let mut write_data = hex(WRITE_DATA);
    write_data.resize(24 + 8192, 0x5a);
    let written = "05001800 18000000 00000000 00000000 00000000 0e000000";
    assert_eq!(bench.feed(&write_data), hex(written));
    assert_eq!(bench.end, None);
}

#[test]
fn bytes_may_come_one_by_one() {
    let mut session = padded(INITIALIZE, 128);
    session.extend(padded(CONNECT, 72 + 1024));
    session.extend(hex(GET_CAP));
    session.extend(hex(WRITE));
    session.extend(padded(WRITE_DATA, 24 + 8192));
    let at_once = Bench::new().feed(&session);
    let mut bench = Bench::new();
    let one_by_one: Vec<u8> = session
        .iter()
        .flat_map(|byte| bench.feed(&[*byte]))
        .collect();
    assert_eq!(one_by_one, at_once);
    assert_eq!(at_once.len(), 128 + 4 * 24);
}

fn padded(text: &str, length: usize) -> Vec<u8> {
    let mut bytes = hex(text);
    bytes.resize(length, 0);
    bytes
}
