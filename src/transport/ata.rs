//! ATA: TRUSTED commands in SAT's pass-through CDBs, and IDENTIFY DEVICE (\[ACS\] 7, \[SAT\] 12.2).

use crate::spec::{ComId, SecurityProtocol};

/// Names of the commands, for messages.
pub(crate) mod name {
    /// IF-SEND over ATA.
    pub(crate) const TRUSTED_SEND: &str = "ATA TRUSTED SEND";
    /// IF-RECV over ATA.
    pub(crate) const TRUSTED_RECEIVE: &str = "ATA TRUSTED RECEIVE";
    /// Who a drive is.
    pub(crate) const IDENTIFY_DEVICE: &str = "ATA IDENTIFY DEVICE";
}

/// Bytes in the unit that ATA counts transfers in.
pub(crate) const BLOCK: usize = 512;

/// The longest transfer of one command here: a pass-through CDB takes the length from the Count
/// register's low byte.
pub(crate) const MAX_TRANSFER: usize = 255 * BLOCK;

/// An ATA command with data, by its registers (28-bit).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    /// Which way the data moves.
    direction: Direction,
    /// Feature register.
    feature: u8,
    /// Count register: blocks of 512 bytes.
    count: u8,
    /// LBA (7:0), (15:8), (23:16).
    lba: [u8; 3],
    /// Command register.
    command: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    In,
    Out,
}

impl Command {
    /// TRUSTED SEND (5Eh, PIO) of `blocks` blocks.
    pub(crate) const fn trusted_send(
        protocol: SecurityProtocol,
        com_id: ComId,
        blocks: u8,
    ) -> Self {
        Self::trusted(Direction::Out, 0x5e, protocol, com_id, blocks)
    }

    /// TRUSTED RECEIVE (5Ch, PIO) of `blocks` blocks.
    pub(crate) const fn trusted_receive(
        protocol: SecurityProtocol,
        com_id: ComId,
        blocks: u8,
    ) -> Self {
        Self::trusted(Direction::In, 0x5c, protocol, com_id, blocks)
    }

    /// IDENTIFY DEVICE (ECh).
    pub(crate) const fn identify_device() -> Self {
        Self {
            direction: Direction::In,
            feature: 0,
            count: 1,
            lba: [0; 3],
            command: 0xec,
        }
    }

    /// Feature is the protocol, LBA (15:8) and (23:16) are SP Specific, low byte first.
    const fn trusted(
        direction: Direction,
        command: u8,
        protocol: SecurityProtocol,
        com_id: ComId,
        blocks: u8,
    ) -> Self {
        let [low, high] = com_id.0.to_le_bytes();
        Self {
            direction,
            feature: protocol.0,
            count: blocks,
            lba: [0, low, high],
            command,
        }
    }

    /// ATA PASS-THROUGH (12), A1h.
    pub(crate) const fn cdb_12(&self) -> [u8; 12] {
        let [low, mid, high] = self.lba;
        let (protocol, flags) = self.transfer();
        let Self {
            feature,
            count,
            command,
            ..
        } = *self;
        [
            0xa1, protocol, flags, feature, count, low, mid, high, 0, command, 0, 0,
        ]
    }

    /// ATA PASS-THROUGH (16), 85h, with the high halves of the registers 0 (EXTEND = 0).
    pub(crate) const fn cdb_16(&self) -> [u8; 16] {
        let [low, mid, high] = self.lba;
        let (protocol, flags) = self.transfer();
        let Self {
            feature,
            count,
            command,
            ..
        } = *self;
        [
            0x85, protocol, flags, 0, feature, 0, count, 0, low, 0, mid, 0, high, 0, command, 0,
        ]
    }

    /// Bytes 1 and 2: PROTOCOL in bits 4:1 (4 PIO in, 5 PIO out); T_DIR (bit 3, from the device),
    /// BYT_BLOK (bit 2, blocks of 512), T_LENGTH (bits 1:0, 2 = the Count register).
    const fn transfer(&self) -> (u8, u8) {
        match self.direction {
            Direction::In => (4 << 1, 0x0e),
            Direction::Out => (5 << 1, 0x06),
        }
    }
}

/// Words for an ATA error register.
pub(crate) const fn error_words(error: u8) -> Option<&'static str> {
    match error & 0x04 {
        0 => None,
        _ => Some("command aborted"),
    }
}

/// What IDENTIFY DEVICE says, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct IdentifyDevice {
    /// Serial number (words 10–19), in reading order, padding included.
    pub(crate) serial: [u8; 20],
    /// Firmware revision (words 23–26).
    pub(crate) firmware: [u8; 8],
    /// Model number (words 27–46).
    pub(crate) model: [u8; 40],
    /// World-wide name (words 108–111), where the drive has one.
    pub(crate) world_wide_name: Option<u64>,
    /// The drive has the Trusted Computing feature set (word 48 bit 0).
    pub(crate) trusted_computing: bool,
    /// The state of ATA security.
    pub(crate) security: AtaSecurity,
}

/// The ATA Security feature set: a password on the drive beside TCG Storage (\[ACS\] 4.18).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct AtaSecurity {
    /// The drive has the feature set (word 128 bit 0).
    pub supported: bool,
    /// A user password is set (word 128 bit 1).
    pub enabled: bool,
    /// The drive waits for the password (word 128 bit 2).
    pub locked: bool,
    /// Security commands are refused until the next power cycle (word 128 bit 3).
    pub frozen: bool,
    /// Too many wrong passwords; the drive wants a power cycle (word 128 bit 4).
    pub count_expired: bool,
    /// Enhanced erase is supported (word 128 bit 5).
    pub enhanced_erase: bool,
    /// The master password cannot unlock, only erase (word 128 bit 8).
    pub maximum_level: bool,
}

impl AtaSecurity {
    /// The SP Specific field that asks for it by security protocol EFh (\[SAT\]).
    pub(crate) const SP_SPECIFIC: ComId = ComId(0x0000);

    /// Reads the answer of security protocol EFh, which SCSI translation layers and NVMe drives
    /// have in place of IDENTIFY DEVICE (\[SAT\], ATA device server password).
    ///
    /// | byte | bits | meaning |
    /// |---|---|---|
    /// | 1 | | parameter list length, 0Eh |
    /// | 8 | 0 | MAXSET: the master password cannot unlock |
    /// | 9 | 5 | EN_ER_SUP |
    /// | 9 | 4:0 | PWCNTEX, FROZEN, LOCKED, S_ENABLD, S_SUPPRT |
    ///
    /// `None` if the answer is shorter than that, or says so.
    pub(crate) fn parse_protocol(bytes: &[u8]) -> Option<Self> {
        const LENGTH: u8 = 0x0e;
        let [_, length, .., level, flags] = *bytes.first_chunk::<10>()?;
        let bit = |bit: u32| (flags >> bit) & 1 == 1;
        (length >= LENGTH).then(|| Self {
            supported: bit(0),
            enabled: bit(1),
            locked: bit(2),
            frozen: bit(3),
            count_expired: bit(4),
            enhanced_erase: bit(5),
            maximum_level: level & 1 == 1,
        })
    }
}

impl IdentifyDevice {
    /// Reads the 256 words, low byte first.
    ///
    /// `None` if the reply is empty, as bridges answer that do not pass the command on, or if it is
    /// not that of an ATA device (word 0 bit 15).
    pub(crate) fn parse(bytes: &[u8; 512]) -> Option<Self> {
        let words = Words(bytes);
        let is_empty = bytes.iter().all(|&byte| byte == 0);
        if is_empty || words.bit(0, 15) {
            return None;
        }
        Some(Self {
            serial: words.text(10),
            firmware: words.text(23),
            model: words.text(27),
            world_wide_name: words.has_world_wide_name().then(|| words.quad(108)),
            trusted_computing: words.get(48) >> 14 == 0b01 && words.bit(48, 0),
            security: words.security(),
        })
    }
}

/// The data of IDENTIFY DEVICE as words.
struct Words<'a>(&'a [u8; 512]);

impl Words<'_> {
    fn get(&self, word: usize) -> u16 {
        let bytes = self.0.get(word * 2..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u16::from_le_bytes(*bytes))
    }

    fn bit(&self, word: usize, bit: u32) -> bool {
        (self.get(word) >> bit) & 1 == 1
    }

    /// A string, whose characters stand in the words high byte first.
    fn text<const N: usize>(&self, word: usize) -> [u8; N] {
        std::array::from_fn(|at| self.get(word + at / 2).to_be_bytes()[at % 2])
    }

    /// Four words, the most significant first.
    fn quad(&self, word: usize) -> u64 {
        (word..word + 4).fold(0, |value, at| (value << 16) | u64::from(self.get(at)))
    }

    /// Word 87 is valid if bits 15:14 are 01b; its bit 8 says that there is a name.
    fn has_world_wide_name(&self) -> bool {
        self.get(87) >> 14 == 0b01 && self.bit(87, 8) && self.quad(108) != 0
    }

    fn security(&self) -> AtaSecurity {
        AtaSecurity {
            supported: self.bit(128, 0),
            enabled: self.bit(128, 1),
            locked: self.bit(128, 2),
            frozen: self.bit(128, 3),
            count_expired: self.bit(128, 4),
            enhanced_erase: self.bit(128, 5),
            maximum_level: self.bit(128, 8),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// IDENTIFY DEVICE data of a drive with Trusted Computing.
    pub(crate) fn identify_data(serial: &[u8; 20], model: &[u8; 40]) -> [u8; 512] {
        let mut bytes = [0; 512];
        set(&mut bytes, 0, 0x0040);
        set_text(&mut bytes, 10, serial);
        set_text(&mut bytes, 23, b"SVT02B6Q");
        set_text(&mut bytes, 27, model);
        set(&mut bytes, 48, 0x4001);
        set(&mut bytes, 87, 0x4100);
        for (at, word) in [0x5002, 0x538d, 0x0123, 0x4567].into_iter().enumerate() {
            set(&mut bytes, 108 + at, word);
        }
        set(&mut bytes, 128, 0x0029);
        bytes
    }

    fn set(bytes: &mut [u8; 512], word: usize, value: u16) {
        bytes[word * 2..word * 2 + 2].copy_from_slice(&value.to_le_bytes());
    }

    fn set_text(bytes: &mut [u8; 512], word: usize, text: &[u8]) {
        for (at, pair) in text.chunks(2).enumerate() {
            set(bytes, word + at, u16::from_be_bytes([pair[0], pair[1]]));
        }
    }

    #[test]
    fn level_0_discovery_has_the_cdbs_of_the_standard() {
        let command = Command::trusted_receive(SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY, 4);
        assert_eq!(
            command.cdb_12(),
            [
                0xa1, 0x08, 0x0e, 0x01, 0x04, 0x00, 0x01, 0x00, 0x00, 0x5c, 0x00, 0x00
            ]
        );
        assert_eq!(
            command.cdb_16(),
            [
                0x85, 0x08, 0x0e, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
                0x5c, 0x00
            ]
        );
    }

    #[test]
    fn trusted_commands_to_a_com_id_have_the_cdbs_of_the_standard() {
        let send = Command::trusted_send(SecurityProtocol::TCG, ComId(0x1004), 4);
        assert_eq!(
            send.cdb_12(),
            [
                0xa1, 0x0a, 0x06, 0x01, 0x04, 0x00, 0x04, 0x10, 0x00, 0x5e, 0x00, 0x00
            ]
        );
        let receive = Command::trusted_receive(SecurityProtocol::TCG, ComId(0x1004), 4);
        assert_eq!(
            receive.cdb_12(),
            [
                0xa1, 0x08, 0x0e, 0x01, 0x04, 0x00, 0x04, 0x10, 0x00, 0x5c, 0x00, 0x00
            ]
        );
        let send = Command::trusted_send(SecurityProtocol::TCG, ComId(0x07fe), 4);
        assert_eq!(
            send.cdb_16(),
            [
                0x85, 0x0a, 0x06, 0x00, 0x01, 0x00, 0x04, 0x00, 0x00, 0x00, 0xfe, 0x00, 0x07, 0x00,
                0x5e, 0x00
            ]
        );
    }

    #[test]
    fn identify_device_has_the_cdb_of_the_standard() {
        assert_eq!(
            Command::identify_device().cdb_12(),
            [
                0xa1, 0x08, 0x0e, 0x00, 0x01, 0x00, 0x00, 0x00, 0x00, 0xec, 0x00, 0x00
            ]
        );
    }

    #[test]
    fn strings_are_swapped_and_keep_their_padding() {
        let bytes = identify_data(
            b"      S21PNSAG123456",
            b"Samsung SSD 850 PRO 256GB               ",
        );
        assert_eq!(&bytes[26..28], b"2S");
        let identify = IdentifyDevice::parse(&bytes).unwrap();
        assert_eq!(&identify.serial, b"      S21PNSAG123456");
        assert_eq!(&identify.model, b"Samsung SSD 850 PRO 256GB               ");
        assert_eq!(&identify.firmware, b"SVT02B6Q");
        assert_eq!(identify.world_wide_name, Some(0x5002_538d_0123_4567));
        assert!(identify.trusted_computing);
    }

    #[test]
    fn security_state_is_that_of_word_128() {
        let bytes = identify_data(&[b' '; 20], &[b' '; 40]);
        let security = IdentifyDevice::parse(&bytes).unwrap().security;
        let expected = AtaSecurity {
            supported: true,
            frozen: true,
            enhanced_erase: true,
            ..AtaSecurity::default()
        };
        assert_eq!(security, expected);
    }

    /// Bytes assembled from the layout of \[SAT\], ATA DEVICE SERVER PASSWORD.
    #[test]
    fn security_state_is_that_of_protocol_ef() {
        let mut bytes = [0; 512];
        bytes[1] = 0x0e;
        bytes[2..8].copy_from_slice(&[0x00, 0x1e, 0x00, 0x01, 0xff, 0xfe]);
        (bytes[8], bytes[9]) = (0x01, 0x27);
        let expected = AtaSecurity {
            supported: true,
            enabled: true,
            locked: true,
            enhanced_erase: true,
            maximum_level: true,
            ..AtaSecurity::default()
        };
        assert_eq!(AtaSecurity::parse_protocol(&bytes), Some(expected));
        bytes[9] = 0x19;
        let frozen = AtaSecurity::parse_protocol(&bytes).unwrap();
        assert!(frozen.frozen && frozen.count_expired && !frozen.enabled);
        for length in 0..10 {
            assert_eq!(AtaSecurity::parse_protocol(&bytes[..length]), None);
        }
        // Drives that know nothing of it fill the buffer with zeros.
        assert_eq!(AtaSecurity::parse_protocol(&[0; 512]), None);
    }

    #[test]
    fn word_48_counts_only_if_it_is_marked_valid() {
        let mut bytes = identify_data(&[b' '; 20], &[b' '; 40]);
        for invalid in [0x0001, 0xc001, 0xffff, 0x4000] {
            set(&mut bytes, 48, invalid);
            assert!(
                !IdentifyDevice::parse(&bytes).unwrap().trusted_computing,
                "{invalid:04x}"
            );
        }
    }

    #[test]
    fn empty_reply_is_no_reply() {
        assert_eq!(IdentifyDevice::parse(&[0; 512]), None);
        assert_eq!(IdentifyDevice::parse(&[0xff; 512]), None);
    }

    #[test]
    fn abort_has_words() {
        assert_eq!(error_words(0x04), Some("command aborted"));
        assert_eq!(error_words(0x40), None);
    }
}
