//! Hosts of drives that the program serves, and what the program does meanwhile.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use nix::sys::signal::Signal;
use sedkit::spec::{Hsn, Tsn, uid};
use sedkit::wire::ComPacket;
use serde_json::Value;

use super::attached::{Attached, Identity};
use super::host::Terms;
use super::killed::base_com_id;
use crate::cli::served::Served;
use crate::cli::support::{Bench, PASSPHRASE};
use crate::support::{BUFFER, start_session};

/// Access Denied, Do Not Retry: the blocks are locked.
const ACCESS_DENIED: u16 = 0x4286;

fn attach(server: &Served, index: usize) -> Attached {
    let (address, nqn) = server.place(index);
    Attached::new(address, &Identity::new(&nqn, 1), Terms::default())
}

/// Logs in as Admin1, and does not log out.
fn log_in(host: &mut Attached) {
    let by = Some((uid::ADMIN1, PASSPHRASE.as_bytes()));
    let call = start_session(uid::LOCKING_SP, true, by);
    let (tsn, hsn) = (Tsn::SESSION_MANAGER, Hsn::SESSION_MANAGER);
    let com_id = base_com_id(&host.security_receive(1, BUFFER).unwrap());
    let packet = ComPacket::with_tokens(com_id, tsn, hsn, &call.encode());
    host.security_send(com_id.0, &packet.encode()).unwrap();
    host.security_receive(com_id.0, BUFFER).unwrap();
}

fn state(bench: &Bench, drive: &str) -> Value {
    bench.json(&["vdrive", "info", drive], 0)["drives"][0]["state"].clone()
}

#[test]
fn a_power_cycle_ends_the_connections_of_its_drive_alone() {
    let bench = Bench::set_up();
    bench.create("b", "OTHER");
    let server = Served::new(&bench.path(""), &["a", "b"]);
    let [mut host, mut other] = [0, 1].map(|index| attach(&server, index));
    host.write(0, &[0x5a; 512]).unwrap();
    log_in(&mut host);
    assert_eq!(state(&bench, "a")["open_sessions"], 1);
    bench.run(&["vdrive", "power-cycle", "a"]).exits(0);
    host.admin.end();
    host.io.end();
    other.read(0, 1).unwrap();
    assert_eq!(state(&bench, "a")["open_sessions"], 0);
    let mut host = attach(&server, 0);
    assert_eq!(host.read(0, 1).status(), ACCESS_DENIED);
    bench.run(&["vdrive", "hardware-reset", "b"]).exits(0);
    other.admin.end();
    assert_eq!(host.read(0, 1).status(), ACCESS_DENIED);
}

#[test]
fn a_host_that_leaves_locks_nothing() {
    let bench = Bench::set_up();
    let server = Served::new(&bench.path(""), &["a"]);
    let mut host = attach(&server, 0);
    host.write(0, &[0x5a; 512]).unwrap();
    drop(host);
    assert_eq!(attach(&server, 0).read(0, 1).unwrap(), [0x5a; 512]);
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
    let mut drive = bench.open("a");
    assert_eq!(drive.read(0, 1).unwrap(), [0x5a; 512]);
    drive.power_cycle().unwrap();
    assert!(drive.read(0, 1).is_err());
}

#[test]
fn interface_commands_of_hosts_are_counted_and_seen_at_once() {
    let bench = Bench::set_up();
    let server = Served::new(&bench.path(""), &["a"]);
    let mut host = attach(&server, 0);
    let total = || {
        let stats = bench.json(&["vdrive", "stats", "a"], 0);
        let total = &stats["drives"][0]["stats"]["total"];
        ["send", "recv"].map(|kind| total[kind].as_u64().unwrap())
    };
    let [send, recv] = total();
    log_in(&mut host);
    assert_eq!(total(), [send + 1, recv + 2]);
    host.security_receive(1, BUFFER).unwrap();
    assert_eq!(total(), [send + 1, recv + 3]);
}

#[test]
fn a_trace_shows_every_interface_command_and_no_pin() {
    let bench = Bench::set_up();
    let trace = bench.path("trace");
    fs::write(&trace, "before\n").unwrap();
    let server = Served::new(&bench.path(""), &["a", "--trace", "trace"]);
    let mut host = attach(&server, 0);
    log_in(&mut host);
    let shown = fs::read_to_string(&trace).unwrap();
    assert!(shown.starts_with("before\n"), "{shown}");
    let serial = &server.document["drives"][0]["serial"];
    for expected in [
        &format!("Z {} IF-SEND TCG 01 ComID", serial.as_str().unwrap()),
        "IF-RECV TCG 01 ComID 0x0001, 216 bytes\n",
        "StartSession",
        "SyncSession",
        "Admin1",
        "bytes masked",
    ] {
        assert!(shown.contains(expected), "{expected}: {shown}");
    }
    let hex: String = PASSPHRASE
        .bytes()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    assert!(
        !shown.contains(PASSPHRASE) && !shown.contains(&hex),
        "{shown}"
    );
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
}

#[test]
fn a_new_trace_is_for_its_owner() {
    let bench = Bench::new();
    let server = Served::new(&bench.path(""), &["a", "--trace", "trace"]);
    let mode = bench.path("trace").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(server);
}
