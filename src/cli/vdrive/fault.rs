//! `sedkit vdrive fault`.

use serde::Serialize;

use super::{named, open, path, report, show};
use crate::cli::Context;
use crate::cli::args::vdrive::Fault as Arguments;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report};
use crate::vdrive::{Fault, FaultKind};

/// Arranges a fault, or shows the one that is arranged.
pub(super) fn run(arguments: &Arguments, context: &Context) -> Result<Report, CliError> {
    if let Some(word) = &arguments.kind {
        let fault = kind(word).map(|kind| Fault {
            kind,
            after: arguments.after,
        });
        let mut drive = open(&arguments.file, context)?;
        let arranged = drive.arrange_fault(fault);
        arranged.map_err(named(&arguments.file))?;
    }
    let inspection = show::inspect(&arguments.file)?;
    let fault = inspection.info.fault;
    let path = path(&arguments.file);
    let text = format!("{}: {}\n", path.display(), text(fault));
    let answer = match arguments.kind {
        Some(_) => Answer::Notice(text),
        None => Answer::Data(text),
    };
    Ok(report(path, &inspection.label, answer, &Fields::new(fault)))
}

/// The kind of a word; nothing for the word that takes a fault back.
fn kind(word: &str) -> Option<FaultKind> {
    match word {
        "power-cut" => Some(FaultKind::PowerCut),
        "hang" => Some(FaultKind::Hang),
        _ => None,
    }
}

fn text(fault: Option<Fault>) -> String {
    let Some(Fault { kind, after }) = fault else {
        return "no fault is arranged".to_owned();
    };
    let what = match kind {
        FaultKind::Hang => "the drive will hang for a minute",
        _ => "the power will be cut",
    };
    let commands = if after == 1 { "command" } else { "commands" };
    format!("{what} after {after} more interface {commands}")
}

#[derive(Debug, Serialize)]
struct Fields {
    fault: Option<FaultFields>,
}

#[derive(Debug, Serialize)]
struct FaultFields {
    kind: FaultKind,
    after: u64,
}

impl Fields {
    fn new(fault: Option<Fault>) -> Self {
        let fault = fault.map(|Fault { kind, after }| FaultFields { kind, after });
        Self { fault }
    }
}
