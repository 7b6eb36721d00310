use super::*;
use crate::spec::{ComId, Hsn, Tsn, method, uid};
use crate::vdrive::CreateOptions;
use crate::vdrive::profile::AtaSecurityState;
use crate::vdrive::serve::testing::{drive, drive_4kn, locked_drive};
use crate::wire::MethodCall;
use crate::wire::packet::ComPacket;

/// Room for any answer here.
const ROOM: usize = 64 << 10;

/// A unit that has told of its power-on.
fn ready(drive: Arc<SharedDrive>, face: Face) -> LogicalUnit {
    let mut unit = LogicalUnit::new(drive, face);
    assert_eq!(refusal(&mut unit, &[0; 6], &[]), (6, 0x29, 0x00));
    unit
}

fn sas() -> LogicalUnit {
    ready(drive(), Face::Sas)
}

fn sat() -> LogicalUnit {
    ready(drive(), Face::Sat)
}

fn send(unit: &mut LogicalUnit, cdb: &[u8], data: &[u8]) -> Vec<u8> {
    let response = unit.execute(cdb, data, ROOM);
    assert_eq!(response.status, Status::Good, "{cdb:02x?} {response:02x?}");
    assert!(response.sense.is_empty(), "{cdb:02x?}");
    response.data_in
}

fn ask(unit: &mut LogicalUnit, cdb: &[u8]) -> Vec<u8> {
    send(unit, cdb, &[])
}

/// Sense key, code and qualifier of a refused command, in whichever format they came.
fn refusal(unit: &mut LogicalUnit, cdb: &[u8], data: &[u8]) -> (u8, u8, u8) {
    let response = unit.execute(cdb, data, ROOM);
    assert_eq!(response.status, Status::CheckCondition, "{cdb:02x?}");
    assert!(response.data_in.is_empty(), "{cdb:02x?}");
    match response.sense.as_slice() {
        [
            0x70,
            0,
            key,
            0,
            0,
            0,
            0,
            10,
            0,
            0,
            0,
            0,
            asc,
            ascq,
            0,
            0,
            0,
            0,
        ] => (*key, *asc, *ascq),
        [0x72, key, asc, ascq, ..] => (*key, *asc, *ascq),
        other => panic!("sense {other:02x?}"),
    }
}

fn refused(unit: &mut LogicalUnit, cdb: &[u8]) -> (u8, u8, u8) {
    refusal(unit, cdb, &[])
}

const OPCODE: (u8, u8, u8) = (5, 0x20, 0x00);
const FIELD: (u8, u8, u8) = (5, 0x24, 0x00);
const RANGE: (u8, u8, u8) = (5, 0x21, 0x00);
const LOCKED: (u8, u8, u8) = (7, 0x20, 0x02);

#[test]
fn the_first_command_and_the_one_after_a_power_cycle_get_a_unit_attention() {
    let drive = drive();
    let mut unit = ready(Arc::clone(&drive), Face::Sas);
    assert!(ask(&mut unit, &[0; 6]).is_empty());
    drive.power_cycle().unwrap();
    // INQUIRY and REPORT LUNS neither tell nor clear it; REQUEST SENSE does both.
    assert_eq!(ask(&mut unit, &[0x12, 0, 0, 0, 36, 0]).len(), 36);
    assert_eq!(
        ask(&mut unit, &[0xa0, 0, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0])[3],
        8
    );
    let sense = ask(&mut unit, &[0x03, 0, 0, 0, 252, 0]);
    assert_eq!((sense[0], sense[2], sense[12]), (0x70, 6, 0x29));
    let sense = ask(&mut unit, &[0x03, 1, 0, 0, 252, 0]);
    assert_eq!(sense, [0x72, 0, 0, 0, 0, 0, 0, 0]);
    drive.power_cycle().unwrap();
    assert_eq!(refused(&mut unit, &[0; 6]), (6, 0x29, 0x00));
    assert!(ask(&mut unit, &[0; 6]).is_empty());
}

#[test]
fn unknown_operation_codes_actions_and_short_cdbs_are_refused() {
    let mut unit = sas();
    assert_eq!(refused(&mut unit, &[0xff; 16]), OPCODE);
    assert_eq!(refused(&mut unit, &[0x04, 0, 0, 0, 0, 0]), OPCODE);
    let mut cdb = [0; 16];
    (cdb[0], cdb[1]) = (0x9e, 0x11);
    assert_eq!(refused(&mut unit, &cdb), FIELD);
    assert_eq!(refused(&mut unit, &[0x28, 0, 0]), FIELD);
    assert_eq!(refused(&mut unit, &[]), FIELD);
}

#[test]
fn inquiry_names_the_drive() {
    let data = ask(&mut sas(), &[0x12, 0, 0, 0, 96, 0]);
    assert_eq!(data[..8], [0x00, 0, 0x06, 0x12, 91, 0, 0, 0x02]);
    assert_eq!(&data[8..36], b"SEDKIT  sedkit virtual d1.0 ");
    assert_eq!(data[58..64], [0x00, 0xa0, 0x04, 0x60, 0x04, 0xc0]);
    assert_eq!(data.len(), 96);
    let data = ask(&mut sat(), &[0x12, 0, 0, 0, 36, 0]);
    assert_eq!(&data[8..36], b"ATA     sedkit virtual d1.0 ");
    assert_eq!(refused(&mut sas(), &[0x12, 0, 0x80, 0, 36, 0]), FIELD);
}

#[test]
fn vital_product_data_identify_the_drive() {
    let mut unit = sas();
    let mut page = |page| ask(&mut unit, &[0x12, 1, page, 0x02, 0, 0]);
    assert_eq!(page(0x00), [0, 0, 0, 6, 0x00, 0x80, 0x83, 0xb0, 0xb1, 0xb2]);
    assert_eq!(page(0x80), b"\x00\x80\x00\x14VD0000000001        ");
    let identification = page(0x83);
    assert_eq!(identification[..8], [0, 0x83, 0, 60, 0x02, 0x01, 0, 44]);
    let name = b"SEDKIT  sedkit virtual dVD0000000001        ";
    assert_eq!(&identification[8..52], name);
    // NAA 3h: a binary designator of the logical unit, 8 bytes.
    assert_eq!(identification[52..56], [0x01, 0x03, 0, 8]);
    assert_eq!(identification[56] >> 4, 3);
    assert_eq!(identification.len(), 64);
    assert_eq!(page(0xb1)[..6], [0, 0xb1, 0, 60, 0x00, 0x01]);
    // Thin provisioning: UNMAP, WRITE SAME (16) and (10) unmap, blocks read as zeros.
    assert_eq!(page(0xb2), [0, 0xb2, 0, 4, 0, 0xe4, 2, 0]);
    assert_eq!(refused(&mut sas(), &[0x12, 1, 0x89, 2, 0, 0]), FIELD);
}

#[test]
fn block_limits_count_in_blocks() {
    let limits = |mut unit: LogicalUnit| ask(&mut unit, &[0x12, 1, 0xb0, 0, 0xff, 0]);
    let page = limits(sas());
    assert_eq!(page[..5], [0, 0xb0, 0, 60, 1]);
    assert_eq!(page[8..12], 32768_u32.to_be_bytes());
    assert_eq!(page[20..28], [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 1]);
    assert_eq!(page[36..44], 32768_u64.to_be_bytes());
    let page = limits(ready(drive_4kn(), Face::Sas));
    assert_eq!(page[8..12], 4096_u32.to_be_bytes());
}

#[test]
fn capacity_is_the_last_block() {
    let read_16 = [0x9e, 0x10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 32, 0, 0];
    let mut unit = sas();
    let data = ask(&mut unit, &[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(data, [0x00, 0x01, 0xff, 0xff, 0, 0, 0x02, 0x00]);
    let data = ask(&mut unit, &read_16);
    assert_eq!(data[..12], [0, 0, 0, 0, 0x00, 0x01, 0xff, 0xff, 0, 0, 2, 0]);
    assert_eq!((data[14], data.len()), (0xc0, 32));
    let data = ask(&mut ready(drive_4kn(), Face::Sas), &read_16);
    assert_eq!(data[..12], [0, 0, 0, 0, 0, 0, 0x3f, 0xff, 0, 0, 0x10, 0]);
}

#[test]
fn every_length_of_read_and_write_reaches_the_same_blocks() {
    let mut unit = sas();
    let block = |byte| [byte; 512];
    send(&mut unit, &[0x0a, 0, 0x12, 0x34, 1, 0], &block(1));
    send(
        &mut unit,
        &[0x2a, 0, 0, 0, 0x12, 0x35, 0, 0, 1, 0],
        &block(2),
    );
    send(
        &mut unit,
        &[0xaa, 0, 0, 0, 0x12, 0x36, 0, 0, 0, 1, 0, 0],
        &block(3),
    );
    let mut write = [0x8a, 0x08, 0, 0, 0, 0, 0, 0, 0x12, 0x37, 0, 0, 0, 1, 0, 0];
    send(&mut unit, &write, &block(4));
    let expected: Vec<u8> = (1..=4).flat_map(block).collect();
    assert_eq!(ask(&mut unit, &[0x08, 0, 0x12, 0x34, 4, 0]), expected);
    let read_10 = [0x28, 0x08, 0, 0, 0x12, 0x34, 0, 0, 4, 0];
    assert_eq!(ask(&mut unit, &read_10), expected);
    let read_12 = [0xa8, 0, 0, 0, 0x12, 0x34, 0, 0, 0, 4, 0, 0];
    assert_eq!(ask(&mut unit, &read_12), expected);
    (write[0], write[9], write[13]) = (0x88, 0x34, 4);
    assert_eq!(ask(&mut unit, &write), expected);
    // A length of zero is 256 blocks in the 6-byte commands, and nothing in the others.
    let response = unit.execute(&[0x08, 0, 0, 0, 0, 0], &[], 1 << 20);
    assert_eq!(response.data_in.len(), 256 * 512);
    assert!(ask(&mut unit, &[0x28, 0, 0, 0, 0, 0, 0, 0, 0, 0]).is_empty());
}

#[test]
fn data_never_exceed_the_hosts_room() {
    let mut unit = sas();
    let response = unit.execute(&[0x28, 0, 0, 0, 0, 0, 0, 0, 8, 0], &[], 100);
    assert_eq!(response.data_in.len(), 100);
    let response = unit.execute(
        &[0xa2, 1, 0, 1, 0, 0, 0xff, 0xff, 0xff, 0xff, 0, 0],
        &[],
        64,
    );
    assert!(response.data_in.len() <= 64);
}

#[test]
fn medium_commands_check_range_length_and_protection() {
    let mut unit = sas();
    let last = [0x28, 0, 0, 0x01, 0xff, 0xff, 0, 0, 1, 0];
    assert_eq!(ask(&mut unit, &last).len(), 512);
    let beyond = [0x28, 0, 0, 0x01, 0xff, 0xff, 0, 0, 2, 0];
    assert_eq!(refused(&mut unit, &beyond), RANGE);
    let mut huge = [0xff; 16];
    (huge[0], huge[1]) = (0x88, 0);
    assert_eq!(refused(&mut unit, &huge), RANGE);
    // More than MAXIMUM TRANSFER LENGTH.
    let long = [0xa8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x01, 0, 0];
    assert_eq!(refused(&mut unit, &long), FIELD);
    assert_eq!(
        refused(&mut unit, &[0x28, 0x20, 0, 0, 0, 0, 0, 0, 1, 0]),
        FIELD
    );
    // Fewer data than the CDB says: DATA PHASE ERROR.
    let write = [0x2a, 0, 0, 0, 0, 0, 0, 0, 2, 0];
    assert_eq!(refusal(&mut unit, &write, &[0; 1023]), (0xb, 0x4b, 0x00));
}

#[test]
fn locked_blocks_are_refused_with_data_protect() {
    let mut unit = ready(locked_drive(), Face::Sas);
    let block = [0; 512];
    assert_eq!(
        refused(&mut unit, &[0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
        LOCKED
    );
    let write = [0x2a, 0, 0, 0, 0, 0, 0, 0, 1, 0];
    assert_eq!(refusal(&mut unit, &write, &block), LOCKED);
    assert_eq!(
        refused(&mut unit, &[0x2f, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
        LOCKED
    );
    let write_same = [0x93, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0];
    assert_eq!(refusal(&mut unit, &write_same, &block), LOCKED);
    let list = [&[0, 22, 0, 16, 0, 0, 0, 0][..], &[0; 11], &[8], &[0; 4]].concat();
    let unmap = [0x42, 0, 0, 0, 0, 0, 0, 0, 24, 0];
    assert_eq!(refusal(&mut unit, &unmap, &list), LOCKED);
    // Identity, capacity and flush are for everybody.
    ask(&mut unit, &[0x25, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    ask(&mut unit, &[0x35, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    // Level 0 Discovery says so too: Locking feature, Locked.
    let level_0 = ask(&mut unit, &[0xa2, 1, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(level_0[68] & 0x07, 0x07);
}

#[test]
fn verify_reads_and_compares() {
    let mut unit = sas();
    let data: Vec<u8> = [[7; 512], [8; 512]].concat();
    send(&mut unit, &[0x2a, 0, 0, 0, 0, 9, 0, 0, 2, 0], &data);
    let verify = |check| [0x2f, check, 0, 0, 0, 9, 0, 0, 2, 0];
    send(&mut unit, &verify(0), &[]);
    send(&mut unit, &verify(2), &data);
    let miscompare = (0xe, 0x1d, 0x00);
    assert_eq!(refusal(&mut unit, &verify(2), &[7; 1024]), miscompare);
    assert_eq!(refusal(&mut unit, &verify(6), &[7; 512]), miscompare);
    assert_eq!(refusal(&mut unit, &verify(4), &data), FIELD);
    send(&mut unit, &[0x2f, 6, 0, 0, 0, 9, 0, 0, 1, 0], &[7; 512]);
    // The whole drive, in pieces.
    send(
        &mut unit,
        &[0x8f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0],
        &[],
    );
    assert_eq!(
        refused(
            &mut unit,
            &[0x8f, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0]
        ),
        RANGE
    );
}

#[test]
fn write_same_repeats_its_block_and_unmaps_zeros() {
    let mut unit = sas();
    let write_same = |flags, count| [0x93, flags, 0, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, count, 0, 0];
    send(&mut unit, &write_same(0, 3), &[9; 512]);
    let read = [0x28, 0, 0, 0, 0, 4, 0, 0, 3, 0];
    assert_eq!(ask(&mut unit, &read), [9; 1536]);
    // UNMAP with data that are not zero writes them.
    send(&mut unit, &write_same(8, 2), &[5; 512]);
    assert_eq!(ask(&mut unit, &read)[..1024], [5; 1024]);
    send(&mut unit, &write_same(8, 1), &[0; 512]);
    let data = ask(&mut unit, &read);
    assert_eq!((data[..512].to_vec(), data[512]), (vec![0; 512], 5));
    // NDOB: there are no data.
    send(&mut unit, &write_same(1, 3), &[]);
    assert_eq!(ask(&mut unit, &read), [0; 1536]);
    assert_eq!(refusal(&mut unit, &write_same(0, 0), &[0; 512]), FIELD);
    assert_eq!(refusal(&mut unit, &write_same(0x10, 1), &[0; 512]), FIELD);
    assert_eq!(
        refusal(&mut unit, &write_same(0, 1), &[0; 511]),
        (0xb, 0x4b, 0x00)
    );
}

#[test]
fn unmap_takes_one_descriptor() {
    let mut unit = sas();
    send(&mut unit, &[0x2a, 0, 0, 0, 0, 2, 0, 0, 2, 0], &[1; 1024]);
    let unmap = |length| [0x42, 0, 0, 0, 0, 0, 0, 0, length, 0];
    let list = |count: u8, extra: usize| {
        let mut list = vec![0, 22, 0, 16, 0, 0, 0, 0];
        list[3] += u8::try_from(extra).unwrap() * 16;
        list.extend([0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, count, 0, 0, 0, 0]);
        list.resize(list.len() + extra * 16, 0);
        list
    };
    send(&mut unit, &unmap(24), &list(1, 0));
    let data = ask(&mut unit, &[0x28, 0, 0, 0, 0, 2, 0, 0, 2, 0]);
    assert_eq!((data[511], data[512]), (0, 1));
    send(&mut unit, &unmap(0), &[]);
    send(&mut unit, &unmap(8), &[0; 8]);
    assert_eq!(refusal(&mut unit, &unmap(7), &[0; 7]), (5, 0x1a, 0x00));
    assert_eq!(refusal(&mut unit, &unmap(40), &list(1, 1)), (5, 0x26, 0x00));
    assert_eq!(refusal(&mut unit, &unmap(24), &[0; 8]), (0xb, 0x4b, 0x00));
    let mut beyond = list(1, 0);
    beyond[8] = 1;
    assert_eq!(refusal(&mut unit, &unmap(24), &beyond), RANGE);
}

#[test]
fn flush_and_stop_check_their_fields() {
    let mut unit = sas();
    ask(&mut unit, &[0x35, 2, 0, 0, 0, 0, 0, 0, 0, 0]);
    ask(
        &mut unit,
        &[0x91, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0],
    );
    let beyond = [0x91, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0];
    assert_eq!(refused(&mut unit, &beyond), RANGE);
    ask(&mut unit, &[0x1b, 0, 0, 0, 0, 0]);
    ask(&mut unit, &[0x1b, 0, 0, 0, 1, 0]);
    assert_eq!(refused(&mut unit, &[0x1b, 0, 0, 0, 2, 0]), FIELD);
    assert_eq!(refused(&mut unit, &[0x1b, 0, 0, 0, 0x30, 0]), FIELD);
}

#[test]
fn mode_pages_tell_of_the_cache_and_the_sense_format() {
    let mut unit = sas();
    let data = ask(&mut unit, &[0x1a, 0x08, 0x08, 0, 255, 0]);
    assert_eq!(data[..7], [23, 0, 0x10, 0, 0x08, 0x12, 0x04]);
    assert_eq!(data.len(), 24);
    let data = ask(&mut unit, &[0x5a, 0, 0x3f, 0, 0, 0, 0, 0x02, 0, 0]);
    assert_eq!(data[..8], [0, 46, 0, 0x10, 0, 0, 0, 8]);
    assert_eq!(data[8..16], [0, 2, 0, 0, 0, 0, 2, 0]);
    assert_eq!((data[16], data[36], data[38]), (0x08, 0x0a, 0));
    assert_eq!(data.len(), 48);
    let data = ask(&mut unit, &[0x5a, 0x10, 0x0a, 0, 0, 0, 0, 0x02, 0, 0]);
    assert_eq!(data[..8], [0, 34, 0, 0x10, 1, 0, 0, 16]);
    assert_eq!(
        data[8..24],
        [0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0]
    );
    // Nothing can be changed, and nothing is saved.
    let data = ask(&mut unit, &[0x1a, 0x08, 0x48, 0, 255, 0]);
    assert_eq!((data[4], data[5], data[6]), (0x08, 0x12, 0x00));
    assert_eq!(
        refused(&mut unit, &[0x1a, 8, 0xc8, 0, 255, 0]),
        (5, 0x39, 0x00)
    );
    assert_eq!(refused(&mut unit, &[0x1a, 8, 0x19, 0, 255, 0]), FIELD);
    assert_eq!(refused(&mut unit, &[0x1a, 8, 0x0a, 5, 255, 0]), FIELD);
    // The translation layer answers with descriptors: D_SENSE.
    assert_eq!(ask(&mut sat(), &[0x1a, 8, 0x0a, 0, 255, 0])[6], 0x04);
}

/// REPORT SUPPORTED OPERATION CODES.
fn report(options: u8, opcode: u8, action: u8) -> [u8; 12] {
    [0xa3, 0x0c, options, opcode, 0, action, 0, 0, 0x40, 0, 0, 0]
}

#[test]
fn supported_commands_are_listed() {
    let codes = |unit: &mut LogicalUnit| -> Vec<u8> {
        let data = ask(unit, &report(0, 0, 0));
        let length = u32::from_be_bytes(*data.first_chunk().unwrap());
        assert_eq!(usize::try_from(length).unwrap(), data.len() - 4);
        data[4..]
            .chunks(8)
            .map(|descriptor| descriptor[0])
            .collect()
    };
    let sas_codes = codes(&mut sas());
    let sat_codes = codes(&mut sat());
    for shared in [0x00, 0x12, 0x28, 0x2a, 0x88, 0x8a, 0x93, 0xa3] {
        assert!(sas_codes.contains(&shared) && sat_codes.contains(&shared));
    }
    for security in [0xa2, 0xb5] {
        assert!(sas_codes.contains(&security) && !sat_codes.contains(&security));
    }
    for pass_through in [0x85, 0xa1] {
        assert!(!sas_codes.contains(&pass_through) && sat_codes.contains(&pass_through));
    }
    assert!(sas_codes.is_sorted());
    // With timeouts each descriptor is 12 bytes longer.
    let data = ask(&mut sas(), &report(0x80, 0, 0));
    assert_eq!(data.len(), 4 + sas_codes.len() * 20);
    assert_eq!(data[4..16], [0x00, 0, 0, 0, 0, 2, 0, 6, 0, 10, 0, 0]);
}

#[test]
fn one_command_is_reported_with_its_usage_data() {
    let mut unit = sas();
    assert_eq!(
        ask(&mut unit, &report(1, 0x12, 0)),
        [0, 3, 0, 6, 0x12, 1, 0xff, 0xff, 0xff, 4]
    );
    assert_eq!(ask(&mut unit, &report(1, 0xa2, 0))[..4], [0, 3, 0, 12]);
    // Unmap bit of WRITE SAME (16), for which the disk driver asks.
    assert_eq!(
        ask(&mut unit, &report(1, 0x93, 0))[..6],
        [0, 3, 0, 16, 0x93, 0xf9]
    );
    assert_eq!(ask(&mut unit, &report(1, 0x85, 0)), [0, 1, 0, 0]);
    // An operation code with actions must be asked for with one, and the other way round.
    assert_eq!(refused(&mut unit, &report(1, 0x9e, 0)), FIELD);
    assert_eq!(refused(&mut unit, &report(2, 0x28, 0)), FIELD);
    assert_eq!(
        ask(&mut unit, &report(2, 0x9e, 0x10))[..6],
        [0, 3, 0, 16, 0x9e, 0x10]
    );
    assert_eq!(ask(&mut unit, &report(2, 0x9e, 0x11)), [0, 1, 0, 0]);
    assert_eq!(ask(&mut unit, &report(3, 0x28, 0))[..4], [0, 3, 0, 10]);
    assert_eq!(ask(&mut unit, &report(3, 0x28, 1)), [0, 1, 0, 0]);
    assert_eq!(refused(&mut unit, &report(4, 0x28, 0)), FIELD);
    assert_eq!(ask(&mut sat(), &report(1, 0xa2, 0)), [0, 1, 0, 0]);
}

#[test]
fn security_protocol_in_counts_bytes_or_units() {
    let mut unit = sas();
    // The list of security protocols: 00h, 01h, 02h.
    let list = ask(&mut unit, &[0xa2, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]);
    assert_eq!(list[..11], [0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2]);
    let level_0 = ask(&mut unit, &[0xa2, 1, 0, 1, 0, 0, 0, 0, 0x10, 0, 0, 0]);
    assert_eq!(level_0[4..8], [0, 0, 0, 1]);
    // INC_512: two units, the second padded with zeros.
    let units = ask(&mut unit, &[0xa2, 1, 0, 1, 0x80, 0, 0, 0, 0, 2, 0, 0]);
    assert_eq!(units.len() % 512, 0);
    assert_eq!(
        units[..level_0.len().min(512)],
        level_0[..level_0.len().min(512)]
    );
}

#[test]
fn interface_errors_have_their_sense() {
    let mut unit = sas();
    // A protocol that the drive does not have, and ATA security, which is no drive's of this face.
    assert_eq!(
        refused(&mut unit, &[0xa2, 0xee, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]),
        FIELD
    );
    assert_eq!(
        refused(&mut unit, &[0xa2, 0xef, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0]),
        FIELD
    );
    // TPER_RESET is not enabled: Other Invalid Command Parameter.
    let reset = [0xb5, 2, 0, 4, 0x80, 0, 0, 0, 0, 1, 0, 0];
    assert_eq!(refusal(&mut unit, &reset, &[0; 512]), FIELD);
    // Fewer data than TRANSFER LENGTH.
    assert_eq!(refusal(&mut unit, &reset, &[0; 511]), (0xb, 0x4b, 0x00));
    // A second IF-SEND before the answer of the first was fetched: Synchronous Protocol Violation.
    let com_id = unit.drive.lock().profile().communication.base_com_id;
    let [high, low] = com_id.to_be_bytes();
    let call = MethodCall::new(uid::SESSION_MANAGER, method::PROPERTIES).encode();
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    let mut payload = ComPacket::with_tokens(ComId(com_id), tsn, hsn, &call)
        .encode()
        .to_vec();
    payload.resize(512, 0);
    let out = [0xb5, 1, high, low, 0, 0, 0, 0, 2, 0, 0, 0];
    send(&mut unit, &out, &payload);
    assert_eq!(refusal(&mut unit, &out, &payload), (5, 0x2c, 0x00));
}

#[test]
fn the_faces_have_different_ways_to_the_tper() {
    assert_eq!(refused(&mut sas(), &IDENTIFY), OPCODE);
    let mut unit = sat();
    assert_eq!(
        refused(&mut unit, &[0xa2, 1, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0]),
        OPCODE
    );
    assert_eq!(
        refusal(
            &mut unit,
            &[0xb5, 2, 0, 4, 0, 0, 0, 0, 2, 0, 0, 0],
            &[0; 512]
        ),
        OPCODE
    );
}

#[test]
fn a_translation_layer_reports_locked_blocks_in_its_own_words() {
    let mut unit = ready(locked_drive(), Face::Sat);
    assert_eq!(
        refused(&mut unit, &[0x28, 0, 0, 0, 0, 0, 0, 0, 1, 0]),
        (5, 0x74, 0x71)
    );
}

/// The words of IDENTIFY DEVICE.
fn words(data: &[u8]) -> Vec<u16> {
    let (pairs, _) = data.as_chunks();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair)).collect()
}

/// IDENTIFY DEVICE by PIO.
const IDENTIFY: [u8; 12] = [0xa1, 8, 0x0e, 0, 1, 0, 0, 0, 0, 0xec, 0, 0];

#[test]
fn identify_device_says_what_the_drive_is() {
    let mut unit = sat();
    let data = ask(&mut unit, &IDENTIFY);
    assert_eq!(data.len(), 512);
    // Pairs of characters are swapped.
    assert_eq!(&data[20..40], b"DV0000000010        ");
    assert_eq!(&data[46..54], b".1 0    ");
    assert_eq!(&data[54..94], b"eskdtiv riutlad irev                    ");
}

#[test]
fn identify_device_tells_features_and_capacity() {
    let data = ask(&mut sat(), &IDENTIFY);
    let words = words(&data);
    assert_eq!(words[0] >> 15, 0);
    assert_eq!(words[48], 0x4001);
    assert_eq!(words[69] & 0x10, 0x10);
    assert_eq!((words[60], words[61]), (0x0000, 0x0002));
    assert_eq!(words[100..104], [0x0000, 0x0002, 0, 0]);
    assert_eq!((words[106], words[117]), (0x4000, 0));
    assert_eq!(words[128], 0);
    assert_eq!(words[255] & 0xff, 0xa5);
    assert_eq!(
        data.iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)),
        0
    );
}

#[test]
fn identify_device_tells_the_state_of_ata_security() {
    for (state, word_82, word_85, word_128) in [
        (AtaSecurityState::None, 0, 0, 0x0000),
        (AtaSecurityState::Enabled, 2, 2, 0x0003),
        (AtaSecurityState::Locked, 2, 2, 0x0007),
        (AtaSecurityState::Frozen, 2, 0, 0x0009),
    ] {
        let mut options = CreateOptions::new(8 << 20);
        options.profile.neighbours.ata_security = state;
        let drive = VirtualDrive::in_memory(&options).unwrap();
        let mut unit = ready(Arc::new(SharedDrive::new(drive, None)), Face::Sat);
        let words = words(&ask(&mut unit, &IDENTIFY));
        assert_eq!((words[82] & 2, words[85] & 2), (word_82, word_85));
        assert_eq!(words[128], word_128, "{state:?}");
    }
}

#[test]
fn a_vital_product_page_holds_identify_device() {
    let mut unit = sat();
    let data = ask(&mut unit, &IDENTIFY);
    let information = ask(&mut unit, &[0x12, 1, 0x89, 2, 0x3c, 0]);
    assert_eq!(information[..4], [0, 0x89, 0x02, 0x38]);
    assert_eq!((information[36], information[56]), (0x34, 0xec));
    assert_eq!(information[60..], data);
}

#[test]
fn identify_device_tells_of_large_sectors() {
    let mut unit = ready(drive_4kn(), Face::Sat);
    let data = ask(&mut unit, &IDENTIFY);
    let words = words(&data);
    // 2048 words of 16 bits in each of 16384 sectors.
    assert_eq!((words[106], words[117], words[118]), (0x5000, 2048, 0));
    assert_eq!(words[100..104], [0x4000, 0, 0, 0]);
}

#[test]
fn trusted_receive_comes_by_pio_and_dma_in_both_lengths_of_cdb() {
    let mut unit = sat();
    let twelve = [0xa1, 0x08, 0x0e, 0x01, 0x04, 0x00, 0x01, 0, 0, 0x5c, 0, 0];
    let level_0 = ask(&mut unit, &twelve);
    assert_eq!(level_0.len(), 2048);
    assert_eq!(level_0[4..8], [0, 0, 0, 1]);
    let sixteen = [0x85, 0x08, 0x0e, 0, 1, 0, 4, 0, 0, 0, 1, 0, 0, 0, 0x5c, 0];
    assert_eq!(ask(&mut unit, &sixteen), level_0);
    let dma = [0xa1, 0x0c, 0x0e, 0x01, 0x04, 0x00, 0x01, 0, 0, 0x5d, 0, 0];
    assert_eq!(ask(&mut unit, &dma), level_0);
    let udma = [0xa1, 0x14, 0x0e, 0x01, 0x04, 0x00, 0x01, 0, 0, 0x5d, 0, 0];
    assert_eq!(ask(&mut unit, &udma), level_0);
    // The length in bytes, and as the transport has it.
    let bytes = [0xa1, 0x08, 0x0a, 0x01, 0x04, 0x00, 0x01, 0, 0, 0x5c, 0, 0];
    assert_eq!(ask(&mut unit, &bytes), level_0[..4]);
    let transport = [0xa1, 0x08, 0x0f, 0x01, 0x04, 0x00, 0x01, 0, 0, 0x5c, 0, 0];
    assert_eq!(unit.execute(&transport, &[], 512).data_in, level_0[..512]);
}

#[test]
fn trusted_send_reaches_the_com_id_that_the_lba_names() {
    let mut unit = sat();
    let com_id = unit.drive.lock().profile().communication.base_com_id;
    let [high, low] = com_id.to_be_bytes();
    // STACK_RESET by protocol 02h, and its response.
    let mut request = vec![high, low, 0, 0, 0, 0, 0, 2];
    request.resize(512, 0);
    send(
        &mut unit,
        &[0xa1, 0x0a, 0x06, 2, 1, 0, low, high, 0, 0x5e, 0, 0],
        &request,
    );
    let response = ask(
        &mut unit,
        &[0xa1, 0x08, 0x0e, 2, 1, 0, low, high, 0, 0x5c, 0, 0],
    );
    assert_eq!(
        response[..16],
        [high, low, 0, 0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0, 0]
    );
    assert_eq!(response.len(), 512);
    // Fewer data than the count says.
    let short = [0xa1, 0x0a, 0x06, 2, 2, 0, low, high, 0, 0x5e, 0, 0];
    assert_eq!(refusal(&mut unit, &short, &request), (0xb, 0x4b, 0x00));
}

#[test]
fn every_interface_error_is_an_abort_with_the_registers() {
    let mut unit = sat();
    // TPER_RESET is not enabled; DMA.
    let reset = [0xa1, 0x0c, 0x06, 2, 1, 0, 4, 0, 0x40, 0x5f, 0, 0];
    let response = unit.execute(&reset, &[0; 512], 0);
    assert_eq!(response.status, Status::CheckCondition);
    assert_eq!(response.sense[..8], [0x72, 0xb, 0, 0, 0, 0, 0, 14]);
    let registers = [0x09, 0x0c, 0, 0x04, 0, 0, 0, 0, 0, 0, 0, 0, 0x40, 0x51];
    assert_eq!(response.sense[8..], registers);
    // A command that the device does not have.
    let response = unit.execute(
        &[0x85, 0x07, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x99, 0],
        &[],
        0,
    );
    assert_eq!(
        response.sense[..11],
        [0x72, 0xb, 0, 0, 0, 0, 0, 14, 0x09, 0x0c, 1]
    );
    // TRUSTED NON-DATA: the direction is LBA (24).
    let non_data = |device| [0xa1, 0x06, 0, 0xee, 0, 0, 0, 0, device, 0x5b, 0, 0];
    assert_eq!(refused(&mut unit, &non_data(0)), (0xb, 0, 0));
    assert_eq!(refused(&mut unit, &non_data(1)), (0xb, 0, 0));
    // Level 0 Discovery without data, and a send there, which is accepted and discarded.
    ask(&mut unit, &[0xa1, 0x06, 0, 1, 0, 0, 1, 0, 0, 0x5b, 0, 0]);
    ask(&mut unit, &[0xa1, 0x06, 0, 1, 0, 0, 1, 0, 1, 0x5b, 0, 0]);
}

#[test]
fn ck_cond_reports_the_registers_of_a_success_beside_the_data() {
    let mut unit = sat();
    let response = unit.execute(&[0xa1, 8, 0x2e, 0, 1, 0, 0, 0, 0, 0xec, 0, 0], &[], 512);
    assert_eq!(response.status, Status::CheckCondition);
    assert_eq!(response.sense[..8], [0x72, 1, 0x00, 0x1d, 0, 0, 0, 14]);
    assert_eq!(response.sense[8..12], [0x09, 0x0c, 0, 0]);
    assert_eq!(response.sense[21], 0x50);
    assert_eq!(response.data_in.len(), 512);
    // CHECK POWER MODE: the answer is in the count register.
    let response = unit.execute(&[0xa1, 6, 0x20, 0, 0, 0, 0, 0, 0, 0xe5, 0, 0], &[], 0);
    assert_eq!(response.sense[12..14], [0x00, 0xff]);
}

#[test]
fn protocols_that_do_not_fit_are_invalid_fields() {
    let mut unit = sat();
    let mut identify = |protocol: u8, flags| {
        refused(
            &mut unit,
            &[0xa1, protocol << 1, flags, 0, 1, 0, 0, 0, 0, 0xec, 0, 0],
        )
    };
    // Reserved, a direction against the protocol, another protocol than the command's, no length.
    for (protocol, flags) in [
        (2, 0x0e),
        (4, 0x06),
        (6, 0x0e),
        (3, 0x00),
        (5, 0x06),
        (4, 0x0c),
    ] {
        assert_eq!(identify(protocol, flags), FIELD, "{protocol} {flags:x}");
    }
}

#[test]
fn trim_unmaps() {
    let mut unit = sat();
    send(&mut unit, &[0x2a, 0, 0, 0, 0, 2, 0, 0, 2, 0], &[1; 1024]);
    let mut entries = vec![2, 0, 0, 0, 0, 0, 1, 0];
    entries.resize(512, 0);
    send(
        &mut unit,
        &[
            0x85, 0x0d, 0x06, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0x06, 0,
        ],
        &entries,
    );
    let data = ask(&mut unit, &[0x28, 0, 0, 0, 0, 2, 0, 0, 2, 0]);
    assert_eq!((data[511], data[512]), (0, 1));
}

#[test]
fn trim_that_is_refused_for_one_entry_leaves_all_alone() {
    let mut unit = sat();
    send(&mut unit, &[0x2a, 0, 0, 0, 0, 2, 0, 0, 1, 0], &[1; 512]);
    let mut entries = vec![2, 0, 0, 0, 0, 0, 1, 0];
    // The second one lies beyond the end of the drive.
    entries.extend([0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 0]);
    entries.resize(512, 0);
    let trim = [
        0x85, 0x0d, 0x06, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0x40, 0x06, 0,
    ];
    refusal(&mut unit, &trim, &entries);
    let data = ask(&mut unit, &[0x28, 0, 0, 0, 0, 2, 0, 0, 1, 0]);
    assert_eq!(data, [1; 512]);
}
