//! `sedkit block-sid`.

use clap::Args;

use super::{Devices, DryRun};

/// Shut SID out until the next power cycle, as firmware does at boot
///
/// Works as long as SID has the default PIN (MSID), which anybody can read: nobody can take the drive
/// over by it. A drive with a PIN of its own needs no block, and gets none. The state is checked by
/// Level 0 Discovery afterwards.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit block-sid --all\n  \
    sedkit block-sid /dev/nvme0 --hardware-reset-clears\n  \
    sedkit block-sid vdrive:demo.img --freeze")]
pub(crate) struct BlockSid {
    #[command(flatten)]
    pub(crate) devices: Devices,
    /// Let a hardware reset end the block, and not only a power cycle
    #[arg(long)]
    pub(crate) hardware_reset_clears: bool,
    /// Freeze the Locking SP, too: until the block ends, nothing is locked, unlocked or configured
    #[arg(long)]
    pub(crate) freeze: bool,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
