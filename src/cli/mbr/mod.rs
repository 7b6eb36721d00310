//! `sedkit mbr`.

use super::args::mbr::{Mbr, MbrCommand, MbrRead};
use super::error::CliError;
use super::report::Report;
use super::{Context, drives, looking, preflight, transfer};
use crate::drive::TableName;

mod boot;
mod control;
mod load;
mod status;
mod verify;

/// Works on the shadow MBR.
pub(crate) fn run(args: &Mbr, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        MbrCommand::Status(args) => status::run(args, context),
        MbrCommand::Load(args) => load::run(args, context),
        MbrCommand::Read(args) => read(args, context),
        MbrCommand::Verify(args) => verify::run(args, context),
        MbrCommand::Enable(args) => control::enable(args, context),
        MbrCommand::Disable(args) => control::disable(args, context),
        MbrCommand::Done(args) => control::done(args, context),
    }
}

fn read(args: &MbrRead, context: &Context) -> Result<Report, CliError> {
    let looking = looking::Looking::new(&args.looking, context)?;
    let session = args.looking.login.session;
    Ok(drives::on_one(
        &args.device,
        session,
        context,
        |_, drive| {
            preflight::shadow_mbr(drive)?;
            looking.look(drive, |drive, credential| {
                transfer::read(&args.piece, TableName::Mbr, drive, credential, context)
            })
        },
    ))
}
