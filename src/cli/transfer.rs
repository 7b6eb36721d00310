//! Bytes between byte tables and files, shared by `mbr` and `datastore`.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use serde::Serialize;

use super::args::mbr::Piece;
use super::drives::Done;
use super::error::CliError;
use super::exit::Code;
use super::failure::io_code;
use super::progress::Progress;
use super::report::{Answer, fields};
use super::{Context, size};
use crate::drive::{
    self, ByteTable, Cause, Credential, Drive, Phase, Step, TableError, TableName, TableProgress,
};
use crate::wire::hex;

/// The most bytes that a JSON document carries in hex.
const MOST_IN_JSON: u64 = 1 << 20;

/// A drive shows a DataStore table to few, and so does the file with its bytes.
const OUTPUT_MODE: u32 = 0o600;

/// A byte table in JSON.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct TableFields {
    size: u64,
    write_granularity: u64,
    access_granularity: u64,
}

impl From<ByteTable> for TableFields {
    fn from(table: ByteTable) -> Self {
        Self {
            size: table.size,
            write_granularity: table.write_granularity,
            access_granularity: table.access_granularity,
        }
    }
}

/// Bytes that were read, in JSON.
#[derive(Debug, Serialize)]
struct ReadFields {
    offset: u64,
    length: u64,
    table: TableFields,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
}

/// An image in a file, whose length is known.
pub(crate) fn open(path: &Path) -> Result<(File, u64), CliError> {
    let about = |error: &io::Error| {
        CliError::new(
            io_code(error.kind()),
            format!("{}: {error}", path.display()),
        )
        .with_hint("name a file of this machine that can be read")
    };
    let file = File::open(path).map_err(|error| about(&error))?;
    let metadata = file.metadata().map_err(|error| about(&error))?;
    if !metadata.is_file() {
        return Err(CliError::usage(format!("{} is no file", path.display()))
            .with_hint("copy it into a file first"));
    }
    match metadata.len() {
        0 => Err(CliError::usage(format!("{} is empty", path.display()))),
        length => Ok((file, length)),
    }
}

/// Where a piece begins, and how long it is.
#[derive(Clone, Copy, Debug)]
struct Extent {
    offset: u64,
    length: Option<u64>,
}

impl Extent {
    fn of(piece: &Piece) -> Result<Self, CliError> {
        let length = piece.length.as_deref().map(size::parse).transpose()?;
        if length == Some(0) {
            return Err(CliError::usage("there is nothing to read"));
        }
        Ok(Self {
            offset: size::parse(&piece.offset)?,
            length,
        })
    }
}

/// Where bytes go that were read.
enum Destination {
    Document(Vec<u8>),
    Output,
    File(File),
}

impl Destination {
    fn of(piece: &Piece, context: &Context) -> Result<Self, CliError> {
        let Some(path) = &piece.output else {
            return Ok(match context.output.is_json() {
                true => Self::Document(Vec::new()),
                false => Self::Output,
            });
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true).mode(OUTPUT_MODE);
        let opened = options.open(path);
        let file = opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                CliError::usage(format!("{} exists already", path.display()))
                    .with_hint("remove it first, or choose another name")
            }
            kind => CliError::new(io_code(kind), format!("{}: {error}", path.display())),
        })?;
        Ok(Self::File(file))
    }

    fn take(&mut self, bytes: &[u8], context: &Context) -> io::Result<()> {
        match self {
            Self::Document(document) => {
                let held = document.len().saturating_add(bytes.len());
                if u64::try_from(held).is_ok_and(|held| held > MOST_IN_JSON) {
                    return Err(io::Error::other("too much for a JSON document"));
                }
                document.extend_from_slice(bytes);
                Ok(())
            }
            Self::Output => context.output.bytes(bytes).map_err(io::Error::other),
            Self::File(file) => file.write_all(bytes),
        }
    }
}

/// Reads a piece of a table to where it was asked for.
pub(crate) fn read(
    piece: &Piece,
    name: TableName,
    drive: &mut Drive,
    credential: Option<&Credential>,
    context: &Context,
) -> Result<Done, CliError> {
    let extent = Extent::of(piece)?;
    let mut destination = Destination::of(piece, context)?;
    let mut progress = Progress::new(context);
    let mut take = |piece: drive::Piece<'_>| {
        destination.take(piece.bytes, context)?;
        progress.show(piece.progress);
        Ok(())
    };
    let table = drive.read_table(name, extent.offset, extent.length, credential, &mut take);
    progress.finish();
    let table = table.map_err(|error| too_much(error, &destination))?;
    if let Destination::File(file) = &destination {
        let kept = file.sync_all();
        kept.map_err(|error| CliError::from_chain(Code::Failed, &error))?;
    }
    let left = table.size.saturating_sub(extent.offset);
    let value = ReadFields {
        offset: extent.offset,
        length: extent.length.unwrap_or(left),
        table: table.into(),
        data: match &destination {
            Destination::Document(bytes) => Some(hex::encode(bytes)),
            _ => None,
        },
        output: piece.output.as_ref().map(|path| path.display().to_string()),
    };
    Ok(Done {
        text: match &value.output {
            Some(output) => Answer::Notice(format!("{} bytes of {name} in {output}", value.length)),
            None => Answer::Nothing,
        },
        fields: fields(&value),
        error: None,
    })
}

/// Where a document was too small for the bytes, the way out is a file.
fn too_much(error: drive::Error, destination: &Destination) -> CliError {
    let is_output = matches!(error.cause(), Cause::Table(TableError::Output(_)));
    let error = CliError::from(error);
    match destination {
        Destination::Document(_) if is_output => error.with_hint(
            "a JSON document takes 1 MiB: write the bytes to a file with -o FILE, or read less",
        ),
        _ => error,
    }
}

/// The error of a write, with how far it came.
pub(crate) fn interrupted(
    error: drive::Error,
    last: Option<TableProgress>,
    keeps: Keeps,
) -> CliError {
    let step = error.step();
    let mut error = CliError::from(error);
    let Some(TableProgress {
        phase, done, total, ..
    }) = last
    else {
        return error;
    };
    // One block alone needs no transaction.
    let is_unsure =
        step == Some(Step::Commit) || (phase, step) == (Phase::Compare, Some(Step::WriteTable));
    let (state, way_on) = match (phase, keeps) {
        (Phase::Verify, _) => (
            format!("everything was written; {done} of {total} bytes of it were read back"),
            GO_ON,
        ),
        (_, Keeps::Blocks) => (format!("{done} of {total} bytes are in place"), GO_ON),
        (_, Keeps::Nothing) if is_unsure => (
            "the table is as it was before, or as it was to be".to_owned(),
            "the same command finds out, and goes on",
        ),
        (_, Keeps::Nothing) => (
            "the table is as it was before".to_owned(),
            "the same command begins anew",
        ),
    };
    error.message += &format!("; {state}");
    error.hint = Some(way_on.to_owned());
    error
}

/// What to do about a write that has left something.
const GO_ON: &str = "the same command goes on where this one stopped";

/// What is left of an interrupted write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keeps {
    /// The blocks that were written.
    Blocks,
    /// Nothing: a transaction is taken back.
    Nothing,
}
