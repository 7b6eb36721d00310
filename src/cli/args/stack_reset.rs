//! `sedkit stack-reset`.

use clap::Args;

use super::{Devices, DryRun};

/// Reset the protocol stack of drives: end sessions that killed programs left open
///
/// Every session of the drive's ComID ends, that of a program that is still at work too; nothing is
/// locked or lost. Some drives stop answering until they are power-cycled, so do it only where a
/// drive stays busy.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit stack-reset /dev/nvme0\n  \
    sedkit stack-reset vdrive:demo.img --json")]
pub(crate) struct StackReset {
    #[command(flatten)]
    pub(crate) devices: Devices,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
