//! `sedkit range delete`.

use serde::Serialize;

use super::loss::{Guard, Move};
use super::tables::Tables;
use super::{Changed, data_text};
use crate::cli::args::range::RangeDelete;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::extent::Layout;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, plan, preflight};
use crate::drive::{Credential, Drive, EraseConsent, Place, RangeReport};
use crate::spec::RangeNumber;

#[derive(Serialize)]
struct Fields {
    changed: bool,
    ranges: Vec<Changed>,
}

/// Gives ranges up.
pub(super) fn run(args: &RangeDelete, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let mut numbers: Vec<RangeNumber> = args.ranges.iter().copied().map(RangeNumber).collect();
    numbers.sort_unstable();
    numbers.dedup();
    let tables = Tables::of_virtual(&args.device);
    let opening = args.actor.login.opening(args.dry_run);
    Ok(drives::on_one(
        &args.device,
        opening,
        context,
        |name, drive| {
            preflight::locking(drive, authority)?;
            let calls = drive.plan_delete_ranges(&numbers, authority)?;
            if args.dry_run.dry_run {
                return Ok(plan::done(name, args.actor.login.session.reset, calls));
            }
            let guard = Guard {
                name,
                layout: Layout::of(drive.discovery(), name.geometry)?,
                tables: tables.unwrap_or_else(|| Tables::of(name, drive)),
                consent: &args.consent,
                force: args.force,
                context,
            };
            let reports = acting.with_key(drive, |drive, credential| {
                let consent = consent(&guard, &numbers, drive, credential)?;
                Ok(drive.delete_ranges(&numbers, credential, consent.as_ref())?)
            })?;
            Ok(done(name, &reports))
        },
    ))
}

/// Consent to lose what the ranges hold, which follows from where they are.
fn consent(
    guard: &Guard<'_>,
    numbers: &[RangeNumber],
    drive: &mut Drive,
    credential: &Credential,
) -> Result<Option<EraseConsent>, CliError> {
    if let Some(consent) = guard.consent_unseen(drive)? {
        return Ok(Some(consent));
    }
    let mut moves = Vec::new();
    for &range in numbers {
        let before = drive.range(range, credential)?;
        let lost = Place::rekeyed(before.place(), None);
        if !lost.is_empty() {
            let why = format!("they leave range {range} for range 0, which has another key");
            moves.push(Move { range, lost, why });
        }
    }
    match moves.is_empty() {
        true => Ok(None),
        false => guard.ask(drive, &moves).map(Some),
    }
}

fn done(name: &Named, reports: &[RangeReport]) -> Done {
    let lines: Vec<String> = reports.iter().map(|report| line(name, report)).collect();
    let fields = Fields {
        changed: reports.iter().any(|report| report.changed),
        ranges: reports.iter().map(Changed::from).collect(),
    };
    Done::notice(lines.join("\n"), &fields)
}

fn line(name: &Named, report: &RangeReport) -> String {
    let range = report.range.number;
    match report.changed {
        false => format!("{name}: range {range} is none, nothing was changed"),
        true => format!(
            "{name}: range {range} is given up, its blocks belong to range 0{}; its key stays in \
             the drive",
            data_text(report)
        ),
    }
}
