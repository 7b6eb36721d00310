//! `sedkit erase`, and `sedkit range erase`.

use serde::Serialize;

use super::args::erase::{Erase, EraseOptions};
use super::args::{Device, Force};
use super::confirm::{self, Loss};
use super::data_removal::DataRemovalFields;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::evidence::{Before, Evidence, EvidenceFields, Observer, SamplingFields, refutation};
use super::exit::Code;
use super::luks::Tenants;
use super::report::Report;
use super::secret::Acting;
use super::state::StateFields;
use super::{Context, in_use, plan, preflight, rescan};
use crate::drive::{
    Cause, Credential, Drive, EraseConsent, EraseMethod, EraseReport, EraseRequest, LockingRange,
};
use crate::spec::{RangeNumber, Uid};
use crate::verify::Expectation;
use crate::wire::hex;

/// Replaces the keys of ranges, with consent.
pub(crate) fn run(args: &Erase, context: &Context) -> Result<Report, CliError> {
    let ranges = args.ranges.iter().copied().map(RangeNumber).collect();
    erase(&args.device, ranges, &args.options, context)
}

/// Erases these ranges, or all if there are none.
pub(crate) fn erase(
    device: &Device,
    ranges: Vec<RangeNumber>,
    options: &EraseOptions,
    context: &Context,
) -> Result<Report, CliError> {
    let acting = Acting::of(&options.actor, context)?;
    let authority = acting.authority();
    let request = EraseRequest::new(ranges);
    let opening = options.actor.login.opening(options.dry_run);
    Ok(drives::on_one(device, opening, context, |name, drive| {
        preflight::erase(drive, authority)?;
        if options.dry_run.dry_run {
            let plan = drive.plan_erase(&request, authority)?;
            let plan = plan::done(name, options.actor.login.session.reset, plan);
            return Ok(plan::unless_refused(
                plan,
                guards(name, drive, &request, options.force, context),
            ));
        }
        for guard in guards(name, drive, &request, options.force, context) {
            guard?;
        }
        let consent = consent(options, name, drive, &request, context)?;
        acting.with_key(drive, |drive, credential| {
            in_use::recheck(name, options.force, context)?;
            carry_out(
                options,
                name,
                drive,
                &request,
                (credential, &consent),
                context,
            )
        })
    }))
}

/// Refuses what others use.
fn guards(
    name: &Named,
    drive: &Drive,
    request: &EraseRequest,
    force: Force,
    context: &Context,
) -> [Result<(), CliError>; 2] {
    let tenants = Tenants::of(name, drive);
    [
        in_use::check(name, force, context),
        tenants.spare_data(&request.ranges, name, force, context),
    ]
}

fn consent(
    options: &EraseOptions,
    name: &Named,
    drive: &Drive,
    request: &EraseRequest,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let losses = match request.ranges.as_slice() {
        [] => vec!["ALL DATA on it is lost: every range gets a new key".to_owned()],
        ranges => vec![format!(
            "the data of {} is lost: it gets a new key",
            names(ranges)
        )],
    };
    let loss = Loss::new(name, drive.identity(), &losses);
    confirm::ask(&options.consent, &loss, context)
}

fn names(ranges: &[RangeNumber]) -> String {
    let names: Vec<String> = ranges
        .iter()
        .map(|range| match *range {
            RangeNumber::GLOBAL => "range 0 (all blocks that no other range has)".to_owned(),
            range => format!("range {range}"),
        })
        .collect();
    names.join(" and of ")
}

/// Samples, new keys, and the same samples again.
fn carry_out(
    options: &EraseOptions,
    name: &Named,
    drive: &mut Drive,
    request: &EraseRequest,
    (credential, consent): (&Credential, &EraseConsent),
    context: &Context,
) -> Result<Done, CliError> {
    let observer = Observer::new(name, drive, options.samples, context);
    let mut before: Vec<(RangeNumber, Before)> = Vec::new();
    let mut look = |seen: &[LockingRange]| {
        let samples = seen
            .iter()
            .map(|range| (range.number, observer.look_at(range, seen)));
        before = samples.collect();
    };
    let report = drive.erase(request, credential, consent.clone(), &mut look)?;
    let rescanned = rescan::drive(name, context);
    let evidence = |range: RangeNumber| {
        let seen = before.iter().find(|(number, _)| *number == range);
        seen.map(|(_, before)| observer.compare(before, Expectation::Changed))
    };
    let ranges = report.ranges.iter().map(|erased| Erased {
        range: erased.range.0,
        by: erased.by,
        evidence: erased.by.and_then(|_| evidence(erased.range)),
        error: erased.error.as_ref().map(CliError::from),
    });
    let ranges: Vec<Erased> = ranges.collect();
    let fields = Fields {
        changed: true,
        ranges: ranges.iter().map(RangeFields::from).collect(),
        sampling: observer.sampling().into(),
        data_removal: DataRemovalFields::of(drive.discovery()),
        state: (&report.state).into(),
        rescanned,
    };
    let text = text(name, &ranges, observer.sampling().seed);
    let error = error(&report, &ranges);
    Ok(Done::notice(text, &fields).with_error(error))
}

/// One range, with what was seen of it.
struct Erased {
    range: u16,
    by: Option<(EraseMethod, Uid)>,
    evidence: Option<Evidence>,
    error: Option<CliError>,
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    ranges: Vec<RangeFields>,
    sampling: SamplingFields,
    data_removal: Option<DataRemovalFields>,
    state: StateFields,
    rescanned: Vec<String>,
}

/// The outcome for one range in JSON.
#[derive(Serialize)]
struct RangeFields {
    range: u16,
    ok: bool,
    method: Option<&'static str>,
    object: Option<String>,
    evidence: Option<EvidenceFields>,
    error: Option<CliError>,
}

impl From<&Erased> for RangeFields {
    fn from(erased: &Erased) -> Self {
        Self {
            range: erased.range,
            ok: erased.error.is_none(),
            method: erased.by.map(|(method, _)| method.name()),
            object: erased.by.map(|(_, object)| hex::encode(&object.to_bytes())),
            evidence: erased.evidence.as_ref().map(EvidenceFields::from),
            error: erased.error.clone(),
        }
    }
}

fn text(name: &Named, ranges: &[Erased], seed: u32) -> String {
    let done = || ranges.iter().filter(|range| range.error.is_none());
    let is_empty = |range: &&Erased| range.evidence.is_some_and(|it| it.is_of_nothing());
    let with_blocks = done().filter(|range| !is_empty(range));
    let mut names: Vec<String> = with_blocks
        .map(|range| format!("range {}", range.range))
        .collect();
    match done().filter(is_empty).count() {
        0 => {}
        1 => names.push("1 range without blocks".to_owned()),
        count => names.push(format!("{count} ranges without blocks")),
    }
    let mut text = format!("{name}: erased by new keys: {}", names.join(", "));
    for range in done().filter(|range| !is_empty(range)) {
        if let Some(evidence) = &range.evidence {
            text += &format!("\n  range {}: {}", range.range, evidence.text());
        }
    }
    for range in done().filter(|range| matches!(range.by, Some((EraseMethod::Erase, _)))) {
        let user = format!("User{}", u32::from(range.range) + 1);
        text += &format!(
            "\n  range {} was in single user mode: its locks are off now, and the PIN of {user} is \
             empty: \"sedkit passwd --as {user} --from-empty\" gives it one",
            range.range,
        );
    }
    if done().any(|range| range.evidence.is_some_and(|it| it.verdict().is_some())) {
        text += &format!("\n  the samples are those of --sample-seed {seed}");
    }
    text
}

/// What the drive did not do, or did not do by the evidence.
fn error(report: &EraseReport, ranges: &[Erased]) -> Option<CliError> {
    let refused = || report.first_error().map(explained);
    let survived = ranges.iter().find_map(|range| {
        let refutation = range.evidence.as_ref().and_then(refutation)?;
        let message = format!(
            "the drive reported a new key, but of range {}, {refutation}",
            range.range
        );
        Some(CliError::new(Code::Finding, message).with_hint(SURVIVED))
    });
    survived.or_else(refused)
}

/// What to do where a drive did not erase.
pub(crate) const SURVIVED: &str = "the blocks were read from the drive, not from a cache. Do not trust \
    this drive to erase: overwrite it, use its NVMe or ATA sanitize command and look again, or destroy \
    it; look for a firmware update";

/// An error of an erase.
fn explained(error: &crate::drive::Error) -> CliError {
    let found = CliError::from(error);
    match error.cause() {
        Cause::NotPermitted { .. } => found.with_hint(
            "Admins may replace every key, unless a range is in single user mode; Users may where \
             an Admin has granted it",
        ),
        _ => found,
    }
}
