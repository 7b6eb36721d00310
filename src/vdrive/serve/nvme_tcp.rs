//! The front end for NVMe over TCP: one port, and a subsystem for each drive.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Instant;

use super::control::Place;
use super::error::Error;
use super::export::{Exported, FrontEnd};
use super::nvme::{Command, Completion, Events, Outcome, Port, QueuePair, Subsystem, Transfer};
use super::tcp::{Listener, Queue, Running, Target};

/// Drives that are served over NVMe/TCP. Connections end with the value.
pub(super) struct NvmeTcp {
    running: Running,
}

impl NvmeTcp {
    /// Listens at an address for the hosts of some drives.
    pub(super) fn start(address: SocketAddr, drives: &mut [Exported]) -> Result<Self, Error> {
        let failed = |source| Error::Listen { address, source };
        let listener = TcpListener::bind(address).map_err(failed)?;
        let bound = listener.local_addr().map_err(failed)?;
        let port = Arc::new(Port::new(drives.iter().map(subsystem).collect()));
        for (index, drive) in drives.iter_mut().enumerate() {
            drive.add(front_end(bound, index, &port, drive));
        }
        Ok(Self {
            running: Listener::start(listener, port).map_err(failed)?,
        })
    }

    /// Where it listens.
    pub(super) fn address(&self) -> Option<SocketAddr> {
        self.running.address().ok()
    }

    /// Ends all connections.
    pub(super) fn stop(self) {
        self.running.stop();
    }
}

fn subsystem(drive: &Exported) -> Subsystem {
    Subsystem::new(drive.nqn().to_string(), drive.drive())
}

fn front_end(address: SocketAddr, index: usize, port: &Arc<Port>, drive: &Exported) -> FrontEnd {
    let port = Arc::clone(port);
    let nqn = drive.nqn().to_string();
    FrontEnd {
        place: Place::NvmeTcp { address, nqn },
        disconnect: Box::new(move || port.lose_power(index)),
    }
}

impl Target for Port {
    type Queue = Connected;

    fn open(self: &Arc<Self>, events: Events) -> Connected {
        Connected {
            queue: QueuePair::new(Arc::clone(self), events),
            sq_head: 0,
        }
    }

    fn tick(&self) {
        Self::tick(self, Instant::now());
    }
}

/// The queue of one connection.
pub(crate) struct Connected {
    queue: QueuePair,
    sq_head: u16,
}

impl Queue for Connected {
    /// A command comes here once, whatever becomes of it: it has left the submission queue.
    fn transfer(&mut self, command: &Command) -> Result<Transfer, Completion> {
        self.sq_head = self.queue.next_head();
        self.queue.transfer(command)
    }

    fn execute(&mut self, command: &Command, data: &[u8]) -> Outcome {
        self.queue.execute(command, data)
    }

    fn is_connected(&self) -> bool {
        self.queue.is_connected()
    }

    fn sq_head(&self) -> u16 {
        self.sq_head
    }
}
