//! Raw objects, resets and data removal: proven, refused, and run again after a kill.

use sedkit::drive::{
    Authority, BlockRequest, Cause, Credential, Drive, DumpOptions, DumpedContents, EraseConsent,
    Error, ErrorCode, LockingState, ProgrammaticReset, RawCall, RawSession, RowSource,
};
use sedkit::spec::{DataRemovalMechanism, Uid, column, method, uid};
use sedkit::transport::{Bus, Identity};
use sedkit::vdrive::Profile;
use sedkit::wire::Value;

use super::resume::killed;
use super::{PIN, Rig, admin1, pin, sid};

const ANYBODY: RawSession<'static> = RawSession {
    sp: uid::ADMIN_SP,
    credential: None,
};

const LOCK_ON_RESET: u64 = column::locking::LOCK_ON_RESET;

fn locking(credential: &Credential) -> RawSession<'_> {
    RawSession {
        sp: uid::LOCKING_SP,
        credential: Some(credential),
    }
}

fn set(values: impl IntoIterator<Item = u64>) -> Value {
    Value::list(values.into_iter().map(Value::Uint))
}

/// Lets range 0 lock by power cycles and by programmatic resets.
fn lock_on_programmatic_reset(rig: &Rig) {
    let admin = admin1(PIN);
    let columns = [(LOCK_ON_RESET, set([3, 0]))];
    let mut drive = rig.open().unwrap();
    let object = uid::LOCKING_GLOBAL_RANGE;
    let report = drive.raw_set(locking(&admin), object, &columns, &rig.consent());
    // A set has no order: the drive answers [0, 3].
    assert_eq!(report.unwrap().proven, [LOCK_ON_RESET]);
}

#[test]
fn a_tper_reset_locks_by_lock_on_reset_alone() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let error = drive.tper_reset().unwrap_err();
    assert!(matches!(error.cause(), Cause::ProgrammaticResetDisabled));
    drive
        .set_programmatic_reset(ProgrammaticReset::Enabled, &sid(PIN))
        .unwrap();
    assert_eq!(
        drive.programmatic_reset().unwrap(),
        Some(ProgrammaticReset::Enabled)
    );
    let report = drive.tper_reset().unwrap();
    assert_eq!(report.after.locking, LockingState::Unlocked);
    lock_on_programmatic_reset(&rig);
    let report = drive.tper_reset().unwrap();
    assert_eq!(report.before.locking, LockingState::Unlocked);
    assert_eq!(report.after.locking, LockingState::Locked);
    // [Opal] 3.2.3: the enable survives; the session manager answers again.
    assert_eq!(
        drive.programmatic_reset().unwrap(),
        Some(ProgrammaticReset::Enabled)
    );
}

/// Every step of the way to a lock by reset, killed after any command, is finished by the next run,
/// and the drive can be unlocked at every point.
#[test]
fn enabling_and_resetting_survive_a_kill_anywhere() {
    let enable = |drive: &mut Drive| {
        if drive.programmatic_reset()? == Some(ProgrammaticReset::Enabled) {
            return Ok(());
        }
        drive.set_programmatic_reset(ProgrammaticReset::Enabled, &sid(PIN))
    };
    let reset = |drive: &mut Drive| drive.tper_reset().map(drop);
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        lock_on_programmatic_reset(&rig);
        let was_killed = killed(&rig, commands, enable);
        enable(&mut rig.open().unwrap()).unwrap();
        let was_killed_again = killed(&rig, commands, reset);
        let mut drive = rig.open().unwrap();
        drive.tper_reset().unwrap();
        assert_eq!(
            drive.state().locking,
            LockingState::Locked,
            "after {commands}"
        );
        drive.unlock(&Default::default(), &admin1(PIN)).unwrap();
        assert_eq!(rig.take_refused(), 0, "after {commands}");
        if !was_killed && !was_killed_again {
            break;
        }
        commands += 1;
    }
    assert!(commands > 10, "{commands}");
}

#[test]
fn a_block_that_was_killed_anywhere_is_there_after_the_next_run() {
    for request in [(false, false), (true, false)] {
        let request = BlockRequest {
            hardware_reset_clears: request.0,
            freeze: request.1,
        };
        for commands in 0..4 {
            let rig = Rig::new();
            killed(&rig, commands, |drive| drive.block_sid(request).map(drop));
            let mut drive = rig.open().unwrap();
            let report = drive.block_sid(request).unwrap();
            assert_eq!(report.state.sid_blocked, Some(true), "after {commands}");
            rig.vdrive().power_cycle().unwrap();
            rig.open()
                .unwrap()
                .tries(&sid(super::MSID.as_bytes()))
                .unwrap();
        }
    }
}

#[test]
fn an_unsupported_mechanism_is_refused_before_anything_is_sent() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let chosen = drive.data_removal_mechanism().unwrap();
    assert_eq!(chosen, Some(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE));
    let before = rig.commands();
    let error = drive.set_data_removal_mechanism(DataRemovalMechanism::UNMAP, &sid(PIN));
    assert_eq!(error.unwrap_err().code(), ErrorCode::NotSupported);
    assert_eq!(rig.commands(), before);
}

#[test]
fn choosing_a_mechanism_survives_a_kill_anywhere() {
    let wanted = DataRemovalMechanism::CRYPTOGRAPHIC_ERASE;
    let choose = |drive: &mut Drive| drive.set_data_removal_mechanism(wanted, &sid(PIN));
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        let was_killed = killed(&rig, commands, choose);
        let mut drive = rig.open().unwrap();
        choose(&mut drive).unwrap();
        assert_eq!(drive.data_removal_mechanism().unwrap(), Some(wanted));
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert!(commands >= 9, "{commands}");
}

#[test]
fn an_attempt_by_authenticate_is_counted_as_any_other() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let session = RawSession {
        sp: uid::LOCKING_SP,
        credential: None,
    };
    let mut authenticate = |proof: &[u8]| {
        let call = RawCall {
            object: uid::THIS_SP,
            method: method::AUTHENTICATE,
            arguments: vec![uid::ADMIN1.into(), Value::named(0_u64, proof)],
        };
        let results = drive.raw_query(session, &call).unwrap();
        let attempts = drive.tally(Authority::Admin(1)).unwrap().attempts;
        (results, attempts)
    };
    assert_eq!(authenticate(b"wrong"), (vec![false.into()], 1));
    assert_eq!(authenticate(b"wrong again"), (vec![false.into()], 2));
    assert_eq!(authenticate(PIN), (vec![true.into()], 0));
}

#[test]
fn a_consent_to_another_drive_changes_nothing() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let other = Identity::new(Bus::Virtual, b"model", b"OTHER", b"1.0");
    let consent = EraseConsent::new("OTHER", &other).unwrap();
    let admin = admin1(PIN);
    let columns = [(column::locking::READ_LOCKED, Value::Uint(1))];
    let object = uid::LOCKING_GLOBAL_RANGE;
    let before = rig.commands();
    let refused = drive
        .raw_set(locking(&admin), object, &columns, &consent)
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::ConsentRequired);
    let gen_key = RawCall {
        object: uid::K_AES_256.row(1),
        method: method::GEN_KEY,
        arguments: Vec::new(),
    };
    let refused = drive
        .raw_call(locking(&admin), &gen_key, &consent)
        .unwrap_err();
    assert_eq!(refused.code(), ErrorCode::ConsentRequired);
    let refused = drive.raw_query(locking(&admin), &gen_key).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::ConsentRequired);
    assert_eq!(rig.commands(), before, "something was sent");
}

#[test]
fn sessions_that_cannot_be_are_refused_before_anything_is_sent() {
    let rig = Rig::new();
    let drive = rig.open().unwrap();
    let inactive = drive.require_session(uid::LOCKING_SP, None).unwrap_err();
    assert!(matches!(inactive.cause(), Cause::NotActivated));
    let strange = drive
        .require_session(uid::ADMIN_SP, Some(Authority::User(1)))
        .unwrap_err();
    assert!(matches!(strange.cause(), Cause::WrongAuthority(_)));
    drive
        .require_session(uid::ADMIN_SP, Some(Authority::Sid))
        .unwrap();
}

#[test]
fn an_authority_without_a_name_acts_by_its_row() {
    let rig = Rig::set_up();
    let admin1 = Authority::Other {
        sp: uid::ADMIN_SP,
        uid: uid::ADMIN_SP_ADMIN1,
    };
    let owner = sid(PIN);
    let session = RawSession {
        sp: uid::ADMIN_SP,
        credential: Some(&owner),
    };
    let mut drive = rig.open().unwrap();
    for (object, column, value) in [
        (
            admin1.c_pin(),
            column::c_pin::PIN,
            Value::from("of-the-admin-sp"),
        ),
        (admin1.uid(), column::authority::ENABLED, Value::Uint(1)),
    ] {
        let columns = [(column, value)];
        drive
            .raw_set(session, object, &columns, &rig.consent())
            .unwrap();
    }
    let credential = Credential::new(admin1, pin(b"of-the-admin-sp"));
    let session = RawSession {
        credential: Some(&credential),
        ..session
    };
    let row = drive.raw_get(session, uid::C_PIN_SID, None).unwrap();
    assert_eq!(row.uint(column::c_pin::TRY_LIMIT).unwrap(), Some(5));
    assert!(row.value(column::c_pin::PIN).is_none());
    let wrong = Credential::new(admin1, pin(b"wrong"));
    let session = RawSession {
        credential: Some(&wrong),
        ..session
    };
    let refused = drive.raw_get(session, uid::C_PIN_SID, None).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::NotAuthorized);
}

/// A dump of everything that Admin1 sees, on a drive with 192 ranges: every row by name.
#[test]
fn a_dump_names_every_row_of_a_drive_with_192_ranges() {
    let rig = Rig::with(|options| {
        options.profile = Profile::named("kioxia-cm6").unwrap();
        options.size = 520 << 17;
    });
    let mut drive = rig.open().unwrap();
    drive.setup(&Default::default(), &pin(PIN)).unwrap();
    let admin = admin1(PIN);
    let dump = drive.dump(locking(&admin), DumpOptions::default()).unwrap();
    assert!(!dump.truncated);
    let rows = |table: Uid| {
        let found = dump.tables.iter().find(|found| found.uid == table).unwrap();
        match &found.contents {
            DumpedContents::Objects { source, rows } => (*source, rows.clone()),
            contents => panic!("{contents:?}"),
        }
    };
    let (source, ranges) = rows(uid::LOCKING);
    assert_eq!((source, ranges.len()), (RowSource::Next, 193));
    let (source, keys) = rows(uid::K_AES_256);
    assert_eq!((source, keys.len()), (RowSource::Standard, 193));
    for (table, prefix) in [
        (uid::ACE, "ACE_"),
        (uid::C_PIN, "C_PIN_"),
        (uid::LOCKING, "Locking_"),
    ] {
        for row in rows(table).1 {
            let name = uid::name(row.uid).unwrap_or_default();
            assert!(name.starts_with(prefix), "{} is {name:?}", row.uid);
        }
    }
}

#[test]
fn anybody_sees_less_than_admin1() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let count = |dump: sedkit::drive::Dump| {
        let tables = dump.tables.iter();
        let rows = tables.map(|table| match &table.contents {
            DumpedContents::Objects { rows, .. } => rows
                .iter()
                .map(|row| row.columns.as_ref().map_or(0, |row| row.columns().count()))
                .sum(),
            _ => 0_usize,
        });
        rows.sum::<usize>()
    };
    let anybody = RawSession {
        sp: uid::LOCKING_SP,
        credential: None,
    };
    let seen = count(drive.dump(anybody, DumpOptions::default()).unwrap());
    let admin = admin1(PIN);
    let all = count(drive.dump(locking(&admin), DumpOptions::default()).unwrap());
    assert!(seen > 50 && all > 2 * seen, "{seen} of {all}");
}

#[test]
fn facts_need_nobody() {
    let rig = Rig::new();
    let mut drive = rig.open().unwrap();
    assert_eq!(drive.random(100).unwrap().len(), 100);
    let found = drive.protocol_information().unwrap();
    let protocols = found.protocols.unwrap();
    assert_eq!(
        protocols
            .0
            .iter()
            .map(|protocol| protocol.0)
            .collect::<Vec<_>>(),
        [0, 1, 2]
    );
    assert!(found.certificate.unwrap().0.is_empty());
    let rows = drive.raw_next(ANYBODY, uid::SP).unwrap();
    assert_eq!(rows, [uid::ADMIN_SP, uid::LOCKING_SP]);
    let acl = drive
        .raw_acl(ANYBODY, uid::C_PIN_MSID, method::GET)
        .unwrap();
    assert_eq!(acl.len(), 1);
    assert_eq!(acl[0].0, uid::ACE.row(0x8c04));
}

/// Errors of raw calls are the drive's own, with their step.
#[test]
fn what_the_drive_refuses_is_told() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let step = |error: &Error| error.step().map(|step| step.name());
    let hidden = drive.raw_get(ANYBODY, uid::C_PIN_SID, None).unwrap_err();
    assert_eq!(
        (hidden.code(), step(&hidden)),
        (ErrorCode::NotAuthorized, Some("read_object"))
    );
    let random = RawCall {
        object: uid::THIS_SP,
        method: method::RANDOM,
        arguments: vec![Value::from("many")],
    };
    let refused = drive.raw_query(ANYBODY, &random).unwrap_err();
    assert_eq!(step(&refused), Some("call_method"));
    // The session was ended all the same: the next one opens at once.
    drive.raw_get(ANYBODY, uid::TPER_INFO, None).unwrap();
}
