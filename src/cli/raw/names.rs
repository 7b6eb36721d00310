//! `sedkit raw names`: what can be written where an object, a method or a column is meant.

use serde::Serialize;

use super::Reference;
use super::target;
use crate::cli::args::raw::Names;
use crate::cli::error::CliError;
use crate::cli::report::{Answer, Report, fields};
use crate::cli::table;
use crate::spec::column_type::{self, ColumnType};
use crate::spec::{Uid, column, object, uid};

/// Lists names.
pub(super) fn run(args: &Names) -> Result<Report, CliError> {
    match &args.columns {
        Some(table) => columns(target::object(table, None)?.table()),
        None => Ok(objects(args.text.as_deref().unwrap_or_default())),
    }
}

#[derive(Serialize)]
struct NameFields {
    names: Vec<Reference>,
}

fn objects(text: &str) -> Report {
    let text = text.to_ascii_lowercase();
    let is_meant = |name: &str| name.to_ascii_lowercase().contains(&text);
    let names = object::names().filter(|(_, name)| is_meant(name));
    let names = NameFields {
        names: names
            .map(|(uid, name)| Reference {
                uid: uid.to_string(),
                name: Some(name),
            })
            .collect(),
    };
    let rows = names.names.iter().map(|reference| {
        let name = reference.name.clone().unwrap_or_default();
        [name, reference.uid.clone()]
    });
    let heading = "N is a number; the UID is that of the first.\n";
    let text = format!("{heading}{}", table::text(["NAME", "UID"], rows));
    Report::plain(Answer::Data(text), fields(&names))
}

#[derive(Serialize)]
struct ColumnFields {
    columns: Vec<Column>,
}

#[derive(Serialize)]
struct Column {
    number: u64,
    name: &'static str,
    value: String,
}

fn columns(table: Uid) -> Result<Report, CliError> {
    let columns = column::all(table).map(|(number, name)| Column {
        number,
        name,
        value: kind(column_type::of(name)),
    });
    let fields_of = ColumnFields {
        columns: columns.collect(),
    };
    if fields_of.columns.is_empty() {
        let table = uid::label(table);
        return Err(CliError::usage(format!(
            "{table} has no columns that are known"
        )));
    }
    let rows = fields_of.columns.iter().map(|column| {
        let number = match column.number {
            number @ ..0x1_0000 => number.to_string(),
            number => format!("{number:#08x}"),
        };
        [number, column.name.to_owned(), column.value.clone()]
    });
    let text = table::text(["NUMBER", "NAME", "VALUE"], rows);
    Ok(Report::plain(Answer::Data(text), fields(&fields_of)))
}

/// What a value is written as.
fn kind(kind: ColumnType) -> String {
    let list = |names: &[(u64, &str)]| {
        let names: Vec<&str> = names.iter().map(|(_, name)| *name).collect();
        names.join(", ")
    };
    match kind {
        ColumnType::Uinteger => "a number".to_owned(),
        ColumnType::Boolean => "true or false".to_owned(),
        ColumnType::Reference => "an object".to_owned(),
        ColumnType::References => "objects".to_owned(),
        ColumnType::Text => "text".to_owned(),
        ColumnType::Texts => "texts".to_owned(),
        ColumnType::Secret => "a SOURCE; never shown, but for the MSID".to_owned(),
        ColumnType::Enumeration(names) => format!("one of {}", list(names)),
        ColumnType::Set(names) => format!("any of {}", list(names)),
        ColumnType::Columns => "numbers of columns".to_owned(),
        ColumnType::Expression => "an expression such as Admins OR User1".to_owned(),
        _ => "whatever the drive has".to_owned(),
    }
}
