//! `sedkit vdrive`: virtual drives in files.

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use super::Context;
use super::args::vdrive::{File, Vdrive, VdriveCommand};
use super::device::virtual_path;
use super::error::CliError;
use super::report::{Answer, DriveReport, Report, fields};
use super::served::{self, Reached};
use crate::vdrive::{Label, VirtualDrive};

mod blocks;
mod create;
mod fault;
mod profiles;
mod serve;
mod show;

/// Does what was asked for.
pub(crate) fn run(arguments: &Vdrive, context: &Context) -> Result<Report, CliError> {
    match &arguments.command {
        VdriveCommand::Create(arguments) => create::run(arguments),
        VdriveCommand::Profiles => Ok(profiles::run()),
        VdriveCommand::Info(file) => show::info(file),
        VdriveCommand::Serve(arguments) => serve::run(arguments, context),
        VdriveCommand::PowerCycle(file) => power_cycle(file, context),
        VdriveCommand::HardwareReset(file) => hardware_reset(file, context),
        VdriveCommand::Fault(arguments) => fault::run(arguments, context),
        VdriveCommand::Read(arguments) => blocks::read(arguments, context),
        VdriveCommand::Write(arguments) => blocks::write(arguments, context),
        VdriveCommand::Media(arguments) => blocks::media(arguments, context),
        VdriveCommand::Stats(file) => show::stats(file),
    }
}

fn power_cycle(file: &File, context: &Context) -> Result<Report, CliError> {
    match reach(file, context)? {
        Reached::Open(mut drive) => drive.power_cycle().map_err(named(file))?,
        Reached::Served(server) => server.power_cycle().map_err(named(file))?,
    }
    show::state(file, "the power was off and is on again")
}

fn hardware_reset(file: &File, context: &Context) -> Result<Report, CliError> {
    match reach(file, context)? {
        Reached::Open(mut drive) => drive.hardware_reset().map_err(named(file))?,
        Reached::Served(server) => server.hardware_reset().map_err(named(file))?,
    }
    show::state(file, "the interface was reset")
}

/// The path of a drive's file, which may have `vdrive:` before it as everywhere else.
fn path(file: &File) -> &Path {
    plain(&file.path)
}

fn plain(name: &OsStr) -> &Path {
    virtual_path(name).unwrap_or(Path::new(name))
}

/// The drive, or its server.
fn reach(file: &File, context: &Context) -> Result<Reached, CliError> {
    served::reach(path(file), context).map_err(|error| about(path(file), error))
}

/// The drive, for what its server does not do.
fn open(file: &File, context: &Context) -> Result<VirtualDrive, CliError> {
    match reach(file, context)? {
        Reached::Open(drive) => Ok(*drive),
        Reached::Served(server) => Err(about(path(file), served::in_service(&server))),
    }
}

/// An error that says which file it is about.
fn about(path: &Path, error: CliError) -> CliError {
    CliError {
        message: format!("{}: {}", path.display(), error.message),
        ..error
    }
}

/// As [`about`], for what fails in other layers.
fn named<E: Into<CliError>>(file: &File) -> impl Fn(E) -> CliError {
    |error| about(path(file), error.into())
}

/// A report about one drive.
fn report(path: &Path, label: &Label, text: Answer, value: &impl Serialize) -> Report {
    Report::of_drives(vec![DriveReport {
        serial: Some(label.serial.clone()),
        model: Some(label.model.clone()),
        fields: fields(value),
        text,
        ..DriveReport::new(format!("vdrive:{}", path.display()))
    }])
}
