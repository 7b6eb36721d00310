//! `sedkit reactivate`.

use clap::{ArgGroup, Args};

use super::single_user::Owners;
use super::{Actor, Consent, Device, DryRun, Force, NewScheme};

/// Put other ranges of a drive into single user mode, or none
///
/// Keys, data and places of all ranges stay, and so do Admin1 and its passphrase. All users lose
/// their PINs, names and rights: that needs --confirm. Interrupted anywhere, the same command
/// finishes the work.
#[derive(Debug, Args)]
#[command(
    group = ArgGroup::new("mode").required(true).multiple(false),
    after_long_help = "Examples:\n  sedkit reactivate /dev/nvme0 --range 1 --range 2\n  \
    sedkit reactivate /dev/nvme0 --all-ranges --range-policy admins --confirm S5GXNX0T123456\n  \
    sedkit reactivate vdrive:demo.img --off --key file:passphrase --confirm SEDKIT0001"
)]
pub(crate) struct Reactivate {
    #[command(flatten)]
    pub(crate) device: Device,
    /// A range that shall be in single user mode, 0 being what no other has; repeatable, or with
    /// commas between; all others are not
    #[arg(
        long = "range",
        value_name = "N",
        value_delimiter = ',',
        group = "mode"
    )]
    pub(crate) ranges: Vec<u16>,
    /// Every range
    #[arg(long, group = "mode")]
    pub(crate) all_ranges: bool,
    /// No range: leave single user mode
    #[arg(long, group = "mode")]
    pub(crate) off: bool,
    #[command(flatten)]
    pub(crate) owners: Owners,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) new_scheme: NewScheme,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
