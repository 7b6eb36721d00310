//! Host side of the Core protocol.

#![forbid(unsafe_code)]

mod interrupt;

pub use interrupt::Interrupt;

mod error;

pub use error::{Error, Excerpt, Malformed, MalformedKind};

pub(crate) use crate::transport::{Identity, Transport, sanitise};
