//! Transactions: several methods that take effect together or not at all (\[Core\] 3.2.2.3.7).

use std::ops::{Deref, DerefMut};

use super::clock::Patience;
use super::{Error, Session};
use crate::wire::token::byte;

/// Status after End Transaction: everything takes effect.
const COMMIT: u8 = 0;
/// Status after End Transaction: nothing takes effect.
const ABORT: u8 = 1;

/// An open transaction. Dropping it takes everything back that was done in it.
#[must_use = "a transaction that is dropped is aborted"]
pub struct Transaction<'s, 't> {
    session: &'s mut Session<'t>,
    is_open: bool,
}

impl<'t> Session<'t> {
    /// Starts a transaction.
    ///
    /// # Errors
    /// [`Error::Status`] if the TPer refuses it; otherwise any [`Error`].
    pub fn transaction(&mut self) -> Result<Transaction<'_, 't>, Error> {
        let patience = self.method_patience();
        self.transact(byte::START_TRANSACTION, 0, patience)?;
        Ok(Transaction {
            session: self,
            is_open: true,
        })
    }
}

impl Transaction<'_, '_> {
    /// Makes everything take effect.
    ///
    /// # Errors
    /// [`Error::Status`] if the TPer refuses it: nothing has taken effect then.
    pub fn commit(mut self) -> Result<(), Error> {
        self.is_open = false;
        let patience = self.session.method_patience();
        self.session
            .transact(byte::END_TRANSACTION, COMMIT, patience)
    }
}

impl Drop for Transaction<'_, '_> {
    fn drop(&mut self) {
        if self.is_open {
            // Ending the session would take everything back, too.
            let _ = self
                .session
                .transact(byte::END_TRANSACTION, ABORT, Patience::CLEANUP);
        }
    }
}

impl<'t> Deref for Transaction<'_, 't> {
    type Target = Session<'t>;

    fn deref(&self) -> &Self::Target {
        self.session
    }
}

impl DerefMut for Transaction<'_, '_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        self.session
    }
}
