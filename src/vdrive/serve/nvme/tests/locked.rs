//! I/O commands on media that are locked, by TCG commands through the controller (\[Core\] tables
//! 230 and 231).

use super::security::{base_com_id, padded, synchronised, tcg};
use super::{Bench, Queue, Sqe, media, options, read, write};
use crate::spec::column::{locking, mbr_control};
use crate::spec::{ComId, Hsn, RangeNumber, Tsn, Uid, method, uid};
use crate::wire::packet::ComPacket;
use crate::wire::{MethodCall, MethodResponse, Value};

const ACCESS_DENIED: u16 = 0x4286;
const HSN: Hsn = Hsn(0x41);

/// A TCG session.
struct Session<'q> {
    queue: &'q mut Queue,
    com_id: ComId,
    tsn: Tsn,
}

impl<'q> Session<'q> {
    /// A session as an authority whose PIN is still MSID's.
    fn open(queue: &'q mut Queue, bench: &Bench, sp: Uid, authority: Uid) -> Self {
        let com_id = base_com_id(bench);
        let msid = bench.drives[0].lock().label().msid.clone();
        let call = MethodCall::new(uid::SESSION_MANAGER, method::START_SESSION)
            .argument(u64::from(HSN.0))
            .argument(sp)
            .argument(true)
            .optional(0, msid.as_str())
            .optional(3, authority);
        let mut session = Self {
            queue,
            com_id,
            tsn: Tsn(0),
        };
        let data = session.exchange(Hsn(0), &call.encode());
        session.tsn = synchronised(&data);
        session
    }

    fn exchange(&mut self, hsn: Hsn, tokens: &[u8]) -> Vec<u8> {
        let data = padded(self.com_id, self.tsn, hsn, tokens);
        self.queue.security_send(tcg(self.com_id), &data).success();
        self.queue.receive(tcg(self.com_id), 2048).success().data
    }

    fn call(&mut self, call: &MethodCall) {
        let data = self.exchange(HSN, &call.encode());
        let com_packet = ComPacket::decode(&data).unwrap();
        let tokens = com_packet.packets[0].tokens();
        let response = MethodResponse::decode(&tokens).unwrap();
        assert_eq!(response.status.0, 0, "{call:?}");
    }

    fn set(&mut self, row: Uid, columns: &[(u64, u64)]) {
        let columns = columns.iter();
        let columns = columns.map(|(column, value)| Value::named(*column, *value));
        self.call(&MethodCall::new(row, method::SET).optional(1, Value::list(columns)));
    }

    fn end(mut self) {
        let data = self.exchange(HSN, &[0xfa]);
        let com_packet = ComPacket::decode(&data).unwrap();
        assert_eq!(*com_packet.packets[0].tokens(), [0xfa]);
    }
}

/// A host of a drive whose Locking SP is active.
fn active(bench: &Bench) -> (Queue, Queue) {
    let (mut admin, io) = bench.host();
    let mut session = Session::open(&mut admin, bench, uid::ADMIN_SP, uid::SID);
    session.call(&MethodCall::new(uid::LOCKING_SP, method::ACTIVATE));
    session.end();
    (admin, io)
}

fn set(bench: &Bench, admin: &mut Queue, row: Uid, columns: &[(u64, u64)]) {
    let mut session = Session::open(admin, bench, uid::LOCKING_SP, uid::ADMIN1);
    session.set(row, columns);
    session.end();
}

const RANGE_1: Uid = uid::locking_range(RangeNumber(1));

const LOCKED: [(u64, u64); 4] = [
    (locking::READ_LOCK_ENABLED, 1),
    (locking::WRITE_LOCK_ENABLED, 1),
    (locking::READ_LOCKED, 1),
    (locking::WRITE_LOCKED, 1),
];

/// Range 1: blocks 4096 to 8191.
fn make_range_1(bench: &Bench, admin: &mut Queue) {
    let place = [(locking::RANGE_START, 4096), (locking::RANGE_LENGTH, 4096)];
    set(bench, admin, RANGE_1, &place);
}

#[test]
fn a_locked_range_refuses_every_command_that_moves_its_data() {
    let bench = Bench::new();
    let (mut admin, mut io) = active(&bench);
    make_range_1(&bench, &mut admin);
    io.send(write(4096, 1), &[7; 512]).success();
    io.send(write(0, 1), &[7; 512]).success();
    set(&bench, &mut admin, RANGE_1, &LOCKED);
    io.get(read(4096, 1)).refused(ACCESS_DENIED);
    io.get(read(8191, 1)).refused(ACCESS_DENIED);
    io.send(write(4096, 1), &[8; 512]).refused(ACCESS_DENIED);
    let compare = media(0x05, 4096, 1).sgl(512);
    io.send(compare, &[7; 512]).refused(ACCESS_DENIED);
    io.get(media(0x08, 4096, 1)).refused(ACCESS_DENIED);
    // Crossing into it, from both sides.
    for lba in [4095, 8191] {
        io.get(read(lba, 2)).refused(ACCESS_DENIED);
        io.send(write(lba, 2), &[8; 1024]).refused(ACCESS_DENIED);
        io.get(media(0x08, lba, 2)).refused(ACCESS_DENIED);
    }
    io.get(media(0x08, 0, 0x4000)).refused(ACCESS_DENIED);
    // Flush, and the rest of the drive.
    io.get(Sqe::new(0).nsid(1)).success();
    assert_eq!(io.get(read(0, 1)).success().data, [7; 512]);
    assert_eq!(io.get(read(8192, 1)).success().data, [0; 512]);
    let unlocked = [(locking::READ_LOCKED, 0)];
    set(&bench, &mut admin, RANGE_1, &unlocked);
    assert_eq!(io.get(read(4096, 1)).success().data, [7; 512]);
    io.send(write(4096, 1), &[8; 512]).refused(ACCESS_DENIED);
}

#[test]
fn dataset_management_with_a_locked_range_changes_nothing() {
    let bench = Bench::new();
    let (mut admin, mut io) = active(&bench);
    io.send(write(0, 1), &[7; 512]).success();
    make_range_1(&bench, &mut admin);
    set(&bench, &mut admin, RANGE_1, &LOCKED);
    let mut data = [0; 4096];
    data[4] = 1;
    data[20] = 1;
    data[24..32].copy_from_slice(&4096_u64.to_le_bytes());
    let deallocate = Sqe::new(0x09).nsid(1).cdw(10, 1).sgl(4096);
    io.send(deallocate.cdw(11, 4), &data).refused(ACCESS_DENIED);
    assert_eq!(io.get(read(0, 1)).success().data, [7; 512]);
    // A hint alters nothing.
    io.send(deallocate.cdw(11, 1), &data).success();
}

#[test]
fn crossing_unlocked_ranges_is_an_invalid_field_if_the_drive_terminates_it() {
    for crossing_terminates in [false, true] {
        let mut options = options(512);
        options.profile.locking.crossing_terminates = crossing_terminates;
        let bench = Bench::with(1, &options);
        let (mut admin, mut io) = active(&bench);
        make_range_1(&bench, &mut admin);
        let expected = if crossing_terminates { 0x4002 } else { 0 };
        assert_eq!(io.get(read(4095, 2)).status, expected);
        assert_eq!(io.send(write(4095, 2), &[1; 1024]).status, expected);
        assert_eq!(io.get(media(0x08, 8191, 2)).status, expected);
        io.get(read(4095, 1)).success();
    }
}

#[test]
fn the_shadow_mbr_is_read_and_not_written() {
    let mut options = options(512);
    options.profile.locking.mbr_size = 128 << 20;
    let bench = Bench::with(1, &options);
    let (mut admin, mut io) = active(&bench);
    io.send(write(0, 1), &[7; 512]).success();
    let shadow = [(mbr_control::ENABLE, 1), (mbr_control::DONE, 0)];
    set(&bench, &mut admin, uid::MBR_CONTROL, &shadow);
    assert_eq!(io.get(read(0, 1)).success().data, [0; 512]);
    io.send(write(0, 1), &[8; 512]).refused(ACCESS_DENIED);
    io.get(media(0x08, 0, 1)).refused(ACCESS_DENIED);
    set(
        &bench,
        &mut admin,
        uid::MBR_CONTROL,
        &[(mbr_control::DONE, 1)],
    );
    assert_eq!(io.get(read(0, 1)).success().data, [7; 512]);
}

#[test]
fn a_power_cycle_locks_and_a_controller_reset_does_not() {
    let bench = Bench::new();
    let (mut admin, io) = active(&bench);
    let enabled = [
        (locking::READ_LOCK_ENABLED, 1),
        (locking::WRITE_LOCK_ENABLED, 1),
    ];
    set(&bench, &mut admin, uid::LOCKING_GLOBAL_RANGE, &enabled);
    drop(io);
    admin.set_cc(super::DISABLED);
    admin.set_cc(super::ENABLED);
    let mut io = bench.io_queue(&mut admin, 1);
    io.get(read(0, 1)).success();
    drop((admin, io));
    let (_admin, mut io) = bench.host();
    io.get(read(0, 1)).success();
    bench.drives[0].power_cycle().unwrap();
    bench.port.lose_power(0);
    let (_admin, mut io) = bench.host();
    io.get(read(0, 1)).refused(ACCESS_DENIED);
    io.send(write(0, 1), &[1; 512]).refused(ACCESS_DENIED);
}
