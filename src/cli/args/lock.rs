//! `sedkit lock`.

use clap::Args;

use super::{Actor, Devices, DryRun, Force, RangeNumbers, SchemesOf};

/// Lock drives now, and prove it by Level 0 Discovery
///
/// A drive in use (mounted, swap, LVM, MD, ZFS) is not locked without --force.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit lock /dev/nvme0\n  \
    sedkit lock --all --key file:passphrase\n  sedkit lock vdrive:demo.img --range 1 --range 2")]
pub(crate) struct Lock {
    #[command(flatten)]
    pub(crate) devices: Devices,
    #[command(flatten)]
    pub(crate) ranges: RangeNumbers,
    /// Lock writes only: reads stay as they are
    #[arg(long)]
    pub(crate) read_only: bool,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) schemes: SchemesOf,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
