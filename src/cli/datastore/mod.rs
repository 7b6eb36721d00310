//! `sedkit datastore`.

use super::args::datastore::{Datastore, DatastoreCommand, DatastoreRead};
use super::error::CliError;
use super::report::Report;
use super::secret::Acting;
use super::{Context, drives, preflight, transfer};
use crate::drive::TableName;

mod list;
mod write;

/// Works on DataStore tables.
pub(crate) fn run(args: &Datastore, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        DatastoreCommand::List(args) => list::run(args, context),
        DatastoreCommand::Read(args) => read(args, context),
        DatastoreCommand::Write(args) => write::run(args, context),
    }
}

fn read(args: &DatastoreRead, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let table = TableName::DataStore(args.table.table);
    Ok(drives::on_one(
        &args.device,
        args.actor.login.session,
        context,
        |_, drive| {
            preflight::locking(drive, acting.authority())?;
            acting.with_key(drive, |drive, credential| {
                transfer::read(&args.piece, table, drive, Some(credential), context)
            })
        },
    ))
}
