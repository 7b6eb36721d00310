//! Changing PINs.

use super::{Authority, Credential, Drive, Error, PlannedCall};
use crate::secret::Secret;

/// What changing a PIN found and did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PasswdReport {
    /// Whose PIN.
    pub authority: Authority,
    /// False if an earlier run had changed it already: the old PIN was refused, the new one taken.
    pub changed: bool,
    /// How the new PIN was proven.
    pub proof: Proof,
}

/// How a new PIN was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Proof {
    /// The authority was authenticated with it.
    Authenticated,
    /// Not at all: the authority is disabled, and no PIN opens it.
    AuthorityDisabled,
}

/// Tries of a PIN, as far as the authority may see them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tries {
    /// Wrong attempts since the last right one.
    pub tries: Option<u64>,
    /// Wrong attempts by which the authority is locked out; 0 for never.
    pub try_limit: Option<u64>,
    /// Whether the count survives a power cycle.
    pub persistence: Option<bool>,
}

impl Drive {
    /// Changes one PIN, and proves the new one by authenticating with it.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn change_pin(
        &mut self,
        authority: Authority,
        credential: &Credential,
        new_pin: &Secret,
    ) -> Result<PasswdReport, Error> {
        let _ = (authority, credential, new_pin);
        Err(Self::provisional())
    }

    /// What [`Drive::change_pin`] would send. Nothing is sent.
    #[must_use]
    pub fn plan_change_pin(&self, authority: Authority, acting: Authority) -> Vec<PlannedCall> {
        let _ = (authority, acting);
        Vec::new()
    }

    /// The tries of the credential's own PIN, as far as it may see them.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn tries(&mut self, credential: &Credential) -> Result<Tries, Error> {
        let _ = credential;
        Err(Self::provisional())
    }
}
