//! Level 0 Discovery of the profiles, against the bytes that owners of such drives posted.

use sedkit::spec::method::{self, parameter};
use sedkit::spec::{RangeNumber, column, uid};
use sedkit::wire::MethodCall;

use super::drive;
use crate::support::Bench;
use crate::vectors::hex;

/// What a drive had been through when its bytes were posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Nothing.
    New,
    /// All ranges were in Single User Mode.
    SingleUser,
    /// The Global range was locked, too.
    SingleUserLocked,
    /// The shadow MBR was enabled and done.
    MbrDone,
}

/// Profile, file in `tests/vectors/discovery0`, and the state.
const SEEN: [(&str, &str, Life); 7] = [
    ("intel-7600p", "dta-222-intel-7600p", Life::New),
    ("unnamed-nvme", "ken-yossy-nvmetool-win-2", Life::New),
    ("samsung-970-evo-plus", "samsung-970-evo-plus", Life::New),
    (
        "crucial-m550",
        "dta-300-crucial-m550",
        Life::SingleUserLocked,
    ),
    ("crucial-mx200", "dta-64-crucial-mx200", Life::SingleUser),
    ("crucial-mx500", "dta-340-crucial-mx500", Life::SingleUser),
    (
        "seagate-sata-hdd",
        "dta-392-seagate-sata-opal",
        Life::MbrDone,
    ),
];

/// The drive in that state.
fn living(profile: &str, life: Life) -> Bench {
    let mut bench = drive(profile);
    if life != Life::New {
        bench.revert_if_delivered_otherwise();
    }
    match life {
        Life::New => {}
        Life::SingleUser => bench.activate_by(&single_user_mode()),
        Life::SingleUserLocked => {
            bench.activate_by(&single_user_mode());
            // The Global range belongs to User1, whose PIN is empty.
            let owner = bench.start(uid::LOCKING_SP, uid::USER1, b"").unwrap();
            bench.lock(owner, RangeNumber::GLOBAL, true);
            bench.end(owner);
        }
        Life::MbrDone => {
            bench.activate();
            let session = bench.admin1();
            let cells = [column::mbr_control::ENABLE, column::mbr_control::DONE];
            let cells = cells.map(|column| (column, true.into()));
            bench.must_set(session, uid::MBR_CONTROL, &cells);
            bench.end(session);
        }
    }
    bench
}

/// Activate with all ranges in Single User Mode, their places the Users' own.
fn single_user_mode() -> MethodCall {
    MethodCall::new(uid::LOCKING_SP, method::ACTIVATE)
        .optional(parameter::SINGLE_USER_MODE_SELECTION_LIST, uid::LOCKING)
}

#[test]
fn level_0_is_byte_for_byte_what_was_seen() {
    for (profile, file, life) in SEEN {
        let seen = hex(&format!("discovery0/{file}.hex"));
        let mut level0 = living(profile, life).level0();
        // The tool that printed most of them stopped 4 to 6 bytes before the end.
        assert!(level0.len() - seen.len() <= 6, "{profile}");
        level0.truncate(seen.len());
        assert_eq!(level0, seen, "{profile}");
    }
}

#[test]
fn the_kioxia_is_response_a7_with_blocks_of_520_bytes() {
    // Reference, response A.7: the same drive with blocks of 4096 bytes.
    let mut expected = hex("profiles/A.7.hex");
    expected[0x5c..0x60].copy_from_slice(&520_u32.to_be_bytes());
    assert_eq!(drive("kioxia-cm6").level0(), expected);
}
