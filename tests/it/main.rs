//! Integration tests: the crate as its users see it.

#![allow(
    clippy::field_reassign_with_default,
    reason = "requests are non-exhaustive, so they cannot be written as literals here"
)]
#![allow(
    clippy::unwrap_used,
    reason = "a test that can't go on should say where"
)]

mod boot_image;
mod cli;
mod counts;
mod cut;
mod demands;
mod discovery;
mod faults;
mod frames;
mod gpt;
mod host;
mod man;
mod model;
mod nvme_tcp;
mod peers;
mod pretty;
mod profiles;
mod support;
mod tper;
mod vectors;
