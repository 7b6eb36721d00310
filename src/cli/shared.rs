//! A virtual drive in this process, by both of its ways: its TPer, and its blocks.

use std::fmt;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::spec::{ComId, SecurityProtocol};
use crate::transport::linux::Geometry;
use crate::transport::{self, BlockSource, Identity, Transport};
use crate::vdrive::VirtualDrive;

/// A virtual drive that is talked to while its blocks are read. Clones are the same drive.
#[derive(Clone)]
pub(crate) struct SharedDrive {
    drive: Arc<Mutex<VirtualDrive>>,
    identity: Identity,
    geometry: Geometry,
    max_transfer: usize,
    namespaces: usize,
}

impl SharedDrive {
    pub(crate) fn new(drive: VirtualDrive) -> Self {
        let info = drive.info();
        Self {
            identity: drive.identity().clone(),
            geometry: Geometry {
                blocks: info.blocks,
                block_size: info.block_size,
            },
            max_transfer: drive.max_transfer(),
            namespaces: usize::try_from(drive.namespaces()).unwrap_or(usize::MAX),
            drive: Arc::new(Mutex::new(drive)),
        }
    }

    /// NVMe namespaces that a host would see.
    pub(crate) const fn namespaces(&self) -> usize {
        self.namespaces
    }

    /// A thread that panicked has left the drive between two commands.
    fn drive(&self) -> MutexGuard<'_, VirtualDrive> {
        self.drive.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SharedDrive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedDrive")
            .field("geometry", &self.geometry)
            .finish_non_exhaustive()
    }
}

impl Transport for SharedDrive {
    fn if_send(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        data: &[u8],
    ) -> Result<(), transport::Error> {
        self.drive().if_send(protocol, com_id, data)
    }

    fn if_recv(
        &mut self,
        protocol: SecurityProtocol,
        com_id: ComId,
        buffer: &mut [u8],
    ) -> Result<usize, transport::Error> {
        self.drive().if_recv(protocol, com_id, buffer)
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn max_transfer(&self) -> usize {
        self.max_transfer
    }
}

impl BlockSource for SharedDrive {
    fn geometry(&self) -> Geometry {
        self.geometry
    }

    fn read_block(&mut self, lba: u64) -> io::Result<Vec<u8>> {
        self.drive().read(lba, 1).map_err(io::Error::other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vdrive::CreateOptions;

    #[test]
    fn blocks_are_read_while_the_tper_is_talked_to() {
        let mut drive = VirtualDrive::in_memory(&CreateOptions::new(1 << 20)).unwrap();
        drive.write(7, &[0x5a; 512]).unwrap();
        let shared = SharedDrive::new(drive);
        let mut blocks: Box<dyn BlockSource> = Box::new(shared.clone());
        assert_eq!(blocks.geometry().blocks, 2048);
        assert_eq!(blocks.read_block(7).unwrap(), [0x5a; 512]);
        assert!(blocks.read_block(2048).is_err());
        let mut transport = shared;
        let mut buffer = [0; 512];
        let (protocol, com_id) = (SecurityProtocol::TCG, ComId::LEVEL_0_DISCOVERY);
        assert!(transport.if_recv(protocol, com_id, &mut buffer).unwrap() > 48);
    }
}
