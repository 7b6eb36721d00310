//! The exit code of every kind of failure, and what is said with it.

use crate::cli::support::{Bench, SERIAL};

#[test]
fn wrong_usage_exits_2_in_both_forms() {
    let bench = Bench::new();
    bench.run(&["unlock"]).exits(2).complains("DEV");
    bench
        .run(&["unlock", "vdrive:a", "--frobnicate"])
        .exits(2)
        .complains("--frobnicate");
    bench
        .run(&["lock", "vdrive:a", "--as", "Nobody"])
        .exits(2)
        .complains("AdminN");
    let document = bench.json(&["range", "list"], 2);
    assert_eq!(document["schema"], "sedkit/1");
    assert_eq!(document["command"], "range list");
    assert_eq!(document["ok"], false);
    assert_eq!(document["error"]["code"], "usage");
    assert_eq!(
        document["error"]["hint"],
        "see \"sedkit range list --help\""
    );
}

#[test]
fn json_is_known_wherever_it_stands() {
    let bench = Bench::new();
    for arguments in [
        &["--json", "unlock"][..],
        &["unlock", "--json"],
        &["--json"],
        &["--json", "frobnicate"],
    ] {
        let document = bench.run(arguments).exits(2).json();
        assert_eq!(document["error"]["code"], "usage", "{arguments:?}");
    }
}

#[test]
fn a_wrong_passphrase_exits_4() {
    let bench = Bench::locked();
    let run = bench
        .run(&["unlock", "vdrive:a", "--key", "file:wrong"])
        .exits(4);
    let run = run.complains("vdrive:a: Admin1 was refused (NOT_AUTHORIZED, 01h)");
    run.complains("hint: the drive counts wrong attempts");
    assert!(!bench.is_readable("a"));
}

#[test]
fn too_many_wrong_passphrases_exit_5() {
    let bench = Bench::locked();
    let wrong = ["unlock", "vdrive:a", "--key", "file:wrong"];
    for _ in 0..5 {
        bench.run(&wrong).exits(4);
    }
    let run = bench
        .run(&["unlock", "vdrive:a", "--key", "file:right"])
        .exits(5);
    run.complains("AUTHORITY_LOCKED_OUT, 12h")
        .complains("power");
}

#[test]
fn a_file_that_is_no_drive_is_an_error() {
    let bench = Bench::new();
    bench
        .run(&["info", "vdrive:missing"])
        .exits(1)
        .complains("vdrive:missing");
    bench.run(&["info", "missing"]).exits(1).complains("scan");
    bench.run(&["info", "/dev/null"]).exits(6);
}

#[test]
fn a_drive_that_is_in_use_exits_7() {
    let bench = Bench::new();
    let _in_use = bench.open("a");
    let document = bench.json(&["info", "vdrive:a", "--timeout", "1"], 7);
    assert_eq!(document["drives"][0]["error"]["code"], "busy");
}

#[test]
fn a_drive_that_is_free_in_time_is_waited_for() {
    let bench = Bench::new();
    let in_use = bench.open("a");
    std::thread::scope(|scope| {
        scope.spawn(move || {
            std::thread::sleep(std::time::Duration::from_millis(500));
            drop(in_use);
        });
        bench.run(&["info", "vdrive:a", "--timeout", "30"]).exits(0);
    });
}

#[test]
fn what_the_drive_cannot_do_is_said_before_a_secret_is_asked_for() {
    let bench = Bench::new();
    let missing = ["--key", "file:missing"];
    let new = ["--new-key", "file:missing"];
    for (command, exit, text) in [
        (&["lock", "vdrive:a"][..], 1, "not activated"),
        (&["range", "list", "vdrive:a"], 1, "not activated"),
        (
            &["revert", "vdrive:a", "--as", "Admin1"],
            2,
            "Admin1 cannot",
        ),
    ] {
        bench
            .run(&[command, &missing].concat())
            .exits(exit)
            .complains(text);
    }
    let passwd = ["passwd", "vdrive:a", "--as", "Admin1"];
    let run = bench.run(&[&passwd[..], &missing, &new].concat());
    run.exits(1).complains("not activated");
    let bench = Bench::locked();
    for (authority, text) in [("SID", "SID cannot"), ("User999", "no User999")] {
        let unlock = ["unlock", "vdrive:a", "--as", authority];
        bench
            .run(&[&unlock[..], &missing].concat())
            .exits(2)
            .complains(text);
    }
}

#[test]
fn every_authority_is_checked_before_the_first_pin_is_changed() {
    let bench = Bench::set_up();
    let passwd = ["passwd", "vdrive:a", "--as", "Admin1", "--also", "User999"];
    let keys = ["--key", "file:right", "--new-key", "file:wrong"];
    let document = bench.json(&[&passwd[..], &keys].concat(), 2);
    assert_eq!(document["drives"][0]["if_commands"]["send"], 0);
    let passwd = ["passwd", "vdrive:a", "--as", "User1", "--also", "SID"];
    let keys = ["--admin-key", "file:right", "--new-key", "file:wrong"];
    let run = bench.run(&[&passwd[..], &keys].concat());
    run.exits(2)
        .complains("Admin1 cannot change the PIN of SID");
}

#[test]
fn missing_consent_exits_8() {
    let bench = Bench::set_up();
    let document = bench.json(&["revert", "vdrive:a", "--psid", "file:psid"], 8);
    let error = &document["drives"][0]["error"];
    assert_eq!(error["code"], "consent_required");
    assert!(error["hint"].as_str().unwrap().contains(SERIAL));
}

#[test]
fn a_missing_secret_exits_10() {
    let bench = Bench::locked();
    for source in [
        "file:missing",
        "cred:missing",
        "fd:99",
        "exec:false",
        "keyring:sedkit-none",
    ] {
        let document = bench.json(&["unlock", "vdrive:a", "--key", source], 10);
        assert_eq!(document["error"]["code"], "secret_unavailable", "{source}");
    }
}

#[test]
fn a_missing_secret_is_an_error_of_the_drives_that_need_it() {
    let bench = Bench::locked();
    bench.create("b", "SEDKITTEST0002");
    let unlock = ["unlock", "vdrive:a", "vdrive:b", "--key", "file:missing"];
    let document = bench.json(&unlock, 3);
    let error = &document["drives"][0]["error"];
    assert_eq!(error["code"], "secret_unavailable");
    assert_eq!(document["drives"][1]["ok"], true);
}

#[test]
fn a_file_that_others_may_read_is_refused() {
    use std::os::unix::fs::PermissionsExt;
    let bench = Bench::locked();
    let open = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(bench.path("right"), open).unwrap();
    let unlock = ["unlock", "vdrive:a", "--key", "file:right"];
    let run = bench.run(&unlock).exits(10);
    run.complains("chmod 600").complains("--allow-open-file");
    bench
        .run(&[&unlock[..], &["--allow-open-file"]].concat())
        .exits(0);
}

#[test]
fn a_session_that_a_killed_program_left_is_cleared_by_a_stack_reset() {
    let bench = Bench::locked();
    crate::cli::support::leave_session_open(&bench, "a");
    let unlock = [
        "unlock",
        "vdrive:a",
        "--key",
        "file:right",
        "--timeout",
        "1",
    ];
    bench.run(&unlock).exits(7).complains("--stack-reset");
    bench
        .run(&[&unlock[..], &["--stack-reset"]].concat())
        .exits(0);
}
