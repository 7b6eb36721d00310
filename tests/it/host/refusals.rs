//! A drive that refuses one method in the middle of a verb, whichever it is: the verb ends in an error
//! or goes on, but never with locks off that were on before, and never without a way in; and run
//! again, it is completed.

use sedkit::drive::{
    Authority, Credential, Drive, EraseRequest, Error, Grant, NewRange, OtherRanges, PinChange,
    Place, RangeChoice, RangePolicy, RangeSettings, Reactivation, Releasing, Revocation, SetupPlan,
    SingleUserMode, SingleUserPlan, SingleUserRanges,
};
use sedkit::spec::ace::Subject;
use sedkit::spec::{LifeCycle, RangeNumber, Uid, uid};
use sedkit::vdrive::CreateOptions;
use sedkit::wire::{ComPacket, MethodCall};

use super::{Fate, MSID, OTHER_PIN, PIN, Rig, admin1, pin, psid, sid};

const RANGE: RangeNumber = RangeNumber(1);
const USER: Authority = Authority::User(1);

/// The method that is called in a session; nothing if it is one of the session manager.
pub(super) fn method_of(data: &[u8]) -> Option<Uid> {
    let packet = ComPacket::decode(data).ok()?;
    let call = MethodCall::decode(&packet.packets.first()?.tokens()).ok()?;
    (call.invoking_id != uid::SESSION_MANAGER).then_some(call.method_id)
}

fn small(options: &mut CreateOptions) {
    let locking = &mut options.profile.locking;
    (locking.ranges, locking.users) = (2, 3);
    (locking.mbr_size, locking.data_store_size) = (64 << 10, 16 << 10);
}

fn factory() -> Rig {
    Rig::with(small)
}

fn set_up() -> Rig {
    let rig = factory();
    let mut drive = rig.open().unwrap();
    drive.setup(&SetupPlan::default(), &pin(PIN)).unwrap();
    rig
}

/// With a range of its own, and a User.
fn furnished() -> Rig {
    let rig = set_up();
    let mut drive = rig.open().unwrap();
    let admin = admin1(PIN);
    let new = new_range();
    drive.create_range(&new, &admin, &rig.consent()).unwrap();
    drive.enable(USER, Some(&pin(OTHER_PIN)), &admin).unwrap();
    rig
}

fn new_range() -> NewRange {
    NewRange {
        choice: RangeChoice::Free(RANGE),
        place: Place {
            start: 1024,
            length: 64,
        },
        settings: RangeSettings::default(),
    }
}

fn mode() -> SingleUserMode {
    SingleUserMode {
        ranges: SingleUserRanges::listed([RangeNumber(2)]),
        policy: RangePolicy::User,
    }
}

/// What a verb leaves of the locks of range 0.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Locks {
    /// They are on, at every point.
    Stay,
    /// They are on in the end.
    Return,
    /// They come or go.
    Change,
}

/// Runs a verb on a drive that refuses its first method, on one that refuses its second, and so on.
fn refused(rig: fn() -> Rig, locks: Locks, verb: impl Fn(&Rig, &mut Drive) -> Result<(), Error>) {
    for at in 0.. {
        let rig = rig();
        let mut drive = rig.open_with(Fate::RefusesAt(at)).unwrap();
        let before = rig.commands();
        let outcome = verb(&rig, &mut drive);
        drop(drive);
        // Each method is one IF-SEND, and one IF-RECV at least.
        let was_out_of_reach = at * 2 > rig.commands() - before;
        let case = format!("method {at} refused: {outcome:?}");
        println!("{case}");
        assert_eq!(rig.take_refused(), 0, "{case}");
        has_way_in(&rig, &case);
        if locks == Locks::Stay {
            locks_at_power_cycle(&rig, &case);
        }
        let again = verb(&rig, &mut rig.open().unwrap());
        assert!(again.is_ok(), "{case}; then {again:?}");
        if locks != Locks::Change {
            locks_at_power_cycle(&rig, &case);
        }
        has_way_in(&rig, &case);
        if was_out_of_reach {
            return;
        }
    }
}

fn locks_at_power_cycle(rig: &Rig, case: &str) {
    rig.vdrive().power_cycle().unwrap();
    let read = rig.vdrive().read(0, 1);
    assert!(read.is_err(), "{case}: range 0 is open");
}

/// SID can act, and Admin1 if there is one, by a PIN that somebody knows.
fn has_way_in(rig: &Rig, case: &str) {
    let is_active = rig.vdrive().info().life_cycle == LifeCycle::MANUFACTURED;
    let authorities = [Authority::Sid, Authority::Admin(1)];
    for authority in &authorities[..1 + usize::from(is_active)] {
        let opens = |pin: &&[u8]| {
            let credential = Credential::new(*authority, super::pin(pin));
            rig.open().unwrap().tries(&credential).is_ok()
        };
        let pins = [PIN, MSID.as_bytes(), OTHER_PIN];
        assert!(pins.iter().any(opens), "{case}: no way in as {authority}");
    }
    rig.take_refused();
}

#[test]
fn setup() {
    refused(factory, Locks::Change, |_, drive| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).map(drop)
    });
}

#[test]
fn setup_in_single_user_mode() {
    refused(factory, Locks::Change, |_, drive| {
        let plan = SetupPlan {
            single_user: Some(SingleUserPlan {
                mode: mode(),
                owner_pin: Some(pin(OTHER_PIN)),
            }),
            ..SetupPlan::default()
        };
        drive.setup(&plan, &pin(PIN)).map(drop)
    });
}

/// Once it has reactivated, only what comes after switches the locks on again.
#[test]
fn reactivation() {
    refused(set_up, Locks::Return, |rig, drive| {
        let wanted = Reactivation {
            mode: mode(),
            owner_pin: Some(pin(OTHER_PIN)),
        };
        let reactivated = drive.reactivate(&wanted, &admin1(PIN), rig.consent());
        reactivated.map(drop)
    });
}

#[test]
fn ranges() {
    refused(set_up, Locks::Stay, |rig, drive| {
        let (admin, consent) = (admin1(PIN), rig.consent());
        drive.create_range(&new_range(), &admin, &consent)?;
        drive
            .delete_ranges(&[RANGE], &admin, Some(&consent))
            .map(drop)
    });
}

#[test]
fn users() {
    refused(furnished, Locks::Stay, |_, drive| {
        let admin = admin1(PIN);
        let grant = Grant {
            user: USER,
            rights: vec![
                Subject::SetReadLocked(RANGE),
                Subject::SetWriteLocked(RANGE),
            ],
            also: vec![Subject::GetRange(RANGE)],
        };
        drive.grant(&grant, &admin)?;
        let all = Revocation {
            user: USER,
            rights: None,
        };
        drive.revoke(&all, &admin)?;
        drive.disable(USER, &admin)?;
        drive.enable(USER, Some(&pin(OTHER_PIN)), &admin).map(drop)
    });
}

#[test]
fn erase() {
    refused(furnished, Locks::Stay, |rig, drive| {
        let (request, mut witness) = (EraseRequest::default(), |_: &[_]| {});
        let erased = drive.erase(&request, &admin1(PIN), rig.consent(), &mut witness);
        erased.map(drop)
    });
}

#[test]
fn revert() {
    for credential in [|| sid(PIN), psid] {
        refused(set_up, Locks::Change, |rig, drive| {
            if rig.vdrive().info().is_owned {
                drive.revert(&credential(), rig.consent())?;
            }
            Ok(())
        });
    }
}

#[test]
fn revert_that_keeps_data() {
    refused(set_up, Locks::Change, |rig, drive| {
        if rig.vdrive().info().life_cycle == LifeCycle::MANUFACTURED {
            let (spare, consent) = (OtherRanges::Spare, rig.consent());
            drive.revert_keeping_data(&admin1(PIN), spare, consent, &mut |_: &[_]| {})?;
        }
        Ok(())
    });
}

#[test]
fn release() {
    refused(set_up, Locks::Change, |rig, drive| {
        let pins = Releasing::new(Some(pin(PIN)), Some(pin(PIN)));
        drive.release(&pins, rig.consent(), &mut |_| {}).map(drop)
    });
}

/// Where everything was changed, the second run has nothing to do.
#[test]
fn passwd() {
    refused(set_up, Locks::Stay, |rig, drive| {
        let change = |authority| PinChange {
            authority,
            by: Credential::new(authority, pin(PIN)),
            new_pin: pin(OTHER_PIN),
        };
        let changed = Credential::new(Authority::Admin(1), pin(OTHER_PIN));
        if rig.open().unwrap().tries(&changed).is_ok() {
            return Ok(());
        }
        rig.take_refused();
        let (_, error) = drive.change_pins(&[change(Authority::Sid), change(Authority::Admin(1))]);
        error.map_or(Ok(()), Err)
    });
}
