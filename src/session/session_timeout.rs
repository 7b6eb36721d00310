//! Whether StartSession needs its parameter SessionTimeout (\[Core\] 5.2.3.1).
//!
//! Many drives refuse it with INVALID_PARAMETER, so it is not sent. A few refuse its absence, with the
//! same status, which has many other reasons. Which one it is can be told without a PIN: anybody
//! may open a session to the Admin SP. So no PIN is ever sent twice for it, but to a drive that was
//! seen to refuse the first StartSession before it looked at the PIN.

use super::clock::Patience;
use super::{Error, Tper};
use crate::spec::{MethodStatus, uid};

/// What is asked for where something must be: a minute, which every drive that needs it takes.
pub(super) const SESSION_TIMEOUT: u64 = 60_000;

/// Whether the TPer needs SessionTimeout.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SessionTimeout {
    /// Nothing speaks for it.
    #[default]
    Unknown,
    /// It was tried: INVALID_PARAMETER has another reason.
    NotTheReason,
    /// It does.
    Required,
}

impl Tper {
    /// After INVALID_PARAMETER: finds out, once, whether SessionTimeout is what is missing. True if
    /// it is, and if the refused StartSession is worth repeating.
    ///
    /// # Errors
    /// Whatever keeps a session of anybody from being opened and ended, but for refusals.
    pub(super) fn learn_session_timeout(&mut self) -> Result<bool, Error> {
        if self.session_timeout != SessionTimeout::Unknown {
            return Ok(false);
        }
        let without = self.admits_anybody()?;
        self.session_timeout = SessionTimeout::Required;
        if without || !self.admits_anybody()? {
            self.session_timeout = SessionTimeout::NotTheReason;
        }
        Ok(self.session_timeout == SessionTimeout::Required)
    }

    /// Whether anybody may open a session to the Admin SP, as StartSession is now. Any refusal but
    /// INVALID_PARAMETER says that the parameters were good.
    fn admits_anybody(&mut self) -> Result<bool, Error> {
        match self.try_start(uid::ADMIN_SP, None) {
            Ok(numbers) => self.end(numbers, Patience::CLEANUP).map(|()| true),
            Err(Error::Status(status)) => Ok(status != MethodStatus::INVALID_PARAMETER),
            Err(error) => Err(error),
        }
    }
}
