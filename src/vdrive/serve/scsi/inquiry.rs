//! INQUIRY and its vital product data (\[SPC\] 6.6, 7.8, \[SBC\] 6.6).

use sha2::{Digest, Sha256};

use super::{Answer, Face, LogicalUnit, Request, Sense, allocate, ata, block, field};
use crate::vdrive::label;

/// INQUIRY. Bit 0 of byte 1 (EVPD) asks for the page that byte 2 names.
pub(super) fn inquiry(unit: &mut LogicalUnit, request: &Request<'_>) -> Answer {
    let data = match (request.cdb.bit(1, 0), request.cdb.byte(2)) {
        (false, 0) => unit.standard(),
        (true, page) => unit.vital(page).ok_or(Sense::INVALID_FIELD)?,
        (false, _) => return Err(Sense::INVALID_FIELD.into()),
    };
    allocate(data, usize::from(request.cdb.u16(3)))
}

impl LogicalUnit {
    /// | byte | meaning |
    /// |---|---|
    /// | 0 | direct access block device |
    /// | 2 | version: SPC-4 |
    /// | 3 | bit 4 HISUP, bits 3:0 response data format 2 |
    /// | 4 | additional length |
    /// | 7 | bit 1 CMDQUE |
    /// | 8–15, 16–31, 32–35 | vendor, product, revision |
    /// | 58– | version descriptors: SAM-5, SPC-4, SBC-3 |
    fn standard(&self) -> Vec<u8> {
        let mut data = vec![0x00, 0, 0x06, 0x12, 91, 0, 0, 0x02];
        data.extend(self.vendor());
        data.extend(field(&self.label.model, 16).get(..16).unwrap_or_default());
        data.extend(self.revision());
        data.resize(58, 0);
        data.extend([0x00, 0xa0, 0x04, 0x60, 0x04, 0xc0]);
        data.resize(96, 0);
        data
    }

    /// T10 VENDOR IDENTIFICATION; that of a translation layer is fixed (\[SAT\] 10.3).
    const fn vendor(&self) -> &'static [u8; 8] {
        match self.face {
            Face::Sas => b"SEDKIT  ",
            Face::Sat => b"ATA     ",
        }
    }

    /// PRODUCT REVISION LEVEL: four characters of the firmware revision, its last ones in a
    /// translation layer unless they are blanks (\[SAT\] 10.3).
    fn revision(&self) -> Vec<u8> {
        let firmware = field(&self.label.firmware, label::FIRMWARE);
        let (first, last) = firmware.split_at(4);
        match self.face {
            Face::Sat if last != b"    " => last.to_vec(),
            _ => first.to_vec(),
        }
    }

    fn serial(&self) -> Vec<u8> {
        field(&self.label.serial, label::SERIAL)
    }

    /// A VPD page with its header.
    fn vital(&self, page: u8) -> Option<Vec<u8>> {
        let body = match (page, self.face) {
            (0x00, Face::Sas) => vec![0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2],
            (0x00, Face::Sat) => vec![0x00, 0x80, 0x83, 0x89, 0xb0, 0xb1, 0xb2],
            (0x80, _) => self.serial(),
            (0x83, _) => self.identification(),
            (0x89, Face::Sat) => self.ata_information(),
            (0xb0, _) => self.block_limits(),
            (0xb1, _) => characteristics(),
            (0xb2, _) => vec![0, 0xc4, 0x02, 0],
            _ => return None,
        };
        let length = u16::try_from(body.len()).unwrap_or(u16::MAX);
        let mut data = vec![0x00, page];
        data.extend(length.to_be_bytes());
        data.extend(body);
        Some(data)
    }

    /// Device Identification: designators of the logical unit, a T10 vendor ID based one and a
    /// name address authority one. Each begins with code set, type, a reserved byte, and length.
    fn identification(&self) -> Vec<u8> {
        let model = match self.face {
            Face::Sas => 16,
            Face::Sat => label::MODEL,
        };
        let mut name = self.vendor().to_vec();
        name.extend(
            field(&self.label.model, model)
                .get(..model)
                .unwrap_or_default(),
        );
        name.extend(self.serial());
        let length = u8::try_from(name.len()).unwrap_or(u8::MAX);
        let mut data = vec![0x02, 0x01, 0, length];
        data.extend(name);
        data.extend([0x01, 0x03, 0, 8]);
        data.extend(self.locally_assigned_name());
        data
    }

    /// NAA 3h, Locally Assigned: a vendor that has no company identifier may not use another's.
    fn locally_assigned_name(&self) -> [u8; 8] {
        let digest: [u8; 32] = Sha256::digest(self.serial()).into();
        let [first, b, c, d, e, f, g, h, ..] = digest;
        [0x30 | first >> 4, b, c, d, e, f, g, h]
    }

    /// ATA Information: who translates, the signature of an ATA device, and IDENTIFY DEVICE.
    fn ata_information(&self) -> Vec<u8> {
        let mut data = vec![0; 4];
        data.extend(b"SEDKIT  ");
        data.extend(field("virtual SATL", 16));
        data.extend(field("1", 4));
        // The register FIS that a device sends after power-on: count 1, LBA 1, LBA mid and high 0.
        data.extend([0x34, 0x00, 0x50, 0x01, 0x01, 0x00, 0x00, 0x00]);
        data.extend([0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00]);
        data.extend([0; 4]);
        data.extend([ata::IDENTIFY_DEVICE, 0, 0, 0]);
        data.extend(self.identify_device());
        data
    }

    /// Block Limits.
    ///
    /// | bytes | meaning |
    /// |---|---|
    /// | 4 | bit 0 WSNZ: WRITE SAME of no blocks means none, not all |
    /// | 8–11 | maximum transfer length |
    /// | 20–23 | maximum unmap LBA count |
    /// | 24–27 | maximum unmap block descriptors: one, so that UNMAP is refused or done as a whole |
    /// | 28–31 | optimal unmap granularity |
    /// | 36–43 | maximum WRITE SAME length |
    fn block_limits(&self) -> Vec<u8> {
        let transfer = block::MAX_TRANSFER / self.block_size.max(1);
        let mut data = vec![0x01, 0, 0, 0];
        data.extend(transfer.to_be_bytes());
        data.extend([0; 8]);
        data.extend(u32::MAX.to_be_bytes());
        data.extend(1_u32.to_be_bytes());
        data.extend(1_u32.to_be_bytes());
        data.extend([0; 4]);
        data.extend(u64::from(transfer).to_be_bytes());
        data.resize(60, 0);
        data
    }
}

/// Block Device Characteristics: MEDIUM ROTATION RATE 0001h, non-rotating.
fn characteristics() -> Vec<u8> {
    let mut data = vec![0x00, 0x01];
    data.resize(60, 0);
    data
}
