//! `sedkit passwd`.

use clap::Args;

use super::{Device, DryRun, Key, NewScheme, SchemeOptions, SessionOptions};

/// Change the PIN of an authority, and prove the new one by authenticating with it
///
/// SID and Admin1 have PINs of their own: --also SID changes both. Interrupted anywhere, the same
/// command finishes the work.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit passwd /dev/nvme0 --as Admin1 --also SID\n  \
    sedkit passwd /dev/nvme0 --as Admin1 --scheme sedutil --new-scheme firmware\n  \
    sedkit passwd vdrive:demo.img --as User1 --admin-key file:admin"
)]
pub(crate) struct Passwd {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Whose PIN: SID, Admin1…, User1…
    #[arg(long = "as", value_name = "AUTHORITY")]
    pub(crate) authority: String,
    /// Further authorities with the same present secret that get the same new one
    #[arg(long, value_name = "AUTHORITY", value_delimiter = ',')]
    pub(crate) also: Vec<String>,
    #[command(flatten)]
    pub(crate) key: Key,
    /// Admin1's secret: Admin1 sets the PIN, and the present one is not needed
    #[arg(
        long,
        value_name = "SOURCE",
        conflicts_with = "key",
        help_heading = "Secrets"
    )]
    pub(crate) admin_key: Option<String>,
    /// Where the new secret comes from; a prompt asks twice
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "prompt",
        help_heading = "Secrets"
    )]
    pub(crate) new_key: String,
    #[command(flatten)]
    pub(crate) scheme: SchemeOptions,
    #[command(flatten)]
    pub(crate) new_scheme: NewScheme,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}
