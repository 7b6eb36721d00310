//! sedkit manages self-encrypting drives that speak TCG Storage.

pub mod cli;
pub mod fleet;
pub mod spec;
pub mod transport;
pub mod wire;
