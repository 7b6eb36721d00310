//! Switching authorities of the Locking SP on and off.
//!
//! A User that is enabled before it has a PIN lets everybody in who gives none (\[Core\] 5.3.4.1), so
//! the PIN comes first. Interrupted between the two, the same call goes on.

use super::AccessError;
use super::grant::enabled;
use crate::drive::error::At;
use crate::drive::login::check_pin;
use crate::drive::ownership::set_pin;
use crate::drive::{
    Authority, Cause, Credential, Drive, Error, Mismatch, Proof, SingleUserMode, Step,
};
use crate::secret::Secret;
use crate::session::Session;
use crate::spec::column::authority as authority_column;

/// What became of an authority that was to be enabled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EnableReport {
    /// Whether it was enabled in this run; it was before, otherwise.
    pub changed: bool,
    /// How its new PIN was proven; `None` if it got none, and has the one that it had, or none.
    pub proof: Option<Proof>,
}

impl Drive {
    /// Enables an Admin or User of the Locking SP, with a new PIN, which is proven, or with the one
    /// that it has.
    ///
    /// Can be run again after an interruption, with the same PIN.
    ///
    /// # Warning
    /// An authority that never got a PIN has an empty one: without a new PIN it is open to everybody.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn enable(
        &mut self,
        authority: Authority,
        new_pin: Option<&Secret>,
        credential: &Credential,
    ) -> Result<EnableReport, Error> {
        self.require_switch(authority, credential.authority)?;
        new_pin.map(check_pin).transpose()?;
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        require_no_owner(&mut session, authority, glance)?;
        let was_enabled = enabled(&mut session, authority)? == Some(true);
        if let Some(pin) = new_pin {
            set_pin(&mut session, authority, pin, acting, None)?;
        }
        if !was_enabled {
            switch(&mut session, authority, true, acting)?;
        }
        session.end().at(Step::EndSession)?;
        let proof = new_pin.map(|pin| self.prove_pin(authority, pin));
        Ok(EnableReport {
            changed: !was_enabled,
            proof: proof.transpose()?,
        })
    }

    /// Disables an Admin or User of the Locking SP; whether it was enabled. Its PIN and rights stay.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`AccessError::Admin1`], which nobody can disable.
    pub fn disable(
        &mut self,
        authority: Authority,
        credential: &Credential,
    ) -> Result<bool, Error> {
        self.require_disabling(authority, credential.authority)?;
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        require_no_owner(&mut session, authority, glance)?;
        let was_enabled = enabled(&mut session, authority)? != Some(false);
        if was_enabled {
            switch(&mut session, authority, false, acting)?;
        }
        session.end().at(Step::EndSession)?;
        Ok(was_enabled)
    }

    pub(super) fn require_disabling(
        &self,
        authority: Authority,
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_switch(authority, acting)?;
        match authority {
            Authority::Admin(1) => Err(Error::before(Cause::Access(AccessError::Admin1))),
            _ => Ok(()),
        }
    }

    pub(super) fn require_switch(
        &self,
        authority: Authority,
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_ranges_as(acting)?;
        self.require_no_owner(authority)?;
        match (authority, acting) {
            (Authority::Admin(_) | Authority::User(_), Authority::Admin(_)) => Ok(()),
            (Authority::Admin(_) | Authority::User(_), acting) => {
                Err(Error::before(Cause::WrongAuthority(acting)))
            }
            (authority, _) => Err(Error::before(Cause::WrongAuthority(authority))),
        }
    }
}

/// Refuses to switch who owns a range, where Level 0 Discovery did not tell.
fn require_no_owner(
    session: &mut Session<'_>,
    authority: Authority,
    at_a_glance: Option<SingleUserMode>,
) -> Result<(), Error> {
    let mode = SingleUserMode::known(session, at_a_glance)?;
    let checked = mode.require_no_owner(authority);
    checked.map_err(|error| Error::at(Step::SetEnabled, Cause::SingleUser(error)))
}

/// Sets Enabled, and reads it back.
fn switch(
    session: &mut Session<'_>,
    authority: Authority,
    is_on: bool,
    acting: Authority,
) -> Result<(), Error> {
    let column = [(authority_column::ENABLED, is_on.into())];
    let set = session.set(authority.uid(), column);
    set.at_as(Step::SetEnabled, acting)?;
    if enabled(session, authority)? == Some(is_on) {
        return Ok(());
    }
    let mismatch = Cause::NotAsAsked(Mismatch::Enabled(authority));
    Err(Error::at(Step::ReadBack, mismatch))
}
