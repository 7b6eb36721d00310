//! `sedkit revert`.

use clap::Args;

use super::{Consent, Device, DryRun, Force, Key, SchemeOptions, SessionOptions};

/// Return a drive to its factory state: ALL DATA IS LOST
///
/// The media keys are replaced, SID's PIN is the MSID again, and the Locking SP is inactive.
/// The PSID is printed on the drive's label; with it no passphrase is needed.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit revert /dev/nvme0 --psid prompt\n  \
    sedkit revert vdrive:demo.img --as SID --key file:passphrase --confirm SEDKIT0001"
)]
pub(crate) struct Revert {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Revert with the PSID from the label, taken from this source
    #[arg(long, value_name = "SOURCE", conflicts_with_all = ["authority", "key"],
        help_heading = "Secrets")]
    pub(crate) psid: Option<String>,
    /// Who reverts without the PSID
    #[arg(long = "as", value_name = "AUTHORITY", default_value = "SID")]
    pub(crate) authority: String,
    #[command(flatten)]
    pub(crate) key: Key,
    #[command(flatten)]
    pub(crate) scheme: SchemeOptions,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}
