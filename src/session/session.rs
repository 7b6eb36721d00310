//! A session with an SP (\[Core\] 3.3.7). It ends on every path: by [`Session::end`], or when it is
//! dropped.

use super::answer::{Numbers, is_end_of_session};
use super::clock::Patience;
use super::tper::Tper;
use super::{Error, Limits, Malformed, MalformedKind};
use crate::wire::token::byte;
use crate::wire::{MethodCall, MethodResponse, Value};

/// An open read-write session.
///
/// Dropping it ends it as well as possible; [`Session::end`] also tells whether that worked.
#[must_use = "a session that is dropped is ended"]
pub struct Session<'t> {
    tper: &'t mut Tper,
    numbers: Numbers,
    is_open: bool,
}

impl<'t> Session<'t> {
    pub(super) const fn new(tper: &'t mut Tper, numbers: Numbers) -> Self {
        Self {
            tper,
            numbers,
            is_open: true,
        }
    }

    /// Level 0 Discovery while the session is open: it needs none and disturbs none.
    ///
    /// # Errors
    /// As [`Tper::discover`].
    pub fn discover(&mut self) -> Result<super::Discovery, Error> {
        self.tper.discover()
    }

    /// What may be sent in this session.
    #[must_use]
    pub const fn limits(&self) -> Limits {
        self.tper.limits()
    }

    /// As [`Tper::set_timeout`].
    pub const fn set_timeout(&mut self, timeout: std::time::Duration) {
        self.tper.set_timeout(timeout);
    }

    /// As [`Tper::take_recovered`].
    pub const fn take_recovered(&mut self) -> bool {
        self.tper.take_recovered()
    }

    /// Calls a method and returns its results.
    ///
    /// # Errors
    /// [`Error::Status`] if the TPer refuses the method; [`Error::Closed`] if it has closed the
    /// session; otherwise any [`Error`].
    pub fn call(&mut self, call: &MethodCall) -> Result<Vec<Value>, Error> {
        let answer = self.tper.exchange(self.numbers, call);
        self.is_open &= !matches!(answer, Err(Error::Closed));
        let tokens = answer?;
        if is_end_of_session(&tokens) {
            self.is_open = false;
            return Err(Error::Closed);
        }
        let response = MethodResponse::decode(&tokens);
        let response = response.map_err(|error| Malformed::decode(error, &tokens))?;
        if response.status.is_success() {
            Ok(response.results)
        } else {
            Err(Error::Status(response.status))
        }
    }

    /// Sends a transaction token with a status, and expects the same token with status 0.
    pub(super) fn transact(
        &mut self,
        token: u8,
        status: u8,
        patience: Patience,
    ) -> Result<(), Error> {
        let answer = self
            .tper
            .com
            .exchange(self.numbers, &[token, status], patience);
        self.is_open &= !matches!(answer, Err(Error::Closed));
        let tokens = answer?;
        match tokens.as_slice() {
            [found, 0, rest @ ..]
                if *found == token && rest.iter().all(|&byte| byte == byte::EMPTY) =>
            {
                Ok(())
            }
            [found, refused, ..] if *found == token => {
                Err(Error::Status(crate::spec::MethodStatus(*refused)))
            }
            _ => Err(Malformed::new(MalformedKind::Result("transaction token"), &tokens).into()),
        }
    }

    pub(super) const fn method_patience(&self) -> Patience {
        self.tper.patience()
    }

    /// Ends the session. An interrupt does not stop this.
    ///
    /// # Errors
    /// Any [`Error`]; the session may be left open then.
    pub fn end(mut self) -> Result<(), Error> {
        if !self.is_open {
            return Ok(());
        }
        self.is_open = false;
        let patience = Patience {
            heeds_interrupt: false,
            ..self.tper.patience()
        };
        self.tper.end(self.numbers, patience)
    }

    /// Says that the TPer has ended the session itself, as it does after a revert.
    pub fn forget(mut self) {
        self.is_open = false;
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        if !self.is_open {
            return;
        }
        // Nothing can be done if this fails; the TPer ends the session by its own time limit.
        let ended = self.tper.settle();
        if ended.is_ok_and(|ended| !ended.contains(&self.numbers)) {
            let _ = self.tper.end(self.numbers, Patience::CLEANUP);
        }
    }
}
