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
    sedkit passwd /dev/nvme0 --as SID --scheme sedutil --also Admin1=raw,User1=sedutil/zero=raw\n  \
    sedkit passwd vdrive:demo.img --as User1 --admin-key file:admin"
)]
pub(crate) struct Passwd {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Whose PIN: SID, Admin1…, User1…
    #[arg(long = "as", value_name = "AUTHORITY")]
    pub(crate) authority: String,
    /// Further authorities with the same present secret that get the same new one; their schemes,
    /// where they are others: AUTHORITY=PRESENT=NEW, each a scheme, or a scheme, a slash and a salt
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
    /// There is no present PIN: the owner of a range in single user mode has the empty one after
    /// activation, reactivation and erase
    #[arg(long, conflicts_with_all = ["key", "admin_key"], help_heading = "Secrets")]
    pub(crate) from_empty: bool,
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
    /// Salt of a new hashing scheme [default: as --salt]
    #[arg(long, help_heading = "Secrets", value_name = "RULE")]
    pub(crate) new_salt: Option<String>,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}
