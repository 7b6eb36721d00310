//! Virtual drives that other programs use as real ones: front ends over the network and in the
//! kernel. In reading order:
//!
//! - `shared`: one drive that many hosts and front ends use at once;
//! - `nvme`: what an NVMe controller answers, whatever carries its queues;
//! - `scsi`: what a SCSI logical unit answers, and an ATA device behind it;
//! - `tcmu`: such a unit as a disk of this machine, through the kernel's SCSI target.

pub(crate) mod nvme;
pub(crate) mod scsi;
pub(crate) mod shared;
pub(crate) mod tcmu;
#[cfg(test)]
mod testing;
