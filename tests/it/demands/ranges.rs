//! Ranges, namespaces and block sizes, and many drives at once.

use sedkit::vdrive::{CreateOptions, VirtualDrive};
use serde_json::{Value, json};

use crate::cli::support::{Bench, MSID, PASSPHRASE, PSID, SERIAL};

/// A drive `b` of its own kind, set up.
fn bench_with(options: &[&str]) -> Bench {
    let bench = Bench::new();
    let create = [
        "vdrive", "create", "b", "--size", "8MiB", "--serial", SERIAL,
    ];
    bench.run(&[&create[..], options].concat()).exits(0);
    bench
        .run(&["setup", "vdrive:b", "--new-key", "file:right"])
        .exits(0);
    bench
}

fn finding(bench: &Bench, code: &str) -> Value {
    let document = bench.json(&["info", "vdrive:b"], 0);
    let findings = document["drives"][0]["diagnosis"].as_array().unwrap();
    let mut findings = findings.iter();
    findings
        .find(|it| it["code"] == code)
        .cloned()
        .unwrap_or_default()
}

const RANGE: [&str; 8] = [
    "--range",
    "1",
    "--start",
    "1MiB",
    "--length",
    "1MiB",
    "--key",
    "file:right",
];

#[test]
fn d99_no_range_is_placed_while_tper_and_kernel_count_in_other_blocks() {
    let bench = bench_with(&["--quirk", "stale-block-size=4096"]);
    let told = &finding(&bench, "block_sizes_differ")["text"];
    assert!(told.as_str().unwrap().contains("blocks of 4096 bytes"));
    let confirm = ["--confirm", SERIAL];
    for command in [["range", "create"], ["range", "set"]] {
        let command = [&command[..], &["vdrive:b"], &RANGE, &confirm].concat();
        let document = bench.json(&command, 1);
        let error = &document["drives"][0]["error"];
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("4096 bytes, the kernel in blocks of 512"));
        assert!(error["hint"].as_str().unwrap().contains("only range 0"));
    }
    let setup = [
        "setup",
        "vdrive:b",
        "--range",
        "2048+2048",
        "--new-key",
        "file:right",
    ];
    bench.run(&[&setup[..], &confirm].concat()).exits(1);
    let info = bench.open("b").info();
    assert_eq!(info.ranges.len(), 1, "no range but the global one");
    // Range 0 needs no counting.
    bench
        .run(&["lock", "vdrive:b", "--key", "file:right"])
        .exits(0);
    assert!(!bench.is_readable("b"));
    let healthy = bench_with(&[]);
    assert_eq!(finding(&healthy, "block_sizes_differ"), Value::Null);
}

#[test]
fn d100_several_namespaces_are_named_and_so_is_what_they_refuse() {
    let bench = bench_with(&["--namespaces", "2"]);
    let found = finding(&bench, "several_namespaces");
    let text = found["text"].as_str().unwrap();
    assert!(text.contains("2 namespaces") && text.contains("Operation Denied"));
    let create = ["range", "create", "vdrive:b", "--confirm", SERIAL];
    let document = bench.json(&[&create[..], &RANGE].concat(), 1);
    let error = &document["drives"][0]["error"];
    assert_eq!(error["status"], 0x0c, "INVALID_PARAMETER");
    assert!(error["hint"].as_str().unwrap().contains("2 namespaces"));
    assert_eq!(finding(&bench_with(&[]), "several_namespaces"), Value::Null);
}

/// Configurable Namespace Locking is told by its descriptor (0403h).
#[test]
fn d100_namespace_locking_is_decoded() {
    let bench = bench_with(&["--profile", "kioxia-cm6"]);
    let document = bench.json(&["info", "vdrive:b"], 0);
    let features = &document["drives"][0]["discovery"]["features"];
    let features = features.as_array().unwrap();
    let decoded = features.iter().find(|it| it["code"] == "0403");
    let decoded = decoded.expect("the CM6 shows the descriptor");
    let fields = &decoded["fields"];
    assert_eq!(fields["maximum_key_count"], 193);
    assert_eq!(fields["unused_key_count"], 192);
    assert_eq!(fields["maximum_ranges_per_namespace"], 128);
    assert_eq!(fields["ranges_present"], false);
    bench
        .run(&["info", "vdrive:b"])
        .exits(0)
        .says("Configurable Namespace Locking");
}

/// Drives that are named by letters, set up with two passphrases between them, and locked.
fn rack() -> Bench {
    let bench = Bench::new();
    bench.secret("other", "Battery-Staple-8");
    for (index, name) in ["b", "c", "d"].into_iter().enumerate() {
        let mut options = CreateOptions::new(8 << 20);
        options.serial = Some(format!("RACK{index}"));
        options.msid = Some(MSID.to_owned());
        VirtualDrive::create(&bench.path(name), &options).unwrap();
        let device = format!("vdrive:{name}");
        let key = if name == "c" {
            "file:other"
        } else {
            "file:right"
        };
        bench.run(&["setup", &device, "--new-key", key]).exits(0);
        bench.open(name).power_cycle().unwrap();
    }
    bench
}

#[test]
fn d106_one_drive_that_fails_or_is_missing_stops_no_other() {
    let bench = rack();
    let drives = ["unlock", "vdrive:gone", "vdrive:b", "vdrive:c", "vdrive:d"];
    let document = bench.json(&[&drives[..], &["--key", "file:right"]].concat(), 3);
    assert_eq!(document["error"]["code"], "partial");
    let drives = document["drives"].as_array().unwrap();
    let done: Vec<_> = drives.iter().map(|drive| &drive["ok"]).collect();
    assert_eq!(done, [false, true, false, true]);
    assert_eq!(drives[2]["error"]["code"], "not_authorized");
    let readable = ["b", "c", "d"].map(|name| bench.is_readable(name));
    assert_eq!(readable, [true, false, true]);
}

/// A helper is asked for each drive's secret, or a file has it, by the drive's serial number.
#[test]
fn d106_each_drive_may_have_a_secret_of_its_own() {
    let bench = rack();
    bench.secret("pin.RACK0", PASSPHRASE);
    bench.secret("pin.RACK1", "Battery-Staple-8");
    let helper = "exec:cat pin.{serial}";
    let unlock = [
        "unlock", "vdrive:b", "vdrive:c", "vdrive:d", "--key", helper,
    ];
    let document = bench.json(&unlock, 3);
    let missing = &document["drives"][2]["error"]["code"];
    assert_eq!(*missing, "secret_unavailable", "{document:#}");
    let readable = ["b", "c", "d"].map(|name| bench.is_readable(name));
    assert_eq!(readable, [true, true, false]);

    bench.secret("pin.RACK2", PASSPHRASE);
    for command in ["unlock", "lock"] {
        let all = [
            command,
            "vdrive:b",
            "vdrive:c",
            "vdrive:d",
            "--key",
            "file:pin.{serial}",
        ];
        let document = bench.json(&all, 0);
        assert_eq!(document["error"], json!(null));
        let readable = ["b", "c", "d"].map(|name| bench.is_readable(name));
        assert_eq!(readable, [command == "unlock"; 3]);
    }
}

/// One drive's commands know it as well, new secrets and the PSID included.
#[test]
fn d106_a_new_secret_may_be_named_by_the_drive() {
    let bench = Bench::new();
    let pin = format!("new.{SERIAL}");
    bench.secret(&pin, PASSPHRASE);
    bench.secret(&format!("psid.{SERIAL}"), PSID);
    let setup = ["setup", "vdrive:a", "--new-key", "file:new.{serial}"];
    bench.run(&setup).exits(0);
    let lock = ["lock", "vdrive:a", "--key", "file:right"];
    bench.run(&lock).exits(0);
    let revert = ["revert", "vdrive:a", "--confirm", SERIAL];
    let revert = [&revert[..], &["--psid", "file:psid.{serial}"]].concat();
    bench.run(&revert).exits(0);
    let hash = ["hash", "--serial", "S1", "--key", "file:new.{serial}"];
    bench.run(&hash).exits(2).complains("belongs to none");
}
