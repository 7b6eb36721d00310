//! The drive's file: closed and opened between any two commands, the dialogue is the same.

use sedkit::spec::{MethodStatus, RangeNumber, column, method, uid};
use sedkit::vdrive::{CreateOptions, Error, VirtualDrive};
use sedkit::wire::MethodCall;

use crate::support::{
    BUFFER, Bench, MSID, OWNER, PSID, USER, any_of, get_bytes, numbers, options, set_bytes,
};

const OK: MethodStatus = MethodStatus::SUCCESS;

/// A dialogue that touches everything that is remembered. It asks for nothing random.
fn dialogue(bench: &mut Bench) {
    take_and_personalize(bench);
    use_transactions(bench);
    use_byte_tables(bench);
    lose_and_win(bench);
    reset_and_revert(bench);
}

fn take_and_personalize(bench: &mut Bench) {
    bench.level0();
    bench.activate();
    bench.enable_user(1);
    let session = bench.admin1();
    let range1 = uid::locking_range(RangeNumber(1));
    bench.must_set(
        session,
        range1,
        &[(3, 1024_u64.into()), (4, 2048_u64.into())],
    );
    bench.must_set(
        session,
        range1,
        &[(2, "home".into()), (9, numbers(&[0, 3]))],
    );
    bench.lock(session, RangeNumber(1), false);
    let ace = crate::support::ace(0x0003_e001);
    let expression = any_of(&[uid::ADMINS, uid::USER1]);
    bench.must_set(session, ace, &[(column::ace::BOOLEAN_EXPR, expression)]);
    bench.end(session);
    let session = bench.start(uid::LOCKING_SP, uid::USER1, USER).unwrap();
    bench.must_set(session, range1, &[(7, true.into())]);
    bench.level0();
    bench.end(session);
}

fn use_transactions(bench: &mut Bench) {
    let session = bench.admin1();
    for status in [0, 1] {
        assert_eq!(bench.tokens(session, &[0xfb, 0]), Some(vec![0xfb, 0]));
        let range2 = uid::locking_range(RangeNumber(2));
        bench.must_set(session, range2, &[(5, (status == 0).into())]);
        let text = [b'0' + status; 4];
        assert_eq!(
            bench.status(session, &set_bytes(uid::DATA_STORE, 10, &text)),
            OK
        );
        assert_eq!(
            bench.status(session, &set_bytes(uid::DATA_STORE, 12, b"..")),
            OK
        );
        bench
            .call(session, &get_bytes(uid::DATA_STORE, 8..=16))
            .unwrap();
        assert_eq!(
            bench.tokens(session, &[0xfc, status]),
            Some(vec![0xfc, status])
        );
        bench
            .call(session, &get_bytes(uid::DATA_STORE, 8..=16))
            .unwrap();
        bench.number(session, range2, 5);
    }
    bench.end(session);
}

fn use_byte_tables(bench: &mut Bench) {
    let session = bench.admin1();
    // Over each other, so that what was staged before is in the way.
    for (start, text) in [
        (0, &b"aaaa"[..]),
        (2, b"bbbb"),
        (4, b"cc"),
        (100, b"d"),
        (3, b"e"),
    ] {
        assert_eq!(bench.status(session, &set_bytes(uid::MBR, start, text)), OK);
        bench.call(session, &get_bytes(uid::MBR, 0..=9)).unwrap();
    }
    bench.must_set(
        session,
        uid::MBR_CONTROL,
        &[(1, true.into()), (2, true.into())],
    );
    bench.end(session);
}

fn lose_and_win(bench: &mut Bench) {
    for _ in 0..6 {
        assert!(bench.start(uid::LOCKING_SP, uid::USER1, b"wrong").is_err());
    }
    let session = bench.admin1();
    bench.number(session, uid::c_pin(uid::USER1), column::c_pin::TRIES);
    // A session that is left open, and a response that is not fetched.
    let busy = bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER);
    assert_eq!(busy, Err(MethodStatus::SP_BUSY));
    let call = crate::support::get(uid::LOCKING_INFO, 0..=10);
    let frame = sedkit::wire::ComPacket::with_tokens(
        bench.com_id(),
        session.tsn,
        session.hsn,
        &call.encode(),
    );
    bench.send_frame(&frame.encode());
    bench.recv(0x01, 0x1000, 30).unwrap();
    assert!(bench.send(0x01, 0x1000, &frame.encode()).is_err());
    bench.fetch();
    bench.wait(30_000);
    assert!(!bench.is_open(session));
}

fn reset_and_revert(bench: &mut Bench) {
    let session = bench.sid();
    bench.must_set(session, uid::TPER_INFO, &[(8, true.into())]);
    bench.end(session);
    bench.send(0x02, 0x0004, &[0; 512]).unwrap();
    bench.level0();
    bench.drive().power_cycle().unwrap();
    bench.reopen();
    bench.level0();
    bench.send(0x02, 0x0005, &[0, 1]).unwrap();
    bench.level0();
    bench.drive().hardware_reset().unwrap();
    bench.reopen();
    bench.level0();
    assert!(bench.start(uid::LOCKING_SP, uid::ADMIN1, OWNER).is_err());
    let session = bench.start(uid::ADMIN_SP, uid::PSID, PSID).unwrap();
    assert_eq!(
        bench.status(session, &MethodCall::new(uid::ADMIN_SP, method::REVERT)),
        OK
    );
    bench.level0();
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    bench.number(session, uid::LOCKING_SP, 6);
    bench.end(session);
    bench.recv(0x02, 0x1000, BUFFER).unwrap();
}

#[test]
fn a_drive_that_is_closed_after_every_command_answers_the_same() {
    let mut staying = Bench::new();
    staying.record();
    dialogue(&mut staying);
    let mut reopening = Bench::reopening(|_| {});
    reopening.record();
    dialogue(&mut reopening);
    assert_eq!(staying.transcript().len(), reopening.transcript().len());
    for (a, b) in staying.transcript().iter().zip(reopening.transcript()) {
        assert_eq!(a, b);
    }
    let stats = staying.drive().stats().clone();
    assert_eq!(&stats, reopening.drive().stats());
    let count = u64::try_from(staying.transcript().len()).unwrap();
    assert_eq!(stats.total().send + stats.total().recv, count);
}

#[test]
fn what_is_unlocked_stays_so_until_the_power_goes() {
    // Design 4: power state lives in the file.
    let mut bench = Bench::reopening(|_| {});
    bench.activate();
    bench.drive().write(5, &[6; 512]).unwrap();
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, false);
    bench.end(session);
    bench.reopen();
    assert_eq!(bench.drive().read(5, 1).unwrap(), [6; 512]);
    bench.drive().power_cycle().unwrap();
    bench.reopen();
    assert!(bench.drive().read(5, 1).is_err());
    let session = bench.admin1();
    bench.lock(session, RangeNumber::GLOBAL, false);
    assert_eq!(bench.drive().read(5, 1).unwrap(), [6; 512]);
}

#[test]
fn lock_outs_survive_the_program_and_end_with_the_power() {
    let mut bench = Bench::reopening(|_| {});
    for _ in 0..5 {
        assert!(bench.start(uid::ADMIN_SP, uid::SID, b"wrong").is_err());
    }
    let locked_out = Err(MethodStatus::AUTHORITY_LOCKED_OUT);
    assert_eq!(bench.start(uid::ADMIN_SP, uid::SID, MSID), locked_out);
    bench.drive().power_cycle().unwrap();
    bench.reopen();
    assert!(bench.start(uid::ADMIN_SP, uid::SID, MSID).is_ok());
}

#[test]
fn two_drives_are_never_alike() {
    let drives = [0, 1].map(|_| VirtualDrive::in_memory(&CreateOptions::new(1 << 20)).unwrap());
    let [a, b] = drives.each_ref().map(VirtualDrive::label);
    assert_ne!(a.serial, b.serial);
    assert_ne!(a.msid, b.msid);
    assert_ne!(a.psid, b.psid);
    for label in [a, b] {
        assert_eq!((label.msid.len(), label.psid.len()), (32, 32));
    }
}

#[test]
fn the_identity_is_padded_as_drives_pad_it() {
    use sedkit::transport::{Bus, Transport};
    let drive = VirtualDrive::in_memory(&options()).unwrap();
    let identity = drive.identity();
    assert_eq!(identity.bus, Bus::Virtual);
    assert_eq!(identity.serial, b"VD0000000001        ");
    assert_eq!((identity.model.len(), identity.firmware.len()), (40, 8));
    assert_eq!(identity.serial_text(), "VD0000000001");
}

#[test]
fn impossible_drives_are_not_made() {
    let make = |change: fn(&mut CreateOptions)| {
        let mut options = options();
        change(&mut options);
        VirtualDrive::in_memory(&options).err()
    };
    assert!(matches!(
        make(|options| options.size = 0),
        Some(Error::Size { .. })
    ));
    assert!(matches!(
        make(|options| options.size = 513),
        Some(Error::Size { .. })
    ));
    let serial = make(|options| options.serial = Some("x".repeat(21)));
    assert!(matches!(serial, Some(Error::Label(_))));
    let msid = make(|options| options.msid = Some("\u{e9}".to_owned()));
    assert!(matches!(msid, Some(Error::Label(_))));
    let users = make(|options| options.profile.locking.users = 0);
    assert!(matches!(users, Some(Error::Profile(_))));
}

#[test]
fn a_file_that_is_in_use_cannot_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    let drive = VirtualDrive::create(&path, &options()).unwrap();
    assert!(matches!(VirtualDrive::open(&path), Err(Error::Store(_))));
    assert!(matches!(
        VirtualDrive::create(&path, &options()),
        Err(Error::Store(_))
    ));
    drop(drive);
    assert!(VirtualDrive::open(&path).is_ok());
}

#[test]
fn a_drive_in_use_can_be_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("drive");
    let mut drive = VirtualDrive::create(&path, &options()).unwrap();
    let mut buffer = [0; BUFFER];
    use sedkit::transport::Transport;
    let protocol = sedkit::spec::SecurityProtocol::TCG;
    drive
        .if_recv(
            protocol,
            sedkit::spec::ComId::LEVEL_0_DISCOVERY,
            &mut buffer,
        )
        .unwrap();
    let inspection = VirtualDrive::inspect(&path).unwrap();
    assert_eq!(inspection.info, drive.info());
    assert_eq!(&inspection.label, drive.label());
    assert_eq!(inspection.stats.protocol(protocol).recv, 1);
    assert!(!inspection.info.is_owned);
}
