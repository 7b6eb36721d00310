//! `sedkit mbr enable`, `disable` and `done`.

use serde::Serialize;

use super::boot;
use crate::cli::args::mbr::{MbrDisable, MbrDone, MbrEnable};
use crate::cli::args::{Actor, Device, DryRun};
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::ranges::reset_name;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, in_use, plan, preflight};
use crate::drive::{Drive, MbrChange, MbrReport, MbrState};
use crate::spec::column_type::{RESET_TYPES, number_of};

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    enabled: bool,
    done: bool,
    done_on_reset: Option<Vec<String>>,
}

/// What is to be changed, and by whom.
struct Job<'a> {
    device: &'a Device,
    actor: &'a Actor,
    dry_run: DryRun,
    change: MbrChange,
}

/// Shows the shadow MBR from the next power cycle on.
pub(super) fn enable(args: &MbrEnable, context: &Context) -> Result<Report, CliError> {
    let job = Job {
        device: &args.device,
        actor: &args.actor,
        dry_run: args.dry_run,
        change: MbrChange {
            enable: Some(true),
            done: None,
            done_on_reset: done_on_reset(&args.done_on_reset),
        },
    };
    job.run(context, |name, drive| {
        check_contents(args, name, drive, context)
    })
}

/// Never shows the shadow MBR.
pub(super) fn disable(args: &MbrDisable, context: &Context) -> Result<Report, CliError> {
    let job = Job {
        device: &args.device,
        actor: &args.actor,
        dry_run: args.dry_run,
        change: MbrChange {
            enable: Some(false),
            ..MbrChange::default()
        },
    };
    job.run(context, |_, _| Ok(()))
}

/// Hides the shadow MBR, or shows it again.
pub(super) fn done(args: &MbrDone, context: &Context) -> Result<Report, CliError> {
    let job = Job {
        device: &args.device,
        actor: &args.actor,
        dry_run: args.dry_run,
        change: MbrChange {
            done: Some(!args.clear),
            ..MbrChange::default()
        },
    };
    job.run(context, |name, drive| {
        // Whoever reads the first blocks gets others from then on, and writes to them are refused.
        match args.clear && drive.state().mbr == MbrState::Done {
            true => in_use::check(name, args.force, context),
            false => Ok(()),
        }
    })
}

/// The resets, by their numbers.
fn done_on_reset(names: &[String]) -> Option<Vec<u8>> {
    let number = |name: &String| u8::try_from(number_of(RESET_TYPES, name)?).ok();
    (!names.is_empty()).then(|| names.iter().filter_map(number).collect())
}

/// Refuses to show a shadow MBR with nothing in it: the machine would not boot.
fn check_contents(
    args: &MbrEnable,
    name: &Named,
    drive: &mut Drive,
    context: &Context,
) -> Result<(), CliError> {
    if drive.state().mbr != MbrState::Disabled {
        return Ok(());
    }
    let block_size = boot::block_size(name, drive);
    let status = drive.mbr_status(block_size, None)?;
    if status.boot.flaws.is_empty() && !status.boot.blank {
        return Ok(());
    }
    let sentence = format!("the shadow MBR: {}", boot::sentence(&status.boot));
    if status.boot.blank && !args.force {
        return Err(CliError::new(Code::Failed, sentence).with_hint(
            "load an image with \"sedkit mbr load\" first; --force enables it all the same",
        ));
    }
    context.output.warning(&format!("{name}: {sentence}"));
    Ok(())
}

impl Job<'_> {
    fn run(
        &self,
        context: &Context,
        check: impl FnOnce(&Named, &mut Drive) -> Result<(), CliError>,
    ) -> Result<Report, CliError> {
        let acting = Acting::of(self.actor, context)?;
        let authority = acting.authority();
        let session = self.actor.login.opening(self.dry_run);
        Ok(drives::on_one(
            self.device,
            session,
            context,
            |name, drive| {
                let change = self.change_for(drive);
                let calls = drive.plan_change_mbr(&change, authority)?;
                if self.dry_run.dry_run {
                    return Ok(plan::done(name, self.actor.login.session.reset, calls));
                }
                preflight::shadow_mbr(drive)?;
                preflight::locking(drive, authority)?;
                if calls.is_empty() {
                    return Ok(done_text(name, drive, None));
                }
                check(name, drive)?;
                let report = acting.with_key(drive, |drive, credential| {
                    Ok(drive.change_mbr(&change, credential)?)
                })?;
                drive.rediscover()?;
                Ok(done_text(name, drive, Some(&report)))
            },
        ))
    }

    /// A shadow MBR that is newly enabled stays hidden for now.
    fn change_for(&self, drive: &Drive) -> MbrChange {
        let mut change = self.change.clone();
        if change.enable == Some(true) && drive.state().mbr == MbrState::Disabled {
            change.done = Some(true);
        }
        change
    }
}

fn done_text(name: &Named, drive: &Drive, report: Option<&MbrReport>) -> Done {
    let locking = drive.discovery().locking();
    let control = report.and_then(|report| report.control.as_ref());
    let types = control.and_then(|control| control.done_on_reset.as_ref());
    let fields = Fields {
        changed: report.is_some_and(|report| report.changed),
        enabled: locking.is_some_and(|locking| locking.mbr_enabled),
        done: locking.is_some_and(|locking| locking.mbr_done),
        done_on_reset: types.map(|types| types.iter().map(|&kind| reset_name(kind)).collect()),
    };
    let state = match drive.state().mbr {
        MbrState::Shown => "the shadow MBR is enabled and shown",
        MbrState::Done => "the shadow MBR is enabled, and hidden until the next power cycle",
        _ => "the shadow MBR is disabled: it is never shown",
    };
    let text = match fields.changed {
        true => format!("{name}: {state}"),
        false => format!("{name}: nothing was changed: {state} already"),
    };
    Done::notice(text, &fields)
}
