//! ATA PASS-THROUGH (\[SAT\] 12.2).

use super::ata::{BLOCK, Completion, Protocol, Registers};
use super::cdb::Cdb;
use super::{Answer, Condition, LogicalUnit, Request, Sense};

/// ATA PASS-THROUGH (12): registers of 8 bits.
pub(super) fn pass_through_12(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let byte = |at| cdb.byte(at);
    let device = byte(8);
    let registers = Registers {
        feature: byte(3).into(),
        count: byte(4).into(),
        lba: u64::from_be_bytes([0, 0, 0, 0, device & 0x0f, byte(7), byte(6), byte(5)]),
        device,
        command: byte(9),
    };
    unit.pass_through(request, &registers, false)
}

/// ATA PASS-THROUGH (16): registers of 16 bits if EXTEND (byte 1, bit 0) says so.
pub(super) fn pass_through_16(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let byte = |at| cdb.byte(at);
    let (device, extend) = (byte(13), cdb.bit(1, 0));
    let high = |at| if extend { byte(at) } else { 0 };
    let fourth = if extend { byte(7) } else { device & 0x0f };
    let lba = [0, 0, high(11), high(9), fourth, byte(12), byte(10), byte(8)];
    let registers = Registers {
        feature: u16::from_be_bytes([high(3), byte(4)]),
        count: u16::from_be_bytes([high(5), byte(6)]),
        lba: u64::from_be_bytes(lba),
        device,
        command: byte(14),
    };
    unit.pass_through(request, &registers, extend)
}

impl LogicalUnit {
    /// | byte | bits | meaning |
    /// |---|---|---|
    /// | 1 | 4:1 | PROTOCOL |
    /// | 2 | 5 | CK_COND: report the registers though the command succeeded |
    /// | | 4 | T_TYPE: blocks are logical sectors |
    /// | | 3 | T_DIR: to the host |
    /// | | 2 | BYT_BLOK: the length is in blocks |
    /// | | 1:0 | T_LENGTH: where the length is |
    fn pass_through(&self, request: &Request<'_>, registers: &Registers, extend: bool) -> Answer {
        let cdb = &request.cdb;
        let protocol = protocol(cdb).ok_or(Sense::INVALID_FIELD)?;
        let length = self.transfer_length(request, registers, protocol)?;
        let data = match protocol {
            Protocol::PioOut | Protocol::DmaOut => request.data_out.get(..length),
            Protocol::NonData | Protocol::PioIn | Protocol::DmaIn => Some([].as_slice()),
        };
        let data = data.ok_or(Sense::DATA_PHASE)?;
        let mut completion = match registers.protocol() {
            Some(expected) if expected != protocol => return Err(Sense::INVALID_FIELD.into()),
            _ => self.execute_ata(registers, data),
        };
        completion.data.truncate(length);
        let reports = cdb.bit(2, 5);
        if !completion.aborted && !reports {
            return Ok(completion.data);
        }
        Err(report(registers, completion, extend))
    }

    /// Bytes that the translation layer moves.
    fn transfer_length(
        &self,
        request: &Request<'_>,
        registers: &Registers,
        protocol: Protocol,
    ) -> Result<usize, Sense> {
        let cdb = &request.cdb;
        let unit = match (cdb.bit(2, 2), cdb.bit(2, 4)) {
            (false, _) => 1,
            (true, false) => BLOCK,
            (true, true) => self.block_bytes(),
        };
        let units = match (protocol, cdb.byte(2) & 3) {
            (Protocol::NonData, _) => 0,
            (_, 1) => usize::from(registers.feature),
            (_, 2) => usize::from(registers.count),
            (Protocol::PioOut | Protocol::DmaOut, 3) => return Ok(request.data_out.len()),
            (_, 3) => return Ok(request.room),
            _ => return Err(Sense::INVALID_FIELD),
        };
        Ok(units.saturating_mul(unit))
    }
}

/// PROTOCOL, which must agree with T_DIR where data move.
fn protocol(cdb: &Cdb) -> Option<Protocol> {
    let to_host = cdb.bit(2, 3);
    match (cdb.byte(1) >> 1 & 0x0f, to_host) {
        (3, _) => Some(Protocol::NonData),
        (4, true) => Some(Protocol::PioIn),
        (5, false) => Some(Protocol::PioOut),
        (6 | 10, true) => Some(Protocol::DmaIn),
        (6 | 11, false) => Some(Protocol::DmaOut),
        _ => None,
    }
}

/// CHECK CONDITION with the registers: RECOVERED ERROR if the host only wanted to see them,
/// ABORTED COMMAND for ABRT (\[SAT\] 11.3).
fn report(registers: &Registers, completion: Completion, extend: bool) -> Condition {
    let sense = if completion.aborted {
        Sense::ABORTED
    } else {
        Sense::ATA_INFORMATION
    };
    Condition {
        sense,
        descriptors: status_return(registers, &completion, extend),
        data_in: completion.data,
    }
}

/// ATA Status Return descriptor (\[SAT\] 12.2.6).
///
/// | byte | meaning |
/// |---|---|
/// | 0, 1 | descriptor type 09h, additional length 0Ch |
/// | 2 | bit 0 EXTEND |
/// | 3 | error: bit 2 ABRT |
/// | 4, 5 | count |
/// | 6–11 | LBA (31:24), (7:0), (39:32), (15:8), (47:40), (23:16) |
/// | 12 | device |
/// | 13 | status: bit 6 DRDY, bit 4 obsolete and set, bit 0 ERR |
fn status_return(registers: &Registers, completion: &Completion, extend: bool) -> Vec<u8> {
    let (status, error) = if completion.aborted {
        (0x51, 0x04)
    } else {
        (0x50, 0x00)
    };
    let mut descriptor = vec![0x09, 0x0c, u8::from(extend), error];
    descriptor.extend(completion.count.to_be_bytes());
    descriptor.extend([0; 6]);
    descriptor.extend([registers.device, status]);
    descriptor
}
