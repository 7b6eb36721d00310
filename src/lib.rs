//! sedkit manages self-encrypting drives that speak TCG Storage.

pub mod secret;
pub mod spec;
pub mod transport;
pub mod vdrive;
pub mod wire;
