//! Random dialogues: the TPer against a small model of who may do what.
//!
//! The model (`rules`) is written from sections 5.1 to 5.5, 5.9 and appendix D of the protocol reference,
//! as plain rules, and knows nothing of tables, ACEs or columns as data. After every step drive and
//! model must agree on the answer, on Level 0 Discovery, and on what a host can read.

pub(crate) mod dice;
mod rules;
mod step;

use sedkit::wire::Value;

use crate::support::{Bench, Session};
use dice::Dice;
use rules::{Model, Sp};
use step::{Answer, Step};

/// Dialogues, and steps in each.
const DIALOGUES: u64 = 2000;
const STEPS: usize = 40;
/// Media are read after each so many steps.
const LOOK_EVERY: usize = 3;

// Four tests, so that they run side by side.

#[test]
fn the_tper_agrees_with_the_model_in_the_first_quarter() {
    play_quarter(0);
}

#[test]
fn the_tper_agrees_with_the_model_in_the_second_quarter() {
    play_quarter(1);
}

#[test]
fn the_tper_agrees_with_the_model_in_the_third_quarter() {
    play_quarter(2);
}

#[test]
fn the_tper_agrees_with_the_model_in_the_last_quarter() {
    play_quarter(3);
}

fn play_quarter(quarter: u64) {
    let length = DIALOGUES / 4;
    (quarter * length..(quarter + 1) * length).for_each(play);
}

fn play(seed: u64) {
    let mut dice = Dice::new(seed);
    let mut table = Table::new();
    if dice.chance(90) {
        table.warm_up(&mut dice);
    }
    for number in 0..STEPS {
        let step = Step::random(&mut dice, &table.model);
        let expected = table.model.answer(&step);
        let found = table.take(&step);
        assert_eq!(found, expected, "seed {seed}, step {number}: {step:?}");
        table.compare_discovery(seed, number);
        if number % LOOK_EVERY == 0 {
            table.compare_media(seed, number);
        }
    }
}

/// A drive, the model of it, and the sessions that are open.
struct Table {
    bench: Bench,
    model: Model,
    sessions: [Option<Session>; 2],
}

impl Table {
    fn new() -> Self {
        let mut table = Self {
            bench: Bench::new(),
            model: Model::new(),
            sessions: [None; 2],
        };
        for probe in 0..rules::PROBES.len() {
            table.both(&Step::Write(probe));
        }
        table
    }

    /// Most dialogues begin with a drive that somebody has set up, some in Single User Mode.
    fn warm_up(&mut self, dice: &mut Dice) {
        for step in step::set_up(&step::wish(dice)) {
            self.both(&step);
        }
    }

    fn both(&mut self, step: &Step) {
        let expected = self.model.answer(step);
        assert_eq!(self.take(step), expected, "{step:?}");
    }

    /// Lets the drive take a step.
    fn take(&mut self, step: &Step) -> Answer {
        match step {
            Step::Start { sp, .. } => {
                let started = self.bench.start_with(&step.start_session().unwrap());
                if let Ok(session) = started {
                    self.sessions[*sp as usize] = Some(session);
                }
                Answer::Method(started.map(|_| Vec::new()))
            }
            Step::End(sp) => self.tokens(*sp, &[0xfa]),
            Step::Transaction(sp, token, status) => self.tokens(*sp, &[*token, *status]),
            Step::PowerCycle => {
                self.bench.drive().power_cycle().unwrap();
                Answer::Nothing
            }
            Step::HardwareReset => {
                self.bench.drive().hardware_reset().unwrap();
                Answer::Nothing
            }
            Step::TperReset => Answer::Accepted(self.bench.send(0x02, 0x0004, &[0; 512]).is_ok()),
            Step::BlockSid => Answer::Accepted(self.bench.send(0x02, 0x0005, &[0; 512]).is_ok()),
            Step::Write(probe) => {
                let (lba, byte) = rules::PROBES[*probe];
                Answer::Accepted(self.bench.drive().write(lba, &[byte; 512]).is_ok())
            }
            Step::Method(sp, method) => self.method(*sp, &method.call()),
        }
    }

    fn tokens(&mut self, sp: Sp, tokens: &[u8]) -> Answer {
        let answer = self
            .session(sp)
            .and_then(|session| self.bench.tokens(session, tokens));
        answer.map_or(Answer::Nothing, Answer::Tokens)
    }

    fn method(&mut self, sp: Sp, call: &sedkit::wire::MethodCall) -> Answer {
        let answer = self
            .session(sp)
            .and_then(|session| self.bench.try_call(session, call));
        let Some(answer) = answer else {
            return Answer::Nothing;
        };
        Answer::Method(if answer.status.is_success() {
            Ok(answer.results)
        } else {
            assert_eq!(answer.results, [], "a failed method has no results");
            Err(answer.status)
        })
    }

    fn session(&self, sp: Sp) -> Option<Session> {
        self.sessions[sp as usize]
    }

    /// Level 0 Discovery must say what the model has.
    fn compare_discovery(&mut self, seed: u64, number: usize) {
        let level0 = self.bench.level0();
        // Byte 4 of the Locking feature, and of the Block SID feature (appendix A.1, where 16 bytes
        // of the Single User Mode feature stand between them); byte 8 of that one.
        let found = (level0[0x44], level0[0x98 + 16], level0[0x78]);
        let model = &self.model;
        let expected = (
            model.locking_bits(),
            model.block_bits(),
            model.single_user_bits(),
        );
        assert_eq!(found, expected, "seed {seed}, step {number}");
    }

    /// A host must read what the model has.
    fn compare_media(&mut self, seed: u64, number: usize) {
        for (probe, (lba, byte)) in rules::PROBES.into_iter().enumerate() {
            let found = match self.bench.drive().read(lba, 1) {
                Err(_) => rules::Sight::Protected,
                Ok(block) if block == [byte; 512] => rules::Sight::Data,
                Ok(_) => rules::Sight::Other,
            };
            let expected = self.model.sight(probe);
            assert_eq!(found, expected, "seed {seed}, step {number}: block {lba}");
        }
    }
}

/// A list with one cell.
fn cells(cells: Vec<(u64, Value)>) -> Vec<Value> {
    let named = cells
        .into_iter()
        .map(|(column, value)| Value::named(column, value));
    vec![Value::list(named)]
}
