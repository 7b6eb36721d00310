//! Host side of the Core protocol: from IF commands to methods.
//!
//! In reading order:
//! - `com`: one exchange with a ComID, IF-SEND and the polls for its answer;
//! - [`Tper`]: Level 0 Discovery and the session manager;
//! - [`Session`] and [`Transaction`]: methods, typed; sessions end on every path;
//! - [`Limits`] and [`Properties`]: how much may be sent;
//! - [`Clock`] and [`Interrupt`]: time and the wish to stop, passed in.
//!
//! Nothing is retried but what the standard tells a host to poll for: answers that are not ready,
//! sessions that are busy, and answers that a killed process has left. All of it ends by a
//! deadline.

#![forbid(unsafe_code)]

mod answer;
mod call;
mod clock;
mod com;
mod error;
mod interrupt;
mod management;
mod properties;
mod row;
#[allow(
    clippy::module_inception,
    reason = "the file is named after its main type"
)]
mod session;
mod tper;
mod transaction;

pub use call::GlobalRangeKey;
pub use clock::{Clock, SystemClock};
pub use com::IfCounts;
pub use error::{Error, Excerpt, Malformed, MalformedKind};
pub use interrupt::Interrupt;
pub use properties::{Limits, Properties};
pub use row::Row;
pub use session::Session;
pub use tper::{Tper, TperOptions};
pub use transaction::Transaction;

pub(crate) use tper::Opened;

pub(crate) use crate::transport::{Identity, Transport, sanitise};
pub(crate) use crate::wire::discovery::Discovery;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
