//! DataStore tables: read and written at any offset, by whom they were granted to.

use sedkit::drive::{
    Authority, Cause, Credential, Drive, Error, ErrorCode, Grant, LoadRequest, MbrChange, Piece,
    TableError, TableName, WriteReport,
};
use sedkit::spec::ace::Subject;
use sedkit::spec::uid;

use super::mbr::noise;
use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin};

/// A drive that is set up, with a DataStore table of 64 KiB.
fn rig(granularity: u64) -> Rig {
    let rig = Rig::with(|options| {
        options.profile.locking.data_store_size = 64 << 10;
        options.profile.locking.write_granularity = granularity;
        options.profile.locking.access_granularity = granularity;
        options.profile.communication.max_com_packet = 4096;
        options.profile.communication.max_packet = 4076;
        options.profile.communication.max_ind_token = 4000;
    });
    let mut drive = rig.open().unwrap();
    drive.setup(&Default::default(), &pin(PIN)).unwrap();
    rig
}

fn write(rig: &Rig, drive: &mut Drive, offset: u64, bytes: &[u8]) -> Result<WriteReport, Error> {
    let consent = rig.consent();
    let admin = admin1(PIN);
    drive.write_data_store(1, offset, &mut &*bytes, Some(&consent), &admin, &mut |_| {})
}

fn read(rig: &Rig, number: u16, offset: u64, length: Option<u64>) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    let mut take = |piece: Piece<'_>| {
        bytes.extend_from_slice(piece.bytes);
        Ok(())
    };
    let table = TableName::DataStore(number);
    let admin = admin1(PIN);
    let mut drive = rig.open()?;
    drive.read_table(table, offset, length, Some(&admin), &mut take)?;
    Ok(bytes)
}

#[test]
fn bytes_are_written_at_any_offset_and_those_around_them_stay() {
    for granularity in [1, 4, 512] {
        let rig = rig(granularity);
        let before = noise(64 << 10, 3);
        write(&rig, &mut rig.open().unwrap(), 0, &before).unwrap();
        let bytes = noise(9001, 4);
        let report = write(&rig, &mut rig.open().unwrap(), 1111, &bytes).unwrap();
        assert!(report.proven && report.atomic, "{granularity}");
        let mut expected = before;
        expected[1111..1111 + 9001].copy_from_slice(&bytes);
        assert!(read(&rig, 1, 0, None).unwrap() == expected, "{granularity}");
        assert!(read(&rig, 1, 1111, Some(9001)).unwrap() == bytes);
        let again = write(&rig, &mut rig.open().unwrap(), 1111, &bytes).unwrap();
        assert_eq!((again.written, again.equal), (0, 9001), "{granularity}");
    }
}

#[test]
fn a_write_that_is_cut_anywhere_took_effect_as_a_whole_or_not_at_all() {
    let (old, new) = (noise(20_000, 7), noise(20_000, 8));
    let mut cut = 1;
    loop {
        let rig = rig(1);
        write(&rig, &mut rig.open().unwrap(), 100, &old).unwrap();
        let killed = rig.open_with(Fate::KilledAfter(cut));
        let killed = killed.and_then(|mut drive| write(&rig, &mut drive, 100, &new));
        if cut % 2 == 0 {
            rig.vdrive().power_cycle().unwrap();
        }
        let found = read(&rig, 1, 100, Some(20_000)).unwrap();
        assert!(found == old || found == new, "cut after {cut}");
        write(&rig, &mut rig.open().unwrap(), 100, &new).unwrap();
        assert!(read(&rig, 1, 100, Some(20_000)).unwrap() == new);
        if killed.is_ok() {
            break;
        }
        cut += 1;
    }
    assert!(cut > 40, "{cut}");
}

#[test]
fn what_does_not_fit_is_refused_before_the_first_byte() {
    let rig = rig(1);
    for (offset, length) in [(0, (64 << 10) + 1), (65_535, 2), (u64::MAX, 1)] {
        let error = write(&rig, &mut rig.open().unwrap(), offset, &vec![1; length]).unwrap_err();
        assert!(
            matches!(error.cause(), Cause::Table(TableError::Beyond { .. })),
            "{error}"
        );
        let error = read(&rig, 1, offset, Some(u64::try_from(length).unwrap())).unwrap_err();
        assert!(
            matches!(error.cause(), Cause::Table(TableError::Beyond { .. })),
            "{error}"
        );
    }
    assert!(
        read(&rig, 1, 0, None)
            .unwrap()
            .iter()
            .all(|byte| *byte == 0)
    );
}

#[test]
fn tables_that_are_not_there_are_not_supported() {
    let rig = rig(1);
    for number in [0, 2, 9, u16::MAX] {
        let error = read(&rig, number, 0, Some(1)).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotSupported, "{number}");
    }
}

#[test]
fn the_list_says_how_large_the_tables_are_and_whose() {
    let rig = rig(16);
    let found = rig.open().unwrap().data_stores(None).unwrap();
    assert_eq!(found.tables.len(), 1);
    assert_eq!(found.tables[0].table.size, 64 << 10);
    assert_eq!(found.tables[0].table.write_granularity, 16);
    assert_eq!(found.tables[0].readers, None);
    let found = rig.open().unwrap().data_stores(Some(&admin1(PIN))).unwrap();
    assert_eq!(found.tables[0].readers, Some(vec![uid::ADMINS]));
    assert_eq!(found.tables[0].writers, Some(vec![uid::ADMINS]));
}

#[test]
fn who_may_not_read_a_table_is_told_so() {
    let rig = rig(1);
    let mut drive = rig.open().unwrap();
    let table = TableName::DataStore(1);
    let error = drive.read_table(table, 0, Some(8), None, &mut |_| Ok(()));
    let error = error.unwrap_err();
    assert!(
        matches!(error.cause(), Cause::Table(TableError::NotReadable(_))),
        "{error}"
    );
    assert_eq!(error.code(), ErrorCode::NotAuthorized);
    assert_eq!(rig.vdrive().info().open_sessions, 0);
}

#[test]
fn bytes_are_not_overwritten_without_consent() {
    let rig = rig(1);
    let mut drive = rig.open().unwrap();
    write(&rig, &mut drive, 10, b"mine").unwrap();
    let admin = admin1(PIN);
    let mut write = |bytes: &[u8]| {
        let mut contents = bytes;
        drive.write_data_store(1, 10, &mut contents, None, &admin, &mut |_| {})
    };
    assert_eq!(write(b"mine").unwrap().written, 0);
    let error = write(b"your").unwrap_err();
    assert_eq!(error.code(), ErrorCode::ConsentRequired);
    assert_eq!(read(&rig, 1, 10, Some(4)).unwrap(), b"mine");
}

/// D102, for the shadow MBR and the DataStore.
#[test]
fn a_user_may_do_what_was_granted_and_no_more() {
    let rig = rig(1);
    let user = Authority::User(1);
    let mut drive = rig.open().unwrap();
    let rights = [
        Subject::SetMbrDone,
        Subject::GetDataStore(1),
        Subject::SetDataStore(1),
    ];
    let grant = Grant {
        user,
        rights: rights.to_vec(),
        also: Vec::new(),
    };
    let enabled = drive.enable(user, Some(&pin(OTHER_PIN)), &admin1(PIN));
    enabled.unwrap();
    let user = Credential::new(user, pin(OTHER_PIN));
    drive.grant(&grant, &admin1(PIN)).unwrap();

    let report = drive.write_data_store(1, 3, &mut &b"mine"[..], None, &user, &mut |_| {});
    assert!(report.unwrap().proven);
    let mut found = Vec::new();
    let mut take = |piece: Piece<'_>| {
        found.extend_from_slice(piece.bytes);
        Ok(())
    };
    let table = TableName::DataStore(1);
    let read = drive.read_table(table, 3, Some(4), Some(&user), &mut take);
    read.unwrap();
    assert_eq!(found, b"mine");
    let done = MbrChange {
        done: Some(true),
        ..MbrChange::default()
    };
    assert!(drive.change_mbr(&done, &user).unwrap().changed);
    assert!(rig.vdrive().info().mbr_done);

    let enable = MbrChange {
        enable: Some(true),
        ..MbrChange::default()
    };
    let mut drive = rig.open().unwrap();
    let error = drive.change_mbr(&enable, &user).unwrap_err();
    assert!(
        matches!(error.cause(), Cause::NotPermitted { .. }),
        "{error}"
    );
    let load = drive.load_mbr(
        &LoadRequest::default(),
        &mut &[1; 9][..],
        &user,
        &mut |_| {},
    );
    assert_eq!(load.unwrap_err().code(), ErrorCode::NotAuthorized);
    assert_eq!(rig.vdrive().info().open_sessions, 0);
}
