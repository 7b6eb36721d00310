//! `sedkit lock`.

use serde::Serialize;

use super::args::lock::Lock;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::ranges::{self, Outcome};
use super::report::Report;
use super::secret::{self, Acting, Key};
use super::{Context, in_use, plan, preflight};
use crate::drive::{Authority, Drive, LockReport, LockRequest, LockingState};

/// Locks drives that are not in use.
pub(crate) fn run(args: &Lock, context: &Context) -> Result<Report, CliError> {
    let authority = secret::authority(&args.acting.authority)?;
    let acting = Acting::new(authority, &args.key, &args.scheme, args.session, context)?;
    let request = LockRequest {
        ranges: ranges::numbers(&args.ranges),
    };
    let mut slots = drives::open_many(&args.devices, args.session.opening(args.dry_run), context)?;
    if args.dry_run.dry_run {
        return Ok(plan::report(&mut slots, args.session.reset, |drive| {
            Ok(drive.plan_lock(&request, authority)?)
        }));
    }
    let is_exempt = |drive: &Drive| args.devices.all && !is_active(drive);
    drives::check(&mut slots, |named, drive| {
        if is_exempt(drive) {
            return Ok(());
        }
        preflight::locking(drive, authority)?;
        in_use::check(named, args.force, context)
    });
    let needs_key = |drive: &Drive| !is_exempt(drive);
    let reports = drives::each_with_key(
        &mut slots,
        &acting,
        needs_key,
        |name, drive, key| match key {
            Some(key) => lock(name, drive, &request, authority, key),
            None => Ok(nothing_to_do(name)),
        },
    );
    Ok(Report::of_drives(reports))
}

/// A drive that nobody named is not expected to be set up.
fn is_active(drive: &Drive) -> bool {
    matches!(
        drive.state().locking,
        LockingState::Unlocked | LockingState::Locked
    )
}

/// The outcome for one drive in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    ranges: Vec<Outcome>,
}

fn lock(
    name: &Named,
    drive: &mut Drive,
    request: &LockRequest,
    authority: Authority,
    key: &Key,
) -> Result<Done, CliError> {
    let credential = key.credential(authority, drive)?;
    let report = drive.lock(request, &credential)?;
    Ok(done(name, &report))
}

fn nothing_to_do(name: &Named) -> Done {
    let fields = Fields {
        changed: false,
        ranges: Vec::new(),
    };
    Done::notice(
        format!("{name}: locking is not activated, nothing to lock"),
        &fields,
    )
}

fn done(name: &Named, report: &LockReport) -> Done {
    let ranges = report.ranges.iter().map(Outcome::from).collect();
    let is_proven = report.ranges.iter().all(|range| range.proven);
    let proof = match is_proven {
        true => "and checked",
        false => "by the drive's word: the authority may not see it",
    };
    let text = format!(
        "{name}: locked ({}), {proof}",
        ranges::names(&report.ranges)
    );
    let error = report.first_error().map(CliError::from);
    Done::notice(
        text,
        &Fields {
            changed: true,
            ranges,
        },
    )
    .with_error(error)
}
