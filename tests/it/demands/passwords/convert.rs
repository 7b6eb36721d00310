//! From one scheme to another, and several authorities at once.

use serde_json::json;

use crate::cli::support::{Bench, PASSPHRASE};

/// A drive whose SID and Admin1 have a PIN of sedutil's.
fn set_up_by(scheme: &str, salt: &str) -> Bench {
    let bench = Bench::new();
    let setup = ["setup", "vdrive:a", "--new-key", "file:right"];
    let scheme = ["--new-scheme", scheme, "--salt", salt];
    bench.run(&[&setup[..], &scheme].concat()).exits(0);
    bench
}

/// Whether a PIN opens an authority, asked without any change.
fn opens(bench: &Bench, authority: &str, rule: &str) -> bool {
    let identify = [
        "identify-pin",
        "vdrive:a",
        "--key",
        "file:right",
        "--as",
        authority,
    ];
    let options = ["--try-limit", "0", "--restart", "--json"];
    let run = bench.run(&[&identify[..], &options].concat());
    let found = run.json()["drives"][0]["authorities"][0]["found"].clone();
    let salt = found["salt_rule"].as_str().map(|salt| format!("/{salt}"));
    let found = found["scheme"].as_str().unwrap_or_default().to_owned();
    found + &salt.unwrap_or_default() == rule
}

const FROM_TO: [&str; 4] = ["--key", "file:right", "--new-key", "file:right"];

#[test]
fn d2_a_pin_is_converted_and_proven() {
    let bench = set_up_by("sedutil", "zero");
    let passwd = ["passwd", "vdrive:a", "--as", "SID", "--also", "Admin1"];
    let schemes = [
        "--scheme",
        "sedutil",
        "--salt",
        "zero",
        "--new-scheme",
        "firmware",
    ];
    let document = bench.json(&[&passwd[..], &FROM_TO, &schemes].concat(), 0);
    let changed = |authority: &str| {
        json!({"authority": authority, "scheme": "firmware", "salt_rule": null,
            "changed": true, "proof": "authenticated"})
    };
    let expected = json!([changed("SID"), changed("Admin1")]);
    assert_eq!(document["drives"][0]["authorities"], expected);
    bench
        .run(&["lock", "vdrive:a", "--key", "file:right"])
        .exits(0);
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:right"])
        .exits(0);
}

#[test]
fn d2_a_conversion_can_be_undone() {
    let bench = set_up_by("firmware", "serial");
    let passwd = ["passwd", "vdrive:a", "--as", "Admin1"];
    let there = ["--new-scheme", "sedutil", "--new-salt", "short16"];
    bench
        .run(&[&passwd[..], &FROM_TO, &there].concat())
        .exits(0);
    // This serial number is shorter than 16 characters: both rules make one PIN.
    let back = [
        "--scheme",
        "sedutil",
        "--salt",
        "serial",
        "--new-scheme",
        "firmware",
    ];
    bench.run(&[&passwd[..], &FROM_TO, &back].concat()).exits(0);
    bench
        .run(&["lock", "vdrive:a", "--key", "file:right"])
        .exits(0);
}

/// What one scheme takes another may not: nothing is changed if one of them refuses.
#[test]
fn d2_a_passphrase_that_one_scheme_refuses_changes_nothing() {
    let bench = Bench::new();
    bench.secret("long", "x".repeat(40));
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:long",
        "--new-scheme",
        "sedutil",
    ];
    bench.run(&setup).exits(0);
    let passwd = ["passwd", "vdrive:a", "--as", "SID", "--also", "Admin1==raw"];
    let keys = [
        "--key",
        "file:long",
        "--new-key",
        "file:long",
        "--scheme",
        "sedutil",
    ];
    let new = ["--new-scheme", "sedutil-sha512-75k"];
    let document = bench.json(&[&passwd[..], &keys, &new].concat(), 2);
    assert_eq!(document["drives"][0]["if_commands"]["send"], 0);
}

/// One run, two drives that were set up by different forks: each by its own scheme.
#[test]
fn d3_one_run_takes_a_scheme_for_each_drive() {
    let bench = set_up_by("sedutil", "serial");
    bench.create("b", "SEDKITTEST0002");
    let setup = ["setup", "vdrive:b", "--new-key", "file:right"];
    let other = ["--new-scheme", "sedutil-sha512-75k", "--salt", "zero"];
    bench.run(&[&setup[..], &other].concat()).exits(0);
    for name in ["a", "b"] {
        bench.open(name).power_cycle().unwrap();
    }
    let unlock = ["unlock", "vdrive:a", "vdrive:b", "--key", "file:right"];
    let unlock = [&unlock[..], &["--scheme", "sedutil", "--scheme-of"]].concat();
    let slip = [&unlock[..], &["SEDKITTEST0003=raw"]].concat();
    let document = bench.json(&slip, 2);
    assert_eq!(document["drives"][1]["if_commands"]["send"], 0);
    let right = ["SEDKITTEST0002=sedutil-sha512-75k/zero"];
    bench.run(&[&unlock[..], &right].concat()).exits(0);
    assert!(bench.is_readable("a") && bench.is_readable("b"));
}

#[test]
fn d3_drives_of_different_forks_are_told_apart() {
    let bench = set_up_by("sedutil", "serial");
    bench.create("b", "SEDKITTEST0002");
    let setup = ["setup", "vdrive:b", "--new-key", "file:right"];
    bench
        .run(&[&setup[..], &["--new-scheme", "sedutil-sha512-75k"]].concat())
        .exits(0);
    for (drive, scheme) in [("vdrive:a", "sedutil"), ("vdrive:b", "sedutil-sha512-75k")] {
        let identify = [
            "identify-pin",
            drive,
            "--key",
            "file:right",
            "--try-limit",
            "0",
        ];
        let found = bench.json(&identify, 0)["drives"][0]["authorities"][0]["found"].clone();
        assert_eq!(found["scheme"], scheme);
        let options = found["options"].as_str().unwrap().to_owned();
        let options: Vec<&str> = options.split(' ').collect();
        let lock = ["lock", drive, "--key", "file:right"];
        bench.run(&[&lock[..], &options].concat()).exits(0);
    }
}

/// sedutil's hash for its boot image, and beside it what a firmware's prompt types.
#[test]
fn d10_one_drive_serves_a_boot_image_and_a_firmware_prompt() {
    let bench = set_up_by("sedutil", "serial");
    let enable = ["user", "enable", "vdrive:a", "User1", "--firmware-prompt"];
    let keys = [
        "--key",
        "file:right",
        "--scheme",
        "sedutil",
        "--new-key",
        "file:right",
    ];
    let document = bench.json(&[&enable[..], &keys].concat(), 0);
    let granted = &document["drives"][0]["firmware_prompt"];
    assert_eq!(granted["range_0_locks"], true);
    assert_eq!(granted["rights"][0]["right"], "set_read_locked");
    bench.open("a").power_cycle().unwrap();
    // What EDK2 does: as Admin1 in vain, as User1 with success, range 0 only.
    let unlock = [
        "unlock",
        "vdrive:a",
        "--range",
        "0",
        "--key",
        "file:right",
        "--as",
    ];
    bench.run(&[&unlock[..], &["Admin1"]].concat()).exits(4);
    bench.run(&[&unlock[..], &["User1"]].concat()).exits(0);
    // sedutil's boot image still opens it as Admin1.
    bench.open("a").power_cycle().unwrap();
    let sedutil = ["Admin1", "--scheme", "sedutil"];
    bench.run(&[&unlock[..], &sedutil].concat()).exits(0);
    let again = bench.json(&[&enable[..], &keys].concat(), 0);
    assert_eq!(again["drives"][0]["firmware_prompt"]["changed"], false);
}

#[test]
fn d10_only_user1_is_asked_by_firmware_and_nothing_is_hashed() {
    let bench = Bench::set_up();
    let enable = |user: &str, options: &[&str]| {
        let enable = ["user", "enable", "vdrive:a", user, "--firmware-prompt"];
        let keys = ["--key", "file:right", "--new-key", "file:right"];
        bench.run(&[&enable[..], &keys, options].concat())
    };
    enable("User2", &[]).exits(2).complains("name User1");
    enable("User1", &["--new-scheme", "sedutil"])
        .exits(2)
        .complains("hashes");
}

/// SID was changed by a run that stopped there: the same command says which one has what, and
/// finishes.
#[test]
fn d16_several_authorities_are_reported_one_by_one() {
    let bench = Bench::set_up();
    bench.secret("next", "Battery-Staple-8");
    let keys = ["--key", "file:right", "--new-key", "file:next"];
    let sid = ["passwd", "vdrive:a", "--as", "SID"];
    bench.run(&[&sid[..], &keys].concat()).exits(0);
    let both = [&sid[..], &["--also", "Admin1"], &keys].concat();
    // Nothing tells that the first of the two was done: one wrong try is spent, and no second PIN.
    let document = bench.json(&both, 4);
    let message = document["drives"][0]["error"]["message"].as_str().unwrap();
    assert!(message.contains("SID"), "{message}");
    let more = [&both[..], &["--tries", "2"]].concat();
    let document = bench.json(&more, 0);
    let authorities = &document["drives"][0]["authorities"];
    assert_eq!(authorities[0]["authority"], "SID");
    assert_eq!(authorities[0]["changed"], false);
    assert_eq!(authorities[1]["authority"], "Admin1");
    assert_eq!(authorities[1]["changed"], true);
}

#[test]
fn d16_the_second_is_not_touched_while_the_first_is_refused() {
    let bench = Bench::set_up();
    bench.secret("next", "Battery-Staple-8");
    let passwd = ["passwd", "vdrive:a", "--as", "SID", "--also", "Admin1"];
    let keys = ["--key", "file:wrong", "--new-key", "file:next"];
    bench.run(&[&passwd[..], &keys].concat()).exits(4);
    bench
        .run(&["lock", "vdrive:a", "--key", "file:right"])
        .exits(0);
}

/// SID hashed by sedutil, Admin1 raw as nvme-cli leaves it: one command makes both alike.
#[test]
fn d16_each_authority_may_have_a_scheme_of_its_own() {
    let bench = set_up_by("sedutil", "serial");
    let admin1 = [
        "passwd", "vdrive:a", "--as", "Admin1", "--scheme", "sedutil",
    ];
    bench.run(&[&admin1[..], &FROM_TO].concat()).exits(0);
    let both = [
        "passwd",
        "vdrive:a",
        "--as",
        "SID",
        "--also",
        "Admin1=raw=sedutil/zero",
    ];
    let schemes = ["--scheme", "sedutil", "--new-scheme", "firmware"];
    bench
        .run(&[&both[..], &FROM_TO, &schemes].concat())
        .exits(0);
    assert!(opens(&bench, "SID", "raw"));
    assert!(opens(&bench, "Admin1", "sedutil/zero"));
    assert_eq!(PASSPHRASE.len(), 15);
}
