//! `sedkit block-sid`.

use serde::Serialize;

use super::args::block_sid::BlockSid;
use super::args::{SessionOptions, StackReset};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::report::Report;
use super::state::StateFields;
use super::{Context, plan};
use crate::drive::{BlockReport, BlockRequest, Drive};

/// Shuts SID out.
pub(crate) fn run(args: &BlockSid, context: &Context) -> Result<Report, CliError> {
    let request = BlockRequest {
        hardware_reset_clears: args.hardware_reset_clears,
        freeze: args.freeze,
    };
    let mut slots = drives::open_many(&args.devices, SessionOptions::PLAIN, context)?;
    if args.dry_run.dry_run {
        let reset = StackReset { stack_reset: false };
        return Ok(plan::report(&mut slots, reset, |_, drive| {
            Ok(drive.plan_block_sid(request)?)
        }));
    }
    let reports = drives::each(&mut slots, |name, drive| {
        let report = drive.block_sid(request)?;
        Ok(done(name, &report, drive))
    });
    Ok(Report::of_drives(reports))
}

#[derive(Serialize)]
struct Fields {
    changed: bool,
    hardware_reset_clears: Option<bool>,
    state: StateFields,
}

fn done(name: &Named, report: &BlockReport, drive: &Drive) -> Done {
    let feature = drive.discovery().block_sid();
    let fields = Fields {
        changed: report.changed,
        hardware_reset_clears: feature.and_then(|feature| feature.hardware_reset_clears_block),
        state: (&report.state).into(),
    };
    Done::notice(format!("{name}: {}", text(&fields, report)), &fields)
}

fn text(fields: &Fields, report: &BlockReport) -> String {
    let already = match report.changed {
        true => "",
        false => " already",
    };
    let until = match fields.hardware_reset_clears {
        Some(true) => "until the next power cycle or hardware reset",
        _ => "until the next power cycle",
    };
    let blocked = match report.state.sid_blocked {
        Some(true) => format!("SID is blocked{already} {until}"),
        _ => "SID has a PIN of its own, so that there is nothing to block".to_owned(),
    };
    match report.state.frozen {
        true => format!("{blocked}; the Locking SP is frozen{already} {until}"),
        false => blocked,
    }
}
