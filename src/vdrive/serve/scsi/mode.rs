//! MODE SENSE (\[SPC\] 6.14, 7.5, \[SBC\] 6.5).

use super::sense::Format;
use super::{Answer, LogicalUnit, Request, Sense, allocate};

/// MODE SENSE (6).
pub(super) fn sense_6(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let pages = unit.pages(request)?;
    let blocks = unit.block_descriptor(request, false);
    let length = 3 + blocks.len() + pages.len();
    let mut data = vec![narrow(length), 0, DEVICE_SPECIFIC, narrow(blocks.len())];
    data.extend(blocks);
    data.extend(pages);
    allocate(data, usize::from(request.cdb.byte(4)))
}

/// MODE SENSE (10). Bit 4 of byte 1 (LLBAA) allows a long block descriptor.
pub(super) fn sense_10(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let long = request.cdb.bit(1, 4);
    let pages = unit.pages(request)?;
    let blocks = unit.block_descriptor(request, long);
    let length = narrow(6 + blocks.len() + pages.len());
    let mut data = vec![0, length, 0, DEVICE_SPECIFIC];
    data.extend([u8::from(long && !blocks.is_empty()), 0]);
    data.extend([0, narrow(blocks.len())]);
    data.extend(blocks);
    data.extend(pages);
    allocate(data, usize::from(request.cdb.u16(7)))
}

/// DPOFUA (bit 4): FUA is honoured. Bit 7 (WP) is clear.
const DEVICE_SPECIFIC: u8 = 0x10;

impl LogicalUnit {
    /// The pages that byte 2 (PC, bits 7:6; PAGE CODE, bits 5:0) and byte 3 (SUBPAGE) ask for.
    fn pages(&self, request: &Request<'_>) -> Result<Vec<u8>, Sense> {
        let (control, page) = (request.cdb.byte(2) >> 6, request.cdb.byte(2) & 0x3f);
        let page = match (page, request.cdb.byte(3)) {
            (page, 0x00) => page,
            (0x3f, 0xff) => 0x3f,
            _ => return Err(Sense::INVALID_FIELD),
        };
        let known = [self.caching(), self.control()];
        let mut pages: Vec<_> = known
            .into_iter()
            .filter(|known| page == 0x3f || known.first() == Some(&page))
            .collect();
        if pages.is_empty() {
            return Err(Sense::INVALID_FIELD);
        }
        match control {
            // Changeable values: there is no MODE SELECT.
            1 => pages.iter_mut().for_each(|page| {
                page.iter_mut().skip(2).for_each(|byte| *byte = 0);
            }),
            3 => return Err(Sense::SAVING_NOT_SUPPORTED),
            _ => {}
        }
        Ok(pages.concat())
    }

    /// Caching, 08h: WCE (byte 2, bit 2), since only a flush makes written data safe.
    fn caching(&self) -> Vec<u8> {
        let mut page = vec![0x08, 0x12, 0x04];
        page.resize(20, 0);
        page
    }

    /// Control, 0Ah.
    ///
    /// | byte | bit | meaning |
    /// |---|---|---|
    /// | 2 | 2 | D_SENSE: sense data are in descriptor format |
    /// | 3 | 7:4 | QUEUE ALGORITHM MODIFIER 1: commands may be reordered |
    /// | 8–9 | | BUSY TIMEOUT PERIOD: unlimited |
    fn control(&self) -> Vec<u8> {
        let d_sense = u8::from(self.sense_format() == Format::Descriptor) << 2;
        vec![0x0a, 0x0a, d_sense, 0x10, 0, 0, 0, 0, 0xff, 0xff, 0, 0]
    }

    /// The block descriptor, unless DBD (byte 1, bit 3) leaves it out.
    fn block_descriptor(&self, request: &Request<'_>, long: bool) -> Vec<u8> {
        if request.cdb.bit(1, 3) {
            return Vec::new();
        }
        let size = self.block_size.to_be_bytes();
        if long {
            let mut descriptor = self.blocks.to_be_bytes().to_vec();
            descriptor.extend([0; 4]);
            descriptor.extend(size);
            return descriptor;
        }
        let blocks = u32::try_from(self.blocks).unwrap_or(u32::MAX);
        let mut descriptor = blocks.to_be_bytes().to_vec();
        descriptor.extend(size);
        descriptor
    }
}

/// All mode pages together are shorter than 256 bytes.
fn narrow(length: usize) -> u8 {
    u8::try_from(length).unwrap_or(u8::MAX)
}
