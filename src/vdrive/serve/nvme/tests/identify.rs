//! Identify, by the offsets of the data structures.

use super::{Bench, Queue, SIZE, Sqe, options};

fn u16_at(data: &[u8], offset: usize) -> u16 {
    u16::from_le_bytes([data[offset], data[offset + 1]])
}

fn u32_at(data: &[u8], offset: usize) -> u32 {
    u32::from(u16_at(data, offset)) | u32::from(u16_at(data, offset + 2)) << 16
}

fn u64_at(data: &[u8], offset: usize) -> u64 {
    u64::from(u32_at(data, offset)) | u64::from(u32_at(data, offset + 4)) << 32
}

fn structure(queue: &mut Queue, structure: u32, nsid: u32) -> Vec<u8> {
    let data = queue.identify(structure, nsid).success().data;
    assert_eq!(data.len(), 4096);
    data
}

#[test]
fn the_controller_says_what_linux_insists_on() {
    let bench = Bench::new();
    let data = structure(&mut bench.admin(), 1, 0);
    assert_eq!(data[4..24], *b"VD0000000001        ");
    assert_eq!(data[24..64], *b"sedkit virtual drive                    ");
    assert_eq!(data[64..72], *b"1.0     ");
    assert_eq!(u16_at(&data, 78), 1, "CNTLID as in the Connect response");
    assert_eq!(u32_at(&data, 80), 0x0001_0400, "VER");
    assert_eq!(u32_at(&data, 92), 0, "OAES");
    assert_eq!(u16_at(&data, 320), 100, "KAS");
    assert_eq!(u16_at(&data, 514), 128, "MAXCMD");
    assert_eq!(u32_at(&data, 536) & 3, 1, "SGLS");
    assert_eq!(u32_at(&data, 1792), 4 + 512, "IOCCSZ");
    assert_eq!(u32_at(&data, 1796), 1, "IORCSZ");
    assert_eq!(u16_at(&data, 1800), 0, "ICDOFF");
    assert!(data[768..1024].starts_with(b"nqn.2026-01.sedkit:v0\0"));
}

#[test]
fn the_controller_says_what_it_can_do() {
    let bench = Bench::new();
    let data = structure(&mut bench.admin(), 1, 0);
    assert_eq!(data[76], 2, "CMIC: several controllers");
    assert_eq!(data[77], 5, "MDTS: 128 KiB");
    assert_eq!(u32_at(&data, 96), 1, "CTRATT");
    assert_eq!(data[111], 1, "CNTRLTYPE");
    assert_eq!(u16_at(&data, 256), 1, "OACS: security commands");
    assert_eq!(data[258..260], [3, 3], "ACL, AERL");
    assert_eq!(data[261], 6, "LPA");
    assert_eq!(u16_at(&data, 266), 0x157, "WCTEMP");
    assert_eq!(u16_at(&data, 268), 0x175, "CCTEMP");
}

#[test]
fn the_controller_says_which_io_commands_it_has() {
    let bench = Bench::new();
    let data = structure(&mut bench.admin(), 1, 0);
    assert_eq!(data[512..514], [0x66, 0x44], "SQES, CQES");
    assert_eq!(u32_at(&data, 516), 1, "NN");
    assert_eq!(u16_at(&data, 520), 0b1101, "ONCS");
    assert_eq!(data[525], 0b111, "VWC");
    assert_eq!(u32_at(&data, 540), 1, "MNAN");
    assert_eq!(data[1802..1806], [0, 1, 1, 0], "FCATT, MSDBD, OFCS");
}

#[test]
fn a_namespace_has_the_blocks_of_the_drive() {
    for (block_size, exponent) in [(512, 9), (4096, 12)] {
        let bench = Bench::with(1, &options(block_size));
        let data = structure(&mut bench.admin(), 0, 1);
        let blocks = SIZE / u64::from(block_size);
        for offset in [0, 8, 16] {
            assert_eq!(u64_at(&data, offset), blocks, "NSZE, NCAP, NUSE");
        }
        assert_eq!(data[24..27], [0, 0, 0], "NSFEAT, NLBAF, FLBAS");
        assert_eq!(data[30], 1, "NMIC: shared");
        assert_eq!(data[33], 9, "DLFEAT");
        assert_eq!(data[128..132], [0, 0, exponent, 0], "LBAF0");
    }
}

#[test]
fn identifiers_stay_and_are_the_same_in_both_places() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let namespace = structure(&mut queue, 0, 1);
    let descriptors = structure(&mut queue, 3, 1);
    assert_eq!(descriptors[..4], [1, 8, 0, 0]);
    assert_eq!(descriptors[4..12], namespace[120..128], "EUI64");
    assert_eq!(descriptors[12..16], [2, 16, 0, 0]);
    assert_eq!(descriptors[16..32], namespace[104..120], "NGUID");
    assert_eq!(descriptors[32..36], [0; 4]);
    assert_ne!(namespace[104..128], [0; 24]);
    let later = Bench::new();
    assert_eq!(structure(&mut later.admin(), 3, 1), descriptors);
}

#[test]
fn active_namespaces_are_listed() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let list = structure(&mut queue, 2, 0);
    assert_eq!((u32_at(&list, 0), u32_at(&list, 4)), (1, 0));
    assert_eq!(structure(&mut queue, 2, 1), [0; 4096]);
    for nsid in [0xffff_fffe, 0xffff_ffff] {
        queue.identify(2, nsid).refused(0x400b);
    }
}

#[test]
fn other_namespaces_are_invalid() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    for cns in [0, 3, 5] {
        for nsid in [0, 2, 0xffff_ffff] {
            queue.identify(cns, nsid).refused(0x400b);
        }
    }
}

#[test]
fn structures_of_the_command_set_are_empty() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    assert_eq!(structure(&mut queue, 5, 1), [0; 4096]);
    assert_eq!(structure(&mut queue, 6, 0), [0; 4096]);
    for cns in [5, 6] {
        // CSI 2: zoned namespaces.
        let zoned = Sqe::new(6).nsid(1).cdw(10, cns).cdw(11, 2 << 24).sgl(4096);
        queue.get(zoned).refused(0x4002);
    }
}

#[test]
fn other_structures_are_invalid_fields() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    for cns in [4, 7, 8, 0x10, 0x1c, 0xff] {
        queue.identify(cns, 1).refused(0x4002);
    }
}

#[test]
fn the_host_must_have_room() {
    let bench = Bench::new();
    let mut queue = bench.admin();
    let identify = Sqe::new(6).cdw(10, 1);
    queue.get(identify.sgl(4092)).refused(0x400f);
    queue.get(identify.sgl(0x0002_0004)).refused(0x400f);
    queue.get(identify.capsule(4096)).refused(0x4011);
    queue.get(identify.sgl(4096).put(39, &[0])).refused(0x4011);
    assert_eq!(queue.get(identify.sgl(8192)).success().data.len(), 8192);
}
