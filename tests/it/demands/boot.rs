//! The shadow MBR and what boots from it.

use std::fs;

use crate::cli::support::{Bench, SERIAL};
use crate::cli::terminal::at_terminal;

/// Bytes that are no boot image, and in which no two blocks are the same.
fn image(length: u32) -> Vec<u8> {
    (0..length / 4).flat_map(u32::to_le_bytes).collect()
}

/// Who waits for minutes sees that it goes on: how much is done, how fast, and for how long yet.
#[test]
fn d79_loading_shows_progress_rate_and_time_left() {
    let bench = Bench::new();
    fs::remove_file(bench.path("a")).unwrap();
    let create = [
        "vdrive", "create", "a", "--size", "8MiB", "--serial", SERIAL,
    ];
    bench
        .run(&[&create[..], &["--latency", "20"]].concat())
        .exits(0);
    bench
        .run(&["setup", "vdrive:a", "--new-key", "file:right"])
        .exits(0);
    fs::write(bench.path("image"), image(1 << 20)).unwrap();
    let load = format!("mbr load vdrive:a image --key file:right --confirm {SERIAL}");
    let run = at_terminal(&bench, &load, &[]);
    run.exits(0).says("MiB/s").says("left").says("1.00 MiB");
    // Into a file or a journal, none of it goes.
    let words: Vec<&str> = load.split(' ').collect();
    let again = bench.run(&words).exits(0);
    assert!(!again.stderr.contains("left"), "{again}");
}
