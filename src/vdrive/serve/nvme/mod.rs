//! What an NVMe controller answers, whatever carries its queues (\[NVMe\] Base Specification).

mod command;
mod outcome;

pub(crate) use command::{Command, DataPointer};
pub(crate) use outcome::{Completion, Event, Events, Outcome, Status, Transfer};
