//! `sedkit range`.

use clap::{Args, Subcommand};

use super::erase::EraseOptions;
use super::{Acting, Device, Key, SchemeOptions, SessionOptions};

/// Locking ranges: pieces of a drive with locks and keys of their own
#[derive(Debug, Args)]
pub(crate) struct Range {
    #[command(subcommand)]
    pub(crate) command: RangeCommand,
}

/// What to do with ranges.
#[derive(Debug, Subcommand)]
pub(crate) enum RangeCommand {
    List(RangeList),
    Erase(Box<RangeErase>),
}

/// Show every locking range that the drive has
///
/// Drives show the columns to Admin1; with --as Anybody no secret is needed, and what is hidden is
/// left out.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit range list /dev/nvme0\n  \
    sedkit range list vdrive:demo.img --key file:passphrase --json")]
pub(crate) struct RangeList {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) acting: Acting,
    #[command(flatten)]
    pub(crate) key: Key,
    #[command(flatten)]
    pub(crate) scheme: SchemeOptions,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}

/// Erase one range by replacing its key: ITS DATA IS LOST
///
/// The same as "sedkit erase --range N".
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  sedkit range erase /dev/nvme0 --range 1")]
pub(crate) struct RangeErase {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Range number, 0 being all blocks that no other range has
    #[arg(long, value_name = "N")]
    pub(crate) range: u16,
    #[command(flatten)]
    pub(crate) options: EraseOptions,
}
