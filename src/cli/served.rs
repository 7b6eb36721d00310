//! Virtual drives that another process serves.

use std::path::Path;

use super::error::CliError;
use super::exit::Code;
use super::{Context, exclusive};
use crate::vdrive::serve::Client;
use crate::vdrive::{Error, StoreError, VirtualDrive};

/// A virtual drive, or whoever serves it.
pub(crate) enum Reached {
    /// Nobody else uses it.
    Open(Box<VirtualDrive>),
    /// It is served.
    Served(Client),
}

/// Opens the drive in a file, or finds its server.
pub(crate) fn reach(path: &Path, context: &Context) -> Result<Reached, CliError> {
    let error = match VirtualDrive::open(path) {
        Ok(drive) => return Ok(Reached::Open(Box::new(drive))),
        Err(error) => error,
    };
    if matches!(error, Error::Store(StoreError::Busy))
        && let Some(server) = Client::find(path, context.timeout)?
    {
        return Ok(Reached::Served(server));
    }
    Err(error.into())
}

/// Opens the drive in a file, once it is free. Who serves it keeps it, so then nobody waits.
pub(crate) fn open(path: &Path, context: &Context) -> Result<VirtualDrive, CliError> {
    exclusive::wait(context, || match reach(path, context)? {
        Reached::Open(drive) => Ok(Ok(*drive)),
        Reached::Served(server) => Ok(Err(in_service(&server))),
    })?
}

/// A drive cannot be opened while it is served.
pub(crate) fn in_service(server: &Client) -> CliError {
    let places: Vec<String> = server.places().iter().map(ToString::to_string).collect();
    let message = format!("the virtual drive is served {}", places.join(" and "));
    CliError::new(Code::Busy, message).with_hint(
        "use it there, or end \"sedkit vdrive serve\" first; \"sedkit vdrive\" can power-cycle, \
         reset, read and show it meanwhile",
    )
}
