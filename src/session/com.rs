//! One exchange with a ComID: IF-SEND, then IF-RECV until the answer is whole (\[Core\] 3.3.10.4).
//!
//! A TPer works synchronously: it takes one ComPacket, and refuses the next one until its answer
//! has been fetched. So [`Com`] knows whether an answer is awaited, and fetches it before it sends
//! anything else, even if the answer has become useless.

use std::time::Duration;

use zeroize::Zeroizing;

use super::answer::{Numbers, Readiness, readiness, sessions_of, tokens_of};
use super::clock::{Clock, Patience, Wait};
use super::{Error, Interrupt, Malformed, MalformedKind};
use crate::spec::property::opal_minimum;
use crate::spec::{ComId, SecurityProtocol};
use crate::transport::count::IfCounts;
use crate::transport::{self, InterfaceClass, InterfaceStatus, MAX_BUFFER, Transport};
use crate::wire::token::byte;
use crate::wire::{ComPacket, Packet};

/// Blocks in which every interface moves data.
pub(crate) const BLOCK: usize = 512;

/// Parts in which one answer may come. A TPer that sends more never ends.
const MAX_PARTS: usize = 512;

/// Bytes in which one answer may come, whatever the number of parts.
const MAX_ANSWER: usize = 4 * MAX_BUFFER;

/// Sessions of killed processes that are ended at a time; most TPers have one.
const MAX_ORPHANS: usize = 4;

/// How long a host that is alive may leave an answer waiting: four polls of the slowest one known.
const OTHER_HOST_GRACE: Duration = Duration::from_millis(100);

/// The ComID of a TPer, and the path to it.
pub(crate) struct Com {
    transport: Box<dyn Transport>,
    clock: Box<dyn Clock>,
    interrupt: Interrupt,
    com_id: ComId,
    counts: IfCounts,
    buffer: Vec<u8>,
    awaiting: bool,
    recovered: bool,
}

impl Com {
    pub(crate) fn new(
        transport: Box<dyn Transport>,
        clock: Box<dyn Clock>,
        interrupt: Interrupt,
    ) -> Self {
        let mut com = Self {
            transport,
            clock,
            interrupt,
            com_id: ComId::LEVEL_0_DISCOVERY,
            counts: IfCounts::default(),
            buffer: Vec::new(),
            awaiting: false,
            recovered: false,
        };
        com.expect_answers_of(opal_minimum::COM_PACKET);
        com
    }

    pub(crate) fn transport(&self) -> &dyn Transport {
        &*self.transport
    }

    pub(crate) const fn counts(&self) -> IfCounts {
        self.counts
    }

    pub(crate) const fn com_id(&self) -> ComId {
        self.com_id
    }

    pub(crate) const fn set_com_id(&mut self, com_id: ComId) {
        self.com_id = com_id;
    }

    /// Whether the TPer has taken a command whose answer has not been fetched.
    pub(crate) const fn is_awaiting(&self) -> bool {
        self.awaiting
    }

    /// Says that the TPer has forgotten everything that was sent.
    pub(crate) const fn forget(&mut self) {
        self.awaiting = false;
    }

    /// Whether something that another process had left was cleared away since the last question.
    pub(crate) const fn take_recovered(&mut self) -> bool {
        std::mem::replace(&mut self.recovered, false)
    }

    /// The largest answer in bytes that can be fetched.
    pub(crate) fn receive_limit(&self) -> usize {
        self.transport.max_transfer().min(MAX_BUFFER)
    }

    /// Offers a buffer for answers of that many bytes from now on, as far as the limits allow.
    pub(crate) fn expect_answers_of(&mut self, length: usize) {
        let size = length.next_multiple_of(BLOCK).min(self.receive_limit());
        self.buffer.resize(size, 0);
    }

    /// Sends tokens and fetches the answer's.
    pub(crate) fn exchange(
        &mut self,
        numbers: Numbers,
        tokens: &[u8],
        patience: Patience,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        if self.awaiting {
            self.settle(Patience::CLEANUP)?;
        }
        self.heed(patience)?;
        self.send(numbers, tokens, patience)?;
        self.answer(numbers, patience)
    }

    /// Fetches the tokens of an answer.
    fn answer(
        &mut self,
        numbers: Numbers,
        patience: Patience,
    ) -> Result<Zeroizing<Vec<u8>>, Error> {
        let packets = self.receive(patience)?;
        if let Some(tokens) = tokens_of(numbers, &packets)? {
            return Ok(tokens);
        }
        // Only a CloseSession of another session: the answer is still to come, or nothing is.
        let packets = self.receive(patience)?;
        tokens_of(numbers, &packets)?.ok_or(Error::NoAnswer)
    }

    /// Fetches what is still awaited and ends the sessions to which it belongs; their numbers.
    pub(crate) fn settle(&mut self, patience: Patience) -> Result<Vec<Numbers>, Error> {
        let patience = Patience {
            empty_polls: 0,
            ..patience
        };
        let wait = self.wait(patience);
        let mut orphans = match self.receive(patience) {
            Err(Error::NoAnswer) => Vec::new(),
            packets => sessions_of(&packets?),
        };
        orphans.truncate(MAX_ORPHANS);
        for &orphan in &orphans {
            let limit = wait.check(self.clock.now())?;
            self.transmit(orphan, &[byte::END_OF_SESSION])?;
            match self.receive(Patience { limit, ..patience }) {
                Ok(_) | Err(Error::NoAnswer) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(orphans)
    }

    /// IF-SEND. A TPer that refuses it because an answer is waiting belongs to a process that was
    /// killed: its answer is fetched, its session is ended, and the IF-SEND is repeated, once.
    /// Before that, a process that is alive gets the time to fetch its answer.
    fn send(&mut self, numbers: Numbers, tokens: &[u8], patience: Patience) -> Result<(), Error> {
        match self.transmit(numbers, tokens) {
            Err(Error::Transport(error)) if is_out_of_turn(&error) => {}
            sent => return sent,
        }
        self.clock.sleep(OTHER_HOST_GRACE);
        match self.transmit(numbers, tokens) {
            Err(Error::Transport(error)) if is_out_of_turn(&error) => {}
            sent => return sent,
        }
        self.settle(patience)?;
        self.recovered = true;
        match self.transmit(numbers, tokens) {
            Err(Error::Transport(error)) if is_sequence_error(&error) => Err(Error::OutOfTurn),
            sent => sent,
        }
    }

    fn transmit(&mut self, numbers: Numbers, tokens: &[u8]) -> Result<(), Error> {
        let mut bytes =
            ComPacket::with_tokens(self.com_id, numbers.tsn, numbers.hsn, tokens).encode();
        let padded = bytes.len().next_multiple_of(BLOCK);
        bytes.resize(padded, 0);
        self.if_send(SecurityProtocol::TCG, self.com_id, &bytes)?;
        self.awaiting = true;
        Ok(())
    }

    /// Polls until the answer is whole.
    fn receive(&mut self, patience: Patience) -> Result<Vec<Packet>, Error> {
        let mut wait = self.wait(patience);
        let mut packets = Vec::new();
        let mut size = 0;
        let mut empty_polls = patience.empty_polls;
        for _ in 0..MAX_PARTS {
            wait.check(self.clock.now())?;
            let mut part = self.poll(&mut wait)?;
            match readiness(&part, self.buffer.len()) {
                // Also where the answer is not ours, but one that a killed process left.
                Readiness::NeedsBuffer(length) => {
                    self.grow(length)?;
                    continue;
                }
                Readiness::Ready => {
                    self.awaiting = part.outstanding_data != 0;
                    size += self.buffer.len();
                    packets.append(&mut part.packets);
                }
                Readiness::Nothing if packets.is_empty() && empty_polls > 0 => {
                    empty_polls -= 1;
                    self.pause(&mut wait)?;
                    continue;
                }
                // Nothing, or the ComID is inactive; `poll` has waited for everything else.
                readiness => {
                    self.awaiting = false;
                    if packets.is_empty() {
                        return Err(match readiness {
                            Readiness::Inactive => Error::InactiveComId,
                            _ => Error::NoAnswer,
                        });
                    }
                }
            }
            if !self.awaiting {
                return Ok(packets);
            }
            if size >= MAX_ANSWER {
                break;
            }
        }
        Err(Error::Endless)
    }

    /// Polls until the TPer is no longer at work on the next part.
    fn poll(&mut self, wait: &mut Wait) -> Result<ComPacket, Error> {
        loop {
            let part = self.fetch()?;
            if readiness(&part, self.buffer.len()) != Readiness::Processing {
                return Ok(part);
            }
            self.pause(wait)?;
        }
    }

    /// One IF-RECV.
    fn fetch(&mut self) -> Result<ComPacket, Error> {
        let mut buffer = std::mem::take(&mut self.buffer);
        // What a bridge does not fill must not be mistaken for an answer.
        buffer.fill(0);
        let received = self.if_recv(SecurityProtocol::TCG, self.com_id, &mut buffer);
        let packet = received.and_then(|length| {
            let bytes = buffer.get(..length).unwrap_or(&buffer);
            self.decode(bytes)
        });
        self.buffer = buffer;
        packet
    }

    fn decode(&self, bytes: &[u8]) -> Result<ComPacket, Error> {
        let packet = ComPacket::decode(bytes).map_err(|error| Malformed::decode(error, bytes))?;
        if !packet.packets.is_empty() && packet.com_id != self.com_id {
            return Err(Malformed::new(MalformedKind::ComId, bytes).into());
        }
        Ok(packet)
    }

    fn grow(&mut self, needed: usize) -> Result<(), Error> {
        let (size, limit) = (self.buffer.len(), self.receive_limit());
        if size >= limit || needed > limit {
            return Err(Error::Limit {
                what: "an answer",
                length: needed,
                limit,
            });
        }
        self.expect_answers_of(needed.max(size + BLOCK));
        Ok(())
    }

    /// Lets time pass between two polls.
    pub(crate) fn pause(&mut self, wait: &mut Wait) -> Result<(), Error> {
        self.heed(wait.patience)?;
        let pause = wait.pause(self.clock.now())?;
        self.clock.sleep(pause);
        Ok(())
    }

    /// Lets time pass while the drive is busy with another session; `None` if none is left.
    pub(crate) fn pause_for(&mut self, pause: Duration, wait: &Wait) -> Result<Option<()>, Error> {
        self.heed(wait.patience)?;
        let left = wait.left(self.clock.now());
        Ok(left.map(|left| self.clock.sleep(pause.min(left))))
    }

    /// The time.
    pub(crate) fn now(&self) -> Duration {
        self.clock.now()
    }

    /// A wait that begins now.
    pub(crate) fn wait(&self, patience: Patience) -> Wait {
        Wait::new(self.clock.now(), patience)
    }

    /// How long a wait has lasted.
    pub(crate) fn waited(&self, wait: &Wait) -> Duration {
        wait.waited(self.clock.now())
    }

    fn heed(&self, patience: Patience) -> Result<(), Error> {
        if patience.heeds_interrupt && self.interrupt.is_raised() {
            return Err(Error::Interrupted);
        }
        Ok(())
    }

    /// A counted IF-SEND.
    pub(crate) fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), Error> {
        self.counts.send += 1;
        Ok(self.transport.if_send(protocol, com_id, data)?)
    }

    /// A counted IF-RECV.
    pub(crate) fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, Error> {
        self.counts.recv += 1;
        let received = self.transport.if_recv(protocol, com_id, buffer)?;
        Ok(received.min(buffer.len()))
    }
}

/// Whether an IF-SEND may have been refused because an answer is waiting. An ATA drive has one
/// error for everything, and bridges translate freely, so an invalid parameter may mean it, too.
const fn is_out_of_turn(error: &transport::Error) -> bool {
    let transport::Error::Interface { status, .. } = error else {
        return false;
    };
    is_sequence_error(error)
        || matches!(status.class(), Some(InterfaceClass::InvalidParameter))
        || matches!(status, InterfaceStatus::Ata { .. })
}

/// Whether an IF-SEND was refused because an answer is waiting.
const fn is_sequence_error(error: &transport::Error) -> bool {
    let transport::Error::Interface { status, .. } = error else {
        return false;
    };
    matches!(status.class(), Some(InterfaceClass::SequenceError))
}
