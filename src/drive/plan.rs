//! Plans: the methods that an operation would call, for `--dry-run`.
//!
//! A plan follows from Level 0 Discovery alone. Where an operation decides by what it reads in a
//! session, its plan shows the call that may be left out as well.

use super::ownership::{Candidates, KnownPin};
use super::single_user::{Share, activation, owner_of};
use super::{
    Authority, Drive, Error, LockRequest, MbrState, RangeSpec, SetupPlan, UnlockRequest,
    table_sizes,
};
use crate::spec::{RangeNumber, Uid, uid};

/// A method that would be called.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlannedCall {
    /// In which session, e.g. `Admin SP as SID`.
    pub session: String,
    /// On which object, e.g. `C_PIN_SID`.
    pub object: String,
    /// Which method, e.g. `Set`.
    pub method: String,
    /// Its arguments; PINs are masked.
    pub arguments: String,
    /// Whether it changes anything on the drive.
    pub changes: bool,
}

/// Stands where a PIN would be.
pub(super) const MASKED: &str = "<PIN>";

/// The columns that say whether a range is locked, and how.
pub(super) const RANGE_COLUMNS: &str = "RangeStart to ActiveKey";

/// A plan being written.
#[derive(Default)]
pub(super) struct Plan {
    session: String,
    pub(super) calls: Vec<PlannedCall>,
}

impl Plan {
    pub(super) fn session(&mut self, sp: Uid, authority: Option<Authority>, pin: &str) {
        let sp = uid::label(sp);
        let authority = authority.map_or("Anybody".to_owned(), |authority| authority.to_string());
        self.session = format!("{sp} as {authority}");
        let arguments = match pin {
            "" => format!("SPID = {sp}"),
            pin => {
                format!("SPID = {sp}, HostSigningAuthority = {authority}, HostChallenge = {pin}")
            }
        };
        self.read(uid::SESSION_MANAGER, "StartSession", arguments);
    }

    pub(super) fn log_in(&mut self, authority: Authority) {
        self.session(authority.sp(), Some(authority), MASKED);
    }

    pub(super) fn read(&mut self, object: Uid, method: &str, arguments: impl Into<String>) {
        self.call(object, method, arguments.into(), false);
    }

    pub(super) fn change(&mut self, object: Uid, method: &str, arguments: impl Into<String>) {
        self.call(object, method, arguments.into(), true);
    }

    /// The calls, in their order.
    pub(super) fn calls(self) -> Vec<PlannedCall> {
        self.calls
    }

    pub(super) fn call(&mut self, object: Uid, method: &str, arguments: String, changes: bool) {
        self.calls.push(PlannedCall {
            session: self.session.clone(),
            object: uid::label(object),
            method: method.to_owned(),
            arguments,
            changes,
        });
    }

    pub(super) fn read_msid(&mut self) {
        self.session(uid::ADMIN_SP, None, "");
        self.read(uid::C_PIN_MSID, "Get", "PIN");
    }

    /// Logging in with whichever PIN is taken, and setting the new one.
    fn own(&mut self, authority: Authority, candidates: Candidates) {
        if candidates.include_msid() {
            self.read_msid();
        }
        let pin = |known| match known {
            KnownPin::Msid => "<MSID>",
            KnownPin::Given => "<present PIN>",
            KnownPin::New => "<new PIN>",
        };
        let first = pin(candidates.first);
        let pins = match candidates.second {
            Some(second) => format!("{first}, or {} if that is refused", pin(second)),
            None => first.to_owned(),
        };
        self.session(authority.sp(), Some(authority), &pins);
        if candidates != Candidates::only(KnownPin::New) {
            self.change(authority.c_pin(), "Set", "PIN = <new PIN>");
        }
    }
}

impl Drive {
    /// What [`Drive::setup`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::setup`] refuses before anything is sent, but for the PIN and the consent.
    pub fn plan_setup(&self, setup: &SetupPlan) -> Result<Vec<PlannedCall>, Error> {
        self.require_setup(setup)?;
        let mut plan = Plan::default();
        let is_given = setup.sid_pin.is_some();
        let (sid, admin1) = (Authority::Sid, Authority::Admin(1));
        if self.is_active() {
            plan.own(admin1, self.active_admin1_candidates());
        } else {
            plan.own(sid, self.inactive_sid_candidates(is_given));
            let single = setup.single_user.as_ref();
            let mode = single.map(|single| activation(&single.mode));
            let tables = table_sizes::argument(&setup.data_store_sizes);
            let arguments: Vec<String> = mode.into_iter().chain(tables).collect();
            plan.change(uid::LOCKING_SP, "Activate", arguments.join(", "));
            plan.own(admin1, Candidates::only(KnownPin::New));
        }
        let mut owned = Vec::new();
        for (number, spec) in setup.targets() {
            if let Some(share) = owners_share(setup, number) {
                owned.push((number, owners_arguments(share, spec, setup)));
                if share == Share::Whole {
                    continue;
                }
            }
            let range = uid::locking_range(number);
            if self.is_active() {
                plan.read(range, "Get", RANGE_COLUMNS);
            }
            plan.change(range, "Set", range_arguments(spec, setup, number));
            plan.read(range, "Get", RANGE_COLUMNS);
        }
        if matches!(self.state().mbr, MbrState::Shown | MbrState::Done) {
            plan.change(uid::MBR_CONTROL, "Set", "Enable = 0");
        }
        if let Some(single) = &setup.single_user {
            self.plan_single_users(&mut plan, single, &owned);
        }
        if self.is_active() {
            plan.own(sid, self.active_sid_candidates(is_given));
        }
        Ok(plan.calls)
    }

    /// What [`Drive::unlock`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::unlock`] refuses before anything is sent.
    pub fn plan_unlock(
        &self,
        request: &UnlockRequest,
        authority: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        let needs = self.unlock_needs(request, authority)?;
        let mut plan = Plan::default();
        if needs.ranges || needs.mbr {
            plan.log_in(authority);
        }
        if needs.ranges {
            let columns = match request.read_only {
                true => "ReadLocked = 0",
                false => "ReadLocked = 0, WriteLocked = 0",
            };
            plan.set_locked(
                &self.ranges_meant(&request.ranges, &request.except, authority),
                &request.except,
                columns,
            );
        }
        if needs.mbr {
            plan.change(uid::MBR_CONTROL, "Set", "Done = 1");
        }
        Ok(plan.calls)
    }

    /// What [`Drive::lock`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::lock`] refuses before anything is sent.
    pub fn plan_lock(
        &self,
        request: &LockRequest,
        authority: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_opal_family()?;
        self.require_active_as(authority)?;
        let mut plan = Plan::default();
        plan.log_in(authority);
        let meant = self.ranges_meant(&request.ranges, &request.except, authority);
        self.require_locks_of(&meant, authority)?;
        plan.set_locked(
            &meant,
            &request.except,
            match request.read_only {
                true => "WriteLocked = 1",
                false => "ReadLocked = 1, WriteLocked = 1",
            },
        );
        Ok(plan.calls)
    }

    /// What [`Drive::change_pin`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::change_pin`] refuses before anything is sent, but for the PIN.
    pub fn plan_change_pin(
        &self,
        authority: Authority,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_pin_of(authority, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        plan.change(authority.c_pin(), "Set", "PIN = <new PIN>");
        if authority != acting {
            plan.read(authority.uid(), "Get", "Enabled");
        }
        plan.session(authority.sp(), Some(authority), "<new PIN>");
        Ok(plan.calls)
    }

    /// What [`Drive::revert`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::revert`] refuses before anything is sent, but for the consent.
    pub fn plan_revert(&self, by: Authority) -> Result<Vec<PlannedCall>, Error> {
        self.require_revert(by)?;
        let mut plan = Plan::default();
        if self.is_in_factory_state() {
            return Ok(plan.calls);
        }
        plan.log_in(by);
        plan.change(uid::ADMIN_SP, "Revert", "");
        Ok(plan.calls)
    }
}

impl Plan {
    fn set_locked(&mut self, ranges: &[RangeNumber], except: &[RangeNumber], columns: &str) {
        if ranges.is_empty() {
            let but = match except {
                [] => String::new(),
                except => format!(" but {}", numbers(except)),
            };
            self.read(uid::LOCKING, "Next", "");
            self.change(
                uid::LOCKING,
                "Set",
                format!("{columns}, on each range that has locking enabled{but}"),
            );
        }
        for range in ranges {
            self.change(uid::locking_range(*range), "Set", columns);
        }
    }
}

/// `1, 3`.
fn numbers(ranges: &[RangeNumber]) -> String {
    let numbers: Vec<_> = ranges.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}

/// What the owner of a range sets of it; `None` if it has none.
fn owners_share(setup: &SetupPlan, range: RangeNumber) -> Option<Share> {
    let mode = &setup.single_user.as_ref()?.mode;
    let owner = owner_of(range).filter(|_| mode.ranges.include(range))?;
    // Without a place there is nothing to share.
    let is_placed = setup.ranges.iter().any(|spec| spec.number == range);
    Some(match is_placed {
        true => mode.share(range, owner),
        false => Share::Whole,
    })
}

fn owners_arguments(share: Share, spec: Option<RangeSpec>, setup: &SetupPlan) -> String {
    match share {
        Share::Whole => place_arguments(spec) + &lock_arguments(setup),
        _ => lock_arguments(setup),
    }
}

/// What Admin1 sets of a range.
fn range_arguments(spec: Option<RangeSpec>, setup: &SetupPlan, range: RangeNumber) -> String {
    match owners_share(setup, range) {
        None => place_arguments(spec) + &lock_arguments(setup),
        Some(_) => place_arguments(spec).trim_end_matches(", ").to_owned(),
    }
}

fn place_arguments(spec: Option<RangeSpec>) -> String {
    spec.map_or(String::new(), |RangeSpec { start, length, .. }| {
        format!("RangeStart = {start}, RangeLength = {length}, ")
    })
}

fn lock_arguments(setup: &SetupPlan) -> String {
    let resets: Vec<_> = setup
        .lock_on_reset
        .reset_types()
        .iter()
        .map(u64::to_string)
        .collect();
    let resets = resets.join(", ");
    format!(
        "ReadLockEnabled = 1, WriteLockEnabled = 1, ReadLocked = 0, WriteLocked = 0, \
         LockOnReset = {{{resets}}}"
    )
}
