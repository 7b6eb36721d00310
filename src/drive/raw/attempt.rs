//! Attempts that a call of Authenticate makes: they count as those of a log-in.

use super::RawCall;
use crate::drive::Authority;
use crate::drive::tally::TallyFile;
use crate::drive::user::authority_of;
use crate::session;
use crate::spec::{MethodStatus, method};
use crate::wire::Value;

impl RawCall {
    /// Whose PIN the call tries.
    pub(super) fn authenticated(&self) -> Option<Authority> {
        let authority = self.arguments.first().and_then(Value::as_uid)?;
        let known = [Authority::Sid, Authority::Psid].into_iter();
        let mut known = known.chain(authority_of(authority));
        let is_attempt = self.method == method::AUTHENTICATE;
        known.find(|known| is_attempt && known.uid() == authority)
    }
}

/// Counts an attempt that Authenticate has made: later runs must know of it.
pub(super) fn count(tally: &TallyFile, called: &Result<Vec<Value>, session::Error>) {
    let is_taken = match called {
        Ok(results) => results.first().and_then(Value::as_bool) == Some(true),
        Err(_) => false,
    };
    let is_locked_out = matches!(
        called,
        Err(session::Error::Status(MethodStatus::AUTHORITY_LOCKED_OUT))
    );
    match is_taken {
        true => tally.clear(),
        false => tally.count(is_locked_out),
    }
}
