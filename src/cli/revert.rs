//! `sedkit revert`.

use serde::Serialize;

use super::args::revert::Revert;
use super::confirm::{self, Loss};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::findings::{self, FindingFields};
use super::report::Report;
use super::secret::{self, Acting, Secrets};
use super::state::StateFields;
use super::{Context, in_use, plan};
use crate::drive::{Authority, Credential, Drive, EraseConsent, RevertReport};
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
                    args.session,
                    drive.plan_revert(by.authority()),
                ));
            }
            in_use::check(name, args.force, context)?;
            let consent = consent(args, name, drive, context)?;
            let credential = by.credential(args, drive, context)?;
            let report = drive.revert(&credential, consent)?;
            Ok(done(name, &report))
        },
    ))
}

/// Who reverts.
enum By<'a> {
    Psid(Source),
    Owner(Authority, Acting<'a>),
}

impl<'a> By<'a> {
    fn new(args: &'a Revert, context: &'a Context) -> Result<Self, CliError> {
        if let Some(source) = &args.psid {
            return secret::source(source).map(Self::Psid);
        }
        let authority = secret::authority(&args.authority)?;
        let acting = Acting::new(authority, &args.key, &args.scheme, args.session, context)?;
        Ok(Self::Owner(authority, acting))
    }

    const fn authority(&self) -> Authority {
        match self {
            Self::Psid(_) => Authority::Psid,
            Self::Owner(authority, _) => *authority,
        }
    }

    fn credential(
        &self,
        args: &Revert,
        drive: &mut Drive,
        context: &Context,
    ) -> Result<Credential, CliError> {
        match self {
            Self::Psid(source) => {
                let mut terminal = TerminalPrompter::new();
                let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
                Ok(Credential::new(Authority::Psid, secrets.psid(source)?))
            }
            Self::Owner(authority, acting) => acting.read()?.credential(*authority, drive),
        }
    }
}

fn consent(
    args: &Revert,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let losses = [
        "ALL DATA on it is lost: its media keys are replaced".to_owned(),
        "passphrases, users and ranges are lost too".to_owned(),
    ];
    confirm::ask(
        &args.consent,
        &Loss::new(name, drive.identity(), &losses),
        context,
    )
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    state: StateFields,
    findings: Vec<FindingFields>,
}

fn done(name: &Named, report: &RevertReport) -> Done {
    let findings = report
        .findings
        .iter()
        .copied()
        .map(FindingFields::from)
        .collect();
    let fields = Fields {
        state: (&report.state).into(),
        findings,
    };
    let mut text = format!("{name}: reverted, its state is {}", report.state);
    if !fields.findings.is_empty() {
        text += &format!("; yet:\n{}", findings::text(&fields.findings));
    }
    Done::notice(text, &fields)
}
