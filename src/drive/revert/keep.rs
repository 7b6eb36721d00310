//! RevertSP with the key of the Global range kept: locking is off afterwards, and the data of the
//! Global range stays, if the drive does as it is told.
//!
//! | the Global range is | what the TPer does (\[Opal\] 5.1.3) |
//! |---|---|
//! | locked for reading and for writing | FAIL, and nothing changes |
//! | anything else | replaces all keys but that of the Global range |
//!
//! So the Global range is unlocked first where it is locked, which also lets its data be looked at:
//! afterwards nothing is locked in any case. The data of all other ranges are lost: what their keys encrypted falls to the Global range, whose key is another.
//! Some drives ignore the parameter and replace that key too, a Samsung PM1733 among them, and have
//! been seen to show it only after a power cycle. [`Drive::release`] is the way without that danger.

use super::super::error::At;
use super::super::plan::Plan;
use super::super::single_user::explained;
use super::super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, Finding, LockingRange,
    PlannedCall, Step, Witness, range,
};
use super::{Sent, conclude};
use crate::session::{self, GlobalRangeKey, Session};
use crate::spec::column::locking;
use crate::spec::{RangeNumber, uid};

/// What to do where ranges other than the Global one hold blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OtherRanges {
    /// Send nothing: their data would be lost.
    #[default]
    Spare,
    /// Lose their data.
    Lose,
}

/// What RevertSP left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KeepReport {
    /// False if locking was not activated: nothing was sent then.
    pub changed: bool,
    /// The ranges other than the Global one whose data are lost.
    pub lost: Vec<RangeNumber>,
    /// The state afterwards, by Level 0 Discovery. SID keeps its PIN.
    pub state: DriveState,
    /// What a person should know of it.
    pub findings: Vec<Finding>,
}

impl Drive {
    /// Returns the Locking SP to its original factory state and keeps the key of the Global range,
    /// as an Admin; SID keeps its PIN.
    ///
    /// The Global range is unlocked first, if it is locked. Then `witness` is called with all ranges,
    /// before any key is replaced.
    ///
    /// # Warning
    /// The data of all ranges but the Global one are lost, and those of the Global one with a drive
    /// that ignores what it is told.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::OtherRanges`] if ranges hold blocks that
    /// shall be spared, and [`Cause::ConsentRequired`] if the consent was given for another drive:
    /// nothing is changed then.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consent is given for one act, and used up by it"
    )]
    pub fn revert_keeping_data(
        &mut self,
        credential: &Credential,
        others: OtherRanges,
        consent: EraseConsent,
        witness: Witness<'_>,
    ) -> Result<KeepReport, Error> {
        self.require_keep(credential.authority)?;
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        if !self.is_active() {
            self.forget_locking_sp();
            return Ok(self.keep_report(false, Vec::new()));
        }
        let before = self.state();
        let limit = self.tper.timeout() + self.erasure_time();
        let (lost, unanswered) = self.send_revert_sp(credential, others, witness)?;
        let by = credential.authority;
        self.await_factory_state(
            Sent {
                by,
                before,
                unanswered,
            },
            limit,
        )?;
        self.forget_locking_sp();
        Ok(self.keep_report(true, lost))
    }

    /// Refuses who cannot revert the Locking SP. Nothing is sent.
    fn require_keep(&self, by: Authority) -> Result<(), Error> {
        self.require_opal_family()?;
        match by {
            Authority::Admin(_) => self.require_sp_of(by),
            _ => Err(Error::before(Cause::WrongAuthority(by))),
        }
    }

    fn keep_report(&self, changed: bool, lost: Vec<RangeNumber>) -> KeepReport {
        KeepReport {
            changed,
            lost,
            state: self.state(),
            findings: self.diagnose(),
        }
    }

    /// RevertSP, which ends the session; the ranges whose data it takes, and why there was no answer,
    /// if there was none.
    fn send_revert_sp(
        &mut self,
        credential: &Credential,
        others: OtherRanges,
        witness: Witness<'_>,
    ) -> Result<(Vec<RangeNumber>, Option<session::Error>), Error> {
        let timeout = self.tper.timeout();
        let limit = timeout + self.erasure_time();
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let (mut session, _) = self.log_in_to_locking_sp(credential)?;
        let mut seen = look(&mut session, acting)?;
        let lost = check(&seen, others)?;
        let unlocked = unlock_global(&mut session, &mut seen, acting);
        unlocked.map_err(|error| explained(glance.as_ref(), RangeNumber::GLOBAL, acting, error))?;
        witness(&seen);
        session.set_timeout(limit);
        let reverted = session.revert_sp(GlobalRangeKey::Keep);
        let sent = conclude(session, reverted).at_as(Step::Revert, acting);
        self.tper.set_timeout(timeout);
        Ok((lost, sent?))
    }

    /// What [`Drive::revert_keeping_data`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What it refuses before anything is sent, but for the consent.
    pub fn plan_revert_keeping_data(&self, by: Authority) -> Result<Vec<PlannedCall>, Error> {
        self.require_keep(by)?;
        let mut plan = Plan::default();
        if self.is_active() {
            plan.log_in(by);
            plan.read(uid::LOCKING, "Next", "");
            plan.read(
                uid::LOCKING,
                "Get",
                "RangeStart to ActiveKey, of each range",
            );
            if self.is_locked() {
                let columns = "ReadLocked = 0, WriteLocked = 0";
                plan.change(uid::LOCKING_GLOBAL_RANGE, "Set", columns);
            }
            plan.change(uid::THIS_SP, "RevertSP", "KeepGlobalRangeKey = 1");
        }
        Ok(plan.calls())
    }
}

/// Every range of the drive.
pub(in crate::drive) fn look(
    session: &mut Session<'_>,
    acting: Authority,
) -> Result<Vec<LockingRange>, Error> {
    let numbers = range::numbers(session)?;
    let read = |number| range::read(session, number, Step::ReadRange, acting);
    let seen = numbers.into_iter().map(read);
    seen.map(|read| read.map(|(_, range)| range)).collect()
}

/// Refuses what would lose data that shall be spared; the ranges whose data will be lost.
fn check(seen: &[LockingRange], others: OtherRanges) -> Result<Vec<RangeNumber>, Error> {
    let holds_blocks = |range: &&LockingRange| {
        range.number != RangeNumber::GLOBAL && range.range_length != Some(0)
    };
    let holders = seen.iter().filter(holds_blocks);
    let holders: Vec<_> = holders.map(|range| range.number).collect();
    match (others, holders.as_slice()) {
        (OtherRanges::Spare, [_, ..]) => {
            Err(Error::at(Step::ReadRange, Cause::OtherRanges(holders)))
        }
        _ => Ok(holders),
    }
}

/// Unlocks the Global range, if it is locked.
fn unlock_global(
    session: &mut Session<'_>,
    seen: &mut [LockingRange],
    acting: Authority,
) -> Result<(), Error> {
    let is_locked = |range: &&mut LockingRange| {
        range.number == RangeNumber::GLOBAL && range.is_locked() != Some(false)
    };
    if let Some(range) = seen.iter_mut().find(is_locked) {
        let open = [locking::READ_LOCKED, locking::WRITE_LOCKED];
        let open = open.map(|column| (column, false.into())).to_vec();
        *range = range::set_and_read_back(session, range.number, &open, acting)?;
    }
    Ok(())
}
