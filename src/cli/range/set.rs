//! `sedkit range set`.

use super::loss::{Guard, Move};
use super::tables::Tables;
use super::{Changed, data_text, settings};
use crate::cli::args::range::RangeSet;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::extent::{Extent, Layout};
use crate::cli::ranges;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, hardware, plan, preflight};
use crate::drive::{
    Credential, Drive, EraseConsent, Place, RangeChange, RangeReport, RangeSettings,
};
use crate::spec::RangeNumber;

/// Changes a range.
pub(super) fn run(args: &RangeSet, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let settings = settings::read(&args.settings)?;
    if settings == RangeSettings::default() && args.start.is_none() {
        return Err(nothing_asked());
    }
    let number = RangeNumber(args.range);
    let tables = Tables::of_virtual(&args.device);
    let opening = args.actor.login.opening(args.dry_run);
    Ok(drives::on_one(
        &args.device,
        opening,
        context,
        |name, drive| {
            preflight::locking(drive, authority)?;
            let layout = Layout::of(drive.discovery(), name.geometry);
            let change = RangeChange {
                place: place(args, &layout)?,
                settings: settings.clone(),
            };
            if args.dry_run.dry_run {
                let calls = drive.plan_set_range(number, &change, authority)?;
                return Ok(plan::done(name, args.actor.login.session.reset, calls));
            }
            let moving = match change.place {
                None => None,
                Some(place) => {
                    drive.check_place(Some(number), place)?;
                    let guard = Guard {
                        name,
                        layout: layout?,
                        tables: tables.unwrap_or_else(|| Tables::of(name, drive)),
                        consent: &args.consent,
                        force: args.force,
                        context,
                    };
                    Some((guard, place))
                }
            };
            let report = acting.with_key(drive, |drive, credential| {
                let consent = consent(moving.as_ref(), number, drive, credential)?;
                let report = drive.set_range(number, &change, credential, consent.as_ref());
                report.map_err(|error| hardware::explain_range(name, error.into()))
            })?;
            Ok(done(name, &report))
        },
    ))
}

fn nothing_asked() -> CliError {
    CliError::usage("nothing to set")
        .with_hint("name what shall be another: --start and --length, or a setting of its locks")
}

/// Where the range shall be. A drive whose blocks are not what the kernel takes them for matters for
/// places only.
fn place(args: &RangeSet, layout: &Result<Layout, CliError>) -> Result<Option<Place>, CliError> {
    let (Some(start), Some(length)) = (&args.start, &args.length) else {
        return Ok(None);
    };
    let layout = layout.as_ref().map_err(Clone::clone)?;
    let Extent { start, length } = layout.parse_parts(start, length)?;
    Ok(Some(Place { start, length }))
}

/// Consent to what the move costs, which follows from where the range is now.
fn consent(
    moving: Option<&(Guard<'_>, Place)>,
    number: RangeNumber,
    drive: &mut Drive,
    credential: &Credential,
) -> Result<Option<EraseConsent>, CliError> {
    let Some((guard, place)) = moving else {
        return Ok(None);
    };
    if let Some(consent) = guard.consent_unseen(drive)? {
        return Ok(Some(consent));
    }
    let before = drive.range(number, credential)?;
    let range = number;
    let lost = Place::rekeyed(before.place(), Some(*place));
    if lost.is_empty() {
        return Ok(None);
    }
    let why = format!("they come to range {number} or leave it, and get another key");
    guard.ask(drive, &[Move { range, lost, why }]).map(Some)
}

fn done(name: &Named, report: &RangeReport) -> Done {
    let range = report.range.number;
    let shown = ranges::description(&report.range);
    let text = match report.changed {
        false => format!("{name}: range {range} is as asked, nothing was changed: {shown}"),
        true => format!("{name}: range {range} has {shown}{}", data_text(report)),
    };
    Done::notice(text, &Changed::from(report))
}
