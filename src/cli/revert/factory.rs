//! Revert of the whole TPer, by the PSID or as SID.

use super::super::args::revert::Revert;
use super::super::device::Named;
use super::super::drives::{self, Done};
use super::super::error::CliError;
use super::super::evidence::{Before, Observer};
use super::super::report::Report;
use super::super::secret::{self, Acting, Secrets};
use super::super::{Context, in_use, plan, preflight, rescan};
use super::outcome::{Outcome, read_test};
use super::{consent, guards};
use crate::drive::{Authority, Credential, Drive, EraseConsent, LockingState, RevertReport};
use crate::secret::{Source, TerminalPrompter};
use crate::verify::Expectation;

/// Returns a drive to its factory state, with consent.
pub(super) fn run(args: &Revert, context: &Context) -> Result<Report, CliError> {
    let by = By::new(args, context)?;
    let opening = args.login.opening(args.dry_run);
    let work = |name: &Named, drive: &mut Drive| {
        if args.dry_run.dry_run {
            let plan = drive.plan_revert(by.authority())?;
            let plan = plan::done(name, args.login.session.reset, plan);
            return Ok(plan::unless_refused(
                plan,
                guards(args, name, drive, context),
            ));
        }
        preflight::revert(drive, by.authority())?;
        guards(args, name, drive, context)
            .into_iter()
            .collect::<Result<(), _>>()?;
        let consent = consent(args, name, drive, &losses(drive), context)?;
        by.revert(args, name, drive, &consent, context)
    };
    Ok(drives::on_one(&args.device, opening, context, work))
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
        let authority = args.authority.as_deref().unwrap_or("SID");
        let authority = secret::authority(authority)?;
        let acting = Acting::new(authority, &args.login, context)?;
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
    ) -> Result<Done, CliError> {
        let revert = |drive: &mut Drive, credential: &Credential| {
            in_use::recheck(name, args.force, context)?;
            carry_out(args, name, drive, (credential, consent), context)
        };
        let source = match self {
            Self::Owner(acting) => return acting.with_key(drive, revert),
            Self::Psid(source) => source,
        };
        let read = |drive: &Drive| {
            let mut terminal = TerminalPrompter::new();
            let mut secrets = Secrets::new(&mut terminal, &args.login.scheme.salt, context);
            let psid = secrets.psid(source, drive.identity())?;
            Ok::<_, CliError>(Credential::new(Authority::Psid, psid))
        };
        let attempts = secret::attempts(source, args.login.session.tries);
        secret::repeat(attempts, context, || {
            let credential = read(drive)?;
            revert(drive, &credential)
        })
    }
}

/// Samples, the revert, the same samples again, and a look whether the drive can be read.
fn carry_out(
    args: &Revert,
    name: &Named,
    drive: &mut Drive,
    (credential, consent): (&Credential, &EraseConsent),
    context: &Context,
) -> Result<Done, CliError> {
    let observer = Observer::new(name, drive, args.samples, context);
    // Where nothing will be erased, blocks show nothing.
    let before = (drive.state().locking != LockingState::Inactive).then(|| observer.look_at_all());
    let report = drive.revert(credential, consent.clone())?;
    let rescanned = rescan::drive(name, context);
    Ok(outcome(&report, &observer, before.as_ref(), rescanned).done(name))
}

fn outcome(
    report: &RevertReport,
    observer: &Observer<'_>,
    before: Option<&Before>,
    rescanned: Vec<String>,
) -> Outcome {
    let before = before.filter(|_| report.erased);
    let evidence = before.map(|before| observer.compare(before, Expectation::Changed));
    let what = match (report.changed, report.erased) {
        (false, _) => "in its original factory state already, nothing was sent",
        (true, true) => "reverted, and its data erased",
        (true, false) => "reverted; its data was NOT erased",
    };
    Outcome {
        mode: "factory",
        text: format!("{what}; its state is {}", report.state),
        changed: report.changed,
        erased: report.erased,
        state: report.state,
        findings: report.findings.clone(),
        evidence,
        sampling: observer.sampling(),
        readable: report.changed.then(|| read_test(observer)),
        rescanned,
        ..Outcome::new(report.state, observer.sampling())
    }
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
