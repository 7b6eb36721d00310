//! Level 0 Discovery of the profiles, against the bytes that owners of such drives posted.

use sedkit::spec::{RangeNumber, column, uid};

use super::drive;
use crate::support::Bench;
use crate::vectors::hex;

/// What a drive had been through when its bytes were posted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Life {
    /// Nothing.
    New,
    /// The Locking SP was active.
    Active,
    /// A range was locked, too.
    Locked,
    /// The shadow MBR was enabled and done.
    MbrDone,
}

/// Profile, file in `tests/vectors/discovery0`, and the state.
const SEEN: [(&str, &str, Life); 7] = [
    ("intel-7600p", "dta-222-intel-7600p", Life::New),
    ("unnamed-nvme", "ken-yossy-nvmetool-win-2", Life::New),
    ("samsung-970-evo-plus", "samsung-970-evo-plus", Life::New),
    ("crucial-m550", "dta-300-crucial-m550", Life::Locked),
    ("crucial-mx200", "dta-64-crucial-mx200", Life::Active),
    ("crucial-mx500", "dta-340-crucial-mx500", Life::Active),
    (
        "seagate-sata-hdd",
        "dta-392-seagate-sata-opal",
        Life::MbrDone,
    ),
];

/// The drive in that state.
fn living(profile: &str, life: Life) -> Bench {
    let mut bench = drive(profile);
    if life == Life::New {
        return bench;
    }
    bench.activate_as_delivered();
    let session = bench.admin1();
    match life {
        Life::Locked => bench.lock(session, RangeNumber::GLOBAL, true),
        Life::MbrDone => {
            let cells = [column::mbr_control::ENABLE, column::mbr_control::DONE];
            let cells = cells.map(|column| (column, true.into()));
            bench.must_set(session, uid::MBR_CONTROL, &cells);
        }
        Life::New | Life::Active => {}
    }
    bench.end(session);
    bench
}

/// Where the flags of Single User Mode stand: byte 8 of descriptor 0201h.
fn single_user_flags(level0: &[u8]) -> Option<usize> {
    let mut offset = 48;
    while let Some([code_high, code_low, _, length]) = level0.get(offset..offset + 4) {
        if [*code_high, *code_low] == [0x02, 0x01] {
            return Some(offset + 8);
        }
        offset += 4 + usize::from(*length);
    }
    None
}

#[test]
fn level_0_is_byte_for_byte_what_was_seen() {
    for (profile, file, life) in SEEN {
        let mut seen = hex(&format!("discovery0/{file}.hex"));
        let mut level0 = living(profile, life).level0();
        // The tool that printed most of them stopped 4 to 6 bytes before the end.
        assert!(level0.len() - seen.len() <= 6, "{profile}");
        level0.truncate(seen.len());
        if let Some(place) = single_user_flags(&seen) {
            seen[place] &= 0x00;
            level0[place] &= 0x00;
        }
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
