//! Bytes that no host should send, on real sockets.

use super::Served;
use super::attached::{Attached, media};
use super::host::{Connection, Terms};

const SEED: u64 = 0x6e76_6d65_2d74_6370;
const ROUNDS: usize = 400;

#[test]
fn mutated_captures_end_their_connections_and_no_others() {
    let served = Served::new(1);
    let mut bystander = served.attach(Terms::default());
    let captures = captures(&served);
    let mut random = Random(SEED);
    for round in 0..ROUNDS {
        let capture = &captures[round % captures.len()];
        let mut connection = Connection::raw(served.address);
        connection.send(&random.mutate(capture));
        connection.shut_down();
        connection.end();
    }
    assert_eq!(bystander.read(0, 8).unwrap().len(), 4096);
    assert_eq!(bystander.security_receive(1, 2048).status(), 0);
    let mut next = served.attach(Terms::default());
    assert_eq!(next.write(0, &[1; 4096]).status(), 0);
}

/// What a host sent on its admin queues and I/O queues, with digests and without.
fn captures(served: &Served) -> Vec<Vec<u8>> {
    let mut captures = Vec::new();
    for digests in [0, 3] {
        let terms = Terms {
            digests,
            ..Terms::default()
        };
        let mut host = served.attach(terms);
        host.security_receive(1, 2048).unwrap();
        host.security_send(0x07fe, &[0; 12288]);
        assert_eq!(host.write(0, &[7; 16384]).status(), 0);
        assert_eq!(host.write(0, &[7; 512]).status(), 0);
        host.read(0, 32).unwrap();
        let Attached { admin, io, .. } = host;
        captures.extend([admin.sent, io.sent]);
    }
    captures
}

#[test]
fn noise_is_not_a_handshake() {
    let served = Served::new(1);
    let mut random = Random(SEED);
    for length in [1, 8, 127, 128, 129, 4096, 100_000] {
        let noise: Vec<u8> = (0..length).map(|_| random.byte()).collect();
        let mut connection = Connection::raw(served.address);
        connection.send(&noise);
        connection.shut_down();
        connection.end();
    }
    assert_eq!(served.attach(Terms::default()).read(0, 1).status(), 0);
}

#[test]
fn a_pdu_of_4_gib_is_refused_at_its_header() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    host.io.send(&[4, 0, 72, 72, 0xff, 0xff, 0xff, 0xff]);
    assert_eq!(host.io.fatal(), (1, 4));
}

#[test]
fn data_for_another_command_are_refused() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    host.io.submit(media(1, 0, 32).transfer(16384), &[]);
    let mut ready = host.io.next();
    ready.header[8] ^= 1;
    host.io.send_data(&ready, 0, &[0; 16384], true);
    assert_eq!(host.io.fatal(), (1, 8));
}

#[test]
fn an_identifier_in_use_is_a_conflict() {
    let served = Served::new(1);
    let mut host = served.attach(Terms::default());
    let write = media(1, 0, 32).transfer(16384);
    host.io.submit_as(0x700a, write, &[]);
    let ready = host.io.next();
    host.io.submit_as(0x700a, write, &[]);
    assert_eq!(host.io.answer(0x700a, &[]).status(), 0x4003);
    host.io.send_all_data(&ready, &[1; 16384]);
    assert_eq!(host.io.answer(0x700a, &[]).status(), 0);
    host.io.submit_as(0x700a, write, &[]);
    assert_eq!(host.io.answer(0x700a, &[2; 16384]).status(), 0);
}

/// Pseudo-random numbers: xorshift64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }

    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next() >> 16).unwrap() % limit
    }

    /// Flips, overwrites, cuts out or doubles a few bytes.
    fn mutate(&mut self, capture: &[u8]) -> Vec<u8> {
        let mut bytes = capture.to_vec();
        for _ in 0..=self.below(3) {
            let place = self.below(bytes.len());
            let end = (place + self.below(64)).min(bytes.len());
            match self.below(5) {
                0 => bytes[place] ^= 1 << self.below(8),
                1 => bytes[place] = self.byte(),
                2 => bytes[place..end].fill(0xff),
                3 => drop(bytes.drain(place..end)),
                _ => bytes.extend_from_within(place..end),
            }
        }
        bytes
    }
}
