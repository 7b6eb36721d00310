//! Command descriptor blocks.

/// A CDB of up to 16 bytes; what it is short of reads as zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cdb {
    bytes: [u8; 16],
    length: usize,
}

impl Cdb {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let mut padded = [0; 16];
        for (place, byte) in padded.iter_mut().zip(bytes) {
            *place = *byte;
        }
        Self {
            bytes: padded,
            length: bytes.len(),
        }
    }

    /// How many bytes the host gave.
    pub(super) const fn length(&self) -> usize {
        self.length
    }

    pub(super) const fn opcode(&self) -> u8 {
        self.bytes[0]
    }

    /// SERVICE ACTION of the commands that have one in byte 1, bits 4:0.
    pub(super) fn service_action(&self) -> u16 {
        u16::from(self.bytes[1] & 0x1f)
    }

    pub(super) fn byte(&self, at: usize) -> u8 {
        self.bytes.get(at).copied().unwrap_or_default()
    }

    /// Bit `bit` of byte `at`.
    pub(super) fn bit(&self, at: usize, bit: u8) -> bool {
        self.byte(at) >> bit & 1 == 1
    }

    pub(super) fn u16(&self, at: usize) -> u16 {
        u16::from_be_bytes(self.array(at))
    }

    pub(super) fn u32(&self, at: usize) -> u32 {
        u32::from_be_bytes(self.array(at))
    }

    pub(super) fn u64(&self, at: usize) -> u64 {
        u64::from_be_bytes(self.array(at))
    }

    /// A length in bytes.
    pub(super) fn length32(&self, at: usize) -> usize {
        usize::try_from(self.u32(at)).unwrap_or(usize::MAX)
    }

    fn array<const N: usize>(&self, at: usize) -> [u8; N] {
        let bytes = self.bytes.get(at..).and_then(<[u8]>::first_chunk);
        bytes.copied().unwrap_or([0; N])
    }
}

/// The first logical block and the number of blocks of a medium command (\[SBC\] 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    pub lba: u64,
    pub count: u64,
}

impl Extent {
    /// The extent that the CDB names, in the layout that all medium commands of its length share.
    pub(super) fn of(cdb: &Cdb) -> Self {
        match cdb.opcode() >> 5 {
            0 => Self {
                lba: u64::from(cdb.u32(0) & 0x001f_ffff),
                count: match cdb.byte(4) {
                    0 => 256,
                    count => u64::from(count),
                },
            },
            1 | 2 => Self {
                lba: u64::from(cdb.u32(2)),
                count: u64::from(cdb.u16(7)),
            },
            5 => Self {
                lba: u64::from(cdb.u32(2)),
                count: u64::from(cdb.u32(6)),
            },
            _ => Self {
                lba: cdb.u64(2),
                count: u64::from(cdb.u32(10)),
            },
        }
    }
}
