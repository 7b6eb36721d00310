//! Why drives are not served.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

use super::nqn::Nqn;
use super::tcmu::TcmuError;
use crate::vdrive;

/// Why drives are not served, or not any longer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to serve, or no place to serve it at.
    #[error("no drive or no address to serve it at")]
    Nothing,
    /// There is no such drive.
    #[error("no drive number {index}")]
    NoDrive {
        /// The drive that was asked for.
        index: usize,
    },
    /// Two drives would have one name.
    #[error("two drives have the name {nqn}")]
    SameName {
        /// The name.
        nqn: Nqn,
    },
    /// NVMe tells hosts the block size as a power of two (\[NVM\] Identify Namespace, LBADS).
    #[error("NVMe has no blocks of {block_size} bytes, as {nqn} has")]
    BlockSize {
        /// The drive.
        nqn: Nqn,
        /// Bytes of its blocks.
        block_size: u32,
    },
    /// The address cannot be listened at.
    #[error("cannot listen at {address}")]
    Listen {
        /// Where the server was to listen.
        address: SocketAddr,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The control socket has no place.
    #[error("cannot make the control socket of {}", path.display())]
    Control {
        /// The drive's file, beside which it was to be.
        path: PathBuf,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The kernel cannot be given a disk, or not be rid of it.
    #[error("cannot serve the SCSI disk {name}")]
    Disk {
        /// The disk's name.
        name: String,
        /// What went wrong.
        #[source]
        source: TcmuError,
    },
    /// A drive failed.
    #[error(transparent)]
    Drive(#[from] vdrive::Error),
}
