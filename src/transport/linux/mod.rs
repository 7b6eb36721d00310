//! Drives of this machine: which there are, how each is talked to, and what uses them.
//!
//! [`scan`] lists the drives and [`open`] makes one a [`Transport`](super::Transport): NVMe drives
//! through libnvme, all others through SG_IO.
//! Everything that is read from `/dev`, `/proc`, `/run` and `/sys` is looked up under a
//! [`SystemRoot`], so that tests bring their own.

mod bitlocker;
mod blocks;
mod bounce;
mod bridge;
mod device;
mod host;
mod luks;
mod node;
mod nvme_link;
mod opener;
mod rescan;
mod resume;
mod root;
mod scsi_link;
mod scsi_probe;
mod topology;
mod usage;

pub use bitlocker::bitlocker;
pub use blocks::{BlockNodes, open_blocks};
pub use bridge::{BridgeKind, Passes, UsbBridge, usb_bridge};
pub use device::{Device, Namespace, open};
pub use host::{Geometry, allow_tpm, geometry, raid_driver};
pub use luks::{LuksSurvey, LuksVolume, luks};
pub use node::{Node, NodeKind, resolve};
pub use opener::{Opener, openers};
pub use rescan::{reread_partition_table, send_add_events};
pub use resume::save_for_resume;
pub use root::SystemRoot;
pub use topology::{DriveNodes, nodes_of, scan, scan_nodes};
pub use usage::{Use, User, uses, uses_within};

pub use crate::sys::ioctl::OpalSave;
