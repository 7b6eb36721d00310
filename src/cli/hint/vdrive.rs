//! What to do where a virtual drive cannot be used or served.

use std::io::ErrorKind;

use crate::vdrive::{self, StoreError, serve};

/// What to do where a virtual drive cannot be used.
pub(crate) fn for_virtual(error: &vdrive::Error) -> Option<&'static str> {
    let vdrive::Error::Store(error) = error else {
        return None;
    };
    match error {
        StoreError::Busy => Some("only one program at a time can have a virtual drive open"),
        StoreError::Exists => Some("remove the file first, or choose another name"),
        StoreError::Io { source, .. } if source.kind() == ErrorKind::NotFound => {
            Some("make one with \"sedkit vdrive create PATH\"")
        }
        StoreError::NotRegular | StoreError::Foreign => {
            Some("vdrive: names the file of a virtual drive; real drives are named without it")
        }
        _ => None,
    }
}

/// What to do where drives cannot be served.
pub(crate) fn for_server(error: &serve::Error) -> Option<&'static str> {
    match error {
        serve::Error::Listen { source, .. } => match source.kind() {
            ErrorKind::AddrInUse => Some("another server listens there: give another --nvme-tcp"),
            ErrorKind::PermissionDenied => Some("ports below 1024 need root"),
            ErrorKind::AddrNotAvailable => Some("give an address of this machine to --nvme-tcp"),
            _ => None,
        },
        serve::Error::Control { source, .. } => match source.kind() {
            ErrorKind::AlreadyExists => Some("that file is no socket of sedkit: move it away"),
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Some("the folder of the drive's file must be writable")
            }
            _ => None,
        },
        serve::Error::SameName { .. } => Some("name each drive by --nqn, in their order"),
        _ => None,
    }
}
