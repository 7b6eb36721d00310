//! What is typed at a terminal: passphrases, and the serial number that is consent.
//!
//! `script` of util-linux gives the program a terminal and types.

use std::process::Command;

use sedkit::spec::{ComId, SecurityProtocol};
use sedkit::transport::Transport;

use crate::cli::support::{Bench, MSID, PASSPHRASE, PSID, Run, SERIAL};

/// Runs the program on a terminal of its own and types lines, whenever it asks.
pub(crate) fn at_terminal(bench: &Bench, arguments: &str, lines: &[&str]) -> Run {
    let command = format!("{} {arguments}", env!("CARGO_BIN_EXE_sedkit"));
    let mut script = Command::new("script");
    script
        .args(["-qec", &command, "/dev/null"])
        .current_dir(bench.path(""))
        .env("SEDKIT_STATE_DIR", bench.path("state"));
    let input: String = lines.iter().map(|line| format!("{line}\r")).collect();
    Run::of(script, input.as_bytes())
}

#[test]
fn a_new_passphrase_is_asked_for_twice() {
    let bench = Bench::new();
    let run = at_terminal(&bench, "setup vdrive:a", &[PASSPHRASE, "Other-Horse-7"]);
    run.exits(10)
        .says("the two inputs differ")
        .says("nothing was changed");
    let run = at_terminal(&bench, "setup vdrive:a", &[PASSPHRASE, PASSPHRASE]);
    run.exits(0)
        .says("New passphrase of SID and Admin1 (again)")
        .says("set up");
}

#[test]
fn a_refused_passphrase_is_asked_for_again_within_the_budget() {
    let bench = Bench::set_up();
    let lock = "lock vdrive:a --tries 2";
    let run = at_terminal(&bench, lock, &["Wrong-Horse-7", PASSPHRASE]);
    run.exits(0).says("Admin1 was refused").says("locked");
    let unlock = "unlock vdrive:a";
    let run = at_terminal(&bench, unlock, &["Wrong-Horse-7", PASSPHRASE]);
    run.exits(4).says("Admin1 was refused");
    assert!(!bench.is_readable("a"));
}

#[test]
fn what_was_unlocked_stays_reported_if_no_second_passphrase_comes() {
    let bench = Bench::locked();
    bench.create("b", "SEDKITTEST0002");
    bench
        .run(&["setup", "vdrive:b", "--new-key", "file:wrong"])
        .exits(0);
    bench.open("b").power_cycle().unwrap();
    let unlock = "unlock vdrive:a vdrive:b --tries 2";
    let run = at_terminal(&bench, unlock, &[PASSPHRASE, ""]);
    let run = run.exits(3).says("vdrive:a: unlocked");
    run.says("vdrive:b: Admin1 was refused").says("1 of 2");
    assert!(bench.is_readable("a"));
    bench.open("a").power_cycle().unwrap();
    let run = at_terminal(&bench, unlock, &[PASSPHRASE, "\x04"]);
    run.exits(3).says("vdrive:a: unlocked");
}

#[test]
fn every_command_that_has_tries_asks_again() {
    let bench = Bench::set_up();
    let range = "range list vdrive:a --tries 2";
    at_terminal(&bench, range, &["Wrong-Horse-7", PASSPHRASE])
        .exits(0)
        .says("LOCK ON RESET");
    let revert = format!("revert vdrive:a --tries 2 --confirm {SERIAL}");
    at_terminal(&bench, &revert, &["Wrong-Horse-7", PASSPHRASE])
        .exits(0)
        .says("reverted");
    bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    let revert = format!("{revert} --psid prompt");
    let wrong = "0SDPSDPSDPSDPSDPSDPSDPSDPSDPSDPS";
    at_terminal(&bench, &revert, &[wrong, PSID])
        .exits(0)
        .says("reverted");
}

#[test]
fn a_blocked_sid_is_no_reason_to_ask_again() {
    let bench = Bench::new();
    bench
        .open("a")
        .if_send(SecurityProtocol::TCG_MANAGEMENT, ComId(5), &[0; 512])
        .unwrap();
    let revert = format!("revert vdrive:a --tries 2 --confirm {SERIAL}");
    let run = at_terminal(&bench, &revert, &[MSID]);
    run.exits(4).says("SID is blocked");
}

#[test]
fn a_typed_serial_number_is_consent() {
    let bench = Bench::set_up();
    let revert = "revert vdrive:a --psid file:psid";
    let run = at_terminal(&bench, revert, &["yes"]);
    run.exits(8).says("ALL DATA").says("nothing was done");
    let run = at_terminal(&bench, revert, &[SERIAL]);
    run.exits(0).says("reverted");
}
