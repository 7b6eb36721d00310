//! `sedkit raw dump`.

use serde::Serialize;

use super::value::{Masking, ObjectFields};
use super::{Reference, Session, SessionFields, target};
use crate::cli::Context;
use crate::cli::args::raw::Dump as Arguments;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::drive::{
    Drive, Dump, DumpOptions, DumpedContents, DumpedRow, DumpedTable, LockingState, RowSource,
};
use crate::spec::{MethodStatus, Uid, uid};
use crate::wire::hex;

/// Shows every table of the SPs.
pub(super) fn run(args: &Arguments, context: &Context) -> Result<Report, CliError> {
    let own = own_sp(args)?;
    let options = args.session.login.session;
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |_, drive| {
            let mut fields = Fields {
                sps: Vec::new(),
                left_out: Vec::new(),
            };
            for sp in sps(args, own)? {
                if sp == uid::LOCKING_SP && !is_active(drive) && args.session.sp.is_none() {
                    fields.left_out.push(sp.into());
                    continue;
                }
                let authority = match own == Some(sp) {
                    true => target::acting(target::who(&args.session, sp), sp)?,
                    false => None,
                };
                let session = Session::new(sp, authority, &args.session, context)?;
                let options = DumpOptions { bytes: args.bytes };
                let dump = session.with(drive, |drive, raw| Ok(drive.dump(raw, options)?))?;
                fields.sps.push(SpFields::new(&session, &dump));
            }
            Ok(Done::data(text(&fields), &fields))
        },
    ))
}

/// The SP in which the authority acts; it is Anybody in the other one.
fn own_sp(args: &Arguments) -> Result<Option<Uid>, CliError> {
    match &args.session.sp {
        Some(sp) => target::sp(sp).map(Some),
        None => target::sp_of(target::who(&args.session, uid::LOCKING_SP)),
    }
}

fn sps(args: &Arguments, own: Option<Uid>) -> Result<Vec<Uid>, CliError> {
    let name = target::who(&args.session, uid::LOCKING_SP);
    let is_nobody = target::acting(name, uid::ADMIN_SP)?.is_none();
    match (&args.session.sp, own) {
        (Some(sp), _) => Ok(vec![target::sp(sp)?]),
        (None, None) if !is_nobody => Err(CliError::usage(
            "the SP of this authority is not known: name it with --sp",
        )),
        (None, _) => Ok(vec![uid::ADMIN_SP, uid::LOCKING_SP]),
    }
}

fn is_active(drive: &Drive) -> bool {
    let locking = drive.state().locking;
    matches!(locking, LockingState::Unlocked | LockingState::Locked)
}

#[derive(Serialize)]
struct Fields {
    sps: Vec<SpFields>,
    left_out: Vec<Reference>,
}

#[derive(Serialize)]
struct SpFields {
    #[serde(flatten)]
    session: SessionFields,
    name: Option<String>,
    tables: Vec<TableFields>,
    truncated: bool,
}

#[derive(Serialize)]
struct TableFields {
    uid: String,
    name: Option<String>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    listed: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows: Option<Vec<RowFields>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
}

#[derive(Serialize)]
struct RowFields {
    #[serde(flatten)]
    object: ObjectFields,
    status: String,
}

impl SpFields {
    fn new(session: &Session<'_>, dump: &Dump) -> Self {
        Self {
            session: session.fields(),
            name: uid::name(dump.sp),
            tables: dump.tables.iter().map(TableFields::from).collect(),
            truncated: dump.truncated,
        }
    }
}

impl From<&DumpedTable> for TableFields {
    fn from(table: &DumpedTable) -> Self {
        let mut fields = Self {
            uid: table.uid.to_string(),
            name: uid::name(table.uid),
            kind: "object",
            listed: None,
            rows: None,
            length: None,
            data: None,
            status: None,
        };
        match &table.contents {
            DumpedContents::Objects { source, rows } => {
                fields.listed = Some(*source == RowSource::Next);
                fields.rows = Some(rows.iter().map(RowFields::from).collect());
            }
            DumpedContents::Bytes { length, first } => {
                fields.kind = "byte";
                fields.length = *length;
                fields.data = first.as_ref().ok().map(|bytes| hex::encode(bytes));
                fields.status = first.as_ref().err().map(MethodStatus::to_string);
            }
        }
        fields
    }
}

impl From<&DumpedRow> for RowFields {
    fn from(row: &DumpedRow) -> Self {
        let nothing = crate::session::Row::default();
        let columns = row.columns.as_ref().unwrap_or(&nothing);
        let status = row.columns.as_ref().err().copied();
        Self {
            object: ObjectFields::new(row.uid, columns, |_| true, Masking::On),
            status: status.unwrap_or(MethodStatus::SUCCESS).to_string(),
        }
    }
}

fn text(fields: &Fields) -> String {
    let mut text = String::new();
    for sp in &fields.sps {
        let name = sp.name.as_ref().unwrap_or(&sp.session.sp);
        text += &format!("{name} as {}\n", sp.session.acting);
        sp.tables
            .iter()
            .for_each(|table| text += &table_text(table));
        if sp.truncated {
            text += "  … there is more: the rest was left out\n";
        }
    }
    for sp in &fields.left_out {
        let name = sp.name.as_ref().unwrap_or(&sp.uid);
        text += &format!("{name}: not activated, so that it has no tables\n");
    }
    text
}

fn table_text(table: &TableFields) -> String {
    let name = table.name.as_ref().unwrap_or(&table.uid);
    let Some(rows) = &table.rows else {
        return byte_table_text(name, table);
    };
    let plural = if rows.len() == 1 { "" } else { "s" };
    let mut text = format!("  {name} ({}), {} row{plural}", table.uid, rows.len());
    if table.listed == Some(false) {
        text += ", which the drive does not list";
    }
    text.push('\n');
    for row in rows {
        let columns = row.object.lines();
        let shown = match columns.as_slice() {
            [] => row.status.as_str(),
            _ => &columns.join(", "),
        };
        text += &format!("    {}: {shown}\n", row.object.label());
    }
    text
}

fn byte_table_text(name: &str, table: &TableFields) -> String {
    let length = table
        .length
        .map_or("?".to_owned(), |length| length.to_string());
    let mut text = format!("  {name} ({}), {length} bytes\n", table.uid);
    match (&table.data, &table.status) {
        (Some(data), _) if !data.is_empty() => text += &format!("    {data}…\n"),
        (_, Some(status)) => text += &format!("    {status}\n"),
        _ => {}
    }
    text
}
