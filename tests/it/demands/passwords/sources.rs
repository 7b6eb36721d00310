//! Where passphrases come from, and what is said of them before they are set.

use crate::cli::support::{Bench, PASSPHRASE};

fn setup<'a>(options: &[&'a str]) -> Vec<&'a str> {
    [
        &["setup", "vdrive:a", "--new-key", "file:typed"][..],
        options,
    ]
    .concat()
}

#[test]
fn d10_new_passphrases_are_what_firmware_can_type() {
    let bench = Bench::new();
    for typed in [
        "short12",
        "with blank",
        "p\u{e4}ssw\u{f6}rd",
        &"x".repeat(33),
    ] {
        bench.secret("typed", typed);
        let document = bench.json(&setup(&[]), 2);
        assert_eq!(document["drives"][0]["if_commands"]["send"], 0, "{typed}");
    }
    bench.secret("typed", PASSPHRASE);
    let document = bench.json(&setup(&[]), 0);
    assert_eq!(document["drives"][0]["scheme"], "firmware");
    let prompt = &bench.json(&["info", "vdrive:a"], 0)["drives"][0]["firmware_prompt"];
    assert_eq!(prompt["edk2"], "asks");
    assert_eq!(prompt["dell"], "asks_if_locked");
    assert_eq!(prompt["accepts"]["authorities"][0], "Admin1");
}

#[test]
fn d10_info_says_that_nothing_asks_before_locking_is_on() {
    let bench = Bench::new();
    let prompt = &bench.json(&["info", "vdrive:a"], 0)["drives"][0]["firmware_prompt"];
    assert_eq!(prompt["edk2"], "not_activated");
    assert_eq!(prompt["leaves_mbr_shown"], false);
}

/// Bytes that are no text are taken from a file; one newline at the end is dropped, a second is not.
#[test]
fn d13_a_passphrase_is_bytes_without_its_one_newline() {
    let bench = Bench::new();
    let typed = b"\xff\xfepass\xe4".to_vec();
    bench.secret("typed", [&typed[..], b"\n"].concat());
    bench.run(&setup(&["--new-scheme", "raw"])).exits(0);
    bench.secret("exact", &typed);
    let lock = |file: &str| {
        let key = format!("file:{file}");
        bench.run(&["lock", "vdrive:a", "--key", &key])
    };
    lock("exact").exits(0);
    bench.secret("twice", [&typed[..], b"\n\n"].concat());
    lock("twice").exits(4);
    let help = bench.run(&["lock", "--help"]).exits(0);
    help.says("one newline at its end is dropped");
}

#[test]
fn d13_a_line_end_that_stays_is_told() {
    let bench = Bench::new();
    bench.secret("typed", "Passphrase\r\n");
    let run = bench.run(&setup(&["--new-scheme", "raw"])).exits(0);
    run.complains("line end");
}

#[test]
fn d14_characters_that_move_between_layouts_are_told() {
    let bench = Bench::new();
    let warned = |typed: &str, scheme: &str| {
        bench.create("fresh", "SEDKITTEST0009");
        bench.secret("typed", typed);
        let setup = ["setup", "vdrive:fresh", "--new-key", "file:typed"];
        let run = bench.run(&[&setup[..], &["--new-scheme", scheme]].concat());
        let run = run.exits(0);
        std::fs::remove_file(bench.path("fresh")).unwrap();
        run.stderr
    };
    assert!(warned("Quartz1234", "firmware").contains("keyboard layouts"));
    assert!(warned("bcde-1234", "sedutil").contains("punctuation"));
    assert!(warned("bcdefghij0123456789klno", "firmware").contains("19 at most"));
    assert!(warned("bcd\u{e9}fghi", "sedutil").contains("beyond ASCII"));
    assert!(!warned("bcdefghi1234", "firmware").contains("warning"));
}

/// The text itself is no source, in no option, and is not repeated.
#[test]
fn d15_no_secret_is_taken_from_the_command_line() {
    let bench = Bench::set_up();
    let cases: [&[&str]; 4] = [
        &["unlock", "vdrive:a", "--key", PASSPHRASE],
        &["identify-pin", "vdrive:a", "--key", PASSPHRASE],
        &["passwd", "vdrive:a", "--as", "SID", "--new-key", PASSPHRASE],
        &["revert", "vdrive:a", "--psid", PASSPHRASE],
    ];
    for case in cases {
        let run = bench.run(case).exits(2);
        assert!(!run.stderr.contains(PASSPHRASE), "{run}");
    }
}

/// Two secrets come from two sources, of which one may be standard input.
#[test]
fn d17_each_secret_has_a_source_of_its_own() {
    let bench = Bench::set_up();
    let passwd = [
        "passwd",
        "vdrive:a",
        "--as",
        "Admin1",
        "--key",
        "file:right",
    ];
    let arguments = [&passwd[..], &["--new-key", "stdin"]].concat();
    bench
        .run_with_input(&arguments, b"Battery-Staple-8")
        .exits(0);
    let both = ["passwd", "vdrive:a", "--as", "SID", "--key", "stdin"];
    let both = [&both[..], &["--new-key", "stdin"]].concat();
    let run = bench.run_with_input(&both, b"one\ntwo").exits(2);
    run.complains("one secret only");
}
