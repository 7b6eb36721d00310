//! `sedkit user`: one file per sub-command. `rights` reads and shows rights.

mod disable;
mod enable;
mod firmware;
mod grant;
mod list;
mod revoke;
mod rights;

use serde::Serialize;

use super::Context;
use super::args::user::{User, UserCommand, Who};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::report::Report;
use super::secret::{self, Acting};
use super::{plan, preflight};
use crate::drive::{AccessChange, Authority, Credential, Drive, PlannedCall};
use rights::RightFields;

/// Works on users.
pub(crate) fn run(args: &User, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        UserCommand::List(args) => list::run(args, context),
        UserCommand::Enable(args) => enable::run(args, context),
        UserCommand::Disable(args) => disable::run(args, context),
        UserCommand::Grant(args) => grant::run(args, context),
        UserCommand::Revoke(args) => revoke::run(args, context),
    }
}

/// A change of one user on one drive.
struct Work<'a> {
    who: &'a Who,
    user: Authority,
    acting: Acting<'a>,
    context: &'a Context,
}

impl<'a> Work<'a> {
    fn new(who: &'a Who, context: &'a Context) -> Result<Self, CliError> {
        Ok(Self {
            who,
            user: secret::authority(&who.user)?,
            acting: Acting::of(&who.actor, context)?,
            context,
        })
    }

    /// Plans it where a plan is asked for, and does it otherwise.
    fn run(
        self,
        plan: impl FnOnce(&Drive, Authority) -> Result<Vec<PlannedCall>, crate::drive::Error>,
        mut work: impl FnMut(&Named, &mut Drive, &Credential) -> Result<Done, CliError>,
    ) -> Report {
        let Who { device, actor, .. } = self.who;
        let dry_run = self.who.dry_run;
        let work = |name: &Named, drive: &mut Drive| {
            let acting = self.acting.authority();
            preflight::locking(drive, acting)?;
            preflight::locking(drive, self.user)?;
            // A plan is refused for what the work would be refused for.
            let calls = plan(drive, acting)?;
            if dry_run.dry_run {
                return Ok(plan::done(name, actor.login.session.reset, calls));
            }
            let work = |drive: &mut Drive, credential: &Credential| work(name, drive, credential);
            self.acting.with_key(drive, work)
        };
        drives::on_one(device, actor.login.opening(dry_run), self.context, work)
    }
}

/// What became of rights, in JSON.
#[derive(Serialize)]
struct ChangeFields {
    user: String,
    changed: bool,
    enabled: Option<bool>,
    rights: Vec<RightFields>,
    unchanged: Vec<RightFields>,
    refused: Vec<RightFields>,
    remaining: Vec<RightFields>,
    admins_added: Vec<RightFields>,
}

impl ChangeFields {
    fn new(user: Authority, change: &AccessChange) -> Self {
        let fields = |rights: &[_]| rights.iter().copied().map(RightFields::from).collect();
        Self {
            user: user.to_string(),
            changed: !change.changed.is_empty(),
            enabled: change.enabled,
            rights: fields(&change.changed),
            unchanged: fields(&change.unchanged),
            refused: fields(&change.refused),
            remaining: fields(&change.remaining),
            admins_added: fields(&change.admins_added),
        }
    }
}

/// Says what else is to know of a change.
fn note_change(name: &Named, change: &AccessChange, context: &Context) {
    let note = |text: String| context.output.note(&format!("{name}: {text}"));
    if !change.admins_added.is_empty() {
        let text = rights::text(&change.admins_added);
        note(format!(
            "Admins had been left out of some rights by another tool, and have them again: {text}"
        ));
    }
    if !change.refused.is_empty() {
        let text = rights::text(&change.refused);
        note(format!(
            "the drive gives these rights to Admins only: {text}"
        ));
    }
}
