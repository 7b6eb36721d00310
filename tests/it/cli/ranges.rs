//! `sedkit range`: what is checked first, and what is said.

use crate::cli::support::{Bench, Run, SERIAL};

const KEY: [&str; 2] = ["--key", "file:right"];
const CONFIRM: [&str; 2] = ["--confirm", SERIAL];

fn range(bench: &Bench, command: &str, arguments: &[&str]) -> Run {
    let head = ["range", command, "vdrive:a"];
    bench.run(&[&head[..], arguments, &KEY].concat())
}

fn create(bench: &Bench, start: &str, length: &str, more: &[&str]) -> Run {
    let place = ["--start", start, "--length", length];
    range(bench, "create", &[&place[..], more].concat())
}

/// A protective MBR and a GPT, both as a partitioning program leaves them (UEFI 5.2.3, 5.3.2).
fn write_gpt(bench: &Bench) {
    let mut drive = bench.open("a");
    let blocks = drive.info().blocks;
    let mut mbr = [0; 512];
    mbr[446 + 4] = 0xee;
    mbr[510..].copy_from_slice(&[0x55, 0xaa]);
    drive.write(0, &mbr).unwrap();
    for (block, entries) in [(1, 2), (blocks - 1, blocks - 33)] {
        let mut header = [0; 512];
        header[..8].copy_from_slice(b"EFI PART");
        header[72..80].copy_from_slice(&entries.to_le_bytes());
        header[80..84].copy_from_slice(&128_u32.to_le_bytes());
        header[84..88].copy_from_slice(&128_u32.to_le_bytes());
        drive.write(block, &header).unwrap();
    }
}

/// D98: the nearest value that the drive takes.
#[test]
fn d98_a_place_that_is_not_aligned_is_refused_with_the_nearest() {
    let bench = Bench::set_up();
    create(&bench, "2044", "1024", &CONFIRM)
        .exits(2)
        .complains("the nearest aligned block is 2040");
    create(&bench, "2048", "1020", &CONFIRM)
        .exits(2)
        .complains("the nearest aligned length is 1016");
    create(&bench, "1MiB", "100", &CONFIRM).exits(2);
    create(&bench, "1000B", "8", &CONFIRM)
        .exits(2)
        .complains("is no start");
}

#[test]
fn the_end_of_the_drive_is_the_end() {
    let bench = Bench::set_up();
    // The drive has 16,384 blocks.
    create(&bench, "8192", "8200", &CONFIRM)
        .exits(2)
        .complains("at most");
    create(&bench, "8192", "rest", &CONFIRM)
        .exits(0)
        .says("blocks 8192 to 16383");
}

/// D43: nothing is laid over a partition table unnoticed.
#[test]
fn d43_a_range_over_the_partition_table_needs_force() {
    let bench = Bench::set_up();
    write_gpt(&bench);
    create(&bench, "0", "2048", &CONFIRM)
        .exits(8)
        .complains("the MBR (block 0), the GPT (blocks 1 to 33)")
        .complains("let it start at block 40 or later");
    create(&bench, "8192", "rest", &CONFIRM)
        .exits(8)
        .complains("the copy of the GPT (blocks 16351 to 16383)")
        .complains("let it end before block 16351");
    create(&bench, "40", "2048", &CONFIRM).exits(0);
    create(&bench, "0", "8", &[&CONFIRM[..], &["--force"]].concat())
        .exits(0)
        .complains("warning");
}

#[test]
fn while_the_drive_is_locked_nobody_knows_of_a_partition_table() {
    let bench = Bench::locked();
    create(&bench, "2048", "1024", &CONFIRM)
        .exits(0)
        .complains("whether it has a partition table there is not known");
}

#[test]
fn data_is_lost_with_consent_only() {
    let bench = Bench::set_up();
    create(&bench, "2048", "1024", &[])
        .exits(8)
        .complains("what blocks 2048 to 3071 hold is lost")
        .complains("--confirm SEDKITTEST0001");
    create(&bench, "2048", "1024", &["--confirm", "OTHER"]).exits(8);
    create(&bench, "2048", "1024", &CONFIRM).exits(0);
    let move_it = ["--range", "1", "--start", "2048", "--length", "2048"];
    range(&bench, "set", &move_it)
        .exits(8)
        .complains("what blocks 3072 to 4095 hold is lost");
    range(&bench, "set", &[&move_it[..], &CONFIRM].concat())
        .exits(0)
        .says("what blocks 3072 to 4095 held can no longer be read");
    range(&bench, "set", &move_it)
        .exits(0)
        .says("nothing was changed");
    range(&bench, "delete", &["--range", "1"])
        .exits(8)
        .complains("what blocks 2048 to 4095 hold is lost");
    range(
        &bench,
        "delete",
        &[&["--range", "1"][..], &CONFIRM].concat(),
    )
    .exits(0)
    .says("range 1 is given up");
    range(&bench, "delete", &["--range", "1"])
        .exits(0)
        .says("nothing was changed");
}

/// D32: a range that is not there, or that has no blocks, is no success.
#[test]
fn d32_a_range_that_cannot_be_set_is_no_success() {
    let bench = Bench::set_up();
    range(
        &bench,
        "set",
        &["--range", "9", "--read-lock-enabled", "yes"],
    )
    .exits(2)
    .complains("the drive has no range 9");
    range(&bench, "set", &["--range", "1"])
        .exits(2)
        .complains("nothing to set");
    let json = [
        "range",
        "set",
        "vdrive:a",
        "--range",
        "1",
        "--write-lock-enabled",
        "yes",
    ];
    let document = bench.json(&[&json[..], &KEY].concat(), 0);
    let shown = &document["drives"][0]["range"];
    assert_eq!(shown["write_lock_enabled"], true);
    assert_eq!(shown["read_lock_enabled"], false);
}

/// D61, D103: 192 ranges with blocks of 520 bytes; the number has more than eight bits elsewhere,
/// see `rows_have_numbers`.
#[test]
fn d103_the_last_of_192_ranges_is_made_and_locks() {
    let bench = Bench::new();
    let head = [
        "vdrive",
        "create",
        "big",
        "--profile",
        "kioxia-cm6",
        "--serial",
        "BIG",
    ];
    bench
        .run(&[&head[..], &["--size", "52000000"]].concat())
        .exits(0);
    bench
        .run(&["setup", "vdrive:big", "--new-key", "file:right"])
        .exits(0);
    let place = [
        "--range",
        "192",
        "--start",
        "4096",
        "--length",
        "rest",
        "--confirm",
        "BIG",
    ];
    bench
        .run(&[&["range", "create", "vdrive:big"][..], &place, &KEY].concat())
        .exits(0)
        .says("range 192 has blocks 4096 to 99999");
    let lock = ["lock", "vdrive:big", "--range", "192"];
    bench.run(&[&lock[..], &KEY].concat()).exits(0);
    assert!(bench.open("big").read(4096, 1).is_err());
    assert!(bench.open("big").read(0, 1).is_ok());
}

#[test]
fn a_plan_changes_nothing() {
    let bench = Bench::set_up();
    let stats = || bench.open("a").stats().total();
    for (command, arguments) in [
        ("create", vec!["--start", "2048", "--length", "1024"]),
        (
            "create",
            vec!["--range", "3", "--start", "2048", "--length", "1024"],
        ),
        ("set", vec!["--range", "0", "--name", "x"]),
        ("delete", vec!["--range", "3"]),
    ] {
        let before = stats();
        let head = ["range", command, "vdrive:a", "--dry-run"];
        bench
            .run(&[&head[..], &arguments].concat())
            .exits(0)
            .says("* ");
        let after = stats();
        assert_eq!((after.send - before.send, after.recv - before.recv), (0, 1));
    }
}

#[test]
fn writes_alone_are_locked_where_that_is_asked_for() {
    let bench = Bench::set_up();
    bench
        .run(&[&["lock", "vdrive:a", "--read-only"][..], &KEY].concat())
        .exits(0)
        .says("locked for writing");
    let mut drive = bench.open("a");
    assert!(drive.read(0, 1).is_ok());
    assert!(drive.write(0, &[0; 512]).is_err());
    drop(drive);
    // A lock never opens what is locked.
    bench
        .run(&[&["lock", "vdrive:a"][..], &KEY].concat())
        .exits(0);
    bench
        .run(&[&["lock", "vdrive:a", "--read-only"][..], &KEY].concat())
        .exits(0);
    assert!(bench.open("a").read(0, 1).is_err());
}
