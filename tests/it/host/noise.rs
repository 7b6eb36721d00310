//! One answer of the drive arrives spoiled: the operation ends in time, leaves nothing that the next
//! run cannot complete, and reports success only if the drive is as asked.

use std::time::Duration;

use sedkit::drive::{Authority, Drive, Error, LockRequest, SetupPlan};
use sedkit::session::Clock;
use sedkit::spec::LifeCycle;

use super::{Fate, OTHER_PIN, PIN, Rig, admin1, pin, psid, ranges, sid};

/// Runs an operation with one spoiled answer, for many seeds, and then again.
fn spoiled(
    rig: impl Fn() -> Rig,
    operation: impl Fn(&mut Drive, &Rig) -> Result<(), Error>,
    is_done: impl Fn(&Rig) -> bool,
) {
    let mut failures = 0;
    for seed in 1..=200 {
        let rig = rig();
        let start = rig.now();
        let result = rig
            .open_with(Fate::Spoilt(seed))
            .and_then(|mut drive| operation(&mut drive, &rig));
        let waited = rig.now() - start;
        assert!(waited < Duration::from_secs(150), "seed {seed}: {waited:?}");
        if result.is_ok() {
            assert!(is_done(&rig), "seed {seed}: no success");
            continue;
        }
        failures += 1;
        rig.wait(Duration::from_secs(3600));
        let mut drive = rig.open().unwrap();
        operation(&mut drive, &rig).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        assert!(is_done(&rig), "seed {seed}");
    }
    // A seed may choose a command that is not sent, or bits that mean nothing.
    assert!(failures > 30, "{failures}");
}

#[test]
fn setup_reports_no_false_success() {
    spoiled(
        Rig::new,
        |drive, _| drive.setup(&SetupPlan::default(), &pin(PIN)).map(drop),
        |rig| {
            let info = rig.vdrive().info();
            info.is_owned && info.life_cycle == LifeCycle::MANUFACTURED
        },
    );
}

#[test]
fn passwd_reports_no_false_success() {
    spoiled(
        Rig::set_up,
        |drive, _| {
            drive
                .change_pin(Authority::Sid, &sid(PIN), &pin(OTHER_PIN))
                .map(drop)
        },
        |rig| rig.open().unwrap().tries(&sid(OTHER_PIN)).is_ok(),
    );
}

#[test]
fn locking_reports_no_false_success() {
    let request = LockRequest {
        ranges: ranges([0]),
        ..LockRequest::default()
    };
    spoiled(
        Rig::set_up,
        |drive, _| drive.lock(&request, &admin1(PIN)).map(drop),
        |rig| rig.vdrive().read(0, 1).is_err(),
    );
}

#[test]
fn a_revert_reports_no_false_success() {
    spoiled(
        Rig::set_up,
        |drive, rig| drive.revert(&psid(), rig.consent()).map(drop),
        |rig| !rig.vdrive().info().is_owned,
    );
}
