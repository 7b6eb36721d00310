//! REPORT SUPPORTED OPERATION CODES (\[SPC\] 6.34).

use super::command::{self, Command};
use super::{Answer, LogicalUnit, Request, Sense, allocate};

/// What the host wants to know.
///
/// | byte | bits | meaning |
/// |---|---|---|
/// | 2 | 7 | RCTD: with timeouts |
/// | | 2:0 | REPORTING OPTIONS |
/// | 3 | | requested operation code |
/// | 4–5 | | requested service action |
pub(super) fn report(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let timeouts = cdb.bit(2, 7);
    let (opcode, action) = (cdb.byte(3), cdb.u16(4));
    let find = |action: Option<u16>| {
        command::all(unit.face)
            .find(|command| command.opcode == opcode && command.service_action == action)
    };
    let has_actions = command::all(unit.face)
        .any(|command| command.opcode == opcode && command.service_action.is_some());
    let is_known = command::has_opcode(unit.face, opcode);
    let data = match cdb.byte(2) & 7 {
        0 => every_command(unit, timeouts),
        1 if has_actions => return Err(Sense::INVALID_FIELD.into()),
        1 => one_command(find(None), timeouts),
        2 if is_known && !has_actions => return Err(Sense::INVALID_FIELD.into()),
        2 => one_command(find(Some(action)), timeouts),
        3 if has_actions => one_command(find(Some(action)), timeouts),
        3 if action == 0 => one_command(find(None), timeouts),
        3 => one_command(None, timeouts),
        _ => return Err(Sense::INVALID_FIELD.into()),
    };
    allocate(data, cdb.length32(6))
}

/// A descriptor for each command.
///
/// | bytes | meaning |
/// |---|---|
/// | 0 | operation code |
/// | 2–3 | service action |
/// | 5 | bit 1 CTDP: a timeouts descriptor follows; bit 0 SERVACTV: there is a service action |
/// | 6–7 | length of the CDB |
fn every_command(unit: &LogicalUnit, timeouts: bool) -> Vec<u8> {
    let descriptor = |command: &Command| {
        let action = command.service_action;
        let [high, low] = action.unwrap_or_default().to_be_bytes();
        let flags = u8::from(timeouts) << 1 | u8::from(action.is_some());
        let mut bytes = vec![command.opcode, 0, high, low, 0, flags];
        bytes.extend(cdb_length(command));
        bytes.extend(timeouts_descriptor(timeouts));
        bytes
    };
    let descriptors: Vec<u8> = command::all(unit.face).flat_map(descriptor).collect();
    let length = u32::try_from(descriptors.len()).unwrap_or(u32::MAX);
    let mut data = length.to_be_bytes().to_vec();
    data.extend(descriptors);
    data
}

/// One command.
///
/// | bytes | meaning |
/// |---|---|
/// | 1 | bit 7 CTDP; bits 2:0 SUPPORT: 1 not supported, 3 as the standard says |
/// | 2–3 | length of the CDB |
/// | 4– | CDB usage data: the bits that are evaluated |
fn one_command(command: Option<&Command>, timeouts: bool) -> Vec<u8> {
    let Some(command) = command else {
        return vec![0, 0x01, 0, 0];
    };
    let mut data = vec![0, u8::from(timeouts) << 7 | 0x03];
    data.extend(cdb_length(command));
    data.extend(usage(command));
    data.extend(timeouts_descriptor(timeouts));
    data
}

/// The usage data hold the operation code and the service action by value.
fn usage(command: &Command) -> Vec<u8> {
    let mut usage = command.usage.to_vec();
    if let (Some(action), Some(byte)) = (command.service_action, usage.get_mut(1)) {
        *byte = action.to_be_bytes()[1];
    }
    usage
}

fn cdb_length(command: &Command) -> [u8; 2] {
    u16::try_from(command.usage.len())
        .unwrap_or_default()
        .to_be_bytes()
}

/// Ten bytes follow; times of zero say that there is no limit to know.
fn timeouts_descriptor(wanted: bool) -> Vec<u8> {
    if wanted {
        [[0, 10].as_slice(), &[0; 10]].concat()
    } else {
        Vec::new()
    }
}
