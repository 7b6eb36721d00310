//! The bytes of one descriptor, read by the offsets that the standards' tables use.

/// A descriptor's contents. Offsets count from the descriptor's byte 0, so contents begin at 4.
#[derive(Clone, Copy)]
pub(super) struct Fields<'a>(&'a [u8]);

/// Bytes of a descriptor's header: feature code, version, length.
pub(super) const DESCRIPTOR_HEADER: usize = 4;

impl<'a> Fields<'a> {
    pub(super) const fn new(contents: &'a [u8]) -> Self {
        Self(contents)
    }

    fn array<const N: usize>(self, byte: usize) -> Option<[u8; N]> {
        let start = byte.checked_sub(DESCRIPTOR_HEADER)?;
        self.0.get(start..)?.first_chunk().copied()
    }

    /// The byte at an offset; `None` beyond the end.
    pub(super) fn u8(self, byte: usize) -> Option<u8> {
        self.array(byte).map(u8::from_be_bytes)
    }

    /// The big-endian 16-bit integer at an offset; `None` if it is incomplete.
    pub(super) fn u16(self, byte: usize) -> Option<u16> {
        self.array(byte).map(u16::from_be_bytes)
    }

    /// The big-endian 32-bit integer at an offset; `None` if it is incomplete.
    pub(super) fn u32(self, byte: usize) -> Option<u32> {
        self.array(byte).map(u32::from_be_bytes)
    }

    /// The big-endian 64-bit integer at an offset; `None` if it is incomplete.
    pub(super) fn u64(self, byte: usize) -> Option<u64> {
        self.array(byte).map(u64::from_be_bytes)
    }

    /// One bit of the byte at an offset; `None` beyond the end.
    pub(super) fn bit(self, byte: usize, bit: u8) -> Option<bool> {
        self.u8(byte).map(|flags| is_set(flags, bit))
    }
}

/// True if a bit of `flags` is 1.
pub(super) const fn is_set(flags: u8, bit: u8) -> bool {
    flags & (1 << bit) != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn incomplete_fields_are_absent() {
        let fields = Fields::new(&[0x11, 0x22, 0x33]);
        assert_eq!(fields.u16(4), Some(0x1122));
        assert_eq!(fields.u16(5), Some(0x2233));
        assert_eq!(fields.u16(6), None);
        assert_eq!(fields.u8(6), Some(0x33));
        assert_eq!((fields.u8(3), fields.u8(7)), (None, None));
        assert_eq!(
            (fields.bit(4, 0), fields.bit(4, 1)),
            (Some(true), Some(false))
        );
    }
}
