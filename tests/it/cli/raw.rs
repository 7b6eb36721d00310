//! `sedkit raw` on a virtual drive: names, values, consent, and what each authority sees.

use serde_json::{Value, json};

use crate::cli::support::{Bench, MSID, PASSPHRASE, SERIAL};

/// Runs a line whose words have no blanks in them.
fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

fn as_admin1(line: &str) -> Vec<&str> {
    [&words(line)[..], &["--as", "Admin1", "--key", "file:right"]].concat()
}

fn confirmed(line: &str) -> Vec<&str> {
    [&as_admin1(line)[..], &["--confirm", SERIAL]].concat()
}

/// The columns of an object by name.
fn columns(object: &Value) -> Vec<(&str, &str)> {
    let columns = object["columns"].as_array().unwrap().iter();
    columns
        .map(|column| {
            (
                column["name"].as_str().unwrap(),
                column["text"].as_str().unwrap(),
            )
        })
        .collect()
}

#[test]
fn the_msid_is_shown_to_anybody_in_three_ways() {
    let bench = Bench::new();
    bench.run(&words("raw msid vdrive:a")).exits(0).says(MSID);
    let run = bench
        .run(&words("raw get vdrive:a C_PIN_MSID.PIN"))
        .exits(0);
    assert_eq!(run.stdout, format!("PIN = \"{MSID}\"\n"));
    let call = words("raw call vdrive:a C_PIN.MSID Get [startColumn=3,endColumn=PIN]");
    bench.run(&call).exits(2);
    let call = words("raw call vdrive:a C_PIN.MSID Get [startColumn=3,endColumn=3]");
    bench.run(&call).exits(0).says(MSID);
    let document = bench.json(&words("raw get vdrive:a 0000000b:00008402.3"), 0);
    let column = &document["drives"][0]["object"]["columns"][0];
    let hex: String = MSID.bytes().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(
        column,
        &json!({"number": 3, "name": "PIN", "value": hex, "text": format!("\"{MSID}\"")})
    );
}

#[test]
fn columns_are_shown_as_the_standard_names_them() {
    let bench = Bench::set_up();
    let document = bench.json(&as_admin1("raw get vdrive:a Locking_GlobalRange"), 0);
    let shown = columns(&document["drives"][0]["object"]);
    for expected in [
        ("UID", "Locking_GlobalRange"),
        ("ReadLockEnabled", "true"),
        ("WriteLocked", "false"),
        ("LockOnReset", "{power_cycle}"),
        ("ActiveKey", "K_AES_256_GlobalRange_Key"),
    ] {
        assert!(shown.contains(&expected), "{expected:?}: {shown:?}");
    }
    // [Opal] 4.3.1.7: Anybody sees UID and CommonName of a range, and nothing else.
    let document = bench.json(&words("raw get vdrive:a Locking_GlobalRange"), 0);
    let shown = columns(&document["drives"][0]["object"]);
    assert_eq!(
        shown,
        [("UID", "Locking_GlobalRange"), ("CommonName", "\"\"")]
    );
    let run = bench
        .run(&words("raw get vdrive:a SP.Locking.LifeCycleState,Frozen"))
        .exits(0);
    assert_eq!(
        run.stdout,
        "LifeCycleState = 9 (manufactured)\nFrozen = false\n"
    );
}

#[test]
fn what_is_not_shown_is_said() {
    let bench = Bench::set_up();
    let line = "raw get vdrive:a C_PIN_SID.PIN,TryLimit --as SID --key file:right";
    let run = bench.run(&words(line)).exits(4);
    run.says("TryLimit = 5")
        .complains("C_PIN_SID does not show PIN to SID");
    let run = bench.run(&words("raw get vdrive:a C_PIN_SID")).exits(4);
    run.complains("NOT_AUTHORIZED");
}

#[test]
fn a_set_needs_the_serial_number_and_is_read_back() {
    let bench = Bench::set_up();
    let set = "raw set vdrive:a Locking_Range1 RangeStart=2048 RangeLength=4096 CommonName=data";
    let run = bench.run(&as_admin1(set)).exits(8);
    run.complains(&format!("--confirm {SERIAL}"));
    let dry = bench.json(&[&as_admin1(set)[..], &["--dry-run"]].concat(), 0);
    let call = &dry["drives"][0]["plan"][1];
    assert_eq!(call["object"], "Locking_Range1");
    assert_eq!(
        call["arguments"],
        "RangeStart = 2048, RangeLength = 4096, CommonName = \"data\""
    );
    assert_eq!(
        dry["drives"][0]["if_commands"],
        json!({"send": 0, "recv": 1})
    );
    let document = bench.json(&confirmed(set), 0);
    let proven = &document["drives"][0]["proven"];
    assert_eq!(proven, &json!(["RangeStart", "RangeLength", "CommonName"]));
    let get = as_admin1("raw get vdrive:a Locking.1.RangeStart,RangeLength,CommonName");
    let run = bench.run(&get).exits(0);
    run.says("RangeStart = 2048")
        .says("RangeLength = 4096")
        .says("CommonName = \"data\"");
}

#[test]
fn values_that_are_none_are_refused_before_the_drive_is_opened() {
    let bench = Bench::set_up();
    for (line, complaint) in [
        (
            "raw set vdrive:missing Locking_Range1 RangeStart=x",
            "RangeStart: a number is expected",
        ),
        (
            "raw set vdrive:missing Locking_Range1 Nothing=1",
            "no column of Locking",
        ),
        (
            "raw set vdrive:missing Locking_Range1 ReadLocked=0 ReadLocked=1",
            "given twice",
        ),
        (
            "raw set vdrive:missing Locking_Rage1 ReadLocked=0",
            "names no object",
        ),
        (
            "raw set vdrive:missing C_PIN_SID PIN=hunter2hunter2",
            "never given as an argument",
        ),
        ("raw get vdrive:missing Locking", "is a table of objects"),
        ("raw call vdrive:missing ThisSP Rondom 3", "is no method"),
        (
            "raw get vdrive:missing TPerInfo --as Nobody1",
            "is no authority",
        ),
        ("raw get vdrive:missing TPerInfo --sp nowhere", "is no SP"),
    ] {
        let run = bench.run(&words(line)).exits(2);
        assert!(!run.stderr.contains("hunter2"), "{run}");
        run.complains(complaint);
    }
}

/// A user that is made by hand: PIN, enabled, and the right to unlock range 0 for reading.
#[test]
fn a_user_is_made_by_hand() {
    let bench = Bench::set_up();
    bench.secret("user", "User-Three-3");
    let expression = "BooleanExpr=Admins OR user3";
    for (object, value) in [
        ("C_PIN_User3", "PIN=file:user"),
        ("User3", "Enabled=true"),
        ("ACE_Locking_GlobalRange_Set_RdLocked", expression),
    ] {
        let line = ["raw", "set", "vdrive:a", object, value, "--as", "Admin1"];
        let line = [&line[..], &["--key", "file:right", "--confirm", SERIAL]].concat();
        bench.run(&line).exits(0);
    }
    let proof = "raw call vdrive:a ThisSP Authenticate User3 Proof=secret:file:user --sp locking";
    assert_eq!(bench.run(&words(proof)).exits(0).stdout, "true\n");
    let wrong = proof.replace("file:user", "file:wrong");
    assert_eq!(bench.run(&words(&wrong)).exits(0).stdout, "false\n");
    let run = bench
        .run(&as_admin1("raw acl vdrive:a Locking_GlobalRange"))
        .exits(0);
    run.says("ACE_Locking_GlobalRange_Set_RdLocked  Admins OR User3  ReadLocked");
    bench.open("a").power_cycle().unwrap();
    let user = ["--as", "User3", "--key", "file:user", "--confirm", SERIAL];
    let set = |value| {
        let line = words("raw set vdrive:a Locking_GlobalRange");
        bench.run(&[&line[..], &[value], &user].concat())
    };
    set("WriteLocked=false").exits(4);
    // What a user sets, it may not see: it is set all the same, and that is said.
    set("ReadLocked=false")
        .exits(0)
        .says("not read back: ReadLocked");
    assert!(bench.is_readable("a"));
}

#[test]
fn sid_gets_the_default_pin_back_and_the_data_stay() {
    let bench = Bench::set_up();
    bench.open("a").write(0, &[0x5a; 512]).unwrap();
    let line = "raw set vdrive:a C_PIN_SID PIN=msid --as SID --key file:right --confirm";
    bench.run(&[&words(line)[..], &[SERIAL]].concat()).exits(0);
    let document = bench.json(&["scan", "vdrive:a"], 0);
    assert_eq!(document["drives"][0]["state"]["owned"], false);
    assert_eq!(bench.open("a").read(0, 1).unwrap(), [0x5a; 512]);
}

#[test]
fn methods_are_called_with_any_arguments() {
    let bench = Bench::set_up();
    let random = bench.json(&words("raw call vdrive:a ThisSP Random 16"), 0);
    let bytes = random["drives"][0]["results"][0].as_str().unwrap();
    assert_eq!(bytes.len(), 32);
    // [Opal] 4.2.6.1: more than 32 bytes may be refused, and are by no drive that is asked for them.
    bench
        .run(&words("raw call vdrive:a ThisSP Random"))
        .exits(1)
        .complains("INVALID_PARAMETER");
    let line = "raw call vdrive:a AccessControl GetACL Locking_Range1 GenKey --sp locking";
    bench.run(&words(line)).exits(1);
    let line = "raw call vdrive:a AccessControl GetACL K_AES_256_Range1_Key GenKey --sp locking";
    let run = bench.run(&words(line)).exits(0);
    assert_eq!(run.stdout, "[ACE_K_AES_256_Range1_GenKey]\n");
    let before = bench.open("a").ciphertext(0, 1).unwrap();
    bench.open("a").write(0, &[7; 512]).unwrap();
    bench
        .run(&as_admin1(
            "raw call vdrive:a K_AES_256_GlobalRange_Key GenKey",
        ))
        .exits(8);
    assert_eq!(bench.open("a").read(0, 1).unwrap(), [7; 512]);
    bench
        .run(&confirmed(
            "raw call vdrive:a K_AES_256_GlobalRange_Key GenKey",
        ))
        .exits(0);
    assert_ne!(bench.open("a").read(0, 1).unwrap(), [7; 512]);
    assert_eq!(before.len(), 512);
}

#[test]
fn a_revert_by_hand_ends_in_the_factory_state() {
    let bench = Bench::set_up();
    let line = "raw call vdrive:a SP.Admin Revert --as PSID --key file:psid --confirm";
    let document = bench.json(&[&words(line)[..], &[SERIAL]].concat(), 0);
    assert_eq!(document["drives"][0]["state"]["state"], "factory");
}

#[test]
fn bytes_of_tables_are_written_as_they_are() {
    let bench = Bench::set_up();
    let set = "raw call vdrive:a DataStore Set Where=2 Values=hex:c0ffee";
    bench.run(&confirmed(set)).exits(0);
    let document = bench.json(&as_admin1("raw get vdrive:a DataStore --length 6"), 0);
    assert_eq!(document["drives"][0]["data"], "0000c0ffee00");
    // 2,500 bytes take several answers.
    let document = bench.json(
        &as_admin1("raw get vdrive:a DataStore --offset 4 --length 2500"),
        0,
    );
    let data = document["drives"][0]["data"].as_str().unwrap();
    assert_eq!((&data[..4], data.len()), ("ee00", 5000));
    let run = bench
        .run(&words("raw get vdrive:a DataStore --length 6"))
        .exits(4);
    run.complains("not");
    let run = bench
        .run(&as_admin1("raw get vdrive:a DataStore --offset 10485758"))
        .exits(0);
    assert_eq!(run.stdout.as_bytes(), [0, 0]);
}

#[test]
fn a_dump_shows_both_sps_as_far_as_the_authority_sees() {
    let bench = Bench::set_up();
    let document = bench.json(&as_admin1("raw dump vdrive:a"), 0);
    let sps = document["drives"][0]["sps"].as_array().unwrap();
    assert_eq!(
        (&sps[0]["name"], &sps[0]["as"]),
        (&json!("Admin SP"), &json!("Anybody"))
    );
    assert_eq!(
        (&sps[1]["name"], &sps[1]["as"]),
        (&json!("Locking SP"), &json!("Admin1"))
    );
    let rows = |sp: usize, table: &str| {
        let tables = sps[sp]["tables"].as_array().unwrap();
        let table = tables.iter().find(|found| found["name"] == table).unwrap();
        table["rows"].as_array().unwrap().clone()
    };
    // [Opal] 4.2.1 and 4.3.1: the rows of a drive with 8 ranges and 9 Users.
    assert_eq!(rows(0, "Table").len(), 12);
    assert_eq!(rows(1, "Locking").len(), 9);
    assert_eq!(rows(1, "K_AES_256").len(), 9);
    assert_eq!(rows(1, "C_PIN").len(), 4 + 9);
    let names: Vec<_> = rows(0, "C_PIN")
        .iter()
        .map(|row| row["name"].clone())
        .collect();
    assert!(names.contains(&json!("C_PIN_MSID")) && names.contains(&json!("C_PIN_PSID")));
    let sid = rows(0, "C_PIN");
    let sid = sid.iter().find(|row| row["name"] == "C_PIN_SID").unwrap();
    assert_eq!(
        (&sid["status"], &sid["columns"]),
        (&json!("NOT_AUTHORIZED"), &json!([]))
    );
    let range = &rows(1, "Locking")[0];
    assert!(columns(range).contains(&("ReadLockEnabled", "true")));
    let text = bench.run(&as_admin1("raw dump vdrive:a")).exits(0);
    text.says("ACE_C_PIN_User9_Set_PIN: Name = \"ACE_C_PIN_User9_Set_PIN\", BooleanExpr = Admins OR User9")
        .says("MBR (0000080400000000), 134217728 bytes");
}

#[test]
fn a_dump_of_a_factory_drive_leaves_the_inactive_sp_out() {
    let bench = Bench::new();
    let document = bench.json(&words("raw dump vdrive:a"), 0);
    assert_eq!(document["drives"][0]["sps"].as_array().unwrap().len(), 1);
    assert_eq!(document["drives"][0]["left_out"][0]["name"], "Locking SP");
    bench
        .run(&words("raw dump vdrive:a --sp locking"))
        .exits(1)
        .complains("not activated");
}

#[test]
fn admin1_of_the_admin_sp_is_another_one() {
    let bench = Bench::set_up();
    let sid = [
        "--sp",
        "admin",
        "--as",
        "SID",
        "--key",
        "file:right",
        "--confirm",
        SERIAL,
    ];
    let set = |object, value| {
        let line = ["raw", "set", "vdrive:a", object, value];
        bench.run(&[&line[..], &sid].concat()).exits(0)
    };
    bench.secret("admin", "Admin-Of-Admin-SP");
    set("C_PIN_Admin1", "PIN=file:admin");
    set("Admin1", "Enabled=true");
    let get = "raw get vdrive:a C_PIN_SID.Tries --sp admin --as Admin1 --key file:admin";
    let document = bench.json(&words(get), 0);
    assert_eq!(document["drives"][0]["as"], "Admin1 (Admin SP)");
    assert_eq!(document["drives"][0]["object"]["columns"][0]["value"], 0);
}

#[test]
fn names_are_listed() {
    let bench = Bench::new();
    bench
        .run(&words("raw names RdLocked"))
        .exits(0)
        .says("ACE_Locking_RangeN_Set_RdLocked");
    let run = bench.run(&words("raw names --columns Locking")).exits(0);
    run.says("LockOnReset")
        .says("any of power_cycle, hardware, hot_plug, programmatic");
}

#[test]
fn random_bytes_are_as_many_as_asked_and_differ() {
    let bench = Bench::new();
    let random = |count: &str| {
        let document = bench.json(&["raw", "random", "vdrive:a", "--count", count], 0);
        document["drives"][0]["data"].as_str().unwrap().to_owned()
    };
    assert_eq!(random("100").len(), 200);
    assert_ne!(random("32"), random("32"));
}

#[test]
fn a_wrong_secret_is_one_attempt() {
    let bench = Bench::set_up();
    let line = "raw get vdrive:a C_PIN_SID.Tries --as SID --key file:wrong";
    bench
        .run(&words(line))
        .exits(4)
        .complains("SID was refused");
    // A success resets the count, so that it is read by the Admin SP's Admin1 in other tests; here
    // the drive's own file tells.
    let tries = "raw get vdrive:a C_PIN_PSID.Tries,TryLimit";
    bench
        .run(&words(tries))
        .exits(0)
        .says("Tries = 0")
        .says("TryLimit = 5");
    bench.run(&words(&line.replace("wrong", "right"))).exits(0);
    assert_ne!(PASSPHRASE, "Wrong-Horse-7");
}
