//! Authentication by PIN, and the counting of wrong attempts (\[Core\] 5.3.4.1.1, 5.3.2.12).

use subtle::ConstantTimeEq;

use super::Tper;
use super::tables::{SpId, authority};
use super::view::View;
use crate::spec::{MethodStatus, Uid, column, uid};

/// How an attempt to authenticate ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The authority is who it says.
    Accepted,
    /// Wrong PIN, disabled, or blocked.
    Refused,
    /// Tries has reached TryLimit, so the PIN was not even looked at.
    LockedOut,
}

/// An attempt that a PIN decides.
struct Attempt {
    c_pin: Uid,
    is_right: bool,
    is_locked_out: bool,
    is_counted: bool,
    is_persistent: bool,
}

impl Tper {
    /// Tries to authenticate an authority. What counts is what is committed: a transaction that is
    /// open can be rolled back, and the outcome of an attempt cannot.
    ///
    /// # Errors
    /// As [`Tper::check_authority`].
    pub(super) fn authenticate(
        &mut self,
        sp: SpId,
        authority: Uid,
        proof: &[u8],
    ) -> Result<Verdict, MethodStatus> {
        self.check_authority(sp, authority)?;
        let attempt = self.attempt(self.view(sp), authority, proof);
        Ok(self.judge(authority, attempt))
    }

    /// Checks that an authority can be authenticated at all.
    ///
    /// # Errors
    /// INVALID_PARAMETER if there is no such authority in the SP, or it is a class.
    pub(super) fn check_authority(&self, sp: SpId, authority: Uid) -> Result<(), MethodStatus> {
        let view = self.view(sp);
        let exists = authority.table() == uid::AUTHORITY && view.sp().row(authority).is_some();
        if !exists || view.is_true(authority, column::authority::IS_CLASS) {
            return Err(MethodStatus::INVALID_PARAMETER);
        }
        Ok(())
    }

    /// `Err` where no PIN decides.
    fn attempt(&self, view: View<'_>, authority: Uid, proof: &[u8]) -> Result<Attempt, Verdict> {
        if authority == uid::ANYBODY {
            return Err(Verdict::Accepted);
        }
        let is_blocked = authority == uid::SID && self.power.block.sid;
        let is_enabled = view.is_true(authority, column::authority::ENABLED);
        let operation = view.uint(authority, column::authority::OPERATION);
        if is_blocked || !is_enabled || operation != authority::PASSWORD {
            return Err(Verdict::Refused);
        }
        let credential = view.cell(authority, column::authority::CREDENTIAL);
        let c_pin = credential
            .and_then(|cell| cell.as_uid())
            .unwrap_or(Uid::NULL);
        Ok(self.compare(view, c_pin, proof))
    }

    fn compare(&self, view: View<'_>, c_pin: Uid, proof: &[u8]) -> Attempt {
        let limit = view.uint(c_pin, column::c_pin::TRY_LIMIT);
        let pin = view.cell(c_pin, column::c_pin::PIN);
        let pin = pin.as_ref().and_then(|cell| cell.as_bytes());
        Attempt {
            c_pin,
            is_right: pin.is_some_and(|pin| pin.ct_eq(proof).into()),
            is_locked_out: limit != 0 && self.tries(c_pin) >= limit,
            is_counted: limit != 0,
            is_persistent: view.is_true(c_pin, column::c_pin::PERSISTENCE),
        }
    }

    /// Counts the attempt and says how it ended.
    fn judge(&mut self, authority: Uid, attempt: Result<Attempt, Verdict>) -> Verdict {
        let attempt = match attempt {
            Ok(attempt) => attempt,
            Err(verdict) => return verdict,
        };
        if attempt.is_locked_out {
            return Verdict::LockedOut;
        }
        if !attempt.is_right {
            if attempt.is_counted {
                self.count_failure(&attempt);
            }
            return Verdict::Refused;
        }
        self.forget_tries(attempt.c_pin);
        if authority == uid::SID && !self.state.sid_authenticated {
            self.edit().sid_authenticated = true;
        }
        Verdict::Accepted
    }

    fn count_failure(&mut self, attempt: &Attempt) {
        let tries = if attempt.is_persistent {
            &mut self.edit().tries
        } else {
            &mut self.power.tries
        };
        let count = tries.entry(attempt.c_pin.0).or_default();
        *count = count.saturating_add(1);
    }

    /// `Tries` of a C_PIN.
    pub(super) fn tries(&self, c_pin: Uid) -> u64 {
        let persistent = self.state.tries.get(&c_pin.0);
        let count = persistent.or_else(|| self.power.tries.get(&c_pin.0));
        count.copied().unwrap_or(0)
    }

    /// Sets `Tries` of a C_PIN to 0: after success, and after its PIN was changed.
    pub(super) fn forget_tries(&mut self, c_pin: Uid) {
        self.power.tries.remove(&c_pin.0);
        if self.state.tries.contains_key(&c_pin.0) {
            self.edit().tries.remove(&c_pin.0);
        }
    }
}
