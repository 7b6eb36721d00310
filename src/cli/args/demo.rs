//! `sedkit demo`.

use std::path::PathBuf;

use clap::Args;

/// Go through the life of a self-encrypting drive on a virtual one, step by step
///
/// Needs no hardware, no root and no secret, and touches no real drive.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit demo\n  sedkit demo --keep demo.img")]
pub(crate) struct Demo {
    /// Keep the virtual drive in this new file, to try the commands by hand
    #[arg(long, value_name = "PATH")]
    pub(crate) keep: Option<PathBuf>,
}
