//! The socket of a connection, and what its thread does.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsRawFd;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

use nix::sys::socket::{MsgFlags, send, setsockopt, sockopt};

use super::connection::{Connection, Queue};

/// How much is read at a time.
const READ_LENGTH: usize = 64 * 1024;

/// How long a connection may take for what it owes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// To the end of the first Connect command.
    pub connect: Duration,
    /// For the next bytes of a PDU that has begun, or of data that were asked for.
    pub stall: Duration,
    /// For taking one answer.
    pub write: Duration,
    /// For closing its side after a fatal error.
    pub farewell: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(8),
            stall: Duration::from_secs(60),
            write: Duration::from_secs(15),
            farewell: Duration::from_secs(1),
        }
    }
}

/// A socket that one thread reads, and several may write to or close.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: TcpStream,
    limits: Limits,
    writing: Mutex<()>,
    /// Answers of other threads, whole PDUs, that are not written yet.
    late: Mutex<Vec<u8>>,
}

impl Socket {
    pub(crate) fn new(stream: TcpStream, limits: Limits) -> io::Result<Self> {
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(limits.write))?;
        setsockopt(&stream, sockopt::KeepAlive, &true)?;
        Ok(Self {
            stream,
            limits,
            writing: Mutex::default(),
            late: Mutex::default(),
        })
    }

    /// Ends the connection, from any thread.
    pub(crate) fn close(&self) {
        // It fails where the connection has ended already, which is what is wanted.
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Writes an answer, from any thread, without waiting for the host. One that has left no room
    /// for so little does not read, and loses its connection.
    pub(crate) fn send_late(&self, answer: &[u8]) {
        lock(&self.late).extend_from_slice(answer);
        if self.flush_late(|bytes| self.write_now(bytes)).is_err() {
            self.close();
        }
    }

    /// Serves the connection until it ends, and closes the socket.
    pub(crate) fn serve<Q: Queue>(&self, connection: &mut Connection<Q>) {
        let _closing = Closing(self);
        if self.exchange(connection).is_ok() {
            // The host is told why; it sees that only if it is not interrupted meanwhile.
            let _ = self.say_farewell();
        }
    }

    /// Feeds the connection and sends its answers, until it breaks a rule.
    fn exchange<Q: Queue>(&self, connection: &mut Connection<Q>) -> io::Result<()> {
        let deadline = Instant::now() + self.limits.connect;
        let mut buffer = vec![0; READ_LENGTH];
        let mut out = Vec::new();
        loop {
            let patience = self.patience(connection, deadline)?;
            let mut input = self.read(&mut buffer, patience)?;
            while !input.is_empty() {
                out.clear();
                let flow = connection.receive(&mut input, &mut out);
                self.send(&out)?;
                if flow.is_break() {
                    return Ok(());
                }
            }
        }
    }

    /// How long the next bytes may take; None is for ever.
    fn patience<Q: Queue>(
        &self,
        connection: &Connection<Q>,
        deadline: Instant,
    ) -> io::Result<Option<Duration>> {
        if connection.is_connected() {
            return Ok(connection.is_owed().then_some(self.limits.stall));
        }
        remaining(deadline).map(Some)
    }

    /// Reads some bytes, at least one.
    fn read<'b>(&self, buffer: &'b mut [u8], patience: Option<Duration>) -> io::Result<&'b [u8]> {
        self.stream.set_read_timeout(patience)?;
        let length = retry(|| (&self.stream).read(buffer))?;
        match buffer.get(..length) {
            Some(bytes) if !bytes.is_empty() => Ok(bytes),
            _ => Err(ErrorKind::UnexpectedEof.into()),
        }
    }

    fn send(&self, answer: &[u8]) -> io::Result<()> {
        if !answer.is_empty() {
            let _writing = lock(&self.writing);
            self.write(answer)?;
        }
        self.flush_late(|bytes| self.write(bytes))
    }

    fn write(&self, mut bytes: &[u8]) -> io::Result<()> {
        let deadline = Instant::now() + self.limits.write;
        while !bytes.is_empty() {
            let written = retry(|| (&self.stream).write(bytes))?;
            bytes = bytes.get(written..).unwrap_or_default();
            if !bytes.is_empty() {
                remaining(deadline)?;
            }
        }
        Ok(())
    }

    /// Writes what other threads have left. Whoever holds the lock comes here after releasing it,
    /// so nothing is left behind.
    fn flush_late(&self, write: impl Fn(&[u8]) -> io::Result<()>) -> io::Result<()> {
        while !lock(&self.late).is_empty() {
            let _writing = match self.writing.try_lock() {
                Ok(guard) => guard,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return Ok(()),
            };
            let bytes = std::mem::take(&mut *lock(&self.late));
            write(&bytes)?;
        }
        Ok(())
    }

    /// Writes what there is room for at once, which must be all.
    fn write_now(&self, bytes: &[u8]) -> io::Result<()> {
        let flags = MsgFlags::MSG_DONTWAIT | MsgFlags::MSG_NOSIGNAL;
        if send(self.stream.as_raw_fd(), bytes, flags)? != bytes.len() {
            return Err(ErrorKind::WriteZero.into());
        }
        Ok(())
    }

    /// Lets the host read what was sent last: closing a socket with unread bytes would discard it.
    fn say_farewell(&self) -> io::Result<()> {
        self.stream.shutdown(Shutdown::Write)?;
        let deadline = Instant::now() + self.limits.farewell;
        let mut buffer = [0; 4096];
        loop {
            self.read(&mut buffer, Some(remaining(deadline)?))?;
        }
    }
}

/// Closes a socket whatever ends its thread.
struct Closing<'s>(&'s Socket);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time until then; an error if there is none.
fn remaining(deadline: Instant) -> io::Result<Duration> {
    let remaining = deadline.saturating_duration_since(Instant::now());
    if remaining.is_zero() {
        return Err(ErrorKind::TimedOut.into());
    }
    Ok(remaining)
}

/// Repeats a call that a signal has interrupted.
fn retry(mut call: impl FnMut() -> io::Result<usize>) -> io::Result<usize> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}
