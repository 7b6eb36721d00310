//! The virtual drive: a self-encrypting drive in software.
//!
//! Its TPer shares only `spec` and `wire` with the host side, so that each checks the other. In
//! reading order:
//!
//! - [`xts`]: how a logical block is encrypted;
//! - `store`: the one file that a drive lives in, safe against a crash at any write;
//! - `media`: what a host's READ and WRITE get, by the state of the locking ranges.
#![forbid(unsafe_code)]

#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the TPer, its only user, is not there yet")
)]
mod media;
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the TPer, its only user, is not there yet")
)]
mod store;
pub mod xts;

pub use media::MediaError;
pub use store::StoreError;
