//! `sedkit mbr`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::{Actor, Consent, Device, DryRun, Force, Looking};

/// The shadow MBR: what a locked drive shows in place of its first blocks
#[derive(Debug, Args)]
pub(crate) struct Mbr {
    #[command(subcommand)]
    pub(crate) command: MbrCommand,
}

/// What to do with the shadow MBR.
#[derive(Debug, Subcommand)]
pub(crate) enum MbrCommand {
    Status(MbrStatus),
    Load(Box<MbrLoad>),
    Read(MbrRead),
    Verify(MbrVerify),
    Enable(Box<MbrEnable>),
    Disable(MbrDisable),
    Done(Box<MbrDone>),
}

impl MbrCommand {
    /// The command's name in JSON.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Status(_) => "mbr status",
            Self::Load(_) => "mbr load",
            Self::Read(_) => "mbr read",
            Self::Verify(_) => "mbr verify",
            Self::Enable(_) => "mbr enable",
            Self::Disable(_) => "mbr disable",
            Self::Done(_) => "mbr done",
        }
    }
}

/// Show the shadow MBR: its size, whether it is enabled, and whether it looks bootable
///
/// Needs no secret. With --key, also checks that a range has locking enabled.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit mbr status /dev/nvme0\n  \
    sedkit mbr status vdrive:demo.img --json")]
pub(crate) struct MbrStatus {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) looking: Looking,
}

/// Load an image into the shadow MBR and read it back
///
/// Blocks that are there already are not written, so that the same command goes on where one was
/// interrupted, and a second run writes nothing. An image that is larger than the table is refused
/// before the first byte.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit mbr load /dev/nvme0 pba.img\n  \
    sedkit mbr load vdrive:demo.img pba.img --key file:passphrase --confirm SEDKIT0001"
)]
pub(crate) struct MbrLoad {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The image: raw bytes, as they are to be read from block 0 on
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    /// Write zeros after the image, up to the end of the table
    #[arg(long)]
    pub(crate) zero_rest: bool,
    /// Let the whole image take effect at once, by a transaction: interrupted, nothing is kept
    #[arg(long)]
    pub(crate) atomic: bool,
    /// Do not read back what was written
    #[arg(long)]
    pub(crate) no_verify: bool,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Read the shadow MBR, to standard output or a file
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit mbr read /dev/nvme0 -o backup.img\n  \
    sedkit mbr read vdrive:demo.img --length 512 | od -A d -t x1"
)]
pub(crate) struct MbrRead {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) piece: Piece,
    #[command(flatten)]
    pub(crate) looking: Looking,
}

/// Compare the shadow MBR with an image; exit code 9 if they differ
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  sedkit mbr verify /dev/nvme0 pba.img")]
pub(crate) struct MbrVerify {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The image
    #[arg(value_name = "IMAGE")]
    pub(crate) image: PathBuf,
    #[command(flatten)]
    pub(crate) looking: Looking,
}

/// Show the shadow MBR after the next power cycle
///
/// For now it stays hidden (MBRDone), so that the running system keeps its disk.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  sedkit mbr enable /dev/nvme0")]
pub(crate) struct MbrEnable {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Resets that show it again, with commas between them [default: as the drive has it]
    #[arg(long, value_name = "RESETS", value_delimiter = ',',
        value_parser = ["power-cycle", "hardware", "programmatic"])]
    pub(crate) done_on_reset: Vec<String>,
    /// Go ahead although there is nothing in the shadow MBR
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Never show the shadow MBR; what is in it stays
#[derive(Debug, Args)]
#[command(after_long_help = "Example:\n  sedkit mbr disable /dev/nvme0")]
pub(crate) struct MbrDisable {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Hide the shadow MBR until the next power cycle, or show it again
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit mbr done /dev/nvme0 --as User1\n  \
    sedkit mbr done vdrive:demo.img --clear --key file:passphrase"
)]
pub(crate) struct MbrDone {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Hide it, which is the default
    #[arg(long, conflicts_with = "clear")]
    pub(crate) set: bool,
    /// Show it again: the first blocks of the drive are hidden by it at once
    #[arg(long)]
    pub(crate) clear: bool,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Which bytes to read, and where to.
#[derive(Clone, Debug, Args)]
pub(crate) struct Piece {
    /// First byte, a number or with a unit (KiB, MiB)
    #[arg(long, value_name = "BYTES", default_value = "0")]
    pub(crate) offset: String,
    /// How many bytes [default: all that follow]
    #[arg(long, value_name = "BYTES")]
    pub(crate) length: Option<String>,
    /// Write them to this file
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}
