//! Drives that are served over NVMe/TCP, used by a host that shares no code with them.

mod attached;
mod host;
mod hostile;
mod hosts;
mod killed;
mod queues;

use std::net::SocketAddr;

use sedkit::vdrive::VirtualDrive;
use sedkit::vdrive::serve::{Export, Server, ServerOptions};

use attached::{Attached, Identity};
use host::Terms;

/// A server of drives of 64 MiB.
struct Served {
    server: Server,
    address: SocketAddr,
    subsystems: Vec<String>,
}

impl Served {
    /// Serves so many drives.
    fn new(drives: usize) -> Self {
        let mut options = ServerOptions::new().nvme_tcp("127.0.0.1:0".parse().unwrap());
        let mut subsystems = Vec::new();
        for number in 0..drives {
            let mut label = crate::support::options();
            label.serial = Some(format!("VD{number:010}"));
            let export = Export::new(VirtualDrive::in_memory(&label).unwrap());
            subsystems.push(export.nqn().to_string());
            options = options.export(export);
        }
        let server = Server::start(options).unwrap();
        Self {
            address: server.local_addr().unwrap(),
            server,
            subsystems,
        }
    }

    /// A host of the first drive.
    fn identity(&self) -> Identity {
        Identity::new(&self.subsystems[0], 1)
    }

    /// A host that has attached the first drive.
    fn attach(&self, terms: Terms) -> Attached {
        Attached::new(self.address, &self.identity(), terms)
    }
}

/// Bytes that are nowhere the same.
fn pattern(seed: u8, length: usize) -> Vec<u8> {
    let byte = |index: usize| (index % 251 + index / 512) % 256;
    let bytes = (0..length).map(byte);
    let bytes = bytes.map(|byte| u8::try_from(byte).unwrap().wrapping_add(seed));
    bytes.collect()
}
