//! `block-sid`, `tper-reset`, `stack-reset` and `data-removal` on a virtual drive.

use serde_json::json;

use crate::cli::support::{Bench, SERIAL, leave_session_open};

fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn set_lock_on_reset(bench: &Bench, resets: &str) {
    let value = format!("LockOnReset={resets}");
    let line = [
        "raw",
        "set",
        "vdrive:a",
        "Locking_GlobalRange",
        &value,
        "--as",
        "Admin1",
    ];
    let rest = ["--key", "file:right", "--confirm", SERIAL];
    bench.run(&[&line[..], &rest].concat()).exits(0);
}

fn enable(bench: &Bench) {
    bench
        .run(&words("tper-reset vdrive:a --enable --key file:right"))
        .exits(0);
}

/// No command sends STACK_RESET by itself: some drives do not come back from it (D49).
#[test]
fn d49_stack_reset_is_sent_only_when_it_is_asked_for() {
    let bench = Bench::new();
    let mut traces = String::new();
    for line in [
        "info vdrive:a",
        "setup vdrive:a --new-key file:right",
        "scan vdrive:a",
        "lock vdrive:a --key file:right",
        "unlock vdrive:a --key file:wrong",
        "unlock vdrive:a --key file:right",
        "raw dump vdrive:a --as Admin1 --key file:right",
        "tper-reset vdrive:a --enable --key file:right",
        "tper-reset vdrive:a",
        "block-sid vdrive:a",
        "stack-reset vdrive:a --dry-run",
        "revert vdrive:a --psid file:psid --confirm SEDKITTEST0001",
    ] {
        traces += &bench.run(&[&words(line)[..], &["-vv"]].concat()).stderr;
    }
    assert!(traces.contains("StartSession"), "no trace");
    assert!(!traces.contains("STACK_RESET"), "{traces}");
    let run = bench.run(&words("stack-reset vdrive:a -vv")).exits(0);
    run.complains("STACK_RESET: success");
}

/// A program that was killed leaves its session open; the hint says what ends it, and it does (D50).
#[test]
fn d50_a_session_of_a_killed_program_is_ended_on_demand() {
    let bench = Bench::set_up();
    leave_session_open(&bench, "a");
    let lock = words("lock vdrive:a --key file:right --timeout 1");
    bench.run(&lock).exits(7).complains("--stack-reset");
    let document = bench.json(&words("stack-reset vdrive:a"), 0);
    assert_eq!(document["drives"][0]["had_session"], true);
    bench.run(&lock).exits(0);
    let document = bench.json(&words("stack-reset vdrive:a"), 0);
    assert_eq!(document["drives"][0]["had_session"], false);
}

/// What a warm reboot leaves open, a programmatic reset locks, without a passphrase (D113).
#[test]
fn d113_a_programmatic_reset_locks_what_locks_by_it() {
    let bench = Bench::set_up();
    let run = bench.run(&words("tper-reset vdrive:a")).exits(1);
    run.complains("ProgrammaticResetEnable is false")
        .complains("tper-reset --enable");
    enable(&bench);
    // Not yet: the range locks by a power cycle only.
    let document = bench.json(&words("tper-reset vdrive:a"), 0);
    assert_eq!(document["drives"][0]["changed"], false);
    assert!(bench.is_readable("a"));
    set_lock_on_reset(&bench, "power_cycle,programmatic");
    let document = bench.json(&words("tper-reset vdrive:a"), 0);
    assert_eq!(document["drives"][0]["before"]["state"], "unlocked");
    assert_eq!(document["drives"][0]["state"]["state"], "locked");
    assert!(!bench.is_readable("a"));
    bench
        .run(&words("unlock vdrive:a --key file:right"))
        .exits(0);
    assert!(bench.is_readable("a"));
}

/// The same for a hardware reset, such as an NVMe subsystem reset (D113).
#[test]
fn d113_a_hardware_reset_locks_what_locks_by_it() {
    let bench = Bench::set_up();
    bench.run(&words("vdrive hardware-reset a")).exits(0);
    assert!(bench.is_readable("a"));
    set_lock_on_reset(&bench, "power_cycle,hardware");
    bench.run(&words("vdrive hardware-reset a")).exits(0);
    assert!(!bench.is_readable("a"));
}

/// `lock` before a reboot, with the passphrase, closes what stays powered (D113).
#[test]
fn d113_lock_closes_a_drive_that_stays_powered() {
    let bench = Bench::set_up();
    bench.run(&words("lock vdrive:a --key file:right")).exits(0);
    bench.run(&words("vdrive hardware-reset a")).exits(0);
    assert!(!bench.is_readable("a"));
}

#[test]
fn programmatic_resets_are_switched_once_and_by_sid_only() {
    let bench = Bench::set_up();
    let plan = bench.json(&words("tper-reset vdrive:a --enable --dry-run"), 0);
    assert_eq!(
        plan["drives"][0]["plan"][1]["arguments"],
        "ProgrammaticResetEnable = 1"
    );
    bench
        .run(&words("tper-reset vdrive:a --enable --key file:wrong"))
        .exits(4);
    enable(&bench);
    // As asked already: no secret is needed, and nobody is asked for one.
    let document = bench.json(&words("tper-reset vdrive:a --enable"), 0);
    assert_eq!(document["drives"][0]["changed"], false);
    bench
        .run(&words("tper-reset vdrive:a --disable --key file:right"))
        .exits(0);
    bench.run(&words("tper-reset vdrive:a")).exits(1);
    bench
        .run(&words("tper-reset vdrive:a --enable --disable"))
        .exits(2);
}

#[test]
fn several_drives_are_switched_with_one_secret() {
    let bench = Bench::set_up();
    bench.create("b", "SEDKITTEST0002");
    bench
        .run(&words("setup vdrive:b --new-key file:right"))
        .exits(0);
    enable(&bench);
    let both = "tper-reset vdrive:a vdrive:b --enable --key stdin";
    let run = bench
        .run_with_input(&words(both), b"Correct-Horse-7")
        .exits(0);
    run.says("vdrive:a: takes resets by software already")
        .says("vdrive:b: takes resets by software now");
    bench.run(&words("tper-reset vdrive:a vdrive:b")).exits(0);
}

#[test]
fn sid_is_blocked_until_the_next_power_cycle() {
    let bench = Bench::new();
    let dry = bench.json(&words("block-sid vdrive:a --dry-run"), 0);
    assert_eq!(dry["drives"][0]["plan"].as_array().unwrap().len(), 1);
    let as_sid = words("raw get vdrive:a C_PIN_SID --as SID --key msid");
    bench.run(&as_sid).exits(0);
    let document = bench.json(&words("block-sid vdrive:a"), 0);
    assert_eq!(document["drives"][0]["changed"], true);
    assert_eq!(document["drives"][0]["state"]["sid_blocked"], true);
    bench.run(&as_sid).exits(4).complains("blocked");
    // Blocked already: said, and nothing but Level 0 Discovery is sent.
    let document = bench.json(&words("block-sid vdrive:a"), 0);
    assert_eq!(document["drives"][0]["changed"], false);
    assert_eq!(
        document["drives"][0]["if_commands"],
        json!({"send": 0, "recv": 1})
    );
    let other = words("block-sid vdrive:a --hardware-reset-clears");
    bench.run(&other).exits(1).complains("not as asked");
    bench.run(&words("vdrive hardware-reset a")).exits(0);
    bench.run(&as_sid).exits(4);
    bench.run(&words("vdrive power-cycle a")).exits(0);
    bench.run(&as_sid).exits(0);
}

#[test]
fn a_block_that_a_hardware_reset_clears() {
    let bench = Bench::new();
    let block = words("block-sid vdrive:a --hardware-reset-clears");
    let document = bench.json(&block, 0);
    assert_eq!(document["drives"][0]["hardware_reset_clears"], true);
    // Whoever wants SID blocked has it blocked, whatever ends it.
    let run = bench.run(&words("block-sid vdrive:a")).exits(0);
    run.says("blocked already until the next power cycle or hardware reset");
    bench.run(&words("vdrive hardware-reset a")).exits(0);
    let document = bench.json(&["scan", "vdrive:a"], 0);
    assert_eq!(document["drives"][0]["state"]["sid_blocked"], false);
}

#[test]
fn a_drive_with_a_pin_of_its_own_needs_no_block_but_may_be_frozen() {
    let bench = Bench::set_up();
    let document = bench.json(&words("block-sid vdrive:a"), 0);
    assert_eq!(document["drives"][0]["changed"], false);
    assert_eq!(document["drives"][0]["if_commands"]["send"], 0);
    let document = bench.json(&words("block-sid vdrive:a --freeze"), 0);
    assert_eq!(document["drives"][0]["state"]["frozen"], true);
    bench
        .run(&words("lock vdrive:a --key file:right"))
        .exits(4)
        .complains("frozen");
    bench
        .run(&words("block-sid vdrive:a --freeze"))
        .exits(0)
        .says("frozen already");
    bench.run(&words("vdrive power-cycle a")).exits(0);
    bench
        .run(&words("unlock vdrive:a --key file:right"))
        .exits(0);
}

#[test]
fn an_inactive_locking_sp_cannot_be_frozen() {
    let bench = Bench::new();
    let run = bench.run(&words("block-sid vdrive:a --freeze")).exits(1);
    run.complains("not activated");
}

/// The mechanism is decoded, and set where the drive supports it (D118).
#[test]
fn d118_the_data_removal_mechanism_is_shown_and_chosen() {
    let bench = Bench::set_up();
    let document = bench.json(&words("data-removal show vdrive:a"), 0);
    assert_eq!(document["drives"][0]["mechanism"], "cryptographic_erase");
    let supported = &document["drives"][0]["supported"];
    assert_eq!(supported[0]["mechanism"], "cryptographic_erase");
    // As asked already: no secret is needed.
    let set = words("data-removal set vdrive:a cryptographic-erase");
    bench.run(&set).exits(0).says("chosen already");
    let unsupported = words("data-removal set vdrive:a overwrite");
    bench
        .run(&unsupported)
        .exits(6)
        .complains("data-removal show");
    bench
        .run(&words("data-removal set vdrive:a shredder"))
        .exits(2)
        .complains("block_erase");
}

/// Fields that other programs read stay where they are (D117).
#[test]
fn d117_fields_that_other_programs_read_stay() {
    let bench = Bench::set_up();
    let info = bench.json(&["info", "vdrive:a"], 0);
    let scan = bench.json(&["scan", "vdrive:a"], 0);
    for (document, pointer) in [
        (&info, "/schema"),
        (&info, "/ok"),
        (&info, "/drives/0/device"),
        (&info, "/drives/0/serial"),
        (&info, "/drives/0/model"),
        (&info, "/drives/0/firmware"),
        (&info, "/drives/0/ssc"),
        (&info, "/drives/0/state/state"),
        (&info, "/drives/0/state/locking"),
        (&info, "/drives/0/state/owned"),
        (&info, "/drives/0/state/sid_blocked"),
        (&info, "/drives/0/state/mbr"),
        (&info, "/drives/0/discovery/base_com_id"),
        (&info, "/drives/0/discovery/features/0/code"),
        (&info, "/drives/0/discovery/features/0/fields"),
        (&info, "/drives/0/properties/tper/MaxComPacketSize"),
        (&info, "/drives/0/diagnosis"),
        (&info, "/drives/0/if_commands/send"),
        (&scan, "/drives/0/ssc"),
        (&scan, "/drives/0/state/state"),
    ] {
        assert!(document.pointer(pointer).is_some(), "{pointer} is gone");
    }
    assert_eq!(info["schema"], "sedkit/1");
    assert_eq!(info["drives"][0]["state"]["locking"], "unlocked");
}
