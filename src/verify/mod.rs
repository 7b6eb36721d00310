//! Evidence: what a host can see of what a drive says that it did.
//!
//! A drive that reports SUCCESS to a new key, or to a revert that keeps one, is not taken at its
//! word where its blocks can be read. [`spread`] chooses blocks, a [`Snapshot`] holds what they are
//! at one moment, and a [`Comparison`] of two says what became of them.
//!
//! Nothing is read from the drive here but through a [`BlockSource`](crate::transport::BlockSource).

#![forbid(unsafe_code)]

mod comparison;
mod sample;

pub use comparison::{Comparison, Expectation, Verdict};
pub use sample::{Sampling, Snapshot, spread};
