//! `sedkit setup`.

use clap::Args;

use super::single_user::Owners;
use super::{Consent, Device, DryRun, Force, NewScheme, SchemeOptions, SessionOptions};

/// Take ownership of a drive and turn locking on
///
/// SID and Admin1 get the new passphrase, the Locking SP is activated, range 0 (or the given
/// ranges) locks at the next power cycle, and the shadow MBR is off. The data of range 0 stays.
/// The drive ends unlocked. Interrupted anywhere, the same command finishes the work.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit setup /dev/nvme0\n  \
    sedkit setup vdrive:demo.img --new-key file:passphrase\n  \
    sedkit setup /dev/nvme0 --range 1GiB+100GiB --confirm S5GXNX0T123456\n  \
    sedkit setup /dev/nvme0 --sum-range 0 --user-key file:user")]
pub(crate) struct Setup {
    #[command(flatten)]
    pub(crate) device: Device,
    /// A range to lock instead of range 0, as LBA or with a unit (KiB, MiB, GiB, TiB, %); repeatable
    #[arg(long = "range", value_name = "START+LENGTH")]
    pub(crate) ranges: Vec<String>,
    /// Single user mode: every range belongs to a user of its own (range N to User N+1), who alone may
    /// lock and unlock it
    #[arg(long)]
    pub(crate) sum: bool,
    /// Single user mode for this range alone, 0 being what no other has; repeatable, or with
    /// commas between
    #[arg(long = "sum-range", value_name = "N", value_delimiter = ',')]
    pub(crate) sum_ranges: Vec<u16>,
    /// Size of a DataStore table, in bytes or with a unit (KiB, MiB); repeatable, one for each table, the
    /// first being table 1 [default: one table with all the room]
    #[arg(long = "datastore", value_name = "SIZE")]
    pub(crate) data_stores: Vec<String>,
    #[command(flatten)]
    pub(crate) owners: Owners,
    /// Where the new passphrase comes from; a prompt asks twice
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "prompt",
        help_heading = "Secrets"
    )]
    pub(crate) new_key: String,
    /// SID's present secret, where it is neither the MSID nor the new one
    #[arg(long, value_name = "SOURCE", help_heading = "Secrets")]
    pub(crate) sid_key: Option<String>,
    #[command(flatten)]
    pub(crate) scheme: SchemeOptions,
    #[command(flatten)]
    pub(crate) new_scheme: NewScheme,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}
