//! I/O commands on media that are not locked.

use super::{Bench, Queue, SIZE, Sqe, media, options, read, write};

const BLOCKS: u64 = SIZE / 512;
const MISMATCH: u16 = 0x4285;
const OUT_OF_RANGE: u16 = 0x4080;

fn pattern(length: usize) -> Vec<u8> {
    (0..length)
        .map(|n| u8::try_from(n % 251).unwrap())
        .collect()
}

/// Dataset Management of ranges (length, SLBA), in a transfer of 4096 bytes as Linux has it.
fn dataset(queue: &mut Queue, attributes: u32, ranges: &[(u32, u64)]) -> super::Reply {
    let mut data = vec![0; 4096];
    for (chunk, (length, slba)) in data.chunks_mut(16).zip(ranges) {
        chunk[4..8].copy_from_slice(&length.to_le_bytes());
        chunk[8..].copy_from_slice(&slba.to_le_bytes());
    }
    let count = u32::try_from(ranges.len()).unwrap() - 1;
    let sqe = Sqe::new(0x09).nsid(1).cdw(10, count).cdw(11, attributes);
    queue.send(sqe.sgl(4096), &data)
}

#[test]
fn what_was_written_is_read() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let data = pattern(4096);
    // In the capsule, and by the transport.
    let capsule = media(0x01, 8, 8).capsule(4096);
    io.send(capsule, &data).success();
    io.send(write(16, 8), &data).success();
    for lba in [8, 16] {
        assert_eq!(io.get(read(lba, 8)).success().data, data);
    }
    assert_eq!(io.get(read(0, 8)).success().data, [0; 4096]);
    let medium = bench.drives[0].lock().ciphertext(8, 8).unwrap();
    assert_ne!(medium, data);
}

#[test]
fn blocks_of_4096_bytes_work() {
    let bench = Bench::with(1, &options(4096));
    let (_admin, mut io) = bench.host();
    let data = pattern(8192);
    let last = SIZE / 4096 - 2;
    io.send(media(0x01, last, 2).sgl(8192), &data).success();
    let read = io.get(media(0x02, last, 2).sgl(8192)).success();
    assert_eq!(read.data, data);
    io.get(media(0x02, last, 3).sgl(12288))
        .refused(OUT_OF_RANGE);
    io.get(media(0x02, 0, 32).sgl(0x2_0000)).success();
    io.get(media(0x02, 0, 33).sgl(0x2_1000)).refused(0x4002);
}

#[test]
fn media_commands_are_checked_in_order() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let wild = |opcode| media(opcode, BLOCKS, 0x1_0000).sgl(1);
    // Opcode before namespace, namespace before blocks, blocks before MDTS, MDTS before the SGL.
    for opcode in [0x04, 0x0c, 0x0d, 0x19, 0x7e, 0x80, 0xff] {
        io.get(wild(opcode).nsid(9)).refused(0x4001);
    }
    for opcode in [0x01, 0x02, 0x05, 0x08] {
        for nsid in [0, 2, 0xffff_ffff] {
            io.get(wild(opcode).nsid(nsid)).refused(0x400b);
        }
        io.get(wild(opcode)).refused(OUT_OF_RANGE);
    }
    for opcode in [0x01, 0x02, 0x05] {
        io.get(media(opcode, 0, 257).sgl(1)).refused(0x4002);
        io.get(media(opcode, 0, 256).sgl(1)).refused(0x400f);
        io.get(media(opcode, 0, 1).sgl(0)).refused(0x400f);
        io.get(media(opcode, 0, 1).sgl(1024)).refused(0x400f);
        io.get(media(opcode, 0, 1).sgl(512).put(39, &[0x40]))
            .refused(0x4011);
    }
}

#[test]
fn every_block_is_within_the_namespace() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    io.get(read(BLOCKS - 1, 1)).success();
    for (lba, blocks) in [(BLOCKS - 1, 2), (BLOCKS, 1), (u64::MAX, 1), (u64::MAX, 2)] {
        io.get(read(lba, blocks)).refused(OUT_OF_RANGE);
        io.get(media(0x08, lba, blocks)).refused(OUT_OF_RANGE);
    }
}

#[test]
fn a_write_of_one_mebibyte_is_beyond_mdts() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    io.get(write(0, 2048)).refused(0x4002);
    let data = pattern(0x2_0000);
    io.send(write(0, 256), &data).success();
    assert_eq!(io.get(read(0, 256)).success().data, data);
}

#[test]
fn a_capsule_holds_at_most_8_kib() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let capsule = |blocks: u32| media(0x01, 0, blocks).capsule(blocks * 512);
    io.send(capsule(16), &pattern(8192)).success();
    io.get(capsule(17)).refused(0x400f);
    // An offset into the capsule.
    io.get(capsule(1).put(24, &[8])).refused(0x4016);
}

#[test]
fn a_write_needs_all_its_data() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let short = io.pair.execute(&write(0, 1).command(), &[7; 511]);
    let expected = super::super::Outcome::Done {
        completion: super::super::Status(0x4004).into(),
        data: Vec::new(),
    };
    assert_eq!(short, expected);
    assert_eq!(io.get(read(0, 1)).success().data, [0; 512]);
}

#[test]
fn directives_are_refused() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let stream = write(0, 1).cdw(12, 1 << 20).sgl(512);
    io.get(stream).refused(0x4002);
}

#[test]
fn flush_takes_one_namespace_or_all() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    for nsid in [1, 0xffff_ffff] {
        io.get(Sqe::new(0x00).nsid(nsid)).success();
    }
    for nsid in [0, 2] {
        io.get(Sqe::new(0x00).nsid(nsid)).refused(0x400b);
    }
}

#[test]
fn fua_is_taken_with_and_without_the_cache() {
    let bench = Bench::new();
    let (mut admin, mut io) = bench.host();
    for cache in [1, 0] {
        admin.set_feature(6, cache).success();
        for fua in [0, 1 << 30] {
            io.send(write(0, 1).cdw(12, fua), &[5; 512]).success();
            assert_eq!(io.get(read(0, 1).cdw(12, fua)).success().data, [5; 512]);
            io.get(media(0x08, 0, 1).cdw(12, fua)).success();
        }
    }
}

#[test]
fn write_zeroes_leaves_zeros() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    for deallocate in [0, 1 << 25] {
        io.send(write(0, 4), &[9; 2048]).success();
        io.get(media(0x08, 1, 2).cdw(12, 1 | deallocate)).success();
        let data = io.get(read(0, 4)).success().data;
        assert_eq!(data[..512], [9; 512]);
        assert_eq!(data[512..1536], [0; 1024]);
        assert_eq!(data[1536..], [9; 512]);
    }
    // It moves no data, so that MDTS does not bound it.
    io.get(media(0x08, 0, 0x4000)).success();
}

#[test]
fn dataset_management_deallocates_its_ranges_only() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    io.send(write(0, 8), &[9; 4096]).success();
    dataset(&mut io, 1 << 2, &[(1, 0), (0, 5), (2, 6)]).success();
    let data = io.get(read(0, 8)).success().data;
    let is_zero = data.chunks(512).map(|block| block == [0; 512]);
    let expected = [true, false, false, false, false, false, true, true];
    assert_eq!(is_zero.collect::<Vec<_>>(), expected);
    // Hints change nothing.
    dataset(&mut io, 1 << 1, &[(8, 0)]).success();
    assert_ne!(io.get(read(1, 1)).success().data, [0; 512]);
}

#[test]
fn dataset_management_is_all_or_nothing() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    io.send(write(0, 1), &[9; 512]).success();
    let beyond = [(1, 0), (1, BLOCKS)];
    dataset(&mut io, 1 << 2, &beyond).refused(OUT_OF_RANGE);
    dataset(&mut io, 0, &beyond).refused(OUT_OF_RANGE);
    assert_eq!(io.get(read(0, 1)).success().data, [9; 512]);
    // Two ranges, and data for one.
    let short = Sqe::new(0x09).nsid(1).cdw(10, 1).cdw(11, 4).sgl(16);
    io.get(short).refused(0x400f);
    dataset(&mut io, 1 << 2, &vec![(1, 0); 256]).success();
    assert_eq!(io.get(read(0, 1)).success().data, [0; 512]);
}

#[test]
fn compare_tells_a_difference() {
    let bench = Bench::new();
    let (_admin, mut io) = bench.host();
    let mut data = pattern(1024);
    io.send(write(3, 2), &data).success();
    let compare = media(0x05, 3, 2).sgl(1024);
    io.send(compare, &data).success();
    data[1023] ^= 1;
    io.send(compare, &data).refused(MISMATCH);
}

#[test]
fn hosts_share_the_drive() {
    let bench = Bench::new();
    let (_admin, mut first) = bench.host();
    let mut admin = bench.admin();
    let mut second = bench.io_queue(&mut admin, 1);
    first.send(write(0, 1), &[3; 512]).success();
    assert_eq!(second.get(read(0, 1)).success().data, [3; 512]);
}
