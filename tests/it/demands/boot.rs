//! The shadow MBR and what boots from it.

use std::fs;

use crate::cli::support::{Bench, SERIAL};
use crate::cli::terminal::at_terminal;
use crate::gpt::{self, EFI_SYSTEM, Partition};

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

/// A drive with an EFI system partition and three others, set up, with a table at its front.
fn partitioned() -> Bench {
    let bench = Bench::set_up();
    let partition = |number, kind, blocks| Partition {
        number,
        kind,
        blocks,
    };
    let mut front = vec![0; 40 * 512];
    let partitions = [
        partition(1, EFI_SYSTEM, 2048..4096),
        partition(2, [0xaf; 16], 4096..8192),
        partition(3, [0xaf; 16], 8192..12288),
        partition(7, [0xaf; 16], 12288..16344),
    ];
    gpt::write(&mut front, 512, &partitions);
    bench.open("a").write(0, &front).unwrap();
    bench
}

const CREATE: [&str; 7] = [
    "range",
    "create",
    "vdrive:a",
    "--key",
    "file:right",
    "--confirm",
    SERIAL,
];

/// The layout that boots with Secure Boot and without a shadow MBR: the EFI system partition and
/// both partition tables outside of the range.
#[test]
fn d86_a_range_takes_the_place_of_partitions_and_leaves_firmware_its_own() {
    let bench = partitioned();
    let partitions = ["--partition", "3", "--partition", "2", "--partition", "7"];
    let range = bench.json(&[&CREATE[..], &partitions].concat(), 0)["drives"][0]["range"].clone();
    assert_eq!(
        (&range["range_start"], &range["range_length"]),
        (&4096.into(), &12248.into())
    );
    // Only range 1 locks: setup's range 0 would lock the tables, too.
    let global = [
        "range",
        "set",
        "vdrive:a",
        "--range",
        "0",
        "--key",
        "file:right",
    ];
    let off = ["--read-lock-enabled", "no", "--write-lock-enabled", "no"];
    bench.run(&[&global[..], &off].concat()).exits(0);
    let mut drive = bench.open("a");
    drive.power_cycle().unwrap();
    let readable = [0, 2048, 4095, 4096, 16343, 16344, 16383].map(|lba| drive.read(lba, 1).is_ok());
    assert_eq!(readable, [true, true, true, false, false, true, true]);
}

#[test]
fn d86_partitions_that_make_no_range_are_refused() {
    let bench = partitioned();
    for (partitions, exit, says) in [
        (&["--partition", "1"][..], 2, "EFI system partition"),
        (
            &["--partition", "2", "--partition", "7"],
            2,
            "partition 3 lies between",
        ),
        (&["--partition", "4"], 2, "the GPT has 1, 2, 3, 7"),
        (
            &["--partition", "2", "--start", "8", "--length", "8"],
            2,
            "cannot be used with",
        ),
    ] {
        bench
            .run(&[&CREATE[..], partitions].concat())
            .exits(exit)
            .complains(says);
    }
    let mut drive = bench.open("a");
    let mut header = drive.read(1, 1).unwrap();
    header[40] ^= 1;
    drive.write(1, &header).unwrap();
    drop(drive);
    let create = [&CREATE[..], &["--partition", "2"]].concat();
    bench.run(&create).exits(1).complains("damaged (CRC)");
    bench.open("a").write(1, &[0; 512]).unwrap();
    bench.run(&create).exits(1).complains("no GPT");
    bench.open("a").power_cycle().unwrap();
    bench
        .run(&create)
        .exits(1)
        .complains("unlock the drive first");
}
