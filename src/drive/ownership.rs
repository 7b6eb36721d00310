//! Ownership: SID gets the new PIN, and the Locking SP is activated with it.
//!
//! SID has one of three PINs: the default one (MSID), one that the caller knows, or already the new
//! one, if an earlier run was interrupted. Level 0 Discovery tells whether it is MSID where the
//! drive has a Block SID descriptor. Where it does not tell, the likelier PIN comes first, and the
//! other one is the second attempt that `login` describes. Where the journal has a note, the likelier
//! one is the new PIN.

use super::error::At;
use super::journal::Note;
use super::setup::{SetupPlan, SetupReport};
use super::single_user::activate;
use super::{Authority, Cause, Drive, Error, Mismatch, Step};
use crate::secret::Secret;
use crate::session::{self, Session};
use crate::spec::column::c_pin;
use crate::spec::feature::PinIndicator;
use crate::wire::Value;

/// A PIN that an authority may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KnownPin {
    /// The default one, which the drive shows.
    Msid,
    /// The one that the caller gave.
    Given,
    /// The new one, from an earlier run.
    New,
}

/// The PINs that an authority may have, the likelier one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Candidates {
    pub(super) first: KnownPin,
    pub(super) second: Option<KnownPin>,
}

impl Candidates {
    pub(super) const fn only(first: KnownPin) -> Self {
        Self {
            first,
            second: None,
        }
    }

    pub(super) const fn two(first: KnownPin, second: KnownPin) -> Self {
        Self {
            first,
            second: Some(second),
        }
    }

    /// The same, with the new PIN first if an earlier run was about to set it.
    fn in_order(self, is_noted: bool) -> Self {
        match self.second {
            Some(KnownPin::New) if is_noted => Self::two(KnownPin::New, self.first),
            _ => self,
        }
    }

    pub(super) const fn include_msid(self) -> bool {
        matches!(self.first, KnownPin::Msid) || matches!(self.second, Some(KnownPin::Msid))
    }
}

/// The PINs behind the names.
#[derive(Clone, Copy)]
pub(super) struct Pins<'p> {
    pub(super) given: Option<&'p Secret>,
    pub(super) new: &'p Secret,
}

impl Drive {
    /// Takes ownership and activates the Locking SP, which copies SID's PIN to Admin1.
    pub(super) fn own_and_activate(
        &mut self,
        plan: &SetupPlan,
        pins: Pins<'_>,
        report: &mut SetupReport,
    ) -> Result<(), Error> {
        let single = plan.single_user.as_ref();
        // Whatever stood there is of an earlier life: another tool may have reverted the drive.
        self.forget_locking_sp();
        report.journal_failed |= single.is_some_and(|single| self.note_planned_owners(single));
        let candidates = |drive: &Self| drive.inactive_sid_candidates(pins.given.is_some());
        let mut note = self.note(Authority::Sid);
        let (mut session, is_other) =
            self.log_in_and_set_pin(Authority::Sid, candidates, pins, &mut note)?;
        report.owned = is_other;
        report.journal_failed |= note.failed();
        report.changed |= is_other;
        activate(&mut session, plan)?;
        session.end().at(Step::EndSession)?;
        report.activated = true;
        self.check_activation()
    }

    fn check_activation(&mut self) -> Result<(), Error> {
        self.discover_at(Step::CheckState)?;
        let mismatch = match (self.is_active(), self.is_owned()) {
            (false, _) => Mismatch::NotActivated,
            (true, Some(false)) => Mismatch::SidIsMsid,
            (true, Some(true) | None) => return Ok(()),
        };
        Err(Error::at(Step::CheckState, Cause::NotAsAsked(mismatch)))
    }

    /// Logs in with whichever PIN is taken, and sets the new one if it was another; whether it was.
    pub(super) fn log_in_and_set_pin(
        &mut self,
        authority: Authority,
        candidates: impl Fn(&Self) -> Candidates,
        pins: Pins<'_>,
        note: &mut Note,
    ) -> Result<(Session<'_>, bool), Error> {
        let msid = candidates(self).include_msid().then(|| self.msid());
        let msid = msid.transpose()?;
        let pin = |known| {
            let pin = match known {
                KnownPin::Msid => msid.as_ref(),
                KnownPin::Given => pins.given,
                KnownPin::New => Some(pins.new),
            };
            (known, pin.unwrap_or(pins.new))
        };
        // Asked again: reading MSID may have cleared away what a killed process had left.
        let Candidates { first, second } = candidates(self).in_order(note.is_there());
        let (mut session, taken) = self.log_in_with(authority, pin(first), second.map(pin))?;
        let is_other = taken != KnownPin::New;
        if is_other {
            set_pin(&mut session, authority, pins.new, authority, Some(note))?;
        }
        Ok((session, is_other))
    }

    /// The PINs that SID may have while the Locking SP is inactive.
    pub(super) fn inactive_sid_candidates(&self, is_given: bool) -> Candidates {
        let vendor_unique = self.initial_pin_indicator() == Some(PinIndicator::VENDOR_UNIQUE);
        match (self.is_owned(), is_given) {
            (Some(false), _) => Candidates::only(KnownPin::Msid),
            (_, true) => Candidates::two(KnownPin::Given, KnownPin::New),
            (Some(true), false) => Candidates::only(KnownPin::New),
            (None, false) if vendor_unique => Candidates::only(KnownPin::New),
            (None, false) => Candidates::two(KnownPin::Msid, KnownPin::New),
        }
    }

    /// The PINs that SID may have while the Locking SP is active: an earlier run has set Admin1
    /// first, so that SID is the likelier to have the new one.
    pub(super) fn active_sid_candidates(&self, is_given: bool) -> Candidates {
        match (self.is_owned(), is_given) {
            (Some(false), _) => Candidates::only(KnownPin::Msid),
            (_, true) => Candidates::two(KnownPin::Given, KnownPin::New),
            (Some(true), false) => Candidates::only(KnownPin::New),
            (None, false) => Candidates::two(KnownPin::New, KnownPin::Msid),
        }
    }

    /// The PINs that Admin1 may have on a drive whose Locking SP is active, although this run has
    /// not activated it. On a drive that was delivered so it is MSID, as long as SID's is.
    pub(super) fn active_admin1_candidates(&self) -> Candidates {
        match self.is_owned() {
            Some(false) => Candidates::two(KnownPin::Msid, KnownPin::New),
            Some(true) => Candidates::only(KnownPin::New),
            None => Candidates::two(KnownPin::New, KnownPin::Msid),
        }
    }
}

/// Sets the PIN of an authority; with a note of it where an interruption would leave doubt.
pub(super) fn set_pin(
    session: &mut Session<'_>,
    authority: Authority,
    pin: &Secret,
    acting: Authority,
    mut note: Option<&mut Note>,
) -> Result<(), Error> {
    if let Some(note) = &mut note {
        note.write();
    }
    let columns = [(c_pin::PIN, Value::from(pin.expose()))];
    let set = session.set(authority.c_pin(), columns);
    // What is refused has no effect, so that the old PIN is the one.
    if let (Err(session::Error::Status(_)), Some(note)) = (&set, note) {
        note.remove();
    }
    set.at_as(Step::SetPin, acting)
}
