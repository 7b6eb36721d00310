//! `sedkit revert`.

use serde::Serialize;

use super::args::revert::Revert;
use super::confirm::{self, Loss};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::findings::{self, FindingFields};
use super::luks::Tenants;
use super::report::Report;
use super::secret::{self, Acting, Secrets};
use super::state::StateFields;
use super::{Context, in_use, plan, preflight, rescan};
use crate::drive::{Authority, Credential, Drive, EraseConsent, LockingState, RevertReport};
use crate::secret::{Source, TerminalPrompter};

/// Returns a drive to its factory state, with consent.
pub(crate) fn run(args: &Revert, context: &Context) -> Result<Report, CliError> {
    let by = By::new(args, context)?;
    Ok(drives::on_one(
        &args.device,
        args.session.opening(args.dry_run),
        context,
        |name, drive| {
            if args.dry_run.dry_run {
                return Ok(plan::done(
                    name,
                    args.session.reset,
                    drive.plan_revert(by.authority())?,
                ));
            }
            preflight::revert(drive, by.authority())?;
            in_use::check(name, args.force, context)?;
            Tenants::of(name, drive).spare_all(name, args.force, context)?;
            let consent = consent(args, name, drive, context)?;
            let report = by.revert(args, name, drive, &consent, context)?;
            let rescanned = rescan::drive(name, context);
            Ok(done(name, &report, rescanned))
        },
    ))
}

/// Who reverts.
enum By<'a> {
    Psid(Source),
    Owner(Acting<'a>),
}

impl<'a> By<'a> {
    fn new(args: &'a Revert, context: &'a Context) -> Result<Self, CliError> {
        if let Some(source) = &args.psid {
            return secret::source(source).map(Self::Psid);
        }
        let authority = secret::authority(&args.authority)?;
        let acting = Acting::new(authority, &args.key, &args.scheme, args.session, context)?;
        Ok(Self::Owner(acting))
    }

    const fn authority(&self) -> Authority {
        match self {
            Self::Psid(_) => Authority::Psid,
            Self::Owner(acting) => acting.authority(),
        }
    }

    /// Reverts. A PSID may be typed again like any other secret.
    fn revert(
        &self,
        args: &Revert,
        name: &Named,
        drive: &mut Drive,
        consent: &EraseConsent,
        context: &Context,
    ) -> Result<RevertReport, CliError> {
        let revert = |drive: &mut Drive, credential: &Credential| {
            in_use::recheck(name, args.force, context)?;
            Ok(drive.revert(credential, consent.clone())?)
        };
        let source = match self {
            Self::Owner(acting) => return acting.with_key(drive, revert),
            Self::Psid(source) => source,
        };
        let read = || {
            let mut terminal = TerminalPrompter::new();
            let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
            Ok::<_, CliError>(Credential::new(Authority::Psid, secrets.psid(source)?))
        };
        let attempts = secret::attempts(source, args.session.tries);
        secret::repeat(attempts, context, || revert(drive, &read()?))
    }
}

fn consent(
    args: &Revert,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let losses = losses(drive);
    confirm::ask(
        &args.consent,
        &Loss::new(name, drive.identity(), &losses),
        context,
    )
}

/// What a revert does to this drive (\[Opal\] 5.2.2.3; \[Pyrite\] has no media encryption).
fn losses(drive: &Drive) -> Vec<String> {
    if drive.state().locking == LockingState::Inactive {
        return vec![
            "SID's PIN is lost; locking is not active, so that the data is NOT erased".to_owned(),
        ];
    }
    let locking = drive.discovery().locking();
    let data = match locking.is_some_and(|locking| locking.media_encryption) {
        true => "ALL DATA on it is lost: its media keys are replaced",
        false => {
            "ALL DATA on it may be lost, or stay readable for anybody: the drive does not encrypt, \
             and removes data as its maker chose"
        }
    };
    vec![
        data.to_owned(),
        "passphrases, users and ranges are lost too".to_owned(),
    ]
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    erased: bool,
    state: StateFields,
    findings: Vec<FindingFields>,
    rescanned: Vec<String>,
}

fn done(name: &Named, report: &RevertReport, rescanned: Vec<String>) -> Done {
    let findings = report
        .findings
        .iter()
        .copied()
        .map(FindingFields::from)
        .collect();
    let fields = Fields {
        changed: report.changed,
        erased: report.erased,
        state: (&report.state).into(),
        findings,
        rescanned,
    };
    let what = match (report.changed, report.erased) {
        (false, _) => "in its original factory state already, nothing was sent",
        (true, true) => "reverted, and its data erased",
        (true, false) => "reverted; its data was NOT erased",
    };
    let mut text = format!("{name}: {what}; its state is {}", report.state);
    if !fields.findings.is_empty() {
        text += &format!("; yet:\n{}", findings::text(&fields.findings));
    }
    Done::notice(text, &fields)
}
