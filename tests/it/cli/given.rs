//! What is given on the command line is used, or refused: nothing is ignored.

use std::fs;

use serde_json::json;

use crate::cli::support::{Bench, Run, SERIAL, sedkit_without_terminal};

const KEY: [&str; 2] = ["--key", "file:right"];
const WRONG: [&str; 2] = ["--key", "file:wrong"];

fn with<'a>(arguments: &[&'a str], more: [&'a str; 2]) -> Vec<&'a str> {
    [arguments, &more].concat()
}

#[test]
fn who_looks_with_a_key_is_admin1() {
    let bench = Bench::set_up();
    fs::write(bench.path("image"), [0; 512]).unwrap();
    let list = ["datastore", "list", "vdrive:a"];
    for command in [
        &list[..],
        &["mbr", "status", "vdrive:a"],
        &["mbr", "read", "vdrive:a", "--length", "16"],
        &["mbr", "verify", "vdrive:a", "image"],
    ] {
        bench.run(command).exits(0);
        bench.run(&with(command, KEY)).exits(0);
        bench
            .run(&with(command, WRONG))
            .exits(4)
            .complains("Admin1 was refused");
        let anybody = [command, &WRONG[..], &["--as", "Anybody"]].concat();
        bench.run(&anybody).exits(0);
        bench.open("a").power_cycle().unwrap();
    }
    let document = bench.json(&with(&list, KEY), 0);
    assert_eq!(
        document["drives"][0]["tables"][0]["readers"],
        json!(["Admins"])
    );
}

#[test]
fn who_acts_by_raw_with_a_key_owns_the_sp() {
    let bench = Bench::set_up();
    for (object, owner) in [("Locking_GlobalRange", "Admin1"), ("C_PIN_SID", "SID")] {
        let get = ["raw", "get", "vdrive:a", object];
        let document = bench.json(&with(&get, KEY), 0);
        assert_eq!(document["drives"][0]["as"], json!(owner));
        bench.run(&with(&get, WRONG)).exits(4);
    }
    let dump = bench.json(&with(&["raw", "dump", "vdrive:a"], KEY), 0);
    let sps = &dump["drives"][0]["sps"];
    assert_eq!(
        (&sps[0]["as"], &sps[1]["as"]),
        (&json!("Anybody"), &json!("Admin1"))
    );
    let bare = bench.json(&["raw", "get", "vdrive:a", "Locking_GlobalRange"], 0);
    assert_eq!(bare["drives"][0]["as"], json!("Anybody"));
}

#[test]
fn ranges_may_stand_with_commas_between() {
    let bench = Bench::set_up();
    for (number, start) in [("1", "1024"), ("2", "2048")] {
        let create = ["range", "create", "vdrive:a", "--range", number];
        let place = ["--start", start, "--length", "64", "--confirm", SERIAL];
        bench.run(&[&create[..], &place, &KEY].concat()).exits(0);
    }
    let lock = with(&["lock", "vdrive:a", "--range", "1,2"], KEY);
    bench.run(&lock).exits(0).says("locked (range 1, range 2)");
    let grant = ["user", "grant", "vdrive:a", "User1", "--range", "1,2"];
    bench.run(&with(&grant, KEY)).exits(0).says("ranges 1, 2");
}

/// What is open for writing stays so, and is not said to be for reading only.
#[test]
fn unlocking_for_reading_says_what_it_leaves_open() {
    let bench = Bench::set_up();
    let unlock = with(&["unlock", "vdrive:a", "--read-only"], KEY);
    bench
        .run(&unlock)
        .exits(0)
        .says("already unlocked, and writes are as they were")
        .says("\"sedkit lock --read-only\" locks them");
    bench.open("a").power_cycle().unwrap();
    bench
        .run(&unlock)
        .exits(0)
        .says("unlocked for reading only (range 0)");
    let again = bench.run(&unlock).exits(0);
    again.says("range 0 could be read already, and writes are as they were");
}

#[test]
fn locks_are_enabled_by_yes_and_no() {
    let bench = Bench::set_up();
    let set = |answer| {
        let set = ["range", "set", "vdrive:a", "--range", "0"];
        [&set[..], &["--write-lock-enabled", answer], &KEY].concat()
    };
    for (answer, expected) in [
        ("no", "locks for read ("),
        ("yes", "locks for read, write ("),
    ] {
        bench.run(&set(answer)).exits(0).says(expected);
    }
    bench.run(&set("false")).exits(0).says("locks for read (");
    bench
        .run(&set("maybe"))
        .exits(2)
        .complains("[possible values: yes, no]");
}

#[test]
fn hints_name_the_next_step() {
    let bench = Bench::set_up();
    let lock = sedkit_without_terminal(&bench.path("."), &["lock", "vdrive:a"]);
    Run::of(lock, b"")
        .exits(10)
        .complains("there is no terminal to ask on: Admin1 passphrase")
        .complains("--key");
    bench
        .run(&with(&["mbr", "load", "vdrive:a", "missing"], KEY))
        .exits(1)
        .complains("hint: name a file of this machine");
    let two = ["passwd", "vdrive:a", "--as", "SID,Admin1"];
    bench
        .run(&[&two[..], &KEY, &["--new-key", "file:wrong"]].concat())
        .exits(2)
        .complains("\"SID,Admin1\" is no authority")
        .complains("--as SID --also Admin1");
    bench.secret("user", "Nimble-Otter-9");
    let enable = [
        "user",
        "enable",
        "vdrive:a",
        "User1",
        "--new-key",
        "file:user",
    ];
    bench.run(&with(&enable, KEY)).exits(0);
    let lock = ["lock", "vdrive:a", "--range", "0", "--as", "User1"];
    bench
        .run(&[&lock[..], &["--key", "file:user"]].concat())
        .exits(4)
        .complains("sedkit user grant");
}

/// Whoever leaves out what comes before the path of a virtual drive is told so.
#[test]
fn a_file_is_no_device() {
    let bench = Bench::new();
    for command in [
        &["info", "a"][..],
        &["lock", "a"],
        &["hash", "a", "--key", "file:right"],
    ] {
        bench
            .run(command)
            .exits(2)
            .complains("error: a is a file, and no device")
            .complains("hint: the virtual drive in a file is vdrive:a");
    }
    bench
        .run(&["info", "/dev/missing"])
        .exits(1)
        .complains("error: /dev/missing could not be opened");
}

#[test]
fn hints_that_differ_say_for_which_drive_they_are() {
    let bench = Bench::locked();
    let unlock = ["unlock", "vdrive:a", "vdrive:missing"];
    bench
        .run(&with(&unlock, WRONG))
        .exits(3)
        .complains("hint: vdrive:a: the drive counts wrong attempts")
        .complains("hint: vdrive:missing: make one");
}

#[test]
fn who_is_locked_out_is_told_how_the_search_goes_on() {
    let bench = Bench::set_up();
    for _ in 0..5 {
        bench.run(&with(&["lock", "vdrive:a"], WRONG)).exits(4);
    }
    let search = ["identify-pin", "vdrive:a", "--power-cycled"];
    bench
        .run(&with(&search, KEY))
        .exits(5)
        .complains("then go on with --power-cycled");
}
