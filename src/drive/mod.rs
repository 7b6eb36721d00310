//! Drives: what a person means by set up, unlock, lock, change a PIN, revert.
//!
//! A [`Drive`] is opened with one IF-RECV and knows the state of the drive from then on. Every
//! operation ends its sessions on every path, reads back what it set, and can be run again after
//! it was interrupted anywhere.

#![forbid(unsafe_code)]

use std::time::Duration;

use crate::secret::Secret;
use crate::session::{Discovery, Identity, IfCounts, Interrupt, Transport};
use crate::spec::Ssc;

mod authority;
mod consent;
mod error;
mod finding;
mod geometry;
mod mismatch;
mod passwd;
mod plan;
mod range;
mod revert;
mod setup;
mod state;
mod step;
mod unlock;

pub use authority::{Authority, Credential, ParseAuthorityError};
pub use consent::{ConsentError, EraseConsent};
pub use error::{Cause, Error, ErrorCode};
pub use finding::Finding;
pub use geometry::{RangeError, RangeSpec};
pub use mismatch::Mismatch;
pub use passwd::{PasswdReport, Proof, Tries};
pub use plan::PlannedCall;
pub use range::LockingRange;
pub use revert::RevertReport;
pub use setup::{LockOnReset, SetupPlan, SetupReport};
pub use state::{DriveState, LockingState, MbrState};
pub use step::Step;
pub use unlock::{LockReport, LockRequest, MbrOutcome, RangeOutcome, UnlockReport, UnlockRequest};

/// How a drive is talked to.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DriveOptions {
    /// Limit for one method, and for waiting while another session keeps the drive busy.
    pub timeout: Duration,
    /// Asks to stop.
    pub interrupt: Interrupt,
    /// Refused PINs per authority after which no further attempt is made.
    pub tries: u32,
}

impl Default for DriveOptions {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            interrupt: Interrupt::new(),
            tries: 1,
        }
    }
}

/// Communication properties of the TPer, and what was agreed on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Properties {
    /// The TPer's properties in its own order; names are sanitised.
    pub tper: Vec<(String, u64)>,
    /// The host's properties as the TPer understood them; empty if it does not tell.
    pub host: Vec<(String, u64)>,
    /// Largest ComPacket that will be sent, in bytes.
    pub send_limit: usize,
    /// Largest ComPacket that can be received, in bytes.
    pub receive_limit: usize,
}

/// A drive that is being talked to.
pub struct Drive {
    transport: Box<dyn Transport>,
    discovery: Discovery,
}

impl Drive {
    /// Opens a drive: exactly one IF-RECV, Level 0 Discovery.
    ///
    /// # Errors
    /// [`ErrorCode::NotSupported`] if it is no self-encrypting drive; otherwise any [`Error`].
    pub fn open(transport: Box<dyn Transport>, options: DriveOptions) -> Result<Self, Error> {
        let _ = (transport, options);
        Err(Self::provisional())
    }

    fn provisional() -> Error {
        Error::refused(Cause::NoSsc)
    }

    /// Who the drive says it is.
    #[must_use]
    pub fn identity(&self) -> &Identity {
        self.transport.identity()
    }

    /// What Level 0 Discovery told last.
    #[must_use]
    pub const fn discovery(&self) -> &Discovery {
        &self.discovery
    }

    /// The SSC by which the drive is talked to.
    #[must_use]
    pub const fn ssc(&self) -> Ssc {
        Ssc::Opal2
    }

    /// The state, by Level 0 Discovery.
    #[must_use]
    pub fn state(&self) -> DriveState {
        DriveState {
            locking: LockingState::NotSupported,
            owned: None,
            sid_blocked: None,
            frozen: false,
            mbr: MbrState::NotSupported,
        }
    }

    /// Asks Level 0 Discovery again: one IF-RECV.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::Discover`].
    pub fn rediscover(&mut self) -> Result<&Discovery, Error> {
        Err(Self::provisional())
    }

    /// How many interface commands were sent to the drive since it was opened, that one included.
    #[must_use]
    pub fn if_counts(&self) -> IfCounts {
        IfCounts::default()
    }

    /// Exchanges communication properties.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::ExchangeProperties`].
    pub fn properties(&mut self) -> Result<Properties, Error> {
        Err(Self::provisional())
    }

    /// The default PIN that the drive shows to anybody.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn msid(&mut self) -> Result<Secret, Error> {
        Err(Self::provisional())
    }

    /// Resets the protocol stack of the ComID: ends every session, also those of other programs.
    ///
    /// # Errors
    /// [`Error`] at step [`Step::StackReset`].
    pub fn stack_reset(&mut self) -> Result<(), Error> {
        Err(Self::provisional())
    }

    /// What would be refused now, and why.
    #[must_use]
    pub fn diagnose(&self) -> Vec<Finding> {
        Vec::new()
    }
}
