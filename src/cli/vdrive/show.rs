//! `sedkit vdrive info` and `stats`, and the state after a reset.

use std::collections::BTreeMap;

use serde::Serialize;

use super::{about, path, report};
use crate::cli::args::vdrive::File;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report};
use crate::vdrive::{Counts, Info, Inspection, Label, VirtualDrive};

/// Shows what a drive is, its state and its label.
pub(super) fn info(file: &File) -> Result<Report, CliError> {
    let Inspection { info, label, .. } = inspect(file)?;
    let text = format!("{}{}", info_text(&info), label_text(&label));
    let value = InfoFields {
        label: LabelFields::new(&label).label,
        state: StateFields::new(&info),
    };
    Ok(report(path(file), &label, Answer::Data(text), &value))
}

/// Shows how many interface commands a drive has seen.
pub(super) fn stats(file: &File) -> Result<Report, CliError> {
    let Inspection { label, stats, .. } = inspect(file)?;
    let protocols: BTreeMap<String, CountFields> = stats
        .protocols()
        .map(|(protocol, counts)| (format!("{:02x}", protocol.0), counts.into()))
        .collect();
    let total = stats.total().into();
    let value = StatsFields {
        stats: StatsTable { protocols, total },
    };
    Ok(report(
        path(file),
        &label,
        Answer::Data(stats_text(&value.stats)),
        &value,
    ))
}

/// Tells what was done to a drive, and its state afterwards.
pub(super) fn state(file: &File, done: &str) -> Result<Report, CliError> {
    let Inspection { info, label, .. } = inspect(file)?;
    let text = format!("{}: {done}\n{}", path(file).display(), locks_text(&info));
    let value = StateOnly {
        state: StateFields::new(&info),
    };
    Ok(report(path(file), &label, Answer::Notice(text), &value))
}

/// A look at a drive, which others may have open.
pub(super) fn inspect(file: &File) -> Result<Inspection, CliError> {
    VirtualDrive::inspect(path(file)).map_err(|error| about(path(file), error.into()))
}

/// What a label shows, in JSON.
#[derive(Debug, Serialize)]
pub(super) struct LabelFields<'a> {
    label: LabelTexts<'a>,
}

#[derive(Debug, Serialize)]
struct LabelTexts<'a> {
    firmware: &'a str,
    msid: &'a str,
    psid: &'a str,
}

impl<'a> LabelFields<'a> {
    pub(super) fn new(label: &'a Label) -> Self {
        Self {
            label: LabelTexts {
                firmware: &label.firmware,
                msid: &label.msid,
                psid: &label.psid,
            },
        }
    }
}

#[derive(Debug, Serialize)]
struct InfoFields<'a> {
    label: LabelTexts<'a>,
    state: StateFields,
}

#[derive(Debug, Serialize)]
struct StateOnly {
    state: StateFields,
}

/// The state of a virtual drive.
#[derive(Debug, Serialize)]
struct StateFields {
    profile: String,
    quirks: Vec<String>,
    block_size: u32,
    blocks: u64,
    namespaces: u32,
    locking_sp: String,
    owned: bool,
    sid_blocked: bool,
    open_sessions: usize,
    mbr_enabled: bool,
    mbr_done: bool,
    ranges: Vec<RangeFields>,
}

#[derive(Debug, Serialize)]
struct RangeFields {
    range: u16,
    range_start: u64,
    range_length: u64,
    read_locked: bool,
    write_locked: bool,
}

impl StateFields {
    fn new(info: &Info) -> Self {
        let ranges = info.ranges.iter().map(|range| RangeFields {
            range: range.number.0,
            range_start: range.start,
            range_length: range.length,
            read_locked: range.read_locked,
            write_locked: range.write_locked,
        });
        Self {
            profile: info.profile.clone(),
            quirks: info.quirks.clone(),
            block_size: info.block_size,
            blocks: info.blocks,
            namespaces: info.namespaces,
            locking_sp: info.life_cycle.to_string(),
            owned: info.is_owned,
            sid_blocked: info.sid_blocked,
            open_sessions: info.open_sessions,
            mbr_enabled: info.mbr_enabled,
            mbr_done: info.mbr_done,
            ranges: ranges.collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct StatsFields {
    stats: StatsTable,
}

#[derive(Debug, Serialize)]
struct StatsTable {
    /// By security protocol, two hex digits.
    protocols: BTreeMap<String, CountFields>,
    total: CountFields,
}

#[derive(Debug, Serialize)]
struct CountFields {
    send: u64,
    recv: u64,
}

impl From<Counts> for CountFields {
    fn from(counts: Counts) -> Self {
        Self {
            send: counts.send,
            recv: counts.recv,
        }
    }
}

/// The label for people.
pub(super) fn label_text(label: &Label) -> String {
    let Label {
        serial,
        model,
        firmware,
        msid,
        psid,
    } = label;
    format!(
        "label:\n  serial    {serial}\n  model     {model}\n  firmware  {firmware}\n  \
         MSID      {msid}\n  PSID      {psid}\n"
    )
}

/// What follows the name of a profile.
pub(super) fn quirks_text(quirks: &[String]) -> String {
    if quirks.is_empty() {
        return String::new();
    }
    format!(" with {}", quirks.join(", "))
}

fn info_text(info: &Info) -> String {
    let owned = if info.is_owned {
        "yes"
    } else {
        "no: SID has its factory PIN"
    };
    let bytes = info.blocks.saturating_mul(u64::from(info.block_size));
    format!(
        "profile     {}{}\nsize        {} blocks of {} bytes, {bytes} bytes\nnamespaces  {}\nlocking SP  {}\n\
         owned       {owned}\nsessions    {} open\n{}",
        info.profile,
        quirks_text(&info.quirks),
        info.blocks,
        info.block_size,
        info.namespaces,
        info.life_cycle,
        info.open_sessions,
        locks_text(info)
    )
}

fn locks_text(info: &Info) -> String {
    let mut text = String::new();
    for range in &info.ranges {
        let state = match (range.read_locked, range.write_locked) {
            (false, false) => "unlocked",
            (false, true) => "read-only",
            (true, false) => "write-only",
            (true, true) => "locked",
        };
        text.push_str(&format!("range {:<5} {state}\n", range.number));
    }
    if info.mbr_enabled {
        let shown = if info.mbr_done { "hidden" } else { "shown" };
        text.push_str(&format!("shadow MBR  {shown}\n"));
    }
    text
}

fn stats_text(stats: &StatsTable) -> String {
    let row = |name: &str, counts: &CountFields| {
        format!("{name:<12} {:>9} {:>9}\n", counts.send, counts.recv)
    };
    let mut text = format!("{:<12} {:>9} {:>9}\n", "protocol", "IF-SEND", "IF-RECV");
    for (protocol, counts) in &stats.protocols {
        text.push_str(&row(&format!("{protocol}h"), counts));
    }
    text.push_str(&row("total", &stats.total));
    text
}
