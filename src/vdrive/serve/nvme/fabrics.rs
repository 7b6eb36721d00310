//! Fabrics commands of a connected queue: properties, Disconnect (\[NVMe\] Fabrics Command Set).

use super::answer::{Answer, Answered, DONE};
use super::command::Command;
use super::connect::Link;
use super::flow::Flow;
use super::outcome::Status;
use super::registers::{Change, Property, Registers};

/// Opcode of Fabrics commands.
pub(super) const OPCODE: u8 = 0x7f;

/// FCTYPE of Property Set.
const PROPERTY_SET: u8 = 0x00;
/// FCTYPE of Connect.
pub(super) const CONNECT: u8 = 0x01;
/// FCTYPE of Property Get.
const PROPERTY_GET: u8 = 0x04;
/// FCTYPE of Disconnect.
pub(super) const DISCONNECT: u8 = 0x08;

/// Fabrics Command Type.
pub(super) fn kind(command: &Command) -> u8 {
    command.nsid().to_le_bytes()[0]
}

/// The data of a Fabrics command on a connected queue: none has any but Connect, which comes too
/// late.
pub(super) fn flow(link: &Link, command: &Command) -> Result<Flow, Status> {
    match (kind(command), link.queue_id) {
        (CONNECT, _) => Err(Status::SEQUENCE_ERROR),
        (PROPERTY_GET | PROPERTY_SET, 0) => Ok(Flow::Nothing),
        (DISCONNECT, 0) => Err(Status::INVALID_QUEUE_TYPE),
        (DISCONNECT, _) if command.cdw(10) & 0xffff != 0 => Err(Status::INCOMPATIBLE_FORMAT),
        (DISCONNECT, _) => Ok(Flow::Nothing),
        _ => Err(Status::INVALID_OPCODE),
    }
}

/// Property Get and Property Set.
pub(super) fn execute(link: &Link, command: &Command) -> Answered {
    let property = Property {
        offset: command.cdw(11),
        is_long: match command.cdw(10) & 7 {
            0 => false,
            1 => true,
            _ => return Err(Status::INVALID_FIELD.into()),
        },
    };
    match kind(command) {
        PROPERTY_GET => Ok(Answer::Result(link.controller.property(property)?)),
        _ => set(link, property, command.cdw(12)),
    }
}

/// Sets the Controller Configuration, the only property that can be set.
fn set(link: &Link, property: Property, value: u32) -> Answered {
    if property.offset != Registers::CONFIGURATION || property.is_long {
        return Err(Status::INVALID_FIELD.into());
    }
    match link.controller.configure(value) {
        Change::Reset => {
            // The host sees CSTS.RDY go when this command is answered.
            link.subsystem.settle();
            link.subsystem.lose_responses(&link.controller);
        }
        Change::ShutDown => shut_down(link),
        Change::Nothing | Change::Enabled => {}
    }
    Ok(DONE)
}

/// Makes the data safe before the host goes away.
fn shut_down(link: &Link) {
    let flushed = link
        .subsystem
        .drive(&link.controller)
        .is_some_and(|mut drive| drive.flush().is_ok());
    link.controller.shut_down(flushed);
}
