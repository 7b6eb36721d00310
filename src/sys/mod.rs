//! The operating system's part that needs `unsafe`: libnvme, ioctls, and memory for secrets.
//!
//! What leaves this module is safe: descriptors are borrowed, buffers are slices, strings are copies.
//! It knows no protocol: what a command means, and what its status says, is `transport`'s business.
pub mod ioctl;
pub mod memory;
pub mod nvme;
