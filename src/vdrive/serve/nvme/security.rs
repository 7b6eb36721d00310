//! Security Send and Security Receive (\[NVMe\], \[SIIS\] 3.3).

use super::answer::{Answer, Answered, DONE};
use super::command::Command;
use super::connect::Link;
use super::flow::{Flow, Length};
use super::outcome::Status;
use crate::spec::{ComId, SecurityProtocol};
use crate::transport::{self, InterfaceClass};
use crate::vdrive::serve::shared::HeldDrive;

/// The data of Security Send; the host may have more than Transfer Length.
pub(super) fn send_flow(command: &Command) -> Result<Flow, Status> {
    Flow::from_host(command, Length::AtLeast(command.cdw(11).into()))
}

/// The data of Security Receive; the host may have room for more than Allocation Length.
pub(super) fn receive_flow(command: &Command) -> Result<Flow, Status> {
    Flow::to_host(command, Length::AtLeast(command.cdw(11).into()))
}

/// Security Send: IF-SEND.
pub(super) fn send(link: &Link, command: &Command, data: &[u8]) -> Answered {
    let data = data.get(..length(command)).unwrap_or(data);
    let (protocol, com_id) = address(command);
    let answered = answer(link, |drive| {
        drive.if_send(protocol, com_id, data)?;
        Ok(DONE)
    });
    if answered == Ok(DONE) {
        link.subsystem.note_send(&link.controller);
    }
    answered
}

/// Security Receive: IF-RECV, padded with zeros.
pub(super) fn receive(link: &Link, command: &Command) -> Answered {
    let (protocol, com_id) = address(command);
    answer(link, |drive| {
        let mut buffer = vec![0; length(command)];
        drive.if_recv(protocol, com_id, &mut buffer)?;
        Ok(Answer::Data(buffer))
    })
}

/// The drive's answer, unless the queue is over: then the host must connect anew first.
fn answer(
    link: &Link,
    command: impl FnOnce(&mut HeldDrive<'_>) -> Result<Answer, transport::Error>,
) -> Answered {
    let mut drive = link.subsystem.shared().hold();
    if link.is_over() {
        return Ok(Answer::Held);
    }
    command(&mut drive).map_err(|error| status(&error).into())
}

/// TL or AL, which the flow has bounded.
fn length(command: &Command) -> usize {
    usize::try_from(command.cdw(11)).unwrap_or(usize::MAX)
}

/// SECP, bits 31:24, and SPSP, bits 23:8 of CDW10.
fn address(command: &Command) -> (SecurityProtocol, ComId) {
    let [_, low, high, protocol] = command.cdw(10).to_le_bytes();
    let com_id = u16::from_le_bytes([low, high]);
    (SecurityProtocol(protocol), ComId(com_id))
}

/// The NVMe status of a refusal.
fn status(error: &transport::Error) -> Status {
    let transport::Error::Interface { status, .. } = error else {
        return Status::INTERNAL_ERROR;
    };
    match status.class() {
        Some(InterfaceClass::InvalidParameter) => Status::INVALID_FIELD,
        Some(InterfaceClass::SequenceError) => Status::SEQUENCE_ERROR,
        Some(InterfaceClass::DataProtection) => Status::ACCESS_DENIED,
        Some(InterfaceClass::OperationDenied) => Status::OPERATION_DENIED,
        None => Status::INTERNAL_ERROR,
    }
}
