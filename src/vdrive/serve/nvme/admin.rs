//! Admin commands (\[NVMe\] Admin Command Set).

use super::answer::{Answer, Answered, DONE};
use super::command::Command;
use super::connect::Link;
use super::flow::Flow;
use super::opcode::admin::{
    ABORT, EVENT_REQUEST, GET_FEATURES, GET_LOG_PAGE, IDENTIFY, KEEP_ALIVE, SECURITY_RECEIVE,
    SECURITY_SEND, SET_FEATURES,
};
use super::outcome::Status;
use super::{feature_command, identify, log_page, security};

/// The data of an admin command, which is refused here if its data cannot be taken.
pub(super) fn flow(command: &Command) -> Result<Flow, Status> {
    match command.opcode() {
        GET_LOG_PAGE => log_page::flow(command),
        IDENTIFY => identify::flow(command),
        GET_FEATURES => feature_command::get_flow(command),
        SECURITY_SEND => security::send_flow(command),
        SECURITY_RECEIVE => security::receive_flow(command),
        ABORT | SET_FEATURES | EVENT_REQUEST | KEEP_ALIVE => Ok(Flow::Nothing),
        _ => Err(Status::INVALID_OPCODE),
    }
}

/// Carries out an admin command.
pub(super) fn execute(link: &Link, command: &Command, data: &[u8]) -> Answered {
    let controller = &link.controller;
    if controller.holds(command.cid()) {
        return Err(Status::COMMAND_ID_CONFLICT.into());
    }
    match command.opcode() {
        GET_LOG_PAGE => Ok(log_page::execute(link, command)?),
        IDENTIFY => Ok(identify::execute(link, command)?),
        ABORT => Ok(abort(link, command)),
        SET_FEATURES => feature_command::set(controller, command),
        GET_FEATURES => feature_command::get(controller, command),
        EVENT_REQUEST => {
            controller.hold(command.cid())?;
            Ok(Answer::Held)
        }
        KEEP_ALIVE => {
            controller.keep_alive();
            Ok(DONE)
        }
        SECURITY_SEND => security::send(link, command, data),
        SECURITY_RECEIVE => security::receive(link, command),
        _ => Err(Status::INVALID_OPCODE.into()),
    }
}

/// Abort. Only requests for events last; bit 0 of the result says that nothing was aborted.
fn abort(link: &Link, command: &Command) -> Answer {
    let [queue, cid] = [command.cdw(10) & 0xffff, command.cdw(10) >> 16];
    let was_held = queue == 0 && u16::try_from(cid).is_ok_and(|cid| link.controller.abort(cid));
    Answer::Result(u64::from(!was_held))
}
