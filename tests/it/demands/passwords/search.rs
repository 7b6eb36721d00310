//! Wrong tries: how many a run spends, and the search for the scheme of a PIN.

use serde_json::{Value, json};

use crate::cli::schema::assert_valid;
use crate::cli::support::{Bench, PASSPHRASE, Run};
use crate::cli::terminal::at_terminal;

const IDENTIFY: [&str; 4] = ["identify-pin", "vdrive:a", "--key", "file:right"];

fn set_up_by(options: &[&str]) -> Bench {
    let bench = Bench::new();
    let setup = ["setup", "vdrive:a", "--new-key", "file:right"];
    bench.run(&[&setup[..], options].concat()).exits(0);
    bench
}

fn identify(bench: &Bench, options: &[&str], exit: i32) -> Value {
    let document = bench.json(&[&IDENTIFY[..], options].concat(), exit);
    document["drives"][0]["authorities"][0].clone()
}

fn outcomes(authority: &Value, outcome: &str) -> usize {
    let candidates = authority["candidates"].as_array().unwrap().iter();
    candidates.filter(|one| one["outcome"] == outcome).count()
}

fn wrong_unlock(bench: &Bench) -> Run {
    bench.run(&["lock", "vdrive:a", "--key", "file:wrong"])
}

#[test]
fn d1_the_scheme_that_worked_is_named_with_its_options() {
    let bench = set_up_by(&["--new-scheme", "sedutil-sha512"]);
    let found = identify(&bench, &[], 0);
    assert_eq!(found["end"], "found");
    assert_eq!(found["attempts"], 3);
    assert_eq!(
        found["found"]["options"],
        "--scheme sedutil-sha512 --salt serial"
    );
    let run = bench.run(&IDENTIFY).exits(0);
    run.says("Admin1 opens with scheme sedutil-sha512, salt serial");
}

/// A salt of another system is found by its serial number, or in its turn after power cycles.
#[test]
fn d4_salts_of_other_systems_are_candidates() {
    let bench = set_up_by(&["--new-scheme", "sedutil", "--serial", "BRIDGE0001"]);
    let found = identify(&bench, &["--serial", "BRIDGE0001"], 0);
    let salt = "hex:4252494447453030303120202020202020202020";
    assert_eq!(found["found"]["salt_rule"], salt);
    let lock = [
        "lock",
        "vdrive:a",
        "--key",
        "file:right",
        "--scheme",
        "sedutil",
        "--salt",
        salt,
    ];
    bench.run(&lock).exits(0);
}

/// Three are spent, the rest is named; after a power cycle the search goes on.
#[test]
fn d22_a_search_keeps_to_the_budget_and_goes_on_after_a_power_cycle() {
    let bench = set_up_by(&["--new-scheme", "sedutil", "--salt", "zero"]);
    let first = identify(&bench, &[], 4);
    assert_eq!(
        (&first["end"], &first["attempts"]),
        (&json!("budget_spent"), &json!(3))
    );
    assert_eq!(outcomes(&first, "refused"), 3);
    assert!(outcomes(&first, "left") > 5);
    let again = identify(&bench, &[], 4);
    assert_eq!(again["attempts"], 0);
    bench.run(&IDENTIFY).exits(4).complains("--power-cycled");
    bench.open("a").power_cycle().unwrap();
    let last = identify(&bench, &["--power-cycled"], 0);
    assert_eq!(last["found"]["scheme"], "sedutil");
    assert_eq!(last["found"]["salt_rule"], "zero");
    assert_eq!(outcomes(&last, "refused_before"), 3);
    assert_eq!(last["found"]["try_limit"], 5);
}

#[test]
fn d22_a_dry_run_lists_the_candidates_and_sends_nothing() {
    let bench = set_up_by(&["--new-scheme", "sedutil"]);
    let document = bench.json(&[&IDENTIFY[..], &["--dry-run"]].concat(), 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["if_commands"], json!({"send": 0, "recv": 1}));
    let authority = &drive["authorities"][0];
    assert_eq!(
        (&authority["end"], &authority["attempts"]),
        (&json!("planned"), &json!(0))
    );
    assert_eq!(authority["candidates"][0]["scheme"], "raw");
    assert_eq!(authority["candidates"][1]["salt_rule"], "serial");
    assert_eq!(authority["budget"]["remaining"], 3);
}

#[test]
fn d22_another_passphrase_begins_anew() {
    let bench = set_up_by(&[]);
    let mistyped = [
        "identify-pin",
        "vdrive:a",
        "--key",
        "file:wrong",
        "--tries",
        "1",
    ];
    bench.run(&mistyped).exits(4).complains("1 rules are wrong");
    let found = identify(&bench, &["--restart"], 0);
    assert_eq!(found["found"]["scheme"], "raw");
    assert_eq!(found["budget"]["spent"], 1);
}

/// Each command spends one try, and what they spend is known to the next.
#[test]
fn d20_tries_are_counted_across_runs() {
    let bench = set_up_by(&["--new-scheme", "sedutil"]);
    for _ in 0..2 {
        wrong_unlock(&bench).exits(4).complains("identify-pin");
    }
    let searched = identify(&bench, &[], 4);
    assert_eq!(searched["budget"]["spent"], 2);
    assert_eq!(searched["attempts"], 1);
    // The right PIN sets the count to 0, here as on the drive.
    let lock = [
        "lock",
        "vdrive:a",
        "--key",
        "file:right",
        "--scheme",
        "sedutil",
    ];
    bench.run(&lock).exits(0);
    let searched = identify(&bench, &[], 0);
    assert_eq!(searched["budget"]["spent"], 0);
}

/// The profile's limit is five: what is locked out is told apart from what is wrong, and left alone.
#[test]
fn d21_too_many_tries_are_told_apart_from_a_wrong_pin() {
    let bench = set_up_by(&[]);
    for _ in 0..5 {
        wrong_unlock(&bench).exits(4);
    }
    wrong_unlock(&bench)
        .exits(5)
        .complains("ut the drive's power");
    let searched = identify(&bench, &[], 5);
    assert_eq!(
        (&searched["end"], &searched["attempts"]),
        (&json!("locked_out"), &json!(0))
    );
    bench.open("a").power_cycle().unwrap();
    let found = identify(&bench, &["--power-cycled"], 0);
    assert_eq!(found["attempts"], 1);
}

#[test]
fn d21_the_psid_is_locked_out_too_and_the_way_out_is_said() {
    let bench = set_up_by(&[]);
    bench.secret("bad", "PSDPSDPSDPSDPSDPSDPSDPSDPSDPSDPX");
    let revert = [
        "revert",
        "vdrive:a",
        "--confirm",
        crate::cli::support::SERIAL,
    ];
    let wrong = [&revert[..], &["--psid", "file:bad"]].concat();
    for _ in 0..5 {
        bench.run(&wrong).exits(4).complains("look alike");
    }
    let right = [&revert[..], &["--psid", "file:psid"]].concat();
    bench.run(&right).exits(5).complains("ut the drive's power");
    bench.open("a").power_cycle().unwrap();
    bench.run(&right).exits(0);
}

/// A revert sets all PINs anew, and their counts.
#[test]
fn d20_a_revert_forgets_the_tries() {
    let bench = set_up_by(&[]);
    wrong_unlock(&bench).exits(4);
    let revert = [
        "revert",
        "vdrive:a",
        "--confirm",
        crate::cli::support::SERIAL,
    ];
    bench
        .run(&[&revert[..], &["--psid", "file:psid"]].concat())
        .exits(0);
    let left = std::fs::read_dir(bench.path("state")).unwrap();
    let left: Vec<_> = left.map(|file| file.unwrap().file_name()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn d22_authorities_that_cannot_act_are_not_tried() {
    let bench = Bench::new();
    let sid = identify(&bench, &[], 4);
    assert_eq!(
        (&sid["authority"], &sid["end"]),
        (&json!("SID"), &json!("default_pin"))
    );
    bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    let user = ["--as", "User1", "--admin-key", "file:right"];
    let user = identify(&bench, &user, 4);
    assert_eq!(
        (&user["end"], &user["attempts"]),
        (&json!("disabled"), &json!(0))
    );
    bench
        .run(&[&IDENTIFY[..], &["--as", "Admin9"]].concat())
        .exits(2);
    bench
        .run(&[&IDENTIFY[..], &["--as", "PSID"]].concat())
        .exits(2);
}

/// What opened one authority is the first for the next.
#[test]
fn d22_several_authorities_have_a_budget_each() {
    let bench = set_up_by(&["--new-scheme", "sedutil"]);
    let both = bench.json(&[&IDENTIFY[..], &["--as", "Admin1,SID"]].concat(), 0);
    let authorities = both["drives"][0]["authorities"].as_array().unwrap();
    let attempts: Vec<_> = authorities.iter().map(|one| &one["attempts"]).collect();
    assert_eq!(attempts, [&json!(2), &json!(1)]);
}

/// At a prompt the passphrase is typed twice, since every slip costs an attempt.
#[test]
fn d23_a_slip_at_the_prompt_costs_no_attempt() {
    let bench = set_up_by(&[]);
    let run = at_terminal(
        &bench,
        "identify-pin vdrive:a",
        &[PASSPHRASE, "Wrong-Horse-7"],
    );
    run.exits(10).says("the two inputs differ");
    let run = at_terminal(&bench, "identify-pin vdrive:a", &[PASSPHRASE, PASSPHRASE]);
    run.exits(0).says("the bytes as typed").says("1 attempt;");
}

/// A boot prompt that goes on after one wrong passphrase is no help: it asks again, within the
/// budget, and what was refused is known afterwards.
#[test]
fn d23_a_prompt_asks_again_within_the_budget() {
    let bench = set_up_by(&[]);
    bench.open("a").power_cycle().unwrap();
    let unlock = "unlock vdrive:a --tries 2";
    let wrong = ["Wrong-Horse-7", "Wrong-Horse-8", PASSPHRASE];
    at_terminal(&bench, unlock, &wrong).exits(4);
    assert!(!bench.is_readable("a"));
    assert_eq!(identify(&bench, &["--dry-run"], 0)["budget"]["spent"], 2);
    at_terminal(&bench, unlock, &["Wrong-Horse-7", PASSPHRASE]).exits(0);
    assert!(bench.is_readable("a"));
}

#[test]
fn what_a_search_says_is_what_its_schema_says() {
    let bench = Bench::new();
    let cases: [(&[&str], i32); 7] = [
        (&[], 4),
        (&["--dry-run"], 0),
        (&["--tries", "1"], 0),
        (&["--as", "Admin1,SID", "--restart"], 0),
        (&["--as", "User1", "--admin-key", "file:right"], 4),
        (&["--as", "PSID"], 2),
        (&["--as", "User1"], 4),
    ];
    for (index, (options, exit)) in cases.into_iter().enumerate() {
        let document = bench.json(&[&IDENTIFY[..], options].concat(), exit);
        assert_valid("identify-pin", &document);
        if index == 0 {
            bench
                .run(&["setup", "vdrive:a", "--new-key", "file:right"])
                .exits(0);
        }
    }
    let enable = ["user", "enable", "vdrive:a", "User1", "--firmware-prompt"];
    let keys = ["--key", "file:right", "--new-key", "file:right"];
    assert_valid(
        "user-enable",
        &bench.json(&[&enable[..], &keys].concat(), 0),
    );
    let dry_run = [&enable[..], &keys, &["--dry-run"]].concat();
    assert_valid("user-enable", &bench.json(&dry_run, 0));
}

/// A file gives the same secret again: it is sent once.
#[test]
fn d23_a_wrong_passphrase_is_one_try_unless_more_are_allowed() {
    let bench = set_up_by(&[]);
    let passwd = ["lock", "vdrive:a", "--key", "file:wrong", "--tries", "3"];
    bench.run(&passwd).exits(4);
    let searched = identify(&bench, &["--dry-run"], 0);
    assert_eq!(searched["budget"]["spent"], 1);
}
