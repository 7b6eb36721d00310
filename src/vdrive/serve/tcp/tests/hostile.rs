//! Mutated sessions: whatever a host sends, nothing panics and memory is bounded.

use std::ops::ControlFlow;
use std::sync::Arc;

use super::super::connection::{Connection, End};
use super::super::transfers::MAX_BYTES;
use super::session::{Session, connection, play, port};
use crate::vdrive::serve::nvme::{Port, QueuePair};

const SEED: u64 = 0x7463_705f_6d75_7461;
const ROUNDS: u32 = 100_000;
/// The longest PDU of a host: header, digests, the widest padding, MAXH2CDATA.
const MAX_PDU: usize = 256 + 131_072 + 4;
/// The longest answer to one PDU: data with padding and digests, a response, an R2T for each
/// entry of the queue.
const MAX_ANSWER: usize = 128 + 131_072 + 4 + 28 + 128 * 28;

#[test]
fn sessions_that_are_not_changed_are_served() {
    let port = port();
    let mut admin = connection(&port);
    let controller = attach(&mut admin);
    for (hpda, digests) in [(0, 0), (0, 1), (7, 2), (31, 3)] {
        for session in [Session::admin(), Session::io(controller)] {
            let session = session.with_digests(hpda, digests);
            let answer = play(&mut connection(&port), &session);
            assert_eq!(responses(&answer), (session.answers, 0));
        }
    }
}

/// How many responses there are among some PDUs, and how many of them say that something failed.
fn responses(mut pdus: &[u8]) -> (usize, usize) {
    let (mut all, mut failed) = (0, 0);
    while let Some((header, _)) = pdus.split_at_checked(24) {
        if header[0] == 5 {
            all += 1;
            failed += usize::from(header[22..24] != [0, 0] && !is_expected(header));
        }
        let length = u32::from_le_bytes(header[4..8].try_into().unwrap());
        pdus = &pdus[usize::try_from(length).unwrap()..];
    }
    (all, failed)
}

/// Security Sends to a ComID that is nobody's, and the event request that is aborted.
fn is_expected(response: &[u8]) -> bool {
    matches!(response[20], 21..=23)
}

/// Makes a controller that grants I/O queues; its CNTLID.
fn attach(admin: &mut Connection<QueuePair>) -> u16 {
    let answer = play(admin, &Session::attach());
    assert_eq!(responses(&answer), (5, 0));
    u16::from_le_bytes([answer[128 + 8], answer[128 + 9]])
}

#[test]
fn a_hundred_thousand_mutated_sessions_do_no_harm() {
    let port = port();
    let mut admin = connection(&port);
    let controller = attach(&mut admin);
    let plain = [Session::admin(), Session::io(controller)];
    let digested = plain.clone().map(|session| session.with_digests(7, 3));
    let sessions = [plain, digested].concat();
    let mut random = Random(SEED);
    let (mut ended, mut survived) = (0, 0);
    for round in 0..ROUNDS {
        let stream = random.mutate(&sessions);
        match feed(&port, &stream, round) {
            Some(_) => ended += 1,
            None => survived += 1,
        }
    }
    // Neither is a test that stops at the first check, nor one that changes nothing.
    assert!(
        ended > ROUNDS / 5,
        "{ended} of {ROUNDS} connections were ended"
    );
    assert!(
        survived > ROUNDS / 20,
        "{survived} of {ROUNDS} connections went on"
    );
    let last = play(&mut connection(&port), &Session::io(controller));
    assert_eq!(responses(&last).0, Session::io(controller).answers);
}

/// Feeds a stream and checks the bounds at each step; why the connection has ended.
fn feed(port: &Arc<Port>, stream: &[u8], round: u32) -> Option<End> {
    let mut connection = connection(port);
    let mut input = stream;
    let mut out = Vec::new();
    while !input.is_empty() {
        out.clear();
        let flow = connection.receive(&mut input, &mut out);
        assert!(out.len() <= MAX_ANSWER, "seed {SEED:x}, round {round}");
        let reserved = connection.reserved();
        assert!(
            reserved <= MAX_PDU + MAX_BYTES,
            "seed {SEED:x}, round {round}"
        );
        if let ControlFlow::Break(end) = flow {
            let is_told = out.first() == Some(&3);
            assert_eq!(is_told, matches!(end, End::Fatal(_)));
            return Some(end);
        }
    }
    None
}

/// Pseudo-random numbers, and what they do to a session.
pub(super) struct Random(u64);

impl Random {
    /// SplitMix64.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit.max(1)).unwrap();
        usize::try_from(self.next() % limit).unwrap()
    }

    fn byte(&mut self) -> u8 {
        self.next().to_le_bytes()[0]
    }

    /// One of the sessions with one to four changes.
    fn mutate(&mut self, sessions: &[Session]) -> Vec<u8> {
        let mut pdus = sessions[self.below(sessions.len())].pdus.clone();
        for _ in 0..=self.below(4) {
            match self.below(8) {
                0 => self.reorder(&mut pdus),
                1 => {
                    let other = &sessions[self.below(sessions.len())].pdus;
                    let pdu = other[self.below(other.len())].clone();
                    pdus.insert(self.below(pdus.len() + 1), pdu);
                }
                _ => {
                    let index = self.below(pdus.len());
                    if let Some(pdu) = pdus.get_mut(index) {
                        self.change(pdu);
                    }
                }
            }
        }
        pdus.concat()
    }

    /// Drops a PDU, doubles it, or has it change places.
    fn reorder(&mut self, pdus: &mut Vec<Vec<u8>>) {
        let (from, to) = (self.below(pdus.len()), self.below(pdus.len()));
        match self.below(3) {
            0 if pdus.len() > 1 => drop(pdus.remove(from)),
            1 if !pdus.is_empty() => pdus.insert(to, pdus[from].clone()),
            _ => pdus.swap(from, to),
        }
    }

    /// Changes some bytes of a PDU, most often of its header.
    fn change(&mut self, pdu: &mut Vec<u8>) {
        let reach = if self.below(4) > 0 { 96 } else { pdu.len() };
        let place = self.below(reach.min(pdu.len()));
        let Some(byte) = pdu.get_mut(place) else {
            return;
        };
        match self.below(6) {
            0 => *byte ^= 1 << self.below(8),
            1 => *byte = self.byte(),
            2 => *byte = [0, 1, 0x7f, 0x80, 0xff, 0x5a][self.below(6)],
            3 => {
                let value = [0, 1, 24, 72, 131_072, 0x7fff_ffff, u32::MAX][self.below(7)];
                let end = pdu.len().min(place + 4);
                pdu[place..end].copy_from_slice(&value.to_le_bytes()[..end - place]);
            }
            4 => pdu.truncate(place),
            _ => {
                let more: Vec<u8> = (0..self.below(64)).map(|_| self.byte()).collect();
                pdu.splice(place..place, more);
            }
        }
    }
}
