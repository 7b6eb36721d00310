//! Drives that the program serves: what it says, what it refuses, and how it ends.

use std::fs;
use std::io::{BufReader, Read};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::sys::stat::Mode;
use nix::unistd::{Pid, mkfifo};
use sedkit::vdrive::VirtualDrive;
use serde_json::Value;

use crate::cli::support::{Bench, SERIAL, sedkit};

/// A running `sedkit vdrive serve --json`.
pub(crate) struct Served {
    child: Child,
    stdout: BufReader<ChildStdout>,
    /// What it printed once everything listened.
    pub(crate) document: Value,
}

impl Served {
    /// Serves in a folder, on a port that is free.
    pub(crate) fn new(folder: &Path, arguments: &[&str]) -> Self {
        let serve = ["vdrive", "serve", "--json", "--nvme-tcp", "0"];
        let mut child = sedkit(folder, &[&serve[..], arguments].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        let mut documents = serde_json::Deserializer::from_reader(&mut stdout).into_iter();
        let document = documents.next().unwrap().unwrap();
        drop(documents);
        Self {
            child,
            stdout,
            document,
        }
    }

    /// Where drive number `index` is served, and its NQN.
    pub(crate) fn place(&self, index: usize) -> (SocketAddr, String) {
        let place = &self.document["drives"][index]["nvme_tcp"];
        let address = place["address"].as_str().unwrap().parse().unwrap();
        let port = place["port"].as_u64().unwrap().try_into().unwrap();
        let nqn = place["nqn"].as_str().unwrap().to_owned();
        (SocketAddr::new(address, port), nqn)
    }

    pub(crate) fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(self.child.id().try_into().unwrap()), signal).unwrap();
    }

    /// Sends a signal that ends it; the exit code, if it had the choice.
    pub(crate) fn end(mut self, signal: Signal) -> Option<i32> {
        self.signal(signal);
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest.trim(), "", "one document and nothing else");
        self.child.wait().unwrap().code()
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn serve(bench: &Bench, arguments: &[&str]) -> Served {
    Served::new(&bench.path(""), arguments)
}

#[test]
fn a_server_says_where_and_ends_when_it_is_asked_to() {
    for signal in [Signal::SIGTERM, Signal::SIGINT] {
        let bench = Bench::new();
        let server = serve(&bench, &["a"]);
        assert_eq!(server.document["pid"], server.child.id());
        assert_eq!(server.document["drives"][0]["serial"], SERIAL);
        let (address, nqn) = server.place(0);
        assert_eq!(nqn, format!("nqn.2026-01.io.github.sedkit:{SERIAL}"));
        let connect = format!(
            "nvme connect -t tcp -a 127.0.0.1 -s {} -n {nqn}",
            address.port()
        );
        let place = &server.document["drives"][0]["nvme_tcp"];
        assert_eq!(place["connect"], connect);
        let control = bench.path("a.control").metadata().unwrap();
        assert_eq!(control.permissions().mode() & 0o777, 0o600);
        let mut host = TcpStream::connect(address).unwrap();
        assert_eq!(server.end(signal), Some(0));
        assert_eq!(host.read(&mut [0]).unwrap_or(0), 0);
        assert!(!bench.path("a.control").exists());
        bench.open("a");
    }
}

#[test]
fn a_served_drive_is_reset_as_one_that_is_not() {
    for command in ["power-cycle", "hardware-reset"] {
        let bench = Bench::set_up();
        let command = ["vdrive", command, "a"];
        let server = serve(&bench, &["a"]);
        let served = bench.json(&command, 0);
        let locked = served["drives"][0]["state"]["ranges"][0]["read_locked"] == true;
        assert_eq!(locked, command[1] == "power-cycle");
        let text = bench.run(&command).exits(0).stdout;
        assert_eq!(server.end(Signal::SIGTERM), Some(0));
        assert_eq!(bench.json(&command, 0), served);
        assert_eq!(bench.run(&command).exits(0).stdout, text);
    }
}

#[test]
fn a_served_drive_can_be_seen_and_not_opened() {
    let bench = Bench::set_up();
    let block = [0x5a; 512];
    bench.open("a").write(7, &block).unwrap();
    let looks = [
        &["vdrive", "info", "a"][..],
        &["vdrive", "stats", "a"],
        &["vdrive", "read", "a", "--lba", "7"],
        &["vdrive", "media", "a", "--lba", "7"],
        &[
            "vdrive", "read", "vdrive:a", "--lba", "0", "--count", "2048",
        ],
    ];
    let before = looks.map(|look| bench.json(look, 0));
    let server = serve(&bench, &["vdrive:a"]);
    assert_eq!(looks.map(|look| bench.json(look, 0)), before);
    let too_much = ["vdrive", "read", "a", "--lba", "0", "--count", "2049"];
    bench
        .run(&too_much)
        .exits(2)
        .complains("hint: read at most 1 MiB");
    let beyond = ["vdrive", "read", "a", "--lba", "99999999"];
    bench.run(&beyond).exits(2).complains("beyond the end");
    let (address, nqn) = server.place(0);
    let place = format!("served over NVMe/TCP at {address} as {nqn}");
    let begin = Instant::now();
    for refused in [
        &["info", "vdrive:a"][..],
        &["unlock", "vdrive:a", "--key", "file:right"],
        &["vdrive", "write", "a", "--lba", "0", "--from", "right"],
        &["vdrive", "serve", "a", "--nvme-tcp", "0"],
    ] {
        let run = bench.run(refused).exits(7).complains(&place);
        run.complains("hint: use it there");
    }
    assert!(begin.elapsed() < Duration::from_secs(50), "somebody waited");
    bench.run(&["vdrive", "power-cycle", "a"]).exits(0);
    let protected = bench.json(looks[2], 1);
    assert_eq!(protected["error"]["code"], "data_protected");
    assert_eq!(protected["error"]["message"], "a: data protected");
    assert_eq!(bench.json(looks[3], 0), before[3]);
}

#[test]
fn a_signal_power_cycles_all_drives() {
    let bench = Bench::set_up();
    bench.create("b", "OTHER");
    let server = serve(&bench, &["a", "b", "--trace", "trace"]);
    server.signal(Signal::SIGUSR1);
    let cycled = |trace: &str| trace.matches("power cycle").count() == 2;
    let end = Instant::now() + Duration::from_secs(30);
    while !cycled(&fs::read_to_string(bench.path("trace")).unwrap()) {
        assert!(Instant::now() < end, "no power cycle");
        std::thread::yield_now();
    }
    let mode = bench.path("trace").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
    assert!(!bench.is_readable("a"));
}

#[test]
fn a_killed_server_is_in_nobody_s_way() {
    let bench = Bench::new();
    let server = serve(&bench, &["a"]);
    assert_eq!(server.end(Signal::SIGKILL), None);
    assert!(bench.path("a.control").exists());
    bench.run(&["vdrive", "power-cycle", "a"]).exits(0);
    bench.run(&["info", "vdrive:a"]).exits(0);
    let server = serve(&bench, &["a"]);
    bench.run(&["vdrive", "power-cycle", "a"]).exits(0);
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
    assert!(!bench.path("a.control").exists());
}

#[test]
fn long_paths_can_be_served() {
    let bench = Bench::new();
    let folder = format!("{0}/{0}", "long".repeat(30));
    fs::create_dir_all(bench.path(&folder)).unwrap();
    let path = format!("{folder}/{}", "name".repeat(40));
    bench.create(&path, "FAR");
    let server = serve(&bench, &[&path]);
    bench.run(&["vdrive", "power-cycle", &path]).exits(0);
    bench.run(&["info", &format!("vdrive:{path}")]).exits(7);
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
}

#[test]
fn drives_are_told_apart_by_their_names() {
    let bench = Bench::new();
    bench.create("b", "S 2");
    let server = serve(&bench, &["a", "b"]);
    let (places, names): (Vec<_>, Vec<_>) = (0..2).map(|index| server.place(index)).unzip();
    assert_eq!(places[0], places[1]);
    assert_eq!(names[1], "nqn.2026-01.io.github.sedkit:S%202");
    drop(server);
    let named = [
        "--nqn",
        "nqn.2026-01.org.example:1",
        "--nqn",
        "nqn.2026-01.org.example:2",
    ];
    let server = serve(&bench, &[&["a", "b"][..], &named].concat());
    assert_eq!(server.place(1).1, "nqn.2026-01.org.example:2");
}

#[test]
fn all_drives_are_served_or_none() {
    let bench = Bench::new();
    bench.create("b", "OTHER");
    let opened = bench.open("b");
    let refused = |arguments: &[&str], exit, complaint: &str| {
        let serve = ["vdrive", "serve", "--nvme-tcp", "0"];
        let run = bench.run(&[&serve[..], arguments].concat()).exits(exit);
        assert_eq!(run.stdout, "");
        run.complains(complaint);
        VirtualDrive::open(&bench.path("a")).unwrap();
        assert!(!bench.path("a.control").exists());
    };
    refused(&["a", "missing"], 1, "missing: could not open");
    refused(&["a", "b"], 7, "b: the virtual drive is in use");
    refused(&["a", "vdrive:./a"], 2, "./a: the drive is named twice");
    refused(&["a", "right"], 6, "not the file of a virtual drive");
    drop(opened);
    refused(
        &["a", "b", "--nqn", "nqn.2026-01.a"],
        2,
        "1 --nqn for 2 drives",
    );
    refused(&["a", "--nqn", "somewhere"], 2, "an NQN begins like");
    refused(&["a", "--trace", "nowhere/trace"], 1, "nowhere/trace");
    fs::hard_link(bench.path("a"), bench.path("link")).unwrap();
    for drive in ["a", "./b", "link"] {
        let trace = ["a", "--trace", drive];
        refused(&trace, 2, "would destroy the virtual drive");
        VirtualDrive::open(&bench.path(drive)).unwrap();
    }
    fs::remove_file(bench.path("link")).unwrap();
    mkfifo(&bench.path("pipe"), Mode::S_IRWXU).unwrap();
    refused(&["a", "--trace", "pipe"], 1, "pipe: ");
    refused(&["a", "--trace", "/dev/null"], 2, "a trace needs a file");
    let same = ["--nqn", "nqn.2026-01.a", "--nqn", "nqn.2026-01.a"];
    refused(
        &[&["a", "b"][..], &same].concat(),
        2,
        "two drives have the name",
    );
    fs::write(bench.path("b.control"), "mine").unwrap();
    refused(&["a", "b"], 1, "that file is no socket of sedkit");
    assert_eq!(fs::read_to_string(bench.path("b.control")).unwrap(), "mine");
}

#[test]
fn addresses_that_cannot_be_listened_at_are_refused() {
    let bench = Bench::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    let refused = |address: &str, exit, complaint: &str| {
        let run = bench.run(&["vdrive", "serve", "a", "--nvme-tcp", address]);
        run.exits(exit).complains(complaint);
    };
    refused(&port, 7, "hint: another server listens there");
    refused("192.0.2.1:4420", 2, "hint: give an address of this machine");
    refused("everywhere", 2, "everywhere is no address to listen at");
    bench.open("a");
}

#[test]
fn nonsense_at_the_control_socket_harms_nobody() {
    let bench = Bench::new();
    let server = serve(&bench, &["a"]);
    let socket = bench.path("a.control");
    let mut guests = Vec::new();
    for _ in 0..200 {
        guests.push(UnixStream::connect(&socket).unwrap());
    }
    for line in [
        &b"read 0 99999999999999999999\n"[..],
        b"\xff\xfe\n",
        &[b'x'; 5000],
    ] {
        let mut guest = UnixStream::connect(&socket).unwrap();
        let _ = std::io::Write::write_all(&mut guest, line);
        guests.push(guest);
    }
    bench.run(&["vdrive", "power-cycle", "a"]).exits(0);
    assert_eq!(server.end(Signal::SIGTERM), Some(0));
}
