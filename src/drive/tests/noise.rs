//! Drives that answer nonsense: whatever comes back, an operation ends in time, with a report or an
//! error, and reports no success that no answer could mean.

use std::time::Duration;

use super::super::{Authority, Credential, Drive, ErrorCode, SetupPlan};
use super::dialogue::*;
use crate::session::testing::{HSN, Line, Stage, frame, header, tokens};
use crate::session::{Tper, TperOptions};
use crate::spec::{ComId, SecurityProtocol, uid};
use crate::transport::{Bus, Error, Identity, Transport};

/// Answers of which one is spoiled, whatever is asked.
struct Spoiled {
    answers: std::vec::IntoIter<Vec<u8>>,
    last: Vec<u8>,
    identity: Identity,
}

impl Transport for Spoiled {
    fn if_send(&mut self, _: SecurityProtocol, _: ComId, _: &[u8]) -> Result<(), Error> {
        Ok(())
    }

    fn if_recv(
        &mut self,
        _: SecurityProtocol,
        _: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        let answer = self.answers.next().unwrap_or_else(|| self.last.clone());
        let length = answer.len().min(buffer.len());
        buffer[..length].copy_from_slice(&answer[..length]);
        Ok(length)
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        131_072
    }
}

/// A small generator of numbers (xorshift).
struct Dice(u64);

impl Dice {
    fn of(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(sides).unwrap()).unwrap()
    }
}

fn spoil(answer: &mut Vec<u8>, dice: &mut Dice) {
    match dice.roll(8) {
        0 => answer.truncate(dice.roll(answer.len() + 1)),
        1 => answer.clear(),
        2 => answer.fill(0),
        3 => *answer = header(1, 0),
        4 => *answer = header(u32::MAX, u32::MAX),
        5 => *answer = tokens(&vec![0xf0; 1900]),
        6 => {
            // Endless OutstandingData.
            if let Some(byte) = answer.get_mut(10) {
                *byte = 1;
            }
        }
        _ => {
            for _ in 0..=dice.roll(3) {
                let index = dice.roll(answer.len());
                answer[index] ^= 1 << dice.roll(8);
            }
        }
    }
}

/// A drive whose answers are those of a dialogue, the one at `index` spoiled.
fn drive(
    lines: &[Line],
    index: usize,
    dice: &mut Dice,
    stage: &Stage,
) -> Result<Drive, super::super::Error> {
    let answers = lines.iter().filter_map(|line| match line {
        Line::Recv(_, bytes) => Some(bytes.clone()),
        _ => None,
    });
    let mut answers: Vec<_> = answers.collect();
    let index = index % answers.len();
    spoil(&mut answers[index], dice);
    let last = match dice.roll(3) {
        0 => header(0, 0),
        1 => header(1, 0),
        _ => answers[index].clone(),
    };
    let transport = Spoiled {
        answers: answers.into_iter(),
        last,
        identity: Identity::new(Bus::Virtual, b"MODEL", b"SERIAL0001", b"1"),
    };
    let options = TperOptions {
        timeout: Duration::from_secs(10),
        clock: Box::new(stage.clone()),
        hsn: Some(HSN),
        ..TperOptions::default()
    };
    Drive::with_tper(Tper::new(Box::new(transport), options), 1)
}

#[test]
fn nonsense_ends_in_time_and_is_no_success() {
    let mut lines = vec![discovery(INACTIVE, SID_IS_MSID)];
    lines.extend(read_msid());
    lines.extend(start(uid::ADMIN_SP, uid::SID, MSID));
    let done = || crate::session::testing::recv_bytes(frame("7.14"));
    lines.extend([done(), done()]);
    lines.extend(end());
    lines.push(discovery(ACTIVE, SID_DIFFERS));
    lines.extend(start(uid::LOCKING_SP, uid::ADMIN1, NEW));
    lines.push(done());
    lines.extend(get(uid::LOCKING_GLOBAL_RANGE, 3, 10, global_shown()));
    lines.extend(end());
    lines.push(discovery(ACTIVE, SID_DIFFERS));

    let mut successes = 0;
    for seed in 1..=3000 {
        let mut dice = Dice::of(seed);
        let index = dice.roll(64);
        let stage = Stage::new([]);
        let Ok(mut drive) = drive(&lines, index, &mut dice, &stage) else {
            continue;
        };
        let result = drive.setup(&SetupPlan::default(), &secret(NEW));
        // Waits of a method, of the end of its session, and of a drive that is busy.
        assert!(stage.slept() < Duration::from_secs(60), "seed {seed}");
        if let Ok(report) = result {
            successes += 1;
            let range = report.ranges.first().unwrap();
            assert_eq!(range.is_lock_enabled(), Some(true), "seed {seed}");
            assert_eq!(range.is_locked(), Some(false), "seed {seed}");
        }
    }
    // Bits that mean nothing may be flipped.
    assert!(successes < 1000, "{successes}");
}

#[test]
fn nonsense_instead_of_a_revert_is_no_success() {
    for seed in 1..=1000 {
        let mut dice = Dice::of(seed);
        let mut lines = vec![discovery(LOCKED, SID_DIFFERS)];
        lines.extend(start(uid::ADMIN_SP, uid::PSID, OLD));
        lines.push(crate::session::testing::recv_bytes(frame("7.14")));
        lines.extend(vec![discovery(LOCKED, SID_DIFFERS); 50]);
        let stage = Stage::new([]);
        let Ok(mut drive) = drive(&lines, 1 + dice.roll(2), &mut dice, &stage) else {
            continue;
        };
        let consent = consent(&drive);
        let psid = Credential::new(Authority::Psid, secret(OLD));
        let error = drive.revert(&psid, consent).unwrap_err();
        assert_ne!(error.code(), ErrorCode::ConsentRequired, "seed {seed}");
    }
}
