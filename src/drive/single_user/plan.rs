//! What setup and reactivation with single user mode would call, for `--dry-run`.

use super::super::plan::{Plan, PlannedCall, RANGE_COLUMNS};
use super::super::{Authority, Drive, Error};
use super::reactivate::Reactivation;
use super::{RangePolicy, SingleUserMode, SingleUserPlan, SingleUserRanges, owner_of};
use crate::spec::{RangeNumber, uid};

const MODE_COLUMNS: &str = "SingleUserModeRanges, RangeStartRangeLengthPolicy";
const LOCKS: &str = "ReadLockEnabled = 1, WriteLockEnabled = 1, ReadLocked = 0, WriteLocked = 0";

impl Drive {
    /// What [`Drive::reactivate`] would call, as far as Level 0 Discovery and the journal tell.
    /// Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::reactivate`] refuses before anything is sent, but for the consent.
    pub fn plan_reactivate(
        &self,
        wanted: &Reactivation,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_reactivation(wanted, acting)?;
        let mut plan = Plan::default();
        if self.is_reactivated(wanted) {
            return Ok(plan.calls());
        }
        plan.log_in(acting);
        plan.read(uid::LOCKING_INFO, "Get", MODE_COLUMNS);
        plan.read(uid::LOCKING, "Next", "");
        plan.read(
            uid::LOCKING,
            "Get",
            format!("{RANGE_COLUMNS}, of each range"),
        );
        let off = "ReadLockEnabled = 0, WriteLockEnabled = 0, ReadLocked = 0, WriteLocked = 0";
        plan.change(
            uid::LOCKING,
            "Set",
            format!("{off}, on each range that can lock"),
        );
        plan.change(uid::THIS_SP, "Reactivate", arguments(&wanted.mode));
        plan.log_in(acting);
        plan.read(uid::LOCKING_INFO, "Get", MODE_COLUMNS);
        let again = "on each range that could lock, by whom it belongs to";
        plan.change(uid::LOCKING, "Set", format!("{LOCKS}, {again}"));
        if wanted.owner_pin.is_some() {
            self.plan_owners(&mut plan, &wanted.mode, &[]);
        }
        Ok(plan.calls())
    }

    /// What [`Drive::set_first_pin`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::set_first_pin`] refuses before anything is sent, but for the PIN.
    pub fn plan_first_pin(&self, authority: Authority) -> Result<Vec<PlannedCall>, Error> {
        self.require_first_pin(authority)?;
        let mut plan = Plan::default();
        plan_pin(&mut plan, authority);
        Ok(plan.calls())
    }

    /// Adds what the owners would do of a setup.
    pub(in crate::drive) fn plan_single_users(
        &self,
        plan: &mut Plan,
        single: &SingleUserPlan,
        owned: &[(RangeNumber, String)],
    ) {
        plan.read(uid::LOCKING_INFO, "Get", MODE_COLUMNS);
        if single.owner_pin.is_some() {
            self.plan_owners(plan, &single.mode, owned);
        }
    }

    fn plan_owners(&self, plan: &mut Plan, mode: &SingleUserMode, owned: &[(RangeNumber, String)]) {
        for range in self.ranges_of(mode) {
            if let Some(owner) = owner_of(range) {
                plan_pin(plan, owner);
            }
            for (_, columns) in owned.iter().filter(|(number, _)| *number == range) {
                plan.change(uid::locking_range(range), "Set", columns.as_str());
                plan.read(uid::locking_range(range), "Get", RANGE_COLUMNS);
            }
        }
    }
}

fn plan_pin(plan: &mut Plan, authority: Authority) {
    let sp = authority.sp();
    plan.session(sp, Some(authority), "<empty PIN>");
    plan.change(authority.c_pin(), "Set", "PIN = <new PIN>");
    plan.session(sp, Some(authority), "<new PIN>");
}

/// The parameters of Activate and Reactivate.
pub(in crate::drive) fn arguments(mode: &SingleUserMode) -> String {
    let list = match &mode.ranges {
        SingleUserRanges::None => return String::new(),
        SingleUserRanges::Some(ranges) => {
            let names: Vec<_> = ranges
                .iter()
                .map(|it| uid::label(uid::locking_range(*it)))
                .collect();
            format!("[{}]", names.join(", "))
        }
        SingleUserRanges::All => uid::label(uid::LOCKING),
    };
    let policy = match mode.policy {
        RangePolicy::User => "",
        RangePolicy::Admins => ", RangeStartRangeLengthPolicy = 1",
    };
    format!("SingleUserModeSelectionList = {list}{policy}")
}
