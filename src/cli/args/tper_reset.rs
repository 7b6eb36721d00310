//! `sedkit tper-reset`.

use clap::Args;

use super::{Devices, DryRun, Force, Login};

/// Reset drives by software: lock what locks by a programmatic reset, end every session
///
/// Ranges whose LockOnReset holds "programmatic" are locked, and a shadow MBR whose DoneOnReset does
/// is shown again. A drive takes the reset only after --enable, which needs SID; the reset itself
/// needs nobody.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit tper-reset /dev/nvme0 --enable\n  \
    sedkit tper-reset /dev/nvme0\n  sedkit tper-reset --all\n  \
    sedkit tper-reset vdrive:demo.img --disable --key file:passphrase"
)]
pub(crate) struct TperReset {
    #[command(flatten)]
    pub(crate) devices: Devices,
    /// Let the drive take resets from now on, as SID; nothing is reset
    #[arg(long, conflicts_with = "disable")]
    pub(crate) enable: bool,
    /// Let the drive refuse resets from now on, as SID
    #[arg(long)]
    pub(crate) disable: bool,
    #[command(flatten)]
    pub(crate) login: Login,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
