//! Explains a failure: what the drive and the machine show that speaks to it goes into the error.

use super::device::Named;
use super::drives::Done;
use super::error::CliError;
use super::findings::FindingFields;
use super::machine::Machine;
use crate::drive::{Drive, Finding, Trouble};
use crate::transport::Facts;

/// Adds what explains an error of a drive that is open.
pub(crate) fn of_drive(error: &mut CliError, named: &Named, drive: &mut Drive) {
    let facts = drive.facts();
    explain(error, named, facts, |trouble| drive.explain(trouble));
}

/// Adds what explains that not all was done with a drive.
pub(crate) fn of_outcome(
    outcome: Result<Done, CliError>,
    named: &Named,
    drive: &mut Drive,
) -> Result<Done, CliError> {
    let mut explain = |mut error: CliError| {
        of_drive(&mut error, named, drive);
        error
    };
    match outcome {
        Ok(done) => Ok(Done {
            error: done.error.map(&mut explain),
            ..done
        }),
        Err(error) => Err(explain(error)),
    }
}

/// Adds what explains that a drive could not be opened.
pub(crate) fn of_opening(mut error: CliError, named: &Named, facts: Facts) -> CliError {
    explain(&mut error, named, facts, |trouble| match trouble {
        Trouble::NoTcg(cause) => vec![Finding::NoTcg(cause)],
        Trouble::NoAnswer => vec![Finding::NoAnswer],
        _ => Vec::new(),
    });
    error
}

/// An error is explained once.
fn explain(
    error: &mut CliError,
    named: &Named,
    facts: Facts,
    drive: impl FnOnce(Trouble) -> Vec<Finding>,
) {
    if !error.diagnosis.is_empty() {
        return;
    }
    let Some(trouble) = error.trouble.as_deref().copied() else {
        return;
    };
    let shown = drive(trouble).into_iter().map(FindingFields::from);
    let around = Machine::new(named, facts).explain(trouble);
    error.diagnosis = match trouble {
        // What hides the drive says more than that it is hidden.
        Trouble::NoTcg(_) | Trouble::Busy(_) => around.into_iter().chain(shown).collect(),
        _ => shown.chain(around).collect(),
    };
    let likeliest = error.diagnosis.first().filter(|_| is_decisive(trouble));
    if let Some(finding) = likeliest {
        error.hint = Some(finding.way_out.clone());
    }
}

/// Whether the likeliest finding alone tells the way out. Where a PIN was refused, or a method for
/// whatever reason, what was typed may be the reason just as well.
const fn is_decisive(trouble: Trouble) -> bool {
    !matches!(trouble, Trouble::Login(_) | Trouble::Status(_))
}
