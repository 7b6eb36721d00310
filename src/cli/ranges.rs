//! Locking ranges for people and for JSON.

use serde::Serialize;

use super::args::RangeNumbers;
use super::error::CliError;
use super::table;
use crate::drive::{LockingRange, RangeOutcome};
use crate::spec::RangeNumber;
use crate::spec::column_type::{RESET_TYPES, name_of};
use crate::wire::hex;

/// A locking range in JSON. What the authority may not see is null.
#[derive(Debug, Serialize)]
pub(crate) struct RangeFields {
    range: u16,
    uid: String,
    common_name: Option<String>,
    range_start: Option<u64>,
    range_length: Option<u64>,
    read_lock_enabled: Option<bool>,
    write_lock_enabled: Option<bool>,
    read_locked: Option<bool>,
    write_locked: Option<bool>,
    locked: Option<bool>,
    lock_on_reset: Option<Vec<String>>,
    active_key: Option<String>,
}

impl From<&LockingRange> for RangeFields {
    fn from(range: &LockingRange) -> Self {
        let resets = |types: &Vec<u8>| types.iter().map(|&kind| reset_name(kind)).collect();
        Self {
            range: range.number.0,
            uid: hex::encode(&range.uid.to_bytes()),
            common_name: range.common_name.clone(),
            range_start: range.range_start,
            range_length: range.range_length,
            read_lock_enabled: range.read_lock_enabled,
            write_lock_enabled: range.write_lock_enabled,
            read_locked: range.read_locked,
            write_locked: range.write_locked,
            locked: range.is_locked(),
            lock_on_reset: range.lock_on_reset.as_ref().map(resets),
            active_key: range.active_key.map(|uid| hex::encode(&uid.to_bytes())),
        }
    }
}

/// The name of a reset.
pub(crate) fn reset_name(kind: u8) -> String {
    let name = name_of(RESET_TYPES, kind.into());
    name.map_or_else(|| format!("type_{kind}"), str::to_owned)
}

/// What became of one range, in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    range: u16,
    ok: bool,
    error: Option<CliError>,
}

impl From<&RangeOutcome> for Outcome {
    fn from(outcome: &RangeOutcome) -> Self {
        let error = outcome.error.as_ref().map(CliError::from);
        Self {
            range: outcome.range.0,
            ok: error.is_none(),
            error,
        }
    }
}

/// The ranges that are as asked: `range 0, range 3`.
pub(crate) fn names<'a>(outcomes: impl IntoIterator<Item = &'a RangeOutcome>) -> String {
    let done = outcomes
        .into_iter()
        .filter(|outcome| outcome.error.is_none());
    let names: Vec<String> = done
        .map(|outcome| format!("range {}", outcome.range))
        .collect();
    if names.is_empty() {
        "no range".to_owned()
    } else {
        names.join(", ")
    }
}

/// The numbers that were given.
pub(crate) fn numbers(given: &RangeNumbers) -> Vec<RangeNumber> {
    given.ranges.iter().copied().map(RangeNumber).collect()
}

/// What a range is, in words: `blocks 8 to 15, locks reads and writes (power cycle), not locked`.
pub(crate) fn description(range: &LockingRange) -> String {
    let place = match (range.place(), range.number.0) {
        (_, 0) => "all blocks that no other range has".to_owned(),
        (Some(place), _) => format!(
            "blocks {} to {}",
            place.start,
            place.end().saturating_sub(1)
        ),
        (None, _) => "no blocks".to_owned(),
    };
    let enabled = directions(range.read_lock_enabled, range.write_lock_enabled);
    let locks = match enabled.as_str() {
        "no" => "no locks".to_owned(),
        enabled => format!("locks for {enabled} (closed by {})", resets(range)),
    };
    let is_locked = match range.is_locked() {
        Some(true) => "locked",
        Some(false) => "not locked",
        None => "locked or not",
    };
    format!("{place}, {locks}, {is_locked}")
}

/// The resets by which a range is locked.
fn resets(range: &LockingRange) -> String {
    let Some(types) = &range.lock_on_reset else {
        return UNKNOWN.to_owned();
    };
    let names = types.iter().map(|&kind| reset_name(kind).replace('_', " "));
    match types.is_empty() {
        true => "no reset".to_owned(),
        false => names.collect::<Vec<_>>().join(", "),
    }
}

/// A table of ranges.
pub(crate) fn table(ranges: &[LockingRange]) -> String {
    let header = [
        "RANGE",
        "START",
        "LENGTH",
        "ENABLED",
        "LOCKED",
        "LOCK ON RESET",
        "NAME",
    ];
    table::text(header, ranges.iter().map(row))
}

fn row(range: &LockingRange) -> [String; 7] {
    let is_global = range.number.0 == 0;
    let place = |value: Option<u64>, of_global: &str| match value {
        _ if is_global => of_global.to_owned(),
        Some(blocks) => blocks.to_string(),
        None => UNKNOWN.to_owned(),
    };
    [
        range.number.0.to_string(),
        place(range.range_start, "-"),
        place(range.range_length, "the rest"),
        directions(range.read_lock_enabled, range.write_lock_enabled),
        directions(
            both(range.read_lock_enabled, range.read_locked),
            both(range.write_lock_enabled, range.write_locked),
        ),
        resets(range),
        range.common_name.clone().unwrap_or_default(),
    ]
}

/// Whether a lock has effect: one that is not enabled locks nothing, whatever it is set to.
fn both(enabled: Option<bool>, locked: Option<bool>) -> Option<bool> {
    match (enabled, locked) {
        (Some(false), _) => Some(false),
        (enabled, locked) => Some(enabled? && locked?),
    }
}

const UNKNOWN: &str = "?";

/// Whether something of a range is not shown to who asked.
pub(crate) fn is_hidden(range: &LockingRange) -> bool {
    range.read_lock_enabled.is_none() || range.lock_on_reset.is_none()
}

fn directions(read: Option<bool>, write: Option<bool>) -> String {
    match (read, write) {
        (Some(true), Some(true)) => "read, write",
        (Some(true), _) => "read",
        (_, Some(true)) => "write",
        (Some(false), _) | (_, Some(false)) => "no",
        (None, None) => UNKNOWN,
    }
    .to_owned()
}
