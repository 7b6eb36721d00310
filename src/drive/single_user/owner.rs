//! Owners of ranges in single user mode, and how an authority gets its first PIN.
//!
//! An owner is enabled with an empty PIN from Activate, Reactivate and Erase on, and nobody else can
//! set it. So whoever has the drive sets it as the owner: a session with the empty PIN, the Set, and
//! a session with the new one, which proves it and sets up the range.
//!
//! | interrupted after | what the next run finds |
//! |---|---|
//! | Erase by an Admin | its note: the owner has the empty PIN, and the locks of its range are off |
//! | Activate or Reactivate | the notes that were written before it: each owner has the empty PIN |
//! | Set of an owner's PIN | its note: the empty PIN is refused, the new one is tried after it |
//! | the proof, or a Set of the range | the same; what is as asked is only read |
//!
//! Without a note, locks that are enabled tell that the owner has a PIN: it gets that first.

use super::super::error::At;
use super::super::journal::Note;
use super::super::login::check_pin;
use super::super::ownership::set_pin;
use super::super::range::{self, Columns};
use super::super::setup::converge;
use super::super::{
    Authority, Cause, Drive, Error, LockingRange, Mismatch, PasswdReport, Proof, Step,
};
use super::{SingleUserMode, owner_of, range_of};
use crate::secret::Secret;
use crate::session::Session;
use crate::spec::RangeNumber;

/// What became of the PIN of an owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum OwnerPin {
    /// It was set, and proven by authenticating.
    Set,
    /// An earlier run had set it; it was proven.
    Before,
    /// It is the owner's, and was not tried.
    Untouched,
    /// It is empty: anybody can act as the owner.
    Empty,
}

/// The owner of a range in single user mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct OwnerReport {
    /// The range.
    pub range: RangeNumber,
    /// The User to whom it belongs.
    pub user: Authority,
    /// Its PIN.
    pub pin: OwnerPin,
}

/// A range that its owner is to set up.
pub(in crate::drive) struct Owned {
    pub(in crate::drive) number: RangeNumber,
    /// What the owner is to set of it.
    pub(in crate::drive) columns: Columns,
    /// As an Admin saw it.
    pub(in crate::drive) seen: LockingRange,
    /// Whether an Admin saw that it is as asked.
    pub(in crate::drive) is_as_asked: bool,
}

/// Owners that are to have a PIN, and their ranges.
pub(super) struct Owners<'a> {
    /// Every range in the mode.
    pub(super) ranges: &'a [RangeNumber],
    /// Those that are to be set up.
    pub(super) owned: Vec<Owned>,
    pub(super) pin: Option<&'a Secret>,
    /// Whether the mode was set in this run: every owner has the empty PIN.
    pub(super) is_fresh: bool,
    /// Whether the places of ranges may be changed.
    pub(super) has_consent: bool,
    /// What an owner sets of its range that has blocks, where it is not to be set up and the owner was
    /// noted to have no PIN: an Admin has taken the range away, and its locks are off. Empty for
    /// nothing.
    pub(super) locks: Columns,
}

/// What became of owners and of their ranges.
#[derive(Default)]
pub(super) struct Settled {
    pub(super) owners: Vec<OwnerReport>,
    pub(super) ranges: Vec<LockingRange>,
    pub(super) changed: bool,
    pub(super) journal_failed: bool,
}

impl Drive {
    /// Gives an authority its first PIN, and proves it: the owner of a range in single user mode has
    /// the empty one after activation and after an erase.
    ///
    /// Can be run again after an interruption, with the same PIN.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::Refused`] if it has a PIN.
    pub fn set_first_pin(
        &mut self,
        authority: Authority,
        new_pin: &Secret,
    ) -> Result<PasswdReport, Error> {
        self.require_first_pin(authority)?;
        check_pin(new_pin)?;
        let (session, pin, journal_failed) = self.open_as_owner(authority, new_pin, false)?;
        session.end().at(Step::EndSession)?;
        self.note(authority).remove();
        Ok(PasswdReport {
            authority,
            changed: pin == OwnerPin::Set,
            proof: Proof::Authenticated,
            journal_failed,
        })
    }

    pub(super) fn require_first_pin(&self, authority: Authority) -> Result<(), Error> {
        self.require_opal_family()?;
        self.require_active_as(authority)
    }

    /// Sets the PIN of an authority whose PIN is empty, and proves it by a session; whether the journal
    /// failed. That it has the PIN already is the second attempt, unless the empty one is certain.
    fn open_as_owner(
        &mut self,
        authority: Authority,
        new_pin: &Secret,
        is_certain: bool,
    ) -> Result<(Session<'_>, OwnerPin, bool), Error> {
        let empty = Secret::from_slice(&[]);
        let mut note = self.note(authority);
        let second = (!is_certain).then_some((OwnerPin::Before, new_pin));
        let first = (OwnerPin::Set, &empty);
        let (opened, pin) = self.open_one_of_two(authority, first, second)?;
        if pin == OwnerPin::Before {
            return Ok((self.enter(opened)?.0, pin, false));
        }
        let mut session = self.enter(opened)?.0;
        set_pin(&mut session, authority, new_pin, authority, Some(&mut note))?;
        session.end().at(Step::EndSession)?;
        Ok((
            self.prove_by_session(authority, new_pin)?,
            pin,
            note.failed(),
        ))
    }

    /// The notes of the owners of a mode.
    pub(super) fn owner_notes(&self, mode: &SingleUserMode) -> Vec<Note> {
        let owners = self.ranges_of(mode).into_iter().filter_map(owner_of);
        owners.map(|owner| self.note(owner)).collect()
    }

    /// Whether an earlier run has left owners without a PIN.
    pub(super) fn has_noted_owners(&self, mode: &SingleUserMode) -> bool {
        self.owner_notes(mode).iter().any(Note::is_there)
    }

    /// Gives owners their PIN, and sets up their ranges.
    pub(super) fn settle(&mut self, mut owners: Owners<'_>) -> Result<Settled, Error> {
        let mut settled = Settled::default();
        for &range in owners.ranges {
            let position = owners.owned.iter().position(|owned| owned.number == range);
            let owned = position.map(|position| owners.owned.swap_remove(position));
            let Some(user) = owner_of(range) else {
                continue;
            };
            let pin = self.settle_one(user, owned, &owners, &mut settled)?;
            settled.owners.push(OwnerReport { range, user, pin });
        }
        Ok(settled)
    }

    fn settle_one(
        &mut self,
        user: Authority,
        owned: Option<Owned>,
        owners: &Owners<'_>,
        settled: &mut Settled,
    ) -> Result<OwnerPin, Error> {
        let is_as_asked = owned.as_ref().is_none_or(|owned| owned.is_as_asked);
        let is_pending = owners.is_fresh || self.note(user).is_there() || !is_as_asked;
        let (Some(pin), true) = (owners.pin, is_pending) else {
            settled.ranges.extend(owned.map(|owned| owned.seen));
            return Ok(match owners.is_fresh {
                true => OwnerPin::Empty,
                false => OwnerPin::Untouched,
            });
        };
        let has_locks = |owned: &Owned| owned.seen.is_lock_enabled() == Some(true);
        let (mut session, owner_pin, journal_failed) = match owned.as_ref().is_some_and(has_locks) {
            // Nobody enables locks before the owner has a PIN.
            true => (self.log_in_as(user, pin)?, OwnerPin::Before, false),
            false => self.open_as_owner(user, pin, owners.is_fresh)?,
        };
        let mut changed = owner_pin == OwnerPin::Set;
        if let Some(owned) = owned {
            let (range, was_changed) = set_up(&mut session, &owned, user, owners.has_consent)?;
            changed |= was_changed;
            settled.ranges.push(range);
        } else if let Some(range) = lock_again(&mut session, user, &owners.locks)? {
            changed = true;
            settled.ranges.push(range);
        }
        session.end().at(Step::EndSession)?;
        self.note(user).remove();
        settled.journal_failed |= journal_failed;
        settled.changed |= changed;
        Ok(owner_pin)
    }

    /// A session with a PIN that was set, which proves it.
    fn prove_by_session(&mut self, user: Authority, pin: &Secret) -> Result<Session<'_>, Error> {
        match self.log_in_as(user, pin) {
            Err(error) if error.is_refusal() => {
                let mismatch = Cause::NotAsAsked(Mismatch::PinRefused(user));
                Err(Error::at(Step::ProvePin, mismatch))
            }
            session => session,
        }
    }
}

/// Enables the locks of an owner's range, if it has blocks and they are off.
fn lock_again(
    session: &mut Session<'_>,
    user: Authority,
    locks: &Columns,
) -> Result<Option<LockingRange>, Error> {
    let Some(range) = range_of(user).filter(|_| !locks.is_empty()) else {
        return Ok(None);
    };
    let (_, seen) = range::read(session, range, Step::ReadRange, user)?;
    if seen.place().is_none() || seen.is_lock_enabled() == Some(true) {
        return Ok(None);
    }
    let (range, changed) = converge(session, range, locks, user, false)?;
    Ok(changed.then_some(range))
}

fn set_up(
    session: &mut Session<'_>,
    owned: &Owned,
    user: Authority,
    has_consent: bool,
) -> Result<(LockingRange, bool), Error> {
    converge(session, owned.number, &owned.columns, user, has_consent)
}
