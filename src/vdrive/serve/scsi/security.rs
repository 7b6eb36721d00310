//! SECURITY PROTOCOL IN and OUT (\[SPC\] 6.38, 6.39).

use super::cdb::Cdb;
use super::{Answer, LogicalUnit, Request, Sense, interface_sense};
use crate::spec::{ComId, SecurityProtocol};

/// IF-RECV.
pub(super) fn protocol_in(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let mut buffer = vec![0; length(cdb).min(request.room)];
    let received = unit.drive.if_recv(protocol(cdb), com_id(cdb), &mut buffer);
    let received = received.map_err(|error| interface_sense(&error))?;
    // With INC_512 the device pads the last unit with zeros.
    let sent = if in_units(cdb) {
        received.next_multiple_of(UNIT)
    } else {
        received
    };
    buffer.truncate(sent);
    Ok(buffer)
}

/// IF-SEND.
pub(super) fn protocol_out(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let data = request.data_out.get(..length(cdb));
    let data = data.ok_or(Sense::DATA_PHASE)?;
    let sent = unit.drive.if_send(protocol(cdb), com_id(cdb), data);
    sent.map_err(|error| interface_sense(&error))?;
    Ok(Vec::new())
}

/// Bytes of a unit of length with INC_512.
const UNIT: usize = 512;

fn protocol(cdb: &Cdb) -> SecurityProtocol {
    SecurityProtocol(cdb.byte(1))
}

/// SECURITY PROTOCOL SPECIFIC.
fn com_id(cdb: &Cdb) -> ComId {
    ComId(cdb.u16(2))
}

/// INC_512: byte 4, bit 7.
fn in_units(cdb: &Cdb) -> bool {
    cdb.bit(4, 7)
}

/// ALLOCATION LENGTH or TRANSFER LENGTH in bytes.
fn length(cdb: &Cdb) -> usize {
    let unit = if in_units(cdb) { UNIT } else { 1 };
    cdb.length32(6).saturating_mul(unit)
}
