//! Single User Mode (reference 5.9 and 8.2; what each does is in `tper::single_user`).

use sedkit::spec::method::{self, parameter};
use sedkit::spec::{MethodStatus, uid};
use sedkit::wire::{MethodCall, Value};

use crate::profiles::quirky;
use crate::support::{Bench, MSID};

/// Activate with Range1 in Single User Mode, whose place is to be the Admins'.
fn activate() -> MethodCall {
    let range1 = uid::locking_range(sedkit::spec::RangeNumber(1));
    MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
        .optional(
            parameter::SINGLE_USER_MODE_SELECTION_LIST,
            Value::list([range1.into()]),
        )
        .optional(parameter::SINGLE_USER_MODE_SELECTION_LIST + 1, 1_u64)
}

/// The status of that Activate, and the flags of Level 0 Discovery after it: ANY, ALL, POLICY.
fn flags(bench: &mut Bench) -> (MethodStatus, u8) {
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let status = bench.status(session, &activate());
    (status, bench.feature(0x0201)[8])
}

#[test]
fn each_quirk_changes_what_activate_leaves() {
    let (good, bad) = (MethodStatus::SUCCESS, MethodStatus::INVALID_PARAMETER);
    for (quirks, expected) in [
        (&[][..], (good, 0b101)),
        (&["sum-policy-ignored"], (good, 0b001)),
        (&["sum-policy-refused"], (bad, 0b100)),
        (&["sum-all-ranges"], (good, 0b111)),
        (&["sum-all-ranges", "sum-all-without-any"], (good, 0b110)),
    ] {
        assert_eq!(flags(&mut quirky(quirks)), expected, "{quirks:?}");
    }
}

#[test]
fn without_single_user_mode_its_parameters_are_unknown() {
    let mut bench = quirky(&["no-sum"]);
    let session = bench.start(uid::ADMIN_SP, uid::SID, MSID).unwrap();
    let status = bench.status(session, &activate());
    assert_eq!(status, MethodStatus::INVALID_PARAMETER);
}
