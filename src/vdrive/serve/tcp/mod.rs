//! NVMe over TCP, the controller's side (\[NVMe/TCP\] Transport Specification). From the bottom:
//!
//! - `digest`, `fatal`: what guards a connection, and what ends it;
//! - `pdu`, `answer`: the PDUs of a host, read, and those of a controller, written;
//! - `assembler`: whole PDUs out of a stream;
//! - `transfers`: commands that wait for data;
//! - `connection`: one connection as a machine that is fed bytes;
//! - `socket`: the thread around it;
//! - `listener`: all connections of a port.

#![deny(clippy::indexing_slicing)]

mod answer;
mod assembler;
mod connection;
mod digest;
mod fatal;
mod listener;
mod pdu;
mod socket;
#[cfg(test)]
mod tests;
mod transfers;

pub(crate) use listener::{Listener, Running};
