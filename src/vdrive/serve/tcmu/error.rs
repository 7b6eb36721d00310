//! What can go wrong between the virtual drive and the kernel's SCSI target.

use std::io;
use std::path::PathBuf;

/// Why the kernel cannot be given a SCSI disk.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TcmuError {
    /// Only root may set up the kernel's SCSI target.
    #[error("only root may set up the kernel's SCSI target")]
    NotRoot,
    /// configfs does not show the kernel's SCSI target.
    #[error("{} does not exist: mount configfs and load target_core_user and tcm_loop", path.display())]
    NoTarget {
        /// Where it would be.
        path: PathBuf,
    },
    /// The name cannot be that of a device.
    #[error("the name must be 1 to 32 letters, digits, '-' or '_'")]
    Name,
    /// The kernel refused a step of the set-up.
    #[error("{} could not be set up", path.display())]
    SetUp {
        /// What was to be made, written or opened.
        path: PathBuf,
        /// The kernel's error.
        #[source]
        source: io::Error,
    },
    /// The kernel made no UIO device for the disk.
    #[error("no UIO device called {name} appeared")]
    NoDevice {
        /// The name by which it would be known.
        name: String,
    },
    /// The memory that is shared with the kernel could not be mapped.
    #[error("the command ring could not be mapped")]
    Map(#[source] io::Error),
    /// The command ring is not one.
    #[error("the command ring is malformed")]
    Ring(#[from] RingError),
    /// The kernel's signals could not be waited for, or sent.
    #[error("the UIO device failed")]
    Device(#[source] io::Error),
    /// The thread that serves the ring could not be made, or panicked.
    #[error("the server's thread failed")]
    Thread,
}

/// What is wrong with a command ring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RingError {
    /// The mailbox has another version.
    #[error("the mailbox has version {0}, not 2")]
    Version(u16),
    /// The ring does not lie in the mapping, or is no ring.
    #[error("the ring of {size} bytes at {offset} does not fit the mapping")]
    Ring {
        /// `cmdr_off`.
        offset: u32,
        /// `cmdr_size`.
        size: u32,
    },
    /// The kernel's index does not lie in the ring.
    #[error("index {0} does not lie in the ring")]
    Index(u32),
    /// An entry is shorter than what it must hold, or goes beyond the ring.
    #[error("an entry of {length} bytes at {at} does not fit")]
    Entry {
        /// Where it begins, in the ring.
        at: u32,
        /// Its length.
        length: u32,
    },
    /// An entry names bytes outside of the mapping, or more of them than the mapping has.
    #[error("an entry names memory outside of the mapping")]
    Outside,
}
