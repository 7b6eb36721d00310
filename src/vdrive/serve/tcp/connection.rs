//! One connection, which is one queue: bytes of the host go in, bytes for the host come out.
//!
//! It does no I/O and has no clock. What it keeps is bounded: one PDU, and the data of as many
//! commands as [`transfers`](super::transfers) allows. What it answers at a time is bounded too: it
//! takes one PDU, and whoever feeds it sends the answer before the next.

use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU16, Ordering};

use super::answer::{self, Terms};
use super::assembler::Assembler;
use super::digest::Digests;
use super::fatal::Fatal;
use super::pdu::{DataHeader, HostPdu, Initialize, Layout, Payload, field};
use super::transfers::Transfers;
use crate::vdrive::serve::nvme::{
    Command, Completion, DataPointer, Outcome, QueuePair, Status, Transfer,
};

/// HPDA: the widest alignment that a host may ask for, in dwords, 0's based.
const MAX_HPDA: u8 = 31;

/// Transient Transport Error: the host may try again.
const TRANSIENT_TRANSPORT_ERROR: Status = Status(0x0022);

/// What executes the commands of a connection.
pub(crate) trait Queue {
    /// What data a command needs before it can be executed, or why it cannot be.
    fn transfer(&mut self, command: &Command) -> Result<Transfer, Completion>;

    /// Executes a command.
    fn execute(&mut self, command: &Command, data: &[u8]) -> Outcome;

    /// Whether a Connect command has succeeded.
    fn is_connected(&self) -> bool;

    /// Counts a command that is done or held; Submission Queue Head Pointer after it.
    fn next_head(&mut self) -> u16;
}

impl Queue for QueuePair {
    fn transfer(&mut self, command: &Command) -> Result<Transfer, Completion> {
        Self::transfer(self, command)
    }

    fn execute(&mut self, command: &Command, data: &[u8]) -> Outcome {
        self.execute(command, data)
    }

    fn is_connected(&self) -> bool {
        self.is_connected()
    }

    fn next_head(&mut self) -> u16 {
        self.next_head()
    }
}

/// Why a connection has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The host broke a rule; C2HTermReq says which.
    Fatal(Fatal),
    /// The host sent H2CTermReq.
    Host { status: u16, information: u32 },
}

/// A connection and its queue.
pub(crate) struct Connection<Q> {
    queue: Q,
    assembler: Assembler,
    transfers: Transfers,
    /// None before the handshake.
    terms: Option<Terms>,
    /// Whether SUCCESS may take the place of a response: the host does not look at SQHD.
    omits_responses: bool,
    late: Arc<Late>,
}

impl<Q: Queue> Connection<Q> {
    /// A connection whose host has sent nothing yet.
    pub(crate) fn new(queue: Q, late: Arc<Late>) -> Self {
        Self {
            queue,
            assembler: Assembler::default(),
            transfers: Transfers::default(),
            terms: None,
            omits_responses: false,
            late,
        }
    }

    /// Takes one PDU of the input, or what there is of it, and appends the answer.
    pub(crate) fn receive(&mut self, input: &mut &[u8], out: &mut Vec<u8>) -> ControlFlow<End> {
        match self.assembler.take(input, self.digests()) {
            Ok(None) => ControlFlow::Continue(()),
            Ok(Some((layout, pdu))) => {
                let flow = self.take_pdu(&layout, &pdu, out);
                self.assembler.recycle(pdu);
                flow
            }
            Err(fatal) => end(fatal, self.assembler.partial_header(), out),
        }
    }

    /// Whether a Connect command has succeeded.
    pub(crate) fn is_connected(&self) -> bool {
        self.queue.is_connected()
    }

    /// Whether the host owes the rest of a PDU, or data that it was asked for.
    pub(crate) fn is_owed(&self) -> bool {
        self.assembler.is_within_pdu() || self.transfers.is_expecting()
    }

    /// How much memory it holds for what the host has sent.
    #[cfg(test)]
    pub(crate) fn reserved(&self) -> usize {
        self.assembler.reserved() + self.transfers.reserved()
    }

    /// What executes its commands.
    #[cfg(test)]
    pub(super) fn queue(&mut self) -> &mut Q {
        &mut self.queue
    }

    fn digests(&self) -> Digests {
        self.terms
            .map_or_else(Digests::default, |terms| terms.digests)
    }

    fn take_pdu(&mut self, layout: &Layout, pdu: &[u8], out: &mut Vec<u8>) -> ControlFlow<End> {
        let done = match (HostPdu::decode(layout, pdu), self.terms) {
            (
                HostPdu::Terminate {
                    status,
                    information,
                },
                _,
            ) => {
                return ControlFlow::Break(End::Host {
                    status,
                    information,
                });
            }
            (HostPdu::Initialize(request), None) => self.initialize(request, out),
            (HostPdu::Command(command, capsule), Some(terms)) => {
                self.command(&command, capsule, &mut Reply { out, terms })
            }
            (HostPdu::Data(header, payload), Some(terms)) => {
                self.data(header, payload, &mut Reply { out, terms })
            }
            _ => Err(Fatal::SEQUENCE),
        };
        let header = pdu.get(..layout.header_length()).unwrap_or(pdu);
        done.map_or_else(|fatal| end(fatal, header, out), ControlFlow::Continue)
    }

    fn initialize(&mut self, request: Initialize, out: &mut Vec<u8>) -> Result<(), Fatal> {
        if request.pfv != 0 {
            return Err(Fatal::unsupported(field::PFV));
        }
        if request.hpda > MAX_HPDA {
            return Err(Fatal::field(field::HPDA));
        }
        self.terms = Some(Terms {
            digests: request.digests,
            alignment: (usize::from(request.hpda) + 1) * 4,
        });
        self.late.set_digest(request.digests.header);
        answer::initialize_response(out, request.digests);
        Ok(())
    }

    fn command(
        &mut self,
        command: &Command,
        capsule: Payload<'_>,
        reply: &mut Reply<'_>,
    ) -> Result<(), Fatal> {
        if self.transfers.has(command.cid()) {
            self.refuse(command, Status::COMMAND_ID_CONFLICT, reply);
            return Ok(());
        }
        if !capsule.is_intact {
            self.refuse(command, TRANSIENT_TRANSPORT_ERROR, reply);
            return Ok(());
        }
        match self.queue.transfer(command) {
            Err(completion) => self.respond(command, completion, reply),
            Ok(Transfer::Nothing | Transfer::FromHost(0)) => self.execute(command, &[], reply),
            Ok(Transfer::FromHost(length)) => {
                self.gather(command, capsule.bytes, length, reply)?;
            }
        }
        Ok(())
    }

    /// Goes on with a command that takes data, from its capsule or by R2T.
    fn gather(
        &mut self,
        command: &Command,
        capsule: &[u8],
        length: usize,
        reply: &mut Reply<'_>,
    ) -> Result<(), Fatal> {
        match command.data_pointer() {
            DataPointer::Capsule { offset, .. } => match part(capsule, offset, length) {
                Some(data) => self.execute(command, data, reply),
                None => self.refuse(command, Status::SGL_LENGTH_INVALID, reply),
            },
            DataPointer::Transport { .. } => {
                let length = u32::try_from(length).map_err(|_| Fatal::LIMIT)?;
                self.transfers.begin(*command, length)?;
                self.grant(reply);
            }
            DataPointer::Unknown { .. } => self.refuse(command, Status::SGL_TYPE_INVALID, reply),
        }
        Ok(())
    }

    fn data(
        &mut self,
        header: DataHeader,
        payload: Payload<'_>,
        reply: &mut Reply<'_>,
    ) -> Result<(), Fatal> {
        if let Some(complete) = self.transfers.receive(header, payload)? {
            if complete.is_intact {
                self.execute(&complete.command, &complete.data, reply);
            } else {
                self.refuse(&complete.command, TRANSIENT_TRANSPORT_ERROR, reply);
            }
            self.grant(reply);
        }
        Ok(())
    }

    /// Asks for all data that the limits allow.
    fn grant(&mut self, reply: &mut Reply<'_>) {
        while let Some(demand) = self.transfers.grant() {
            answer::ready_to_transfer(reply.out, reply.terms.digests.header, demand);
        }
    }

    fn execute(&mut self, command: &Command, data: &[u8], reply: &mut Reply<'_>) {
        let was_connected = self.queue.is_connected();
        let Outcome::Done { completion, data } = self.queue.execute(command, data) else {
            self.next_head();
            return;
        };
        if !was_connected && self.queue.is_connected() {
            self.omits_responses = disables_flow_control(command);
        }
        let is_plain = completion.status == Status::SUCCESS && completion.result == 0;
        let is_last = self.omits_responses && is_plain && !data.is_empty();
        answer::data(reply.out, reply.terms, command.cid(), &data, is_last);
        if is_last {
            self.next_head();
        } else {
            self.respond(command, completion, reply);
        }
    }

    fn refuse(&mut self, command: &Command, status: Status, reply: &mut Reply<'_>) {
        self.respond(command, status.into(), reply);
    }

    fn respond(&mut self, command: &Command, completion: Completion, reply: &mut Reply<'_>) {
        let sq_head = self.next_head();
        let has_digest = reply.terms.digests.header;
        answer::response(reply.out, has_digest, command.cid(), sq_head, completion);
    }

    fn next_head(&mut self) -> u16 {
        let sq_head = self.queue.next_head();
        self.late.set_sq_head(sq_head);
        sq_head
    }
}

/// Where an answer goes, and in which form.
struct Reply<'o> {
    out: &'o mut Vec<u8>,
    terms: Terms,
}

/// What answers that come later, from other threads, have to know of a connection.
#[derive(Debug, Default)]
pub(crate) struct Late {
    has_digest: AtomicBool,
    sq_head: AtomicU16,
}

impl Late {
    /// The response to a command that was held.
    pub(crate) fn response(&self, cid: u16, completion: Completion) -> Vec<u8> {
        let mut out = Vec::new();
        let has_digest = self.has_digest.load(Ordering::Acquire);
        let sq_head = self.sq_head.load(Ordering::Acquire);
        answer::response(&mut out, has_digest, cid, sq_head, completion);
        out
    }

    fn set_digest(&self, has_digest: bool) {
        self.has_digest.store(has_digest, Ordering::Release);
    }

    fn set_sq_head(&self, sq_head: u16) {
        self.sq_head.store(sq_head, Ordering::Release);
    }
}

fn end(fatal: Fatal, header: &[u8], out: &mut Vec<u8>) -> ControlFlow<End> {
    answer::terminate(out, fatal, header);
    ControlFlow::Break(End::Fatal(fatal))
}

/// Data in a capsule.
fn part(capsule: &[u8], offset: u64, length: usize) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    capsule.get(start..start.checked_add(length)?)
}

/// CATTR bit 2 of a Connect command.
const fn disables_flow_control(connect: &Command) -> bool {
    connect.bytes()[46] & 1 << 2 != 0
}
