//! All connections of a port: who accepts them, counts them, and ends them.

use std::io;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use nix::sys::socket;

use super::connection::{Connection, Late, Queue};
use super::socket::{Limits, Socket};
use crate::vdrive::serve::nvme::{Event, Events, Port, QueuePair};

/// How many connections may be open at a time; further ones are closed at once.
const MAX_CONNECTIONS: usize = 256;
/// How often a port is told that time passes.
const TICK: Duration = Duration::from_secs(1);
/// How long to wait when the system has no room for a connection.
const RETRY: Duration = Duration::from_millis(100);

/// What connections of a port lead to.
pub(crate) trait Target: Send + Sync + 'static {
    /// What executes the commands of one connection; dropping it ends the queue.
    type Queue: Queue;

    /// A queue for a new connection.
    fn open(self: &Arc<Self>, events: Events) -> Self::Queue;

    /// Time passes; called once a second.
    fn tick(&self);
}

impl Target for Port {
    type Queue = QueuePair;

    fn open(self: &Arc<Self>, events: Events) -> QueuePair {
        QueuePair::new(Arc::clone(self), events)
    }

    fn tick(&self) {
        self.tick(Instant::now());
    }
}

/// Starts to serve ports.
pub(crate) struct Listener;

/// A port that is served, until it is stopped or dropped.
pub(crate) struct Running {
    listener: Arc<TcpListener>,
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

impl Listener {
    /// Serves everything that connects, with one thread for each connection.
    ///
    /// # Errors
    ///
    /// When the system has no room for the threads.
    pub(crate) fn start<T: Target>(listener: TcpListener, target: Arc<T>) -> io::Result<Running> {
        Self::start_with(listener, target, Limits::default())
    }

    /// The same, with other time limits.
    pub(crate) fn start_with<T: Target>(
        listener: TcpListener,
        target: Arc<T>,
        limits: Limits,
    ) -> io::Result<Running> {
        let shared = Arc::new(Shared::default());
        let mut running = Running {
            listener: Arc::new(listener),
            shared: Arc::clone(&shared),
            threads: Vec::new(),
        };
        let acceptor = Acceptor {
            listener: Arc::clone(&running.listener),
            shared: Arc::clone(&shared),
            target: Arc::clone(&target),
            limits,
        };
        running.spawn("nvme-tcp-accept", move || acceptor.run())?;
        running.spawn("nvme-tcp-tick", move || {
            while !shared.pause(TICK) {
                shared.reap();
                target.tick();
            }
        })?;
        Ok(running)
    }
}

impl Running {
    /// Where it listens.
    pub(crate) fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Ends all connections, and waits for their threads.
    pub(crate) fn stop(self) {
        drop(self);
    }

    fn spawn(&mut self, name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
        let thread = thread::Builder::new().name(name.to_owned()).spawn(work)?;
        self.threads.push(thread);
        Ok(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.shared.stop();
        // A thread that accepts returns from it with an error.
        let _ = socket::shutdown(self.listener.as_raw_fd(), socket::Shutdown::Both);
        for thread in self.threads.drain(..) {
            join(thread);
        }
        for open in self.shared.take_all() {
            open.socket.close();
            join(open.thread);
        }
    }
}

/// What the threads of a port share.
#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    stopping: Condvar,
}

#[derive(Default)]
struct State {
    is_stopping: bool,
    open: Vec<Open>,
}

/// A connection and its thread.
struct Open {
    socket: Arc<Socket>,
    thread: JoinHandle<()>,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.lock().is_stopping = true;
        self.stopping.notify_all();
    }

    /// Waits; whether the port is being stopped.
    fn pause(&self, time: Duration) -> bool {
        let goes_on = |state: &mut State| !state.is_stopping;
        let waited = self.stopping.wait_timeout_while(self.lock(), time, goes_on);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        state.is_stopping
    }

    /// Forgets the connections that have ended; how many are left.
    fn reap(&self) -> usize {
        let mut state = self.lock();
        state.open.retain(|open| !open.thread.is_finished());
        state.open.len()
    }

    fn add(&self, open: Open) {
        self.lock().open.push(open);
    }

    fn take_all(&self) -> Vec<Open> {
        std::mem::take(&mut self.lock().open)
    }
}

/// What the accepting thread works with.
struct Acceptor<T> {
    listener: Arc<TcpListener>,
    shared: Arc<Shared>,
    target: Arc<T>,
    limits: Limits,
}

impl<T: Target> Acceptor<T> {
    fn run(&self) {
        loop {
            let accepted = self.listener.accept();
            if self.shared.lock().is_stopping {
                return;
            }
            let started = accepted.and_then(|(stream, _)| self.start(stream));
            if started.is_err() && self.shared.pause(RETRY) {
                return;
            }
        }
    }

    /// Starts the thread of a connection, if there is room for one more.
    fn start(&self, stream: TcpStream) -> io::Result<()> {
        if self.shared.reap() >= MAX_CONNECTIONS {
            return stream.shutdown(Shutdown::Both);
        }
        let socket = Arc::new(Socket::new(stream, self.limits)?);
        let target = Arc::clone(&self.target);
        let served = Arc::clone(&socket);
        let thread = thread::Builder::new()
            .name("nvme-tcp".to_owned())
            .spawn(move || serve(&target, &served))?;
        self.shared.add(Open { socket, thread });
        Ok(())
    }
}

/// The life of a connection.
fn serve<T: Target>(target: &Arc<T>, socket: &Arc<Socket>) {
    let late = Arc::new(Late::default());
    let queue = target.open(events(Arc::clone(socket), Arc::clone(&late)));
    socket.serve(&mut Connection::new(queue, late));
}

/// Carries out what a controller does by itself.
fn events(socket: Arc<Socket>, late: Arc<Late>) -> Events {
    Box::new(move |event| match event {
        Event::Complete { cid, completion } => socket.send_late(&late.response(cid, completion)),
        Event::Close => socket.close(),
    })
}

/// Waits for a thread. One that panicked has closed its socket like every other.
fn join(thread: JoinHandle<()>) {
    let _ = thread.join();
}
