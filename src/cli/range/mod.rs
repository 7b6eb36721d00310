//! `sedkit range`: one file per sub-command.
//!
//! `settings` reads what a range shall have, `loss` says what a change of its place costs, and
//! `tables` where the partition tables are, and `partitions` where a range is that takes their place.

mod create;
mod delete;
mod list;
mod loss;
mod partitions;

mod set;
mod settings;
mod tables;

use serde::Serialize;

use super::args::range::{Range, RangeCommand};
use super::error::CliError;
use super::ranges::RangeFields;
use super::report::Report;
use super::{Context, erase};
use crate::drive::{KeyChange, Place, RangeReport};
use crate::spec::RangeNumber;

/// Works on locking ranges.
pub(crate) fn run(args: &Range, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        RangeCommand::List(args) => list::run(args, context),
        RangeCommand::Create(args) => create::run(args, context),
        RangeCommand::Set(args) => set::run(args, context),
        RangeCommand::Delete(args) => delete::run(args, context),
        RangeCommand::Erase(args) => {
            let ranges = vec![RangeNumber(args.range)];
            erase::erase(&args.device, ranges, &args.options, context)
        }
    }
}

/// What became of a range, in JSON.
#[derive(Serialize)]
struct Changed {
    changed: bool,
    range: RangeFields,
    before: Option<RangeFields>,
    key: &'static str,
    unreadable: Option<Vec<Blocks>>,
}

/// A run of blocks, in JSON.
#[derive(Serialize)]
struct Blocks {
    start: u64,
    length: u64,
}

impl From<&RangeReport> for Changed {
    fn from(report: &RangeReport) -> Self {
        Self {
            changed: report.changed,
            range: (&report.range).into(),
            before: report.before.as_ref().map(RangeFields::from),
            key: key_word(report.key),
            unreadable: unreadable(report).map(|lost| lost.iter().map(Blocks::from).collect()),
        }
    }
}

impl From<&Place> for Blocks {
    fn from(place: &Place) -> Self {
        Self {
            start: place.start,
            length: place.length,
        }
    }
}

const fn key_word(key: KeyChange) -> &'static str {
    match key {
        KeyChange::Kept => "kept",
        KeyChange::Replaced => "replaced",
        KeyChange::Refused(_) => "refused",
    }
}

/// The blocks whose former data can no longer be read; `None` if it is not known where the range
/// was.
fn unreadable(report: &RangeReport) -> Option<Vec<Place>> {
    let before = report.before.as_ref()?;
    before.range_length?;
    Some(Place::rekeyed(before.place(), report.range.place()))
}

/// What a report says of data, for people: `; what blocks 8 to 15 held can no longer be read`.
fn data_text(report: &RangeReport) -> String {
    match unreadable(report).as_deref() {
        None => "; what the range held before can no longer be read".to_owned(),
        Some([]) => String::new(),
        Some(lost) => format!("; what {} held can no longer be read", loss::blocks(lost)),
    }
}
