//! What to do next: one table from what happened to what helps.

mod single_user;
mod table;

use super::exit::Code;
use crate::drive::{AccessError, Authority, Cause, Error, Mismatch, RangeError, TallyError};
use crate::secret::{LOOK_ALIKES, SchemeError, SourceError};
use crate::spec::{MethodStatus, Ssc};
use crate::vdrive::serve;
use crate::vdrive::{self, StoreError};
use crate::{session, transport};

/// What to do about a drive's refusal.
pub(crate) fn for_drive(error: &Error) -> Option<String> {
    for_cause(error.cause())
}

/// What to do about what stands in the way.
pub(crate) fn for_cause(cause: &Cause) -> Option<String> {
    let text = match cause {
        Cause::NotSed(source) => return Some(not_sed(source.as_ref())),
        Cause::Ssc(Ssc::Enterprise) => ENTERPRISE,
        Cause::NoSsc | Cause::NoLocking => "see \"sedkit info\" for what the drive reports",
        Cause::Ssc(_) => "see \"sedkit info\" for what the drive can do",
        Cause::NoFeature(_) => "\"sedkit info\" shows the features that the drive has",
        Cause::NoFreeze => "SID can be blocked without --freeze",
        Cause::BlockedOtherwise => BLOCKED_OTHERWISE,
        Cause::ProgrammaticResetDisabled => RESET_DISABLED,
        Cause::NoMechanism(_) => "\"sedkit data-removal show\" lists what the drive supports",
        Cause::NoEncryption => NO_ENCRYPTION,
        Cause::WrongAuthority(_) => "name another authority with --as",
        Cause::NotActivated => "turn locking on with \"sedkit setup\"",
        Cause::SidBlocked => SID_BLOCKED,
        Cause::Frozen => FROZEN,
        Cause::ActivationFailed => ATA_PASSWORD,
        Cause::UnknownAuthority { authority } => unknown_authority(*authority),
        Cause::Range(error) => for_range(*error),
        Cause::Refused { authority } | Cause::OneOfTwoRefused { authority } => {
            return Some(refused(*authority));
        }
        Cause::NotPermitted { .. } => "act as Admin1, which may do everything in the Locking SP",
        Cause::LockedOut { authority } => return Some(locked_out(*authority)),
        Cause::TryBudget { .. } => {
            "--tries N allows more; every wrong one counts against the drive's own limit, which \
             is often 5"
        }
        Cause::Busy { .. } => STACK_RESET,
        Cause::OtherRanges(_) => OTHER_RANGES,
        Cause::ConsentRequired => "name the drive with --confirm SERIAL",
        Cause::Tally(error) => return Some(for_tally(error)),
        Cause::Table(error) => table::hint(error),
        Cause::PinLength { .. } => "the sedutil schemes make 32 bytes of a longer passphrase",
        Cause::SingleUser(error) => return Some(single_user::hint(error)),
        Cause::Access(error) => return Some(for_access(*error)),
        Cause::Scheme(error) => return for_scheme(error),
        Cause::NotAsAsked(mismatch) => return for_mismatch(*mismatch),
        Cause::Session(error) => return for_session(error),
    };
    Some(text.to_owned())
}

const BLOCKED_OTHERWISE: &str =
    "a power cycle ends the block; \"sedkit info\" shows what else does";

const RESET_DISABLED: &str = "SID can let the drive take resets: \"sedkit tper-reset --enable\"";

const OTHER_RANGES: &str =
    "\"sedkit revert --to-msid\" keeps the data of every range; --lose-ranges gives theirs up";

const ENTERPRISE: &str = "sedkit cannot do this with Enterprise drives yet: use the tool of the drive's \
    vendor, or one that knows the Enterprise SSC";

const NO_ENCRYPTION: &str = "overwrite it, or use its NVMe or ATA sanitize command; \"sedkit revert\" \
    removes data in the way that the drive has";

fn for_access(error: AccessError) -> String {
    let text = match error {
        AccessError::NoAuthority(_) => "\"sedkit user list\" shows the authorities of the drive",
        AccessError::NoRight(_) => {
            "\"sedkit range list\" and \"sedkit info\" show which ranges and tables the drive has"
        }
        AccessError::Expression(_) => {
            "another tool wrote it, and nothing was changed: look at it with \"sedkit raw get\""
        }
        AccessError::NoUser(_) => "Admins have every right already; name a User: User1…",
        AccessError::Admin1 => "\"sedkit passwd\" changes its PIN, \"sedkit revert\" removes it",
    };
    text.to_owned()
}

const FROZEN: &str = "power-cycle the drive; if it is frozen again, switch the option off in the \
    firmware setup";

const ATA_PASSWORD: &str = "a disk password set in firmware (ATA Security) makes drives fail like \
    this: see \"sedkit info\"";

const fn unknown_authority(authority: Authority) -> &'static str {
    match authority {
        Authority::Psid => {
            "drives without a PSID are reverted as SID only; ask the vendor where SID's PIN is lost"
        }
        _ => "\"sedkit info\" shows how many Admins and Users the drive has",
    }
}

const fn for_range(error: RangeError) -> &'static str {
    match error {
        RangeError::Global => "range 0 is what no other range holds: give another one a place",
        RangeError::Start { .. } | RangeError::Length { .. } => {
            "give the aligned value; \"sedkit info\" shows the drive's alignment"
        }
        RangeError::Missing(_) => "\"sedkit range list\" shows the ranges that the drive has",
        RangeError::Exists { .. } => {
            "\"sedkit range set\" changes a range; without --range the first free one is taken"
        }
        RangeError::NoneFree(_) => "\"sedkit range delete\" gives one up",
        RangeError::Resets(_) => {
            "power-cycle and power-cycle,programmatic are what every drive takes"
        }
        _ => "\"sedkit range list\" shows where ranges lie now",
    }
}

const SID_BLOCKED: &str = "the firmware sent Block SID at boot: allow TCG changes once in firmware \
    set-up (\"Block SID\", \"TCG storage security\", or the TPM's physical-presence request), or \
    power-cycle the drive without the firmware, for example by plugging it in while the system runs";

const STACK_RESET: &str = "another program uses the drive, or a killed one left its session open; \
    the second kind ends with --stack-reset";

fn not_sed(source: Option<&session::Error>) -> String {
    let direct = "USB bridges and RAID controllers may hide it: connect the drive directly";
    source
        .and_then(for_session)
        .unwrap_or_else(|| direct.to_owned())
}

fn refused(authority: Authority) -> String {
    match authority {
        Authority::Psid => format!(
            "compare it with the label; characters that look alike: {LOOK_ALIKES}. The drive \
             counts wrong attempts"
        ),
        Authority::Sid => "the drive counts wrong attempts, so do not guess. If the passphrase is \
             right, another tool may have hashed it: \"sedkit identify-pin\" finds out how"
            .to_owned(),
        _ => {
            "the drive counts wrong attempts, so do not guess. If the passphrase is right, another \
              tool may have hashed it (\"sedkit identify-pin\" finds out how), or the authority is \
              disabled"
                .to_owned()
        }
    }
}

fn for_tally(error: &TallyError) -> String {
    let text = match error {
        TallyError::NoFolder | TallyError::Io { .. } => {
            "name a folder that can be written and that stays, with SEDKIT_STATE_DIR"
        }
        TallyError::Damaged { .. } => {
            "cut the drive's power, so that it counts from 0 again, then add --power-cycled"
        }
        _ => "connect the drive so that it tells its serial number",
    };
    text.to_owned()
}

fn locked_out(authority: Authority) -> String {
    let last = match authority {
        Authority::Psid => "then give the PSID from the label",
        _ => "then give the right secret; \"sedkit revert --psid\" helps without it and erases all",
    };
    format!("cut the drive's power, so that most drives count from 0 again, {last}")
}

fn for_mismatch(mismatch: Mismatch) -> Option<String> {
    let text = match mismatch {
        Mismatch::NotLocked => "enable locking with \"sedkit setup\"",
        Mismatch::SidIsMsid => "choose a passphrase of your own: anybody can read the MSID",
        Mismatch::StillErasing => "wait, and see \"sedkit info\" for the end of it",
        Mismatch::StillActivated => {
            "some drives finish a revert only after a power cycle: cut the power, then see \
             \"sedkit info\""
        }
        Mismatch::PinRefused(_) => "the old secret may still be valid: try it before anything else",
        _ => "the firmware of the drive does not do what it reports; look for an update",
    };
    Some(text.to_owned())
}

fn for_session(error: &session::Error) -> Option<String> {
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

fn for_status(status: MethodStatus) -> Option<String> {
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

/// What to do where the drive cannot even be reached.
pub(crate) fn for_transport(error: &transport::Error) -> Option<String> {
    use std::io::ErrorKind;
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

/// What to do where nothing better is known than the kind of failure, and of which command.
pub(crate) fn for_code(code: Code, command: &str) -> String {
    match code {
        Code::Usage => format!("see \"sedkit {command} --help\""),
        code => for_any_command(code).to_owned(),
    }
}

const fn for_any_command(code: Code) -> &'static str {
    match code {
        Code::Failed => "-v shows more; \"sedkit info\" shows what stands in the way of a drive",
        Code::Usage => "\"sedkit help\" shows the commands",
        Code::Partial => "each drive's own error says why",
        Code::NotAuthorized => "act as another authority with --as; see \"sedkit info\"",
        Code::LockedOut => "cut the drive's power; a warm reboot is not enough",
        Code::NotSupported => "\"sedkit info\" shows what the drive can do",
        Code::Busy => "end the other program, or wait for it",
        Code::ConsentRequired => "name the drive with --confirm SERIAL",
        Code::Finding => "each finding says its way out",
        Code::SecretUnavailable => "sedkit(8), SECRETS, lists where a secret can come from",
        Code::Malformed => "-vv shows what was sent and received; PINs are masked in it",
        Code::TimedOut => "give it more time with --timeout SECONDS",
        Code::Interrupted => "the same command goes on where this one stopped",
        Code::DataProtected => "unlock the drive first (\"sedkit unlock\")",
        Code::PermissionDenied => "security commands need root: run it with sudo",
        Code::NotFound => "\"sedkit scan\" shows the drives of this machine",
        Code::Output => "whatever reads standard output has closed it, or its disk is full",
    }
}

/// What to do where a virtual drive cannot be used.
pub(crate) fn for_virtual(error: &vdrive::Error) -> Option<&'static str> {
    let vdrive::Error::Store(error) = error else {
        return None;
    };
    match error {
        StoreError::Busy => Some("only one program at a time can have a virtual drive open"),
        StoreError::Exists => Some("remove the file first, or choose another name"),
        StoreError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
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
    use std::io::ErrorKind;
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

/// What to do where a source gave no secret.
pub(crate) fn for_source(error: &SourceError) -> Option<String> {
    let text = match error {
        SourceError::OpenFile { path, .. } => {
            return Some(format!(
                "chmod 600 {}, or add --allow-open-file",
                path.display()
            ));
        }
        SourceError::Mismatch => "type the new passphrase twice alike; nothing was changed",
        SourceError::Consumed { .. } => "give each secret a source of its own: fd:3, file:PATH",
        _ => return None,
    };
    Some(text.to_owned())
}

/// What to do where a scheme does not take a passphrase.
pub(crate) fn for_scheme(error: &SchemeError) -> Option<String> {
    let text = match error {
        SchemeError::TooShort { .. } | SchemeError::Untypeable { .. } => {
            "firmware prompts take 8 to 32 printable ASCII characters without blanks; the scheme \
             raw takes any bytes, for drives that no firmware prompt opens"
        }
        SchemeError::TooLong { .. } | SchemeError::PinTooLong { .. } => {
            "nothing is ever cut: choose a shorter one, or a scheme that hashes"
        }
        SchemeError::Salt(_) => {
            "give the serial number with --serial, or the salt with --salt hex:…"
        }
        _ => {
            "give another passphrase, or another scheme: --scheme for the present one, --new-scheme"
        }
    };
    Some(text.to_owned())
}

#[cfg(test)]
mod tests;
