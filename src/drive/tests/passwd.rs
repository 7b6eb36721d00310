use super::super::{
    Authority, Credential, DriveOptions, Error, ErrorCode, Journal, PasswdReport, PinChange, Proof,
    Step, Tries,
};
use super::dialogue::*;
use crate::session::testing::{Line, recv, send, silence};
use crate::spec::{MethodStatus, uid};
use crate::wire::Value;

const SUCCESS: MethodStatus = MethodStatus::SUCCESS;
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;

fn sid(pin: &[u8]) -> Credential {
    Credential::new(Authority::Sid, secret(pin))
}

fn admin1() -> Credential {
    Credential::new(Authority::Admin(1), secret(NEW))
}

#[test]
fn a_new_pin_is_proven_by_authenticating() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5"), send("7.12"), recv("7.14")],
        end(),
        start(uid::ADMIN_SP, uid::SID, NEW),
        end(),
    ];
    let (report, commands) = run(lines, |drive| {
        drive.change_pin(Authority::Sid, &sid(OLD), &secret(NEW))
    });
    let report = report.unwrap();
    assert!(report.changed);
    assert_eq!(report.proof, Proof::Authenticated);
    assert_eq!(commands, 11);
}

/// SID's PIN from `OLD` to `NEW`, where the drive refuses `OLD`.
fn change_refused(options: DriveOptions, second: Vec<Vec<Line>>) -> Result<PasswdReport, Error> {
    let mut lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        start_refused(uid::ADMIN_SP, uid::SID, OLD, REFUSED),
    ];
    lines.extend(second);
    let (report, _) = run_with(options, lines, |drive| {
        drive.change_pin(Authority::Sid, &sid(OLD), &secret(NEW))
    });
    report
}

#[test]
fn a_wrong_old_pin_costs_one_attempt() {
    let (folder, options) = noted(&[Authority::Admin(1)]);
    for options in [DriveOptions::default(), options] {
        let error = change_refused(options, Vec::new()).unwrap_err();
        assert_eq!(error.code(), ErrorCode::NotAuthorized);
        assert_eq!(error.status(), Some(REFUSED));
        assert!(error.to_string().contains("--tries 2"), "{error}");
    }
    assert_eq!(notes(&folder), ["SERIAL0001.Admin1"]);
}

#[test]
fn a_change_that_an_earlier_run_made_is_recognised() {
    let taken = || vec![start(uid::ADMIN_SP, uid::SID, NEW), end()];
    let (folder, options) = noted(&[Authority::Sid]);
    for options in [tries(2), options] {
        let report = change_refused(options, taken()).unwrap();
        assert!(!report.changed);
        assert_eq!(report.proof, Proof::Authenticated);
    }
    assert!(notes(&folder).is_empty());
}

#[test]
fn the_second_attempt_has_errors_of_its_own() {
    let (folder, options) = noted(&[Authority::Sid]);
    for (status, code) in [
        (REFUSED, ErrorCode::NotAuthorized),
        (MethodStatus::AUTHORITY_LOCKED_OUT, ErrorCode::LockedOut),
    ] {
        let second = vec![start_refused(uid::ADMIN_SP, uid::SID, NEW, status)];
        let error = change_refused(options.clone(), second).unwrap_err();
        assert_eq!(error.code(), code);
    }
    assert_eq!(notes(&folder), ["SERIAL0001.SID"]);
}

#[test]
fn a_note_is_there_while_the_outcome_is_unknown() {
    let (folder, options) = noted(&[]);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5"), send("7.12")],
        silence(),
        end(),
    ];
    let (report, _) = run_with(options, lines, |drive| {
        drive.change_pin(Authority::Sid, &sid(OLD), &secret(NEW))
    });
    assert_eq!(report.unwrap_err().step(), Some(Step::SetPin));
    assert_eq!(notes(&folder), ["SERIAL0001.SID"]);
}

#[test]
fn of_several_pins_the_notes_stay_until_all_are_changed() {
    let (folder, options) = noted(&[]);
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5"), send("7.12"), recv("7.14")],
        end(),
        start(uid::ADMIN_SP, uid::SID, NEW),
        end(),
        start_refused(uid::LOCKING_SP, uid::ADMIN1, OLD, REFUSED),
    ];
    let change = |authority| PinChange {
        authority,
        by: Credential::new(authority, secret(OLD)),
        new_pin: secret(NEW),
    };
    let changes = [Authority::Sid, Authority::Admin(1)].map(change);
    let (reports, _) = run_with(options, lines, |drive| {
        let (reports, error) = drive.change_pins(&changes);
        assert_eq!(error.unwrap().code(), ErrorCode::NotAuthorized);
        Ok(reports)
    });
    assert_eq!(reports.unwrap().len(), 1);
    assert_eq!(notes(&folder), ["SERIAL0001.SID"]);
}

#[test]
fn a_journal_that_cannot_be_written_is_told() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let options = DriveOptions {
        journal: Some(Journal::new(file.path())),
        ..DriveOptions::default()
    };
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5"), send("7.12"), recv("7.14")],
        end(),
        start(uid::ADMIN_SP, uid::SID, NEW),
        end(),
    ];
    let (report, _) = run_with(options, lines, |drive| {
        drive.change_pin(Authority::Sid, &sid(OLD), &secret(NEW))
    });
    assert!(report.unwrap().journal_failed);
}

#[test]
fn a_lock_out_is_not_tried_again_and_neither_is_the_same_pin() {
    let (_folder, options) = noted(&[Authority::Sid]);
    for (status, new, code) in [
        (
            MethodStatus::AUTHORITY_LOCKED_OUT,
            NEW,
            ErrorCode::LockedOut,
        ),
        (REFUSED, OLD, ErrorCode::NotAuthorized),
    ] {
        let lines = vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            start_refused(uid::ADMIN_SP, uid::SID, OLD, status),
        ];
        let (report, _) = run_with(options.clone(), lines, |drive| {
            drive.change_pin(Authority::Sid, &sid(OLD), &secret(new))
        });
        assert_eq!(report.unwrap_err().code(), code);
    }
}

#[test]
fn a_pin_that_does_not_open_is_an_error() {
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5"), send("7.12"), recv("7.14")],
        end(),
        start_refused(uid::ADMIN_SP, uid::SID, NEW, REFUSED),
    ];
    let (report, _) = run(lines, |drive| {
        drive.change_pin(Authority::Sid, &sid(OLD), &secret(NEW))
    });
    let error = report.unwrap_err();
    assert_eq!(error.step(), Some(Step::ProvePin));
    assert_eq!(error.code(), ErrorCode::Failed);
}

#[test]
fn an_admin_changes_the_pin_of_a_user() {
    let user = uid::user(1);
    for (enabled, proof) in [
        (true, Proof::Authenticated),
        (false, Proof::AuthorityDisabled),
    ] {
        let mut lines = vec![
            vec![discovery(ACTIVE, SID_DIFFERS)],
            start(uid::LOCKING_SP, uid::ADMIN1, NEW),
            set(uid::c_pin(user), vec![(3, OLD.into())], SUCCESS),
            get(user, 5, 5, vec![(5, enabled.into())]),
            end(),
        ];
        if enabled {
            lines.extend([start(uid::LOCKING_SP, user, OLD), end()]);
        }
        let (report, _) = run(lines, |drive| {
            drive.change_pin(Authority::User(1), &admin1(), &secret(OLD))
        });
        assert_eq!(report.unwrap().proof, proof);
    }
}

#[test]
fn nobody_changes_what_no_access_control_allows() {
    for (authority, acting) in [
        (Authority::Psid, Authority::Psid),
        (Authority::Admin(1), Authority::Sid),
        (Authority::Sid, Authority::Admin(1)),
        (Authority::User(1), Authority::User(2)),
        (Authority::Admin(1), Authority::User(1)),
    ] {
        let (report, commands) = run(vec![vec![discovery(ACTIVE, SID_DIFFERS)]], |drive| {
            let credential = Credential::new(acting, secret(OLD));
            drive.change_pin(authority, &credential, &secret(NEW))
        });
        assert_eq!(report.unwrap_err().code(), ErrorCode::InvalidRequest);
        assert_eq!(commands, 1);
    }
}

#[test]
fn tries_are_shown_as_far_as_the_authority_may_see_them() {
    let shown = vec![(5, Value::Uint(5)), (6, Value::Uint(1)), (7, false.into())];
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.10"), recv("7.5")],
        get(uid::C_PIN_SID, 5, 7, shown),
        end(),
    ];
    let (tries, _) = run(lines, |drive| drive.tries(&sid(OLD)));
    let expected = Tries {
        tries: Some(1),
        try_limit: Some(5),
        persistence: Some(false),
    };
    assert_eq!(tries.unwrap(), expected);

    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        start(uid::LOCKING_SP, uid::user(1), NEW),
        get_refused(uid::c_pin(uid::user(1)), 5, 7),
        end(),
    ];
    let user = Credential::new(Authority::User(1), secret(NEW));
    let (tries, _) = run(lines, |drive| drive.tries(&user));
    assert_eq!(tries.unwrap(), Tries::default());

    // Those of PSID are shown to anybody: no attempt is made.
    let lines = vec![
        vec![discovery(ACTIVE, SID_DIFFERS)],
        vec![send("7.4"), recv("7.5")],
        get(uid::c_pin(uid::PSID), 5, 7, vec![(5, Value::Uint(5))]),
        end(),
    ];
    let psid = Credential::new(Authority::Psid, secret(NEW));
    let (tries, _) = run(lines, |drive| drive.tries(&psid));
    assert_eq!(tries.unwrap().try_limit, Some(5));
}
