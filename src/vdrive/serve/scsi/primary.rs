//! The small commands that every host asks first (\[SPC\] 6, \[SBC\] 5).

use super::sense::Format;
use super::{Answer, LogicalUnit, Request, Sense, allocate};

pub(super) fn test_unit_ready(_unit: &mut LogicalUnit, _request: &Request<'_>) -> Answer {
    Ok(Vec::new())
}

/// REQUEST SENSE: a pending unit attention, or nothing. Bit 0 of byte 1 (DESC) chooses the format.
pub(super) fn request_sense(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let sense = unit.attention().err().unwrap_or(Sense::NONE);
    let format = if request.cdb.bit(1, 0) {
        Format::Descriptor
    } else {
        Format::Fixed
    };
    allocate(sense.encode(format), usize::from(request.cdb.byte(4)))
}

/// REPORT LUNS: LUN 0. SELECT REPORT 01h asks for well-known units, of which there are none.
pub(super) fn report_luns(_unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let luns: &[u64] = match request.cdb.byte(2) {
        0x00 | 0x02 => &[0],
        0x01 => &[],
        _ => return Err(Sense::INVALID_FIELD.into()),
    };
    let length = u32::try_from(luns.len() * 8).unwrap_or(u32::MAX);
    let mut data = length.to_be_bytes().to_vec();
    data.extend([0; 4]);
    data.extend(luns.iter().flat_map(|lun| lun.to_be_bytes()));
    allocate(data, request.cdb.length32(6))
}

/// READ CAPACITY (10): the last block, or FFFFFFFFh where that needs more bits, and the block size.
pub(super) fn read_capacity_10(unit: &mut LogicalUnit, _request: &Request<'_>) -> Answer {
    let last = u32::try_from(unit.blocks.saturating_sub(1)).unwrap_or(u32::MAX);
    Ok([last.to_be_bytes(), unit.block_size.to_be_bytes()].concat())
}

/// READ CAPACITY (16).
///
/// | byte | bit | meaning |
/// |---|---|---|
/// | 0–7 | | last block |
/// | 8–11 | | block size |
/// | 14 | 7 | LBPME: blocks can be unmapped |
/// | | 6 | LBPRZ: unmapped blocks read as zeros |
pub(super) fn read_capacity_16(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let mut data = unit.blocks.saturating_sub(1).to_be_bytes().to_vec();
    data.extend(unit.block_size.to_be_bytes());
    data.extend([0, 0, 0xc0, 0]);
    data.resize(32, 0);
    allocate(data, request.cdb.length32(10))
}
