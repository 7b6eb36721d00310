//! `setup --datastore`: the room for DataStore tables, cut into several ([DataStore] 5.1).

use serde_json::{Value, json};

use super::support::Bench;

const KEY: [&str; 2] = ["--key", "file:right"];

/// A drive `a` of a profile with quirks.
fn bench(profile: &str) -> Bench {
    let bench = Bench::new();
    std::fs::remove_file(bench.path("a")).unwrap();
    let create = ["vdrive", "create", "a", "--size", "8MiB"];
    bench
        .run(&[&create[..], &["--profile", profile]].concat())
        .exits(0);
    bench
}

fn setup(bench: &Bench, sizes: &[&str], exit: i32) -> Value {
    let mut words = vec!["setup", "vdrive:a", "--new-key", "file:right"];
    for size in sizes {
        words.extend(["--datastore", size]);
    }
    bench.json(&words, exit)["drives"][0].clone()
}

/// The sizes of the tables that the drive has.
fn sizes(bench: &Bench) -> Vec<u64> {
    let list = bench.json(&[&["datastore", "list", "vdrive:a"][..], &KEY].concat(), 0);
    let tables = list["drives"][0]["tables"].as_array().unwrap();
    tables
        .iter()
        .map(|table| table["size"].as_u64().unwrap())
        .collect()
}

#[test]
fn several_tables_are_cut_at_activation() {
    let bench = bench("opal2");
    let asked = ["1MiB", "512KiB", "100"];
    assert_eq!(setup(&bench, &asked, 0)["changed"], true);
    assert_eq!(sizes(&bench), [1 << 20, 512 << 10, 100]);
    std::fs::write(bench.path("token"), b"third").unwrap();
    let write = ["datastore", "write", "vdrive:a", "token", "--table", "3"];
    bench.run(&[&write[..], &KEY].concat()).exits(0);
    let read = [
        "datastore",
        "read",
        "vdrive:a",
        "--table",
        "3",
        "--length",
        "5",
    ];
    bench
        .run(&[&read[..], &KEY].concat())
        .exits(0)
        .says("third");

    assert_eq!(setup(&bench, &asked, 0)["changed"], false);
    for others in [
        &["1MiB"][..],
        &["1MiB", "512KiB", "100", "1"],
        &["512KiB", "1MiB", "100"],
    ] {
        let error = setup(&bench, others, 1)["error"].clone();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("activated already"), "{message}");
        assert!(error["hint"].as_str().unwrap().contains("datastore list"));
    }
    // Who does not ask does not mind.
    assert_eq!(setup(&bench, &[], 0)["changed"], false);
}

#[test]
fn what_the_drive_cannot_have_is_refused_before_anything_is_sent() {
    for (profile, asked, says) in [
        (
            "opal2",
            &["1"; 10][..],
            "9 DataStore tables at most, not 10",
        ),
        ("opal2", &["10MiB", "1"], "room for 10485760 bytes"),
        (
            "toshiba-kxg8",
            &["4096", "1000"],
            "a multiple of 4096 bytes, not 1000",
        ),
        ("opal2", &["0"], "not 0"),
        ("opal2", &["much"], "no size"),
    ] {
        let bench = bench(profile);
        let refused = setup(&bench, asked, 2);
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.contains(says), "{message}");
        assert!(!bench.open("a").info().is_owned, "{says}");
    }
}

/// Demands D103: Kioxia CM6, 193 tables in 128 KiB.
#[test]
fn a_drive_has_193_tables() {
    let bench = bench("kioxia-cm6");
    setup(&bench, &["679"; 193], 0);
    assert_eq!(sizes(&bench), [679; 193]);
}

#[test]
fn a_dry_run_shows_the_sizes() {
    let bench = bench("opal2");
    let setup = [
        "setup",
        "vdrive:a",
        "--dry-run",
        "--datastore",
        "4KiB",
        "--datastore",
        "10",
    ];
    let document = bench.json(&[&setup[..], &["--sum"]].concat(), 0);
    let plan = document["drives"][0]["plan"].as_array().unwrap().clone();
    let activate = plan.iter().find(|call| call["method"] == "Activate");
    let expected = "SingleUserModeSelectionList = Locking, DataStoreTableSizes = [4096, 10]";
    assert_eq!(activate.unwrap()["arguments"], json!(expected));
}
