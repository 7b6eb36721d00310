//! `sedkit raw get`.

use serde::Serialize;

use super::target::{self, Target};
use super::value::{Masking, ObjectFields};
use super::{Reference, Session, SessionFields};
use crate::cli::Context;
use crate::cli::args::raw::Get;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::report::Report;
use crate::drive::{Drive, RawSession};
use crate::spec::{Uid, column, uid};
use crate::wire::hex;

/// Shows columns of an object, or bytes of a byte table.
pub(super) fn run(args: &Get, context: &Context) -> Result<Report, CliError> {
    let sp = args.session.sp.as_deref().map(target::sp).transpose()?;
    let (object, columns) = target::split(&args.object, sp)?;
    let target = Target::new(object, &args.session)?;
    let what = What::new(target.object, columns)?;
    let session = Session::new(target.sp, target.authority, &args.session, context)?;
    let options = args.session.login.session;
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |_, drive| {
            session.with(drive, |drive, raw| match &what {
                What::Bytes => bytes(args, &session, target.object, drive, raw, context),
                What::Columns(columns) => {
                    let masking = Masking::unless(args.show_secrets);
                    row(&session, target.object, columns, masking, drive, raw)
                }
            })
        },
    ))
}

/// What is asked for.
enum What {
    /// These columns of an object; all if there are none.
    Columns(Vec<u64>),
    /// Bytes of a byte table.
    Bytes,
}

impl What {
    fn new(object: Uid, columns: Option<&str>) -> Result<Self, CliError> {
        let is_table = object.low() == 0;
        let is_object_table = is_table && column::all(object).next().is_some();
        match columns {
            _ if is_object_table => Err(CliError::usage(format!(
                "{} is a table of objects: name one of its rows",
                uid::label(object)
            ))
            .with_hint("\"sedkit raw next\" lists the rows of a table")),
            Some(_) if is_table => Err(CliError::usage("a byte table has no columns")),
            None if is_table => Ok(Self::Bytes),
            columns => {
                let columns = columns.into_iter().flat_map(|columns| columns.split(','));
                let numbers = columns.map(|name| target::column(object.table(), name.trim()));
                Ok(Self::Columns(numbers.collect::<Result<_, _>>()?))
            }
        }
    }
}

#[derive(Serialize)]
struct RowFields {
    #[serde(flatten)]
    session: SessionFields,
    object: ObjectFields,
    not_shown: Vec<String>,
}

fn row(
    session: &Session<'_>,
    object: Uid,
    columns: &[u64],
    masking: Masking,
    drive: &mut Drive,
    raw: RawSession<'_>,
) -> Result<Done, CliError> {
    let range = columns.iter().min().zip(columns.iter().max());
    let range = range.map(|(first, last)| (*first, *last));
    let row = drive.raw_get(raw, object, range)?;
    let is_asked_for = |number| columns.is_empty() || columns.contains(&number);
    let is_hidden = |column: &&u64| row.value(**column).is_none();
    let hidden: Vec<String> = columns
        .iter()
        .filter(is_hidden)
        .map(|number| {
            let name = column::name(object.table(), *number);
            name.map_or_else(|| number.to_string(), str::to_owned)
        })
        .collect();
    let fields = RowFields {
        session: session.fields(),
        object: ObjectFields::new(object, &row, is_asked_for, masking),
        not_shown: hidden,
    };
    let error = hidden_error(&fields);
    Ok(Done::data(row_text(&fields, columns), &fields).with_error(error))
}

/// The column UID is shown only if it was asked for: whoever reads has it.
fn row_text(fields: &RowFields, columns: &[u64]) -> String {
    let mut lines = fields.object.lines();
    if columns.contains(&column::UID) {
        lines.insert(0, format!("UID = {}", fields.object.label()));
    }
    match lines.is_empty() && columns.is_empty() {
        true => format!(
            "{}: no column is shown to {}",
            fields.object.label(),
            fields.session.acting
        ),
        false => lines.join("\n"),
    }
}

fn hidden_error(fields: &RowFields) -> Option<CliError> {
    let hidden = fields.not_shown.join(", ");
    let (object, acting) = (fields.object.label(), &fields.session.acting);
    let message = format!("{object} does not show {hidden} to {acting}");
    let error = CliError::new(Code::NotAuthorized, message);
    let hint = "PINs and keys are shown to nobody but for the MSID; others may see more: --as";
    (!hidden.is_empty()).then(|| error.with_hint(hint))
}

#[derive(Serialize)]
struct ByteFields {
    #[serde(flatten)]
    session: SessionFields,
    table: Reference,
    offset: u64,
    length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

fn bytes(
    args: &Get,
    session: &Session<'_>,
    table: Uid,
    drive: &mut Drive,
    raw: RawSession<'_>,
    context: &Context,
) -> Result<Done, CliError> {
    let length = match args.length {
        Some(length) => length,
        None => size(table, drive, raw)?.saturating_sub(args.offset),
    };
    let data = drive.raw_get_bytes(raw, table, args.offset, length)?;
    let is_whole = u64::try_from(data.len()) == Ok(length);
    if !context.output.is_json() && is_whole {
        context.output.bytes(&data)?;
    }
    let fields = ByteFields {
        session: session.fields(),
        table: table.into(),
        offset: args.offset,
        length: u64::try_from(data.len()).unwrap_or(u64::MAX),
        data: context.output.is_json().then(|| hex::encode(&data)),
    };
    let error = (!is_whole).then(|| short(&fields, length));
    Ok(Done::silent(&fields).with_error(error))
}

/// The size that the drive tells of a table.
fn size(table: Uid, drive: &mut Drive, raw: RawSession<'_>) -> Result<u64, CliError> {
    let rows = column::table::ROWS;
    let anybody = RawSession {
        credential: None,
        ..raw
    };
    let row = drive.raw_get(anybody, table.table_descriptor(), Some((rows, rows)))?;
    let size = row.value(rows).and_then(crate::wire::Value::as_uint);
    size.ok_or_else(|| {
        CliError::new(
            Code::Failed,
            "the drive does not tell how large the table is",
        )
        .with_hint("say how many bytes with --length")
    })
}

/// A TPer may give nothing where it should refuse (\[Core\] 5.3.3.6).
fn short(fields: &ByteFields, wanted: u64) -> CliError {
    let (length, acting) = (fields.length, &fields.session.acting);
    match length {
        0 => CliError::new(
            Code::NotAuthorized,
            format!("the table is not shown to {acting}"),
        )
        .with_hint("act as another authority with --as"),
        _ => CliError::new(
            Code::Failed,
            format!("the drive gave {length} bytes of {wanted}"),
        ),
    }
}
