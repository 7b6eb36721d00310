//! SCSI sense data: what went wrong with a command (\[SPC\] 4.5).

use super::error::{InterfaceClass, InterfaceStatus};

/// Sense data in either format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sense {
    /// Sense key.
    pub(crate) key: u8,
    /// Additional sense code.
    pub(crate) asc: u8,
    /// Additional sense code qualifier.
    pub(crate) ascq: u8,
    /// The ATA registers, where the command was translated (\[SAT\] 12.2).
    pub(crate) ata: Option<AtaRegisters>,
}

/// The ATA registers that tell how a translated command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct AtaRegisters {
    /// Status register.
    pub(crate) status: u8,
    /// Error register.
    pub(crate) error: u8,
}

/// Sense keys that these rules name.
pub(crate) mod key {
    /// Nothing went wrong.
    pub(crate) const NO_SENSE: u8 = 0x0;
    /// The command succeeded after the device had helped itself.
    pub(crate) const RECOVERED_ERROR: u8 = 0x1;
    /// The command, or something in it, is not known or not allowed.
    pub(crate) const ILLEGAL_REQUEST: u8 = 0x5;
    /// Something happened to the device; the command was not carried out.
    pub(crate) const UNIT_ATTENTION: u8 = 0x6;
    /// The media may not be read or written.
    pub(crate) const DATA_PROTECT: u8 = 0x7;
}

/// Additional sense code of a command that the device does not know.
pub(crate) const INVALID_OPERATION_CODE: (u8, u8) = (0x20, 0x00);
/// Additional sense code of a field in the CDB that the device does not take.
pub(crate) const INVALID_FIELD_IN_CDB: (u8, u8) = (0x24, 0x00);

/// ASC and ASCQ of fixed-format sense data whose information fields are ATA registers.
const ATA_INFORMATION_AVAILABLE: (u8, u8) = (0x00, 0x1d);
/// Type and length of the ATA Status Return descriptor.
const ATA_STATUS_RETURN: [u8; 2] = [0x09, 0x0c];

impl Sense {
    /// Reads sense data in fixed or descriptor format; `None` if it is neither.
    pub(crate) fn parse(bytes: &[u8]) -> Option<Self> {
        match bytes.first()? & 0x7f {
            0x70 | 0x71 => Self::parse_fixed(bytes),
            0x72 | 0x73 => Self::parse_descriptors(bytes),
            _ => None,
        }
    }

    /// Fixed format: key in byte 2, ASC and ASCQ in bytes 12 and 13, all but the key optional.
    fn parse_fixed(bytes: &[u8]) -> Option<Self> {
        let key = bytes.get(2)? & 0x0f;
        let additional_length = bytes.get(7).copied().map_or(0, usize::from);
        let valid = bytes.get(..8 + additional_length).unwrap_or(bytes);
        let byte = |at: usize| valid.get(at).copied().unwrap_or(0);
        let (asc, ascq) = (byte(12), byte(13));
        let ata = ((asc, ascq) == ATA_INFORMATION_AVAILABLE).then(|| AtaRegisters {
            error: byte(3),
            status: byte(4),
        });
        Some(Self {
            key,
            asc,
            ascq,
            ata,
        })
    }

    /// Descriptor format: key, ASC and ASCQ in bytes 1 to 3, descriptors from byte 8 on.
    fn parse_descriptors(bytes: &[u8]) -> Option<Self> {
        let [_, key, asc, ascq, ..] = *bytes else {
            return None;
        };
        Some(Self {
            key: key & 0x0f,
            asc,
            ascq,
            ata: bytes.get(8..).and_then(find_ata_registers),
        })
    }

    /// The status that the host reports.
    ///
    /// ATA registers say more than the sense data that a translation layer made of them, if they
    /// show an error at all.
    pub(crate) fn status(&self) -> InterfaceStatus {
        match self.ata {
            Some(AtaRegisters { status, error }) if status & 0x21 != 0 => {
                InterfaceStatus::Ata { status, error }
            }
            _ => InterfaceStatus::Sense {
                key: self.key,
                asc: self.asc,
                ascq: self.ascq,
            },
        }
    }

    /// True if the command succeeded in spite of the sense data.
    pub(crate) fn is_success(&self) -> bool {
        let has_ata_error = matches!(self.status(), InterfaceStatus::Ata { .. });
        matches!(self.key, key::NO_SENSE | key::RECOVERED_ERROR) && !has_ata_error
    }
}

/// Looks for the ATA Status Return descriptor: error in its byte 3, status in byte 13.
fn find_ata_registers(mut descriptors: &[u8]) -> Option<AtaRegisters> {
    loop {
        let [kind, length, ..] = *descriptors else {
            return None;
        };
        let (descriptor, rest) = descriptors.split_at_checked(2 + usize::from(length))?;
        if [kind, length] == ATA_STATUS_RETURN {
            return Some(AtaRegisters {
                error: *descriptor.get(3)?,
                status: *descriptor.get(13)?,
            });
        }
        descriptors = rest;
    }
}

/// The SIIS class of sense data.
pub(crate) const fn class(key: u8, asc: u8, ascq: u8) -> Option<InterfaceClass> {
    match (key, asc, ascq) {
        (key::ILLEGAL_REQUEST, 0x24, 0x00) => Some(InterfaceClass::InvalidParameter),
        (key::ILLEGAL_REQUEST, 0x2c, _) => Some(InterfaceClass::SequenceError),
        // A locked SATA drive behind a host adapter that translates answers one of the others.
        (key::DATA_PROTECT, _, _) | (key::ILLEGAL_REQUEST, 0x74, 0x71 | 0x79) => {
            Some(InterfaceClass::DataProtection)
        }
        _ => None,
    }
}

/// The standard's words for a sense key.
pub(crate) const fn key_words(key: u8) -> &'static str {
    match key {
        0x0 => "NO SENSE",
        0x1 => "RECOVERED ERROR",
        0x2 => "NOT READY",
        0x3 => "MEDIUM ERROR",
        0x4 => "HARDWARE ERROR",
        0x5 => "ILLEGAL REQUEST",
        0x6 => "UNIT ATTENTION",
        0x7 => "DATA PROTECT",
        0x8 => "BLANK CHECK",
        0x9 => "VENDOR SPECIFIC",
        0xa => "COPY ABORTED",
        0xb => "ABORTED COMMAND",
        0xd => "VOLUME OVERFLOW",
        0xe => "MISCOMPARE",
        0xf => "COMPLETED",
        _ => "RESERVED",
    }
}

/// The standard's words for an additional sense code, as far as it can follow a security command.
pub(crate) const fn words(asc: u8, ascq: u8) -> Option<&'static str> {
    Some(match (asc, ascq) {
        (0x00, 0x1d) => "ATA PASS THROUGH INFORMATION AVAILABLE",
        (0x04, 0x00) => "LOGICAL UNIT NOT READY, CAUSE NOT REPORTABLE",
        (0x04, 0x01) => "LOGICAL UNIT IS IN PROCESS OF BECOMING READY",
        (0x04, 0x02) => "LOGICAL UNIT NOT READY, INITIALIZING COMMAND REQUIRED",
        (0x04, 0x04) => "LOGICAL UNIT NOT READY, FORMAT IN PROGRESS",
        (0x04, 0x1b) => "LOGICAL UNIT NOT READY, SANITIZE IN PROGRESS",
        (0x1a, 0x00) => "PARAMETER LIST LENGTH ERROR",
        (0x20, 0x00) => "INVALID COMMAND OPERATION CODE",
        (0x20, 0x02) => "ACCESS DENIED - NO ACCESS RIGHTS",
        (0x21, 0x00) => "LOGICAL BLOCK ADDRESS OUT OF RANGE",
        (0x24, 0x00) => "INVALID FIELD IN CDB",
        (0x25, 0x00) => "LOGICAL UNIT NOT SUPPORTED",
        (0x26, 0x00) => "INVALID FIELD IN PARAMETER LIST",
        (0x27, 0x00) => "WRITE PROTECTED",
        (0x29, _) => "POWER ON, RESET, OR BUS DEVICE RESET OCCURRED",
        (0x2a, _) => "PARAMETERS CHANGED",
        (0x2c, 0x00) => "COMMAND SEQUENCE ERROR",
        (0x3a, 0x00) => "MEDIUM NOT PRESENT",
        (0x3f, _) => "TARGET OPERATING CONDITIONS HAVE CHANGED",
        (0x44, 0x00) => "INTERNAL TARGET FAILURE",
        (0x47, 0x00) => "SCSI PARITY ERROR",
        (0x55, 0x00) => "SYSTEM RESOURCE FAILURE",
        (0x74, 0x71) => "LOGICAL UNIT ACCESS NOT AUTHORIZED",
        (0x74, 0x79) => "SECURITY CONFLICT IN TRANSLATED DEVICE",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fixed format: ILLEGAL REQUEST, INVALID FIELD IN CDB.
    const FIXED: [u8; 18] = [
        0x70, 0, 0x05, 0, 0, 0, 0, 0x0a, 0, 0, 0, 0, 0x24, 0x00, 0, 0, 0, 0,
    ];
    /// Descriptor format: ABORTED COMMAND with an ATA Status Return descriptor (51h/04h).
    const DESCRIPTORS: [u8; 22] = [
        0x72, 0x0b, 0x00, 0x00, 0, 0, 0, 0x0e, 0x09, 0x0c, 0x00, 0x04, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x40, 0x51,
    ];

    #[test]
    fn fixed_format_is_read() {
        let sense = Sense::parse(&FIXED).unwrap();
        assert_eq!(
            sense,
            Sense {
                key: 5,
                asc: 0x24,
                ascq: 0,
                ata: None
            }
        );
        assert_eq!(
            sense.status(),
            InterfaceStatus::Sense {
                key: 5,
                asc: 0x24,
                ascq: 0
            }
        );
        assert!(!sense.is_success());
    }

    #[test]
    fn ata_registers_are_read_from_the_descriptor() {
        let sense = Sense::parse(&DESCRIPTORS).unwrap();
        assert_eq!(
            sense.ata,
            Some(AtaRegisters {
                status: 0x51,
                error: 0x04
            })
        );
        assert_eq!(
            sense.status(),
            InterfaceStatus::Ata {
                status: 0x51,
                error: 0x04
            }
        );
    }

    #[test]
    fn other_descriptors_before_it_are_skipped() {
        let mut bytes = DESCRIPTORS[..8].to_vec();
        bytes.extend([0x00, 0x0a, 0x80, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        bytes.extend(&DESCRIPTORS[8..]);
        let sense = Sense::parse(&bytes).unwrap();
        assert_eq!(
            sense.ata,
            Some(AtaRegisters {
                status: 0x51,
                error: 0x04
            })
        );
    }

    #[test]
    fn ata_registers_are_read_from_fixed_format() {
        let mut bytes = FIXED;
        bytes[2] = 0x01;
        (bytes[3], bytes[4]) = (0x04, 0x51);
        (bytes[12], bytes[13]) = (0x00, 0x1d);
        let sense = Sense::parse(&bytes).unwrap();
        assert_eq!(
            sense.status(),
            InterfaceStatus::Ata {
                status: 0x51,
                error: 0x04
            }
        );
        assert!(!sense.is_success());
    }

    #[test]
    fn registers_without_an_error_are_a_success() {
        let mut bytes = DESCRIPTORS;
        bytes[1] = 0x01;
        (bytes[11], bytes[21]) = (0x00, 0x50);
        assert!(Sense::parse(&bytes).unwrap().is_success());
    }

    #[test]
    fn bytes_beyond_the_stated_length_are_not_read() {
        let mut bytes = FIXED;
        bytes[7] = 0;
        let sense = Sense::parse(&bytes).unwrap();
        assert_eq!((sense.key, sense.asc, sense.ascq), (5, 0, 0));
    }

    #[test]
    fn every_truncation_is_read_or_refused() {
        for whole in [&FIXED[..], &DESCRIPTORS] {
            for length in 0..whole.len() {
                let _ = Sense::parse(&whole[..length]);
            }
        }
        assert_eq!(Sense::parse(&[]), None);
        assert_eq!(Sense::parse(&[0x00; 18]), None);
        assert_eq!(Sense::parse(&DESCRIPTORS[..21]).unwrap().ata, None);
    }

    #[test]
    fn words_are_the_standards() {
        assert_eq!(key_words(7), "DATA PROTECT");
        assert_eq!(words(0x20, 0x02), Some("ACCESS DENIED - NO ACCESS RIGHTS"));
        assert_eq!(words(0x2c, 0x00), Some("COMMAND SEQUENCE ERROR"));
        assert_eq!(words(0xff, 0xff), None);
    }
}
