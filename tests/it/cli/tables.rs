//! `mbr` and `datastore` with the real program.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sedkit::vdrive::{CreateOptions, Profile, VirtualDrive};
use serde_json::json;

use crate::boot_image::BootImage;
use crate::cli::support::{Bench, SERIAL};

const KEY: [&str; 2] = ["--key", "file:right"];

/// A drive that is set up, and images `good`, `bare` (nothing to boot) and `other`.
fn bench() -> Bench {
    let bench = Bench::set_up();
    let good = BootImage::SMALL.build();
    fs::write(bench.path("good"), &good).unwrap();
    let mut other = good;
    other[300_000 % 200_000] ^= 1;
    fs::write(bench.path("other"), other).unwrap();
    fs::write(bench.path("bare"), [7; 5000]).unwrap();
    bench
}

fn with_key<'a>(arguments: &[&'a str]) -> Vec<&'a str> {
    [arguments, &KEY].concat()
}

#[test]
fn an_image_is_loaded_verified_enabled_and_seen_after_a_power_cycle() {
    let bench = bench();
    let load = with_key(&["mbr", "load", "vdrive:a", "good"]);
    let run = bench.run(&load).exits(0);
    let run = run.says("every byte was read back");
    assert_eq!(run.stderr, "", "an image that boots needs no warning");
    let document = bench.json(&load, 0);
    let drive = &document["drives"][0];
    assert_eq!(
        (&drive["changed"], &drive["written"]),
        (&json!(false), &json!(0))
    );
    assert_eq!(drive["boot"]["loaders"], json!(["BOOTX64.EFI"]));
    bench
        .run(&["mbr", "verify", "vdrive:a", "good"])
        .exits(0)
        .says("bytes are in the shadow MBR");
    bench
        .run(&with_key(&["mbr", "enable", "vdrive:a"]))
        .exits(0)
        .says("hidden until the next power cycle");
    assert!(bench.is_readable("a"));
    bench.open("a").power_cycle().unwrap();
    let shown = bench.open("a").read(0, 3).unwrap();
    assert!(fs::read(bench.path("good")).unwrap().starts_with(&shown));
    bench
        .run(&["mbr", "status", "vdrive:a"])
        .exits(0)
        .says("shown now      yes")
        .says("UEFI firmware can boot it (BOOTX64.EFI)");
    let done = with_key(&["mbr", "done", "vdrive:a"]);
    bench.run(&done).exits(0);
    bench.run(&done).exits(0).says("already");
    bench
        .run(&with_key(&["mbr", "disable", "vdrive:a"]))
        .exits(0)
        .says("never shown");
}

/// D90.
#[test]
fn what_does_not_look_bootable_is_a_warning() {
    let bench = bench();
    let load = with_key(&["mbr", "load", "vdrive:a", "bare"]);
    bench
        .run(&load)
        .exits(0)
        .complains("warning: bare: it does not look bootable: it has no partition table");
    let enable = with_key(&["mbr", "enable", "vdrive:a"]);
    bench.run(&enable).exits(0).complains("no partition table");
    let document = bench.json(&["mbr", "status", "vdrive:a"], 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["boot"]["bootable"], false);
    assert_eq!(drive["findings"][0]["code"], "not_bootable");
}

#[test]
fn an_empty_shadow_mbr_is_not_enabled_by_accident() {
    let bench = bench();
    let enable = with_key(&["mbr", "enable", "vdrive:a"]);
    bench.run(&enable).exits(1).complains("nothing is in it");
    assert!(!bench.open("a").info().mbr_enabled);
    bench.run(&[&enable[..], &["--force"]].concat()).exits(0);
    assert!(bench.open("a").info().mbr_enabled);
}

/// D104: enabled, and nothing locked behind it.
#[test]
fn a_shadow_mbr_before_open_data_is_told() {
    let bench = bench();
    bench
        .run(&with_key(&["mbr", "load", "vdrive:a", "good"]))
        .exits(0);
    bench
        .run(&with_key(&["mbr", "enable", "vdrive:a"]))
        .exits(0);
    bench
        .run(&with_key(&["mbr", "done", "vdrive:a", "--clear"]))
        .exits(0);
    let document = bench.json(&["mbr", "status", "vdrive:a"], 0);
    assert_eq!(
        document["drives"][0]["findings"][0]["code"],
        "nothing_locked"
    );
    // An Admin sees that range 0 has locking enabled.
    let status = with_key(&["mbr", "status", "vdrive:a", "--as", "Admin1"]);
    let document = bench.json(&status, 0);
    assert_eq!(document["drives"][0]["findings"], json!([]));
}

#[test]
fn another_image_needs_the_serial_number() {
    let bench = bench();
    let load = |image| with_key(&["mbr", "load", "vdrive:a", image]);
    bench.run(&load("good")).exits(0);
    bench
        .run(&load("bare"))
        .exits(8)
        .complains(&format!("--confirm {SERIAL}"));
    bench.run(&["mbr", "verify", "vdrive:a", "good"]).exits(0);
    let confirmed = [&load("other")[..], &["--confirm", SERIAL]].concat();
    let document = bench.json(&confirmed, 0);
    let drive = &document["drives"][0];
    assert!(drive["written"].as_u64().unwrap() <= 65_440, "{drive}");
    let document = bench.json(&["mbr", "verify", "vdrive:a", "good"], 9);
    assert_eq!(document["drives"][0]["first_difference"], 100_000);
    assert_eq!(document["drives"][0]["error"]["code"], "finding");
}

#[test]
fn images_that_cannot_be_right_are_refused() {
    let bench = bench();
    fs::write(bench.path("packed"), [0x1f, 0x8b, 8, 0, 0, 0, 0, 0]).unwrap();
    fs::write(bench.path("empty"), []).unwrap();
    let large = fs::File::create(bench.path("large")).unwrap();
    large.set_len((128 << 20) + 1).unwrap();
    for (image, complaint) in [
        ("packed", "unpack it first"),
        ("empty", "empty is empty"),
        ("large", "do not fit the shadow MBR"),
    ] {
        let run = bench.run(&with_key(&["mbr", "load", "vdrive:a", image]));
        run.exits(2).complains(complaint);
    }
    let missing = bench.run(&with_key(&["mbr", "load", "vdrive:a", "missing"]));
    missing.exits(1).complains("missing: No such file");
}

#[test]
fn bytes_are_read_raw_and_to_new_files_only() {
    let bench = bench();
    bench
        .run(&with_key(&["mbr", "load", "vdrive:a", "good"]))
        .exits(0);
    let read = [
        "mbr", "read", "vdrive:a", "--offset", "512", "--length", "8",
    ];
    assert_eq!(bench.run(&read).exits(0).stdout, "EFI PART");
    let to_file = [&read[..], &["-o", "piece"]].concat();
    bench.run(&to_file).exits(0).says("8 bytes");
    assert_eq!(fs::read(bench.path("piece")).unwrap(), b"EFI PART");
    bench.run(&to_file).exits(2).complains("exists already");
    let document = bench.json(&read, 0);
    assert_eq!(document["drives"][0]["data"], "4546492050415254");
    let all = bench.json(&["mbr", "read", "vdrive:a"], 1);
    let hint = all["drives"][0]["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("-o FILE"), "{hint}");
    bench
        .run(&["mbr", "read", "vdrive:a", "--offset", "1GiB"])
        .exits(2);
}

#[test]
fn dry_runs_change_nothing() {
    let bench = bench();
    let load = [
        &with_key(&["mbr", "load", "vdrive:a", "good"])[..],
        &["--dry-run"],
    ]
    .concat();
    bench.run(&load).exits(0).says("* MBR.Set[Where = 0");
    let enable = ["mbr", "enable", "vdrive:a", "--dry-run"];
    bench.run(&enable).exits(0).says("Enable = 1, Done = 1");
    let write = ["datastore", "write", "vdrive:a", "good", "--dry-run"];
    bench.run(&write).exits(0).says("in one transaction");
    let status = bench.json(&["mbr", "status", "vdrive:a"], 0);
    assert_eq!(status["drives"][0]["boot"]["blank"], true);
    assert_eq!(status["drives"][0]["enabled"], false);
}

#[test]
fn done_on_reset_is_set_and_shown() {
    let bench = bench();
    let resets = ["--done-on-reset", "power-cycle,programmatic", "--force"];
    let enable = [&with_key(&["mbr", "enable", "vdrive:a"])[..], &resets].concat();
    let document = bench.json(&enable, 0);
    let expected = json!(["power_cycle", "programmatic"]);
    assert_eq!(document["drives"][0]["done_on_reset"], expected);
    let status = bench.json(&["mbr", "status", "vdrive:a"], 0);
    assert_eq!(status["drives"][0]["done_on_reset"], expected);
}

/// D96.
#[test]
fn blocks_of_4096_bytes_are_told_apart() {
    let bench = bench();
    let mut options = CreateOptions::new(8 << 20);
    options.profile.geometry.block_size = 4096;
    VirtualDrive::create(&bench.path("large-blocks"), &options).unwrap();
    let setup = ["setup", "vdrive:large-blocks", "--new-key", "file:right"];
    bench.run(&setup).exits(0);
    bench
        .run(&with_key(&["mbr", "load", "vdrive:large-blocks", "good"]))
        .exits(0)
        .complains("laid out for blocks of 512 bytes, and the drive has blocks of 4096");
    let image = BootImage {
        block_size: 4096,
        ..BootImage::SMALL
    };
    fs::write(bench.path("good4k"), image.build()).unwrap();
    let load = with_key(&["mbr", "load", "vdrive:large-blocks", "good4k", "--confirm"]);
    let serial = bench.open("large-blocks").label().serial.clone();
    let load = [&load[..5], &[serial.as_str()], &load[5..]].concat();
    assert_eq!(bench.run(&load).exits(0).stderr, "");
    let status = bench.json(&["mbr", "status", "vdrive:large-blocks"], 0);
    assert_eq!(status["drives"][0]["blocks"], (128 << 20) / 4096);
}

/// The drive says in Level 0 Discovery that it has none: exit code 6, before any secret.
#[test]
fn a_drive_without_shadow_mbr_is_not_supported() {
    let bench = bench();
    let mut options = CreateOptions::new(520 << 14);
    options.profile = Profile::named("kioxia-cm6").unwrap();
    VirtualDrive::create(&bench.path("kioxia"), &options).unwrap();
    for command in [
        &["mbr", "status", "vdrive:kioxia"][..],
        &[
            "mbr",
            "load",
            "vdrive:kioxia",
            "good",
            "--key",
            "file:missing",
        ],
        &["mbr", "read", "vdrive:kioxia"],
        &["mbr", "done", "vdrive:kioxia", "--key", "file:missing"],
    ] {
        bench.run(command).exits(6).complains("no shadow MBR");
    }
}

/// What is refused before any secret is asked for, and what
/// the drive itself refuses.
#[test]
fn a_drive_without_locking_sp_or_rights_is_refused_by_its_reason() {
    let bench = bench();
    bench.create("b", "SEDKITTEST0002");
    for arguments in [
        vec!["mbr", "status", "vdrive:b"],
        with_key(&["mbr", "load", "vdrive:b", "good"]),
        with_key(&["mbr", "enable", "vdrive:b"]),
        vec!["datastore", "list", "vdrive:b"],
    ] {
        let run = bench.run(&arguments).exits(1);
        run.complains("locking is not activated")
            .complains("sedkit setup");
    }
    let wrong = ["mbr", "load", "vdrive:a", "good", "--key", "file:wrong"];
    bench.run(&wrong).exits(4).complains("NOT_AUTHORIZED");
    let sid = ["mbr", "load", "vdrive:a", "good", "--as", "SID"];
    bench.run(&[&sid[..], &KEY].concat()).exits(2);
}

#[test]
fn a_data_store_takes_bytes_from_standard_input() {
    let bench = bench();
    let write = with_key(&["datastore", "write", "vdrive:a", "-", "--offset", "4KiB"]);
    bench
        .run_with_input(&write, b"token\n")
        .exits(0)
        .says("wrote 6 bytes to DataStore table 1 from byte 4096");
    bench
        .run_with_input(&write, b"token\n")
        .exits(0)
        .says("nothing was written");
    bench
        .run_with_input(&write, b"other\n")
        .exits(8)
        .complains("--confirm");
    let read = with_key(&[
        "datastore",
        "read",
        "vdrive:a",
        "--offset",
        "4096",
        "--length",
        "6",
    ]);
    assert_eq!(bench.run(&read).exits(0).stdout, "token\n");
    let file = with_key(&[
        "datastore",
        "read",
        "vdrive:a",
        "--length",
        "6",
        "-o",
        "token",
    ]);
    bench.run(&file).exits(0);
    let mode = fs::metadata(bench.path("token"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    let list = with_key(&["datastore", "list", "vdrive:a", "--as", "Admin1"]);
    bench.run(&list).exits(0).says("10485760").says("Admins");
    let beyond = with_key(&[
        "datastore",
        "write",
        "vdrive:a",
        "good",
        "--offset",
        "10485759",
    ]);
    bench
        .run(&beyond)
        .exits(2)
        .complains("do not fit DataStore table 1");
    let both = ["datastore", "write", "vdrive:a", "-", "--key", "stdin"];
    bench.run(&both).exits(2).complains("standard input");
    let second = with_key(&["datastore", "read", "vdrive:a", "--table", "2"]);
    bench.run(&second).exits(6);
}
