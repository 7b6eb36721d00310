//! `sedkit range`.

use clap::{Args, Subcommand};

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
