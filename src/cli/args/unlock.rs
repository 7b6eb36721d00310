//! `sedkit unlock`.

use clap::Args;

use super::{Actor, Devices, DryRun, RangeNumbers, SchemesOf};

/// Unlock drives, then let the kernel look at their partitions
///
/// All drives are unlocked before any is rescanned. A drive that is already unlocked gets nothing
/// but one Level 0 Discovery. A range that LUKS has for itself is not unlocked without --force.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit unlock /dev/nvme0\n  \
    sedkit unlock --all --key cred:sedkit\n  sedkit unlock vdrive:demo.img --range 1 --mbr-done")]
pub(crate) struct Unlock {
    #[command(flatten)]
    pub(crate) devices: Devices,
    #[command(flatten)]
    pub(crate) ranges: RangeNumbers,
    /// Unlock reads only; writes stay as they are
    #[arg(long)]
    pub(crate) read_only: bool,
    /// Hide the shadow MBR too, until the next power cycle
    #[arg(long)]
    pub(crate) mbr_done: bool,
    /// Do not re-read the partition table and send no uevents
    #[arg(long)]
    pub(crate) no_rescan: bool,
    /// Give the secret to the kernel, which unlocks again after suspend
    #[arg(long)]
    pub(crate) save_for_resume: bool,
    /// Unlock ranges that LUKS has for itself, too
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) schemes: SchemesOf,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
