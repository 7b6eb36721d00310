//! An ATA device: the commands that come through a translation layer as they are (\[ACS\] 7).

use super::LogicalUnit;
use super::sense::Sense;
use crate::spec::{ComId, SecurityProtocol};
use crate::vdrive::label;

/// IDENTIFY DEVICE.
pub(super) const IDENTIFY_DEVICE: u8 = 0xec;
const DATA_SET_MANAGEMENT: u8 = 0x06;
const TRUSTED_NON_DATA: u8 = 0x5b;
const TRUSTED_RECEIVE: u8 = 0x5c;
const TRUSTED_RECEIVE_DMA: u8 = 0x5d;
const TRUSTED_SEND: u8 = 0x5e;
const TRUSTED_SEND_DMA: u8 = 0x5f;
const CHECK_POWER_MODE: u8 = 0xe5;
const FLUSH_CACHE: u8 = 0xe7;
const FLUSH_CACHE_EXT: u8 = 0xea;

/// Bytes of a block of data, whatever the size of a logical sector.
pub(super) const BLOCK: usize = 512;

/// How the data of a command travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    NonData,
    PioIn,
    PioOut,
    DmaIn,
    DmaOut,
}

/// The registers that make a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Registers {
    pub feature: u16,
    pub count: u16,
    pub lba: u64,
    pub device: u8,
    pub command: u8,
}

/// What is left in the registers, and data for the host.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub aborted: bool,
    pub count: u16,
    pub data: Vec<u8>,
}

impl Completion {
    fn with_data(data: Vec<u8>) -> Self {
        Self {
            data,
            ..Self::default()
        }
    }

    /// Status bit ERR, error bit ABRT: the one error that this device has.
    fn aborted() -> Self {
        Self {
            aborted: true,
            ..Self::default()
        }
    }
}

impl Registers {
    /// The protocol that the command has; none if there is no such command.
    pub(super) const fn protocol(&self) -> Option<Protocol> {
        Some(match self.command {
            TRUSTED_NON_DATA | CHECK_POWER_MODE | FLUSH_CACHE | FLUSH_CACHE_EXT => {
                Protocol::NonData
            }
            IDENTIFY_DEVICE | TRUSTED_RECEIVE => Protocol::PioIn,
            TRUSTED_SEND => Protocol::PioOut,
            TRUSTED_RECEIVE_DMA => Protocol::DmaIn,
            TRUSTED_SEND_DMA | DATA_SET_MANAGEMENT => Protocol::DmaOut,
            _ => return None,
        })
    }

    /// SECURITY PROTOCOL, Feature (7:0).
    fn security_protocol(&self) -> SecurityProtocol {
        SecurityProtocol(self.feature.to_be_bytes()[1])
    }

    /// SP SPECIFIC, LBA (23:8).
    fn sp_specific(&self) -> ComId {
        let [.., high, low, _] = self.lba.to_be_bytes();
        ComId(u16::from_be_bytes([high, low]))
    }

    /// TRANSFER LENGTH in bytes: Count (7:0) below LBA (7:0), in blocks.
    fn trusted_length(&self) -> usize {
        let [.., high] = self.lba.to_be_bytes();
        let [_, low] = self.count.to_be_bytes();
        usize::from(u16::from_be_bytes([high, low])) * BLOCK
    }

    /// DIRECTION of TRUSTED NON-DATA, LBA (24): set for receive.
    const fn receives(&self) -> bool {
        self.lba >> 24 & 1 == 1
    }
}

impl LogicalUnit {
    /// Carries out a command that is known to have the right protocol.
    pub(super) fn execute_ata(&self, registers: &Registers, data: &[u8]) -> Completion {
        let result = match registers.command {
            IDENTIFY_DEVICE => Ok(Completion::with_data(self.identify_device().to_vec())),
            TRUSTED_RECEIVE | TRUSTED_RECEIVE_DMA => self.trusted_receive(registers),
            TRUSTED_SEND | TRUSTED_SEND_DMA => self.trusted_send(registers, data),
            TRUSTED_NON_DATA => self.trusted_non_data(registers),
            DATA_SET_MANAGEMENT => self.trim(registers, data),
            FLUSH_CACHE | FLUSH_CACHE_EXT => self.flush().map(|()| Completion::default()),
            CHECK_POWER_MODE => Ok(Completion {
                count: ACTIVE_OR_IDLE,
                ..Completion::default()
            }),
            _ => Ok(Completion::aborted()),
        };
        result.unwrap_or_else(|_| Completion::aborted())
    }

    /// The device always moves whole blocks, as many as were asked for.
    fn trusted_receive(&self, registers: &Registers) -> Result<Completion, Sense> {
        let mut buffer = vec![0; registers.trusted_length()];
        self.receive(registers, &mut buffer)?;
        Ok(Completion::with_data(buffer))
    }

    fn trusted_send(&self, registers: &Registers, data: &[u8]) -> Result<Completion, Sense> {
        let data = data.get(..registers.trusted_length());
        self.send(registers, data.ok_or(Sense::DATA_PHASE)?)
    }

    /// IF-SEND or IF-RECV without data.
    fn trusted_non_data(&self, registers: &Registers) -> Result<Completion, Sense> {
        if !registers.receives() {
            return self.send(registers, &[]);
        }
        self.receive(registers, &mut [])?;
        Ok(Completion::default())
    }

    fn send(&self, registers: &Registers, data: &[u8]) -> Result<Completion, Sense> {
        let (protocol, com_id) = (registers.security_protocol(), registers.sp_specific());
        let sent = self.drive.if_send(protocol, com_id, data);
        sent.map_err(|error| super::interface_sense(&error))?;
        Ok(Completion::default())
    }

    fn receive(&self, registers: &Registers, buffer: &mut [u8]) -> Result<usize, Sense> {
        let (protocol, com_id) = (registers.security_protocol(), registers.sp_specific());
        let received = self.drive.if_recv(protocol, com_id, buffer);
        received.map_err(|error| super::interface_sense(&error))
    }

    /// DATA SET MANAGEMENT with the TRIM bit: entries of 48 bits LBA and 16 bits length, those of
    /// no length being padding. If one is refused, none has an effect.
    fn trim(&self, registers: &Registers, data: &[u8]) -> Result<Completion, Sense> {
        let length = usize::from(registers.count) * BLOCK;
        let data = data.get(..length).ok_or(Sense::DATA_PHASE)?;
        if registers.feature & 1 == 0 || registers.count > MAX_TRIM_BLOCKS {
            return Ok(Completion::aborted());
        }
        let entries = data.as_chunks::<8>().0.iter();
        let extents: Vec<_> = entries
            .map(|entry| u64::from_le_bytes(*entry))
            .map(|entry| (entry & 0xffff_ffff_ffff, entry >> 48))
            .filter(|(_, count)| *count > 0)
            .collect();
        self.medium(|drive| drive.deallocate_all(&extents))?;
        Ok(Completion::default())
    }

    /// The data of IDENTIFY DEVICE: 256 words, each sent with its low byte first.
    pub(super) fn identify_device(&self) -> [u8; BLOCK] {
        let mut data = [0; BLOCK];
        let words = self.identify_words();
        for (place, word) in data.as_chunks_mut().0.iter_mut().zip(words) {
            *place = word.to_le_bytes();
        }
        seal(&mut data);
        data
    }

    fn identify_words(&self) -> [u16; 256] {
        let mut words = [0; 256];
        for &(word, value) in FEATURES {
            put(&mut words, word, &[value]);
        }
        put(&mut words, 10, &string(&self.label.serial, label::SERIAL));
        put(
            &mut words,
            23,
            &string(&self.label.firmware, label::FIRMWARE),
        );
        put(&mut words, 27, &string(&self.label.model, label::MODEL));
        let short = u32::try_from(self.blocks).unwrap_or(u32::MAX).min(LBA_28);
        let [low, high, ..] = low_word_first(short.into());
        put(&mut words, 60, &[low, high]);
        put(&mut words, 100, &low_word_first(self.blocks));
        if self.block_size > 512 {
            let size = u64::from(self.block_size / 2);
            put(&mut words, 106, &[0x5000]);
            let [low, high, ..] = low_word_first(size);
            put(&mut words, 117, &[low, high]);
        }
        self.put_security(&mut words);
        words
    }

    /// The Security feature set: words 82 and 85, bit 1, supported and enabled; word 128.
    fn put_security(&self, words: &mut [u16; 256]) {
        let security = self.drive.lock().ata_security();
        let flags = u16::from(security.flags());
        let (supported, enabled) = (flags & 1, flags >> 1 & 1);
        let [features, enabled_features, state] = [(82, supported), (85, enabled), (128, 0)]
            .map(|(word, bit)| words.get(word).copied().unwrap_or_default() | bit << 1);
        put(words, 82, &[features]);
        put(words, 85, &[enabled_features]);
        put(words, 128, &[state | flags]);
    }
}

/// Sectors that 28 bits can name.
const LBA_28: u32 = 0x0fff_ffff;
/// CHECK POWER MODE's answer.
const ACTIVE_OR_IDLE: u16 = 0x00ff;
/// Word 105: blocks that DATA SET MANAGEMENT may carry.
const MAX_TRIM_BLOCKS: u16 = 8;

/// What does not depend on the drive (\[ACS\] 7.12.7).
const FEATURES: &[(usize, u16)] = &[
    (0, 0x0040),  // an ATA device
    (47, 0x8001), // one sector for READ MULTIPLE
    (48, 0x4001), // bit 0: Trusted Computing feature set
    (49, 0x0f00), // LBA, DMA, IORDY
    (50, 0x4000), // capabilities, valid
    (53, 0x0006), // words 64 to 70 and 88 are valid
    (63, 0x0007), // multiword DMA modes 0 to 2
    (64, 0x0003), // PIO modes 3 and 4
    (65, 120),    // cycle times in nanoseconds
    (66, 120),
    (67, 120),
    (68, 120),
    (69, 0x4030), // bit 14 deterministic after trim, bit 5 as zeros, bit 4 all user data encrypted
    (75, 0x001f), // queue depth 32
    (76, 0x000e), // Serial ATA generations 1 to 3
    (80, 0x07f0), // up to ACS-3
    (82, 0x4028), // NOP, volatile write cache, power management
    (83, 0x7400), // FLUSH CACHE and EXT, 48-bit addresses
    (84, 0x4000), // valid
    (85, 0x4028), // as words 82 to 84: enabled
    (86, 0xb400), // and words 119 and 120 are valid
    (87, 0x4000),
    (88, 0x407f), // ultra DMA modes 0 to 6, mode 6 selected
    (105, MAX_TRIM_BLOCKS),
    (106, 0x4000), // a physical sector is a logical one, of 512 bytes
    (119, 0x4000),
    (120, 0x4000),
    (169, 0x0001), // TRIM
    (217, 0x0001), // no rotation
    (222, 0x107f), // Serial ATA transport, up to 3.2
];

fn put(words: &mut [u16; 256], at: usize, values: &[u16]) {
    for (place, value) in words.iter_mut().skip(at).zip(values) {
        *place = *value;
    }
}

/// An ATA string: blank-padded, the first character of each pair in the high byte of its word.
fn string(text: &str, length: usize) -> Vec<u16> {
    let bytes = super::field(text, length);
    let (pairs, _) = bytes.as_chunks();
    pairs.iter().map(|pair| u16::from_be_bytes(*pair)).collect()
}

fn low_word_first(value: u64) -> [u16; 4] {
    let [a, b, c, d, e, f, g, h] = value.to_le_bytes();
    [[a, b], [c, d], [e, f], [g, h]].map(u16::from_le_bytes)
}

/// Word 255: signature A5h, and the checksum that makes the sum of all bytes zero.
fn seal(data: &mut [u8; BLOCK]) {
    data[510] = 0xa5;
    let sum = data.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte));
    data[511] = sum.wrapping_neg();
}
