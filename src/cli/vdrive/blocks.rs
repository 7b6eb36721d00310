//! `sedkit vdrive read`, `write` and `media`: blocks in and out.

use std::fs;
use std::io::{self, Read};
use std::path::Path;

use serde::Serialize;

use super::{named, open, path, reach, report, show};
use crate::cli::Context;
use crate::cli::args::vdrive::{Blocks, Write};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::report::{Answer, Report};
use crate::cli::served::Reached;
use crate::vdrive::MediaError;

/// Bytes that one command carries, as much as one READ or WRITE may.
const MAX_BYTES: u64 = 64 << 20;

/// Blocks that were read or written, in JSON.
#[derive(Debug, Serialize)]
struct Transfer {
    lba: u64,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

/// What a host's READ gets.
pub(super) fn read(arguments: &Blocks, context: &Context) -> Result<Report, CliError> {
    let Blocks { file, lba, count } = arguments;
    let data = match reach(file, context)? {
        Reached::Open(drive) => drive.read(*lba, *count).map_err(named(file))?,
        Reached::Served(server) => server.read(*lba, *count).map_err(named(file))?,
    };
    deliver(&data, arguments, context)
}

/// The bytes on the medium.
pub(super) fn media(arguments: &Blocks, context: &Context) -> Result<Report, CliError> {
    let Blocks { file, lba, count } = arguments;
    let data = match reach(file, context)? {
        Reached::Open(drive) => drive.ciphertext(*lba, *count).map_err(named(file))?,
        Reached::Served(server) => server.ciphertext(*lba, *count).map_err(named(file))?,
    };
    deliver(&data, arguments, context)
}

/// What a host's WRITE does.
pub(super) fn write(arguments: &Write, context: &Context) -> Result<Report, CliError> {
    let mut drive = open(&arguments.file, context)?;
    let mut data = input(arguments.from.as_deref())?;
    let block_size = u64::from(drive.info().block_size);
    let count = length(&data).div_ceil(block_size);
    let padded = usize::try_from(count.saturating_mul(block_size)).unwrap_or(usize::MAX);
    data.resize(padded, 0);
    let written = drive.write(arguments.lba, &data);
    written.map_err(named(&arguments.file))?;
    drive.flush().map_err(named(&arguments.file))?;
    let text = format!("wrote {count} blocks at LBA {}", arguments.lba);
    let value = Transfer {
        lba: arguments.lba,
        count,
        data: None,
    };
    Ok(report(
        path(&arguments.file),
        drive.label(),
        Answer::Notice(text),
        &value,
    ))
}

/// Bytes go to standard output as they are, or into the document as hex.
fn deliver(data: &[u8], arguments: &Blocks, context: &Context) -> Result<Report, CliError> {
    let hex = context.output.is_json().then(|| hex(data));
    if hex.is_none() {
        context.output.bytes(data)?;
    }
    let value = Transfer {
        lba: arguments.lba,
        count: arguments.count,
        data: hex,
    };
    let label = show::inspect(&arguments.file)?.label;
    Ok(report(
        path(&arguments.file),
        &label,
        Answer::Nothing,
        &value,
    ))
}

fn hex(data: &[u8]) -> String {
    data.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The data to write: never more than one command carries, however long the input is.
fn input(from: Option<&Path>) -> Result<Vec<u8>, CliError> {
    let mut data = Vec::new();
    let read = match from {
        Some(path) => fs::File::open(path).and_then(|file| bounded(file, &mut data)),
        None => bounded(io::stdin().lock(), &mut data),
    };
    read.map_err(|error| CliError::from_chain(Code::Failed, &error))?;
    match length(&data) {
        0 => Err(CliError::usage("there is nothing to write")),
        1..=MAX_BYTES => Ok(data),
        _ => Err(
            CliError::usage(format!("more than {MAX_BYTES} bytes to write"))
                .with_hint("write in several pieces, each at its own --lba"),
        ),
    }
}

fn bounded(source: impl Read, data: &mut Vec<u8>) -> io::Result<()> {
    source.take(MAX_BYTES + 1).read_to_end(data).map(|_| ())
}

fn length(data: &[u8]) -> u64 {
    u64::try_from(data.len()).unwrap_or(u64::MAX)
}

impl From<MediaError> for CliError {
    fn from(error: MediaError) -> Self {
        match error {
            MediaError::DataProtection => Self::new(Code::DataProtected, "data protected")
                .with_hint("the range is locked; unlock it with sedkit unlock"),
            MediaError::OutOfRange { .. } | MediaError::Length { .. } => {
                Self::from_chain(Code::Usage, &error)
            }
            _ => Self::from_chain(Code::Failed, &error),
        }
    }
}
