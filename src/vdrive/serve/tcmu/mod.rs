//! The kernel's SCSI target, served in user space (target_core_user): a virtual drive as a disk of
//! the machine that it runs on.
//!
//! [`start`] tells the kernel of a backing device, serves its command ring on a thread of its own,
//! and shows it to the kernel's disk driver through a loop-back adapter (tcm_loop).

mod config;
mod error;
mod ring;
#[cfg(test)]
mod tests;

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{Builder, JoinHandle};

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::geteuid;
use vm_memory::{FileOffset, MmapRegion};

use super::scsi::{Face, LogicalUnit};
use super::shared::SharedDrive;
use config::{Config, Places, Size};
pub use error::{RingError, TcmuError};
use ring::Ring;

/// Called once if a disk fails while it is served, on the thread that served it.
pub(crate) type Alarm = Box<dyn FnOnce() + Send>;

/// A disk that is being served.
pub(crate) struct Running {
    config: Config,
    service: Option<Service>,
}

/// Shows the drive to the kernel as a disk. `name` tells it from others; if its handler was killed,
/// the disk is taken up where it was left.
///
/// # Errors
/// The caller is not root, the kernel has no SCSI target, or it refused a step.
pub(crate) fn start(
    drive: Arc<SharedDrive>,
    name: &str,
    face: Face,
    alarm: Alarm,
) -> Result<Running, TcmuError> {
    if !geteuid().is_root() {
        return Err(TcmuError::NotRoot);
    }
    let info = drive.lock().info();
    let size = Size {
        bytes: info.blocks.saturating_mul(info.block_size.into()),
        block_size: info.block_size,
    };
    let config = Config::create(Places::default(), name, size)?;
    let started = Handler::open(&config, LogicalUnit::new(drive, face))
        .and_then(|handler| Service::start(handler, alarm));
    let service = started.inspect_err(|_| drop(config.remove()))?;
    let running = Running {
        config,
        service: Some(service),
    };
    running.config.attach()?;
    Ok(running)
}

impl Running {
    /// Takes the disk away from the kernel, which flushes it first, and ends.
    ///
    /// # Errors
    /// The kernel refused a step, or the ring had failed before.
    pub(crate) fn stop(mut self) -> Result<(), TcmuError> {
        self.end()
    }

    fn end(&mut self) -> Result<(), TcmuError> {
        let Some(service) = self.service.take() else {
            return Ok(());
        };
        if service.has_failed() {
            // The kernel's flush would wait for an answer that nobody gives any longer. So the disk
            // stays, for the next server of its name to take up.
            return service.stop();
        }
        let detached = self.config.detach();
        let served = service.stop();
        let removed = self.config.remove();
        served.and(detached).and(removed)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.end());
    }
}

/// The thread that serves a ring.
struct Service {
    thread: JoinHandle<Result<(), TcmuError>>,
    stop: UnixStream,
    has_failed: Arc<AtomicBool>,
}

impl Service {
    /// Serves a ring until it is stopped.
    fn start(handler: Handler, alarm: Alarm) -> Result<Self, TcmuError> {
        let (stop, stopped) = UnixStream::pair().map_err(TcmuError::Device)?;
        let has_failed = Arc::new(AtomicBool::new(false));
        let watch = Watch {
            has_failed: Arc::clone(&has_failed),
            alarm: Some(alarm),
        };
        let thread = Builder::new().name("tcmu".to_owned());
        let thread = thread.spawn(move || watch.over(|| handler.run(&stopped)));
        Ok(Self {
            thread: thread.map_err(|_| TcmuError::Thread)?,
            stop,
            has_failed,
        })
    }

    /// Whether nobody serves the ring any longer.
    fn has_failed(&self) -> bool {
        self.has_failed.load(Ordering::Acquire)
    }

    /// Ends the thread; says what had ended it before.
    fn stop(mut self) -> Result<(), TcmuError> {
        // A thread that has ended does not listen.
        let signalled = self.stop.write_all(&[0]);
        self.thread.join().unwrap_or(Err(TcmuError::Thread))?;
        signalled.map_err(TcmuError::Device)
    }
}

/// Raises the alarm if what it watches fails or panics.
struct Watch {
    has_failed: Arc<AtomicBool>,
    alarm: Option<Alarm>,
}

impl Watch {
    fn over(mut self, work: impl FnOnce() -> Result<(), TcmuError>) -> Result<(), TcmuError> {
        work().inspect(|()| drop(self.alarm.take()))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Some(alarm) = self.alarm.take() {
            self.has_failed.store(true, Ordering::Release);
            alarm();
        }
    }
}

/// Maps what the UIO device shares: its map 0.
fn map(node: &File, length: usize) -> Result<MmapRegion, TcmuError> {
    let file = node.try_clone().map_err(TcmuError::Map)?;
    MmapRegion::from_file(FileOffset::new(file, 0), length)
        .map_err(|error| TcmuError::Map(std::io::Error::other(error)))
}

/// What the thread works with.
struct Handler {
    node: File,
    ring: Ring,
    unit: LogicalUnit,
}

impl Handler {
    /// Opens the ring of a backing device.
    fn open(config: &Config, unit: LogicalUnit) -> Result<Self, TcmuError> {
        let device = config.uio_device()?;
        let node = OpenOptions::new().read(true).write(true).open(&device.node);
        let node = node.map_err(|source| TcmuError::SetUp {
            path: device.node,
            source,
        })?;
        let ring = Ring::new(map(&node, device.map_length)?)?;
        Ok(Self { node, ring, unit })
    }

    /// Serves the ring, until something is written to the stream.
    fn run(mut self, stopped: &UnixStream) -> Result<(), TcmuError> {
        loop {
            self.drain()?;
            if self.wait(stopped)? {
                return Ok(());
            }
        }
    }

    /// Carries out every command that waits.
    fn drain(&mut self) -> Result<(), TcmuError> {
        while let Some(command) = self.ring.next()? {
            let room = command.data.len();
            let response = self.unit.execute(&command.cdb, &command.data, room);
            self.ring.complete(&command, &response)?;
            self.kick()?;
        }
        Ok(())
    }

    /// Tells the kernel that a command is done.
    fn kick(&mut self) -> Result<(), TcmuError> {
        self.node.write_all(&[0; 4]).map_err(TcmuError::Device)
    }

    /// Waits for the kernel to say that there are commands; true if it is time to end.
    fn wait(&mut self, stopped: &UnixStream) -> Result<bool, TcmuError> {
        let mut sources = [
            PollFd::new(self.node.as_fd(), PollFlags::POLLIN),
            PollFd::new(stopped.as_fd(), PollFlags::POLLIN),
        ];
        match poll(&mut sources, PollTimeout::NONE) {
            Err(Errno::EINTR) => return Ok(false),
            result => result.map_err(|error| TcmuError::Device(error.into()))?,
        };
        let [signalled, ends] = sources.map(|source| source.any().unwrap_or(true));
        if signalled {
            self.node
                .read_exact(&mut [0; 4])
                .map_err(TcmuError::Device)?;
        }
        Ok(ends)
    }
}
