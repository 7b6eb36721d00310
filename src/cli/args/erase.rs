//! `sedkit erase`.

use clap::{ArgGroup, Args};

use super::{Actor, Consent, Device, DryRun, Force, Samples};

/// Erase ranges by replacing their keys: THEIR DATA IS LOST
///
/// The drive makes a new media key for each range, which takes it a moment however large it is.
/// Locks, users and passphrases stay as they are. Blocks are read before and after where they can
/// be, and what they show is said. Interrupted anywhere, the same command finishes the work.
#[derive(Debug, Args)]
#[command(group = ArgGroup::new("extent").required(true).multiple(false))]
#[command(after_long_help = "Examples:\n  sedkit erase /dev/nvme0 --range 1\n  \
    sedkit erase vdrive:demo.img --all --key file:passphrase --confirm SEDKIT0001")]
pub(crate) struct Erase {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Range number, 0 being all blocks that no other range has; repeatable, or with commas
    /// between
    #[arg(
        long = "range",
        value_name = "N",
        value_delimiter = ',',
        group = "extent"
    )]
    pub(crate) ranges: Vec<u16>,
    /// Every range that the drive has, those without blocks too
    #[arg(long, group = "extent")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) options: EraseOptions,
}

/// What every erase takes.
#[derive(Debug, Args)]
pub(crate) struct EraseOptions {
    #[command(flatten)]
    pub(crate) samples: Samples,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}
