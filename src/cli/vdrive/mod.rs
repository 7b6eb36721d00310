//! `sedkit vdrive`: virtual drives in files.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use super::Context;
use super::args::vdrive::{File, Vdrive, VdriveCommand};
use super::error::CliError;
use super::report::{Answer, DriveReport, Report, fields};
use crate::vdrive::VirtualDrive;

mod blocks;
mod create;
mod show;

/// Does what was asked for.
pub(crate) fn run(arguments: &Vdrive, context: &Context) -> Result<Report, CliError> {
    match &arguments.command {
        VdriveCommand::Create(arguments) => create::run(arguments),
        VdriveCommand::Info(file) => show::info(file),
        VdriveCommand::PowerCycle(file) => power_cycle(file),
        VdriveCommand::HardwareReset(file) => hardware_reset(file),
        VdriveCommand::Read(arguments) => blocks::read(arguments, context),
        VdriveCommand::Write(arguments) => blocks::write(arguments),
        VdriveCommand::Media(arguments) => blocks::media(arguments, context),
        VdriveCommand::Stats(file) => show::stats(file),
    }
}

fn power_cycle(file: &File) -> Result<Report, CliError> {
    let mut drive = open(file)?;
    drive.power_cycle()?;
    Ok(show::state(
        file,
        &drive,
        "the power was off and is on again",
    ))
}

fn hardware_reset(file: &File) -> Result<Report, CliError> {
    let mut drive = open(file)?;
    drive.hardware_reset()?;
    Ok(show::state(file, &drive, "the interface was reset"))
}

/// The path of a drive's file, which may have `vdrive:` before it as everywhere else.
fn path(file: &File) -> &Path {
    let name = file.path.as_bytes();
    Path::new(OsStr::from_bytes(
        name.strip_prefix(b"vdrive:").unwrap_or(name),
    ))
}

fn open(file: &File) -> Result<VirtualDrive, CliError> {
    VirtualDrive::open(path(file)).map_err(|error| about(path(file), error.into()))
}

/// An error that says which file it is about.
fn about(path: &Path, error: CliError) -> CliError {
    CliError {
        message: format!("{}: {}", path.display(), error.message),
        ..error
    }
}

/// A report about one drive.
fn report(path: &Path, drive: &VirtualDrive, text: Answer, value: &impl Serialize) -> Report {
    let label = drive.label();
    Report::of_drives(vec![DriveReport {
        serial: Some(label.serial.clone()),
        model: Some(label.model.clone()),
        fields: fields(value),
        text,
        ..DriveReport::new(format!("vdrive:{}", path.display()))
    }])
}
