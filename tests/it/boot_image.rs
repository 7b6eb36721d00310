//! Images that firmware boots, made by hand: a protective MBR, a GPT, and a FAT file system with
//! `EFI/BOOT/BOOTX64.EFI` ([UEFI] 5.2, 5.3; [FAT] 3 to 6).

use crate::gpt::{self, put, wide};

/// What an image is like.
#[derive(Clone, Copy)]
pub(crate) struct BootImage {
    /// Bytes of a block, by the GPT and by the file system.
    pub(crate) block_size: usize,
    /// Blocks of the file system, which say how wide its table is.
    pub(crate) blocks: usize,
    /// Whether there is a program.
    pub(crate) has_loader: bool,
}

/// First block of the file system, behind the GPT.
const FIRST: usize = 40;
/// Blocks before the table of the file system.
const RESERVED: usize = 32;
/// Least clusters of FAT16 and of FAT32.
const FAT16: usize = 4085;
const FAT32: usize = 65_525;

impl BootImage {
    /// A small one, which has FAT12.
    pub(crate) const SMALL: Self = Self {
        block_size: 512,
        blocks: 400,
        has_loader: true,
    };

    /// The bytes.
    pub(crate) fn build(self) -> Vec<u8> {
        let size = self.block_size;
        let mut image = vec![0; (FIRST + self.blocks) * size];
        let partition = gpt::Partition {
            number: 2,
            kind: gpt::EFI_SYSTEM,
            blocks: FIRST..FIRST + self.blocks,
        };
        gpt::write(&mut image, size, &[partition]);
        let file_system = self.file_system();
        put(&mut image, FIRST * size, &file_system);
        image
    }

    /// One block is a cluster. Folder EFI has two clusters, and BOOT stands in the second.
    fn file_system(self) -> Vec<u8> {
        let size = self.block_size;
        let is_wide = self.blocks > FAT32;
        let table_blocks = (self.blocks * 4).div_ceil(size);
        let root_blocks = usize::from(!is_wide);
        let data = RESERVED + table_blocks + root_blocks;
        let mut bytes = vec![0; self.blocks * size];
        put(&mut bytes, 11, &narrow(size));
        bytes[13] = 1;
        put(&mut bytes, 14, &narrow(RESERVED));
        bytes[16] = 1;
        put(&mut bytes, 17, &narrow(root_blocks * size / 32));
        put(&mut bytes, 32, &wide(self.blocks)[..4]);
        put(&mut bytes, 36, &wide(table_blocks)[..4]);
        if !is_wide {
            put(&mut bytes, 22, &narrow(table_blocks));
        }
        put(&mut bytes, 44, &2_u32.to_le_bytes());
        put(&mut bytes, 510, &[0x55, 0xaa]);
        let clusters = self.blocks - data;
        // 2 root (FAT32 only), 3 and 5 EFI, 4 BOOT.
        for (cluster, next) in [(2, LAST), (3, 5), (5, LAST), (4, LAST)] {
            chain(&mut bytes[RESERVED * size..], clusters, cluster, next);
        }
        let cluster = |number: usize| (data + number - 2) * size;
        let root = match is_wide {
            true => cluster(2),
            false => (RESERVED + table_blocks) * size,
        };
        put(&mut bytes, root, &entry(b"VOLUME     ", 0x08, 0));
        put(&mut bytes, root + 32, &entry(b"EFI        ", 0x10, 3));
        for slot in 0..size / 32 {
            let deleted = entry(b"\xe5THER      ", 0x20, 0);
            put(&mut bytes, cluster(3) + slot * 32, &deleted);
        }
        put(&mut bytes, cluster(5), &entry(b"BOOT       ", 0x10, 4));
        if self.has_loader {
            put(&mut bytes, cluster(4) + 32, &entry(b"BOOTX64 EFI", 0x20, 0));
        }
        put(&mut bytes, cluster(4), &entry(b"GRUB    CFG", 0x20, 0));
        bytes
    }
}

const LAST: usize = 0x0fff_ffff;

/// An entry of the file allocation table, as wide as the number of clusters makes it.
fn chain(table: &mut [u8], clusters: usize, cluster: usize, next: usize) {
    let next = u32::try_from(next).unwrap();
    if clusters >= FAT32 {
        put(table, cluster * 4, &next.to_le_bytes());
    } else if clusters >= FAT16 {
        put(table, cluster * 2, &next.to_le_bytes()[..2]);
    } else {
        let at = cluster + cluster / 2;
        let old = u16::from_le_bytes([table[at], table[at + 1]]);
        let next = u16::try_from(next & 0xfff).unwrap();
        let new = match cluster % 2 {
            0 => (old & 0xf000) | next,
            _ => (old & 0x000f) | (next << 4),
        };
        put(table, at, &new.to_le_bytes());
    }
}

fn entry(name: &[u8; 11], attributes: u8, cluster: u16) -> [u8; 32] {
    let mut entry = [0; 32];
    entry[..11].copy_from_slice(name);
    entry[11] = attributes;
    entry[26..28].copy_from_slice(&cluster.to_le_bytes());
    entry
}

fn narrow(number: usize) -> [u8; 2] {
    u16::try_from(number).unwrap().to_le_bytes()
}
