//! The front end for NVMe over TCP: one port, and a subsystem for each drive.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use super::control::Place;
use super::error::Error;
use super::export::{Exported, FrontEnd};
use super::nvme::{Port, Subsystem};
use super::tcp::{Listener, Running};

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
