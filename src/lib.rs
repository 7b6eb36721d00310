//! sedkit manages self-encrypting drives that speak TCG Storage.

pub mod cli;
pub mod drive;
pub mod fleet;
pub mod secret;
pub mod session;
pub mod spec;
pub mod sys;
pub mod transport;
pub mod vdrive;
pub mod wire;
