//! `sedkit lock`.

use serde::Serialize;

use super::args::Force;
use super::args::lock::Lock;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::luks::{LeftAlone, Tenants};
use super::ranges::{self, Outcome};
use super::report::Report;
use super::secret::{Acting, Key};
use super::{Context, in_use, plan, preflight};
use crate::drive::{Authority, Drive, LockReport, LockRequest, LockingState};

/// Locks drives that are not in use.
pub(crate) fn run(args: &Lock, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let acting = acting.with_schemes_of(&args.schemes.scheme_of)?;
    let authority = acting.authority();
    let request = LockRequest {
        ranges: ranges::numbers(&args.ranges),
        read_only: args.read_only,
        ..LockRequest::default()
    };
    let mut slots = drives::open_many(
        &args.devices,
        args.actor.login.opening(args.dry_run),
        context,
    )?;
    if args.dry_run.dry_run {
        let plans = drives::each(&mut slots, |name, drive| {
            let (sparing, _) = sparing(name, drive, &request, args.force)?;
            let plan = drive.plan_lock(&sparing, authority)?;
            let plan = plan::done(name, args.actor.login.session.reset, plan);
            let guards = guards(args, name, drive, &request, context);
            Ok(plan::unless_refused(plan, guards))
        });
        return Ok(Report::of_drives(plans));
    }
    let is_exempt = |drive: &Drive| args.devices.all && !is_active(drive);
    drives::check(&mut slots, |named, drive| {
        if is_exempt(drive) {
            return Ok(());
        }
        preflight::locking(drive, authority)?;
        drive.plan_lock(&request, authority)?;
        let guards = guards(args, named, drive, &request, context);
        guards.into_iter().collect()
    });
    let needs_key = |drive: &Drive| !is_exempt(drive);
    let reports = drives::each_with_key(
        &mut slots,
        &acting,
        needs_key,
        |name, drive, key| match key {
            Some(key) => {
                in_use::recheck(name, args.force, context)?;
                let (request, tenants) = sparing(name, drive, &request, args.force)?;
                lock(name, drive, &request, authority, key, &tenants)
            }
            None => Ok(nothing_to_do(name)),
        },
    );
    Ok(Report::of_drives(reports))
}

/// Refuses what others use.
fn guards(
    args: &Lock,
    named: &Named,
    drive: &Drive,
    request: &LockRequest,
    context: &Context,
) -> [Result<(), CliError>; 2] {
    let tenants = Tenants::of(named, drive);
    [
        in_use::check(named, args.force, context),
        tenants.spare(&request.ranges, named, args.force, context),
    ]
}

/// A drive that nobody named is not expected to be set up.
fn is_active(drive: &Drive) -> bool {
    matches!(
        drive.state().locking,
        LockingState::Unlocked | LockingState::Locked
    )
}

/// The request for one drive, and those whose ranges it leaves alone.
fn sparing(
    name: &Named,
    drive: &Drive,
    request: &LockRequest,
    force: Force,
) -> Result<(LockRequest, Tenants), CliError> {
    if force.force || !request.ranges.is_empty() {
        return Ok((request.clone(), Tenants::default()));
    }
    let tenants = Tenants::of(name, drive);
    let except = tenants.ranges()?;
    let request = LockRequest {
        except,
        ..request.clone()
    };
    Ok((request, tenants))
}

/// The outcome for one drive in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    ranges: Vec<Outcome>,
    left_alone: Vec<LeftAlone>,
    luks_unknown: Vec<String>,
}

fn lock(
    name: &Named,
    drive: &mut Drive,
    request: &LockRequest,
    authority: Authority,
    key: &Key,
    tenants: &Tenants,
) -> Result<Done, CliError> {
    let credential = key.credential(authority, drive)?;
    let report = drive.lock(request, &credential)?;
    Ok(done(name, request, &report, tenants))
}

fn nothing_to_do(name: &Named) -> Done {
    let fields = Fields {
        changed: false,
        ranges: Vec::new(),
        left_alone: Vec::new(),
        luks_unknown: Vec::new(),
    };
    Done::notice(
        format!("{name}: locking is not activated, nothing to lock"),
        &fields,
    )
}

fn done(name: &Named, request: &LockRequest, report: &LockReport, tenants: &Tenants) -> Done {
    let ranges = report.ranges.iter().map(Outcome::from).collect();
    let is_proven = report.ranges.iter().all(|range| range.proven);
    let proof = match is_proven {
        true => "and checked",
        false => "by the drive's word: the authority may not see it",
    };
    let locked = match request.read_only {
        true => "locked for writing",
        false => "locked",
    };
    let what = match report.ranges.as_slice() {
        [] => "no other range to lock".to_owned(),
        ranges => format!("{locked} ({}), {proof}", ranges::names(ranges)),
    };
    let (left, unknown) = (tenants.left_alone_text(), tenants.not_spared_text());
    let text = format!("{name}: {what}{left}{unknown}");
    let error = report.first_error().map(CliError::from);
    Done::notice(
        text,
        &Fields {
            changed: !report.ranges.is_empty(),
            ranges,
            left_alone: tenants.left_alone(),
            luks_unknown: tenants.unknown().to_vec(),
        },
    )
    .with_error(error)
}
