//! Data from the host: in the capsule, by R2T, split, many at a time.

use super::super::connection::End;
use super::super::fatal::Fatal;
use super::super::transfers::{MAX_BYTES, MAX_COMMANDS};
use super::stub::{Bench, MAX_TRANSFER, NOTHING, command, data, ready, response};

#[test]
fn data_in_the_capsule_need_no_demand() {
    let mut bench = Bench::connected();
    for length in [1, 512, 8192] {
        let bytes = vec![0x77; length];
        let size = u32::try_from(length).unwrap();
        assert_eq!(
            bench.feed(&command(0x81, 5, 1, size, &bytes)),
            response(5, 0)
        );
        assert_eq!(bench.queue().memory, bytes);
    }
}

#[test]
fn a_capsule_shorter_than_its_data_fails_the_command() {
    let mut bench = Bench::connected();
    assert_eq!(
        bench.feed(&command(1, 5, 1, 513, &[0; 512])),
        response(5, 0x400f)
    );
    assert_eq!(bench.feed(&command(1, 5, 1, 512, &[])), response(5, 0x400f));
    let mut beyond = command(1, 5, 1, 512, &[0; 512]);
    beyond[8 + 24] = 1;
    assert_eq!(bench.feed(&beyond), response(5, 0x400f));
    beyond[8 + 24..8 + 32].fill(0xff);
    assert_eq!(bench.feed(&beyond), response(5, 0x400f));
    assert_eq!(bench.end, None);
}

#[test]
fn an_empty_security_send_needs_no_data() {
    let mut bench = Bench::connected();
    assert_eq!(bench.feed(&command(0x81, 5, 0x5a, 0, &[])), response(5, 0));
}

#[test]
fn a_write_may_be_split_over_several_pdus() {
    let mut bench = Bench::connected();
    let bytes: Vec<u8> = (0..32768_u32).map(|index| index.to_le_bytes()[1]).collect();
    assert_eq!(
        bench.feed(&command(1, 5, 0x5a, 32768, &[])),
        ready(5, 1, 32768)
    );
    for (part, index) in bytes.chunks(4096).zip(0..) {
        let answer = bench.feed(&data(5, 1, index * 4096, part, index == 7));
        assert_eq!(
            answer,
            if index == 7 {
                response(5, 0)
            } else {
                Vec::new()
            }
        );
    }
    assert_eq!(bench.queue().memory, bytes);
}

#[test]
fn a_write_beyond_the_limit_is_refused_without_data() {
    let mut bench = Bench::connected();
    assert_eq!(
        bench.feed(&command(1, 5, 0x5a, 1 << 20, &[])),
        response(5, 0x4002)
    );
    assert!(!bench.connection.is_owed());
}

#[test]
fn writes_may_be_interleaved_and_end_in_any_order() {
    let mut bench = Bench::connected();
    assert_eq!(
        bench.feed(&command(1, 0x1005, 0x5a, 1024, &[])),
        ready(0x1005, 1, 1024)
    );
    assert_eq!(
        bench.feed(&command(1, 0x2005, 0x5a, 1024, &[])),
        ready(0x2005, 2, 1024)
    );
    assert_eq!(bench.feed(&data(0x2005, 2, 0, &[2; 512], false)), NOTHING);
    assert_eq!(bench.feed(&data(0x1005, 1, 0, &[1; 512], false)), NOTHING);
    assert_eq!(bench.feed(&command(2, 9, 0, 0, &[])), response(9, 0));
    assert_eq!(
        bench.feed(&data(0x2005, 2, 512, &[2; 512], true)),
        response(0x2005, 0)
    );
    assert_eq!(bench.queue().memory, [2; 1024]);
    assert_eq!(
        bench.feed(&data(0x1005, 1, 512, &[1; 512], true)),
        response(0x1005, 0)
    );
    assert_eq!(bench.queue().memory, [1; 1024]);
}

#[test]
fn an_identifier_in_use_is_a_conflict_and_free_after_the_end() {
    let mut bench = Bench::connected();
    bench.feed(&command(1, 5, 0x5a, 512, &[]));
    assert_eq!(
        bench.feed(&command(2, 5, 0x5a, 512, &[])),
        response(5, 0x4003)
    );
    assert_eq!(bench.feed(&data(5, 1, 0, &[1; 512], true)), response(5, 0));
    assert_eq!(bench.feed(&command(1, 5, 0x5a, 512, &[])), ready(5, 2, 512));
}

#[test]
fn demands_wait_for_room_and_come_in_order() {
    let mut bench = Bench::connected();
    let at_once = u16::try_from(MAX_BYTES).unwrap_or(u16::MAX).min(16);
    for cid in 0..at_once {
        let answer = bench.feed(&command(1, cid, 0x5a, MAX_TRANSFER, &[]));
        assert_eq!(answer, ready(cid, cid + 1, MAX_TRANSFER));
    }
    assert_eq!(
        bench.feed(&command(1, 100, 0x5a, MAX_TRANSFER, &[])),
        NOTHING
    );
    assert_eq!(bench.feed(&command(1, 101, 0x5a, 512, &[])), NOTHING);
    let all = vec![3; MAX_TRANSFER as usize];
    let mut expected = response(7, 0);
    expected.extend(ready(100, 17, MAX_TRANSFER));
    assert_eq!(bench.feed(&data(7, 8, 0, &all, true)), expected);
    let mut expected = response(8, 0);
    expected.extend(ready(101, 18, 512));
    assert_eq!(bench.feed(&data(8, 9, 0, &all, true)), expected);
}

#[test]
fn memory_is_taken_when_data_arrive() {
    let mut bench = Bench::connected();
    let before = bench.connection.reserved();
    for cid in 0..16 {
        bench.feed(&command(1, cid, 0x5a, MAX_TRANSFER, &[]));
    }
    assert_eq!(bench.connection.reserved(), before);
    for cid in 0..16 {
        bench.feed(&data(cid, cid + 1, 0, &[0; 4096], false));
    }
    assert!(bench.connection.reserved() <= MAX_BYTES + 8192);
}

#[test]
fn more_commands_than_a_queue_has_end_the_connection() {
    let mut bench = Bench::connected();
    for cid in 0..u16::try_from(MAX_COMMANDS).unwrap() {
        bench.feed(&command(1, cid, 0x5a, 512, &[]));
    }
    assert_eq!(bench.end, None);
    bench.feed(&command(1, 999, 0x5a, 512, &[]));
    assert_eq!(bench.end, Some(End::Fatal(Fatal::LIMIT)));
}
