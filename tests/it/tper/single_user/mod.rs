//! Single User Mode, clause by clause: sections 5.9 and 3.9.8 of the reference.

mod life;
mod matrix;
mod parameters;
mod quirks;

use sedkit::spec::{MethodStatus, RangeNumber, Uid, method, uid};
use sedkit::wire::{MethodCall, Value};

use crate::support::{Bench, MSID, OWNER, Session};

const OK: MethodStatus = MethodStatus::SUCCESS;
const REFUSED: MethodStatus = MethodStatus::NOT_AUTHORIZED;
const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;

/// PIN that a User gives itself.
const SECRET: &[u8] = b"secret";

/// Parameter RangeStartRangeLengthPolicy and column of the same name.
const USER: u64 = 0;
const ADMINS: u64 = 1;

fn range(number: u16) -> Uid {
    uid::locking_range(RangeNumber(number))
}

/// A list of ranges, for SingleUserModeSelectionList.
fn list(ranges: &[u16]) -> Value {
    Value::list(ranges.iter().map(|&number| range(number).into()))
}

fn activate() -> MethodCall {
    MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
}

fn reactivate() -> MethodCall {
    MethodCall::new(uid::THIS_SP, method::REACTIVATE)
}

fn erase(number: u16) -> MethodCall {
    MethodCall::new(range(number), method::ERASE)
}

/// The parameters of Single User Mode.
fn with(call: MethodCall, ranges: impl Into<Value>, policy: u64) -> MethodCall {
    call.optional(0x06_0000, ranges).optional(0x06_0001, policy)
}

/// Takes ownership, and activates with a call.
fn activated(mut bench: Bench, call: &MethodCall) -> Bench {
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    bench.must_set(session, uid::C_PIN_SID, &[(3, OWNER.into())]);
    assert_eq!(bench.status(session, call), OK);
    bench.end(session);
    bench
}

/// A drive with some ranges in Single User Mode.
fn with_ranges(ranges: &[u16], policy: u64) -> Bench {
    activated(Bench::new(), &with(activate(), list(ranges), policy))
}

/// A session of the User who owns a range.
fn owner(bench: &mut Bench, number: u16, pin: &[u8]) -> Session {
    bench
        .start(uid::LOCKING_SP, uid::user(number + 1), pin)
        .unwrap()
}

/// What LockingInfo shows: the ranges and the policy, read by Anybody.
fn info(bench: &mut Bench) -> (Value, u64) {
    let session = bench.start_anybody(uid::LOCKING_SP);
    let found = info_in(bench, session);
    bench.end(session);
    found
}

fn info_in(bench: &mut Bench, session: Session) -> (Value, u64) {
    let cells = bench.get(session, uid::LOCKING_INFO, 0x06_0000..=0x06_0001);
    match cells.unwrap().as_slice() {
        [(0x06_0000, ranges), (0x06_0001, policy)] => (ranges.clone(), policy.as_uint().unwrap()),
        cells => panic!("{cells:?}"),
    }
}

/// Byte 8 of the Single User Mode feature: ANY, ALL, POLICY.
fn bits(bench: &mut Bench) -> u8 {
    bench.feature(0x0201)[8]
}

fn status_of(result: Result<Vec<Value>, MethodStatus>) -> MethodStatus {
    result.map_or_else(|status| status, |_| OK)
}
