//! Removal of data that takes time (\[Opal\] 3.1.1, 5.1.2; reference 3.9.16).
//!
//! On a model whose `removal_polls` is not 0, a ComPacket with such a method is put off: the host is
//! told to poll, and Level 0 Discovery says that an operation is processed. It is carried out when
//! the host has polled often enough. A TCG reset before that breaks it off: nothing has happened,
//! and Level 0 says so until a removal is completed.

use serde::{Deserialize, Serialize};

use super::Tper;
use super::cell::Octets;
use super::interpreter;
use super::methods;
use super::parser::{self, Item};
use crate::spec::ComId;
use crate::wire::packet::{ComPacket, Packet};

/// A ComPacket that has been put off.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Work {
    com_packet: Octets,
    /// How many more times the host is told that the response is still to come.
    polls: u32,
}

impl Tper {
    /// Puts a ComPacket off that removes data, where that takes time. False if it did not.
    pub(super) fn put_off(&mut self, com_id: ComId, data: &[u8], com_packet: &ComPacket) -> bool {
        let polls = self.state.profile.behaviour.removal_polls;
        let [packet] = com_packet.packets.as_slice() else {
            return false;
        };
        if polls == 0 || !self.removes_data(com_id, packet) {
            return false;
        }
        let index = self.stack_index(com_id);
        let Some(stack) = index.and_then(|index| self.power.stacks.get_mut(index)) else {
            return false;
        };
        stack.work = Some(Work {
            com_packet: Octets::new(data),
            polls,
        });
        true
    }

    /// True if a method of the packet will remove data.
    fn removes_data(&self, com_id: ComId, packet: &Packet) -> bool {
        let mut sessions = self.power.sessions.iter();
        let Some(session) = sessions.find(|session| session.is_addressed(com_id, packet)) else {
            return false;
        };
        let limits = interpreter::limits(&self.state.profile);
        let stream = parser::parse(&packet.tokens(), limits);
        stream.items.iter().any(|item| match item {
            Item::Call(call) => methods::removes_data(self, session, call),
            _ => false,
        })
    }

    /// Counts a poll. True if there is still work to do on the ComID; the last poll does it.
    pub(super) fn is_at_work(&mut self, com_id: ComId) -> bool {
        let index = self.stack_index(com_id);
        let stack = index.and_then(|index| self.power.stacks.get_mut(index));
        match stack.and_then(|stack| stack.work.as_mut()) {
            Some(work) if work.polls > 0 => {
                work.polls -= 1;
                true
            }
            _ => {
                self.finish_work(com_id);
                false
            }
        }
    }

    /// Does at once what was put off on a ComID.
    pub(super) fn finish_work(&mut self, com_id: ComId) {
        let index = self.stack_index(com_id);
        let stack = index.and_then(|index| self.power.stacks.get_mut(index));
        let Some(work) = stack.and_then(|stack| stack.work.take()) else {
            return;
        };
        if let Ok(com_packet) = ComPacket::decode(work.com_packet.expose()) {
            self.process(com_id, &com_packet);
        }
    }

    /// True if some ComID has work to do.
    pub(super) fn is_removing_data(&self) -> bool {
        self.power.stacks.iter().any(|stack| stack.work.is_some())
    }
}
