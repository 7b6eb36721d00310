//! Release: a drive stops locking and gets its default PINs back, and no key is touched.
//!
//! This is the way to give a drive away, or to another tool, with all of its data. The Locking SP
//! stays activated, and locks nothing; whoever comes next can use the drive as it is, set it up
//! again, or revert it. What is not undone: the places and the keys of the ranges, and the Users.
//!
//! | interrupted after | what the next run finds |
//! |---|---|
//! | Set of some ranges | Admin1 has its PIN; what is released already is only read |
//! | Set of Admin1's PIN | the given PIN is refused, and the note in the journal allows MSID |
//! | Set of SID's PIN | Level 0 Discovery shows that SID is MSID |

use super::super::error::At;
use super::super::ownership::set_pin;
use super::super::plan::Plan;
use super::super::range::{self, Columns};
use super::super::setup::disable_mbr;
use super::super::single_user::lockable_by_admins;
use super::super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, Finding, LockingRange,
    MbrState, Mismatch, PlannedCall, SingleUserMode, Step, Witness,
};
use super::keep::look;
use crate::secret::Secret;
use crate::spec::column::locking;
use crate::spec::{RangeNumber, uid};

/// Whose PINs are needed to release a drive.
#[derive(Debug)]
#[non_exhaustive]
pub struct Releasing {
    /// Admin1's PIN; `None` only where locking is not activated.
    pub admin1: Option<Secret>,
    /// SID's PIN; `None` only where SID has the default one already.
    pub sid: Option<Secret>,
}

impl Releasing {
    /// With these PINs.
    #[must_use]
    pub const fn new(admin1: Option<Secret>, sid: Option<Secret>) -> Self {
        Self { admin1, sid }
    }
}

/// What was released.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReleaseReport {
    /// False if the drive was released already.
    pub changed: bool,
    /// The ranges that could lock before, and cannot now.
    pub ranges: Vec<RangeNumber>,
    /// Whether the shadow MBR was switched off in this run.
    pub mbr_disabled: bool,
    /// The authorities that got the default PIN in this run.
    pub pins: Vec<Authority>,
    /// Whether the journal could not be written, so that this run, interrupted, would have cost the
    /// next one a second attempt.
    pub journal_failed: bool,
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
    /// What a person should know of it.
    pub findings: Vec<Finding>,
}

/// Which of two PINs Admin1 has.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Pin {
    Given,
    Msid,
}

impl Drive {
    /// Makes a drive lock nothing and gives SID and Admin1 the default PIN, which the drive shows to
    /// anybody. All data stay: no key is touched, and no range gets another place.
    ///
    /// `witness` is called with all ranges before anything is changed, if locking is activated. Can be
    /// run again after an interruption, with the same PINs.
    ///
    /// # Warning
    /// Afterwards anybody can read the drive, lock it, and erase it.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::ConsentRequired`] if the consent was given
    /// for another drive.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consent is given for one act, and used up by it"
    )]
    pub fn release(
        &mut self,
        pins: &Releasing,
        consent: EraseConsent,
        witness: Witness<'_>,
    ) -> Result<ReleaseReport, Error> {
        self.require_release()?;
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let mut report = self.release_report();
        if self.is_in_factory_state() {
            return Ok(report);
        }
        let msid = self.msid()?;
        if self.is_active() {
            let given = pins.admin1.as_ref().unwrap_or(&msid);
            self.release_locking(given, &msid, witness, &mut report)?;
        }
        if self.is_owned() != Some(false) {
            let given = pins.sid.as_ref().unwrap_or(&msid);
            self.release_sid(given, &msid, &mut report)?;
        }
        report.changed |= !report.pins.is_empty() || !report.ranges.is_empty();
        report.changed |= report.mbr_disabled;
        self.check_release()?;
        for authority in [Authority::Sid, Authority::Admin(1)] {
            self.note(authority).remove();
        }
        self.forget_locks();
        (report.state, report.findings) = (self.state(), self.diagnose());
        Ok(report)
    }

    /// Refuses what would stop half-way. Nothing is sent.
    fn require_release(&self) -> Result<(), Error> {
        self.require_opal_family()?;
        self.require_sid()?;
        self.require_thawed()
    }

    fn release_report(&self) -> ReleaseReport {
        ReleaseReport {
            changed: false,
            ranges: Vec::new(),
            mbr_disabled: false,
            pins: Vec::new(),
            journal_failed: false,
            state: self.state(),
            findings: self.diagnose(),
        }
    }

    /// Switches locks and shadow MBR off, and gives Admin1 the default PIN. Where SID has it already,
    /// an earlier run came to its end, and Admin1 is the likelier to have it, too.
    fn release_locking(
        &mut self,
        given: &Secret,
        msid: &Secret,
        witness: Witness<'_>,
        report: &mut ReleaseReport,
    ) -> Result<(), Error> {
        const ADMIN1: Authority = Authority::Admin(1);
        let shows_mbr = matches!(self.state().mbr, MbrState::Shown | MbrState::Done);
        let (given, msid_first) = ((Pin::Given, given), (Pin::Msid, msid));
        let mut note = self.note(ADMIN1);
        let was_released = self.is_owned() == Some(false);
        let (first, second) = match was_released || note.is_there() {
            true => (msid_first, given),
            false => (given, msid_first),
        };
        let glance = self.single_user_mode_at_a_glance();
        let (mut session, taken) = self.log_in_with(ADMIN1, first, Some(second))?;
        let seen = look(&mut session, ADMIN1)?;
        let mode = SingleUserMode::known(&mut session, glance)?;
        lockable_by_admins(&seen, &mode)?;
        witness(&seen);
        for range in seen.iter().filter(|range| can_lock(range)) {
            range::set_and_read_back(&mut session, range.number, &unlockable(), ADMIN1)?;
            report.ranges.push(range.number);
        }
        if shows_mbr {
            disable_mbr(&mut session)?;
            report.mbr_disabled = true;
        }
        let is_other = taken == Pin::Given && given.1 != msid;
        if is_other {
            set_pin(&mut session, ADMIN1, msid, ADMIN1, Some(&mut note))?;
        }
        session.end().at(Step::EndSession)?;
        if is_other {
            self.prove_pin(ADMIN1, msid)?;
            report.pins.push(ADMIN1);
        }
        report.journal_failed |= note.failed();
        Ok(())
    }

    fn release_sid(
        &mut self,
        given: &Secret,
        msid: &Secret,
        report: &mut ReleaseReport,
    ) -> Result<(), Error> {
        let credential = Credential::new(Authority::Sid, Secret::from_slice(given.expose()));
        let passwd = self.change_and_prove(Authority::Sid, &credential, msid)?;
        report.pins.extend(passwd.changed.then_some(Authority::Sid));
        report.journal_failed |= passwd.journal_failed;
        Ok(())
    }

    fn check_release(&mut self) -> Result<(), Error> {
        self.discover_at(Step::CheckState)?;
        let state = self.state();
        let mismatch = if self.is_locked() {
            Mismatch::StillLocked
        } else if matches!(state.mbr, MbrState::Shown | MbrState::Done) {
            Mismatch::MbrEnabled
        } else if state.owned == Some(true) {
            Mismatch::SidNotMsid
        } else {
            return Ok(());
        };
        Err(Error::at(Step::CheckState, Cause::NotAsAsked(mismatch)))
    }

    /// What [`Drive::release`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What it refuses before anything is sent, but for the consent.
    pub fn plan_release(&self) -> Result<Vec<PlannedCall>, Error> {
        self.require_release()?;
        let mut plan = Plan::default();
        if self.is_in_factory_state() {
            return Ok(plan.calls());
        }
        plan.read_msid();
        if self.is_active() {
            let admin1 = Authority::Admin(1);
            plan.log_in(admin1);
            plan.read(uid::LOCKING, "Next", "");
            plan.read(
                uid::LOCKING,
                "Get",
                "RangeStart to ActiveKey, of each range",
            );
            let columns = "ReadLockEnabled = 0, WriteLockEnabled = 0, ReadLocked = 0, \
                WriteLocked = 0, on each range that can lock";
            plan.change(uid::LOCKING, "Set", columns);
            if matches!(self.state().mbr, MbrState::Shown | MbrState::Done) {
                plan.change(uid::MBR_CONTROL, "Set", "Enable = 0");
            }
            plan.change(admin1.c_pin(), "Set", "PIN = <MSID>");
            plan.session(admin1.sp(), Some(admin1), "<MSID>");
        }
        if self.is_owned() != Some(false) {
            plan.log_in(Authority::Sid);
            plan.change(uid::C_PIN_SID, "Set", "PIN = <MSID>");
            plan.session(uid::ADMIN_SP, Some(Authority::Sid), "<MSID>");
        }
        Ok(plan.calls())
    }
}

/// Whether a range can lock. What cannot be seen may.
pub(in crate::drive) fn can_lock(range: &LockingRange) -> bool {
    range.is_lock_enabled() != Some(false)
}

/// What a range has that cannot lock.
pub(in crate::drive) fn unlockable() -> Columns {
    [
        locking::READ_LOCK_ENABLED,
        locking::WRITE_LOCK_ENABLED,
        locking::READ_LOCKED,
        locking::WRITE_LOCKED,
    ]
    .map(|column| (column, false.into()))
    .to_vec()
}
