//! `sedkit reactivate`.

use serde::Serialize;

use super::args::reactivate::Reactivate;
use super::confirm::{self, Loss};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::findings::FindingFields;
use super::luks::Tenants;
use super::ranges::RangeFields;
use super::report::Report;
use super::secret::{self, Recipe, Secrets};
use super::single_user::{self, ModeFields, OwnerFields, OwnerKey};
use super::state::StateFields;
use super::{Context, in_use, journal, plan, preflight};
use crate::drive::{
    Authority, Credential, Drive, EraseConsent, ReactivateReport, Reactivation, SingleUserMode,
    SingleUserRanges, owner_of,
};
use crate::secret::{Source, TerminalPrompter};
use crate::spec::RangeNumber;

/// Changes which ranges are in single user mode, with consent.
pub(crate) fn run(args: &Reactivate, context: &Context) -> Result<Report, CliError> {
    let job = Job::new(args)?;
    let opening = args.actor.login.opening(args.dry_run);
    Ok(drives::on_one(
        &args.device,
        opening,
        context,
        |name, drive| {
            preflight::locking(drive, job.authority)?;
            let mut wanted = Reactivation {
                mode: job.mode.clone(),
                owner_pin: single_user::planned_pin(job.owner_key.as_ref()),
            };
            let calls = drive.plan_reactivate(&wanted, job.authority)?;
            if args.dry_run.dry_run {
                let calls = plan::done(name, args.actor.login.session.reset, calls);
                return Ok(plan::unless_refused(
                    calls,
                    guards(args, name, drive, context),
                ));
            }
            if calls.is_empty() {
                return Ok(already(name, drive, &job.mode));
            }
            for guard in guards(args, name, drive, context) {
                guard?;
            }
            let consent = consent(args, name, drive, &job.mode, context)?;
            secret::repeat(job.attempts(args), context, || {
                in_use::recheck(name, args.force, context)?;
                let credential = job.read(args, drive, &mut wanted, context)?;
                job.carry_out(name, drive, &wanted, (&credential, &consent), context)
            })
        },
    ))
}

/// Refuses what others use: locks are off for a moment, and users come and go.
fn guards(
    args: &Reactivate,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> [Result<(), CliError>; 2] {
    [
        in_use::check(name, args.force, context),
        Tenants::of(name, drive).spare_all(name, args.force, context),
    ]
}

/// The mode that is asked for.
fn mode(args: &Reactivate) -> SingleUserMode {
    let ranges = match args.all_ranges {
        true => SingleUserRanges::All,
        false => SingleUserRanges::listed(args.ranges.iter().copied().map(RangeNumber)),
    };
    SingleUserMode {
        ranges,
        policy: single_user::policy(args.owners.range_policy),
    }
}

/// What is asked for, and where the secrets come from.
struct Job {
    mode: SingleUserMode,
    authority: Authority,
    source: Source,
    recipe: Recipe,
    /// The passphrase of the owners; none where there will be none, or where they get none.
    owner_key: Option<OwnerKey>,
}

impl Job {
    fn new(args: &Reactivate) -> Result<Self, CliError> {
        let scheme = &args.actor.login.scheme;
        let owner_key = match args.off {
            true => None,
            false => OwnerKey::new(&args.owners, &args.new_scheme, &scheme.salt)?,
        };
        Ok(Self {
            mode: mode(args),
            authority: secret::authority(&args.actor.authority)?,
            source: secret::source(args.actor.login.key.source())?,
            recipe: Recipe::existing(scheme)?,
            owner_key,
        })
    }

    /// Secrets are read again only if a person types all of them.
    fn attempts(&self, args: &Reactivate) -> u32 {
        let owner_source = self.owner_key.as_ref().map(OwnerKey::source);
        let sources = owner_source.into_iter().chain([&self.source]);
        let attempts =
            sources.map(|source| secret::attempts(source, args.actor.login.session.tries));
        attempts.min().unwrap_or(1)
    }

    fn read(
        &self,
        args: &Reactivate,
        drive: &mut Drive,
        wanted: &mut Reactivation,
        context: &Context,
    ) -> Result<Credential, CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.actor.login.scheme.salt, context);
        let prompt = format!("{} passphrase", self.authority);
        let key = secrets.existing(&self.source, &prompt, &self.recipe)?;
        let owner_key = self.owner_key.as_ref();
        let owner_key = owner_key.map(|key| key.read(&mut secrets)).transpose()?;
        wanted.owner_pin = owner_key.map(|key| key.pin(drive)).transpose()?;
        key.credential(self.authority, drive)
    }

    fn carry_out(
        &self,
        name: &Named,
        drive: &mut Drive,
        wanted: &Reactivation,
        (credential, consent): (&Credential, &EraseConsent),
        context: &Context,
    ) -> Result<Done, CliError> {
        let report = drive.reactivate(wanted, credential, consent.clone())?;
        if report.journal_failed {
            context.output.warning(journal::FAILED);
        }
        single_user::warn(name, &self.mode, &report.mode, &report.owners, context);
        for range in &report.open {
            let owner = owner_of(*range).unwrap_or(Authority::User(1));
            context.output.warning(&format!(
                "{name}: the locks of range {range} were enabled and are not any more: once {owner} \
                 has a PIN, \"sedkit range set --range {range} --as {owner} --read-lock-enabled yes \
                 --write-lock-enabled yes\" enables them"
            ));
        }
        let text = format!("{name}: {}", self.text(&report));
        Ok(Done::notice(text, &Fields::from(&report)))
    }

    fn text(&self, report: &ReactivateReport) -> String {
        let mode = single_user::mode_text(&report.mode);
        if !report.changed {
            return format!("{mode}: as asked already, nothing was changed");
        }
        let owners = single_user::owners_text(&report.owners, self.owner_key.as_ref());
        let locks: Vec<_> = report
            .ranges
            .iter()
            .map(|it| it.number.to_string())
            .collect();
        let locks = match locks.as_slice() {
            [] => String::new(),
            locks => format!(
                "; the locks of range {} are enabled again",
                locks.join(", ")
            ),
        };
        format!("reactivated, {mode}{owners}{locks}; no key was touched")
    }
}

fn already(name: &Named, drive: &Drive, mode: &SingleUserMode) -> Done {
    let fields = Fields {
        changed: false,
        single_user_mode: mode.into(),
        owners: Vec::new(),
        ranges: Vec::new(),
        open: Vec::new(),
        state: (&drive.state()).into(),
        findings: drive
            .diagnose()
            .into_iter()
            .map(FindingFields::from)
            .collect(),
    };
    let mode = single_user::mode_text(mode);
    let text = format!("{name}: {mode}: as asked already, nothing was changed");
    Done::notice(text, &fields)
}

fn consent(
    args: &Reactivate,
    name: &Named,
    drive: &Drive,
    mode: &SingleUserMode,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let losses = losses(mode);
    let loss = Loss::new(name, drive.identity(), &losses);
    confirm::ask(&args.consent, &loss, context)
}

/// What is lost, and what stays.
fn losses(mode: &SingleUserMode) -> Vec<String> {
    let owners = match &mode.ranges {
        SingleUserRanges::None => "every range is Admins' again".to_owned(),
        ranges => format!(
            "nobody but its user can lock and unlock {} from then on, not even Admin1",
            single_user::ranges_text(ranges)
        ),
    };
    vec![
        "all users, and Admins but Admin1, lose their PINs, names and rights".to_owned(),
        owners,
        "DataStore tables and the shadow MBR may be reset".to_owned(),
        "no range gets a new key, and places, data and the passphrase of Admin1 stay".to_owned(),
    ]
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    single_user_mode: ModeFields,
    owners: Vec<OwnerFields>,
    ranges: Vec<RangeFields>,
    open: Vec<u16>,
    state: StateFields,
    findings: Vec<FindingFields>,
}

impl From<&ReactivateReport> for Fields {
    fn from(report: &ReactivateReport) -> Self {
        Self {
            changed: report.changed,
            single_user_mode: (&report.mode).into(),
            owners: report.owners.iter().map(OwnerFields::from).collect(),
            ranges: report.ranges.iter().map(RangeFields::from).collect(),
            open: report.open.iter().map(|range| range.0).collect(),
            state: (&report.state).into(),
            findings: report
                .findings
                .iter()
                .copied()
                .map(FindingFields::from)
                .collect(),
        }
    }
}
