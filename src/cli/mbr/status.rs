//! `sedkit mbr status`.

use serde::Serialize;

use super::boot::{self, BootFields};
use crate::cli::args::mbr::MbrStatus as Arguments;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::looking::Looking;
use crate::cli::ranges::reset_name;
use crate::cli::report::Report;
use crate::cli::transfer::TableFields;
use crate::cli::{Context, preflight};
use crate::drive::{Drive, LockingRange, LockingState, MbrState, MbrStatus};

/// The shadow MBR in JSON.
#[derive(Serialize)]
struct Fields {
    enabled: bool,
    done: bool,
    done_on_reset: Option<Vec<String>>,
    shown: bool,
    table: TableFields,
    blocks: Option<u64>,
    boot: BootFields,
    findings: Vec<FindingFields>,
}

/// What somebody should know who relies on it, in JSON.
#[derive(Serialize)]
struct FindingFields {
    code: &'static str,
    text: String,
    way_out: &'static str,
}

/// Shows the shadow MBR.
pub(super) fn run(args: &Arguments, context: &Context) -> Result<Report, CliError> {
    let looking = Looking::new(&args.looking, context)?;
    let session = args.looking.login.session;
    Ok(drives::on_one(
        &args.device,
        session,
        context,
        |name, drive| {
            preflight::shadow_mbr(drive)?;
            let block_size = boot::block_size(name, drive);
            let (status, ranges) = looking.look(drive, |drive, credential| {
                let ranges = credential.map(|credential| drive.ranges(Some(credential)));
                let status = drive.mbr_status(block_size, credential)?;
                Ok((status, ranges.transpose()?))
            })?;
            Ok(show(name, drive, &status, ranges.as_deref(), block_size))
        },
    ))
}

fn show(
    name: &Named,
    drive: &Drive,
    status: &MbrStatus,
    ranges: Option<&[LockingRange]>,
    block_size: Option<u32>,
) -> Done {
    let control = &status.control;
    let resets = |types: &Vec<u8>| types.iter().map(|&kind| reset_name(kind)).collect();
    let block_size = block_size.map(u64::from).filter(|size| *size > 0);
    let fields = Fields {
        enabled: control.enable,
        done: control.done,
        done_on_reset: control.done_on_reset.as_ref().map(resets),
        shown: control.enable && !control.done,
        table: status.table.into(),
        blocks: block_size.map(|size| status.table.size / size),
        boot: (&status.boot).into(),
        findings: findings(drive, status, ranges),
    };
    Done::data(text(name, status, &fields), &fields)
}

fn text(name: &Named, status: &MbrStatus, fields: &Fields) -> String {
    let yes = |flag| if flag { "yes" } else { "no" };
    let resets = fields.done_on_reset.as_ref().map_or_else(
        || "the drive does not tell".to_owned(),
        |resets| resets.join(", ").replace('_', " "),
    );
    let blocks = fields.blocks.map_or(String::new(), |blocks| {
        format!(", in place of the first {blocks} blocks")
    });
    let mut text = format!(
        "{name}\n  size           {} bytes{blocks}\n  enabled        {}\n  done           {}\n  \
         shown again at {resets}\n  shown now      {}\n  contents       {}\n  next power up  {}",
        status.table.size,
        yes(fields.enabled),
        yes(fields.done),
        yes(fields.shown),
        boot::sentence(&status.boot),
        next_power_up(fields),
    );
    for finding in &fields.findings {
        text += &format!("\n  - {}\n    way out: {}", finding.text, finding.way_out);
    }
    text
}

/// What firmware will see.
fn next_power_up(fields: &Fields) -> &'static str {
    let resets = fields.done_on_reset.as_deref().unwrap_or_default();
    let is_shown_again = resets.iter().any(|reset| reset == "power_cycle");
    match (fields.enabled, fields.done, is_shown_again) {
        (false, _, _) => "firmware sees the drive itself: the shadow MBR is disabled",
        (true, true, false) => {
            "firmware sees the drive itself: a power cycle does not show the shadow MBR again"
        }
        _ => "firmware sees the shadow MBR",
    }
}

/// What stands against a machine that boots by it, and against data that is protected by it.
fn findings(
    drive: &Drive,
    status: &MbrStatus,
    ranges: Option<&[LockingRange]>,
) -> Vec<FindingFields> {
    let state = drive.state();
    let mut findings = Vec::new();
    if status.control.enable && !status.boot.looks_bootable() {
        findings.push(FindingFields {
            code: "not_bootable",
            text: format!(
                "the shadow MBR is enabled, and {}: the machine may not boot from this drive",
                boot::sentence(&status.boot)
            ),
            way_out: "load an image with \"sedkit mbr load\", or \"sedkit mbr disable\"",
        });
    }
    let can_lock = |range: &LockingRange| range.is_lock_enabled() == Some(true);
    let is_open = match ranges {
        Some(ranges) => !ranges.iter().any(can_lock),
        None => state.mbr == MbrState::Shown && state.locking == LockingState::Unlocked,
    };
    if status.control.enable && is_open {
        findings.push(FindingFields {
            code: "nothing_locked",
            text: "the shadow MBR is enabled, but no range is locked: the data is open to whoever \
                   hides the shadow MBR or reads beyond it"
                .to_owned(),
            way_out: "enable locking with \"sedkit setup\"",
        });
    }
    findings
}
