//! Setup: from any state of ours to a drive that is owned, activated and lockable.
//!
//! An interrupted setup is run again with the same PIN and goes on where it stopped:
//!
//! | interrupted after | Level 0 Discovery shows | the next run |
//! |---|---|---|
//! | nothing | inactive, SID is MSID | begins |
//! | Set of SID's PIN | inactive, SID is not MSID | logs in as SID with the new PIN, activates |
//! | Activate | active | logs in as Admin1, which has SID's PIN, reads and sets what is missing |
//! | anything later | active | the same; what is as asked is only read |
//!
//! A method whose answer was lost has taken effect or not, so each of these states is possible after
//! each interruption, and none of them costs a wrong PIN where the drive tells whether SID is MSID.
//! Where it does not, or where SID had a PIN of its own, the journal allows a second attempt; its
//! notes stay until nothing more is sent.

use super::error::At;
use super::ownership::{Candidates, KnownPin, Pins};
use super::range::{self, Columns};
use super::single_user::{Shared, explained};
use super::{
    Authority, Cause, Drive, EraseConsent, Error, LockingRange, MbrState, Mismatch, RangeSpec,
    SingleUserPlan, SingleUserReport, Step, login, table_sizes,
};
use crate::secret::Secret;
use crate::session::{Row, Session};
use crate::spec::column::{locking, mbr_control};
use crate::spec::{RangeNumber, Ssc, uid};
use crate::wire::Value;

const ADMIN1: Authority = Authority::Admin(1);

/// What a drive shall be after setup.
#[derive(Debug, Default)]
pub struct SetupPlan {
    /// The ranges in which locking is enabled; empty for the Global range alone.
    pub ranges: Vec<RangeSpec>,
    /// Resets by which the ranges are locked.
    pub lock_on_reset: LockOnReset,
    /// The PIN that SID has now, where it is neither the default nor the new one.
    pub sid_pin: Option<Secret>,
    /// Consent to lose the data of `ranges`: a range that gets another place gets another key.
    pub consent: Option<EraseConsent>,
    /// Ranges in single user mode; `None` for none.
    pub single_user: Option<SingleUserPlan>,
    /// The sizes of the DataStore tables in bytes, one for each table; empty for the one table that
    /// the drive makes by itself. They are cut when locking is activated, and not later.
    pub data_store_sizes: Vec<u64>,
}

/// Resets by which ranges are locked (`LockOnReset`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LockOnReset {
    /// Power cycle.
    #[default]
    PowerCycle,
    /// Power cycle and TPER_RESET.
    PowerCycleAndProgrammatic,
    /// Power cycle and hardware reset.
    PowerCycleAndHardware,
    /// Power cycle, hardware reset and TPER_RESET.
    PowerCycleHardwareAndProgrammatic,
    /// None: Opal drives refuse it.
    Nothing,
}

/// What setup found and did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SetupReport {
    /// False if the drive was already set up: nothing was changed then.
    pub changed: bool,
    /// Whether SID got the new PIN in this run; it had it already otherwise.
    pub owned: bool,
    /// Whether the Locking SP was activated in this run.
    pub activated: bool,
    /// The ranges, as they were read back.
    pub ranges: Vec<LockingRange>,
    /// Single user mode, if it was asked for.
    pub single_user: Option<SingleUserReport>,
    /// Whether the shadow MBR was switched off in this run.
    pub mbr_disabled: bool,
    /// Whether the journal could not be written, so that this run, interrupted, would have cost the
    /// next one a second attempt.
    pub journal_failed: bool,
}

impl LockOnReset {
    /// The reset types of the set (type `reset_types`).
    #[must_use]
    pub const fn reset_types(self) -> &'static [u64] {
        match self {
            Self::PowerCycle => &[0],
            Self::PowerCycleAndProgrammatic => &[0, 3],
            Self::PowerCycleAndHardware => &[0, 1],
            Self::PowerCycleHardwareAndProgrammatic => &[0, 1, 3],
            Self::Nothing => &[],
        }
    }

    pub(super) fn value(self) -> Value {
        Value::list(self.reset_types().iter().copied().map(Value::Uint))
    }
}

impl SetupPlan {
    /// The ranges in which locking shall be enabled, with their places.
    pub(super) fn targets(&self) -> Vec<(RangeNumber, Option<RangeSpec>)> {
        if self.ranges.is_empty() {
            return vec![(RangeNumber::GLOBAL, None)];
        }
        let ranges = self.ranges.iter();
        ranges.map(|range| (range.number, Some(*range))).collect()
    }
}

impl Drive {
    /// Sets the drive up: SID and Admin1 get the new PIN, the Locking SP is activated, locking is
    /// enabled on the Global range or on the ranges of the plan, these are not locked, and the
    /// shadow MBR is off.
    ///
    /// Can be run again: with the same PIN it completes an interrupted run, and changes nothing on a
    /// drive that is set up.
    ///
    /// # Warning
    /// The data of ranges that get another place are lost. Nothing else is.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::ConsentRequired`] if ranges get another
    /// place and the plan has no consent for this drive.
    pub fn setup(&mut self, plan: &SetupPlan, new_pin: &Secret) -> Result<SetupReport, Error> {
        self.require_setup(plan)?;
        login::check_pin(new_pin)?;
        if !self.is_active() && !plan.ranges.is_empty() {
            self.require_consent(plan)?;
        }
        let pins = Pins {
            given: plan.sid_pin.as_ref(),
            new: new_pin,
        };
        let mut report = SetupReport::default();
        match self.carry_out(plan, pins, &mut report) {
            Ok(()) => Ok(report),
            Err(error) => Err(error.after(report)),
        }
    }

    /// Refuses what this drive cannot be set up with. Nothing is sent.
    pub(super) fn require_setup(&self, plan: &SetupPlan) -> Result<(), Error> {
        self.require_opal_family()?;
        self.require_locking()?;
        self.check_ranges(&plan.ranges)?;
        self.require_single_user_plan(plan)?;
        self.require_table_sizes(&plan.data_store_sizes)?;
        self.require_sid()?;
        self.require_thawed()
    }

    fn carry_out(
        &mut self,
        plan: &SetupPlan,
        pins: Pins<'_>,
        report: &mut SetupReport,
    ) -> Result<(), Error> {
        if self.is_active() {
            self.configure(plan, pins, report)?;
            self.own_active(pins, report)?;
        } else {
            self.own_and_activate(plan, pins, report)?;
            self.configure(plan, pins, report)?;
        }
        if report.changed {
            self.check_mbr()?;
        }
        for authority in [Authority::Sid, Authority::Admin(1)] {
            self.note(authority).remove();
        }
        Ok(())
    }

    /// Gives SID the new PIN on a drive whose Locking SP is active, or proves that it has it.
    fn own_active(&mut self, pins: Pins<'_>, report: &mut SetupReport) -> Result<(), Error> {
        let candidates = |drive: &Self| drive.active_sid_candidates(pins.given.is_some());
        let mut note = self.note(Authority::Sid);
        let (session, is_other) =
            self.log_in_and_set_pin(Authority::Sid, candidates, pins, &mut note)?;
        session.end().at(Step::EndSession)?;
        report.journal_failed |= note.failed();
        report.owned = is_other;
        report.changed |= is_other;
        Ok(())
    }

    /// Brings the Locking SP to what the plan says, as Admin1.
    fn configure(
        &mut self,
        plan: &SetupPlan,
        pins: Pins<'_>,
        report: &mut SetupReport,
    ) -> Result<(), Error> {
        let is_fresh = report.activated;
        let has_consent = self.require_consent(plan).is_ok();
        let shows_mbr = matches!(self.state().mbr, MbrState::Shown | MbrState::Done);
        let ssc = self.ssc();
        let expected = self.expected_mode(plan);
        let glance = self.single_user_mode_at_a_glance();
        let mut note = self.note(Authority::Admin(1));
        let (mut session, pin_changed) = self.log_in_and_set_pin(
            Authority::Admin(1),
            |drive| match is_fresh {
                true => Candidates::only(KnownPin::New),
                false => drive.active_admin1_candidates(),
            },
            pins,
            &mut note,
        )?;
        report.journal_failed |= note.failed();
        report.changed |= pin_changed || is_fresh;
        let mut shared = Shared::read(&mut session, expected, is_fresh)?;
        table_sizes::check(&mut session, &plan.data_store_sizes, is_fresh)?;
        for (number, spec) in plan.targets() {
            let columns = columns(spec, plan.lock_on_reset, ssc);
            let columns = shared.part(&mut session, number, columns)?;
            if columns.is_empty() {
                continue;
            }
            let set_up = match is_fresh && plan.single_user.is_none() {
                true => set(&mut session, number, &columns).map(|range| (range, true)),
                false => converge(&mut session, number, &columns, ADMIN1, has_consent),
            };
            let (range, changed) =
                set_up.map_err(|error| explained(glance.as_ref(), number, ADMIN1, error))?;
            report.changed |= changed;
            if shared.leaves_whole(number) {
                report.ranges.push(range);
            }
        }
        if shows_mbr {
            disable_mbr(&mut session)?;
            report.mbr_disabled = true;
            report.changed = true;
        }
        session.end().at(Step::EndSession)?;
        match &plan.single_user {
            Some(single) => {
                let locks = taken_locks(plan, is_fresh, ssc);
                self.settle_setup(single, shared, has_consent, locks, report)
            }
            None => Ok(()),
        }
    }

    fn require_consent(&self, plan: &SetupPlan) -> Result<(), Error> {
        let consent = plan.consent.as_ref();
        match consent.filter(|consent| consent.is_for(self.identity())) {
            Some(_) => Ok(()),
            None => Err(Error::before(Cause::ConsentRequired)),
        }
    }

    fn check_mbr(&mut self) -> Result<(), Error> {
        self.discover_at(Step::CheckState)?;
        match self.state().mbr {
            MbrState::NotSupported | MbrState::Disabled => Ok(()),
            MbrState::Shown | MbrState::Done => {
                let mismatch = Cause::NotAsAsked(Mismatch::MbrEnabled);
                Err(Error::at(Step::CheckState, mismatch))
            }
        }
    }
}

/// What a range shall have.
fn columns(spec: Option<RangeSpec>, lock_on_reset: LockOnReset, ssc: Ssc) -> Columns {
    let mut columns = Columns::new();
    if let Some(RangeSpec { start, length, .. }) = spec {
        columns.push((locking::RANGE_START, start.into()));
        columns.push((locking::RANGE_LENGTH, length.into()));
    }
    columns.extend([
        (locking::READ_LOCK_ENABLED, true.into()),
        (locking::WRITE_LOCK_ENABLED, true.into()),
        (locking::READ_LOCKED, false.into()),
        (locking::WRITE_LOCKED, false.into()),
    ]);
    // In Opal 1 it is fixed, and a Set that names it is refused.
    if ssc != Ssc::Opal1 {
        columns.push((locking::LOCK_ON_RESET, lock_on_reset.value()));
    }
    columns
}

/// What the owner of a range sets that an Admin has taken and the plan does not name. On a drive that
/// was activated just now, no such range has blocks.
fn taken_locks(plan: &SetupPlan, is_fresh: bool, ssc: Ssc) -> Columns {
    match is_fresh {
        true => Columns::new(),
        false => columns(None, plan.lock_on_reset, ssc),
    }
}

fn set(
    session: &mut Session<'_>,
    range: RangeNumber,
    columns: &Columns,
) -> Result<LockingRange, Error> {
    range::set_and_read_back(session, range, columns, Authority::Admin(1))
}

/// Sets what is not as asked; whether anything was not.
pub(super) fn converge(
    session: &mut Session<'_>,
    range: RangeNumber,
    columns: &Columns,
    acting: Authority,
    has_consent: bool,
) -> Result<(LockingRange, bool), Error> {
    let (row, shown) = range::read(session, range, Step::ReadRange, acting)?;
    let missing = missing(&row, columns);
    if missing.is_empty() {
        return Ok((shown, false));
    }
    let place = [locking::RANGE_START, locking::RANGE_LENGTH];
    if missing.iter().any(|(column, _)| place.contains(column)) {
        if !has_consent {
            return Err(Error::at(Step::SetRange, Cause::ConsentRequired));
        }
        // What an earlier range of that number has left is not to be read again. A drive that was
        // activated just now has had none.
        if shown.range_length == Some(0) {
            range::replace_key(session, &shown)?;
        }
    }
    let set = range::set_and_read_back(session, range, &missing, acting)?;
    Ok((set, true))
}

/// What is not as asked.
pub(super) fn missing(row: &Row, columns: &Columns) -> Columns {
    let mut missing = range::differing(row, columns);
    missing.retain(|(column, asked)| {
        *column != locking::LOCK_ON_RESET || !includes(row.value(*column), asked)
    });
    missing
}

/// Whether a set has all the elements of another. A range that somebody wants to be locked by more
/// resets stays so.
fn includes(found: Option<&Value>, asked: &Value) -> bool {
    let found = found.and_then(Value::as_list).unwrap_or_default();
    let mut asked = asked.as_list().unwrap_or_default().iter();
    asked.all(|element| {
        found
            .iter()
            .any(|value| value.as_uint() == element.as_uint())
    })
}

/// Switches the shadow MBR off.
pub(super) fn disable_mbr(session: &mut Session<'_>) -> Result<(), Error> {
    let disabled = [(mbr_control::ENABLE, false.into())];
    session
        .set(uid::MBR_CONTROL, disabled)
        .at_as(Step::SetMbrControl, Authority::Admin(1))
}
