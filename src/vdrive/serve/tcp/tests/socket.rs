//! Connections over real sockets: time limits, answers from other threads, the end.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::super::listener::{Listener, Running, Target};
use super::super::socket::Limits;
use super::stub::{Stub, command, connect, hex, initialize, response};
use crate::vdrive::serve::nvme::{Completion, Event, Events, Status};

/// Limits that a test can wait for.
const LIMITS: Limits = Limits {
    connect: Duration::from_millis(300),
    stall: Duration::from_millis(300),
    write: Duration::from_millis(300),
    farewell: Duration::from_millis(300),
};
/// What no connection of a test may last.
const TOO_LONG: Duration = Duration::from_secs(20);

/// Has a stub for each connection, and keeps what takes their events.
#[derive(Default)]
struct Stubs(Mutex<Vec<Events>>);

impl Target for Stubs {
    type Queue = Stub;

    fn open(self: &Arc<Self>, events: Events) -> Stub {
        self.0.lock().unwrap().push(events);
        Stub::default()
    }

    fn tick(&self) {}
}

impl Stubs {
    /// Tells the only connection something, from this thread.
    fn tell(&self, event: Event) {
        self.0.lock().unwrap()[0](event);
    }
}

fn serve() -> (Running, Arc<Stubs>) {
    let stubs = Arc::new(Stubs::default());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let running = Listener::start_with(listener, Arc::clone(&stubs), LIMITS).unwrap();
    (running, stubs)
}

/// A socket that has sent some bytes.
fn host(running: &Running, bytes: &[u8]) -> TcpStream {
    let mut stream = TcpStream::connect(running.address().unwrap()).unwrap();
    stream.set_read_timeout(Some(TOO_LONG)).unwrap();
    stream.write_all(bytes).unwrap();
    stream
}

/// A socket whose queue is connected.
fn connected(running: &Running) -> TcpStream {
    let mut stream = host(running, &[initialize(0, 0), connect(0)].concat());
    let mut answer = [0; 128 + 24];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(
        answer[128..],
        hex("05001800 18000000 01000000 00000000 00000000 00000000")
    );
    stream
}

/// Waits for the end of a connection.
fn ends(stream: &mut TcpStream) {
    let started = Instant::now();
    let _ = stream.read_to_end(&mut Vec::new());
    assert!(started.elapsed() < TOO_LONG);
}

#[test]
fn a_host_that_does_not_connect_its_queue_is_cut_off() {
    let (running, _stubs) = serve();
    ends(&mut host(&running, &[]));
    ends(&mut host(&running, &initialize(0, 0)));
    ends(&mut host(&running, &initialize(0, 0)[..100]));
    ends(&mut host(
        &running,
        &[initialize(0, 0), command(2, 1, 0, 0, &[])].concat(),
    ));
}

#[test]
fn half_a_pdu_and_silence_are_cut_off() {
    let (running, _stubs) = serve();
    let mut stream = connected(&running);
    stream
        .write_all(&command(2, 1, 0x5a, 512, &[])[..40])
        .unwrap();
    ends(&mut stream);
    let mut stream = connected(&running);
    stream.write_all(&command(1, 1, 0x5a, 512, &[])).unwrap();
    ends(&mut stream);
}

#[test]
fn a_connected_host_may_be_silent() {
    let (running, stubs) = serve();
    let mut stream = connected(&running);
    stream.set_read_timeout(Some(LIMITS.stall * 3)).unwrap();
    assert!(stream.read(&mut [0]).is_err());
    stream.write_all(&command(1, 9, 1, 4, &[0; 4])).unwrap();
    let mut answer = [0; 24];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[..], response(9, 0));
    drop(stubs);
}

#[test]
fn a_host_that_does_not_read_is_cut_off() {
    let (running, _stubs) = serve();
    let mut stream = connected(&running);
    stream.set_write_timeout(Some(TOO_LONG)).unwrap();
    let reads: Vec<u8> = (0..512)
        .flat_map(|cid| command(2, cid, 0x5a, 131_072, &[]))
        .collect();
    let started = Instant::now();
    let _ = stream.write_all(&reads);
    // It is the other side that gives up, though 64 MiB wait to be read.
    while stream.write_all(&[0]).is_ok() {
        assert!(started.elapsed() < TOO_LONG);
        std::thread::yield_now();
    }
}

#[test]
fn answers_of_other_threads_arrive() {
    let (running, stubs) = serve();
    let mut stream = connected(&running);
    stream
        .write_all(&command(0x0c, 0x1f, 0x5a, 0, &[]))
        .unwrap();
    stream.write_all(&command(1, 2, 1, 4, &[0; 4])).unwrap();
    let mut answer = [0; 24];
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(answer[..], response(2, 0));
    let completion = Completion {
        result: 0x0004_0002,
        status: Status(0),
    };
    stubs.tell(Event::Complete {
        cid: 0x1f,
        completion,
    });
    stream.read_exact(&mut answer).unwrap();
    assert_eq!(
        answer[..],
        hex("05001800 18000000 02000400 00000000 00000000 1f000000")
    );
}

#[test]
fn a_controller_may_close_from_another_thread() {
    let (running, stubs) = serve();
    let mut stream = connected(&running);
    stubs.tell(Event::Close);
    ends(&mut stream);
    drop(running);
}

#[test]
fn a_host_reads_why_it_was_cut_off() {
    let (running, _stubs) = serve();
    // Bytes behind the violation are not read; they must not destroy what was sent.
    let stream = [initialize(0, 0), initialize(0, 0), vec![0; 50_000]].concat();
    let mut stream = host(&running, &stream);
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    assert_eq!(answer[128..138], hex("03001800 98000000 0200"));
    assert_eq!(answer.len(), 128 + 152);
}

#[test]
fn stopping_does_not_wait_for_hosts() {
    let (running, _stubs) = serve();
    let mut silent = host(&running, &[]);
    let mut busy = connected(&running);
    let mut owing = connected(&running);
    owing.write_all(&command(1, 1, 0x5a, 512, &[])).unwrap();
    let address = running.address().unwrap();
    running.stop();
    for stream in [&mut silent, &mut busy, &mut owing] {
        ends(stream);
    }
    assert!(TcpStream::connect(address).is_err());
}
