//! What the commands of this controller answer, before a queue makes an outcome of it.

use super::outcome::{Completion, Outcome, Status};

/// The answer to a command that did not fail.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// Dwords 0 and 1 of the completion.
    Result(u64),
    /// Data for the host.
    Data(Vec<u8>),
    /// None yet, or never.
    Held,
}

/// An answer, or what a refused command completes with.
pub(super) type Answered = Result<Answer, Completion>;

/// Success, with nothing to say.
pub(super) const DONE: Answer = Answer::Result(0);

/// The outcome; `room` bytes are what the host awaits if there are data.
pub(super) fn outcome(answered: Answered, room: usize) -> Outcome {
    let done = |completion, data| Outcome::Done { completion, data };
    match answered {
        Ok(Answer::Held) => Outcome::Held,
        Ok(Answer::Result(result)) => {
            let status = Status::SUCCESS;
            done(Completion { result, status }, vec![0; room])
        }
        Ok(Answer::Data(mut data)) => {
            data.resize(room, 0);
            done(Status::SUCCESS.into(), data)
        }
        Err(completion) => done(completion, Vec::new()),
    }
}
