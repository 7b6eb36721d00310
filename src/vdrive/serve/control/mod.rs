//! The control socket: what somebody does to a served drive who could open its file.
//!
//! A Unix socket beside the drive's file, named like it with `.control` after it. Whoever connects
//! sends one line and gets one answer:
//!
//! | request | answer |
//! |---|---|
//! | `where` | `ok` and the places where the drive is served, with tabs between them |
//! | `power-cycle` | `ok` |
//! | `hardware-reset` | `ok` |
//! | `read LBA COUNT` | `data LENGTH`, and so many bytes after the line |
//! | `media LBA COUNT` | the same, of the medium |
//!
//! or `error` and a text. Lines, data and times are bounded on both sides.

mod client;
mod guests;
mod message;
mod path;
mod service;
mod stream;

pub use client::Client;
pub use message::{ControlError, Place, Refusal};
pub(super) use message::{MAX_DATA, Reply, Request};
pub(super) use path::ControlPath;
pub(super) use service::{Handler, Service};
