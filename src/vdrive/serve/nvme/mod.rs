//! What an NVMe controller answers, whatever carries its queues (\[NVMe\] Base Specification).
//!
//! A [`Port`] offers subsystems, one for each drive; each connection of a host is a [`QueuePair`],
//! which takes [`Command`]s and answers [`Outcome`]s. In reading order:
//!
//! - `command`, `outcome`, `status`: what goes in and out;
//! - `port`, `subsystem`, `namespace`: what a host can reach;
//! - `queue`, `connect`: a host's connection; `answer`, `flow`: what a command answers, and its data;
//! - `controller`, `registers`, `features`: the state that a host has;
//! - `opcode`, `fabrics`, `admin`, `feature_command`, `identify`, `log_page`, `security`, `io`: the commands.
//!
//! Locks are taken in one order: drive or list of controllers, then a controller. None is held when
//! an [`Event`] is told.

mod admin;
mod answer;
mod command;
mod connect;
mod controller;
mod fabrics;
mod feature_command;
mod features;
mod flow;
mod identify;
mod io;
mod log_page;
mod namespace;
mod opcode;
mod outcome;
mod page;
mod port;
mod queue;
mod registers;
mod security;
mod status;
mod subsystem;

pub(crate) use command::{Command, DataPointer};
pub(crate) use flow::IN_CAPSULE;
pub(crate) use outcome::{Completion, Event, Events, Outcome, Status, Transfer};
pub(crate) use port::Port;
pub(crate) use queue::QueuePair;
pub(crate) use subsystem::Subsystem;

#[cfg(test)]
mod tests;
