//! What to do next: one table from what happened to what helps.
//!
//! `mod` has what a drive lacks, is, or did not do; the other files have what goes wrong in the layers
//! below it, one each.

mod authority;
mod secret;
mod session;
mod single_user;
mod table;
mod vdrive;

pub(crate) use secret::{for_scheme, for_source};
pub(crate) use session::for_transport;
pub(crate) use vdrive::{for_server, for_virtual};

use self::authority::{
    for_access, for_tally, locked_out, not_permitted, refused, unknown_authority,
};
use self::session::{ATA_PASSWORD, STACK_RESET, for_session};
use super::exit::Code;
use crate::drive::{Cause, Mismatch, RangeError};
use crate::spec::Ssc;

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
        Cause::NotPermitted { authority } => not_permitted(*authority),
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

fn not_sed(source: Option<&crate::session::Error>) -> String {
    let direct = "USB bridges and RAID controllers may hide it: connect the drive directly";
    source
        .and_then(for_session)
        .unwrap_or_else(|| direct.to_owned())
}

const ENTERPRISE: &str = "sedkit cannot do this with Enterprise drives yet: use the tool of the drive's \
    vendor, or one that knows the Enterprise SSC";

const NO_ENCRYPTION: &str = "overwrite it, or use its NVMe or ATA sanitize command; \"sedkit revert\" \
    removes data in the way that the drive has";

const RESET_DISABLED: &str = "SID can let the drive take resets: \"sedkit tper-reset --enable\"";

const BLOCKED_OTHERWISE: &str =
    "a power cycle ends the block; \"sedkit info\" shows what else does";

const SID_BLOCKED: &str = "the firmware sent Block SID at boot: allow TCG changes once in firmware \
    set-up (\"Block SID\", \"TCG storage security\", or the TPM's physical-presence request), or \
    power-cycle the drive without the firmware, for example by plugging it in while the system runs";

const FROZEN: &str = "power-cycle the drive; if it is frozen again, switch the option off in the \
    firmware setup";

const OTHER_RANGES: &str =
    "\"sedkit revert --to-msid\" keeps the data of every range; --lose-ranges gives theirs up";

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

#[cfg(test)]
mod tests;
