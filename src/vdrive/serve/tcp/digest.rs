//! Header and data digests: CRC32C.

/// Length of a digest.
pub(crate) const LENGTH: usize = 4;

/// Which digests a connection carries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Digests {
    pub header: bool,
    pub data: bool,
}

/// The digest of some bytes, as it stands on the wire.
pub(crate) fn digest(bytes: &[u8]) -> [u8; LENGTH] {
    crc32c::crc32c(bytes).to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of RFC 3720, appendix B.4.
    #[test]
    fn digests_are_crc32c_in_little_endian() {
        assert_eq!(digest(&[0; 32]), [0xaa, 0x36, 0x91, 0x8a]);
        assert_eq!(digest(&[0xff; 32]), [0x43, 0xab, 0xa8, 0x62]);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(digest(&ascending), [0x4e, 0x79, 0xdd, 0x46]);
        assert_eq!(digest(b"123456789"), 0xe306_9283_u32.to_le_bytes());
    }
}
