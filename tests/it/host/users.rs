//! Users: enabled and disabled, with rights and without.

use sedkit::drive::{
    Access, AccessError, Authority, Cause, Credential, Drive, Error, Grant, Holder, Proof,
    Revocation, Right,
};
use sedkit::session::Session;
use sedkit::spec::ace::Subject;
use sedkit::spec::{HalfUid, RangeNumber, Uid, column, uid};
use sedkit::wire::Value;

use super::resume::killed;
use super::{OTHER_PIN, PIN, Rig, admin1, pin};

const USER: Authority = Authority::User(2);
const RANGE: RangeNumber = RangeNumber(3);
const READ: Subject = Subject::SetReadLocked(RANGE);
const WRITE: Subject = Subject::SetWriteLocked(RANGE);
const SEE: Subject = Subject::GetRange(RANGE);

fn grant(rights: &[Subject]) -> Grant {
    Grant {
        user: USER,
        rights: rights.to_vec(),
        also: Vec::new(),
    }
}

fn revocation(rights: Option<&[Subject]>) -> Revocation {
    Revocation {
        user: USER,
        rights: rights.map(<[Subject]>::to_vec),
    }
}

fn known(rights: &[Subject]) -> Vec<Right> {
    rights.iter().copied().map(Right::Known).collect()
}

fn access(rig: &Rig) -> Access {
    rig.open().unwrap().access(&admin1(PIN)).unwrap()
}

fn holder(access: &Access, authority: Authority) -> &Holder {
    let mut holders = access.holders.iter();
    let found = holders.find(|holder| holder.authority == Some(authority));
    found.unwrap()
}

fn rights(rig: &Rig, authority: Authority) -> Vec<Right> {
    let mut rights = holder(&access(rig), authority).rights.clone();
    rights.retain(|right| !matches!(right, Right::Known(Subject::SetPin(_))));
    rights
}

/// Works in a session of Admin1 with nothing but the codec and a session.
fn as_admin1<T>(rig: &Rig, work: impl FnOnce(&mut Session<'_>) -> T) -> T {
    let mut tper = rig.tper();
    let credential = Some((uid::ADMIN1, &pin(PIN)));
    let mut session = tper.start_session(uid::LOCKING_SP, credential).unwrap();
    let done = work(&mut session);
    session.end().unwrap();
    done
}

fn authority(authority: Uid) -> Value {
    Value::named(HalfUid::AUTHORITY_OBJECT_REF, authority)
}

fn operator(number: u64) -> Value {
    Value::named(HalfUid::BOOLEAN_ACE, number)
}

fn write_expression(rig: &Rig, subject: Subject, elements: Vec<Value>) {
    let columns = [(column::ace::BOOLEAN_EXPR, Value::List(elements))];
    as_admin1(rig, |session| session.set(subject.rows()[0], columns)).unwrap();
}

fn expression(rig: &Rig, subject: Subject) -> Value {
    let columns = column::ace::BOOLEAN_EXPR..=column::ace::BOOLEAN_EXPR;
    let row = as_admin1(rig, |session| session.get(subject.rows()[0], columns)).unwrap();
    row.value(column::ace::BOOLEAN_EXPR).unwrap().clone()
}

fn access_error(error: &Error) -> AccessError {
    match error.cause() {
        Cause::Access(error) => *error,
        cause => panic!("{cause}"),
    }
}

#[test]
fn a_grant_leaves_admins_and_other_users_in() {
    let rig = Rig::set_up();
    let (user1, user2) = (uid::user(1), uid::user(2));
    let before = vec![authority(uid::ADMINS), authority(user1), operator(1)];
    write_expression(&rig, READ, before.clone());
    let change = rig
        .open()
        .unwrap()
        .grant(&grant(&[READ, WRITE]), &admin1(PIN));
    let change = change.unwrap();
    assert_eq!(change.changed, known(&[READ, WRITE]));
    assert_eq!(change.enabled, Some(false));
    assert!(change.admins_added.is_empty());
    let after = [before, vec![authority(user2), operator(1)]].concat();
    assert_eq!(expression(&rig, READ), Value::List(after));
    assert_eq!(rights(&rig, Authority::User(1)), known(&[READ]));
    assert_eq!(rights(&rig, USER), known(&[READ, WRITE]));
}

#[test]
fn a_grant_that_changes_nothing_sends_no_set() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    drive.grant(&grant(&[READ]), &admin1(PIN)).unwrap();
    let before = rig.commands();
    let change = drive.grant(&grant(&[READ]), &admin1(PIN)).unwrap();
    assert_eq!(change.changed, []);
    assert_eq!(change.unchanged, known(&[READ]));
    assert_eq!(rig.commands() - before, 8, "a session with two Gets");
}

/// sedutil and Linux write "UserX or UserX", which leaves Admins out.
#[test]
fn admins_come_back_where_another_tool_left_them_out() {
    let rig = Rig::set_up();
    let user1 = || authority(uid::user(1));
    write_expression(&rig, READ, vec![user1(), user1(), operator(1)]);
    assert_eq!(access(&rig).without_admins, known(&[READ]));
    let change = rig.open().unwrap().grant(&grant(&[READ]), &admin1(PIN));
    assert_eq!(change.unwrap().admins_added, known(&[READ]));
    assert_eq!(access(&rig).without_admins, []);
    assert_eq!(rights(&rig, Authority::User(1)), known(&[READ]));
}

#[test]
fn an_expression_that_is_more_than_a_list_is_left_alone() {
    let rig = Rig::set_up();
    let both = vec![
        authority(uid::user(1)),
        authority(uid::user(2)),
        operator(0),
    ];
    write_expression(&rig, WRITE, both.clone());
    let mut drive = rig.open().unwrap();
    let refused = drive
        .grant(&grant(&[READ, WRITE]), &admin1(PIN))
        .unwrap_err();
    let expected = AccessError::Expression(Right::Known(WRITE));
    assert_eq!(access_error(&refused), expected);
    for rights in [Some(&[WRITE][..]), None] {
        let refused = drive.revoke(&revocation(rights), &admin1(PIN)).unwrap_err();
        assert_eq!(access_error(&refused), expected);
    }
    assert_eq!(expression(&rig, WRITE), Value::List(both));
    assert_eq!(rights(&rig, USER), [], "nothing was granted");
    assert_eq!(access(&rig).not_understood, known(&[WRITE]));
}

#[test]
fn a_right_that_the_drive_does_not_have_grants_nothing() {
    let rig = Rig::set_up();
    let missing = Subject::SetReadLocked(RangeNumber(9));
    let mut drive = rig.open().unwrap();
    let refused = drive.grant(&grant(&[READ, missing]), &admin1(PIN));
    let expected = AccessError::NoRight(Right::Known(missing));
    assert_eq!(access_error(&refused.unwrap_err()), expected);
    assert_eq!(rights(&rig, USER), []);
    let stranger = Grant {
        user: Authority::User(10),
        ..grant(&[READ])
    };
    let refused = drive.grant(&stranger, &admin1(PIN)).unwrap_err();
    let expected = AccessError::NoAuthority(Authority::User(10));
    assert_eq!(access_error(&refused), expected);
}

#[test]
fn a_revocation_takes_what_it_names_and_nothing_else() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let other = Grant {
        user: Authority::User(1),
        ..grant(&[READ])
    };
    drive.grant(&other, &admin1(PIN)).unwrap();
    let all = [READ, WRITE, SEE, Subject::SetMbrDone];
    drive.grant(&grant(&all), &admin1(PIN)).unwrap();
    let change = drive.revoke(&revocation(Some(&[READ])), &admin1(PIN));
    assert_eq!(change.unwrap().changed, known(&[READ]));
    assert_eq!(rights(&rig, Authority::User(1)), known(&[READ]));
    let mut left = rights(&rig, USER);
    left.sort();
    assert_eq!(left, known(&[WRITE, SEE, Subject::SetMbrDone]));
    let change = drive.revoke(&revocation(None), &admin1(PIN)).unwrap();
    assert_eq!(change.changed.len(), 3);
    assert_eq!(rights(&rig, USER), []);
    let change = drive.revoke(&revocation(None), &admin1(PIN)).unwrap();
    assert_eq!(change.changed, []);
    assert_eq!(rights(&rig, Authority::User(1)), known(&[READ]));
}

#[test]
fn a_right_of_all_users_remains_and_is_told() {
    let rig = Rig::set_up();
    write_expression(
        &rig,
        READ,
        vec![authority(uid::ADMINS), authority(uid::USERS), operator(1)],
    );
    let mut drive = rig.open().unwrap();
    let change = drive.grant(&grant(&[READ]), &admin1(PIN)).unwrap();
    assert_eq!(change.unchanged, known(&[READ]));
    let change = drive
        .revoke(&revocation(Some(&[READ])), &admin1(PIN))
        .unwrap();
    assert_eq!((change.changed, change.remaining), (vec![], known(&[READ])));
    assert_eq!(rights(&rig, Authority::User(7)), known(&[READ]));
}

#[test]
fn authorities_without_a_name_are_shown_by_their_uid() {
    let rig = Rig::set_up();
    write_expression(
        &rig,
        READ,
        vec![authority(uid::ADMINS), authority(uid::ANYBODY), operator(1)],
    );
    let access = access(&rig);
    let anybody = access
        .holders
        .iter()
        .find(|holder| holder.uid == uid::ANYBODY);
    assert_eq!(anybody.unwrap().rights, known(&[READ]));
}

#[test]
fn an_enabled_user_has_its_pin_before_anybody_can_use_it() {
    let rig = Rig::set_up();
    let mut drive = rig.open().unwrap();
    let report = drive
        .enable(USER, Some(&pin(OTHER_PIN)), &admin1(PIN))
        .unwrap();
    assert!(report.changed);
    assert_eq!(report.proof, Some(Proof::Authenticated));
    assert_eq!(holder(&access(&rig), USER).enabled, Some(true));
    assert!(drive.disable(USER, &admin1(PIN)).unwrap());
    assert!(!drive.disable(USER, &admin1(PIN)).unwrap());
    let user = Credential::new(USER, pin(OTHER_PIN));
    assert!(rig.open().unwrap().tries(&user).is_err());
    // The PIN is still there.
    let report = drive.enable(USER, None, &admin1(PIN)).unwrap();
    assert_eq!((report.changed, report.proof), (true, None));
    rig.open().unwrap().tries(&user).unwrap();
}

#[test]
fn admin1_is_not_disabled() {
    let rig = Rig::set_up();
    let refused = rig
        .open()
        .unwrap()
        .disable(Authority::Admin(1), &admin1(PIN));
    assert_eq!(access_error(&refused.unwrap_err()), AccessError::Admin1);
}

#[test]
fn a_user_that_was_being_enabled_is_never_open_to_everybody() {
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        let enable = |drive: &mut Drive| {
            let report = drive.enable(USER, Some(&pin(OTHER_PIN)), &admin1(PIN));
            report.map(drop)
        };
        let was_killed = killed(&rig, commands, enable);
        let case = format!("killed after {commands}");
        rig.wait(std::time::Duration::from_secs(3600));
        let mut tper = rig.tper();
        let empty = tper.start_session(uid::LOCKING_SP, Some((USER.uid(), &pin(b""))));
        assert!(empty.is_err(), "{case}");
        drop(empty);
        enable(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        let user = Credential::new(USER, pin(OTHER_PIN));
        rig.open().unwrap().tries(&user).unwrap();
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert!(commands >= 14, "{commands}");
}

/// A grant of several rights is one transaction: all or none, wherever the process dies.
#[test]
fn a_grant_that_was_killed_anywhere_is_all_or_nothing() {
    let all = [READ, WRITE, SEE];
    let mut commands = 0;
    loop {
        let rig = Rig::set_up();
        let give = |drive: &mut Drive| drive.grant(&grant(&all), &admin1(PIN)).map(drop);
        let was_killed = killed(&rig, commands, give);
        let case = format!("killed after {commands}");
        let found = rights(&rig, USER).len();
        assert!(found == 0 || found == all.len(), "{case}: {found}");
        give(&mut rig.open().unwrap()).unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(rights(&rig, USER).len(), all.len(), "{case}");
        let take = |drive: &mut Drive| drive.revoke(&revocation(None), &admin1(PIN)).map(drop);
        take(&mut rig.open().unwrap()).unwrap();
        if !was_killed {
            break;
        }
        commands += 1;
    }
    assert!(commands >= 24, "{commands}");
}
