//! `sedkit hash`.

use std::ffi::OsString;

use clap::Args;

use super::{SCHEMES, SaltOptions};

/// Show the PIN that a passphrase becomes, in hex and nothing else
///
/// Nothing is sent to a drive; one that is named is only asked for its serial number.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit hash /dev/nvme0 --scheme sedutil\n  \
    sedkit hash --serial S1234567890ABCD --scheme sedutil-sha512 --key file:passphrase"
)]
pub(crate) struct Hash {
    /// The drive whose serial number is the salt: /dev/…, or vdrive:PATH
    #[arg(value_name = "DEV")]
    pub(crate) device: Option<OsString>,
    /// Where the passphrase comes from
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "prompt",
        help_heading = "Secrets"
    )]
    pub(crate) key: String,
    /// How the passphrase becomes a PIN
    #[arg(long, value_name = "NAME", value_parser = SCHEMES, default_value = "firmware",
        help_heading = "Secrets")]
    pub(crate) scheme: String,
    #[command(flatten)]
    pub(crate) salt: SaltOptions,
}
