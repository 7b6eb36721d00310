//! One host: the life of its queues, data in every form.

use super::attached::{Identity, configure, identify, media, property, start};
use super::host::{Command, Connection, Terms};
use super::{Attached, Served, pattern};

#[test]
fn a_drive_is_attached_and_answers_level_0() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let level_0 = host.security_receive(1, 2048).unwrap();
    assert_eq!(level_0.len(), 2048);
    let length = u32::from_be_bytes(level_0[..4].try_into().unwrap());
    assert_eq!(length + 4, 216);
    assert_eq!(level_0[216..], [0; 1832]);
    let namespace = identify(&mut host.admin, 0, 1).unwrap();
    assert_eq!(namespace[..8], (64_u64 << 20 >> 9).to_le_bytes());
    assert_eq!(namespace[130], 9);
}

#[test]
fn a_security_receive_may_be_smaller_than_the_answer() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let all = host.security_receive(1, 512).unwrap();
    let part = host.security_receive(1, 48).unwrap();
    assert_eq!(part, all[..48]);
}

#[test]
fn security_sends_of_any_length_arrive() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    // Protocol 00h and a ComID that is nobody's: what counts is that the data were taken.
    for length in [512, 2048, 8192, 12288] {
        let answer = host.security_send(0x07fe, &vec![0; length]);
        assert!(answer.status() == 0 || answer.status() & 0x4000 != 0);
    }
    host.security_send(0x07fe, &[]);
    assert_eq!(host.security_receive(1, 512).unwrap().len(), 512);
}

#[test]
fn blocks_come_back_as_they_were_written() {
    let served = Served::new(1);
    for (seed, terms) in all_terms().into_iter().enumerate() {
        let mut host = served.attach(terms);
        for blocks in [1, 8, 16, 17, 64, 256] {
            let data = pattern(u8::try_from(seed).unwrap(), usize::from(blocks) * 512);
            assert_eq!(host.write(1000, &data).status(), 0, "{terms:?}");
            assert!(host.read(1000, blocks).unwrap() == data, "{terms:?}");
        }
    }
}

/// Digests, alignments, capsules and chunks.
fn all_terms() -> Vec<Terms> {
    let plain = Terms::default();
    let mut all: Vec<Terms> = (1..4).map(|digests| Terms { digests, ..plain }).collect();
    all.extend([0, 1, 7, 31].map(|hpda| Terms { hpda, ..plain }));
    all.push(Terms {
        hpda: 31,
        digests: 3,
        ..plain
    });
    all.push(Terms {
        capsule: 0,
        chunk: 4096,
        ..plain
    });
    all.push(Terms {
        capsule: 0,
        chunk: 512,
        digests: 3,
        ..plain
    });
    all.push(Terms {
        disables_flow_control: true,
        ..plain
    });
    all
}

#[test]
fn many_writes_await_their_data_at_once() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let data: Vec<Vec<u8>> = (0..31).map(|seed| pattern(seed, 131_072)).collect();
    let mut cids = Vec::new();
    for number in 0..31_u64 {
        let command = media(1, number * 256, 256).transfer(131_072);
        cids.push(host.io.submit(command, &[]));
    }
    let mut done = 0;
    while done < 31 {
        let pdu = host.io.next();
        let cid = super::host::u16_at(&pdu.header, if pdu.kind == 9 { 8 } else { 20 });
        let number = cids.iter().position(|known| *known == cid).unwrap();
        match pdu.kind {
            9 => host.io.send_all_data(&pdu, &data[number]),
            5 => {
                assert_eq!(super::host::u16_at(&pdu.header, 22), 0);
                done += 1;
            }
            kind => panic!("PDU of type {kind}"),
        }
    }
    for (number, data) in (0..31_u64).zip(&data) {
        assert!(host.read(number * 256, 256).unwrap() == *data);
    }
}

#[test]
fn a_write_beyond_mdts_is_an_invalid_field() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let command = media(1, 0, 2048).transfer(1 << 20);
    assert_eq!(host.io.call(command).status(), 0x4002);
}

#[test]
fn connect_names_a_subsystem_and_a_controller() {
    let served = Served::new(1);
    let good = served.identity();
    let stranger = Identity::new("nqn.2026-01.org.example:none", 1);
    let mut queue = Connection::open(served.address, Terms::default());
    let refused = stranger.connect(&mut queue, 0, 0xffff);
    assert_eq!(
        (refused.status(), refused.completion.result),
        (0x4182, 0x10100)
    );
    let refused = good.connect(&mut queue, 0, 1);
    assert_eq!(
        (refused.status(), refused.completion.result),
        (0x4182, 0x10010)
    );
    let refused = good.connect(&mut queue, 1, 1);
    assert_eq!(refused.status(), 0x4182);
    assert_eq!(good.connect(&mut queue, 0, 0xffff).status(), 0);
}

#[test]
fn a_queue_connects_once_and_within_the_grant() {
    let served = Served::new(1);
    let host = served.attach(Terms::default());
    let mut second = Connection::open(served.address, Terms::default());
    let identity = served.identity();
    assert_ne!(
        identity.connect(&mut second, 1, host.controller).status(),
        0
    );
    assert_ne!(
        identity.connect(&mut second, 99, host.controller).status(),
        0
    );
    let mut first = host.io;
    assert_ne!(identity.connect(&mut first, 1, host.controller).status(), 0);
}

#[test]
fn nothing_is_executed_before_connect() {
    let served = Served::new(1);
    let mut queue = Connection::open(served.address, Terms::default());
    assert_eq!(identify(&mut queue, 1, 0).status(), 0x400c);
    let write = media(1, 0, 256).transfer(131_072);
    assert_eq!(queue.call(write).status(), 0x400c);
    let mut second = Connection::open(served.address, Terms::default());
    assert_eq!(second.call(Command::fabrics(4)).status(), 0x400c);
}

#[test]
fn a_host_that_breaks_off_gets_no_answer() {
    let served = Served::new(1);
    let mut queue = Connection::open(served.address, Terms::default());
    start(&mut queue, &served.identity());
    let mut terminate = vec![2, 0, 24, 0, 24, 0, 0, 0, 2];
    terminate.resize(24, 0);
    queue.send(&terminate);
    assert_eq!(queue.receive(), None);
}

#[test]
fn a_host_is_told_what_it_did_wrong() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let request = [&[0_u8, 0, 128, 0, 128, 0, 0, 0][..], &[0; 120]].concat();
    host.admin.send(&request);
    assert_eq!(host.admin.fatal(), (2, 0));
    // The controller has ended with its admin queue.
    host.io.end();
}

#[test]
fn a_reset_ends_the_other_queues() {
    let served = Served::new(1);
    let Attached {
        mut admin, mut io, ..
    } = served.attach(Terms::default());
    configure(&mut admin, 0x0046_0000);
    io.end();
    assert_eq!(property(&mut admin, 0x1c, 4) & 1, 0);
}

#[test]
fn a_shutdown_is_acknowledged() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    configure(&mut host.admin, 0x0046_4001);
    assert_eq!(property(&mut host.admin, 0x1c, 4) >> 2 & 3, 2);
}

#[test]
fn the_head_of_the_queue_advances_by_one_for_each_command() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let mut last = host.read(0, 1).completion.sq_head;
    for _ in 0..70 {
        let next = host.read(0, 1).completion.sq_head;
        assert_eq!(next, (last + 1) % 32);
        last = next;
    }
}

#[test]
fn an_event_request_is_held_and_aborted() {
    let served = Served::new(1);
    let mut host = served.attach(Terms {
        digests: 1,
        ..Terms::default()
    });
    let held = host.admin.submit(Command::new(0x0c, 0), &[]);
    let abort = Command::new(0x08, 0).dword(10, u32::from(held) << 16);
    host.admin.submit(abort, &[]);
    let statuses: Vec<(u16, u16)> = (0..2)
        .map(|_| host.admin.next())
        .map(|pdu| {
            (
                super::host::u16_at(&pdu.header, 20),
                super::host::u16_at(&pdu.header, 22) >> 1,
            )
        })
        .collect();
    assert!(
        statuses
            .iter()
            .any(|(cid, status)| *cid == held && *status != 0)
    );
    assert!(
        statuses
            .iter()
            .any(|(cid, status)| *cid != held && *status == 0)
    );
}
