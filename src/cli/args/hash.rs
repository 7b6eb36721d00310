//! `sedkit hash`.

use std::ffi::OsString;

use clap::Args;

use super::{SaltOptions, all_schemes};

/// Show the PIN that a passphrase becomes, in hex and nothing else
///
/// Nothing is sent to a drive; one that is named is only asked for its serial number.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit hash /dev/nvme0 --scheme sedutil\n  \
    sedkit hash --serial S1234567890ABCD --scheme sedutil-sha512 --key file:passphrase\n  \
    sedkit hash --vendor SEAGATE --scheme sedutil --salt vendor --key file:passphrase\n  \
    sedkit hash --serial 5VG0A1B2 --model ST9500420AS --scheme lenovo-ata --key file:passphrase"
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
    #[arg(long, value_name = "NAME", value_parser = all_schemes(), default_value = "firmware",
        help_heading = "Secrets")]
    pub(crate) scheme: String,
    #[command(flatten)]
    pub(crate) salt: SaltOptions,
    /// INQUIRY vendor for --salt vendor, instead of the one that the drive sends
    #[arg(long, help_heading = "Secrets", value_name = "VENDOR")]
    pub(crate) vendor: Option<String>,
    /// Model for schemes of ATA passwords, instead of the one that the drive sends
    #[arg(long, help_heading = "Secrets", value_name = "MODEL")]
    pub(crate) model: Option<String>,
}
