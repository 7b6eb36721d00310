use super::*;
use crate::vdrive::serve::scsi::Status;

const MAPPING: usize = 64 << 10;
const RING: usize = 128;
const SIZE: u32 = 1024;
/// Where the data area begins.
const DATA: u64 = 4096;

/// The kernel's side of a ring, laid out by hand.
struct Kernel {
    region: MmapRegion,
}

impl Kernel {
    fn new() -> Self {
        let kernel = Self {
            region: MmapRegion::new(MAPPING).unwrap(),
        };
        kernel.put(0, &2_u16.to_ne_bytes());
        kernel.put(2, &0b10_u16.to_ne_bytes());
        kernel.put_u32(4, 128);
        kernel.put_u32(8, SIZE);
        kernel
    }

    fn put(&self, at: usize, bytes: &[u8]) {
        let memory = self.region.as_volatile_slice();
        memory.write_slice(bytes, at).unwrap();
    }

    fn put_u32(&self, at: usize, value: u32) {
        self.put(at, &value.to_ne_bytes());
    }

    fn put_u64(&self, at: usize, value: u64) {
        self.put(at, &value.to_ne_bytes());
    }

    fn set_head(&self, head: u32) {
        self.put_u32(12, head);
    }

    /// Puts a command of 128 bytes into the ring: a READ (6) CDB behind its iovecs.
    fn command(&self, at: usize, iovecs: &[(u64, u64)]) {
        let entry = RING + at;
        self.put_u32(entry, 128 | 1);
        self.put(entry + 4, &[7, 0, 0, 0]);
        self.put_u32(entry + 8, u32::try_from(iovecs.len()).unwrap());
        let cdb = entry + 112;
        self.put_u64(entry + 24, u64::try_from(cdb).unwrap());
        for (index, (base, length)) in iovecs.iter().enumerate() {
            self.put_u64(entry + 48 + index * 16, *base);
            self.put_u64(entry + 56 + index * 16, *length);
        }
        self.put(cdb, &[0x08, 0, 0, 0, 1, 0]);
    }

    /// Reads through the handler's mapping, which has taken over this one.
    fn get(ring: &Ring, at: usize, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        ring.memory().read_slice(&mut bytes, at).unwrap();
        bytes
    }

    fn ring(self) -> Ring {
        Ring::new(self.region).unwrap()
    }

    fn fails(self) -> RingError {
        let mut ring = match Ring::new(self.region) {
            Ok(ring) => ring,
            Err(error) => return error,
        };
        ring.next().unwrap_err()
    }
}

fn response(status: Status, sense: &[u8], data_in: &[u8]) -> Response {
    Response {
        status,
        sense: sense.to_vec(),
        data_in: data_in.to_vec(),
    }
}

#[test]
fn a_command_is_taken_and_answered_in_place() {
    let kernel = Kernel::new();
    kernel.command(0, &[(DATA, 8), (DATA + 100, 4)]);
    kernel.put(4096, b"abcdefgh");
    kernel.put(4196, b"ijkl");
    kernel.set_head(128);
    let mut ring = kernel.ring();
    let command = ring.next().unwrap().unwrap();
    assert_eq!(command.cdb[..6], [0x08, 0, 0, 0, 1, 0]);
    assert_eq!(command.data, b"abcdefghijkl");
    let answer = response(Status::Good, &[], b"0123456789");
    ring.complete(&command, &answer).unwrap();
    assert_eq!(Kernel::get(&ring, 4096, 8), b"01234567");
    assert_eq!(Kernel::get(&ring, 4196, 4), b"89kl");
    // GOOD, ten bytes of data, and the flag that says so; the tail has moved.
    assert_eq!(Kernel::get(&ring, RING + 7, 2), [0b10, 0]);
    assert_eq!(Kernel::get(&ring, RING + 12, 4), 10_u32.to_ne_bytes());
    assert_eq!(Kernel::get(&ring, 64, 4), 128_u32.to_ne_bytes());
    assert_eq!(ring.next().unwrap(), None);
}

#[test]
fn sense_data_are_padded_and_say_whether_data_came_too() {
    let kernel = Kernel::new();
    kernel.command(0, &[(DATA, 8)]);
    kernel.command(128, &[(DATA, 8)]);
    kernel.set_head(256);
    let mut ring = kernel.ring();
    let command = ring.next().unwrap().unwrap();
    let answer = response(Status::CheckCondition, &[0x70, 0, 7], &[]);
    ring.complete(&command, &answer).unwrap();
    assert_eq!(Kernel::get(&ring, RING + 7, 2), [0, 2]);
    let sense = Kernel::get(&ring, RING + 16, 96);
    assert_eq!(sense[..3], [0x70, 0, 7]);
    assert!(sense[3..].iter().all(|&byte| byte == 0));
    let command = ring.next().unwrap().unwrap();
    let answer = response(Status::CheckCondition, &[0x72, 1, 0, 0x1d], &[5; 8]);
    ring.complete(&command, &answer).unwrap();
    assert_eq!(Kernel::get(&ring, RING + 128 + 7, 2), [0b10, 2]);
}

#[test]
fn a_kernel_that_cannot_take_a_length_gets_none() {
    let kernel = Kernel::new();
    kernel.put(2, &[0, 0]);
    kernel.command(0, &[(DATA, 8)]);
    kernel.set_head(128);
    let mut ring = kernel.ring();
    let command = ring.next().unwrap().unwrap();
    ring.complete(&command, &response(Status::Good, &[], &[1; 8]))
        .unwrap();
    assert_eq!(Kernel::get(&ring, RING + 7, 1), [0]);
}

#[test]
fn the_ring_wraps_at_a_pad_and_skips_what_it_does_not_know() {
    let kernel = Kernel::new();
    kernel.put_u32(64, 896);
    // An unknown operation, a pad to the end, then a command at the start.
    kernel.put_u32(RING + 896, 64 | 5);
    kernel.put_u32(RING + 960, 64);
    kernel.command(0, &[]);
    kernel.set_head(128);
    let mut ring = kernel.ring();
    let command = ring.next().unwrap().unwrap();
    assert_eq!((command.at, command.data.len()), (0, 0));
    assert_eq!(Kernel::get(&ring, RING + 896 + 7, 1), [1]);
    assert_eq!(Kernel::get(&ring, 64, 4), 0_u32.to_ne_bytes());
}

#[test]
fn a_new_handler_goes_on_where_the_old_one_ended() {
    let kernel = Kernel::new();
    kernel.put_u32(64, 128);
    kernel.command(128, &[(DATA, 16)]);
    kernel.set_head(256);
    let command = kernel.ring().next().unwrap().unwrap();
    assert_eq!(command.at, 128);
}

#[test]
fn mailboxes_that_make_no_sense_are_refused() {
    let with = |change: fn(&Kernel)| {
        let kernel = Kernel::new();
        change(&kernel);
        kernel.fails()
    };
    assert_eq!(
        with(|k| k.put(0, &1_u16.to_ne_bytes())),
        RingError::Version(1)
    );
    let ring = |offset, size| RingError::Ring { offset, size };
    assert_eq!(with(|k| k.put_u32(4, 0)), ring(0, SIZE));
    assert_eq!(with(|k| k.put_u32(4, 132)), ring(132, SIZE));
    assert_eq!(with(|k| k.put_u32(4, 0xffff_fff8)), ring(0xffff_fff8, SIZE));
    assert_eq!(with(|k| k.put_u32(8, 0)), ring(128, 0));
    assert_eq!(with(|k| k.put_u32(8, 65416)), ring(128, 65416));
    assert_eq!(with(|k| k.put_u32(8, 0xffff_fff8)), ring(128, 0xffff_fff8));
    assert_eq!(with(|k| k.put_u32(64, SIZE)), RingError::Index(SIZE));
    assert_eq!(with(|k| k.put_u32(64, 4)), RingError::Index(4));
    assert_eq!(with(|k| k.set_head(SIZE)), RingError::Index(SIZE));
    assert_eq!(
        with(|k| k.set_head(0xffff_fff8)),
        RingError::Index(0xffff_fff8)
    );
}

#[test]
fn a_mapping_without_room_for_a_mailbox_is_refused() {
    let region = MmapRegion::new(16).unwrap();
    region.as_volatile_slice().write_obj(2_u16, 0).unwrap();
    assert!(Ring::new(region).is_err());
}

#[test]
fn entries_that_lie_about_their_length_are_refused() {
    let with = |at: u32, word: u32| {
        let kernel = Kernel::new();
        kernel.put_u32(64, at);
        kernel.put_u32(RING + wide(at), word);
        kernel.set_head(if at == 0 { 128 } else { 0 });
        kernel.fails()
    };
    let entry = |at, length| RingError::Entry { at, length };
    assert_eq!(with(0, 0), entry(0, 0));
    assert_eq!(with(0, 1), entry(0, 0));
    assert_eq!(with(0, 104 | 1), entry(0, 104));
    assert_eq!(with(0, 0xffff_fff8 | 1), entry(0, 0xffff_fff8));
    assert_eq!(with(960, 128 | 1), entry(960, 128));
    assert_eq!(with(1016, 16), entry(1016, 16));
}

#[test]
fn offsets_outside_of_the_mapping_are_refused() {
    let with = |iovecs: &[(u64, u64)]| {
        let kernel = Kernel::new();
        kernel.command(0, iovecs);
        kernel.set_head(128);
        kernel.fails()
    };
    assert_eq!(with(&[(65536, 1)]), RingError::Outside);
    assert_eq!(with(&[(65535, 2)]), RingError::Outside);
    assert_eq!(with(&[(u64::MAX, 1)]), RingError::Outside);
    assert_eq!(with(&[(u64::MAX, u64::MAX)]), RingError::Outside);
    assert_eq!(with(&[(0, u64::MAX)]), RingError::Outside);
    // Each fits, but together they are more than there is.
    assert_eq!(with(&[(0, 40000), (0, 40000)]), RingError::Outside);
}

#[test]
fn iovecs_and_cdbs_must_lie_in_their_places() {
    let with = |field: usize, value: &[u8]| {
        let kernel = Kernel::new();
        kernel.command(0, &[]);
        kernel.put(RING + field, value);
        kernel.set_head(128);
        kernel.fails()
    };
    let entry = RingError::Entry { at: 0, length: 128 };
    assert_eq!(with(8, &6_u32.to_ne_bytes()), entry);
    assert_eq!(with(8, &u32::MAX.to_ne_bytes()), entry);
    assert_eq!(with(24, &65536_u64.to_ne_bytes()), RingError::Outside);
    assert_eq!(with(24, &u64::MAX.to_ne_bytes()), RingError::Outside);
}

#[test]
fn a_cdb_at_the_very_end_is_short() {
    let kernel = Kernel::new();
    kernel.command(0, &[]);
    kernel.put_u64(RING + 24, 65530);
    kernel.set_head(128);
    assert_eq!(kernel.ring().next().unwrap().unwrap().cdb.len(), 6);
}
