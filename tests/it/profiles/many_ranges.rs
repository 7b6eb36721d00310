//! A drive with 192 ranges and Users, 193 DataStore tables, blocks of 520 bytes and no shadow MBR
//! (Kioxia CM6, demands D103).

use sedkit::spec::method::parameter::ACTIVATE_DATA_STORE_TABLE_SIZES;
use sedkit::spec::{MethodStatus, RangeNumber, Uid, column, method, uid};
use sedkit::vdrive::{CreateOptions, Profile};
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, MSID, OWNER, Session, USER, any_of};

const RANGES: u16 = 192;
const LAST: RangeNumber = RangeNumber(RANGES);
const SUCCESS: MethodStatus = MethodStatus::SUCCESS;

fn cm6(options: &mut CreateOptions) {
    options.profile = Profile::named("kioxia-cm6").unwrap();
    options.size = 520 * 100_000;
}

/// A drive that was activated.
fn active() -> Bench {
    let mut bench = Bench::with(cm6);
    bench.activate();
    bench
}

/// All rows of a table, asked for in portions that fit 2048 bytes.
fn rows(bench: &mut Bench, session: Session, table: Uid) -> Vec<Uid> {
    let mut rows: Vec<Uid> = Vec::new();
    loop {
        let mut call = MethodCall::new(table, method::NEXT);
        if let Some(last) = rows.last() {
            call = call.optional(0, *last);
        }
        let results = bench.call(session, &call.optional(1, 100_u64)).unwrap();
        let found = results[0].as_list().unwrap().iter();
        let found: Vec<Uid> = found.map(|row| row.as_uid().unwrap()).collect();
        if found.is_empty() {
            return rows;
        }
        rows.extend(found);
    }
}

#[test]
fn level_0_shows_two_sscs_on_one_com_id() {
    let mut bench = Bench::with(cm6);
    // Reference, response A.7: Opal 2 and Ruby, each with the same sixteen bytes.
    let opal = bench.feature(0x0203);
    let ruby = bench.feature(0x0304);
    assert_eq!(opal[..4], [0x02, 0x03, 0x10, 0x10]);
    assert_eq!(ruby[..4], [0x03, 0x04, 0x10, 0x10]);
    assert_eq!(opal[4..], ruby[4..]);
    assert_eq!(opal[4..13], [0x20, 0, 0, 2, 0, 0, 4, 0, 0xc0]);
    // Locking version 2, MBR Shadowing Not Supported.
    assert_eq!(bench.feature(0x0002)[..5], [0, 2, 0x20, 0x0c, 0x49]);
    // 193 DataStore tables in 128 KiB; 520-byte blocks.
    let data_store = [2, 2, 0x10, 0x0c, 0, 0, 0, 0xc1, 0, 2, 0, 0, 0, 0, 0, 1];
    assert_eq!(bench.feature(0x0202), data_store);
    assert_eq!(bench.feature(0x0003)[12..16], [0, 0, 0x02, 0x08]);
}

#[test]
fn every_row_of_193_ranges_is_listed() {
    let mut bench = active();
    let session = bench.admin1();
    let ranges: Vec<Uid> = (0..=RANGES)
        .map(|number| uid::locking_range(RangeNumber(number)))
        .collect();
    assert_eq!(rows(&mut bench, session, uid::LOCKING), ranges);
    // Without Count all of them come at once: 193 atoms of nine bytes fit the guaranteed 1992.
    let all = bench.call(session, &MethodCall::new(uid::LOCKING, method::NEXT));
    assert_eq!(all.unwrap()[0].as_list().unwrap().len(), 193);
    let max_ranges = bench.number(session, uid::LOCKING_INFO, column::locking_info::MAX_RANGES);
    assert_eq!(max_ranges, 192);
}

#[test]
fn every_range_and_user_has_its_aces() {
    // Reference 4.8: one ACE for each kind of right and range, one for each User's PIN and name.
    let mut bench = active();
    let session = bench.admin1();
    let aces = rows(&mut bench, session, uid::ACE);
    for base in [0x3_b800, 0x3_d000, 0x3_e000, 0x3_e800] {
        for number in 0..=u32::from(RANGES) {
            assert!(aces.contains(&uid::ACE.row(base + number)), "{base:x}");
        }
    }
    for base in [0x3_a800, 0x4_4000] {
        for number in 1..=u32::from(RANGES) {
            assert!(aces.contains(&uid::ACE.row(base + number)), "{base:x}");
        }
    }
    // There is no shadow MBR whose rights could be given away.
    assert!(!aces.contains(&uid::ACE.row(0x3_f801)));
}

#[test]
fn an_ace_takes_admins_and_all_192_users() {
    let mut bench = active();
    let session = bench.admin1();
    let users = (1..=RANGES).map(uid::user);
    let authorities: Vec<Uid> = [uid::ADMINS].into_iter().chain(users).collect();
    let ace = uid::ACE.row(0x3_e000 + u32::from(RANGES));
    bench.must_set(session, ace, &[(3, any_of(&authorities))]);
    bench.end(session);

    bench.enable_user(RANGES);
    let user = bench.start(uid::LOCKING_SP, uid::user(RANGES), USER);
    let cells = [(column::locking::READ_LOCKED, true.into())];
    bench.must_set(user.unwrap(), uid::locking_range(LAST), &cells);
}

#[test]
fn blocks_of_520_bytes_are_kept_under_the_key_of_their_range() {
    let mut bench = active();
    let session = bench.admin1();
    let place = [(3, 1000_u64.into()), (4, 3_u64.into())];
    bench.must_set(session, uid::locking_range(LAST), &place);
    let data: Vec<u8> = (0..251_u8).cycle().take(520 * 5).collect();
    bench.drive().write(999, &data).unwrap();
    assert_eq!(bench.drive().read(999, 5).unwrap(), data);
    let gen_key = MethodCall::new(uid::k_aes_256(LAST), method::GEN_KEY);
    assert_eq!(bench.status(session, &gen_key), SUCCESS);
    let read = bench.drive().read(999, 5).unwrap();
    assert_eq!(read[..520], data[..520]);
    assert_eq!(read[520 * 4..], data[520 * 4..]);
    for block in 1..4 {
        let place = 520 * block..520 * (block + 1);
        assert_ne!(read[place.clone()], data[place], "block {block}");
    }
    bench.lock(session, LAST, true);
    assert!(bench.drive().read(1000, 1).is_err());
    assert!(bench.drive().read(999, 1).is_ok());
}

#[test]
fn there_is_no_shadow_mbr() {
    let mut bench = active();
    let session = bench.admin1();
    let tables = rows(&mut bench, session, uid::TABLE);
    for table in [uid::MBR, uid::MBR_CONTROL_TABLE] {
        assert!(!tables.contains(&table.table_descriptor()), "{table:?}");
    }
    let enable = [(column::mbr_control::ENABLE, true.into())];
    let refused = MethodStatus::NOT_AUTHORIZED;
    assert_eq!(bench.set(session, uid::MBR_CONTROL, &enable), refused);
    assert_eq!(bench.get(session, uid::MBR_CONTROL, 1..=2), Err(refused));
}

#[test]
fn one_hundred_and_ninety_three_data_stores_share_128_kib() {
    let mut bench = Bench::with(cm6);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let activate = |sizes: Vec<u64>| {
        let sizes = Value::list(sizes.into_iter().map(Value::Uint));
        MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
            .optional(ACTIVATE_DATA_STORE_TABLE_SIZES, sizes)
    };
    let full = MethodStatus::INSUFFICIENT_SPACE;
    assert_eq!(bench.status(session, &activate(vec![1; 194])), full);
    assert_eq!(bench.status(session, &activate(vec![131_073])), full);
    let pin = [(column::c_pin::PIN, OWNER.into())];
    bench.must_set(session, uid::C_PIN_SID, &pin);
    assert_eq!(bench.status(session, &activate(vec![679; 193])), SUCCESS);
    bench.end(session);

    let session = bench.admin1();
    let last = uid::data_store(193);
    let rows = bench.number(session, last.table_descriptor(), column::table::ROWS);
    assert_eq!(rows, 679);
    let write = MethodCall::new(last, method::SET)
        .optional(0, 670_u64)
        .optional(1, &b"the end!!"[..]);
    assert_eq!(bench.status(session, &write), SUCCESS);
    // Reference 4.8: from table 129 on, the ACEs stand at 00045000h + 2 (Y - 1).
    let name = bench.cell(session, uid::ACE.row(0x4_5180), column::ace::NAME);
    assert_eq!(name.as_bytes(), Some(&b"ACE_DataStore193_Get_All"[..]));
}
