//! `passwd --from-empty`: the first PIN of an authority that has none.

use super::{Job, journal_warning};
use crate::cli::Context;
use crate::cli::args::passwd::Passwd;
use crate::cli::device::Named;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::secret::Secrets;
use crate::drive::{Drive, PlannedCall};
use crate::secret::TerminalPrompter;

/// Gives each authority the new PIN, in the order given, until one fails.
pub(super) fn run(
    job: &Job,
    args: &Passwd,
    name: &Named,
    drive: &mut Drive,
    context: &Context,
) -> Result<Done, CliError> {
    let mut terminal = TerminalPrompter::new();
    let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
    let prompt = format!("New passphrase of {}", super::list(&job.targets));
    let new_key = secrets.new_pin(&job.new_source, &prompt, &job.targets[0].new)?;
    let mut changed = Vec::new();
    let mut failure = None;
    for target in &job.targets {
        let pin = new_key.pin_by(&target.new, drive)?;
        match drive.set_first_pin(target.authority, &pin) {
            Ok(report) => changed.push(report),
            Err(error) => {
                failure = Some(explained(&error));
                break;
            }
        }
    }
    if let (Some(error), []) = (&failure, changed.as_slice()) {
        return Err(error.clone());
    }
    journal_warning(&changed, context);
    Ok(job.done(name, &changed, failure))
}

/// What would be called.
pub(super) fn plan(job: &Job, drive: &Drive) -> Result<Vec<PlannedCall>, CliError> {
    let mut calls = Vec::new();
    for target in &job.targets {
        calls.extend(drive.plan_first_pin(target.authority)?);
    }
    Ok(calls)
}

/// An empty PIN that is refused is there already, or nobody may use it.
fn explained(error: &crate::drive::Error) -> CliError {
    let found = CliError::from(error);
    match error.cause() {
        crate::drive::Cause::Refused { authority }
        | crate::drive::Cause::OneOfTwoRefused { authority } => found.with_hint(format!(
            "{authority} has a PIN already, or is disabled: change it with --key; the PIN of the owner \
             of a range in single user mode is empty only after activation, reactivation and erase"
        )),
        _ => found,
    }
}
