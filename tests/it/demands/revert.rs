//! Erase and revert.

use sedkit::drive::{Authority, Credential, Drive, DriveOptions, EraseConsent, ErrorCode};
use sedkit::secret::Secret;
use sedkit::spec::{ComId, SecurityProtocol};
use sedkit::transport::script::Script;
use sedkit::transport::{Bus, Identity};
use sedkit::vdrive::{CreateOptions, VirtualDrive};
use serde_json::{Value, json};

use crate::cli::support::{Bench, PSID, SERIAL};

const CONFIRM: [&str; 2] = ["--confirm", SERIAL];
const KEY: [&str; 2] = ["--key", "file:right"];

/// Writes data at the ends of a drive that is not locked.
fn fill(bench: &Bench) {
    let mut drive = bench.open("a");
    for lba in (0..64).chain(16_320..16_384) {
        drive.write(lba, &data(lba)).unwrap();
    }
    drive.flush().unwrap();
}

fn data(lba: u64) -> Vec<u8> {
    let byte = u8::try_from(lba % 250).unwrap() + 1;
    vec![byte; 512]
}

/// How many blocks hold what [`fill`] wrote.
fn survivors(bench: &Bench) -> usize {
    let drive = bench.open("a");
    let survives = |lba: &u64| drive.read(*lba, 1).is_ok_and(|block| block == data(*lba));
    (0..64).chain(16_320..16_384).filter(survives).count()
}

/// The drive's object in the document of a command that is given the key and the serial number.
fn run(bench: &Bench, arguments: &[&str], exit: i32) -> Value {
    let arguments = [arguments, &KEY, &CONFIRM].concat();
    bench.json(&arguments, exit)["drives"][0].clone()
}

#[test]
fn d30_an_erase_is_judged_by_blocks_that_are_read_before_and_after() {
    let bench = Bench::set_up();
    fill(&bench);
    let erase = ["erase", "vdrive:a", "--range", "0", "--sample-seed", "7"];
    let drive = run(&bench, &erase, 0);
    let evidence = &drive["ranges"][0]["evidence"];
    assert_eq!(evidence["verdict"], "supported");
    assert_eq!(evidence["unchanged"], 0);
    assert!(evidence["changed"].as_u64() >= Some(3), "{evidence}");
    assert_eq!(drive["sampling"], json!({"samples": 64, "seed": 7}));
    assert_eq!(survivors(&bench), 0);
}

#[test]
fn d30_the_same_seed_reads_the_same_blocks() {
    let bench = Bench::set_up();
    fill(&bench);
    let erase = ["erase", "vdrive:a", "--all", "--sample-seed", "99"];
    let first = run(&bench, &erase, 0)["ranges"][0]["evidence"].clone();
    let second = run(&bench, &erase, 0)["ranges"][0]["evidence"].clone();
    assert_eq!(first, second);
}

#[test]
fn d30_blocks_that_were_never_written_are_no_evidence() {
    let bench = Bench::set_up();
    let drive = run(&bench, &["erase", "vdrive:a", "--range", "0"], 0);
    let evidence = &drive["ranges"][0]["evidence"];
    assert_eq!(evidence["verdict"], "nothing_learned");
    assert_eq!(evidence["reason"], "blank");
    assert_eq!(evidence["blank"], evidence["samples"]);
}

#[test]
fn d30_what_is_locked_cannot_be_looked_at_and_is_erased_all_the_same() {
    let bench = Bench::set_up();
    fill(&bench);
    bench.open("a").power_cycle().unwrap();
    let drive = run(&bench, &["erase", "vdrive:a", "--range", "0"], 0);
    let evidence = &drive["ranges"][0]["evidence"];
    assert_eq!(evidence["verdict"], "not_run");
    assert_eq!(evidence["reason"], "locked");
    bench
        .run(&["unlock", "vdrive:a", "--key", "file:right"])
        .exits(0);
    assert_eq!(survivors(&bench), 0);
}

#[test]
fn d30_a_revert_before_activation_says_that_data_is_not_erased() {
    let bench = Bench::new();
    fill(&bench);
    bench.secret("next", "Battery-Staple-8");
    let own = ["--as", "SID", "--key", "msid", "--new-key", "file:next"];
    bench
        .run(&[&["passwd", "vdrive:a"][..], &own].concat())
        .exits(0);
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let run = bench.run(&[&revert[..], &CONFIRM].concat()).exits(0);
    run.says("its data was NOT erased");
    assert_eq!(survivors(&bench), 128);
}

/// A drive with quirks that is set up, with data.
fn quirky(quirks: &[&str]) -> Bench {
    let bench = Bench::new();
    std::fs::remove_file(bench.path("a")).unwrap();
    let mut options = CreateOptions::new(8 << 20);
    options.serial = Some(SERIAL.to_owned());
    options.psid = Some(PSID.to_owned());
    for quirk in quirks {
        options.profile.add_quirk(quirk).unwrap();
    }
    VirtualDrive::create(&bench.path("a"), &options).unwrap();
    let setup = ["setup", "vdrive:a", "--new-key", "file:right"];
    bench.run(&setup).exits(0);
    fill(&bench);
    bench
}

#[test]
fn d30_data_that_survives_an_erase_is_a_finding() {
    let bench = quirky(&["keys-kept"]);
    let drive = run(&bench, &["erase", "vdrive:a", "--range", "0"], 9);
    let evidence = &drive["ranges"][0]["evidence"];
    assert_eq!(evidence["verdict"], "refuted");
    assert_eq!(evidence["first_unchanged_lba"], 0);
    let error = &drive["error"];
    assert_eq!(error["code"], "finding");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("still hold their old data"), "{message}");
    assert!(message.contains("the first at LBA 0"), "{message}");
}

#[test]
fn d30_data_that_survives_a_psid_revert_is_a_finding() {
    let bench = quirky(&["keys-kept"]);
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let document = bench.json(&[&revert[..], &CONFIRM].concat(), 9);
    let drive = &document["drives"][0];
    assert_eq!(drive["evidence"]["verdict"], "refuted");
    assert_eq!(drive["state"]["state"], "factory");
}

#[test]
fn d30_zeros_in_place_of_data_are_no_evidence_of_a_new_key() {
    let bench = quirky(&["erased-reads-zeros"]);
    let drive = run(&bench, &["erase", "vdrive:a", "--range", "0"], 0);
    let evidence = &drive["ranges"][0]["evidence"];
    assert_eq!(evidence["verdict"], "nothing_learned");
    assert_eq!(evidence["reason"], "blanked");
}

#[test]
fn d30_where_the_shadow_mbr_is_shown_nothing_is_compared() {
    let bench = Bench::set_up();
    fill(&bench);
    let mbr = [
        "mbr",
        "enable",
        "vdrive:a",
        "--key",
        "file:right",
        "--force",
    ];
    bench.run(&mbr).exits(0);
    bench.open("a").power_cycle().unwrap();
    let drive = run(&bench, &["erase", "vdrive:a", "--range", "0"], 0);
    assert_eq!(drive["ranges"][0]["evidence"]["reason"], "shadow_mbr");
}

#[test]
fn d38_a_drive_that_gives_out_no_data_after_a_revert_is_an_error() {
    let bench = quirky(&["revert-shuts-medium"]);
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let document = bench.json(&[&revert[..], &CONFIRM].concat(), 1);
    let drive = &document["drives"][0];
    assert_eq!(drive["readable"], false);
    let error = &drive["error"];
    let message = error["message"].as_str().unwrap();
    let expected = "the drive accepted the revert, but its blocks cannot be read (LBA 0: ";
    assert!(message.starts_with(expected), "{message}");
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("cut the drive's power")
    );
}

#[test]
fn d38_a_drive_that_needs_time_after_a_revert_is_waited_for() {
    let bench = quirky(&["slow=20", "empty-answers=5"]);
    let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
    let document = bench.json(&[&revert[..], &CONFIRM].concat(), 0);
    let drive = &document["drives"][0];
    assert_eq!(drive["state"]["state"], "factory");
    assert_eq!(drive["readable"], true);
}

#[test]
fn d39_a_drive_that_loses_what_it_was_to_keep_is_named_loudly() {
    let bench = quirky(&["global-key-lost"]);
    let drive = run(&bench, &["revert", "vdrive:a", "--keep-data"], 9);
    assert_eq!(drive["evidence"]["verdict"], "refuted");
    let error = &drive["error"];
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("do not hold their data any more"),
        "{message}"
    );
    let hint = error["hint"].as_str().unwrap();
    assert!(
        hint.contains("PM1733") && hint.contains("--to-msid"),
        "{hint}"
    );
}

#[test]
fn d39_the_safe_way_is_safe_on_a_drive_that_would_lose_all() {
    let bench = quirky(&["global-key-lost"]);
    run(&bench, &["revert", "vdrive:a", "--to-msid"], 0);
    bench.open("a").power_cycle().unwrap();
    assert_eq!(survivors(&bench), 128);
}

#[test]
fn d33_a_psid_may_be_typed_as_it_is_printed() {
    let dashed = "psdpsdps-dpsdpsdp-sdpsdpsd-psdpsdps";
    let blanks = " PSDP SDPS DPSD PSDP SDPS DPSD PSDP SDPS\n";
    for psid in [dashed, blanks] {
        let bench = Bench::set_up();
        bench.secret("psid", psid);
        let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
        bench.run(&[&revert[..], &CONFIRM].concat()).exits(0);
    }
}

#[test]
fn d33_what_is_no_psid_does_not_reach_the_drive() {
    let bench = Bench::set_up();
    for psid in [
        "PSDP",
        &PSID[1..],
        &format!("{PSID}S"),
        &PSID.replace('D', "?"),
    ] {
        bench.secret("psid", psid);
        let revert = ["revert", "vdrive:a", "--psid", "file:psid"];
        let document = bench.json(&[&revert[..], &CONFIRM].concat(), 2);
        let drive = &document["drives"][0];
        assert!(
            drive["error"]["message"]
                .as_str()
                .unwrap()
                .contains("O and 0")
        );
        assert_eq!(drive["if_commands"], json!({"send": 0, "recv": 1}));
    }
}

#[test]
fn d34_a_refused_psid_names_look_alikes_and_is_tried_once() {
    let bench = Bench::set_up();
    bench.secret("psid", PSID.replace('D', "0"));
    let revert = ["revert", "vdrive:a", "--psid", "file:psid", "--tries", "5"];
    let document = bench.json(&[&revert[..], &CONFIRM].concat(), 4);
    let drive = &document["drives"][0];
    let hint = drive["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("look alike: O and 0, Q and 0"), "{hint}");
    // One attempt, and a session as Anybody that asks for the tries: it sends no PIN.
    assert_eq!(drive["if_commands"]["send"], 4);
    let info = bench.json(&["info", "vdrive:a"], 0);
    assert_eq!(info["drives"][0]["psid_tries"]["tries"], 1);
}

#[test]
fn d21_a_psid_that_is_locked_out_is_told_from_a_wrong_one() {
    let bench = Bench::new();
    let mut options = CreateOptions::new(1 << 20);
    options.serial = Some("SEDKITTEST0002".to_owned());
    options.psid = Some(PSID.to_owned());
    options.profile.tries.psid.limit = 1;
    VirtualDrive::create(&bench.path("b"), &options).unwrap();
    bench.secret("old", "Battery-Staple-8");
    bench
        .run(&["setup", "vdrive:b", "--new-key", "file:old"])
        .exits(0);
    bench.secret("other", PSID.replace('D', "0"));
    let revert = |psid| {
        let confirm = ["--confirm", "SEDKITTEST0002", "--psid", psid];
        bench.run(&[&["revert", "vdrive:b"][..], &confirm].concat())
    };
    revert("file:other").exits(4).complains("NOT_AUTHORIZED");
    let run = revert("file:psid").exits(5);
    run.complains("AUTHORITY_LOCKED_OUT")
        .complains("cut the drive's power");
    bench.open("b").power_cycle().unwrap();
    revert("file:psid").exits(0);
}

#[test]
fn d36_an_enterprise_drive_is_refused_by_the_name_of_its_ssc() {
    let consent = |drive: &Drive| EraseConsent::new("SERIAL0001", drive.identity()).unwrap();
    let identity = Identity::new(Bus::Scsi, b"MODEL", b"SERIAL0001", b"1");
    let script = Script::new(identity).recv(
        SecurityProtocol::TCG,
        ComId::LEVEL_0_DISCOVERY,
        enterprise_discovery(),
    );
    let mut drive = Drive::open(Box::new(script), DriveOptions::default()).unwrap();
    let psid = Credential::new(Authority::Psid, Secret::from_slice(PSID.as_bytes()));
    let consent = consent(&drive);
    let error = drive.revert(&psid, consent).unwrap_err();
    assert_eq!(error.code(), ErrorCode::NotSupported);
    assert!(error.to_string().contains("Enterprise"), "{error}");
    assert_eq!(error.step(), None, "nothing was sent");
}

/// Level 0 Discovery with TPer, Locking and Enterprise descriptors, by tcg.md 3.9.1 to 3.9.7.
fn enterprise_discovery() -> Vec<u8> {
    let mut response = vec![0; 48];
    response[7] = 1;
    response.extend([0x00, 0x01, 0x10, 0x0c, 0x11]);
    response.resize(64, 0);
    response.extend([0x00, 0x02, 0x10, 0x0c, 0x09]);
    response.resize(80, 0);
    response.extend([0x01, 0x00, 0x10, 0x10, 0x07, 0xfe, 0x00, 0x02]);
    response.resize(100, 0);
    response[3] = 96;
    response
}

#[test]
fn d39_keeping_data_says_its_danger_and_the_safe_way() {
    let bench = Bench::set_up();
    let keep = ["revert", "vdrive:a", "--keep-data", "--key", "file:right"];
    let run = bench.run(&keep).exits(8);
    run.complains("PM1733")
        .complains("LOSES ALL DATA")
        .complains("--to-msid");
}

#[test]
fn d39_data_that_is_kept_is_looked_at() {
    let bench = Bench::set_up();
    fill(&bench);
    let drive = run(&bench, &["revert", "vdrive:a", "--keep-data"], 0);
    assert_eq!(drive["mode"], "keep_data");
    assert_eq!(drive["evidence"]["verdict"], "supported");
    assert_eq!(drive["evidence"]["changed"], 0);
    assert_eq!(drive["state"]["state"], "owned");
    assert_eq!(survivors(&bench), 128);
}

#[test]
fn d39_a_locked_drive_keeps_its_data_too() {
    let bench = Bench::set_up();
    fill(&bench);
    bench.open("a").power_cycle().unwrap();
    let drive = run(&bench, &["revert", "vdrive:a", "--keep-data"], 0);
    assert_eq!(drive["evidence"]["verdict"], "supported");
    assert_eq!(survivors(&bench), 128);
}

#[test]
fn d39_other_ranges_cannot_be_kept_and_stop_it() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--range",
        "0+64",
    ];
    bench.run(&[&setup[..], &CONFIRM].concat()).exits(0);
    fill(&bench);
    let keep = ["revert", "vdrive:a", "--keep-data"];
    let refused = run(&bench, &keep, 8);
    let error = &refused["error"];
    assert!(
        error["message"].as_str().unwrap().contains("range 1"),
        "{error}"
    );
    assert!(
        error["hint"].as_str().unwrap().contains("--to-msid"),
        "{error}"
    );
    assert_eq!(survivors(&bench), 128);
    let drive = run(&bench, &[&keep[..], &["--lose-ranges"]].concat(), 0);
    assert_eq!(drive["lost_ranges"], json!([1]));
    assert_eq!(drive["evidence"]["verdict"], "supported");
    assert_eq!(survivors(&bench), 64);
}

#[test]
fn d39_the_safe_way_keeps_the_data_of_every_range() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--range",
        "0+64",
    ];
    bench.run(&[&setup[..], &CONFIRM].concat()).exits(0);
    fill(&bench);
    let drive = run(&bench, &["revert", "vdrive:a", "--to-msid"], 0);
    assert_eq!(drive["mode"], "to_msid");
    assert_eq!(drive["default_pins"], json!(["Admin1", "SID"]));
    assert_eq!(drive["released_ranges"], json!([1]));
    assert_eq!(drive["evidence"]["verdict"], "supported");
    assert_eq!(drive["state"]["owned"], false);
    bench.open("a").power_cycle().unwrap();
    assert_eq!(survivors(&bench), 128);
    // Whoever comes next takes it up as it is.
    bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    assert_eq!(survivors(&bench), 128);
}

#[test]
fn d40_who_cannot_keep_data_is_told_who_can() {
    let bench = Bench::set_up();
    let run = run(
        &bench,
        &["revert", "vdrive:a", "--keep-data", "--as", "SID"],
        2,
    );
    let error = &run["error"];
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("SID cannot do this")
    );
    assert_eq!(run["if_commands"]["send"], 0);
}

#[test]
fn d44_no_psid_is_asked_for_where_there_is_no_tcg_drive() {
    let bench = Bench::new();
    for (device, exit) in [
        ("/dev/null", 6),
        ("/dev/no-such-drive", 1),
        ("vdrive:missing", 1),
    ] {
        let revert = ["revert", device, "--psid", "file:missing-secret"];
        let document = bench.json(&[&revert[..], &CONFIRM].concat(), exit);
        let message = document["drives"][0]["error"]["message"].to_string();
        assert!(!message.contains("missing-secret"), "{message}");
    }
}

#[test]
fn d101_a_range_of_opal_is_erased_by_gen_key_and_not_by_erase() {
    let bench = Bench::new();
    let setup = [
        "setup",
        "vdrive:a",
        "--new-key",
        "file:right",
        "--range",
        "0+64",
    ];
    bench.run(&[&setup[..], &CONFIRM].concat()).exits(0);
    fill(&bench);
    let erase = ["range", "erase", "vdrive:a", "--range", "1", "-vv"];
    let run = bench.run(&[&erase[..], &KEY, &CONFIRM].concat()).exits(0);
    run.complains("GenKey");
    // The other range is as it was.
    assert_eq!(survivors(&bench), 64);
}
