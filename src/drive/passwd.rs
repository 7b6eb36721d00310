//! Changing PINs.
//!
//! A PIN is changed by its own authority or by an Admin of its SP, and proven by authenticating with
//! it. If an authority that changes its own PIN is refused with the old one, an earlier run may have
//! changed it already: the new PIN is the second attempt that `login` describes. The note of that in
//! the journal stays until the new PIN is proven and nothing more is sent.

use super::error::At;
use super::journal::Note;
use super::login::{Attempt, check_pin};
use super::ownership::set_pin;
use super::single_user::explained_owner;
use super::{Authority, Cause, Credential, Drive, Error, Mismatch, Step};
use crate::secret::Secret;
use crate::session::{self, Row, Session};
use crate::spec::column::{authority as authority_column, c_pin};
use crate::spec::{MethodStatus, uid};

/// One PIN that is to be changed.
#[derive(Debug)]
pub struct PinChange {
    /// Whose PIN.
    pub authority: Authority,
    /// Who changes it.
    pub by: Credential,
    /// What it is to be.
    pub new_pin: Secret,
}

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
    /// Whether the journal could not be written, so that this run, interrupted, would have cost the
    /// next one a second attempt.
    pub journal_failed: bool,
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
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
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
    /// Can be run again after an interruption, with the same PINs.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn change_pin(
        &mut self,
        authority: Authority,
        credential: &Credential,
        new_pin: &Secret,
    ) -> Result<PasswdReport, Error> {
        let report = self.change_and_prove(authority, credential, new_pin)?;
        self.note(authority).remove();
        Ok(report)
    }

    /// Changes the PINs of several authorities, in this order, and proves each before the next is
    /// touched: what was done, and why not all of it.
    ///
    /// Can be run again after an interruption, with the same PINs.
    pub fn change_pins(&mut self, changes: &[PinChange]) -> (Vec<PasswdReport>, Option<Error>) {
        let mut reports = Vec::new();
        for change in changes {
            match self.change_and_prove(change.authority, &change.by, &change.new_pin) {
                Ok(report) => reports.push(report),
                // The notes stay: the next run will find the first PINs changed.
                Err(error) => return (reports, Some(error)),
            }
        }
        for change in changes {
            self.note(change.authority).remove();
        }
        (reports, None)
    }

    /// The change of a PIN but for the end of its note.
    pub(super) fn change_and_prove(
        &mut self,
        authority: Authority,
        credential: &Credential,
        new_pin: &Secret,
    ) -> Result<PasswdReport, Error> {
        self.require_pin_of(authority, credential.authority)?;
        check_pin(new_pin)?;
        let mut note = self.note(authority);
        let changed = self.change(authority, credential, new_pin, &mut note)?;
        let proof = match changed {
            Changed::Now => self.prove_pin(authority, new_pin)?,
            Changed::Before => Proof::Authenticated,
            Changed::Disabled => Proof::AuthorityDisabled,
        };
        Ok(PasswdReport {
            authority,
            changed: changed != Changed::Before,
            proof,
            journal_failed: note.failed(),
        })
    }

    /// Refuses what no access control allows. Nothing is sent.
    pub(super) fn require_pin_of(
        &self,
        authority: Authority,
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_opal_family()?;
        let may = match (authority, acting) {
            (Authority::Psid, _) => false,
            (Authority::Admin(_) | Authority::User(_), Authority::Admin(_)) => true,
            (authority, acting) => authority == acting,
        };
        if !may {
            return Err(Error::before(Cause::WrongAuthority(acting)));
        }
        if authority != Authority::Sid {
            self.require_active()?;
        }
        if authority != acting {
            self.require_no_owner(authority)?;
        }
        self.require_sp_of(acting)
    }

    fn change(
        &mut self,
        authority: Authority,
        credential: &Credential,
        new_pin: &Secret,
        note: &mut Note,
    ) -> Result<Changed, Error> {
        let acting = credential.authority;
        let is_own = authority == acting;
        let glance = self.single_user_mode_at_a_glance();
        let present = (Changed::Now, &credential.pin);
        let second = is_own.then_some((Changed::Before, new_pin));
        let (mut session, mut changed) = self.log_in_with(acting, present, second)?;
        if changed == Changed::Now {
            // Who changes the PIN of another is never in doubt about its own.
            let note = is_own.then_some(note);
            let set = set_pin(&mut session, authority, new_pin, acting, note);
            set.map_err(|error| match is_own {
                true => error,
                false => explained_owner(glance.as_ref(), authority, error),
            })?;
            if !is_own && !is_enabled(&mut session, authority, acting)? {
                changed = Changed::Disabled;
            }
        }
        session.end().at(Step::EndSession)?;
        Ok(changed)
    }

    /// Proves a PIN by authenticating with it.
    pub(super) fn prove_pin(&mut self, authority: Authority, pin: &Secret) -> Result<Proof, Error> {
        let opened = self.open_as(authority, pin, Attempt::Proof);
        let session = match opened.and_then(|opened| Ok(self.enter(opened)?.0)) {
            Err(error) if error.is_refusal() => {
                let mismatch = Mismatch::PinRefused(authority);
                return Err(Error::at(Step::ProvePin, Cause::NotAsAsked(mismatch)));
            }
            session => session?,
        };
        session.end().at(Step::EndSession)?;
        Ok(Proof::Authenticated)
    }

    /// The tries of the credential's own PIN, as far as it may see them. Those of PSID are shown to
    /// anybody, so that its PIN is not used.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn tries(&mut self, credential: &Credential) -> Result<Tries, Error> {
        self.require_opal_family()?;
        let mut session = match credential.authority {
            Authority::Psid => self.open_as_anybody(uid::ADMIN_SP)?,
            _ => self.log_in(credential)?,
        };
        let columns = c_pin::TRY_LIMIT..=c_pin::PERSISTENCE;
        let row = match session.get(credential.authority.c_pin(), columns) {
            Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(Row::default()),
            row => row,
        };
        let tries = row.and_then(|row| Tries::from_row(&row));
        let tries = tries.at(Step::ReadTries)?;
        session.end().at(Step::EndSession)?;
        Ok(tries)
    }
}

impl Drive {
    /// The tries of PSID, which a drive shows to anybody; `None` if this one does not. Where another
    /// session is open, its end is waited for only for a moment.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed, [`ErrorCode::Busy`](super::ErrorCode::Busy) among
    /// them.
    pub fn psid_tries(&mut self) -> Result<Option<Tries>, Error> {
        let nobody = Credential::new(Authority::Psid, Secret::from_slice(&[]));
        let tries = self.in_passing(|drive| drive.tries(&nobody));
        let is_shown = |tries: &Tries| tries.tries.is_some() || tries.try_limit.is_some();
        Ok(Some(tries?).filter(is_shown))
    }
}

impl Tries {
    /// Nothing is shown.
    pub const NONE: Self = Self {
        tries: None,
        try_limit: None,
        persistence: None,
    };

    /// Whether the authority is locked out by the count.
    #[must_use]
    pub const fn is_exhausted(&self) -> bool {
        match (self.tries, self.try_limit) {
            (Some(tries), Some(limit)) => limit > 0 && tries >= limit,
            _ => false,
        }
    }

    pub(super) fn from_row(row: &Row) -> Result<Self, session::Error> {
        Ok(Self {
            tries: row.uint(c_pin::TRIES)?,
            try_limit: row.uint(c_pin::TRY_LIMIT)?,
            persistence: row.boolean(c_pin::PERSISTENCE)?,
        })
    }
}

/// What became of a PIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Changed {
    /// It was set.
    Now,
    /// An earlier run had set it.
    Before,
    /// It was set, for an authority that is disabled.
    Disabled,
}

/// Whether another authority is enabled; one whose state is not shown counts as enabled.
fn is_enabled(
    session: &mut Session<'_>,
    authority: Authority,
    acting: Authority,
) -> Result<bool, Error> {
    let columns = authority_column::ENABLED..=authority_column::ENABLED;
    let row = session.get(authority.uid(), columns);
    let row = row.at_as(Step::ReadBack, acting)?;
    let is_enabled = row.boolean(authority_column::ENABLED).at(Step::ReadBack)?;
    Ok(is_enabled != Some(false))
}
