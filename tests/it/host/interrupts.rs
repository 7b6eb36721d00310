//! Somebody asks to stop during any IF command: no session stays open, and nothing is half done that
//! the next run cannot complete.

use sedkit::drive::{Drive, Error, ErrorCode, LockRequest, SetupPlan, UnlockRequest};
use sedkit::session::Interrupt;

use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin, psid, sid};

/// Runs an operation that is interrupted during each of its IF commands in turn.
fn interrupted_everywhere(
    rig: impl Fn() -> Rig,
    operation: impl Fn(&mut Drive, &Rig) -> Result<(), Error>,
) {
    for command in 1.. {
        let rig = rig();
        let interrupt = Interrupt::new();
        let fate = Fate::InterruptedAt(command, interrupt.clone());
        let mut drive = rig.open_with(fate).unwrap();
        let result = operation(&mut drive, &rig);
        assert_eq!(rig.vdrive().info().open_sessions, 0, "at {command}");
        if !interrupt.is_raised() {
            result.unwrap();
            assert!(command > 5);
            return;
        }
        let Err(error) = result else {
            continue;
        };
        assert_eq!(
            error.code(),
            ErrorCode::Interrupted,
            "at {command}: {error}"
        );
        let mut drive = rig.open().unwrap();
        operation(&mut drive, &rig).unwrap_or_else(|error| panic!("at {command}: {error}"));
    }
}

#[test]
fn setup_ends_its_sessions() {
    interrupted_everywhere(Rig::new, |drive, _| {
        drive.setup(&SetupPlan::default(), &pin(PIN)).map(drop)
    });
}

#[test]
fn locking_and_unlocking_end_their_sessions() {
    interrupted_everywhere(Rig::set_up, |drive, rig| {
        rig.vdrive().power_cycle().unwrap();
        drive.rediscover()?;
        drive.unlock(&UnlockRequest::default(), &admin1(PIN))?;
        drive.lock(&LockRequest::default(), &admin1(PIN)).map(drop)
    });
}

#[test]
fn passwd_ends_its_sessions() {
    interrupted_everywhere(Rig::set_up, |drive, _| {
        drive
            .change_pin(sedkit::drive::Authority::Sid, &sid(PIN), &pin(OTHER_PIN))
            .map(drop)
    });
}

#[test]
fn a_revert_ends_its_sessions() {
    interrupted_everywhere(Rig::set_up, |drive, rig| {
        drive.revert(&psid(), rig.consent()).map(drop)
    });
}
