//! Work on several drives with one secret.

use super::{Done, Slot, each};
use crate::cli::device::Named;
use crate::cli::error::CliError;
use crate::cli::report::DriveReport;
use crate::cli::secret::{Acting, Key};
use crate::drive::Drive;
use crate::fleet;

/// As [`each`], with a secret that is read once, and only if a drive needs it.
///
/// `work` gets no key for drives that need none. Where a person typed the secret, it is asked for
/// again on behalf of the drives that refused it, as often as `--tries` allows. If no secret comes,
/// that is an error of the drives that need one; what was done with the others stays done.
pub(crate) fn each_with_key(
    slots: &mut [Slot],
    acting: &Acting<'_>,
    needs_key: impl Fn(&Drive) -> bool + Sync,
    work: impl Fn(&Named, &mut Drive, Option<&Key>) -> Result<Done, CliError> + Sync,
) -> Vec<DriveReport> {
    let is_needed = slots
        .iter()
        .any(|slot| slot.drive.as_ref().is_ok_and(&needs_key));
    let serials: Vec<String> = slots.iter().filter_map(Slot::serial).collect();
    let key = is_needed.then(|| acting.read_for(&serials));
    let work = |key: Option<&Result<Key, CliError>>, name: &Named, drive: &mut Drive| {
        let key = key.filter(|_| needs_key(drive));
        let key = key.map(Result::as_ref).transpose();
        work(name, drive, key.map_err(Clone::clone)?)
    };
    let mut reports = each(slots, |name, drive| work(key.as_ref(), name, drive));
    for _ in 1..acting.attempts() {
        let refused: Vec<_> = slots
            .iter_mut()
            .zip(&mut reports)
            .filter(is_refused)
            .collect();
        if refused.is_empty() {
            break;
        }
        refused.iter().for_each(|one| warn(one, acting));
        match acting.read() {
            Ok(key) => {
                let key = Ok(key);
                fleet::in_parallel(refused, |(slot, report)| {
                    *report = slot.work(|name, drive| work(Some(&key), name, drive));
                });
            }
            Err(error) => {
                refused.into_iter().for_each(|one| give_up(one, &error));
                break;
            }
        }
    }
    reports
}

type Refused<'a> = (&'a mut Slot, &'a mut DriveReport);

fn is_refused((_, report): &Refused<'_>) -> bool {
    report.error.as_ref().is_some_and(|error| error.is_refusal)
}

/// Says why the secret is asked for again.
fn warn((slot, report): &Refused<'_>, acting: &Acting<'_>) {
    if let Some(error) = &report.error {
        acting.warn(&format!("{}: {error}", slot.named));
    }
}

/// The refusal stays the error of the drive; that there was no other secret is said with it.
fn give_up((_, report): Refused<'_>, reason: &CliError) {
    if let Some(error) = &mut report.error {
        error.message += &format!(", and there is no other secret: {reason}");
    }
}
