//! `sedkit datastore list`.

use serde::Serialize;

use crate::cli::args::datastore::DatastoreList;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::looking::Looking;
use crate::cli::report::Report;
use crate::cli::transfer::TableFields;
use crate::cli::{Context, table};
use crate::drive::{DataStoreTable, DataStores, TableName};
use crate::spec::{Uid, uid};

/// The tables in JSON.
#[derive(Serialize)]
struct Fields {
    tables: Vec<OneTable>,
    max_tables: Option<u16>,
    max_total_size: Option<u32>,
    size_alignment: Option<u32>,
}

#[derive(Serialize)]
struct OneTable {
    table: u16,
    #[serde(flatten)]
    size: TableFields,
    readers: Option<Vec<String>>,
    writers: Option<Vec<String>>,
}

/// Shows the tables.
pub(super) fn run(args: &DatastoreList, context: &Context) -> Result<Report, CliError> {
    let looking = Looking::new(&args.looking, context)?;
    let session = args.looking.login.session;
    Ok(drives::on_one(
        &args.device,
        session,
        context,
        |_, drive| {
            let found =
                looking.look(
                    drive,
                    |drive, credential| Ok(drive.data_stores(credential)?),
                )?;
            let fields = Fields {
                tables: found.tables.iter().map(OneTable::from).collect(),
                max_tables: found.most_tables,
                max_total_size: found.total_size,
                size_alignment: found.size_alignment,
            };
            Ok(Done::data(text(&found, &fields.tables), &fields))
        },
    ))
}

impl From<&DataStoreTable> for OneTable {
    fn from(table: &DataStoreTable) -> Self {
        Self {
            table: number(table.table.name),
            size: table.table.into(),
            readers: table.readers.as_deref().map(names),
            writers: table.writers.as_deref().map(names),
        }
    }
}

const fn number(name: TableName) -> u16 {
    match name {
        TableName::DataStore(number) => number,
        TableName::Mbr => 0,
    }
}

fn names(holders: &[Uid]) -> Vec<String> {
    holders.iter().map(|holder| uid::label(*holder)).collect()
}

fn text(found: &DataStores, tables: &[OneTable]) -> String {
    let holders = |names: &Option<Vec<String>>| {
        let names = names.as_ref().map(|names| names.join(", "));
        names.unwrap_or_else(|| "?".to_owned())
    };
    let rows = found.tables.iter().zip(tables).map(|(table, fields)| {
        [
            fields.table.to_string(),
            table.table.size.to_string(),
            table.table.write_granularity.to_string(),
            holders(&fields.readers),
            holders(&fields.writers),
        ]
    });
    let mut text = table::text(
        ["TABLE", "BYTES", "GRANULARITY", "READ BY", "WRITTEN BY"],
        rows,
    );
    if tables.iter().any(|table| table.readers.is_none()) {
        text += "\n?: shown to Admins, with --key";
    }
    if let Some(most) = found.most_tables.filter(|most| *most > 1) {
        text += &format!(
            "\nup to {most} tables can be made when locking is activated (\"sedkit setup --datastore\")"
        );
    }
    text
}
