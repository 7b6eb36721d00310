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
//!
//! ```
//! use sedkit::session::{Tper, TperOptions};
//! use sedkit::spec::column::c_pin;
//! use sedkit::spec::{Ssc, uid};
//! use sedkit::vdrive::{CreateOptions, VirtualDrive};
//!
//! let vdrive = VirtualDrive::in_memory(&CreateOptions::new(4 << 20))?;
//! let mut tper = Tper::new(Box::new(vdrive), TperOptions::default());
//! let com_id = tper.discover()?.base_com_id().ok_or("no ComID")?;
//! tper.select(com_id, Ssc::Opal2);
//!
//! let mut session = tper.start_session(uid::ADMIN_SP, None)?;
//! let row = session.get(uid::C_PIN_MSID, c_pin::PIN..=c_pin::PIN)?;
//! assert!(row.bytes(c_pin::PIN)?.is_some());
//! session.end()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#![forbid(unsafe_code)]

mod answer;
mod call;
mod capacity;
mod clock;
mod com;
mod discovery;
mod error;
mod interrupt;
mod management;
mod properties;
mod protocols;
mod row;
#[expect(
    clippy::module_inception,
    reason = "the file is named after its main type"
)]
mod session;
mod session_timeout;
mod single_user;
mod tper;
mod transaction;

pub use call::GlobalRangeKey;
pub use clock::{Clock, SystemClock};
pub use error::{Error, Excerpt, Malformed, MalformedKind};
pub use interrupt::Interrupt;
pub use properties::{Limits, Properties};
pub use row::Row;
pub use session::Session;
pub use single_user::{Policy, Selection};
pub use tper::{Tper, TperOptions};
pub use transaction::Transaction;

pub(crate) use tper::Opened;

pub(crate) use crate::transport::count::IfCounts;
pub(crate) use crate::transport::{AtaSecurity, Bus, Facts, Identity, Transport, sanitise};
pub(crate) use crate::wire::MethodCall;
pub(crate) use crate::wire::discovery::{DataRemoval, Discovery};
pub(crate) use crate::wire::security_protocol::{
    BlockSidRequest, Certificate, ComIdValidity, Compliance, SupportedProtocols,
};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
