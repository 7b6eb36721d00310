//! Every operation, and how many IF commands it takes; host and drive count the same.

use sedkit::drive::{
    Authority, Cause, Credential, Drive, ErrorCode, Finding, LockRequest, MbrOutcome, OtherRanges,
    Proof, RangeSpec, SetupPlan, UnlockRequest,
};
use sedkit::spec::{
    ComId, HalfUid, LifeCycle, MethodStatus, RangeNumber, SecurityProtocol, Uid, column, method,
    uid,
};
use sedkit::transport::Transport;
use sedkit::wire::Value;

use super::{Fate, OTHER_PIN, PIN, PSID, Rig, admin1, pin, psid, ranges, sid};

/// The IF commands of an operation in a process of its own, as both sides count them.
fn counted<T>(rig: &Rig, operation: impl FnOnce(&mut Drive) -> T) -> (T, u64) {
    let before = rig.commands();
    let mut drive = rig.open().unwrap();
    let result = operation(&mut drive);
    let counts = drive.if_counts();
    let commands = rig.commands() - before;
    assert_eq!(counts.send + counts.recv, commands);
    assert_eq!(rig.vdrive().info().open_sessions, 0);
    (result, commands)
}

fn global(mbr_done: bool) -> UnlockRequest {
    UnlockRequest {
        ranges: ranges([0]),
        mbr_done,
        ..UnlockRequest::default()
    }
}

/// Ranges 1 to 8 of 8 blocks each.
fn nine_ranges(rig: &Rig) {
    let specs = (1..=8).map(|number| RangeSpec {
        number: RangeNumber(number),
        start: u64::from(number) * 64,
        length: 64,
    });
    let plan = SetupPlan {
        ranges: specs.collect(),
        consent: Some(rig.consent()),
        ..SetupPlan::default()
    };
    let mut drive = rig.open().unwrap();
    let report = drive.setup(&plan, &pin(PIN)).unwrap();
    assert_eq!(report.ranges.len(), 8);
}

fn enable_mbr(rig: &Rig) {
    let mut tper = rig.tper();
    let pin = pin(PIN);
    let mut session = tper
        .start_session(uid::LOCKING_SP, Some((uid::ADMIN1, &pin)))
        .unwrap();
    let enable = [
        (column::mbr_control::ENABLE, true.into()),
        (column::mbr_control::DONE, true.into()),
    ];
    session.set(uid::MBR_CONTROL, enable).unwrap();
    session.end().unwrap();
}

#[test]
fn discovery_takes_one_command() {
    let (state, commands) = counted(&Rig::new(), |drive| drive.state());
    assert_eq!(state.word(), "factory");
    assert_eq!(commands, 1);
}

#[test]
fn setup_takes_25_commands_and_is_only_read_again() {
    let rig = Rig::new();
    let (report, commands) = counted(&rig, |drive| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap()
    });
    assert!(report.changed && report.owned && report.activated);
    assert_eq!(report.ranges[0].is_lock_enabled(), Some(true));
    assert!(commands <= 26, "{commands}");
    let info = rig.vdrive().info();
    assert_eq!(info.life_cycle, LifeCycle::MANUFACTURED);
    assert!(info.is_owned && !info.mbr_enabled);

    let (report, commands) = counted(&rig, |drive| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap()
    });
    assert!(!report.changed);
    assert_eq!(commands, 11);
    assert_eq!(rig.take_refused(), 0);
}

#[test]
fn the_global_range_is_unlocked_in_7_commands_and_not_twice() {
    let rig = Rig::set_up();
    rig.vdrive().power_cycle().unwrap();
    assert!(rig.vdrive().read(0, 1).is_err());
    let (report, commands) = counted(&rig, |drive| {
        assert_eq!(drive.state().word(), "locked");
        drive.unlock(&global(false), &admin1(PIN)).unwrap()
    });
    assert!(report.changed);
    assert_eq!(commands, 7);
    assert!(rig.vdrive().read(0, 1).is_ok());

    let (report, commands) = counted(&rig, |drive| {
        drive.unlock(&global(true), &admin1(PIN)).unwrap()
    });
    assert!(!report.changed);
    assert_eq!(commands, 1);
}

#[test]
fn the_global_range_and_the_shadow_mbr_take_9_commands() {
    let rig = Rig::set_up();
    enable_mbr(&rig);
    rig.vdrive().power_cycle().unwrap();
    let (report, commands) = counted(&rig, |drive| {
        drive.unlock(&global(true), &admin1(PIN)).unwrap()
    });
    assert!(matches!(report.mbr, MbrOutcome::Hidden));
    assert_eq!(commands, 9);
    let info = rig.vdrive().info();
    assert!(info.mbr_enabled && info.mbr_done);
}

#[test]
fn setup_switches_the_shadow_mbr_off() {
    let rig = Rig::set_up();
    enable_mbr(&rig);
    let (report, _) = counted(&rig, |drive| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap()
    });
    assert!(report.mbr_disabled);
    assert!(!rig.vdrive().info().mbr_enabled);
}

#[test]
fn nine_ranges_and_the_shadow_mbr_take_25_commands() {
    let rig = Rig::set_up();
    nine_ranges(&rig);
    enable_mbr(&rig);
    rig.vdrive().power_cycle().unwrap();
    let request = UnlockRequest {
        ranges: ranges(0..9),
        mbr_done: true,
        ..UnlockRequest::default()
    };
    let (report, commands) = counted(&rig, |drive| drive.unlock(&request, &admin1(PIN)).unwrap());
    assert!(report.first_error().is_none());
    assert_eq!(commands, 25);
    let (state, _) = counted(&rig, |drive| drive.state());
    assert_eq!(state.word(), "unlocked");
}

#[test]
fn all_ranges_are_unlocked_without_being_named() {
    let rig = Rig::set_up();
    rig.vdrive().power_cycle().unwrap();
    let (report, commands) = counted(&rig, |drive| {
        drive
            .unlock(&UnlockRequest::default(), &admin1(PIN))
            .unwrap()
    });
    assert_eq!(report.ranges.len(), 1);
    assert_eq!(commands, 8);

    nine_ranges(&rig);
    rig.vdrive().power_cycle().unwrap();
    let (report, _) = counted(&rig, |drive| {
        drive
            .unlock(&UnlockRequest::default(), &admin1(PIN))
            .unwrap()
    });
    assert_eq!(report.ranges.len(), 9);
    let (state, _) = counted(&rig, |drive| drive.state());
    assert_eq!(state.word(), "unlocked");
}

#[test]
fn reading_only_leaves_writing_locked() {
    let rig = Rig::set_up();
    rig.vdrive().power_cycle().unwrap();
    let request = UnlockRequest {
        read_only: true,
        ..global(false)
    };
    counted(&rig, |drive| drive.unlock(&request, &admin1(PIN)).unwrap());
    assert!(rig.vdrive().read(0, 1).is_ok());
    assert!(rig.vdrive().write(0, &[0; 512]).is_err());
}

#[test]
fn reading_only_leaves_alone_what_can_be_read() {
    let rig = Rig::set_up();
    nine_ranges(&rig);
    let request = LockRequest {
        ranges: ranges([1]),
        ..LockRequest::default()
    };
    counted(&rig, |drive| drive.lock(&request, &admin1(PIN)).unwrap());
    let request = UnlockRequest {
        read_only: true,
        ..UnlockRequest::default()
    };
    counted(&rig, |drive| drive.unlock(&request, &admin1(PIN)).unwrap());
    assert!(rig.vdrive().write(0, &[0; 512]).is_ok());
    assert!(rig.vdrive().read(64, 1).is_ok());
    assert!(rig.vdrive().write(64, &[0; 512]).is_err());
}

#[test]
fn locking_is_proven_in_8_commands() {
    let rig = Rig::set_up();
    let request = LockRequest {
        ranges: ranges([0]),
        ..LockRequest::default()
    };
    let (report, commands) = counted(&rig, |drive| drive.lock(&request, &admin1(PIN)).unwrap());
    assert!(report.first_error().is_none());
    assert_eq!(commands, 8);
    assert!(rig.vdrive().read(0, 1).is_err());
    // Locked already: proven by reading back.
    counted(&rig, |drive| drive.lock(&request, &admin1(PIN)).unwrap());
}

#[test]
fn ranges_of_others_are_left_alone() {
    let rig = Rig::set_up();
    nine_ranges(&rig);
    let lock = LockRequest {
        except: ranges([2, 3]),
        ..LockRequest::default()
    };
    let (report, _) = counted(&rig, |drive| drive.lock(&lock, &admin1(PIN)).unwrap());
    assert!(report.first_error().is_none());
    let numbers: Vec<_> = report.ranges.iter().map(|outcome| outcome.range).collect();
    assert_eq!(numbers, ranges([0, 1, 4, 5, 6, 7, 8]));
    assert!(rig.vdrive().read(64, 1).is_err());
    assert!(rig.vdrive().read(2 * 64, 1).is_ok());
    assert!(rig.vdrive().read(3 * 64, 1).is_ok());
    // All are locked; of two, others have the key.
    counted(&rig, |drive| {
        drive.lock(&LockRequest::default(), &admin1(PIN)).unwrap()
    });
    let unlock = UnlockRequest {
        except: ranges([2, 3]),
        ..UnlockRequest::default()
    };
    let (report, _) = counted(&rig, |drive| drive.unlock(&unlock, &admin1(PIN)).unwrap());
    assert!(report.changed && report.first_error().is_none());
    let numbers: Vec<_> = report.ranges.iter().map(|outcome| outcome.range).collect();
    assert_eq!(numbers, ranges([0, 1, 4, 5, 6, 7, 8]));
    assert!(rig.vdrive().read(64, 1).is_ok());
    assert!(rig.vdrive().read(2 * 64, 1).is_err());
    assert!(rig.vdrive().read(3 * 64, 1).is_err());
}

#[test]
fn where_all_ranges_are_others_nothing_is_done() {
    let rig = Rig::set_up();
    let lock = LockRequest {
        except: ranges([0]),
        ..LockRequest::default()
    };
    let (report, _) = counted(&rig, |drive| drive.lock(&lock, &admin1(PIN)).unwrap());
    assert!(report.ranges.is_empty());
    assert!(rig.vdrive().read(0, 1).is_ok());
    counted(&rig, |drive| {
        drive.lock(&LockRequest::default(), &admin1(PIN)).unwrap()
    });
    let unlock = UnlockRequest {
        except: ranges([0]),
        ..UnlockRequest::default()
    };
    let (report, _) = counted(&rig, |drive| drive.unlock(&unlock, &admin1(PIN)).unwrap());
    assert!(!report.changed && report.ranges.is_empty());
    assert!(rig.vdrive().read(0, 1).is_err());
}

#[test]
fn a_range_without_locking_enabled_cannot_be_locked() {
    let rig = Rig::set_up();
    let request = LockRequest {
        ranges: ranges([3]),
        ..LockRequest::default()
    };
    let (result, _) = counted(&rig, |drive| drive.lock(&request, &admin1(PIN)).map(drop));
    assert_eq!(result.unwrap_err().code(), ErrorCode::Failed);
    // All ranges are those with locking enabled.
    let (report, _) = counted(&rig, |drive| {
        drive.lock(&LockRequest::default(), &admin1(PIN)).unwrap()
    });
    let numbers: Vec<_> = report.ranges.iter().map(|outcome| outcome.range).collect();
    assert_eq!(numbers, ranges([0]));
}

#[test]
fn ranges_are_listed_as_far_as_they_are_visible() {
    let rig = Rig::set_up();
    let (shown, _) = counted(&rig, |drive| drive.ranges(Some(&admin1(PIN))).unwrap());
    assert!(shown.len() >= 9);
    assert_eq!(shown[0].number, RangeNumber::GLOBAL);
    assert_eq!(shown[0].read_lock_enabled, Some(true));
    assert_eq!(shown[1].range_length, Some(0));
    assert_eq!(shown[0].lock_on_reset, Some(vec![0]));
    let (shown, _) = counted(&rig, |drive| drive.ranges(None).unwrap());
    assert_eq!(shown[0].read_lock_enabled, None);
}

#[test]
fn pins_are_changed_one_by_one() {
    let rig = Rig::set_up();
    for (authority, old) in [
        (Authority::Sid, sid(PIN)),
        (Authority::Admin(1), admin1(PIN)),
    ] {
        let (report, commands) = counted(&rig, |drive| {
            drive.change_pin(authority, &old, &pin(OTHER_PIN)).unwrap()
        });
        assert!(report.changed);
        assert_eq!(commands, 11);
    }
    assert_eq!(rig.take_refused(), 0);
    rig.vdrive().power_cycle().unwrap();
    counted(&rig, |drive| {
        drive.unlock(&global(false), &admin1(OTHER_PIN)).unwrap()
    });
    let (result, _) = counted(&rig, |drive| drive.tries(&sid(PIN)).map(drop));
    assert_eq!(result.unwrap_err().code(), ErrorCode::NotAuthorized);
}

#[test]
fn a_user_is_named_when_it_is_disabled() {
    let rig = Rig::set_up();
    let (report, _) = counted(&rig, |drive| {
        drive
            .change_pin(Authority::User(1), &admin1(PIN), &pin(OTHER_PIN))
            .unwrap()
    });
    assert_eq!(report.proof, Proof::AuthorityDisabled);
    let unknown = Credential::new(Authority::User(999), pin(PIN));
    let (result, _) = counted(&rig, |drive| drive.ranges(Some(&unknown)).map(drop));
    let error = result.unwrap_err();
    assert_ne!(error.code(), ErrorCode::Malformed, "{error}");
}

#[test]
fn a_revert_brings_back_the_factory_state_in_6_commands() {
    for by in [psid(), sid(PIN)] {
        let rig = Rig::set_up();
        let consent = rig.consent();
        let (report, commands) = counted(&rig, |drive| drive.revert(&by, consent).unwrap());
        assert_eq!(report.state.word(), "factory");
        assert!(commands <= 7, "{commands}");
        // And it can be set up again.
        counted(&rig, |drive| {
            drive.setup(&SetupPlan::default(), &pin(OTHER_PIN)).unwrap()
        });
    }
}

#[test]
fn a_wrong_psid_changes_nothing() {
    let rig = Rig::set_up();
    let wrong = Credential::new(Authority::Psid, pin(&PSID.as_bytes()[1..]));
    let consent = rig.consent();
    let (result, _) = counted(&rig, |drive| drive.revert(&wrong, consent).map(drop));
    assert_eq!(result.unwrap_err().code(), ErrorCode::NotAuthorized);
    assert!(rig.vdrive().info().is_owned);
}

#[test]
fn a_wrong_pin_is_told_and_tried_once() {
    let rig = Rig::set_up();
    rig.vdrive().power_cycle().unwrap();
    let (result, _) = counted(&rig, |drive| {
        let wrong = admin1(OTHER_PIN);
        drive.unlock(&global(false), &wrong).unwrap_err();
        drive.unlock(&global(false), &wrong).map(drop)
    });
    assert_eq!(result.unwrap_err().code(), ErrorCode::NotAuthorized);
    assert_eq!(rig.take_refused(), 1);
}

#[test]
fn a_drive_of_somebody_else_is_not_set_up() {
    let rig = Rig::set_up();
    let (result, _) = counted(&rig, |drive| {
        drive
            .setup(&SetupPlan::default(), &pin(OTHER_PIN))
            .map(drop)
    });
    assert_eq!(result.unwrap_err().code(), ErrorCode::NotAuthorized);
    assert_eq!(rig.take_refused(), 1);
}

#[test]
fn properties_and_msid_are_shown_to_anybody() {
    let rig = Rig::new();
    let (properties, commands) = counted(&rig, |drive| drive.properties().unwrap());
    assert_eq!(commands, 3);
    assert!(properties.send_limit >= 2048);
    let (msid, commands) = counted(&rig, |drive| drive.msid().unwrap());
    assert_eq!(msid.expose(), super::MSID.as_bytes());
    assert_eq!(commands, 7);
}

#[test]
fn larger_messages_follow_an_exchange_of_properties() {
    let rig = Rig::set_up();
    let mut tper = rig.tper();
    let pin = pin(PIN);
    tper.prepare_for_tokens_of(10_000).unwrap();
    assert!(tper.limits().ind_token >= 1992);
    let mut session = tper
        .start_session(uid::LOCKING_SP, Some((uid::ADMIN1, &pin)))
        .unwrap();
    let length = session.limits().ind_token.min(12_000) - 64;
    let bytes: Vec<u8> = (0..length).map(|index| index.to_le_bytes()[0]).collect();
    session.set_bytes(uid::DATA_STORE, 0, &bytes).unwrap();
    let end = u64::try_from(length).unwrap();
    assert_eq!(session.get_bytes(uid::DATA_STORE, 0..end).unwrap(), bytes);
    session.end().unwrap();
}

/// Admins, or this User.
fn admins_or(user: u16) -> Value {
    let authority = |uid: Uid| Value::named(HalfUid::AUTHORITY_OBJECT_REF, uid);
    let or = Value::named(HalfUid::BOOLEAN_ACE, 1_u64);
    Value::list([
        authority(uid::AUTHORITY.row(2)),
        authority(uid::user(user)),
        or,
    ])
}

/// Gives a User a PIN and the right to unlock a range.
fn grant(rig: &Rig, user: u16, range: u32, pin_bytes: &[u8]) {
    let mut tper = rig.tper();
    let owner = pin(PIN);
    let mut session = tper
        .start_session(uid::LOCKING_SP, Some((uid::ADMIN1, &owner)))
        .unwrap();
    let user_uid = uid::user(user);
    let enabled = [(column::authority::ENABLED, true.into())];
    session.set(user_uid, enabled).unwrap();
    let new_pin = [(column::c_pin::PIN, pin_bytes.into())];
    session.set(uid::c_pin(user_uid), new_pin).unwrap();
    for ace in [0x0003_e000 + range, 0x0003_e800 + range] {
        let expression = [(column::ace::BOOLEAN_EXPR, admins_or(user))];
        session.set(uid::ACE.row(ace), expression).unwrap();
    }
    session.end().unwrap();
}

#[test]
fn a_user_unlocks_what_it_may_and_changes_its_own_pin() {
    let rig = Rig::set_up();
    nine_ranges(&rig);
    grant(&rig, 2, 3, PIN);
    rig.vdrive().power_cycle().unwrap();
    let user = Credential::new(Authority::User(2), pin(PIN));

    let (report, _) = counted(&rig, |drive| {
        drive.unlock(&UnlockRequest::default(), &user).unwrap()
    });
    let numbers: Vec<_> = report.ranges.iter().map(|outcome| outcome.range).collect();
    assert_eq!(numbers, ranges([3]));
    assert!(rig.vdrive().read(3 * 64, 1).is_ok());
    assert!(rig.vdrive().read(0, 1).is_err());

    // What it may not unlock is told where it was named.
    let request = UnlockRequest {
        ranges: ranges([3, 4]),
        ..UnlockRequest::default()
    };
    let (report, _) = counted(&rig, |drive| drive.unlock(&request, &user).unwrap());
    let codes: Vec<_> = report
        .ranges
        .iter()
        .map(|outcome| outcome.error.as_ref().map(sedkit::drive::Error::code))
        .collect();
    assert_eq!(codes, [None, Some(ErrorCode::NotAuthorized)]);

    let (report, _) = counted(&rig, |drive| {
        drive
            .change_pin(Authority::User(2), &user, &pin(OTHER_PIN))
            .unwrap()
    });
    assert_eq!(report.proof, Proof::Authenticated);

    let lock = LockRequest {
        ranges: ranges([3]),
        ..LockRequest::default()
    };
    let user = Credential::new(Authority::User(2), pin(OTHER_PIN));
    counted(&rig, |drive| drive.lock(&lock, &user).unwrap());
    assert!(rig.vdrive().read(3 * 64, 1).is_err());
}

#[test]
fn a_blocked_sid_is_diagnosed_and_not_tried() {
    let rig = Rig::new();
    rig.vdrive()
        .if_send(
            SecurityProtocol::TCG_MANAGEMENT,
            ComId::BLOCK_SID,
            &[0; 512],
        )
        .unwrap();
    let (error, commands) = counted(&rig, |drive| {
        assert!(matches!(
            drive.diagnose().as_slice(),
            [Finding::SidBlocked { .. }]
        ));
        drive
            .setup(&SetupPlan::default(), &pin(PIN))
            .map(drop)
            .unwrap_err()
    });
    assert!(matches!(error.cause(), Cause::SidBlocked));
    assert_eq!(commands, 1);
    rig.vdrive().power_cycle().unwrap();
    counted(&rig, |drive| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap()
    });
}

#[test]
fn a_lock_out_is_told_apart_and_ends_with_the_power_cycle() {
    let rig = Rig::set_up();
    let tries = |pin: &[u8]| rig.open().unwrap().tries(&sid(pin));
    let limit = tries(PIN).unwrap().try_limit.unwrap();
    for _ in 0..limit {
        let error = tries(OTHER_PIN).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotAuthorized);
    }
    let error = tries(PIN).unwrap_err();
    assert_eq!(error.code(), ErrorCode::LockedOut);
    rig.vdrive().power_cycle().unwrap();
    assert_eq!(tries(PIN).unwrap().tries, Some(0));
}

#[test]
fn the_global_range_is_locked_again_where_a_revert_is_refused() {
    let rig = Rig::set_up();
    rig.vdrive().power_cycle().unwrap();
    assert!(rig.vdrive().read(0, 1).is_err());
    let mut drive = rig.open_with(Fate::Refuses(method::REVERT_SP)).unwrap();
    let mut was_open = false;
    let mut witness = |_: &[_]| was_open = rig.vdrive().read(0, 1).is_ok();
    let spare = OtherRanges::Spare;
    let error = drive
        .revert_keeping_data(&admin1(PIN), spare, rig.consent(), &mut witness)
        .unwrap_err();
    assert_eq!(error.status(), Some(MethodStatus::NOT_AUTHORIZED));
    assert!(was_open);
    assert!(rig.vdrive().read(0, 1).is_err());
    assert_eq!(rig.take_refused(), 0);
}
