//! `sedkit datastore`.

use std::path::PathBuf;

use clap::{Args, Subcommand, value_parser};

use super::mbr::Piece;
use super::{Actor, Consent, Device, DryRun, Looking};

/// DataStore tables: bytes that a drive keeps for whoever has the right to them
#[derive(Debug, Args)]
pub(crate) struct Datastore {
    #[command(subcommand)]
    pub(crate) command: DatastoreCommand,
}

/// What to do with DataStore tables.
#[derive(Debug, Subcommand)]
pub(crate) enum DatastoreCommand {
    List(DatastoreList),
    Read(Box<DatastoreRead>),
    Write(Box<DatastoreWrite>),
}

impl DatastoreCommand {
    /// The command's name in JSON.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "datastore list",
            Self::Read(_) => "datastore read",
            Self::Write(_) => "datastore write",
        }
    }
}

/// Show every DataStore table: its size, its granularity, and who may read and write it
///
/// Who may do what is shown to Admin1 (--key); without a secret the sizes are.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit datastore list /dev/nvme0\n  \
    sedkit datastore list vdrive:demo.img --key file:passphrase --json")]
pub(crate) struct DatastoreList {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) looking: Looking,
}

/// Read a DataStore table, to standard output or a file
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  \
    sedkit datastore read /dev/nvme0 --offset 4KiB --length 100 --as User1")]
pub(crate) struct DatastoreRead {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) table: Table,
    #[command(flatten)]
    pub(crate) piece: Piece,
    #[command(flatten)]
    pub(crate) actor: Actor,
}

/// Write bytes to a DataStore table and read them back
///
/// Bytes around them stay as they are, also where the drive writes larger pieces only. What is there
/// already is not written.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  \
    echo token | sedkit datastore write /dev/nvme0 - --offset 4KiB --key file:passphrase")]
pub(crate) struct DatastoreWrite {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The bytes; - is standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) table: Table,
    /// Where the first byte goes, a number or with a unit (KiB, MiB)
    #[arg(long, value_name = "BYTES", default_value = "0")]
    pub(crate) offset: String,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Which table.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Table {
    /// Number of the table; further ones are made when locking is activated
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u16).range(1..))]
    pub(crate) table: u16,
}
