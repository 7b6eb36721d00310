//! What a passphrase becomes: the program's answers against values that others have computed.

use serde_json::Value;

use crate::cli::support::{Bench, PASSPHRASE};

/// The vectors that a person can give on a command line.
fn vectors() -> Vec<Value> {
    let text = include_str!("../../../vectors/hash-vectors.json");
    let mut document: Value = serde_json::from_str(text).unwrap();
    let Value::Array(mut vectors) = document["vectors"].take() else {
        panic!("no vectors")
    };
    let is_plain = |vector: &Value| {
        let scheme = vector["scheme"].as_str().unwrap();
        let is_kdf = scheme.starts_with("pbkdf2") || scheme.starts_with("sedcli");
        let is_text = |name: &str| {
            let text = vector[name].as_str().unwrap_or_default();
            !text.contains('\0')
        };
        !is_kdf && vector["passphrase"].is_string() && is_text("serial")
    };
    vectors.retain(is_plain);
    vectors
}

fn hash(bench: &Bench, vector: &Value, exit: i32) -> Value {
    let mut arguments = vec!["hash", "--key", "file:typed"];
    let options = [
        ("--scheme", "scheme"),
        ("--salt", "salt_rule"),
        ("--serial", "serial"),
        ("--vendor", "t10_vendor"),
        ("--model", "model"),
    ];
    for (option, field) in options {
        if let Some(value) = vector[field].as_str() {
            arguments.extend([option, value]);
        }
    }
    bench.secret("typed", vector["passphrase"].as_str().unwrap());
    bench.json(&arguments, exit)
}

#[test]
fn d1_every_scheme_and_salt_has_the_published_values() {
    let bench = Bench::new();
    let mut checked = 0;
    for vector in vectors() {
        let is_refused = vector["refused"].is_string() || vector["peer_only"] == true;
        let is_empty = vector["passphrase"] == "";
        let exit = match (is_refused, is_empty) {
            (_, true) => 10,
            (true, _) => 2,
            (false, _) => 0,
        };
        let document = hash(&bench, &vector, exit);
        if !is_refused {
            assert_eq!(document["pin"], vector["output"], "{vector}");
            checked += 1;
        }
    }
    assert!(checked > 60, "{checked} vectors");
}

/// FreeBSD's CAM trims the serial number and fills it up with NUL.
#[test]
fn d7_the_trimming_of_freebsd_is_reproduced() {
    let bench = Bench::new();
    bench.secret("typed", "dummy");
    let hash = |salt: &str| {
        let serial = "S2RBNB0HA12200B";
        let arguments = ["hash", "--key", "file:typed", "--serial", serial];
        let scheme = ["--scheme", "sedutil", "--salt", salt];
        bench.json(&[&arguments[..], &scheme].concat(), 0)["pin"].clone()
    };
    let nul = "0f7b4f9ca209c60d6fadfcad387b450824bb059e0dad405d2ba1ab05ca4093b5";
    assert_eq!(hash("trimmed-nul"), nul);
    let blank = "4f2accfd1a1764dc5b5bb38f40f9068d2d1a1f6dd5392707dea14c3bb7deeacc";
    assert_eq!(hash("left-trimmed-nul"), blank);
}

/// Another system sees another serial number: the salt itself can be given, with and without drive.
#[test]
fn d4_the_serial_number_and_the_salt_can_be_given() {
    let bench = Bench::new();
    bench.secret("typed", "debug");
    let base = [
        "hash",
        "vdrive:a",
        "--key",
        "file:typed",
        "--scheme",
        "sedutil",
    ];
    let pin = |options: &[&str]| bench.json(&[&base[..], options].concat(), 0)["pin"].clone();
    let expected = "3a142ec0c1c8d01e17098b0ad02706bd93ac44e2da94eb15e43563fb1fbcd871";
    assert_eq!(pin(&["--serial", "S1234567890ABCD"]), expected);
    let salt = "hex:5331323334353637383930414243442020202020";
    assert_eq!(pin(&["--salt", salt]), expected);
    assert_ne!(pin(&[]), expected);
}

/// Two systems that see one drive can compare the bytes that each of them salts with.
#[test]
fn d5_info_shows_the_salt_in_hex() {
    let bench = Bench::new();
    let drive = &bench.json(&["info", "vdrive:a"], 0)["drives"][0];
    assert_eq!(drive["salt"], "5345444b49545445535430303031202020202020");
    let run = bench.run(&["info", "vdrive:a"]).exits(0);
    run.says("salt of sedutil schemes: 5345444b4954544553543030303120");
}

#[test]
fn d9_the_source_of_the_serial_number_is_named() {
    let bench = Bench::new();
    let drive = &bench.json(&["info", "vdrive:a"], 0)["drives"][0];
    assert_eq!(drive["serial_source"], "virtual_label");
    let run = bench.run(&["info", "vdrive:a"]).exits(0);
    run.says("serial number from: virtual drive's label");
}

/// A PIN that was hashed elsewhere is given in hex, and any scheme takes bytes in hex.
#[test]
fn d8_a_pin_in_hex_combines_with_every_scheme() {
    let bench = Bench::new();
    bench.secret("typed", PASSPHRASE);
    let scheme = ["--new-scheme", "sedutil-sha512-75k"];
    let setup = ["setup", "vdrive:a", "--new-key", "file:typed"];
    bench.run(&[&setup[..], &scheme].concat()).exits(0);
    let hash = [
        "hash",
        "vdrive:a",
        "--key",
        "file:typed",
        "--scheme",
        scheme[1],
    ];
    let pin = bench.json(&hash, 0)["pin"].as_str().unwrap().to_owned();
    bench.secret("pin", &pin);
    let lock = ["lock", "vdrive:a", "--key", "hex-file:pin"];
    bench.run(&lock).exits(0);
    bench
        .run(&[
            "unlock",
            "vdrive:a",
            "--key",
            "hex-file:pin",
            "--scheme",
            "raw",
        ])
        .exits(0);
    let hex: String = PASSPHRASE
        .bytes()
        .map(|byte| format!("{byte:02X}"))
        .collect();
    bench.secret("hex", format!("{hex}\n"));
    let lock = [
        "lock",
        "vdrive:a",
        "--key",
        "hex-file:hex",
        "--scheme",
        scheme[1],
    ];
    bench.run(&lock).exits(0);
}

#[test]
fn d11_lenovos_ata_password_refuses_what_its_firmware_drops() {
    let bench = Bench::new();
    let drive = ["--serial", "5VG0A1B2", "--model", "ST9500420AS"];
    let hash = ["hash", "--scheme", "lenovo-ata", "--key", "file:typed"];
    let hash = [&hash[..], &drive].concat();
    bench.secret("typed", "thinkpad");
    let document = bench.json(&hash, 0);
    assert_eq!(document["output_kind"], "ata_password");
    let expected = "e09785764e6646561c522fd45b7f05afd030fb20020cd8529d537492e662b384";
    assert_eq!(document["pin"], expected);
    bench.secret("typed", "Think!pad");
    bench.run(&hash).exits(2).complains("character 6");
}

#[test]
fn d18_nothing_is_ever_cut() {
    let bench = Bench::new();
    let setup = |scheme: &str, length: usize| {
        bench.secret("typed", "x".repeat(length));
        let setup = ["setup", "vdrive:a", "--new-key", "file:typed"];
        let document = bench.json(&[&setup[..], &["--new-scheme", scheme]].concat(), 2);
        assert_eq!(document["drives"][0]["if_commands"]["send"], 0);
    };
    setup("raw", 33);
    setup("firmware", 33);
    setup("sedutil", 257);
    setup("sedutil-sha512", 257);
}
