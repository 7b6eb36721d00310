//! `sedkit revert`.

use clap::Args;

use super::{Consent, Device, DryRun, Force, Login, Samples};

/// Return a drive to its factory state: ALL DATA IS LOST
///
/// The media keys are replaced, SID's PIN is the MSID again, and the Locking SP is inactive.
/// The PSID is printed on the drive's label; with it no passphrase is needed.
/// To stop locking and keep all data, use --to-msid.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit revert /dev/nvme0 --psid prompt\n  \
    sedkit revert /dev/nvme0 --to-msid\n  \
    sedkit revert vdrive:demo.img --as SID --key file:passphrase --confirm SEDKIT0001"
)]
pub(crate) struct Revert {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Keep all data: switch locking off, give SID and Admin1 the default PIN, touch no key
    #[arg(long, conflicts_with_all = ["keep_data", "psid", "authority"])]
    pub(crate) to_msid: bool,
    /// Keep the data of range 0 as Admin1, by RevertSP with KeepGlobalRangeKey; some drives lose it
    /// all the same
    #[arg(long, conflicts_with = "psid")]
    pub(crate) keep_data: bool,
    /// With --keep-data: lose the data of the other ranges, which cannot be kept
    #[arg(long, requires = "keep_data")]
    pub(crate) lose_ranges: bool,
    /// Revert with the PSID from the label, taken from this source
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["authority", "key"],
        help_heading = "Secrets")]
    pub(crate) psid: Option<String>,
    /// Who reverts without the PSID [default: SID; Admin1 with --keep-data]
    #[arg(long = "as", value_name = "AUTHORITY")]
    pub(crate) authority: Option<String>,
    /// With --to-msid: SID's secret, where it is not that of Admin1
    #[arg(
        long,
        value_name = "SOURCE",
        requires = "to_msid",
        help_heading = "Secrets"
    )]
    pub(crate) sid_key: Option<String>,
    #[command(flatten)]
    pub(crate) login: Login,
    #[command(flatten)]
    pub(crate) samples: Samples,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
