//! Integration tests: the crate as its users see it.

#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod discovery;
mod frames;
mod host;
mod model;
mod pretty;
mod support;
mod tper;
mod vectors;
