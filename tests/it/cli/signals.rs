//! SIGTERM or SIGHUP in the middle of a session: the session is closed, and the work can be finished later.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use sedkit::vdrive::{CreateOptions, VirtualDrive};

use crate::cli::support::{Bench, sedkit_of_a_terminal};

/// A drive that is slow enough to be caught in the middle.
fn slow_bench() -> Bench {
    let bench = Bench::new();
    let mut options = CreateOptions::new(8 << 20);
    options.latency = Duration::from_millis(30);
    VirtualDrive::create(&bench.path("slow"), &options).unwrap();
    bench
}

#[test]
fn an_interrupted_setup_closes_its_session_and_can_be_finished() {
    interrupt_setup(Signal::SIGTERM);
}

#[test]
fn a_terminal_that_goes_away_interrupts_too() {
    interrupt_setup(Signal::SIGHUP);
}

fn interrupt_setup(signal: Signal) {
    let bench = slow_bench();
    let setup = ["setup", "vdrive:slow", "--new-key", "file:right"];
    let mut child = sedkit_of_a_terminal(&bench.path(""), &[&setup[..], &["-vv"]].concat())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut trace = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("StartSession") {
        line.clear();
        assert_ne!(
            trace.read_line(&mut line).unwrap(),
            0,
            "no session was started"
        );
    }
    let pid = Pid::from_raw(child.id().try_into().unwrap());
    kill(pid, signal).unwrap();
    let mut rest = String::new();
    trace.read_to_string(&mut rest).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(1), "{rest}");
    assert!(rest.contains("interrupted"), "{rest}");
    assert!(rest.contains("the same command goes on"), "{rest}");
    assert_eq!(bench.open("slow").info().open_sessions, 0);
    bench.run(&setup).exits(0).says("set up");
}
