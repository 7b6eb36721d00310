//! The virtual drive: a self-encrypting drive in software.
#![forbid(unsafe_code)]

pub mod xts;
