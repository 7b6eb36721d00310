//! `sedkit gen`: what packagers call, hidden from help.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Write manual pages or shell completions into a folder
#[derive(Debug, Args)]
pub(crate) struct Gen {
    #[command(subcommand)]
    pub(crate) command: GenCommand,
}

/// What to write.
#[derive(Debug, Subcommand)]
pub(crate) enum GenCommand {
    /// Write every manual page
    Man {
        /// The folder; it is made if it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
    /// Write completions for bash, zsh and fish
    Completions {
        /// The folder; it is made if it is not there
        #[arg(value_name = "DIR")]
        folder: PathBuf,
    },
}
