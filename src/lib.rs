//! sedkit manages self-encrypting drives that speak TCG Storage.

pub mod secret;
pub mod spec;
pub mod sys;
pub mod transport;
pub mod wire;
