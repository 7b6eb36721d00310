//! Partition tables made by hand: a protective MBR and a GPT ([UEFI] 5.2, 5.3).

use std::ops::Range;

/// C12A7328-F81F-11D2-BA4B-00A0C93EC93B, as it is on a disk: three numbers and eight bytes.
pub(crate) const EFI_SYSTEM: [u8; 16] = [
    0x28, 0x73, 0x2a, 0xc1, 0x1f, 0xf8, 0xd2, 0x11, 0xba, 0x4b, 0x00, 0xa0, 0xc9, 0x3e, 0xc9, 0x3b,
];

/// A partition.
#[derive(Clone, Debug)]
pub(crate) struct Partition {
    /// From 1 on.
    pub(crate) number: usize,
    /// The GUID of its type, as it is on a disk.
    pub(crate) kind: [u8; 16],
    /// Its blocks.
    pub(crate) blocks: Range<usize>,
}

/// Writes both tables to the front of an image.
pub(crate) fn write(image: &mut [u8], block_size: usize, partitions: &[Partition]) {
    image[446 + 4] = 0xee;
    put(image, 446 + 8, &1_u32.to_le_bytes());
    put(image, 446 + 12, &u32::MAX.to_le_bytes());
    put(image, 510, &[0x55, 0xaa]);
    let mut entries = vec![0; 128 * 128];
    for Partition {
        number,
        kind,
        blocks,
    } in partitions
    {
        let entry = (number - 1) * 128;
        put(&mut entries, entry, kind);
        put(&mut entries, entry + 32, &wide(blocks.start));
        put(&mut entries, entry + 40, &wide(blocks.end - 1));
    }
    put(image, block_size, &header(&entries));
    put(image, 2 * block_size, &entries);
}

fn header(entries: &[u8]) -> [u8; 92] {
    let mut header = [0; 92];
    put(&mut header, 0, b"EFI PART");
    put(&mut header, 8, &0x0001_0000_u32.to_le_bytes());
    put(&mut header, 12, &92_u32.to_le_bytes());
    put(&mut header, 24, &wide(1));
    put(&mut header, 72, &wide(2));
    put(&mut header, 80, &128_u32.to_le_bytes());
    put(&mut header, 84, &128_u32.to_le_bytes());
    put(&mut header, 88, &crc32(entries).to_le_bytes());
    let checksum = crc32(&header);
    put(&mut header, 16, &checksum.to_le_bytes());
    header
}

/// Puts bytes into their place.
pub(crate) fn put(bytes: &mut [u8], offset: usize, value: &[u8]) {
    bytes[offset..offset + value.len()].copy_from_slice(value);
}

/// A number of eight bytes.
pub(crate) fn wide(number: usize) -> [u8; 8] {
    u64::try_from(number).unwrap().to_le_bytes()
}

/// CRC-32 bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let mut remainder = u32::MAX;
    for byte in bytes {
        remainder ^= u32::from(*byte);
        for _ in 0..8 {
            remainder = match remainder & 1 {
                0 => remainder >> 1,
                _ => (remainder >> 1) ^ 0xedb8_8320,
            };
        }
    }
    !remainder
}
