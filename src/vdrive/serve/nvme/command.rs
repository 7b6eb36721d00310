//! Submission queue entries.

/// Length of a submission queue entry.
pub(crate) const LENGTH: usize = 64;

/// A submission queue entry (\[NVMe\] Common Command Format).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command([u8; LENGTH]);

/// Where the data of a command are: an SGL data block descriptor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DataPointer {
    /// Identifier 01h: in the capsule, at an offset.
    Capsule { offset: u64, length: u32 },
    /// Identifier 5Ah: they travel by the transport.
    Transport { length: u32 },
    /// A descriptor that a fabrics controller does not take.
    Unknown { identifier: u8 },
}

impl Command {
    pub(crate) const fn new(bytes: [u8; LENGTH]) -> Self {
        Self(bytes)
    }

    /// Opcode.
    pub(crate) const fn opcode(&self) -> u8 {
        self.0[0]
    }

    /// Command Identifier: opaque, echoed in the completion.
    pub(crate) const fn cid(&self) -> u16 {
        u16::from_le_bytes([self.0[2], self.0[3]])
    }

    /// Namespace Identifier; its first byte is the Fabrics Command Type of a Fabrics command.
    pub(crate) fn nsid(&self) -> u32 {
        self.dword(4)
    }

    /// Command Dword `number`, 10 to 15; other numbers read the dword at that place.
    pub(crate) fn cdw(&self, number: usize) -> u32 {
        self.dword(number * 4)
    }

    /// The whole entry, for fields of Fabrics commands.
    pub(crate) const fn bytes(&self) -> &[u8; LENGTH] {
        &self.0
    }

    /// SGL descriptor 1.
    pub(crate) fn data_pointer(&self) -> DataPointer {
        let length = self.dword(32);
        match self.0[39] {
            0x01 => DataPointer::Capsule {
                offset: u64::from(self.dword(24)) | u64::from(self.dword(28)) << 32,
                length,
            },
            0x5a => DataPointer::Transport { length },
            identifier => DataPointer::Unknown { identifier },
        }
    }

    fn dword(&self, offset: usize) -> u32 {
        let bytes = self.0.get(offset..).and_then(<[u8]>::first_chunk);
        bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
    }
}
