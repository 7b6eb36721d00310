//! The server's side of a control socket.

use std::io::{self, Write};
use std::net::Shutdown;
use std::os::fd::AsRawFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nix::sys::socket;

use super::guests::Guests;
use super::message::{Refusal, Reply, Request};
use super::path::{ControlPath, Socket};
use super::stream::Limited;

/// Does what is asked for; called from several threads.
pub(crate) type Handler = Arc<dyn Fn(Request) -> Reply + Send + Sync>;

/// How long a connection may last, what it asks for apart.
const LIMIT: Duration = Duration::from_secs(5);
/// The pause after a connection that could not be accepted: the process is short of something.
const PAUSE: Duration = Duration::from_millis(50);

/// A control socket that is listened at. Dropping it ends all of it.
#[derive(Debug)]
pub(crate) struct Service {
    socket: Socket,
    ending: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Service {
    /// Listens beside the drive's file.
    ///
    /// # Errors
    /// There is no place for the socket, or there are no more threads.
    pub(crate) fn start(path: &ControlPath, handler: Handler) -> io::Result<Self> {
        let socket = path.bind()?;
        let ending = Arc::new(AtomicBool::new(false));
        let (listener, ends) = (socket.listener.try_clone()?, Arc::clone(&ending));
        let thread = thread::Builder::new()
            .name("control".to_owned())
            .spawn(move || listen(&listener, &handler, &ends))?;
        Ok(Self {
            socket,
            ending,
            thread: Some(thread),
        })
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Release);
        // Wakes the thread that accepts. It cannot fail on a socket that listens.
        let _ = socket::shutdown(self.socket.listener.as_raw_fd(), socket::Shutdown::Both);
        // A thread that has panicked has ended too.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// Accepts until the service ends; then ends every connection and waits for their threads.
fn listen(listener: &UnixListener, handler: &Handler, ending: &AtomicBool) {
    let guests = Guests::default();
    thread::scope(|scope| {
        while let Some(accepted) = accept(listener, ending) {
            let Ok(guest) = guests.admit(&accepted) else {
                continue;
            };
            let builder = thread::Builder::new().name("control connection".to_owned());
            let serve = move || {
                answer(&accepted, handler);
                drop(guest);
            };
            // Without a thread for it the connection is closed.
            let _ = builder.spawn_scoped(scope, serve);
        }
        guests.end_all();
    });
}

/// The next connection, or nothing when the service ends.
fn accept(listener: &UnixListener, ending: &AtomicBool) -> Option<UnixStream> {
    loop {
        let accepted = listener.accept();
        if ending.load(Ordering::Acquire) {
            return None;
        }
        match accepted {
            Ok((stream, _)) => return Some(stream),
            Err(_) => thread::sleep(PAUSE),
        }
    }
}

/// One request and its answer. A client that breaks off has only itself to blame.
fn answer(stream: &UnixStream, handler: &Handler) {
    let Ok(connection) = stream.try_clone() else {
        return;
    };
    let Ok(line) = Limited::new(connection, LIMIT).read_line() else {
        return;
    };
    let reply =
        Request::parse(&line).map_or(Reply::Refused(Refusal::Unknown), |request| handler(request));
    let written = stream
        .try_clone()
        .and_then(|connection| Limited::new(connection, LIMIT).write_all(&reply.to_bytes()));
    if written.is_ok() {
        let _ = stream.shutdown(Shutdown::Write);
    }
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::path::PathBuf;
    use std::time::Instant;

    use super::*;
    use crate::vdrive::serve::{Client, ControlError, Place};

    const PATIENCE: Duration = Duration::from_secs(30);

    /// A service beside a file, which knows nothing but its place and blocks of zeros.
    struct Bench {
        _folder: tempfile::TempDir,
        file: PathBuf,
        service: Service,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("drive");
            std::fs::write(&file, b"").unwrap();
            let handler: Handler = Arc::new(|request| match request {
                Request::Where => Reply::Places(vec![place()]),
                Request::PowerCycle => Reply::Done,
                Request::Media { count, .. } => {
                    Reply::Data(vec![7; usize::try_from(count).unwrap()])
                }
                _ => Reply::Refused(Refusal::DataProtection),
            });
            let path = ControlPath::beside(&file).unwrap();
            Self {
                _folder: folder,
                file,
                service: Service::start(&path, handler).unwrap(),
            }
        }

        fn client(&self) -> Client {
            Client::find(&self.file, PATIENCE).unwrap().unwrap()
        }

        fn connect(&self) -> UnixStream {
            let path = ControlPath::beside(&self.file).unwrap().path();
            UnixStream::connect(path).unwrap()
        }
    }

    fn place() -> Place {
        Place::NvmeTcp {
            address: "127.0.0.1:4420".parse().unwrap(),
            nqn: "nqn.2026-01.org.example".to_owned(),
        }
    }

    #[test]
    fn requests_are_answered() {
        let bench = Bench::new();
        let client = Client::find(&bench.file, Duration::MAX).unwrap().unwrap();
        assert_eq!(client.places(), [place()]);
        client.power_cycle().unwrap();
        assert_eq!(client.ciphertext(0, 1 << 20).unwrap(), vec![7; 1 << 20]);
        let refused = client.read(0, 1).unwrap_err();
        assert!(matches!(
            refused,
            ControlError::Refused(Refusal::DataProtection)
        ));
    }

    #[test]
    fn nonsense_is_refused() {
        let bench = Bench::new();
        for line in [&b"\n"[..], b"shutdown\n", b"read 0\n"] {
            let mut stream = bench.connect();
            stream.write_all(line).unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            assert_eq!(answer, "error unknown request\n");
        }
        let mut stream = bench.connect();
        // It may be closed before all of it is written.
        let _ = stream.write_all(&[b'a'; 100_000]);
        let mut answer = Vec::new();
        assert!(stream.read_to_end(&mut answer).is_err() || answer.is_empty());
        bench.client();
    }

    #[test]
    fn those_who_hang_about_keep_nobody_away() {
        let bench = Bench::new();
        let silent: Vec<UnixStream> = (0..100).map(|_| bench.connect()).collect();
        bench.client().power_cycle().unwrap();
        let begin = Instant::now();
        drop(bench.service);
        assert!(begin.elapsed() < LIMIT, "{:?}", begin.elapsed());
        drop(silent);
    }
}
