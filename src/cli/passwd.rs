//! `sedkit passwd`.

use serde::Serialize;

use super::args::passwd::Passwd;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::report::Report;
use super::secret::{self, Key, Recipe, Secrets};
use super::{Context, journal, plan, preflight};
use crate::drive::{Authority, Drive, PasswdReport, Proof};
use crate::secret::{Source, TerminalPrompter};

/// Changes the PIN of one authority, or of several that share it.
pub(crate) fn run(args: &Passwd, context: &Context) -> Result<Report, CliError> {
    let job = Job::new(args)?;
    Ok(drives::on_one(
        &args.device,
        args.session.opening(args.dry_run),
        context,
        |name, drive| {
            if args.dry_run.dry_run {
                return Ok(plan::done(name, args.session.reset, job.plan(drive)?));
            }
            job.check(drive)?;
            secret::repeat(job.attempts(args), context, || {
                let (key, new_key) = job.keys(args, context)?;
                job.run(name, drive, &key, &new_key, context)
            })
        },
    ))
}

/// Whose PINs, and who changes them.
struct Job {
    authorities: Vec<Authority>,
    /// Who acts; the authority itself where nobody is named.
    acting: Option<Authority>,
    source: Source,
    recipe: Recipe,
    new_source: Source,
    new_recipe: Recipe,
}

impl Job {
    fn new(args: &Passwd) -> Result<Self, CliError> {
        let names = std::iter::once(&args.authority).chain(&args.also);
        let mut authorities = Vec::new();
        for name in names {
            let authority = secret::authority(name)?;
            if !authorities.contains(&authority) {
                authorities.push(authority);
            }
        }
        Ok(Self {
            authorities,
            acting: args.admin_key.as_ref().map(|_| Authority::Admin(1)),
            source: secret::source(args.admin_key.as_ref().unwrap_or(&args.key.key))?,
            recipe: Recipe::existing(&args.scheme)?,
            new_source: secret::new_source(&args.new_key)?,
            new_recipe: Recipe::new_pin(&args.new_scheme, &args.scheme.salt)?,
        })
    }

    /// All authorities before the first of them is touched.
    fn check(&self, drive: &Drive) -> Result<(), CliError> {
        let check =
            |&authority| preflight::passwd(drive, authority, self.acting.unwrap_or(authority));
        self.authorities.iter().try_for_each(check)
    }

    /// Secrets are read again only if a person types both.
    fn attempts(&self, args: &Passwd) -> u32 {
        let attempts = |source| secret::attempts(source, args.session.tries);
        attempts(&self.source).min(attempts(&self.new_source))
    }

    fn plan(&self, drive: &Drive) -> Result<Vec<crate::drive::PlannedCall>, CliError> {
        let plan = |&authority| drive.plan_change_pin(authority, self.acting.unwrap_or(authority));
        let mut calls = Vec::new();
        for planned in self.authorities.iter().map(plan) {
            calls.extend(planned?);
        }
        Ok(calls)
    }

    fn keys(&self, args: &Passwd, context: &Context) -> Result<(Key, Key), CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
        let owner = self.acting.unwrap_or(self.authorities[0]);
        let prompt = format!("Present passphrase of {owner}");
        let key = secrets.existing(&self.source, &prompt, &self.recipe)?;
        let prompt = format!("New passphrase of {}", list(&self.authorities));
        let new_key = secrets.new_pin(&self.new_source, &prompt, &self.new_recipe)?;
        Ok((key, new_key))
    }

    /// One authority after the other: none is touched while the one before is unproven.
    fn run(
        &self,
        name: &Named,
        drive: &mut Drive,
        key: &Key,
        new_key: &Key,
        context: &Context,
    ) -> Result<Done, CliError> {
        let new_pin = new_key.pin(drive)?;
        let mut changes = Vec::new();
        for &authority in &self.authorities {
            let credential = key.credential(self.acting.unwrap_or(authority), drive)?;
            changes.push((authority, credential));
        }
        let (changed, error) = drive.change_pins(&changes, &new_pin);
        let error = error.map(CliError::from);
        if let (Some(error), []) = (&error, changed.as_slice()) {
            return Err(error.clone());
        }
        if !name.is_virtual() && changed.iter().any(may_be_saved) {
            context.output.note(STALE);
        }
        if changed.iter().any(|report| report.journal_failed) {
            context.output.warning(journal::FAILED);
        }
        Ok(self.done(name, &changed, error))
    }

    fn done(&self, name: &Named, changed: &[PasswdReport], error: Option<CliError>) -> Done {
        let lines: Vec<String> = changed
            .iter()
            .map(|report| format!("{name}: {}", line(report, &self.new_recipe)))
            .collect();
        let done = self.authorities.len().min(changed.len());
        let fields = Fields {
            authorities: changed.iter().map(Outcome::from).collect(),
            not_attempted: self.authorities[done..]
                .iter()
                .skip(1)
                .map(ToString::to_string)
                .collect(),
        };
        Done::notice(lines.join("\n"), &fields).with_error(error)
    }
}

/// What the kernel has is not told by it.
const STALE: &str = "if the kernel was given the old secret for resume, give it the new one: \
    \"sedkit unlock --save-for-resume\"";

/// Whether the kernel may have been given the PIN: `resume` has the authorities that it knows.
const fn may_be_saved(report: &PasswdReport) -> bool {
    matches!(
        report.authority,
        Authority::Admin(1) | Authority::User(1..=9)
    ) && report.changed
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    authorities: Vec<Outcome>,
    not_attempted: Vec<String>,
}

#[derive(Serialize)]
struct Outcome {
    authority: String,
    changed: bool,
    proof: &'static str,
}

impl From<&PasswdReport> for Outcome {
    fn from(report: &PasswdReport) -> Self {
        Self {
            authority: report.authority.to_string(),
            changed: report.changed,
            proof: proof(report.proof),
        }
    }
}

const fn proof(proof: Proof) -> &'static str {
    match proof {
        Proof::Authenticated => "authenticated",
        Proof::AuthorityDisabled => "authority_disabled",
    }
}

fn line(report: &PasswdReport, recipe: &Recipe) -> String {
    let authority = report.authority;
    let what = if report.changed {
        "has the new PIN"
    } else {
        "had the new PIN already"
    };
    let proof = match report.proof {
        Proof::Authenticated => "authenticated with it",
        Proof::AuthorityDisabled => "not proven: the authority is disabled",
    };
    format!("{authority} {what} (scheme {}), {proof}", recipe.scheme())
}

fn list(authorities: &[Authority]) -> String {
    let names: Vec<String> = authorities.iter().map(ToString::to_string).collect();
    names.join(", ")
}
