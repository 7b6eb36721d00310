//! What to do where a session, or the way to the drive, fails.

use std::io::ErrorKind;

use crate::spec::MethodStatus;
use crate::{session, transport};

/// What a session failed of.
pub(super) fn for_session(error: &session::Error) -> Option<String> {
    let text = match error {
        session::Error::Transport(error) => return for_transport(error),
        session::Error::Malformed(_) => {
            "-vv shows what was sent and received; PINs are masked in it"
        }
        session::Error::Status(status) => return for_status(*status),
        session::Error::NoAnswer | session::Error::Closed => {
            "run the command again; if it stays so, --stack-reset or a power cycle helps"
        }
        session::Error::InactiveComId | session::Error::StackReset => "power-cycle the drive",
        session::Error::TimedOut { .. } => {
            "give it more time with --timeout SECONDS; if it stays silent, power-cycle the drive"
        }
        session::Error::Interrupted => "the same command goes on where this one stopped",
        session::Error::Busy { .. } => STACK_RESET,
        session::Error::Endless | session::Error::Limit { .. } => {
            "look for an update of the drive's firmware; -vv shows what was sent and received"
        }
        session::Error::OutOfTurn => "end the other program, and run the command again",
        session::Error::Entropy(_) => "run the command again once the system has booted",
    };
    Some(text.to_owned())
}

/// Another session is open.
pub(super) const STACK_RESET: &str = "another program uses the drive, or a killed one left its session open; \
    the second kind ends with --stack-reset";

/// A method was refused.
pub(super) fn for_status(status: MethodStatus) -> Option<String> {
    let text = match status {
        MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE => STACK_RESET,
        MethodStatus::NOT_AUTHORIZED => "act as another authority with --as",
        MethodStatus::SP_FROZEN | MethodStatus::SP_DISABLED => "power-cycle the drive",
        MethodStatus::FAIL => ATA_PASSWORD,
        MethodStatus::TPER_MALFUNCTION | MethodStatus::SP_FAILED => {
            "power-cycle the drive, then see \"sedkit info\""
        }
        MethodStatus::INVALID_PARAMETER => "the drive does not take one of the values given",
        MethodStatus::AUTHORITY_LOCKED_OUT => "cut the drive's power; a warm reboot is not enough",
        MethodStatus::INSUFFICIENT_SPACE | MethodStatus::INSUFFICIENT_ROWS => {
            "\"sedkit info\" shows how much the drive has room for"
        }
        MethodStatus::OBSOLETE_0B | MethodStatus::OBSOLETE_0D => {
            "the drive's SSC may be another one: see \"sedkit info\""
        }
        _ => "power-cycle the drive and run the command again",
    };
    Some(text.to_owned())
}

/// FAIL, as by drives with an ATA password.
pub(super) const ATA_PASSWORD: &str = "a disk password set in firmware (ATA Security) makes drives fail like \
    this: see \"sedkit info\"";

/// What to do where the drive cannot even be reached.
pub(crate) fn for_transport(error: &transport::Error) -> Option<String> {
    let text = match error {
        transport::Error::Open { source, .. } | transport::Error::Io { source, .. } => {
            match source.kind() {
                ErrorKind::PermissionDenied => "security commands need root: run it with sudo",
                ErrorKind::NotFound => "\"sedkit scan\" shows the drives of this machine",
                ErrorKind::ResourceBusy => "another program has it open",
                ErrorKind::TimedOut => "give the drive more time with --timeout SECONDS",
                _ => "the kernel's log (dmesg) may tell more",
            }
        }
        transport::Error::Partition { disk, .. } => {
            return Some(format!(
                "security commands act on the whole drive: name {disk}"
            ));
        }
        transport::Error::Blocked { .. } => {
            "boot with libata.allow_tpm=1 on the kernel's command line"
        }
        transport::Error::NotSupported { .. } => {
            "name a whole drive, such as /dev/nvme0 or /dev/sda"
        }
        _ => "\"sedkit info\" shows what stands between the program and the drive",
    };
    Some(text.to_owned())
}
