//! Commands that read, write and keep the medium (\[SBC\] 5).

use super::cdb::{Cdb, Extent};
use super::{Answer, LogicalUnit, Request, Sense};
use crate::vdrive::VirtualDrive;

/// Bytes that one command may carry, and that WRITE SAME may write.
pub(super) const MAX_TRANSFER: u32 = 16 << 20;

/// READ (6), (10), (12) and (16).
pub(super) fn read(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let extent = unit.transfer(&request.cdb)?;
    if is_forced(&request.cdb) {
        unit.flush()?;
    }
    Ok(unit.medium(|drive| drive.read(extent.lba, extent.count))?)
}

/// WRITE (6), (10), (12) and (16).
pub(super) fn write(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let extent = unit.transfer(&request.cdb)?;
    let data = unit.sent(request, extent.count)?;
    unit.medium(|drive| drive.write(extent.lba, data))?;
    if is_forced(&request.cdb) {
        unit.flush()?;
    }
    Ok(Vec::new())
}

/// VERIFY (10) and (16). BYTCHK (byte 1, bits 2:1) says against what: 0 nothing, 1 as many blocks
/// from the host, 3 one block from the host.
pub(super) fn verify(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let extent = unit.extent(&request.cdb)?;
    let expected = match request.cdb.byte(1) >> 1 & 3 {
        0 => None,
        1 => {
            unit.check_transfer(extent)?;
            Some(unit.sent(request, extent.count)?)
        }
        3 => Some(unit.sent(request, 1)?),
        _ => return Err(Sense::INVALID_FIELD.into()),
    };
    let mut expected = expected.map(|data| data.iter().cycle());
    for piece in unit.pieces(extent) {
        let found = unit.medium(|drive| drive.read(piece.lba, piece.count))?;
        let differs = expected
            .as_mut()
            .is_some_and(|expected| !found.iter().eq(expected.take(found.len())));
        if differs {
            return Err(Sense::MISCOMPARE.into());
        }
    }
    Ok(Vec::new())
}

/// SYNCHRONIZE CACHE (10) and (16).
pub(super) fn synchronize_cache(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let extent = Extent::of(&request.cdb);
    unit.check_range(extent)?;
    unit.flush()?;
    Ok(Vec::new())
}

/// START STOP UNIT: whatever the host intends, its data are safe first. There is no medium to
/// eject and no power condition to enter.
pub(super) fn start_stop_unit(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let (ejects, condition) = (request.cdb.bit(4, 1), request.cdb.byte(4) >> 4);
    if ejects || condition != 0 {
        return Err(Sense::INVALID_FIELD.into());
    }
    unit.flush()?;
    Ok(Vec::new())
}

/// WRITE SAME (10) and (16).
///
/// | byte 1, bit | meaning |
/// |---|---|
/// | 7:5 | WRPROTECT |
/// | 4 | ANCHOR |
/// | 3 | UNMAP: blocks may be unmapped if they read as the data afterwards |
/// | 0 | NDOB, (16) only: there are no data, the blocks become zeros |
pub(super) fn write_same(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let cdb = &request.cdb;
    let extent = unit.extent(cdb)?;
    let (anchors, unmaps) = (cdb.bit(1, 4), cdb.bit(1, 3));
    if anchors || extent.count == 0 {
        return Err(Sense::INVALID_FIELD.into());
    }
    let has_data = cdb.opcode() != 0x93 || !cdb.bit(1, 0);
    let block = if has_data {
        unit.sent(request, 1)?
    } else {
        &[]
    };
    if unmaps && block.iter().all(|&byte| byte == 0) {
        unit.medium(|drive| drive.deallocate(extent.lba, extent.count))?;
        return Ok(Vec::new());
    }
    unit.check_transfer(extent)?;
    let count = usize::try_from(extent.count).unwrap_or(usize::MAX);
    let data = if has_data {
        block.repeat(count)
    } else {
        vec![0; unit.block_bytes().saturating_mul(count)]
    };
    unit.medium(|drive| drive.write(extent.lba, &data))?;
    Ok(Vec::new())
}

/// UNMAP, with at most one block descriptor.
///
/// | bytes of the parameter list | meaning |
/// |---|---|
/// | 2–3 | length of the descriptors |
/// | 8–15 | first block |
/// | 16–19 | number of blocks |
pub(super) fn unmap(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let length = usize::from(request.cdb.u16(7));
    if request.cdb.bit(1, 0) {
        return Err(Sense::INVALID_FIELD.into());
    }
    if length == 0 {
        return Ok(Vec::new());
    }
    let list = request.data_out.get(..length).ok_or(Sense::DATA_PHASE)?;
    let [_, _, high, low, _, _, _, _, descriptors @ ..] = list else {
        return Err(Sense::PARAMETER_LENGTH.into());
    };
    let whole = usize::from(u16::from_be_bytes([*high, *low])) / 16 * 16;
    let descriptors = descriptors.get(..whole.min(descriptors.len() / 16 * 16));
    match descriptors.map(<[u8]>::as_chunks::<16>) {
        Some(([], _)) | None => Ok(Vec::new()),
        Some(([descriptor], _)) => unit.unmap(&Cdb::new(descriptor)),
        Some(_) => Err(Sense::INVALID_PARAMETER.into()),
    }
}

impl LogicalUnit {
    /// Unmaps the extent of a block descriptor.
    fn unmap(&self, descriptor: &Cdb) -> Answer {
        let (lba, count) = (descriptor.u64(0), u64::from(descriptor.u32(8)));
        self.medium(|drive| drive.deallocate(lba, count))?;
        Ok(Vec::new())
    }

    /// The extent of a command that may ask for protection information, which there is none of.
    fn extent(&self, cdb: &Cdb) -> Result<Extent, Sense> {
        if cdb.opcode() >> 5 != 0 && cdb.byte(1) >> 5 != 0 {
            return Err(Sense::INVALID_FIELD);
        }
        let extent = Extent::of(cdb);
        self.check_range(extent)?;
        Ok(extent)
    }

    /// The extent of a command that carries its blocks.
    fn transfer(&self, cdb: &Cdb) -> Result<Extent, Sense> {
        let extent = self.extent(cdb)?;
        self.check_transfer(extent)?;
        Ok(extent)
    }

    fn check_range(&self, extent: Extent) -> Result<(), Sense> {
        match extent.lba.checked_add(extent.count) {
            Some(end) if end <= self.blocks => Ok(()),
            _ => Err(Sense::OUT_OF_RANGE),
        }
    }

    fn check_transfer(&self, extent: Extent) -> Result<(), Sense> {
        if extent.count > self.max_blocks() {
            return Err(Sense::INVALID_FIELD);
        }
        Ok(())
    }

    fn max_blocks(&self) -> u64 {
        u64::from(MAX_TRANSFER / self.block_size.max(1))
    }

    /// The extent in pieces that can be held in memory.
    fn pieces(&self, extent: Extent) -> impl Iterator<Item = Extent> + use<> {
        let (end, most) = (extent.lba + extent.count, self.max_blocks().max(1));
        let mut lba = extent.lba;
        let mut done = false;
        std::iter::from_fn(move || {
            let count = most.min(end - lba);
            let piece = Extent { lba, count };
            lba += count;
            let is_last = std::mem::replace(&mut done, lba == end);
            (!is_last).then_some(piece)
        })
    }

    /// The blocks that came with a command. The rest of the host's data is not asked for.
    fn sent<'r>(&self, request: &Request<'r>, blocks: u64) -> Result<&'r [u8], Sense> {
        let blocks = usize::try_from(blocks).unwrap_or(usize::MAX);
        let length = self.block_bytes().saturating_mul(blocks);
        request.data_out.get(..length).ok_or(Sense::DATA_PHASE)
    }

    /// Makes what was written safe from a loss of power.
    pub(super) fn flush(&self) -> Result<(), Sense> {
        let flushed = VirtualDrive::flush(&mut self.drive.lock());
        flushed.map_err(|_| Sense::INTERNAL_FAILURE)
    }
}

/// FUA: byte 1, bit 3; READ (6) and WRITE (6) have none.
fn is_forced(cdb: &Cdb) -> bool {
    cdb.opcode() >> 5 != 0 && cdb.bit(1, 3)
}
