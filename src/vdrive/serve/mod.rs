//! Virtual drives that other programs use as real ones: front ends over the network and in the
//! kernel. In reading order:
//!
//! - `server`: what is served where, from start to end ([`Server`], [`ServerOptions`]);
//! - `export`: a drive that is served, whatever leads to it;
//! - `shared`: one drive that many hosts and front ends use at once;
//! - `nvme`: what an NVMe controller answers, whatever carries its queues;
//! - `tcp`, `nvme_tcp`: what carries them over TCP;
//! - `scsi`: what a SCSI logical unit answers, and an ATA device behind it;
//! - `tcmu`, `disk`: such a unit as a disk of this machine, through the kernel's SCSI target;
//! - `control`: the socket beside a drive's file ([`Client`] finds it);
//! - `trace`: every interface command as text.
//!
//! Only this module and `fleet` make threads: here one for each connection and each disk.

mod control;
mod disk;
mod error;
mod export;
mod nqn;
pub(crate) mod nvme;
mod nvme_tcp;
pub(crate) mod scsi;
mod server;
pub(crate) mod shared;
mod tcmu;
mod tcp;
mod trace;

pub use control::{Client, ControlError, Place, Refusal};
pub use error::Error;
pub use export::{Export, Exported};
pub use nqn::{Nqn, NqnError};
pub use scsi::Face;
pub use server::{Server, ServerOptions};
pub use tcmu::{RingError, TcmuError};
