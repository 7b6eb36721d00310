//! `sedkit decode`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Explain captured bytes: a discovery response, ComPackets, a debug log of sedutil
///
/// Needs no drive. The file may hold the bytes or hex, also as hexdump and xxd print it.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit decode capture.bin --as discovery\n  \
    sedkit decode trace.hex --as packets\n  sedkit decode sedutil.log --as sedutil-log"
)]
pub(crate) struct Decode {
    /// The file; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What the file holds
    #[arg(long = "as", value_name = "KIND", value_enum)]
    pub(crate) kind: Kind,
    /// Show PINs too
    #[arg(long)]
    pub(crate) show_secrets: bool,
}

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A response of Level 0 Discovery
    Discovery,
    /// One ComPacket or several, one after the other
    Packets,
    /// The debug log that sedutil-cli -vvvvv prints
    SedutilLog,
}
