//! The whole life of a drive by the program, on every profile and with every quirk: each command
//! works, or ends in the refusal that stands in the table, and then there is a way on.

use std::fs;

use sedkit::vdrive::profile::{Model, Quirk};

use crate::cli::support::{Bench, PSID, SERIAL};

/// A command that ends otherwise than well: its first words, exit code and error code.
type Refusal = (&'static str, i32, &'static str);

/// What the owner of a drive has to do before it can be set up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WayIn {
    /// Nothing.
    Open,
    /// Revert by PSID.
    Psid,
    /// Give the vendor's PIN of SID, which on a virtual drive is the PSID.
    VendorPin,
    /// Reset the interface, after every power-up.
    HardwareReset,
    /// Keep the firmware from it: nothing that can be done with the drive alone.
    Firmware,
}

/// What differs on a drive from a life without incidents.
struct Difference {
    way_in: WayIn,
    /// How setup ends before that.
    setup: Option<Refusal>,
    refusals: &'static [Refusal],
    /// The media stay shut after the revert until a power cycle.
    is_shut: bool,
}

const NONE: Difference = Difference {
    way_in: WayIn::Open,
    setup: None,
    refusals: &[],
    is_shut: false,
};

const SID_REFUSED: Option<Refusal> = Some(("setup", 4, "not_authorized"));

/// What differs, by the names of profiles and quirks.
fn difference(name: &str) -> Difference {
    match name {
        "crucial-mx500" | "samsung-990-pro" | "sid-changed" => Difference {
            way_in: WayIn::Psid,
            setup: SID_REFUSED,
            ..NONE
        },
        "block-sid-at-power-up" => Difference {
            way_in: WayIn::Firmware,
            setup: SID_REFUSED,
            ..NONE
        },
        "sid-not-msid" => Difference {
            way_in: WayIn::VendorPin,
            setup: SID_REFUSED,
            ..NONE
        },
        "intel-6000p" | "mute-until-reset" => Difference {
            way_in: WayIn::HardwareReset,
            setup: Some(("setup", 1, "failed")),
            ..NONE
        },
        "kioxia-cm6" | "no-mbr" => Difference {
            refusals: &[
                ("mbr load", 6, "not_supported"),
                ("mbr enable", 6, "not_supported"),
                ("mbr disable", 6, "not_supported"),
            ],
            ..NONE
        },
        "crucial-mx200" | "mbr-enable-stuck" => Difference {
            refusals: &[("mbr enable", 1, "failed")],
            ..NONE
        },
        "samsung-pm961" | "samsung-pm981" | "revert-shuts-medium" => Difference {
            refusals: &[("revert", 1, "failed")],
            is_shut: true,
            ..NONE
        },
        "stale-block-size" => Difference {
            refusals: &[("range create", 1, "failed"), ("range delete", 1, "failed")],
            ..NONE
        },
        "lowest-aligned-lba" => Difference {
            refusals: &[("range create", 2, "usage")],
            ..NONE
        },
        _ => NONE,
    }
}

const KEY: &str = "--key file:right";

/// A life, up to the loss of power: setup, a range, a user, the shadow MBR.
const YOUTH: [&str; 9] = [
    "info vdrive:a",
    "range create vdrive:a --range 1 --start 4096 --length 2048",
    "range list vdrive:a",
    "user enable vdrive:a User1 --new-key file:user",
    "user grant vdrive:a User1 --range 1",
    "user list vdrive:a",
    "mbr load vdrive:a image",
    "mbr enable vdrive:a",
    "lock vdrive:a",
];

/// The life after it.
const AGE: [&str; 8] = [
    "unlock vdrive:a --mbr-done",
    "lock vdrive:a",
    "unlock vdrive:a",
    "erase vdrive:a --range 1",
    "range delete vdrive:a --range 1",
    "mbr disable vdrive:a",
    "passwd vdrive:a --as Admin1 --new-key file:right",
    "revert vdrive:a --psid file:psid",
];

/// Commands that take no key.
const KEYLESS: [&str; 2] = ["info", "revert"];
/// Commands that want consent.
const DESTRUCTIVE: [&str; 5] = [
    "range create",
    "range delete",
    "mbr load",
    "erase",
    "revert",
];

/// Runs a command, which must end as the table says.
fn run(bench: &Bench, subject: &str, command: &str, refusals: &[Refusal]) {
    let begins = |prefixes: &[&str]| prefixes.iter().any(|prefix| command.starts_with(prefix));
    let mut line = command.to_owned();
    if !begins(&KEYLESS) && !command.starts_with("setup") {
        line.push_str(&format!(" {KEY}"));
    }
    if begins(&DESTRUCTIVE) {
        line.push_str(&format!(" --confirm {SERIAL}"));
    }
    line.push_str(" --json");
    let words: Vec<&str> = line.split(' ').collect();
    let refusal = refusals
        .iter()
        .find(|(prefix, ..)| command.starts_with(prefix));
    let run = bench.run(&words);
    let document = run.json();
    let code = document["error"]["code"].as_str();
    let expected = refusal.map_or((0, None), |(_, exit, code)| (*exit, Some(*code)));
    let found = (run.exit.unwrap(), code);
    assert_eq!(found, expected, "{subject}: {command}: {document:#}");
    // What was typed wrong says itself what is right.
    let is_told = code.is_none_or(|code| code == "usage");
    let hint = document["drives"][0]["error"]["hint"].as_str();
    assert!(
        is_told || hint.is_some(),
        "{subject}: {command}: no way out is told: {document:#}"
    );
}

/// Makes the drive of a bench with options of `vdrive create`.
fn create(bench: &Bench, options: &[&str]) {
    fs::remove_file(bench.path("a")).unwrap();
    let mut words = vec!["vdrive", "create", "a", "--size", "8MiB"];
    words.extend(["--serial", SERIAL, "--psid", PSID]);
    words.extend(options);
    bench.run(&words).exits(0);
}

/// Lives the whole life of a drive.
fn live(subject: &str, options: &[&str]) {
    let difference = difference(subject);
    let bench = Bench::new();
    create(&bench, options);
    bench.secret("user", "User-Secret-99");
    let image: Vec<u8> = (0..70_000_u32)
        .flat_map(u32::to_le_bytes)
        .take(70_000)
        .collect();
    fs::write(bench.path("image"), image).unwrap();

    let setup = "setup vdrive:a --new-key file:right";
    if let Some(refusal) = difference.setup {
        run(&bench, subject, setup, &[refusal]);
    }
    match difference.way_in {
        WayIn::Psid => run(&bench, subject, "revert vdrive:a --psid file:psid", &[]),
        WayIn::HardwareReset => bench.open("a").hardware_reset().unwrap(),
        WayIn::Open | WayIn::VendorPin => {}
        WayIn::Firmware => return,
    }
    match difference.way_in {
        WayIn::VendorPin => run(
            &bench,
            subject,
            &format!("{setup} --sid-key file:psid"),
            &[],
        ),
        _ => run(&bench, subject, setup, &[]),
    }
    for command in YOUTH {
        run(&bench, subject, command, difference.refusals);
    }
    bench.open("a").power_cycle().unwrap();
    // Reads may get the shadow MBR.
    assert!(bench.open("a").check_write(4096, 1).is_err(), "{subject}");
    if difference.way_in == WayIn::HardwareReset {
        bench.open("a").hardware_reset().unwrap();
    }
    for command in AGE {
        run(&bench, subject, command, difference.refusals);
    }
    assert_eq!(!bench.is_readable("a"), difference.is_shut, "{subject}");
    bench.open("a").power_cycle().unwrap();
    assert!(bench.is_readable("a"), "{subject}");
}

/// Lives the lives of every `step`th subject, from one on.
fn live_all(subjects: &[(&str, [&str; 2])], first: usize, step: usize) {
    for (subject, options) in subjects.iter().skip(first).step_by(step) {
        live(subject, options);
    }
}

fn profiles() -> Vec<(&'static str, [&'static str; 2])> {
    let models = Model::all();
    models
        .map(|model| (model.name, ["--profile", model.name]))
        .collect()
}

fn quirks() -> Vec<(&'static str, [&'static str; 2])> {
    let quirks = Quirk::ALL.iter();
    quirks
        .map(|quirk| (quirk.name, ["--quirk", quirk.name]))
        .collect()
}

#[test]
fn every_profile_lives_a_whole_life_first_half() {
    live_all(&profiles(), 0, 2);
}

#[test]
fn every_profile_lives_a_whole_life_second_half() {
    live_all(&profiles(), 1, 2);
}

#[test]
fn a_drive_with_any_quirk_lives_a_whole_life_first_half() {
    live_all(&quirks(), 0, 2);
}

#[test]
fn a_drive_with_any_quirk_lives_a_whole_life_second_half() {
    live_all(&quirks(), 1, 2);
}

#[test]
fn quirks_of_the_wire_can_be_had_all_at_once() {
    let bench_of = [
        "small-packets",
        "one-property",
        "empty-atoms",
        "wide-integers",
        "medium-names",
        "short-packet-length",
        "unordered-descriptors",
        "vendor-descriptors",
        "padded-discovery",
        "no-block-sid",
        "slow=2",
        "empty-answers=3",
        "session-timeout-required",
        "one-session",
        "partial-lock-set",
        "refuse-partial-get",
        "min-transfer-zero",
    ];
    let options: Vec<&str> = bench_of
        .iter()
        .flat_map(|quirk| ["--quirk", quirk])
        .collect();
    live("all at once", &options);
}
