//! A queue pair: one connection of one host.

use std::sync::Arc;

use super::answer::{Answer, Answered, DONE, outcome};
use super::command::Command;
use super::connect::{self, Link};
use super::flow::{Flow, Length};
use super::outcome::{Completion, Events, Outcome, Status, Transfer};
use super::port::Port;
use super::{admin, fabrics, io};

/// One queue of one host. The first command must be Connect.
///
/// Dropping it ends the queue; the controller ends with its admin queue.
pub(crate) struct QueuePair {
    port: Arc<Port>,
    events: Arc<Events>,
    link: Option<Link>,
    /// Submission Queue Head.
    head: u16,
}

impl QueuePair {
    /// A queue that is not connected yet. `events` may be called at any time, also while
    /// [`QueuePair::execute`] is at work or a `QueuePair` of the same controller is dropped.
    pub(crate) fn new(port: Arc<Port>, events: Events) -> Self {
        Self {
            port,
            events: Arc::new(events),
            link: None,
            head: 0,
        }
    }

    /// What data must come from the host before [`QueuePair::execute`]. It is never more than
    /// `MAX_TRANSFER`, or `IN_CAPSULE` if they are in the capsule.
    ///
    /// # Errors
    /// The completion of a command that is refused without its data.
    pub(crate) fn transfer(&self, command: &Command) -> Result<Transfer, Completion> {
        if self.is_ended() {
            return Ok(Transfer::Nothing);
        }
        Ok(match self.flow(command)? {
            Flow::FromHost(length) => Transfer::FromHost(length),
            Flow::Nothing | Flow::ToHost(_) => Transfer::Nothing,
        })
    }

    /// Carries out a command; `data` are as many bytes as [`QueuePair::transfer`] asked for.
    pub(crate) fn execute(&mut self, command: &Command, data: &[u8]) -> Outcome {
        if self.is_ended() {
            return Outcome::Held;
        }
        let flow = match self.flow(command) {
            Ok(flow) => flow,
            Err(status) => return outcome(Err(status.into()), 0),
        };
        outcome(self.answer(command, flow, data), flow.room())
    }

    /// Connect has succeeded, and no Disconnect since.
    pub(crate) const fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// QID; 0 is the admin queue, and what a queue has that is not connected.
    #[cfg(test)]
    pub(super) fn queue_id(&self) -> u16 {
        self.link.as_ref().map_or(0, |link| link.queue_id)
    }

    /// Counts a command that was taken from the queue; returns SQHD for its completion.
    pub(crate) fn next_head(&mut self) -> u16 {
        let entries = self.link.as_ref().map_or(1, |link| link.entries);
        self.head = (self.head + 1) % entries;
        self.head
    }

    /// The controller has ended or was reset, and with it this connection.
    fn is_ended(&self) -> bool {
        self.link.as_ref().is_some_and(Link::is_ended)
    }

    fn flow(&self, command: &Command) -> Result<Flow, Status> {
        let is_fabrics = command.opcode() == fabrics::OPCODE;
        match &self.link {
            None if is_fabrics && fabrics::kind(command) == fabrics::CONNECT => {
                let length = u64::try_from(connect::DATA).unwrap_or(u64::MAX);
                Flow::from_host(command, Length::Exactly(length))
            }
            None => Err(Status::SEQUENCE_ERROR),
            Some(link) if is_fabrics => fabrics::flow(link, command),
            Some(link) if !link.controller.is_ready() => Err(Status::SEQUENCE_ERROR),
            Some(_) if !has_plain_flags(command) => Err(Status::INVALID_FIELD),
            Some(link) if link.queue_id == 0 => admin::flow(command),
            Some(link) => io::flow(link, command),
        }
    }

    fn answer(&mut self, command: &Command, flow: Flow, data: &[u8]) -> Answered {
        if let Flow::FromHost(length) = flow
            && data.len() != length
        {
            return Err(Status::DATA_TRANSFER_ERROR.into());
        }
        let Some(link) = &self.link else {
            return self.connect(command, data);
        };
        match (command.opcode(), link.queue_id) {
            (fabrics::OPCODE, _) if fabrics::kind(command) == fabrics::DISCONNECT => {
                self.leave();
                Ok(DONE)
            }
            (fabrics::OPCODE, _) => fabrics::execute(link, command),
            (_, 0) => admin::execute(link, command, data),
            _ => io::execute(link, command, data),
        }
    }

    fn connect(&mut self, command: &Command, data: &[u8]) -> Answered {
        let link = connect::connect(&self.port, &self.events, command, data)?;
        let id = link.controller.id();
        self.link = Some(link);
        Ok(Answer::Result(id.into()))
    }

    /// The queue leaves its controller, which ends if it was the admin queue.
    fn leave(&mut self) {
        let Some(link) = self.link.take() else {
            return;
        };
        link.controller.remove_queue(link.queue_id, &self.events);
        if link.queue_id == 0 {
            link.subsystem.remove(&link.controller);
        }
    }
}

impl Drop for QueuePair {
    fn drop(&mut self) {
        self.leave();
    }
}

/// Byte 1: no fused operation (bits 1:0), and SGLs rather than PRPs (bits 7:6).
fn has_plain_flags(command: &Command) -> bool {
    let flags = command.bytes()[1];
    flags & 0b11 == 0 && matches!(flags >> 6, 0b01 | 0b10)
}
