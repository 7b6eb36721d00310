//! Logging in: sessions as somebody, and the budget of wrong PINs.
//!
//! A TPer counts wrong PINs and may lock an authority out, so each authority has a budget of
//! refused attempts per drive and run. There is one exception to it, and it is always the same:
//! where the journal tells that an earlier run was interrupted while it changed a PIN, the second of
//! two PINs is tried once after the first was refused.

use std::time::Duration;

use super::error::At;
use super::{Authority, Cause, Credential, Drive, Error, Step};
use crate::secret::Secret;
use crate::session::{self, Discovery, Malformed, MalformedKind, Opened, Session};
use crate::spec::column::c_pin;
use crate::spec::{MethodStatus, Uid, uid};

/// The longest PIN in bytes (type `password`, \[Core\] 5.1.3).
const PIN_LIMIT: usize = 32;

/// How long to wait for the end of another session before a question that nobody asked for.
const PATIENCE: Duration = Duration::from_secs(1);

/// Whether a refused attempt is bounded by the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Attempt {
    /// The ordinary one.
    First,
    /// The second of two PINs, of which the journal tells that it may be the right one.
    Noted,
    /// The proof of a PIN that was set just now: no guess, even if another one was refused before.
    Proof,
    /// One of a search, which has a budget of its own and has counted it in the tally.
    Tallied,
}

/// Checks that a PIN is one.
pub(super) fn check_pin(pin: &Secret) -> Result<(), Error> {
    let length = pin.len();
    if (1..=PIN_LIMIT).contains(&length) {
        return Ok(());
    }
    let limit = PIN_LIMIT;
    Err(Error::before(Cause::PinLength { length, limit }))
}

impl Drive {
    /// Asks something that nobody asked for: where another session is open, its end is waited for only
    /// for a moment.
    pub(super) fn in_passing<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> T {
        self.tper.set_busy_wait(Some(PATIENCE));
        let answer = ask(self);
        self.tper.set_busy_wait(None);
        answer
    }

    /// Opens a session as anybody.
    pub(super) fn open_as_anybody(&mut self, sp: Uid) -> Result<Session<'_>, Error> {
        let opened = self.tper.open_session(sp, None).at(Step::StartSession)?;
        Ok(self.enter(opened)?.0)
    }

    /// Opens a session with the SP of an authority, as this authority.
    pub(super) fn log_in(&mut self, credential: &Credential) -> Result<Session<'_>, Error> {
        self.log_in_as(credential.authority, &credential.pin)
    }

    /// Opens a session with the SP of an authority, as this authority, with a PIN.
    pub(super) fn log_in_as(
        &mut self,
        authority: Authority,
        pin: &Secret,
    ) -> Result<Session<'_>, Error> {
        let opened = self.open_as(authority, pin, Attempt::First)?;
        Ok(self.enter(opened)?.0)
    }

    /// Opens a session with the Locking SP as one of its authorities; with it comes what Level 0
    /// Discovery told last, which the session may renew.
    pub(super) fn log_in_to_locking_sp(
        &mut self,
        credential: &Credential,
    ) -> Result<(Session<'_>, &mut Discovery), Error> {
        let Credential { authority, pin } = credential;
        if authority.sp() != uid::LOCKING_SP {
            return Err(Error::before(Cause::WrongAuthority(*authority)));
        }
        let opened = self.open_as(*authority, pin, Attempt::First)?;
        self.enter(opened)
    }

    /// Logs in with the first PIN that is taken, of two at most; which one it was. The second is tried
    /// only if the journal has a note of the authority, or if the budget is not used up.
    pub(super) fn log_in_with<'p, K: Copy>(
        &mut self,
        authority: Authority,
        first: (K, &'p Secret),
        second: Option<(K, &'p Secret)>,
    ) -> Result<(Session<'_>, K), Error> {
        check_pin(first.1)?;
        let (opened, taken) = self.open_one_of_two(authority, first, second)?;
        Ok((self.enter(opened)?.0, taken))
    }

    /// The same, for a first PIN that may be empty, as that of an authority that never got one.
    pub(super) fn open_one_of_two<'p, K: Copy>(
        &mut self,
        authority: Authority,
        first: (K, &'p Secret),
        second: Option<(K, &'p Secret)>,
    ) -> Result<(Opened, K), Error> {
        match self.open_with(authority, first.1, Attempt::First) {
            Err(error) if error.is_refusal() => {
                let second = second.filter(|(_, pin)| *pin != first.1).ok_or(error)?;
                Ok((self.open_as_second(authority, second.1)?, second.0))
            }
            opened => Ok((opened?, first.0)),
        }
    }

    fn open_as_second(&mut self, authority: Authority, pin: &Secret) -> Result<Opened, Error> {
        let attempt = match self.note(authority).is_there() {
            true => Attempt::Noted,
            false => Attempt::First,
        };
        match self.open_as(authority, pin, attempt) {
            // What the second PIN was not tried for.
            Err(error) if matches!(error.cause(), Cause::TryBudget { .. }) => {
                let untried = Cause::OneOfTwoRefused { authority };
                Err(Error::at(Step::StartSession, untried))
            }
            opened => opened,
        }
    }

    pub(super) fn open_as(
        &mut self,
        authority: Authority,
        pin: &Secret,
        attempt: Attempt,
    ) -> Result<Opened, Error> {
        check_pin(pin)?;
        self.open_with(authority, pin, attempt)
    }

    fn open_with(
        &mut self,
        authority: Authority,
        pin: &Secret,
        attempt: Attempt,
    ) -> Result<Opened, Error> {
        self.require_sp_of(authority)?;
        let refused = self.refused.get(&authority).copied().unwrap_or_default();
        if attempt == Attempt::First && refused >= self.tries {
            return Err(Error::before(Cause::TryBudget { authority, refused }));
        }
        let credential = Some((authority.uid(), pin));
        let opened = self.tper.open_session(authority.sp(), credential);
        let opened = opened.map_err(|error| refusal(authority, error));
        let is_msid = authority == Authority::Sid && self.msid.shown.as_ref() == Some(pin);
        self.msid.was_refused |= is_msid && opened.as_ref().is_err_and(Error::is_refusal);
        self.remember(authority, attempt, opened.as_ref().err());
        opened
    }

    /// Counts an attempt that was not taken, in this run and across runs; one that was clears the
    /// tally, as it clears the drive's own.
    fn remember(&mut self, authority: Authority, attempt: Attempt, error: Option<&Error>) {
        let tally = self.tally_file(authority);
        let Some(error) = error else {
            return tally.clear();
        };
        if error.is_refusal() {
            *self.refused.entry(authority).or_default() += 1;
        }
        if attempt != Attempt::Tallied && may_have_counted(error) {
            tally.count(matches!(error.cause(), Cause::LockedOut { .. }));
        }
    }

    /// Refuses authorities that the firmware has shut out until the next power cycle.
    pub(super) fn require_sp_of(&self, authority: Authority) -> Result<(), Error> {
        match authority {
            Authority::Sid => self.require_sid(),
            _ if authority.sp() == uid::LOCKING_SP => self.require_thawed(),
            _ => Ok(()),
        }
    }

    /// Refuses drives whose Locking SP is frozen.
    pub(super) fn require_thawed(&self) -> Result<(), Error> {
        match self.state().frozen {
            true => Err(Error::before(Cause::Frozen)),
            false => Ok(()),
        }
    }

    /// Refuses drives whose SID is blocked.
    pub(super) fn require_sid(&self) -> Result<(), Error> {
        if self.is_sid_blocked() {
            Err(Error::before(Cause::SidBlocked))
        } else {
            Ok(())
        }
    }

    /// Enters a session that was opened. If an answer of a killed process had to be cleared away
    /// for it, what that process did last may have taken effect after Level 0 Discovery, which is
    /// asked again then.
    pub(super) fn enter(&mut self, opened: Opened) -> Result<(Session<'_>, &mut Discovery), Error> {
        let mut session = self.tper.enter(opened);
        if session.take_recovered() {
            self.discovery = session.discover().at(Step::Discover)?;
        }
        Ok((session, &mut self.discovery))
    }

    /// The default PIN that the drive shows to anybody.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn msid(&mut self) -> Result<Secret, Error> {
        self.require_opal_family()?;
        let mut session = self.open_as_anybody(uid::ADMIN_SP)?;
        let row = session.get(uid::C_PIN_MSID, c_pin::PIN..=c_pin::PIN);
        let row = row.at(Step::GetMsid)?;
        let pin = row.required_bytes(c_pin::PIN).at(Step::GetMsid)?;
        let msid = Secret::from_slice(pin);
        if check_pin(&msid).is_err() {
            let nonsense = Malformed::new(MalformedKind::Result("MSID"), &[]);
            return Err(Error::at(Step::GetMsid, session::Error::from(nonsense)));
        }
        session.end().at(Step::EndSession)?;
        self.msid.shown = Some(Secret::from_slice(msid.expose()));
        Ok(msid)
    }

    /// Whether SID was refused with the default PIN.
    pub(super) const fn was_msid_refused(&self) -> bool {
        self.msid.was_refused
    }
}

/// Whether the drive may have counted an attempt that ended so: it looked at the PIN, or nobody knows.
/// While another session keeps it busy, it has not, or the PIN was right.
pub(super) fn may_have_counted(error: &Error) -> bool {
    match error.cause() {
        Cause::Refused { .. } | Cause::LockedOut { .. } => true,
        Cause::Session(error) => matches!(
            error,
            session::Error::Malformed(_)
                | session::Error::Transport(_)
                | session::Error::Closed
                | session::Error::NoAnswer
                | session::Error::Endless
                | session::Error::TimedOut { .. }
                | session::Error::Interrupted
        ),
        _ => false,
    }
}

fn refusal(authority: Authority, error: session::Error) -> Error {
    let cause = match error.status() {
        Some(MethodStatus::NOT_AUTHORIZED) => Cause::Refused { authority },
        Some(MethodStatus::INVALID_PARAMETER) => Cause::UnknownAuthority { authority },
        Some(MethodStatus::AUTHORITY_LOCKED_OUT) => Cause::LockedOut { authority },
        _ => error.into(),
    };
    Error::at(Step::StartSession, cause)
}
