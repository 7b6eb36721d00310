//! IF-SEND and IF-RECV: security protocols, ComIDs and the synchronous protocol (\[Core\] 3.3,
//! \[SIIS\] 3, \[SPC\] 7.7).

use zeroize::Zeroizing;

use super::cell::Octets;
use super::dialect::{self, Dialect};
use super::interpreter::{self, Fate, Outcome};
use super::sessions::Control;
use super::state::{Session, Stack};
use super::{CommandError, Tper};
use crate::spec::{ComId, Hsn, SecurityProtocol, Tsn, method, uid};
use crate::transport::InterfaceStatus;
use crate::vdrive::profile::{InactiveComId, MinTransfer, ViolationReply};
use crate::wire::MethodCall;
use crate::wire::packet::{COM_PACKET_HEADER, ComPacket, OVERHEAD, PACKET_HEADER, Packet};

/// What the TPer answers to an interface command that it refuses.
pub(super) type Refusal = InterfaceStatus;

/// `ExtendedComID` extension that says that a ComID is not active (\[Core\] 3.3.2).
pub(super) const INACTIVE: u16 = 0xffff;

/// The most bytes of tokens that the answer to a method of the session manager has.
const MAX_CONTROL_ANSWER: usize = 1024;

impl Tper {
    /// Carries out IF-SEND.
    ///
    /// # Errors
    /// [`CommandError::Refused`] with what the interface answers.
    pub(crate) fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), CommandError> {
        self.catch_up()?;
        self.power.stats.count_send(protocol);
        self.expire_sessions();
        let sent = match protocol {
            SecurityProtocol::TCG => self.send_tcg(com_id, data),
            SecurityProtocol::TCG_MANAGEMENT => self.send_management(com_id, data),
            _ => Err(Refusal::InvalidParameter),
        };
        self.keep()?;
        Ok(sent?)
    }

    /// Carries out IF-RECV; returns how many bytes of `buffer` were filled.
    ///
    /// # Errors
    /// [`CommandError::Refused`] with what the interface answers.
    pub(crate) fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, CommandError> {
        self.catch_up()?;
        self.power.stats.count_recv(protocol);
        self.expire_sessions();
        let received = match protocol {
            SecurityProtocol::INFORMATION => self.information(com_id.0),
            SecurityProtocol::ATA_SECURITY => self.receive_ata_security(com_id.0),
            SecurityProtocol::TCG if self.is_too_long(buffer.len()) => {
                Err(Refusal::InvalidParameter)
            }
            SecurityProtocol::TCG => self.receive_tcg(com_id, buffer.len()),
            SecurityProtocol::TCG_MANAGEMENT => self.receive_management(com_id, buffer.len()),
            _ => Err(Refusal::InvalidParameter),
        };
        self.keep()?;
        Ok(fill(buffer, &received?))
    }

    /// Where the stack of a ComID stands among the stacks.
    pub(super) fn stack_index(&self, com_id: ComId) -> Option<usize> {
        let mut com_ids = self.state.profile.com_ids();
        com_ids.position(|active| active == com_id.0)
    }

    /// IF-SEND for a ComID that is not active.
    pub(super) fn send_inactive(&self) -> Result<(), Refusal> {
        match self.state.profile.behaviour.inactive_com_id {
            InactiveComId::Discard => Ok(()),
            InactiveComId::Abort => Err(Refusal::InvalidParameter),
        }
    }

    /// IF-RECV for a ComID that is not active.
    pub(super) fn receive_inactive(&self, com_id: ComId) -> Result<Vec<u8>, Refusal> {
        self.send_inactive()?;
        let com_packet = ComPacket {
            extension: INACTIVE,
            ..ComPacket::empty(com_id)
        };
        Ok(com_packet.encode().to_vec())
    }

    fn send_tcg(&mut self, com_id: ComId, data: &[u8]) -> Result<(), Refusal> {
        if com_id == ComId::LEVEL_0_DISCOVERY {
            return Ok(());
        }
        let Some(stack) = self
            .stack_index(com_id)
            .and_then(|index| self.power.stacks.get(index))
        else {
            return self.send_inactive();
        };
        let limit = self.state.profile.communication.max_com_packet;
        if u64::try_from(data.len()).map_or(true, |length| length > limit) {
            return Err(Refusal::InvalidParameter);
        }
        if self.power.is_deaf() {
            return Ok(());
        }
        if !stack.responses.is_empty() || stack.work.is_some() {
            return Err(Refusal::SequenceError);
        }
        if let Ok(com_packet) = ComPacket::decode(data)
            && !self.put_off(com_id, data, &com_packet)
        {
            self.process(com_id, &com_packet);
        }
        Ok(())
    }

    /// Carries out a ComPacket whose envelope is sound. Whatever no session can be found for is
    /// dropped (\[Core\] 3.3.10.1.3).
    pub(super) fn process(&mut self, com_id: ComId, com_packet: &ComPacket) {
        if com_packet.com_id != com_id || com_packet.extension != 0 {
            return;
        }
        match com_packet.packets.as_slice() {
            [packet] if is_control(packet) => self.process_control(com_id, packet),
            [packet] => self.process_session(com_id, packet),
            // MaxPackets is 1.
            packets => {
                for packet in packets {
                    if let Some(session) = self.take_session(com_id, packet) {
                        self.finish(&session, &Outcome::aborted());
                    }
                }
            }
        }
    }

    fn process_control(&mut self, com_id: ComId, packet: &Packet) {
        if self.exceeds_subpackets(packet) {
            return;
        }
        let limits = interpreter::limits(&self.state.profile);
        let stream = super::parser::parse(&packet.tokens(), limits);
        let calls = stream.items.iter().map(|item| match item {
            super::parser::Item::Call(call) => Control::read(call),
            _ => None,
        });
        let calls = calls.collect::<Option<Vec<_>>>();
        if let Some(calls) = calls.filter(|_| stream.violation.is_none()) {
            let tokens = self.carry_out_control(com_id, &calls);
            self.respond(com_id, Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER, &tokens);
        }
    }

    /// Carries out as many calls as the host can receive answers to; returns the answers.
    fn carry_out_control(&mut self, com_id: ComId, calls: &[Control<'_>]) -> Vec<u8> {
        let host = self.stack_index(com_id).and_then(|index| {
            let stack = self.power.stacks.get(index)?;
            Some(stack.host.token_budget(&self.state.profile))
        });
        let budget = usize::try_from(host.unwrap_or_default()).unwrap_or(usize::MAX);
        let mut tokens = Vec::new();
        for call in calls {
            if tokens.len().saturating_add(MAX_CONTROL_ANSWER) > budget {
                break;
            }
            if let Some(answer) = self.control(com_id, call) {
                let defects = &self.state.profile.defects;
                let dialect = match answer.method_id {
                    method::SYNC_SESSION => Dialect::of_sync_session(defects),
                    _ => Dialect::of_methods(defects),
                };
                tokens.extend_from_slice(&dialect.write(answer.encode()));
            }
        }
        tokens
    }

    fn process_session(&mut self, com_id: ComId, packet: &Packet) {
        let Some(mut session) = self.take_session(com_id, packet) else {
            return;
        };
        session.last_used = self.now();
        let outcome = if self.exceeds_subpackets(packet) {
            Outcome::aborted()
        } else {
            interpreter::run(self, &mut session, &packet.tokens())
        };
        self.finish(&session, &outcome);
        if outcome.fate == Fate::Open {
            self.power.sessions.push(session);
        }
    }

    /// Takes the session of a packet out of the open ones.
    fn take_session(&mut self, com_id: ComId, packet: &Packet) -> Option<Session> {
        let sessions = &mut self.power.sessions;
        let index = sessions
            .iter()
            .position(|session| session.is_addressed(com_id, packet))?;
        Some(sessions.swap_remove(index))
    }

    /// Lets the answer wait, and says that the session was aborted if that is the TPer's manner.
    fn finish(&mut self, session: &Session, outcome: &Outcome) {
        let com_id = ComId(session.com_id);
        self.respond(com_id, Tsn(session.tsn), Hsn(session.hsn), &outcome.tokens);
        let says_so = self.state.profile.behaviour.violation_reply == ViolationReply::CloseSession;
        if outcome.fate == Fate::Aborted && says_so {
            let close = MethodCall::new(uid::SESSION_MANAGER, method::CLOSE_SESSION)
                .argument(u64::from(session.hsn))
                .argument(u64::from(session.tsn));
            let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
            self.respond(com_id, tsn, hsn, &close.encode());
        }
    }

    fn exceeds_subpackets(&self, packet: &Packet) -> bool {
        let count = packet.subpackets.len();
        let limit = self.state.profile.communication.max_subpackets;
        u64::try_from(count).map_or(true, |count| count > limit)
    }

    /// Lets a response wait for IF-RECV.
    fn respond(&mut self, com_id: ComId, tsn: Tsn, hsn: Hsn, tokens: &[u8]) {
        let profile = &self.state.profile;
        let Some(index) = self.stack_index(com_id).filter(|_| !tokens.is_empty()) else {
            return;
        };
        if let Some(stack) = self.power.stacks.get_mut(index) {
            let mut tokens = Zeroizing::new(tokens.to_vec());
            dialect::push_trailing(&mut tokens, &profile.defects);
            let mut bytes = ComPacket::with_tokens(com_id, tsn, hsn, &tokens).encode();
            if profile.defects.packet_length_without_padding {
                leave_out_padding(&mut bytes, tokens.len());
            }
            stack.responses.push_back(Octets::new(&bytes));
            stack.polls = profile.behaviour.polls_before_response;
            stack.empty_answers = profile.defects.empty_answers;
        }
    }

    /// True if the drive does not take an IF-RECV of so many bytes.
    fn is_too_long(&self, length: usize) -> bool {
        let limit = self.state.profile.defects.max_receive;
        limit.is_some_and(|limit| u32::try_from(length).map_or(true, |length| length > limit))
    }

    fn receive_tcg(&mut self, com_id: ComId, room: usize) -> Result<Vec<u8>, Refusal> {
        if com_id == ComId::LEVEL_0_DISCOVERY {
            return Ok(self.level0());
        }
        let is_hung = self.power.is_hung && self.stack_index(com_id).is_some();
        if is_hung || self.is_at_work(com_id) {
            return Ok(header(com_id, STILL_AT_WORK, 0));
        }
        let min_transfer = self.state.profile.behaviour.min_transfer;
        let index = self.stack_index(com_id);
        match index.and_then(|index| self.power.stacks.get_mut(index)) {
            Some(stack) => Ok(receive(stack, com_id, room, min_transfer)),
            None => self.receive_inactive(com_id),
        }
    }
}

fn is_control(packet: &Packet) -> bool {
    packet.tsn == Tsn::SESSION_MANAGER && packet.hsn == Hsn::SESSION_MANAGER
}

/// What a stack gives to a host that offers `room` bytes (\[Core\] 3.3.10.2).
fn receive(stack: &mut Stack, com_id: ComId, room: usize, min_transfer: MinTransfer) -> Vec<u8> {
    let waiting = size(&stack.responses);
    let Some(response) = stack.responses.front() else {
        return header(com_id, 0, 0);
    };
    if stack.empty_answers > 0 {
        stack.empty_answers -= 1;
        return header(com_id, 0, 0);
    }
    if stack.polls > 0 {
        stack.polls -= 1;
        return header(com_id, STILL_AT_WORK, 0);
    }
    let length = response.expose().len();
    if length > room {
        let needed = match min_transfer {
            MinTransfer::Required => length,
            MinTransfer::Zero => 0,
        };
        return header(com_id, waiting, needed);
    }
    let mut bytes = stack
        .responses
        .pop_front()
        .map(|r| r.expose().to_vec())
        .unwrap_or_default();
    let next = stack
        .responses
        .front()
        .map_or(0, |next| next.expose().len());
    announce(&mut bytes, size(&stack.responses), next);
    bytes
}

/// `OutstandingData` while the response is still to come.
const STILL_AT_WORK: usize = 1;

/// Lets the length of the one Packet end with its tokens, as far as they are no multiple of four.
fn leave_out_padding(com_packet: &mut [u8], tokens: usize) {
    let length = OVERHEAD - COM_PACKET_HEADER - PACKET_HEADER + tokens;
    let length = u32::try_from(length).unwrap_or(u32::MAX);
    let end = COM_PACKET_HEADER + PACKET_HEADER;
    if let Some(place) = com_packet.get_mut(end - 4..end) {
        place.copy_from_slice(&length.to_be_bytes());
    }
}

fn size(responses: &std::collections::VecDeque<Octets>) -> usize {
    responses
        .iter()
        .map(|response| response.expose().len())
        .sum()
}

fn header(com_id: ComId, outstanding: usize, min_transfer: usize) -> Vec<u8> {
    let mut bytes = ComPacket::empty(com_id).encode().to_vec();
    announce(&mut bytes, outstanding, min_transfer);
    bytes
}

/// Writes what else waits into the header of a ComPacket.
fn announce(com_packet: &mut [u8], outstanding: usize, min_transfer: usize) {
    let fields = [outstanding, min_transfer].map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    let places = com_packet
        .get_mut(8..16)
        .into_iter()
        .flat_map(|bytes| bytes.chunks_mut(4));
    for (place, field) in places.zip(fields) {
        place.copy_from_slice(&field.to_be_bytes());
    }
}

/// Copies what fits, and returns how much that is.
fn fill(buffer: &mut [u8], data: &[u8]) -> usize {
    let length = buffer.len().min(data.len());
    for (place, byte) in buffer.iter_mut().zip(data) {
        *place = *byte;
    }
    length
}
