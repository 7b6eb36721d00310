//! `sedkit range create`.

use super::loss::{Guard, Move};
use super::tables::Tables;
use super::{Changed, data_text, partitions, settings};
use crate::cli::args::range::RangeCreate;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::extent::{Extent, Layout};
use crate::cli::ranges;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, hardware, plan, preflight};
use crate::drive::{
    Drive, EraseConsent, KeyChange, NewRange, Place, RangeChoice, RangeReport, RangeSettings,
};
use crate::spec::RangeNumber;

/// Makes a range.
pub(super) fn run(args: &RangeCreate, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let settings = settings::read(&args.settings)?;
    let tables = Tables::of_virtual(&args.device);
    let opening = args.actor.login.opening(args.dry_run);
    Ok(drives::on_one(
        &args.device,
        opening,
        context,
        |name, drive| {
            preflight::locking(drive, authority)?;
            let layout = Layout::of(drive.discovery(), name.geometry)?;
            let new = new_range(args, name, drive, layout, &settings)?;
            drive.check_place(number(args), new.place)?;
            if args.dry_run.dry_run {
                let calls = drive.plan_create_range(&new, authority)?;
                return Ok(plan::done(name, args.actor.login.session.reset, calls));
            }
            let guard = Guard {
                name,
                layout,
                tables: tables.unwrap_or_else(|| Tables::of(name, drive)),
                consent: &args.consent,
                force: args.force,
                context,
            };
            let consent = consent(&guard, drive, &new)?;
            let report = acting.with_key(drive, |drive, credential| {
                let report = drive.create_range(&new, credential, &consent);
                report.map_err(|error| hardware::explain_range(name, error.into()))
            })?;
            Ok(done(name, &report))
        },
    ))
}

fn number(args: &RangeCreate) -> Option<RangeNumber> {
    args.range.map(RangeNumber)
}

fn new_range(
    args: &RangeCreate,
    name: &Named,
    drive: &Drive,
    layout: Layout,
    settings: &RangeSettings,
) -> Result<NewRange, CliError> {
    let place = match (&args.start, &args.length) {
        (Some(start), Some(length)) => {
            let Extent { start, length } = layout.parse_parts(start, length)?;
            Place { start, length }
        }
        _ => partitions::place(&args.partitions, name, drive)?,
    };
    let choice = match number(args) {
        None => RangeChoice::FirstFree,
        Some(number) if args.assume_free => RangeChoice::AssumedFree(number),
        Some(number) => RangeChoice::Free(number),
    };
    Ok(NewRange {
        choice,
        place,
        settings: settings.clone(),
    })
}

/// What the blocks of the new range hold is lost; and what an unseen range holds.
fn consent(guard: &Guard<'_>, drive: &Drive, new: &NewRange) -> Result<EraseConsent, CliError> {
    let (range, why) = match new.choice {
        RangeChoice::AssumedFree(number) => {
            let why = format!("they get the key of range {number}, and whatever that range holds");
            (number, format!("{why} now is lost, too"))
        }
        RangeChoice::Free(number) => (number, "they get a key of their own".to_owned()),
        RangeChoice::FirstFree => {
            let why = "they get a key of their own".to_owned();
            (RangeNumber::GLOBAL, why)
        }
    };
    let lost = vec![new.place];
    guard.ask(drive, &[Move { range, lost, why }])
}

fn done(name: &Named, report: &RangeReport) -> Done {
    let range = report.range.number;
    let shown = ranges::description(&report.range);
    let text = match report.changed {
        false => format!("{name}: range {range} is there already, nothing was changed: {shown}"),
        true => {
            let key = match report.key {
                KeyChange::Replaced => "a new key",
                KeyChange::Refused(_) => "the key that it had: the drive refused to replace it",
                _ => "the key that it had",
            };
            let data = data_text(report);
            format!("{name}: range {range} has {shown}; {key}{data}")
        }
    };
    Done::notice(text, &Changed::from(report))
}
