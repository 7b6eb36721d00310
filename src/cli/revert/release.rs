//! `revert --to-msid`: locking off and default PINs back, and no key touched.

use super::super::args::revert::Revert;
use super::super::device::Named;
use super::super::drives::{self, Done};
use super::super::error::CliError;
use super::super::evidence::Observer;
use super::super::luks::Tenants;
use super::super::report::Report;
use super::super::secret::{self, Recipe, Secrets};
use super::super::{Context, journal, plan, preflight, rescan};
use super::consent;
use super::outcome::{Outcome, read_test};
use crate::drive::{Drive, EraseConsent, LockingState, ReleaseReport, Releasing};
use crate::secret::{Source, TerminalPrompter};
use crate::verify::Expectation;

/// Releases a drive, with consent.
pub(super) fn run(args: &Revert, context: &Context) -> Result<Report, CliError> {
    let keys = Keys::new(args)?;
    let opening = args.login.opening(args.dry_run);
    let work = |name: &Named, drive: &mut Drive| {
        let guard = |drive: &Drive| Tenants::of(name, drive).spare_all(name, args.force, context);
        if args.dry_run.dry_run {
            let plan = plan::done(name, args.login.session.reset, drive.plan_release()?);
            return Ok(plan::unless_refused(plan, [guard(drive)]));
        }
        preflight::release(drive)?;
        guard(drive)?;
        let consent = consent(args, name, drive, &losses(), context)?;
        secret::repeat(keys.attempts(args), context, || {
            let pins = keys.read(args, drive, context)?;
            carry_out(args, name, drive, (&pins, &consent), context)
        })
    };
    Ok(drives::on_one(&args.device, opening, context, work))
}

fn losses() -> Vec<String> {
    [
        "no data is lost, but nothing is locked any more: whoever has the drive can read it",
        "SID and Admin1 get the PIN that the drive shows to anybody: who can talk to it can lock it or \
         erase it",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Where the two passphrases come from.
struct Keys {
    key: Source,
    sid_key: Option<Source>,
    recipe: Recipe,
}

impl Keys {
    fn new(args: &Revert) -> Result<Self, CliError> {
        Ok(Self {
            key: secret::source(args.login.key.source())?,
            sid_key: args.sid_key.as_deref().map(secret::source).transpose()?,
            recipe: Recipe::existing(&args.login.scheme)?,
        })
    }

    /// Secrets are read again only if a person types all of them.
    fn attempts(&self, args: &Revert) -> u32 {
        let sources = self.sid_key.iter().chain([&self.key]);
        let attempts = sources.map(|source| secret::attempts(source, args.login.session.tries));
        attempts.min().unwrap_or(1)
    }

    /// The PINs that this drive needs. One secret is for both, unless SID's is given.
    fn read(
        &self,
        args: &Revert,
        drive: &mut Drive,
        context: &Context,
    ) -> Result<Releasing, CliError> {
        let is_active = drive.state().locking != LockingState::Inactive;
        let is_owned = drive.state().owned != Some(false);
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.login.scheme.salt, context);
        let prompt = match (is_active, is_owned && self.sid_key.is_none()) {
            (true, true) => Some("Passphrase of Admin1 and SID"),
            (true, false) => Some("Passphrase of Admin1"),
            (false, true) => Some("Passphrase of SID"),
            (false, false) => None,
        };
        let mut read = |source, prompt| secrets.existing(source, prompt, &self.recipe);
        let key = prompt.map(|prompt| read(&self.key, prompt)).transpose()?;
        let sid_key = self.sid_key.as_ref().filter(|_| is_owned);
        let sid_key = sid_key
            .map(|source| read(source, "Passphrase of SID"))
            .transpose()?;
        let admin1 = key.as_ref().filter(|_| is_active);
        let sid = sid_key.as_ref().or(key.as_ref()).filter(|_| is_owned);
        Ok(Releasing::new(
            admin1.map(|key| key.pin(drive)).transpose()?,
            sid.map(|key| key.pin(drive)).transpose()?,
        ))
    }
}

fn carry_out(
    args: &Revert,
    name: &Named,
    drive: &mut Drive,
    (pins, consent): (&Releasing, &EraseConsent),
    context: &Context,
) -> Result<Done, CliError> {
    let observer = Observer::new(name, drive, args.samples, context);
    let mut before = None;
    let mut look = |_: &[_]| before = Some(observer.look_at_all());
    let report = drive.release(pins, consent.clone(), &mut look)?;
    if report.journal_failed {
        context.output.warning(journal::FAILED);
    }
    let rescanned = rescan::drive(name, context);
    let evidence = before.map(|before| observer.compare(&before, Expectation::Kept));
    let outcome = Outcome {
        mode: "to_msid",
        text: text(&report),
        changed: report.changed,
        released: report.ranges,
        pins: report.pins,
        findings: report.findings,
        evidence,
        readable: report.changed.then(|| read_test(&observer)),
        rescanned,
        ..Outcome::new(report.state, observer.sampling())
    };
    Ok(outcome.done(name))
}

fn text(report: &ReleaseReport) -> String {
    match report.changed {
        false => format!(
            "nothing is locked and the PINs are the default ones already, nothing was changed; its \
             state is {}",
            report.state
        ),
        true => format!(
            "released: nothing is locked, the PINs are the default ones, and no key was touched; its \
             state is {}",
            report.state
        ),
    }
}
