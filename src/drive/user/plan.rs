//! What switching authorities and changing rights would call, for `--dry-run`.

use super::{Grant, Revocation, Right};
use crate::drive::plan::{Plan, PlannedCall};
use crate::drive::{Authority, Drive, Error};
use crate::spec::ace::Subject;
use crate::spec::uid;

impl Drive {
    /// What [`Drive::enable`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::enable`] refuses before anything is sent, but for the PIN.
    pub fn plan_enable(
        &self,
        authority: Authority,
        has_new_pin: bool,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_switch(authority, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        plan.read(authority.uid(), "Get", "Enabled");
        if has_new_pin {
            plan.change(authority.c_pin(), "Set", "PIN = <new PIN>");
        }
        plan.change(authority.uid(), "Set", "Enabled = 1");
        plan.read(authority.uid(), "Get", "Enabled");
        if has_new_pin {
            plan.session(authority.sp(), Some(authority), "<new PIN>");
        }
        Ok(plan.calls)
    }

    /// What [`Drive::disable`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::disable`] refuses before anything is sent.
    pub fn plan_disable(
        &self,
        authority: Authority,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_disabling(authority, acting)?;
        let mut plan = Plan::default();
        plan.log_in(acting);
        plan.read(authority.uid(), "Get", "Enabled");
        plan.change(authority.uid(), "Set", "Enabled = 0");
        plan.read(authority.uid(), "Get", "Enabled");
        Ok(plan.calls)
    }

    /// What [`Drive::grant`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::grant`] refuses before anything is sent.
    pub fn plan_grant(&self, grant: &Grant, acting: Authority) -> Result<Vec<PlannedCall>, Error> {
        self.require_rights_of(grant.user, acting)?;
        self.require_grantable(&grant.rights)?;
        let rights: Vec<Subject> = grant.rights.iter().chain(&grant.also).copied().collect();
        let arguments = format!("BooleanExpr = what it is, or {}", grant.user);
        Ok(edits(grant.user, acting, Some(&rights), &arguments))
    }

    /// What [`Drive::revoke`] would call. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::revoke`] refuses before anything is sent.
    pub fn plan_revoke(
        &self,
        revocation: &Revocation,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        let user = revocation.user;
        self.require_rights_of(user, acting)?;
        self.require_grantable(revocation.rights.as_deref().unwrap_or_default())?;
        let arguments = format!("BooleanExpr = what it is without {user}");
        Ok(edits(
            user,
            acting,
            revocation.rights.as_deref(),
            &arguments,
        ))
    }
}

fn edits(
    user: Authority,
    acting: Authority,
    rights: Option<&[Subject]>,
    arguments: &str,
) -> Vec<PlannedCall> {
    let mut plan = Plan::default();
    plan.log_in(acting);
    plan.read(user.uid(), "Get", "Enabled");
    let Some(rights) = rights else {
        plan.read(uid::ACE, "Next", "");
        plan.read(
            uid::ACE,
            "Get",
            "BooleanExpr, of each ACE that can be changed",
        );
        plan.change(
            uid::ACE,
            "Set",
            format!("{arguments}, of each that names it"),
        );
        plan.read(uid::ACE, "Get", "BooleanExpr, of these");
        return plan.calls;
    };
    let rows = || rights.iter().flat_map(|right| right.rows().into_iter());
    for row in rows() {
        plan.read(
            row,
            "Get",
            format!("BooleanExpr: who may {}", Right::of(row)),
        );
    }
    for row in rows() {
        plan.change(row, "Set", arguments);
        plan.read(row, "Get", "BooleanExpr");
    }
    plan.calls
}
