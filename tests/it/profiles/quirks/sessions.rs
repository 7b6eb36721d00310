//! StartSession.

use sedkit::spec::{MethodStatus, uid};

use crate::profiles::quirky;
use crate::support::{Bench, start_session};

/// Number of the parameter SessionTimeout.
const SESSION_TIMEOUT: u64 = 5;

/// The status of StartSession, with and without SessionTimeout.
fn statuses(bench: &mut Bench) -> [MethodStatus; 2] {
    let plain = start_session(uid::ADMIN_SP, true, None);
    let timed = plain.clone().optional(SESSION_TIMEOUT, 60_000_u64);
    [timed, plain].map(|call| match bench.start_with(&call) {
        Ok(session) => {
            bench.end(session);
            MethodStatus::SUCCESS
        }
        Err(status) => status,
    })
}

#[test]
fn the_session_timeout_may_be_refused_or_required() {
    // Demands 3.2 and D57: some drives need it, others answer INVALID_PARAMETER.
    let (good, bad) = (MethodStatus::SUCCESS, MethodStatus::INVALID_PARAMETER);
    assert_eq!(statuses(&mut Bench::new()), [good, good]);
    assert_eq!(statuses(&mut quirky(&["no-session-timeout"])), [bad, good]);
    assert_eq!(
        statuses(&mut quirky(&["session-timeout-required"])),
        [good, bad]
    );
}

#[test]
fn one_session_is_all_that_there_is() {
    // Demands 3.2: MaxSessions 1 on all dumps. Reference 3.3: SP_BUSY for the same SP,
    // NO_SESSIONS_AVAILABLE for the other.
    let mut bench = quirky(&["one-session"]);
    bench.activate();
    let session = bench.start_anybody(uid::ADMIN_SP);
    let start = |bench: &mut Bench, sp, write| bench.start_with(&start_session(sp, write, None));
    let full = Err(MethodStatus::NO_SESSIONS_AVAILABLE);
    assert_eq!(start(&mut bench, uid::LOCKING_SP, true), full);
    let busy = Err(MethodStatus::SP_BUSY);
    assert_eq!(start(&mut bench, uid::ADMIN_SP, true), busy);
    bench.end(session);
    let no_read_only = Err(MethodStatus::INVALID_PARAMETER);
    assert_eq!(start(&mut bench, uid::ADMIN_SP, false), no_read_only);

    let mut bench = Bench::active();
    bench.start_anybody(uid::ADMIN_SP);
    assert!(start(&mut bench, uid::LOCKING_SP, true).is_ok());
}

#[test]
fn a_long_pin_may_be_swallowed() {
    // Crucial MX200 (demands 3.1): a PSID with its dashes has 39 bytes, and gets no answer at all.
    let with_dashes = [b'A'; 39];
    let call = start_session(uid::ADMIN_SP, true, Some((uid::PSID, &with_dashes)));
    assert_eq!(quirky(&["long-pin-swallowed"]).control(&call), None);
    assert!(Bench::new().control(&call).is_some());
}
