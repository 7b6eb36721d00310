//! NVMe: what a status says, and what Identify says (\[NVMe\] 3.3.3, 5.1.13).

use super::error::{InterfaceClass, InterfaceStatus};

/// Names of the commands, for messages.
pub(crate) mod name {
    /// IF-SEND over NVMe.
    pub(crate) const SECURITY_SEND: &str = "Security Send";
    /// IF-RECV over NVMe.
    pub(crate) const SECURITY_RECEIVE: &str = "Security Receive";
    /// Who a controller or a namespace is.
    pub(crate) const IDENTIFY: &str = "Identify";
}

/// Splits a status field: code in bits 7:0, code type in bits 10:8; "More" (bit 13) and "do not
/// retry" (bit 14) say nothing about the cause.
pub(crate) const fn status(field: u16) -> InterfaceStatus {
    let [high, code] = field.to_be_bytes();
    InterfaceStatus::Nvme {
        code_type: high & 0x07,
        code,
    }
}

/// Invalid Command Opcode: the controller has no security commands.
pub(crate) const INVALID_OPCODE: InterfaceStatus = status(0x0001);

/// The SIIS class of a status code.
pub(crate) const fn class(code_type: u8, code: u8) -> Option<InterfaceClass> {
    match (code_type, code) {
        (0, 0x02) => Some(InterfaceClass::InvalidParameter),
        (0, 0x0c) => Some(InterfaceClass::SequenceError),
        (0, 0x15) => Some(InterfaceClass::OperationDenied),
        (2, 0x86) => Some(InterfaceClass::DataProtection),
        _ => None,
    }
}

/// The standard's words for a status code, as far as it can follow a command of sedkit.
pub(crate) const fn words(code_type: u8, code: u8) -> Option<&'static str> {
    Some(match (code_type, code) {
        (0, 0x01) => "Invalid Command Opcode",
        (0, 0x02) => "Invalid Field in Command",
        (0, 0x04) => "Data Transfer Error",
        (0, 0x05) => "Commands Aborted due to Power Loss Notification",
        (0, 0x06) => "Internal Error",
        (0, 0x07) => "Command Abort Requested",
        (0, 0x0b) => "Invalid Namespace or Format",
        (0, 0x0c) => "Command Sequence Error",
        (0, 0x15) => "Operation Denied",
        (0, 0x1c) => "Sanitize Failed",
        (0, 0x1d) => "Sanitize In Progress",
        (0, 0x20) => "Namespace is Write Protected",
        (0, 0x25) => "Invalid Key Tag",
        (0, 0x28) => "Incorrect Key",
        (0, 0x82) => "Namespace Not Ready",
        (1, 0x0a) => "Invalid Format",
        (2, 0x81) => "Unrecovered Read Error",
        (2, 0x86) => "Access Denied",
        (3, 0x00) => "Internal Path Error",
        (3, 0x70) => "Host Pathing Error",
        (3, 0x71) => "Command Aborted By Host",
        _ => return None,
    })
}

/// What Identify Controller says, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentifyController {
    /// Serial number (bytes 4–23), padding included.
    pub(crate) serial: [u8; 20],
    /// Model number (bytes 24–63).
    pub(crate) model: [u8; 40],
    /// Firmware revision (bytes 64–71).
    pub(crate) firmware: [u8; 8],
    /// Security Send and Receive are supported (OACS, bytes 256–257, bit 0).
    pub(crate) has_security: bool,
    /// Number of namespaces (bytes 516–519).
    pub(crate) namespaces: u32,
    /// Maximum Data Transfer Size in bytes (MDTS, byte 77), if there is a limit.
    pub(crate) max_transfer: Option<usize>,
}

/// The smallest memory page that a controller may have, in which MDTS is counted.
///
/// The controller's own is in a register that a program cannot read; assuming the smallest one only
/// makes transfers shorter.
const MIN_PAGE: usize = 4096;

impl IdentifyController {
    pub(crate) fn parse(data: &[u8; 4096]) -> Self {
        Self {
            serial: array(data, 4),
            model: array(data, 24),
            firmware: array(data, 64),
            has_security: u16::from_le_bytes(array(data, 256)) & 1 == 1,
            namespaces: u32::from_le_bytes(array(data, 516)),
            max_transfer: match array(data, 77) {
                [0] => None,
                [power] => MIN_PAGE
                    .checked_shl(power.into())
                    .filter(|size| *size >= MIN_PAGE),
            },
        }
    }
}

/// What Identify Namespace says, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentifyNamespace {
    /// Size in blocks (NSZE, bytes 0–7).
    pub(crate) blocks: u64,
    /// Block size in bytes, without metadata.
    pub(crate) block_size: Option<u32>,
    /// NGUID (bytes 104–119) or EUI-64 (bytes 120–127) in hex, where there is one.
    pub(crate) name: Option<String>,
}

impl IdentifyNamespace {
    pub(crate) fn parse(data: &[u8; 4096]) -> Self {
        let nguid: [u8; 16] = array(data, 104);
        let eui_64: [u8; 8] = array(data, 120);
        let names = [&nguid[..], &eui_64];
        let name = names
            .into_iter()
            .find(|name| name.iter().any(|&byte| byte != 0));
        Self {
            blocks: u64::from_le_bytes(array(data, 0)),
            block_size: block_size(data),
            name: name.map(super::scsi::hex),
        }
    }
}

/// FLBAS (byte 26) bits 6:5 and 3:0 choose one of 64 formats of 4 bytes from byte 128 on, whose
/// byte 2 is the block size as a power of two, at least 9.
fn block_size(data: &[u8; 4096]) -> Option<u32> {
    let [flbas] = array(data, 26);
    let format = usize::from((flbas & 0x60) >> 1 | flbas & 0x0f);
    let [_, _, power, _] = array(data, 128 + 4 * format);
    (9..=31).contains(&power).then(|| 1 << power)
}

/// Bytes from a place in Identify data, which every caller knows to lie inside.
fn array<const N: usize>(data: &[u8; 4096], at: usize) -> [u8; N] {
    let bytes = data.get(at..).and_then(<[u8]>::first_chunk);
    bytes.copied().unwrap_or([0; N])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn controller() -> [u8; 4096] {
        let mut data = [0; 4096];
        data[4..24].copy_from_slice(b"S5H9NS0N123456      ");
        data[24..64].copy_from_slice(b"Samsung SSD 980 PRO 1TB                 ");
        data[64..72].copy_from_slice(b"5B2QGXA7");
        data[77] = 7;
        data[256] = 0x17;
        data[516] = 1;
        data
    }

    #[test]
    fn controller_is_identified() {
        let identify = IdentifyController::parse(&controller());
        assert_eq!(&identify.serial, b"S5H9NS0N123456      ");
        assert_eq!(&identify.model, b"Samsung SSD 980 PRO 1TB                 ");
        assert_eq!(&identify.firmware, b"5B2QGXA7");
        assert!(identify.has_security);
        assert_eq!(identify.namespaces, 1);
        assert_eq!(identify.max_transfer, Some(512 * 1024));
    }

    #[test]
    fn controller_without_limit_or_security_is_identified() {
        let mut data = controller();
        data[77] = 0;
        data[256] = 0x16;
        let identify = IdentifyController::parse(&data);
        assert_eq!(identify.max_transfer, None);
        assert!(!identify.has_security);
    }

    #[test]
    fn nonsense_limit_is_no_limit() {
        for power in [52, 60, 64, 255] {
            let mut data = controller();
            data[77] = power;
            assert_eq!(
                IdentifyController::parse(&data).max_transfer,
                None,
                "{power}"
            );
        }
    }

    #[test]
    fn namespace_is_identified() {
        let mut data = [0; 4096];
        data[..8].copy_from_slice(&0x1234_5678_u64.to_le_bytes());
        data[26] = 0x21; // format 17
        data[128 + 4 * 17 + 2] = 12;
        data[120..128].copy_from_slice(&[0x00, 0x25, 0x38, 0xb1, 0x11, 0x22, 0x33, 0x44]);
        let identify = IdentifyNamespace::parse(&data);
        assert_eq!(identify.blocks, 0x1234_5678);
        assert_eq!(identify.block_size, Some(4096));
        assert_eq!(identify.name.as_deref(), Some("002538b111223344"));
        data[104..120].copy_from_slice(&[0xaa; 16]);
        let name = IdentifyNamespace::parse(&data).name;
        assert_eq!(name.as_deref(), Some("aa".repeat(16).as_str()));
    }

    #[test]
    fn empty_namespace_has_no_facts() {
        let identify = IdentifyNamespace::parse(&[0; 4096]);
        assert_eq!((identify.block_size, identify.name), (None, None));
    }

    #[test]
    fn statuses_of_real_drives_are_split() {
        // A locked read, a synchronous protocol violation, namespace management with ranges; all
        // with "do not retry".
        assert_eq!(
            status(0x4286),
            InterfaceStatus::Nvme {
                code_type: 2,
                code: 0x86
            }
        );
        assert_eq!(
            status(16396),
            InterfaceStatus::Nvme {
                code_type: 0,
                code: 0x0c
            }
        );
        assert_eq!(
            status(0x4015),
            InterfaceStatus::Nvme {
                code_type: 0,
                code: 0x15
            }
        );
        assert_eq!(words(2, 0x86), Some("Access Denied"));
        assert_eq!(words(7, 0x00), None);
    }
}
