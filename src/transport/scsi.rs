//! SCSI: commands as bytes, and what INQUIRY and its vital product data say (\[SPC\] 6 and 7.7).

use crate::spec::{ComId, SecurityProtocol};

/// Names of the commands, for messages.
pub(crate) mod name {
    /// IF-SEND over SCSI.
    pub(crate) const SECURITY_PROTOCOL_OUT: &str = "SECURITY PROTOCOL OUT";
    /// IF-RECV over SCSI.
    pub(crate) const SECURITY_PROTOCOL_IN: &str = "SECURITY PROTOCOL IN";
    /// Who a device is.
    pub(crate) const INQUIRY: &str = "INQUIRY";
}

/// SCSI status of a command that brought sense data.
pub(crate) const CHECK_CONDITION: u8 = 0x02;
/// SCSI status of a command that succeeded.
pub(crate) const GOOD: u8 = 0x00;

/// SECURITY PROTOCOL IN (A2h): asks for up to `length` bytes, counted in bytes (INC_512 = 0).
pub(crate) fn security_protocol_in(
    protocol: SecurityProtocol,
    com_id: ComId,
    length: u32,
) -> [u8; 12] {
    security_protocol(0xa2, protocol, com_id, length)
}

/// SECURITY PROTOCOL OUT (B5h): sends `length` bytes, counted in bytes (INC_512 = 0).
pub(crate) fn security_protocol_out(
    protocol: SecurityProtocol,
    com_id: ComId,
    length: u32,
) -> [u8; 12] {
    security_protocol(0xb5, protocol, com_id, length)
}

/// Byte 0 opcode, 1 protocol, 2–3 SP Specific, 4 INC_512 (bit 7), 6–9 length, 11 control.
fn security_protocol(
    opcode: u8,
    protocol: SecurityProtocol,
    com_id: ComId,
    length: u32,
) -> [u8; 12] {
    let [high, low] = com_id.0.to_be_bytes();
    let [l0, l1, l2, l3] = length.to_be_bytes();
    [opcode, protocol.0, high, low, 0, 0, l0, l1, l2, l3, 0, 0]
}

/// INQUIRY for the standard data.
pub(crate) fn inquiry(length: u16) -> [u8; 6] {
    let [high, low] = length.to_be_bytes();
    [0x12, 0, 0, high, low, 0]
}

/// INQUIRY for a page of vital product data (EVPD, byte 1 bit 0).
pub(crate) fn inquiry_page(page: u8, length: u16) -> [u8; 6] {
    let [high, low] = length.to_be_bytes();
    [0x12, 1, page, high, low, 0]
}

/// The standard's words for a SCSI status.
pub(crate) const fn status_words(status: u8) -> Option<&'static str> {
    Some(match status {
        CHECK_CONDITION => "CHECK CONDITION",
        0x08 => "BUSY",
        0x18 => "RESERVATION CONFLICT",
        0x28 => "TASK SET FULL",
        0x40 => "TASK ABORTED",
        _ => return None,
    })
}

/// Pages of vital product data.
pub(crate) mod page {
    /// Supported pages.
    pub(crate) const SUPPORTED: u8 = 0x00;
    /// Unit Serial Number.
    pub(crate) const SERIAL_NUMBER: u8 = 0x80;
    /// Device Identification: world-wide names.
    pub(crate) const DEVICE_IDENTIFICATION: u8 = 0x83;
    /// ATA Information: the IDENTIFY DEVICE data of a translated drive.
    pub(crate) const ATA_INFORMATION: u8 = 0x89;
}

/// Standard INQUIRY data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Inquiry {
    /// Peripheral device type.
    pub(crate) device_type: u8,
    /// T10 vendor identification.
    pub(crate) vendor: [u8; 8],
    /// Product identification.
    pub(crate) product: [u8; 16],
    /// Product revision level.
    pub(crate) revision: [u8; 4],
}

/// INQUIRY vendor of a drive behind a SCSI / ATA translation layer (\[SAT\] 8.1.2).
pub(crate) const ATA_VENDOR: [u8; 8] = *b"ATA     ";
/// Peripheral device type of a disk.
pub(crate) const DISK: u8 = 0x00;
/// Peripheral device type of a host-managed zoned disk.
pub(crate) const ZONED_DISK: u8 = 0x14;

impl Inquiry {
    /// Length of the data that is read here.
    pub(crate) const LENGTH: u16 = 36;

    /// Byte 0 bits 4:0 type, 8–15 vendor, 16–31 product, 32–35 revision.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        Some(Self {
            device_type: bytes.first()? & 0x1f,
            vendor: *bytes.get(8..)?.first_chunk()?,
            product: *bytes.get(16..)?.first_chunk()?,
            revision: *bytes.get(32..)?.first_chunk()?,
        })
    }

    /// True for disks of every kind.
    pub(crate) const fn is_disk(&self) -> bool {
        matches!(self.device_type, DISK | ZONED_DISK)
    }
}

/// The body of a vital product data page: bytes 2–3 are its length, byte 4 is where it starts.
///
/// A body that was cut by the buffer is handed out as far as it came; a page of another number, as
/// some bridges answer for every page that they do not know, is not handed out at all.
pub(crate) fn page_body(page: u8, bytes: &[u8]) -> Option<&[u8]> {
    let (&[_, number, high, low], body) = bytes.split_first_chunk()?;
    if number != page {
        return None;
    }
    let length = usize::from(u16::from_be_bytes([high, low]));
    Some(body.get(..length).unwrap_or(body))
}

/// The IDENTIFY DEVICE data in an ATA Information page: bytes 60 to 571 (\[SAT\] 10.3.5).
pub(crate) fn identify_data(page_body: &[u8]) -> Option<&[u8; 512]> {
    page_body.get(56..)?.first_chunk()
}

/// The world-wide name of the logical unit in a Device Identification page, in hex.
///
/// NAA names come first, EUI-64 names second; names of ports and of the target are not the drive's.
pub(crate) fn world_wide_name(page_body: &[u8]) -> Option<String> {
    let designators: Vec<Designator<'_>> = Designators(page_body).collect();
    [Designator::NAA, Designator::EUI_64]
        .iter()
        .find_map(|kind| {
            let found = designators.iter().find(|found| {
                found.kind == *kind
                    && found.association == 0
                    && found.code_set == Designator::BINARY
            })?;
            let is_name = found.name.iter().any(|&byte| byte != 0);
            is_name.then(|| hex(found.name))
        })
}

/// Lower-case hex digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// One name in a Device Identification page (\[SPC\] 7.7.3).
struct Designator<'a> {
    code_set: u8,
    association: u8,
    kind: u8,
    name: &'a [u8],
}

impl Designator<'_> {
    const BINARY: u8 = 1;
    const EUI_64: u8 = 2;
    const NAA: u8 = 3;
}

/// Byte 0 bits 3:0 code set, byte 1 bits 5:4 association and bits 3:0 type, byte 3 length.
struct Designators<'a>(&'a [u8]);

impl<'a> Iterator for Designators<'a> {
    type Item = Designator<'a>;

    fn next(&mut self) -> Option<Designator<'a>> {
        let (&[first, second, _, length], rest) = self.0.split_first_chunk()?;
        let (name, rest) = rest.split_at_checked(length.into())?;
        self.0 = rest;
        Some(Designator {
            code_set: first & 0x0f,
            association: (second >> 4) & 0x03,
            kind: second & 0x0f,
            name,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn security_protocol_commands_are_those_of_the_standard() {
        // Level 0 Discovery, 4096 bytes.
        assert_eq!(
            security_protocol_in(SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY, 4096),
            [
                0xa2, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00
            ]
        );
        // 2048 bytes to ComID 07FEh.
        assert_eq!(
            security_protocol_out(SecurityProtocol::TCG, ComId(0x07fe), 2048),
            [
                0xb5, 0x01, 0x07, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x08, 0x00, 0x00, 0x00
            ]
        );
    }

    #[test]
    fn inquiry_commands_are_those_of_the_standard() {
        assert_eq!(inquiry(36), [0x12, 0x00, 0x00, 0x00, 0x24, 0x00]);
        assert_eq!(
            inquiry_page(0x89, 572),
            [0x12, 0x01, 0x89, 0x02, 0x3c, 0x00]
        );
    }

    #[test]
    fn inquiry_data_is_read() {
        let mut bytes = vec![0x14, 0, 6, 2, 31, 0, 0, 0];
        bytes.extend(b"SEAGATE ST4000NM0145    E002");
        let inquiry = Inquiry::parse(&bytes).unwrap();
        assert!(inquiry.is_disk());
        assert_eq!(&inquiry.vendor, b"SEAGATE ");
        assert_eq!(&inquiry.product, b"ST4000NM0145    ");
        assert_eq!(&inquiry.revision, b"E002");
        for length in 0..bytes.len() {
            assert_eq!(Inquiry::parse(&bytes[..length]), None);
        }
    }

    #[test]
    fn page_of_another_number_is_no_answer() {
        assert_eq!(
            page_body(0x80, &[0, 0x80, 0, 4, b'S', b'1', b'2', b'3', 9]),
            Some(&b"S123"[..])
        );
        assert_eq!(
            page_body(0x80, &[0, 0x80, 0, 9, b'S', b'1']),
            Some(&b"S1"[..])
        );
        assert_eq!(
            page_body(0x80, &[0, 0x00, 0, 4, b'S', b'1', b'2', b'3']),
            None
        );
        assert_eq!(page_body(0x80, &[0, 0x80, 0]), None);
    }

    #[test]
    fn naa_name_of_the_logical_unit_is_the_world_wide_name() {
        let mut body = vec![0x02, 0x01, 0, 8];
        body.extend(b"ATA abcd");
        // The port's name has association 1.
        body.extend([0x01, 0x13, 0, 8, 0x50, 0, 0, 0, 0, 0, 0, 1]);
        body.extend([0x01, 0x02, 0, 8, 0x00, 0x25, 0x38, 1, 2, 3, 4, 5]);
        body.extend([
            0x01, 0x03, 0, 8, 0x50, 0x00, 0xc5, 0x00, 0xa1, 0xb2, 0xc3, 0xd4,
        ]);
        assert_eq!(world_wide_name(&body).as_deref(), Some("5000c500a1b2c3d4"));
        let without_naa = &body[..body.len() - 12];
        assert_eq!(
            world_wide_name(without_naa).as_deref(),
            Some("0025380102030405")
        );
        assert_eq!(world_wide_name(&body[..12]), None);
        for length in 0..body.len() {
            let _ = world_wide_name(&body[..length]);
        }
    }

    #[test]
    fn name_of_zeros_is_no_name() {
        assert_eq!(
            world_wide_name(&[0x01, 0x03, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0]),
            None
        );
    }

    #[test]
    fn identify_data_starts_at_byte_60_of_its_page() {
        let mut page = vec![0, 0x89, 0x02, 0x38];
        page.resize(60, 0);
        page.extend([0xab; 512]);
        let body = page_body(page::ATA_INFORMATION, &page).unwrap();
        assert_eq!(identify_data(body), Some(&[0xab; 512]));
        assert_eq!(identify_data(&body[..567]), None);
    }
}
