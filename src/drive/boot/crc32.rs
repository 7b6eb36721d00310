//! The checksum of a GPT: CRC-32 of ISO 3309 (\[UEFI\] 4.2, 5.3.2).

/// The polynomial, reflected.
const POLYNOMIAL: u32 = 0xedb8_8320;

/// The remainders of all bytes.
const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte;
        let mut bit = 0;
        while bit < 8 {
            let carry = remainder & 1;
            remainder = (remainder >> 1) ^ (POLYNOMIAL * carry);
            bit += 1;
        }
        table[byte as usize] = remainder;
        byte += 1;
    }
    table
}

/// The checksum of some bytes.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let step = |remainder: u32, byte: &u8| {
        let [low, ..] = (remainder ^ u32::from(*byte)).to_le_bytes();
        (remainder >> 8) ^ TABLE[usize::from(low)]
    };
    !bytes.iter().fold(u32::MAX, step)
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn checksums_are_those_of_the_standard() {
        // The check value of CRC-32/ISO-HDLC.
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
        assert_eq!(crc32(&[0; 4]), 0x2144_df1c);
    }
}
