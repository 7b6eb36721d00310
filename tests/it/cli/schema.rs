//! The output of every command validates against its published schema.

use std::fs;
use std::path::Path;

use jsonschema::{Registry, Resource, Validator};
use serde_json::Value;

use crate::cli::served::Served;
use crate::cli::support::{Bench, SERIAL};

fn read(name: &str) -> Value {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/schema");
    serde_json::from_slice(&fs::read(folder.join(format!("{name}.json"))).unwrap()).unwrap()
}

fn validator(name: &str) -> Validator {
    let common = Resource::from_contents(read("common"));
    let registry = Registry::new()
        .add("sedkit:///common.json", common)
        .unwrap();
    let registry = registry.prepare().unwrap();
    jsonschema::options()
        .with_base_uri("sedkit:///schema.json")
        .with_registry(&registry)
        .build(&read(name))
        .unwrap()
}

#[track_caller]
pub(crate) fn assert_valid(name: &str, document: &Value) {
    let errors: Vec<String> = validator(name)
        .iter_errors(document)
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect();
    assert!(errors.is_empty(), "{name}: {errors:#?}\n{document:#}");
}

#[test]
fn every_command_says_what_its_schema_says() {
    let bench = Bench::new();
    bench.secret("next", "Battery-Staple-8");
    let key = ["--key", "file:right"];
    let setup = ["setup", "vdrive:a", "--new-key", "file:right"];
    let passwd = [
        "passwd",
        "vdrive:a",
        "--as",
        "Admin1",
        "--new-key",
        "file:next",
    ];
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    bench.secret("other", "PSDPSDPSDPSDPSDPSDPSDPSDPSDPSDP2");
    let wrong_psid = [&revert[..3], &["file:other", "--confirm", SERIAL]].concat();
    let cases: Vec<(&str, Vec<&str>, i32)> = vec![
        ("scan", vec!["scan", "vdrive:a", "vdrive:missing"], 3),
        ("info", vec!["info", "vdrive:a"], 0),
        ("info", vec!["info", "vdrive:missing"], 1),
        ("setup", [&setup[..], &["--dry-run"]].concat(), 0),
        ("setup", [&setup[..], &["--range", "8+8"]].concat(), 8),
        ("setup", setup.to_vec(), 0),
        ("setup", setup.to_vec(), 0),
        ("scan", vec!["scan", "vdrive:a"], 0),
        (
            "range-list",
            [&["range", "list", "vdrive:a"][..], &key].concat(),
            0,
        ),
        (
            "range-list",
            vec!["range", "list", "vdrive:a", "--as", "Anybody"],
            0,
        ),
        ("lock", [&["lock", "vdrive:a"][..], &key].concat(), 0),
        ("lock", vec!["lock", "vdrive:a", "--dry-run"], 0),
        (
            "unlock",
            vec!["unlock", "vdrive:a", "--key", "file:wrong"],
            4,
        ),
        ("unlock", [&["unlock", "vdrive:a"][..], &key].concat(), 0),
        (
            "passwd",
            [&passwd[..], &["--key", "file:wrong"]].concat(),
            4,
        ),
        ("passwd", [&passwd[..], &key].concat(), 0),
        ("revert", revert.to_vec(), 8),
        ("revert", wrong_psid, 4),
        ("info", vec!["info", "vdrive:a"], 0),
        ("revert", [&revert[..], &["--confirm", SERIAL]].concat(), 0),
    ];
    for (name, arguments, exit) in cases {
        assert_valid(name, &bench.json(&arguments, exit));
    }
}

#[test]
fn erase_and_revert_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    let secret = ["--key", "file:right", "--confirm", SERIAL];
    let erase = [&["erase", "vdrive:a", "--all"][..], &secret].concat();
    let range = ["range", "erase", "vdrive:a", "--range", "0"];
    let keep = [&["revert", "vdrive:a", "--keep-data"][..], &secret].concat();
    let release = [&["revert", "vdrive:a", "--to-msid"][..], &secret].concat();
    for (name, arguments, exit) in [
        ("erase", [&erase[..], &["--dry-run"]].concat(), 0),
        ("erase", erase.clone(), 0),
        ("erase", [&erase[..], &["--samples", "0"]].concat(), 0),
        ("erase", vec!["erase", "vdrive:a"], 2),
        ("range-erase", range.to_vec(), 8),
        ("range-erase", [&range[..], &secret].concat(), 0),
        ("revert", [&keep[..], &["--dry-run"]].concat(), 0),
        ("revert", keep.clone(), 0),
        ("revert", keep, 0),
        ("revert", [&release[..], &["--dry-run"]].concat(), 0),
        ("revert", release.clone(), 0),
        ("revert", release, 0),
    ] {
        assert_valid(name, &bench.json(&arguments, exit));
    }
}

#[test]
fn single_user_mode_says_what_its_schemas_say() {
    // Words in capitals stand for what comes again and again.
    let words = [
        ("SETUP", "setup vdrive:a --new-key file:right USER"),
        ("REACTIVATE", "reactivate vdrive:a --key file:right"),
        (
            "FIRST",
            "passwd vdrive:a --as User1 --from-empty --new-key file:user",
        ),
        (
            "SET",
            "range set vdrive:a --range 0 --as User1 --key file:user",
        ),
        ("USER", "--user-key file:user"),
        ("CONFIRM", &format!("--confirm {SERIAL}")),
    ];
    let lines = [
        "setup 0 SETUP --sum-range 1 --dry-run",
        "setup 0 SETUP --sum-range 1",
        "setup 0 SETUP --sum-range 1",
        "setup 2 SETUP --sum-range 1 --sum-range 99",
        "setup 1 SETUP --sum-range 1 --sum-range 2",
        "info 0 info vdrive:a",
        "reactivate 0 REACTIVATE --all-ranges USER --dry-run",
        "reactivate 8 REACTIVATE --all-ranges USER",
        "reactivate 0 REACTIVATE --all-ranges USER CONFIRM",
        "reactivate 0 REACTIVATE --all-ranges USER CONFIRM",
        "info 0 info vdrive:a",
        "lock 4 lock vdrive:a --key file:right",
        "reactivate 1 REACTIVATE --off CONFIRM",
        "range-set 0 SET --read-lock-enabled no --write-lock-enabled no",
        "reactivate 0 REACTIVATE --off CONFIRM",
        "reactivate 0 REACTIVATE --range 0 --no-user-key CONFIRM",
        "passwd 0 FIRST --dry-run",
        "passwd 0 FIRST",
        "passwd 4 FIRST",
    ];
    let bench = Bench::new();
    bench.secret("user", "Nimble-Otter-9");
    for line in lines {
        let written_out = |line: String, (word, text): &(&str, &str)| line.replace(word, text);
        let line = words.iter().fold(line.to_owned(), written_out);
        let words: Vec<&str> = line.split(' ').collect();
        let document = bench.json(&words[2..], words[1].parse().unwrap());
        assert_valid(words[0], &document);
    }
}

#[test]
fn virtual_drives_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    let cases: Vec<(&str, Vec<&str>, i32)> = vec![
        (
            "vdrive-create",
            vec!["vdrive", "create", "new", "--size", "1MiB"],
            0,
        ),
        (
            "vdrive-create",
            vec!["vdrive", "create", "new", "--size", "1MiB"],
            1,
        ),
        ("vdrive-profiles", vec!["vdrive", "profiles"], 0),
        ("vdrive-info", vec!["vdrive", "info", "a"], 0),
        ("vdrive-stats", vec!["vdrive", "stats", "a"], 0),
        (
            "vdrive-write",
            vec!["vdrive", "write", "a", "--lba", "0", "--from", "right"],
            0,
        ),
        ("vdrive-read", vec!["vdrive", "read", "a", "--lba", "0"], 0),
        (
            "vdrive-media",
            vec!["vdrive", "media", "a", "--lba", "0"],
            0,
        ),
        ("vdrive-power-cycle", vec!["vdrive", "power-cycle", "a"], 0),
        ("vdrive-read", vec!["vdrive", "read", "a", "--lba", "0"], 1),
        (
            "vdrive-hardware-reset",
            vec!["vdrive", "hardware-reset", "a"],
            0,
        ),
        (
            "vdrive-fault",
            vec!["vdrive", "fault", "a", "hang", "--after", "7"],
            0,
        ),
        ("vdrive-fault", vec!["vdrive", "fault", "a", "none"], 0),
        ("vdrive-info", vec!["vdrive", "info", "missing"], 1),
    ];
    for (name, arguments, exit) in cases {
        assert_valid(name, &bench.json(&arguments, exit));
    }
}

/// Runs a sub-command whose schema has its name, on a drive that is set up.
fn assert_says(bench: &Bench, name: &str, arguments: &[&str], exit: i32) {
    let command: Vec<&str> = name.split('-').collect();
    let secrets = ["--key", "file:right", "--confirm", SERIAL];
    let secrets = &secrets[..if command[0] == "range" { 4 } else { 2 }];
    let arguments = [&command[..], &["vdrive:a"], arguments, secrets].concat();
    assert_valid(name, &bench.json(&arguments, exit));
}

#[test]
fn ranges_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    let run = |name: &str, arguments: &[&str], exit| assert_says(&bench, name, arguments, exit);
    let place = ["--start", "2048", "--length", "1024"];
    let other = ["--start", "1024", "--length", "8"];
    run("range-create", &place, 0);
    run("range-create", &place, 0);
    run(
        "range-create",
        &[&other[..], &["--range", "2", "--assume-free"]].concat(),
        0,
    );
    run("range-create", &["--start", "1", "--length", "8"], 2);
    run("range-create", &[&place[..], &["--dry-run"]].concat(), 0);
    run("range-set", &[&other[..], &["--range", "2"]].concat(), 0);
    run("range-set", &["--range", "0", "--name", "all"], 0);
    run(
        "range-set",
        &["--range", "0", "--name", "all", "--dry-run"],
        0,
    );
    run("range-delete", &["--range", "1", "--range", "3"], 0);
    run("range-delete", &["--range", "1", "--dry-run"], 0);
}

#[test]
fn users_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    let run = |name: &str, arguments: &[&str], exit| assert_says(&bench, name, arguments, exit);
    let rights = [
        "User1",
        "--range",
        "2",
        "--erase",
        "--mbr-done",
        "--datastore",
    ];
    run("user-enable", &["User1", "--new-key", "file:wrong"], 0);
    run("user-enable", &["User1", "--keep-pin"], 0);
    run("user-enable", &["User1", "--keep-pin", "--dry-run"], 0);
    run("user-grant", &rights, 0);
    run("user-grant", &rights, 0);
    run("user-grant", &[&rights[..], &["--dry-run"]].concat(), 0);
    run("user-grant", &["User1", "--range", "77"], 2);
    run("user-list", &[], 0);
    run("user-revoke", &["User1", "--range", "2"], 0);
    run("user-revoke", &["User1", "--all"], 0);
    run("user-revoke", &["User1", "--all", "--dry-run"], 0);
    run("user-disable", &["User1"], 0);
    run("user-disable", &["User1", "--dry-run"], 0);
    run("user-list", &["--as", "User1"], 4);
}

#[test]
fn tools_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    let file = |name: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
        folder.join(name).into_os_string().into_string().unwrap()
    };
    let packet = file("frames/7.11.hex");
    let discovery = file("discovery0/dta-340-crucial-mx500.hex");
    let hash = ["hash", "--key", "file:right"];
    let cases: Vec<(&str, Vec<&str>, i32)> = vec![
        ("hash", hash.to_vec(), 0),
        (
            "hash",
            [&hash[..], &["--scheme", "sedutil", "--serial", "X"]].concat(),
            0,
        ),
        ("hash", [&hash[..], &["--scheme", "sedutil"]].concat(), 2),
        ("decode", vec!["decode", &packet, "--as", "packets"], 0),
        ("decode", vec!["decode", &discovery, "--as", "discovery"], 0),
        ("decode", vec!["decode", "right", "--as", "packets"], 11),
        ("demo", vec!["demo"], 0),
    ];
    for (name, arguments, exit) in cases {
        assert_valid(name, &bench.json(&arguments, exit));
    }
}

#[test]
fn raw_access_says_what_its_schemas_say() {
    // KEY and CONFIRM stand for what comes with every change.
    let lines = [
        "raw-get 0 raw get vdrive:a TPerInfo",
        "raw-get 0 raw get vdrive:a DataStore --length 4 KEY",
        "raw-get 4 raw get vdrive:a C_PIN_SID.PIN --as SID --key file:right",
        "raw-set 0 raw set vdrive:a Locking_GlobalRange CommonName=x KEY --dry-run",
        "raw-set 8 raw set vdrive:a Locking_GlobalRange CommonName=x KEY",
        "raw-set 0 raw set vdrive:a Locking_GlobalRange CommonName=x KEY CONFIRM",
        "raw-call 0 raw call vdrive:a ThisSP Random 3",
        "raw-call 0 raw call vdrive:a C_PIN_MSID Get [3=3,4=3]",
        "raw-call 8 raw call vdrive:a MBRControl Set KEY",
        "raw-next 0 raw next vdrive:a Table",
        "raw-acl 0 raw acl vdrive:a Locking_Range1 Set KEY",
        "raw-dump 0 raw dump vdrive:a --bytes 4 KEY",
        "raw-dump 0 raw dump vdrive:b",
        "raw-names 0 raw names K_AES",
        "raw-names 0 raw names --columns Locking",
        "raw-msid 0 raw msid vdrive:a",
        "raw-random 0 raw random vdrive:a --count 33",
        "raw-com-id 0 raw com-id vdrive:a",
        "raw-protocols 0 raw protocols vdrive:a",
    ];
    assert_lines(&lines);
}

#[test]
fn resets_say_what_their_schemas_say() {
    let lines = [
        "data-removal-show 0 data-removal show vdrive:a",
        "data-removal-set 0 data-removal set vdrive:a cryptographic_erase",
        "data-removal-set 6 data-removal set vdrive:a unmap",
        "block-sid 0 block-sid vdrive:a vdrive:b --dry-run",
        "block-sid 0 block-sid vdrive:a vdrive:b",
        "tper-reset 1 tper-reset vdrive:a",
        "tper-reset 0 tper-reset vdrive:a --enable --dry-run",
        "tper-reset 0 tper-reset vdrive:a --enable --key file:right",
        "tper-reset 0 tper-reset vdrive:a",
        "stack-reset 0 stack-reset vdrive:a --dry-run",
        "stack-reset 0 stack-reset vdrive:a vdrive:b",
        "stack-reset 1 stack-reset vdrive:missing",
    ];
    assert_lines(&lines);
}

/// Runs lines on drive `a`, which is set up, and drive `b`, which is not: schema, exit code, command.
fn assert_lines(lines: &[&str]) {
    let bench = Bench::set_up();
    bench.create("b", "SEDKITTEST0002");
    let confirm = format!("--confirm {SERIAL}");
    for line in lines {
        let line = line.replace("KEY", "--as Admin1 --key file:right");
        let line = line.replace("CONFIRM", &confirm);
        let words: Vec<&str> = line.split(' ').collect();
        let document = bench.json(&words[2..], words[1].parse().unwrap());
        assert_valid(words[0], &document);
    }
}

#[test]
fn tables_say_what_their_schemas_say() {
    let bench = Bench::set_up();
    fs::write(bench.path("image"), [7; 3000]).unwrap();
    let key = ["--key", "file:right"];
    let write = ["datastore", "write", "vdrive:a", "image"];
    let cases: [(&str, &[&str], i32); 15] = [
        ("mbr-status", &["mbr", "status", "vdrive:a"], 0),
        ("mbr-status", &["mbr", "status", "vdrive:missing"], 1),
        ("mbr-load", &["mbr", "load", "vdrive:a", "image"], 0),
        (
            "mbr-load",
            &["mbr", "load", "vdrive:a", "image", "--dry-run"],
            0,
        ),
        ("mbr-read", &["mbr", "read", "vdrive:a", "--length", "9"], 0),
        (
            "mbr-read",
            &["mbr", "read", "vdrive:a", "--length", "9", "-o", "out"],
            0,
        ),
        ("mbr-verify", &["mbr", "verify", "vdrive:a", "image"], 0),
        ("mbr-verify", &["mbr", "verify", "vdrive:a", "right"], 9),
        ("mbr-enable", &["mbr", "enable", "vdrive:a"], 0),
        ("mbr-done", &["mbr", "done", "vdrive:a"], 0),
        (
            "mbr-disable",
            &["mbr", "disable", "vdrive:a", "--dry-run"],
            0,
        ),
        ("mbr-disable", &["mbr", "disable", "vdrive:a"], 0),
        ("datastore-list", &["datastore", "list", "vdrive:a"], 0),
        ("datastore-write", &write, 0),
        (
            "datastore-read",
            &["datastore", "read", "vdrive:a", "--length", "9"],
            0,
        ),
    ];
    for (name, arguments, exit) in cases {
        assert_valid(name, &bench.json(&[arguments, &key].concat(), exit));
    }
}

#[test]
fn a_server_says_what_its_schema_says() {
    let bench = Bench::new();
    let server = Served::new(&bench.path(""), &["a"]);
    assert_valid("vdrive-serve", &server.document);
    assert_valid("vdrive-serve", &bench.json(&["vdrive", "serve", "a"], 7));
}

/// A command without a schema would be one whose output nobody can rely on.
#[test]
fn every_command_has_a_schema() {
    let help = Bench::new().run(&["--help"]).exits(0).stdout;
    let commands = help
        .split("Commands:")
        .nth(1)
        .unwrap()
        .split("Options:")
        .next()
        .unwrap();
    let names = commands
        .lines()
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/schema");
    let files: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    for name in names {
        let is_its = |file: &String| {
            file.starts_with(&format!("{name}.")) || file.starts_with(&format!("{name}-"))
        };
        assert!(files.iter().any(is_its), "{name}");
    }
}

#[test]
fn wrong_usage_validates_too() {
    let bench = Bench::new();
    assert_valid("unlock", &bench.json(&["unlock"], 2));
    assert_valid("range-list", &bench.json(&["range", "list"], 2));
}

/// A schema that takes anything would not be worth publishing.
#[test]
fn schemas_refuse_what_no_command_says() {
    let bench = Bench::new();
    let mut document = bench.json(&["scan", "vdrive:a"], 0);
    document["drives"][0]["surprise"] = true.into();
    assert!(!validator("scan").is_valid(&document));
    let mut document = bench.json(&["scan", "vdrive:a"], 0);
    document["ok"] = false.into();
    assert!(!validator("scan").is_valid(&document));
}
