//! Every command on a virtual drive: what it does to the drive, and what it says.

use serde_json::json;

use crate::cli::support::{Bench, MSID, PASSPHRASE, SERIAL};

#[test]
fn scan_shows_the_state_of_each_drive() {
    let bench = Bench::set_up();
    bench.create("b", "SEDKITTEST0002");
    let document = bench.json(&["scan", "vdrive:a", "vdrive:b"], 0);
    assert_eq!(document["drives"][0]["serial"], SERIAL);
    assert_eq!(document["drives"][0]["ssc"], "Opal 2");
    assert_eq!(document["drives"][0]["state"]["state"], "unlocked");
    assert_eq!(document["drives"][1]["state"]["state"], "factory");
    assert_eq!(
        document["drives"][1]["if_commands"],
        json!({"send": 0, "recv": 1})
    );
    let run = bench.run(&["scan", "vdrive:a", "vdrive:b"]).exits(0);
    run.says("DEVICE")
        .says(SERIAL)
        .says("Opal 2")
        .says("factory")
        .says("unlocked");
}

#[test]
fn a_drive_that_is_named_twice_is_talked_to_once() {
    let bench = Bench::new();
    std::os::unix::fs::symlink("a", bench.path("link")).unwrap();
    let document = bench.json(&["scan", "vdrive:a", "vdrive:link", "vdrive:./a"], 0);
    assert_eq!(document["drives"].as_array().unwrap().len(), 1);
}

#[test]
fn info_needs_no_secret_and_changes_nothing() {
    let bench = Bench::new();
    let document = bench.json(&["info", "vdrive:a"], 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["bus"], "virtual");
    assert_eq!(drive["salt"], "5345444b49545445535430303031202020202020");
    assert_eq!(drive["state"]["owned"], false);
    assert_eq!(drive["discovery"]["features"][0]["code"], "0001");
    assert!(drive["properties"]["tper"]["MaxComPacketSize"].as_u64() >= Some(2048));
    let run = bench.run(&["info", "vdrive:a"]).exits(0);
    run.says("0002 Locking")
        .says("MaxComPacketSize")
        .says("Diagnosis");
}

#[test]
fn setup_takes_ownership_and_ends_unlocked() {
    let bench = Bench::new();
    let document = bench.json(&["setup", "vdrive:a", "--new-key", "file:right"], 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["changed"], true);
    assert_eq!(drive["activated"], true);
    assert_eq!(drive["scheme"], "firmware");
    assert_eq!(drive["state"]["state"], "unlocked");
    assert_eq!(drive["state"]["owned"], true);
    assert_eq!(drive["ranges"][0]["read_lock_enabled"], true);
    assert_eq!(drive["ranges"][0]["lock_on_reset"], json!(["power_cycle"]));
    assert!(bench.is_readable("a"));
}

#[test]
fn setup_can_be_run_again() {
    let bench = Bench::set_up();
    let run = bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    run.says("already set up");
}

#[test]
fn setup_with_another_passphrase_is_refused() {
    let bench = Bench::set_up();
    let run = bench
        .run(&["setup", "vdrive:a", "--new-key", "file:wrong"])
        .exits(4);
    run.complains("NOT_AUTHORIZED").complains("hint:");
}

#[test]
fn setup_refuses_what_a_firmware_prompt_cannot_type() {
    let bench = Bench::new();
    bench.secret("blank", "Correct Horse");
    let document = bench.json(&["setup", "vdrive:a", "--new-key", "file:blank"], 2);
    let error = &document["drives"][0]["error"];
    assert_eq!(error["code"], "usage");
    assert!(error["hint"].as_str().unwrap().contains("raw"));
    assert_eq!(document["drives"][0]["if_commands"]["send"], 0);
}

#[test]
fn setup_of_ranges_asks_for_the_serial_number() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--range",
        "1MiB+2MiB",
    ];
    let run = bench.run(&setup).exits(8);
    run.complains(&format!("--confirm {SERIAL}"));
    let setup = [&setup[..], &["--confirm", SERIAL]].concat();
    let document = bench.json(&setup, 0);
    let ranges = document["drives"][0]["ranges"].as_array().unwrap();
    let range = ranges.iter().find(|range| range["range"] == 1).unwrap();
    assert_eq!(range["range_start"], 2048);
    assert_eq!(range["range_length"], 4096);
    assert_eq!(range["write_lock_enabled"], true);
}

#[test]
fn setup_names_the_nearest_valid_range() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--range",
        "9+800",
    ];
    bench
        .run(&setup)
        .exits(2)
        .complains("nearest aligned block is 8");
}

#[test]
fn lock_refuses_reads_and_unlock_allows_them() {
    let bench = Bench::set_up();
    let document = bench.json(&["lock", "vdrive:a", "--key", "file:right"], 0);
    assert_eq!(
        document["drives"][0]["ranges"],
        json!([{"range": 0, "ok": true, "error": null}])
    );
    assert!(!bench.is_readable("a"));
    let document = bench.json(&["unlock", "vdrive:a", "--key", "file:right"], 0);
    assert_eq!(document["drives"][0]["changed"], true);
    assert_eq!(document["drives"][0]["mbr"], "untouched");
    assert!(bench.is_readable("a"));
}

#[test]
fn unlock_of_one_range_takes_seven_interface_commands() {
    let bench = Bench::locked();
    let unlock = ["unlock", "vdrive:a", "--key", "file:right", "--range", "0"];
    let document = bench.json(&unlock, 0);
    let counts = &document["drives"][0]["if_commands"];
    assert_eq!(
        counts["send"].as_u64().unwrap() + counts["recv"].as_u64().unwrap(),
        7,
        "{counts}"
    );
}

#[test]
fn an_unlocked_drive_gets_one_discovery_and_nobody_is_asked() {
    let bench = Bench::set_up();
    let document = bench.json(&["unlock", "vdrive:a", "--key", "file:missing"], 0);
    assert_eq!(document["drives"][0]["changed"], false);
    assert_eq!(
        document["drives"][0]["if_commands"],
        json!({"send": 0, "recv": 1})
    );
}

#[test]
fn a_pin_is_proven_before_the_kernel_gets_it() {
    let bench = Bench::set_up();
    let unlock = ["unlock", "vdrive:a", "--save-for-resume", "--key"];
    let document = bench.json(&[&unlock[..], &["file:wrong"]].concat(), 4);
    assert_eq!(document["drives"][0]["error"]["code"], "not_authorized");
    bench
        .run(&[&unlock[..], &["file:right"]].concat())
        .exits(6)
        .complains("no block device");
}

#[test]
fn unlock_for_reading_only_leaves_writes_refused() {
    let bench = Bench::locked();
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:right", "--read-only"])
        .exits(0);
    assert!(bench.is_readable("a"));
    assert!(bench.open("a").write(0, &[0; 512]).is_err());
}

#[test]
fn the_msid_is_a_source() {
    let bench = Bench::new();
    let revert = ["revert", "vdrive:a", "--as", "SID", "--key", "msid"];
    bench
        .run(&[&revert[..], &["--confirm", SERIAL]].concat())
        .exits(0);
}

#[test]
fn the_msid_is_no_passphrase() {
    let bench = Bench::new();
    bench.secret("right", MSID);
    let run = bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(1);
    run.complains("choose a passphrase of your own");
}

#[test]
fn schemes_hash_with_the_drive_s_serial_number() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--scheme",
        "sedutil",
    ];
    bench.run(&setup).exits(0).says("scheme sedutil");
    bench.open("a").power_cycle().unwrap();
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:right"])
        .exits(4);
    let zero = [
        "unlock",
        "vdrive:a",
        "--key",
        "file:right",
        "--scheme",
        "sedutil",
    ];
    bench
        .run(&[&zero[..], &["--salt", "zero"]].concat())
        .exits(4);
    bench
        .run(&[&zero[..], &["--serial", SERIAL]].concat())
        .exits(0);
    assert!(bench.is_readable("a"));
}

#[test]
fn a_scheme_of_the_present_secret_is_not_that_of_the_new_one() {
    let bench = Bench::new();
    let setup = ["setup", "vdrive:a", "--new-key", "file:right"];
    bench
        .run(&[&setup[..], &["--scheme", "sedutil"]].concat())
        .exits(0);
    bench.secret("next", "Battery-Staple-8");
    let keys = ["--key", "file:right", "--new-key", "file:next"];
    let passwd = ["passwd", "vdrive:a", "--as", "Admin1"];
    bench
        .run(&[&passwd[..], &keys, &["--scheme", "sedutil"]].concat())
        .exits(0);
    let setup = ["setup", "vdrive:a", "--new-key", "file:next"];
    let sid_key = ["--sid-key", "file:right", "--scheme", "sedutil"];
    let document = bench.json(&[&setup[..], &sid_key].concat(), 0);
    assert_eq!(document["drives"][0]["scheme"], "firmware");
    assert_eq!(document["drives"][0]["owned"], true);
}

#[test]
fn the_msid_is_no_new_secret() {
    let bench = Bench::new();
    for command in [
        &["setup", "vdrive:missing"][..],
        &["passwd", "vdrive:missing", "--as", "SID"],
    ] {
        let command = [command, &["--new-key", "msid"]].concat();
        bench
            .run(&command)
            .exits(2)
            .complains("shows it to anybody");
    }
}

#[test]
fn passwd_changes_a_pin_and_proves_it() {
    let bench = Bench::set_up();
    bench.secret("next", "Battery-Staple-8");
    let passwd = ["passwd", "vdrive:a", "--as", "Admin1", "--also", "SID"];
    let keys = ["--key", "file:right", "--new-key", "file:next"];
    let document = bench.json(&[&passwd[..], &keys].concat(), 0);
    let changed = |authority: &str| {
        json!({"authority": authority, "scheme": "firmware", "salt_rule": null,
            "changed": true, "proof": "authenticated"})
    };
    let expected = json!([changed("Admin1"), changed("SID")]);
    assert_eq!(document["drives"][0]["authorities"], expected);
    bench.open("a").power_cycle().unwrap();
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:right"])
        .exits(4);
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:next"])
        .exits(0);
}

#[test]
fn passwd_finishes_what_was_interrupted() {
    let bench = Bench::set_up();
    bench.secret("next", "Battery-Staple-8");
    let keys = ["--key", "file:right", "--new-key", "file:next"];
    bench
        .run(&[&["passwd", "vdrive:a", "--as", "SID"][..], &keys].concat())
        .exits(0);
    let passwd = ["passwd", "vdrive:a", "--as", "SID", "--also", "Admin1"];
    // No run was interrupted, so that a second attempt is up to the user.
    bench.run(&[&passwd[..], &keys].concat()).exits(4);
    let tries = ["--tries", "2"];
    let document = bench.json(&[&passwd[..], &keys, &tries].concat(), 0);
    assert_eq!(document["drives"][0]["authorities"][0]["changed"], false);
    assert_eq!(document["drives"][0]["authorities"][1]["changed"], true);
}

#[test]
fn revert_needs_consent_and_erases() {
    let bench = Bench::set_up();
    bench.open("a").write(0, &[7; 512]).unwrap();
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let run = bench.run(&revert).exits(8);
    run.complains("ALL DATA").complains(SERIAL);
    bench
        .run(&[&revert[..], &["--confirm", "SEDKITTEST0009"]].concat())
        .exits(8);
    assert_eq!(bench.open("a").read(0, 1).unwrap(), [7; 512]);
    let document = bench.json(&[&revert[..], &["--confirm", SERIAL]].concat(), 0);
    assert_eq!(document["drives"][0]["state"]["state"], "factory");
    assert_eq!(document["drives"][0]["findings"], json!([]));
    assert_ne!(bench.open("a").read(0, 1).unwrap(), [7; 512]);
}

#[test]
fn revert_takes_the_owner_s_passphrase() {
    let bench = Bench::set_up();
    let revert = ["revert", "vdrive:a", "--as", "SID", "--confirm", SERIAL];
    bench
        .run(&[&revert[..], &["--key", "file:wrong"]].concat())
        .exits(4);
    bench
        .run(&[&revert[..], &["--key", "file:right"]].concat())
        .exits(0)
        .says("factory");
}

#[test]
fn a_psid_may_have_dashes_and_small_letters() {
    let bench = Bench::set_up();
    bench.secret("psid", "psdp-SDPS DPSD-psdp-SDPS-DPSD-PSDP-SDPS\n");
    let revert = [
        "revert",
        "vdrive:a",
        "--psid",
        "file:psid",
        "--confirm",
        SERIAL,
    ];
    bench.run(&revert).exits(0);
}

#[test]
fn a_wrong_psid_is_explained_by_characters_that_look_alike() {
    let bench = Bench::set_up();
    let revert = ["revert", "vdrive:a", "--confirm", SERIAL, "--psid"];
    bench.secret("short", "PSDPSD");
    bench
        .run(&[&revert[..], &["file:short"]].concat())
        .exits(2)
        .complains("O and 0");
    bench.secret("other", "0SDPSDPSDPSDPSDPSDPSDPSDPSDPSDPS");
    bench
        .run(&[&revert[..], &["file:other"]].concat())
        .exits(4)
        .complains("O and 0");
}

#[test]
fn revert_says_what_it_really_does() {
    let bench = Bench::new();
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let run = bench.run(&revert).exits(8);
    run.complains("NOT erased");
}

#[test]
fn unlock_says_why_there_is_nothing_to_do() {
    let bench = Bench::new();
    let run = bench.run(&["unlock", "vdrive:a"]).exits(0);
    run.says("never set up").says("sedkit setup");
    let bench = Bench::set_up();
    let run = bench.run(&["unlock", "vdrive:a"]).exits(0);
    run.says("already unlocked");
}

#[test]
fn anybody_may_be_written_small() {
    let bench = Bench::set_up();
    bench
        .run(&["range", "list", "vdrive:a", "--as", "anybody"])
        .exits(0);
    bench
        .run(&["range", "list", "vdrive:a", "--as", "somebody"])
        .exits(2)
        .complains("Anybody");
}

#[test]
fn ranges_that_are_as_asked_need_no_consent() {
    let bench = Bench::new();
    let setup = ["setup", "vdrive:a", "--new-key", "file:right", "--range"];
    let consent = ["--confirm", SERIAL];
    bench
        .run(&[&setup[..], &["8+8"], &consent].concat())
        .exits(0);
    bench
        .run(&[&setup[..], &["8+8"]].concat())
        .exits(0)
        .says("already set up");
    bench.run(&[&setup[..], &["16+8"]].concat()).exits(8);
    bench
        .run(&[&setup[..], &["16+8"], &consent].concat())
        .exits(0);
}

#[test]
fn info_shows_the_tries_of_the_psid() {
    let bench = Bench::set_up();
    bench.secret("other", "0SDPSDPSDPSDPSDPSDPSDPSDPSDPSDPS");
    let revert = ["revert", "vdrive:a", "--psid", "file:other"];
    bench
        .run(&[&revert[..], &["--confirm", SERIAL]].concat())
        .exits(4);
    let document = bench.json(&["info", "vdrive:a"], 0);
    assert_eq!(document["drives"][0]["psid_tries"]["tries"], 1);
    bench
        .run(&["info", "vdrive:a"])
        .exits(0)
        .says("PSID: 1 wrong attempts counted");
}

#[test]
fn a_failing_passwd_prints_no_empty_line() {
    let bench = Bench::set_up();
    let passwd = [
        "passwd",
        "vdrive:a",
        "--as",
        "Admin1",
        "--key",
        "file:wrong",
    ];
    let run = bench.run(&[&passwd[..], &["--new-key", "file:right"]].concat());
    assert_eq!(run.exits(4).stdout, "");
}

#[test]
fn range_list_shows_every_range() {
    let bench = Bench::set_up();
    let document = bench.json(&["range", "list", "vdrive:a", "--key", "file:right"], 0);
    assert_eq!(document["command"], "range list");
    let ranges = document["drives"][0]["ranges"].as_array().unwrap();
    assert!(ranges.len() >= 9, "{}", ranges.len());
    assert_eq!(ranges[0]["range"], 0);
    assert_eq!(ranges[0]["uid"], "0000080200000001");
    assert_eq!(ranges[0]["read_locked"], false);
    assert_eq!(ranges[0]["locked"], false);
    let run = bench
        .run(&["range", "list", "vdrive:a", "--key", "file:right"])
        .exits(0);
    run.says("LOCK ON RESET").says("power cycle");
}

#[test]
fn a_dry_run_prints_methods_and_changes_nothing() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:missing",
        "--dry-run",
    ];
    let document = bench.json(&setup, 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["dry_run"], true);
    let plan = drive["plan"].as_array().unwrap();
    assert!(plan.iter().any(|call| call["method"] == "Activate"));
    assert!(plan.iter().any(|call| call["changes"] == true));
    assert_eq!(drive["if_commands"], json!({"send": 0, "recv": 1}));
    assert_eq!(
        bench.json(&["scan", "vdrive:a"], 0)["drives"][0]["state"]["state"],
        "factory"
    );
}

#[test]
fn a_dry_run_shows_a_stack_reset_and_sends_none() {
    let bench = Bench::locked();
    for command in [
        &["lock", "vdrive:a"][..],
        &["unlock", "vdrive:a"],
        &["setup", "vdrive:a"],
        &["passwd", "vdrive:a", "--as", "Admin1"],
        &["revert", "vdrive:a"],
    ] {
        let options = ["--dry-run", "--stack-reset"];
        let document = bench.json(&[command, &options].concat(), 0);
        let drive = &document["drives"][0];
        assert_eq!(drive["plan"][0]["method"], "STACK_RESET", "{command:?}");
        assert_eq!(
            drive["if_commands"],
            json!({"send": 0, "recv": 1}),
            "{command:?}"
        );
    }
}

#[test]
fn every_changing_command_has_a_dry_run() {
    let bench = Bench::locked();
    for command in [
        &["lock", "vdrive:a"][..],
        &["unlock", "vdrive:a"],
        &["passwd", "vdrive:a", "--as", "Admin1"],
        &["revert", "vdrive:a", "--psid", "prompt"],
        &["revert", "vdrive:a"],
    ] {
        let document = bench.json(&[command, &["--dry-run"]].concat(), 0);
        let drive = &document["drives"][0];
        assert!(!drive["plan"].as_array().unwrap().is_empty(), "{command:?}");
        assert_eq!(
            drive["if_commands"],
            json!({"send": 0, "recv": 1}),
            "{command:?}"
        );
    }
}

#[test]
fn drives_are_reported_in_the_order_given() {
    let bench = Bench::locked();
    bench.create("b", "SEDKITTEST0002");
    bench.secret("other", "Battery-Staple-8");
    bench
        .run(&["setup", "vdrive:b", "--new-key", "file:other"])
        .exits(0);
    bench.open("b").power_cycle().unwrap();
    let document = bench.json(
        &["unlock", "vdrive:b", "vdrive:a", "--key", "file:right"],
        3,
    );
    assert_eq!(document["error"]["code"], "partial");
    assert_eq!(document["error"]["message"], "1 of 2 drives failed");
    assert_eq!(document["drives"][0]["device"], "vdrive:b");
    assert_eq!(document["drives"][0]["error"]["code"], "not_authorized");
    assert_eq!(document["drives"][0]["error"]["step"], "start_session");
    assert_eq!(document["drives"][0]["error"]["status"], 1);
    assert_eq!(document["drives"][1]["ok"], true);
    assert!(bench.is_readable("a"));
}

#[test]
fn a_missing_secret_concerns_only_the_drives_that_need_it() {
    let bench = Bench::locked();
    bench.create("b", "SEDKITTEST0002");
    let document = bench.json(
        &["unlock", "vdrive:a", "vdrive:b", "--key", "file:missing"],
        3,
    );
    assert_eq!(document["drives"][0]["error"]["code"], "secret_unavailable");
    assert_eq!(
        document["drives"][0]["if_commands"],
        json!({"send": 0, "recv": 1})
    );
    assert_eq!(document["drives"][1]["ok"], true);
}

#[test]
fn a_passphrase_comes_through_standard_input() {
    let bench = Bench::locked();
    let unlock = ["unlock", "vdrive:a", "--key", "stdin"];
    let input = format!("{PASSPHRASE}\n");
    bench.run_with_input(&unlock, input.as_bytes()).exits(0);
    assert!(bench.is_readable("a"));
}

#[test]
fn a_virtual_drive_gets_the_try_limit_that_was_asked_for() {
    let bench = Bench::new();
    let create = ["vdrive", "create", "vdrive:patient", "--size", "1MiB"];
    let asked = [&create[..], &["--try-limit", "0"]].concat();
    bench.run(&asked).exits(0);
    assert_eq!(bench.open("patient").profile().tries.locking_sp.limit, 0);
    assert_eq!(bench.open("patient").profile().tries.sid.limit, 5);
    assert_eq!(bench.open("a").profile().tries.locking_sp.limit, 5);
}
