//! The same for the methods of Single User Mode (reference 5.9.4, appendix C): ranges, owners, PINs,
//! keys and DataStore tables change together or not at all.

use super::*;
use crate::spec::Uid;

const DIALOGUE: &[Step] = &[
    ("start as SID", |_| {
        start(uid::ADMIN_SP, uid::SID, &Label::sample().msid)
    }),
    ("Activate with a list", |tper| {
        let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
        call(tper, &select(activate, 1))
    }),
    ("end", |tper| tokens(tper, &[0xfa])),
    ("start as owner", |_| {
        start(uid::LOCKING_SP, uid::range_owner(RANGE1), "")
    }),
    ("PIN of the owner", |tper| {
        let c_pin = uid::c_pin(uid::range_owner(RANGE1));
        set(tper, c_pin, &[(3, "secret".into())])
    }),
    ("range", |tper| {
        set(tper, range1(), &[(3, 8_u64.into()), (4, 16_u64.into())])
    }),
    ("lock", |tper| set(tper, range1(), &locks())),
    ("end of the owner", |tper| tokens(tper, &[0xfa])),
    ("start as Admin1", start_as_admin1),
    ("DataStore", |tper| {
        set_bytes(tper, uid::DATA_STORE, 0, b"data")
    }),
    ("Reactivate over a lock", |tper| call(tper, &reactivate())),
    ("Erase", |tper| {
        call(tper, &MethodCall::new(range1(), method::ERASE))
    }),
    ("Reactivate", |tper| {
        let sizes = Value::list([1024_u64, 512].map(Value::from));
        let call = select(reactivate(), 0)
            .optional(0x06_0002, "admin1")
            .optional(0x06_0003, sizes);
        super::call(tper, &call)
    }),
    ("start with the new PIN", |_| {
        start(uid::LOCKING_SP, uid::ADMIN1, "admin1")
    }),
    ("RevertSP", |tper| {
        call(tper, &MethodCall::new(uid::THIS_SP, method::REVERT_SP))
    }),
];

fn start_as_admin1(_: &Tper) -> Vec<u8> {
    start(uid::LOCKING_SP, uid::ADMIN1, &Label::sample().msid)
}

fn reactivate() -> MethodCall {
    MethodCall::new(uid::THIS_SP, method::REACTIVATE)
}

/// Adds the selection of one range.
fn select(call: MethodCall, number: u16) -> MethodCall {
    let row: Uid = uid::locking_range(crate::spec::RangeNumber(number));
    call.optional(0x06_0000, Value::list([row.into()]))
}

/// ReadLockEnabled to WriteLocked, all True.
fn locks() -> [(u64, Value); 4] {
    [5, 6, 7, 8].map(|column| (column, true.into()))
}

#[test]
fn a_crash_leaves_single_user_mode_before_or_after_the_command() {
    let tper = crash_each(DIALOGUE);
    assert!(tper.state.single_user.is_off() && !tper.state.active);
}

#[test]
fn the_key_that_erase_replaced_is_nowhere() {
    // Reference 5.4.4, 5.9.4: one by Erase, nine by RevertSP, none by Reactivate.
    assert_eq!(eradicated_keys(DIALOGUE), 1 + 9);
}
