//! `revert --keep-data`: RevertSP with the key of range 0 kept, and a look whether it was.

use super::super::args::revert::Revert;
use super::super::device::Named;
use super::super::drives::{self, Done};
use super::super::error::CliError;
use super::super::evidence::{Before, Observer};
use super::super::report::Report;
use super::super::secret::{self, Acting};
use super::super::{Context, in_use, plan, preflight, rescan};
use super::outcome::{Outcome, read_test};
use super::{consent, guards};
use crate::drive::{Credential, Drive, EraseConsent, LockingRange, LockingState, OtherRanges};
use crate::spec::RangeNumber;
use crate::verify::Expectation;

/// Switches locking off, with consent.
pub(super) fn run(args: &Revert, context: &Context) -> Result<Report, CliError> {
    let authority = secret::authority(args.authority.as_deref().unwrap_or("Admin1"))?;
    let acting = Acting::new(authority, &args.login, context)?;
    let opening = args.login.opening(args.dry_run);
    let work = |name: &Named, drive: &mut Drive| {
        if args.dry_run.dry_run {
            let plan = drive.plan_revert_keeping_data(authority)?;
            let plan = plan::done(name, args.login.session.reset, plan);
            return Ok(plan::unless_refused(
                plan,
                guards(args, name, drive, context),
            ));
        }
        preflight::family(drive)?;
        if drive.state().locking == LockingState::Inactive {
            return Ok(nothing_to_do(args, name, drive, context));
        }
        preflight::locking(drive, authority)?;
        guards(args, name, drive, context)
            .into_iter()
            .collect::<Result<(), _>>()?;
        let consent = consent(args, name, drive, &losses(), context)?;
        acting.with_key(drive, |drive, credential| {
            in_use::recheck(name, args.force, context)?;
            carry_out(args, name, drive, (credential, &consent), context)
        })
    };
    Ok(drives::on_one(&args.device, opening, context, work))
}

fn losses() -> Vec<String> {
    [
        "the data of every range but range 0 is lost, and all passphrases and users but SID's",
        "range 0 keeps its data only if the drive does as it is told: Samsung PM1733, for one, does \
         not, and LOSES ALL DATA, perhaps not before its next power cycle. \"sedkit revert --to-msid\" \
         keeps all data and touches no key",
    ]
    .map(str::to_owned)
    .to_vec()
}

fn nothing_to_do(args: &Revert, name: &Named, drive: &Drive, context: &Context) -> Done {
    let observer = Observer::new(name, drive, args.samples, context);
    let state = drive.state();
    let outcome = Outcome {
        mode: "keep_data",
        text: format!("locking is not active, nothing was sent; its state is {state}"),
        findings: drive.diagnose(),
        ..Outcome::new(state, observer.sampling())
    };
    outcome.done(name)
}

fn carry_out(
    args: &Revert,
    name: &Named,
    drive: &mut Drive,
    (credential, consent): (&Credential, &EraseConsent),
    context: &Context,
) -> Result<Done, CliError> {
    let observer = Observer::new(name, drive, args.samples, context);
    let mut before = None;
    let mut look = |seen: &[LockingRange]| before = look_at_global(&observer, seen);
    let others = match args.lose_ranges {
        true => OtherRanges::Lose,
        false => OtherRanges::Spare,
    };
    let report = drive.revert_keeping_data(credential, others, consent.clone(), &mut look)?;
    let rescanned = rescan::drive(name, context);
    let evidence = before.map(|before| observer.compare(&before, Expectation::Kept));
    let outcome = Outcome {
        mode: "keep_data",
        text: format!("{DONE}; its state is {}", report.state),
        changed: report.changed,
        lost: report.lost,
        findings: report.findings,
        evidence,
        readable: report.changed.then(|| read_test(&observer)),
        rescanned,
        ..Outcome::new(report.state, observer.sampling())
    };
    Ok(outcome.done(name))
}

const DONE: &str = "locking is off, and the drive was told to keep the data of range 0: compare it once \
    more after a power cycle before you rely on it. SID keeps its PIN (\"sedkit revert --to-msid\" gives \
    it back)";

/// Range 0 is what is to be kept.
pub(super) fn look_at_global(observer: &Observer<'_>, seen: &[LockingRange]) -> Option<Before> {
    let global = seen
        .iter()
        .find(|range| range.number == RangeNumber::GLOBAL);
    global.map(|range| observer.look_at(range, seen))
}
