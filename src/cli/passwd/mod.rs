//! `sedkit passwd`.

mod first;
mod target;

use serde::Serialize;
use target::{Target, targets};

use crate::cli::args::passwd::Passwd;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::secret::{self, Key, Recipe, Secrets};
use crate::cli::{Context, journal, plan, preflight};
use crate::drive::{Authority, Credential, Drive, PasswdReport, PinChange, Proof};
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
            if job.from_empty {
                return first::run(&job, args, name, drive, context);
            }
            secret::repeat(job.attempts(args), context, || {
                let (key, new_key) = job.keys(args, context)?;
                job.run(name, drive, &key, &new_key, context)
            })
        },
    ))
}

/// Whose PINs, and who changes them.
struct Job {
    targets: Vec<Target>,
    /// Who acts; the authority itself where nobody is named.
    acting: Option<Authority>,
    source: Source,
    recipe: Recipe,
    new_source: Source,
    /// Whether the present PIN is the empty one.
    from_empty: bool,
}

impl Job {
    fn new(args: &Passwd) -> Result<Self, CliError> {
        let recipe = Recipe::existing(&args.scheme)?;
        let targets = targets(args, &recipe)?;
        Ok(Self {
            targets,
            acting: args.admin_key.as_ref().map(|_| Authority::Admin(1)),
            source: secret::source(args.admin_key.as_deref().unwrap_or(args.key.source()))?,
            recipe,
            new_source: secret::new_source(&args.new_key)?,
            from_empty: args.from_empty,
        })
    }

    /// All authorities before the first of them is touched.
    fn check(&self, drive: &Drive) -> Result<(), CliError> {
        let check = |target: &Target| {
            let authority = target.authority;
            preflight::passwd(drive, authority, self.acting.unwrap_or(authority))
        };
        self.targets.iter().try_for_each(check)?;
        self.plan(drive).map(drop)
    }

    /// Secrets are read again only if a person types both.
    fn attempts(&self, args: &Passwd) -> u32 {
        let attempts = |source| secret::attempts(source, args.session.tries);
        attempts(&self.source).min(attempts(&self.new_source))
    }

    fn plan(&self, drive: &Drive) -> Result<Vec<crate::drive::PlannedCall>, CliError> {
        if self.from_empty {
            return first::plan(self, drive);
        }
        let mut calls = Vec::new();
        for target in &self.targets {
            let acting = self.acting.unwrap_or(target.authority);
            calls.extend(drive.plan_change_pin(target.authority, acting)?);
        }
        Ok(calls)
    }

    fn keys(&self, args: &Passwd, context: &Context) -> Result<(Key, Key), CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
        let owner = self.acting.unwrap_or(self.targets[0].authority);
        let prompt = format!("Present passphrase of {owner}");
        let key = secrets.existing(&self.source, &prompt, &self.recipe)?;
        let prompt = format!("New passphrase of {}", list(&self.targets));
        let new_key = secrets.new_pin(&self.new_source, &prompt, &self.targets[0].new)?;
        Ok((key, new_key))
    }

    /// All PINs before the first of them is set: a passphrase that one scheme refuses changes
    /// nothing.
    fn changes(
        &self,
        drive: &mut Drive,
        key: &Key,
        new_key: &Key,
    ) -> Result<Vec<PinChange>, CliError> {
        let mut changes = Vec::new();
        for target in &self.targets {
            let (by, recipe) = match self.acting {
                Some(acting) => (acting, &self.recipe),
                None => (target.authority, &target.present),
            };
            changes.push(PinChange {
                authority: target.authority,
                by: Credential::new(by, key.pin_by(recipe, drive)?),
                new_pin: new_key.pin_by(&target.new, drive)?,
            });
        }
        Ok(changes)
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
        let changes = self.changes(drive, key, new_key)?;
        let (changed, error) = drive.change_pins(&changes);
        let error = error.map(CliError::from);
        if let (Some(error), []) = (&error, changed.as_slice()) {
            return Err(error.clone());
        }
        if !name.is_virtual() && changed.iter().any(may_be_saved) {
            context.output.note(STALE);
        }
        journal_warning(&changed, context);
        Ok(self.done(name, &changed, error))
    }

    fn done(&self, name: &Named, changed: &[PasswdReport], error: Option<CliError>) -> Done {
        let reports = || self.targets.iter().zip(changed);
        let lines: Vec<String> = reports()
            .map(|(target, report)| format!("{name}: {}", line(report, &target.new)))
            .collect();
        let rest = self.targets.iter().skip(changed.len() + 1);
        let fields = Fields {
            authorities: reports().map(Outcome::from).collect(),
            not_attempted: rest.map(|target| target.authority.to_string()).collect(),
        };
        Done::notice(lines.join("\n"), &fields).with_error(error)
    }
}

/// Warns if the next run could not go on by the journal.
fn journal_warning(changed: &[PasswdReport], context: &Context) {
    if changed.iter().any(|report| report.journal_failed) {
        context.output.warning(journal::FAILED);
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
    scheme: &'static str,
    salt_rule: Option<String>,
    changed: bool,
    proof: &'static str,
}

impl From<(&Target, &PasswdReport)> for Outcome {
    fn from((target, report): (&Target, &PasswdReport)) -> Self {
        let rule = target.new.rule();
        Self {
            authority: report.authority.to_string(),
            scheme: rule.scheme.name(),
            salt_rule: rule.salt_name(),
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
    format!("{authority} {what} (scheme {}), {proof}", recipe.rule())
}

fn list(targets: &[Target]) -> String {
    let names: Vec<String> = targets
        .iter()
        .map(|target| target.authority.to_string())
        .collect();
    names.join(", ")
}
