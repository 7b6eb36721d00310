//! Whether images look bootable (demands D90, D96).

use sedkit::drive::{BootFlaw, Contents, LoadRequest, examine_boot_image};

use crate::boot_image::BootImage;

use super::{PIN, Rig, admin1};

fn flaws(image: &[u8], block_size: u32) -> Vec<BootFlaw> {
    examine_boot_image(&mut &*image, Some(block_size))
        .unwrap()
        .flaws
}

#[test]
fn images_with_each_kind_of_fat_look_bootable() {
    for (block_size, blocks) in [(512, 400), (512, 4400), (512, 67_000), (4096, 400)] {
        let image = BootImage {
            block_size,
            blocks,
            has_loader: true,
        };
        let bytes = image.build();
        let block_size = u32::try_from(block_size).unwrap();
        let found = examine_boot_image(&mut &*bytes, Some(block_size)).unwrap();
        assert_eq!(found.flaws, [], "{blocks}");
        assert_eq!(found.loaders, ["BOOTX64.EFI"], "{blocks}");
        assert_eq!(found.gpt_block_size, Some(block_size));
        assert!(found.looks_bootable() && !found.bios && !found.blank);
    }
}

#[test]
fn an_image_for_other_blocks_than_the_drive_s_is_told() {
    let small = BootImage::SMALL.build();
    let flaw = BootFlaw::BlockSize {
        image: 512,
        drive: 4096,
    };
    assert_eq!(flaws(&small, 4096), [flaw]);
    let large = BootImage {
        block_size: 4096,
        ..BootImage::SMALL
    };
    let flaw = BootFlaw::BlockSize {
        image: 4096,
        drive: 512,
    };
    assert_eq!(flaws(&large.build(), 512), [flaw]);
}

#[test]
fn what_stands_against_booting_is_named() {
    let good = BootImage::SMALL.build();
    let spoilt = |offset: usize| {
        let mut image = good.clone();
        image[offset] ^= 1;
        flaws(&image, 512)
    };
    assert_eq!(spoilt(446 + 4), [BootFlaw::NoProtectiveMbr]);
    assert_eq!(spoilt(511), [BootFlaw::NoProtectiveMbr]);
    assert_eq!(spoilt(512 + 40), [BootFlaw::GptHeaderChecksum]);
    // The name of the partition.
    assert_eq!(spoilt(2 * 512 + 128 + 56), [BootFlaw::GptEntriesChecksum]);
    assert_eq!(
        spoilt(2 * 512 + 128),
        [BootFlaw::GptEntriesChecksum, BootFlaw::NoEfiSystemPartition]
    );
    assert_eq!(spoilt(40 * 512 + 510), [BootFlaw::NotFat]);
    let bare = BootImage {
        has_loader: false,
        ..BootImage::SMALL
    };
    assert_eq!(flaws(&bare.build(), 512), [BootFlaw::NoLoader]);
    let short = &good[..300 * 512];
    assert_eq!(flaws(short, 512), [BootFlaw::PartitionBeyondEnd]);
    assert_eq!(flaws(&[7; 9000], 512), [BootFlaw::NoPartitionTable]);
    let blank = examine_boot_image(&mut &[0; 9000][..], Some(512)).unwrap();
    assert!(blank.blank && !blank.looks_bootable());
}

#[test]
fn boot_code_is_for_firmware_of_old() {
    let mut image = vec![0; 64 << 10];
    image[..3].copy_from_slice(&[0xfa, 0xeb, 0xfe]);
    image[446 + 4] = 0x0c;
    image[510..512].copy_from_slice(&[0x55, 0xaa]);
    let found = examine_boot_image(&mut &*image, Some(512)).unwrap();
    assert!(found.bios && found.looks_bootable());
    assert_eq!(found.flaws, [BootFlaw::NoEfiSystemPartition]);
}

#[test]
fn no_image_is_too_broken_to_be_looked_at() {
    let good = BootImage::SMALL.build();
    let mut state = 1_u64;
    let mut roll = |sides: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        usize::try_from(state >> 33).unwrap() % sides
    };
    for _ in 0..2000 {
        let mut image = good.clone();
        for _ in 0..=roll(6) {
            // Headers, the table of files, and folders.
            let area = [(0, 1100), (40 * 512, 64), (72 * 512, 64), (76 * 512, 3000)][roll(4)];
            image[area.0 + roll(area.1)] = u8::try_from(roll(256)).unwrap();
        }
        image.truncate(roll(2) * 100_000 + roll(image.len()));
        for block_size in [None, Some(0), Some(512), Some(4096), Some(u32::MAX)] {
            examine_boot_image(&mut &*image, block_size).unwrap();
        }
    }
}

#[test]
fn the_status_looks_into_the_table_as_anybody() {
    for block_size in [512_u32, 4096] {
        let rig = Rig::with(|options| {
            options.profile.geometry.block_size = block_size;
            options.profile.locking.mbr_size = 4 << 20;
        });
        let mut drive = rig.open().unwrap();
        let pin = super::pin(PIN);
        drive.setup(&Default::default(), &pin).unwrap();
        let status = drive.mbr_status(Some(block_size), None).unwrap();
        assert!(status.boot.blank);
        let image = BootImage {
            block_size: usize::try_from(block_size).unwrap(),
            ..BootImage::SMALL
        };
        let bytes = image.build();
        let request = LoadRequest::default();
        let loaded = drive.load_mbr(&request, &mut &*bytes, &admin1(PIN), &mut |_| {});
        assert!(loaded.unwrap().proven);
        let before = rig.commands();
        let status = drive.mbr_status(Some(block_size), None).unwrap();
        assert_eq!(status.boot.loaders, ["BOOTX64.EFI"], "{block_size}");
        assert_eq!(status.boot.flaws, [], "{block_size}");
        assert_eq!(status.table.size, 4 << 20);
        assert!(!status.control.enable && !status.control.done);
        assert!(rig.commands() - before <= 22, "{}", rig.commands() - before);
    }
}

/// A table without end, as a drive may claim to have; not more than a megabyte of it is fetched at a
/// time.
struct Endless;

impl Contents for Endless {
    type Error = std::convert::Infallible;

    fn length(&self) -> u64 {
        u64::MAX
    }

    fn read_at(&mut self, _: u64, buffer: &mut [u8]) -> Result<(), Self::Error> {
        assert!(buffer.len() <= 1 << 20, "{} bytes", buffer.len());
        buffer.fill(0xaa);
        Ok(())
    }
}

#[test]
fn a_block_size_that_no_drive_has_is_not_fetched() {
    for block_size in [512, 4096, 65_536, 1 << 30, u32::MAX] {
        let Ok(found) = examine_boot_image(&mut Endless, Some(block_size));
        assert_eq!(found.gpt_block_size, None);
    }
}
