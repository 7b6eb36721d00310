//! Standard output: full, closed, coloured, or read by a program.

use std::fs::OpenOptions;
use std::process::Stdio;

use crate::cli::support::{Bench, sedkit};

fn full() -> Stdio {
    OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap()
        .into()
}

#[test]
fn a_full_disk_is_an_error() {
    let bench = Bench::new();
    for arguments in [
        &["scan", "vdrive:a"][..],
        &["scan", "vdrive:a", "--json"],
        &["--help"],
    ] {
        let output = sedkit(&bench.path(""), arguments)
            .stdin(Stdio::null())
            .stdout(full())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(
            stderr.contains("standard output could not be written"),
            "{stderr}"
        );
    }
}

#[test]
fn nobody_reading_any_more_is_no_error() {
    let bench = Bench::new();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = sedkit(&bench.path(""), &["info", "vdrive:a"])
        .stdout(writer)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_closed_standard_error_changes_nothing() {
    let bench = Bench::locked();
    let unlock = ["unlock", "vdrive:a", "--key", "file:wrong"];
    let mut child = sedkit(&bench.path(""), &unlock)
        .stderr(full())
        .spawn()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(4));
}

#[test]
fn quiet_prints_errors_and_what_was_asked_for() {
    let bench = Bench::set_up();
    let run = bench
        .run(&["-q", "lock", "vdrive:a", "--key", "file:right"])
        .exits(0);
    assert_eq!(run.stdout + &run.stderr, "");
    bench
        .run(&["-q", "scan", "vdrive:a"])
        .exits(0)
        .says("locked");
    bench
        .run(&["-q", "unlock", "vdrive:a", "--key", "file:wrong"])
        .exits(4)
        .complains("error:");
}

#[test]
fn there_are_no_colours_outside_a_terminal() {
    let bench = Bench::locked();
    let run = bench
        .run(&["unlock", "vdrive:a", "--key", "file:wrong"])
        .exits(4);
    assert!(!run.stderr.contains('\x1b'), "{run}");
}

#[test]
fn a_hostile_name_is_no_command_for_the_terminal() {
    let bench = Bench::new();
    let run = bench.run(&["info", "vdrive:\x1b[2Jmissing"]).exits(1);
    assert!(!run.stderr.contains('\x1b'), "{run}");
}
