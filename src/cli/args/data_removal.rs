//! `sedkit data-removal`.

use clap::{Args, Subcommand};

use super::{Device, DryRun, Login};

/// How a drive removes data when it is reverted or erased
#[derive(Debug, Args)]
pub(crate) struct DataRemoval {
    #[command(subcommand)]
    pub(crate) command: DataRemovalCommand,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum DataRemovalCommand {
    Show(Show),
    Set(Set),
}

/// Show the mechanism that is chosen, those that the drive supports, and how long each takes
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit data-removal show /dev/nvme0")]
pub(crate) struct Show {
    #[command(flatten)]
    pub(crate) device: Device,
}

/// Choose the mechanism by which later reverts and erases remove data
///
/// Nothing is removed now. An Opal drive replaces its keys whatever else it does.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    sedkit data-removal set /dev/nvme0 cryptographic_erase\n  \
    sedkit data-removal set vdrive:demo.img block_erase --key file:passphrase")]
pub(crate) struct Set {
    #[command(flatten)]
    pub(crate) device: Device,
    /// overwrite, block_erase, cryptographic_erase, unmap, reset_write_pointers, vendor_specific
    #[arg(value_name = "MECHANISM")]
    pub(crate) mechanism: String,
    /// Who chooses: SID, or Admin1 of the Admin SP by its UID
    #[arg(long = "as", value_name = "AUTHORITY", default_value = "SID")]
    pub(crate) authority: String,
    #[command(flatten)]
    pub(crate) login: Login,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
