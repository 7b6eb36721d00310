//! `sedkit identify-pin`.

use clap::Args;

use super::{Device, Key, SaltOptions, StackReset};

/// Find out how a passphrase was turned into the PIN that opens a drive
///
/// Tries what tools and firmware make of a passphrase, the likeliest first, and never so often that
/// the drive locks the authority out: two attempts below its limit the search stops, and says what
/// is left. Attempts are counted across runs. Nothing is changed on the drive.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit identify-pin /dev/nvme0 --dry-run\n  \
    sedkit identify-pin /dev/nvme0 --as Admin1,SID\n  \
    sedkit identify-pin /dev/nvme0 --power-cycled\n  \
    sedkit identify-pin vdrive:demo.img --key file:passphrase --tries 2"
)]
pub(crate) struct IdentifyPin {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Whose PIN: SID, Admin1…, User1…; several are searched one after the other [default: Admin1,
    /// or SID where locking is not activated]
    #[arg(long = "as", value_name = "AUTHORITY", value_delimiter = ',')]
    pub(crate) authorities: Vec<String>,
    #[command(flatten)]
    pub(crate) key: Key,
    #[command(flatten)]
    pub(crate) salt: SaltOptions,
    /// Admin1's secret as raw bytes: lets the tries of other Admins and Users be read first
    #[arg(long, value_name = "SOURCE", help_heading = "Secrets")]
    pub(crate) admin_key: Option<String>,
    /// List what would be tried, in order, and send nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// The most attempts of this run, for each authority [default: what the limit allows]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=100))]
    pub(crate) tries: Option<u64>,
    /// The drive's limit of wrong attempts where it shows none, 0 for no limit [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) try_limit: Option<u64>,
    /// The drive was without power since the last run: it counts from 0 again
    #[arg(long)]
    pub(crate) power_cycled: bool,
    /// Begin with the likeliest again: the passphrase of earlier runs was another one
    #[arg(long)]
    pub(crate) restart: bool,
    #[command(flatten)]
    pub(crate) reset: StackReset,
}
