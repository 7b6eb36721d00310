//! `sedkit tper-reset`.

use std::collections::BTreeSet;

use serde::Serialize;

use super::args::tper_reset::TperReset;
use super::device::Named;
use super::drives::{self, Done, Slot};
use super::error::CliError;
use super::report::Report;
use super::secret::Acting;
use super::state::StateFields;
use super::{Context, in_use, plan};
use crate::drive::{
    Authority, Drive, DriveState, MbrState, PlannedCall, ProgrammaticReset, RawCall,
    TperResetReport,
};
use crate::spec::{method, uid};

/// Resets drives, or says whether they take resets.
pub(crate) fn run(args: &TperReset, context: &Context) -> Result<Report, CliError> {
    match (args.enable, args.disable) {
        (true, _) => switch(args, ProgrammaticReset::Enabled, context),
        (_, true) => switch(args, ProgrammaticReset::Disabled, context),
        (false, false) => reset(args, context),
    }
}

fn reset(args: &TperReset, context: &Context) -> Result<Report, CliError> {
    let options = args.login.opening(args.dry_run);
    let mut slots = drives::open_many(&args.devices, options, context)?;
    if args.dry_run.dry_run {
        return Ok(plan::report(
            &mut slots,
            args.login.session.reset,
            |name, drive| {
                in_use::check(name, args.force, context)?;
                Ok(drive.plan_tper_reset())
            },
        ));
    }
    let reports = drives::each(&mut slots, |name, drive| {
        in_use::check(name, args.force, context)?;
        let report = drive.tper_reset()?;
        Ok(reset_done(name, &report))
    });
    Ok(Report::of_drives(reports))
}

#[derive(Serialize)]
struct ResetFields {
    changed: bool,
    before: StateFields,
    state: StateFields,
}

fn reset_done(name: &Named, report: &TperResetReport) -> Done {
    let fields = ResetFields {
        changed: report.before != report.after,
        before: (&report.before).into(),
        state: (&report.after).into(),
    };
    let text = format!(
        "{name}: reset, every session ended; {}",
        change(&report.before, &report.after)
    );
    Done::notice(text, &fields)
}

/// What a reset did to the locks, as Level 0 Discovery tells.
fn change(before: &DriveState, after: &DriveState) -> String {
    let mbr = match (before.mbr, after.mbr) {
        (MbrState::Done, MbrState::Shown) => "; the shadow MBR is shown again",
        _ => "",
    };
    match before.word() == after.word() {
        true => format!("it was {before} and still is{mbr}"),
        false => format!("it was {before} and is {after} now{mbr}"),
    }
}

/// Says whether drives take resets. Those that do as asked are left alone, and need no secret.
fn switch(
    args: &TperReset,
    wanted: ProgrammaticReset,
    context: &Context,
) -> Result<Report, CliError> {
    let acting = Acting::new(Authority::Sid, &args.login, context)?;
    let options = args.login.opening(args.dry_run);
    let mut slots = drives::open_many(&args.devices, options, context)?;
    if args.dry_run.dry_run {
        return Ok(plan::report(
            &mut slots,
            args.login.session.reset,
            |_, drive| plan_switch(drive, wanted),
        ));
    }
    let settled = settled(&mut slots, wanted);
    let needs_key = |drive: &Drive| !settled.contains(&drive.identity().serial_text());
    drives::check(&mut slots, |_, drive| match needs_key(drive) {
        true => Ok(drive.require_session(uid::ADMIN_SP, Some(Authority::Sid))?),
        false => Ok(()),
    });
    let reports = drives::each_with_key(&mut slots, &acting, needs_key, |name, drive, key| {
        if let Some(key) = key {
            let credential = key.credential(Authority::Sid, drive)?;
            drive.set_programmatic_reset(wanted, &credential)?;
        }
        Ok(switched(name, key.is_some(), wanted))
    });
    Ok(Report::of_drives(reports))
}

/// The serial numbers of drives that are as asked.
fn settled(slots: &mut [Slot], wanted: ProgrammaticReset) -> BTreeSet<String> {
    let drives = slots.iter_mut().filter_map(|slot| slot.opened_mut().ok());
    let settled = drives.filter_map(|drive| {
        let is_settled = matches!(drive.programmatic_reset(), Ok(Some(found)) if found == wanted);
        is_settled.then(|| drive.identity().serial_text())
    });
    settled.collect()
}

fn plan_switch(drive: &mut Drive, wanted: ProgrammaticReset) -> Result<Vec<PlannedCall>, CliError> {
    if drive.programmatic_reset()? == Some(wanted) {
        return Ok(Vec::new());
    }
    let call = RawCall {
        object: uid::TPER_INFO,
        method: method::SET,
        arguments: Vec::new(),
    };
    let value = u8::from(wanted == ProgrammaticReset::Enabled);
    let arguments = format!("ProgrammaticResetEnable = {value}");
    Ok(drive.plan_raw(uid::ADMIN_SP, Some(Authority::Sid), &call, arguments)?)
}

#[derive(Serialize)]
struct SwitchFields {
    changed: bool,
    programmatic_reset: &'static str,
}

fn switched(name: &Named, changed: bool, now: ProgrammaticReset) -> Done {
    let already = match changed {
        true => "now",
        false => "already",
    };
    let takes = match now {
        ProgrammaticReset::Enabled => "takes resets by software",
        ProgrammaticReset::Disabled => "refuses resets by software",
    };
    let fields = SwitchFields {
        changed,
        programmatic_reset: now.name(),
    };
    Done::notice(format!("{name}: {takes} {already}"), &fields)
}
