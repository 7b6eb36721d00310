//! Virtual drives that other programs use as real ones: front ends over the network and in the
//! kernel. In reading order:
//!
//! - `shared`: one drive that many hosts and front ends use at once;
//! - `nvme`: what an NVMe controller answers, whatever carries its queues;
//! - `tcp`: NVMe over TCP.

pub(crate) mod nvme;
pub(crate) mod shared;
pub(crate) mod tcp;
