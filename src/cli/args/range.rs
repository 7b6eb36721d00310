//! `sedkit range`.

use clap::{Args, Subcommand};

use super::erase::EraseOptions;
use super::{Actor, Consent, Device, DryRun, Force, yes_or_no};

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
    Create(Box<RangeCreate>),
    Set(Box<RangeSet>),
    Erase(Box<RangeErase>),
    Delete(Box<RangeDelete>),
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
    pub(crate) actor: Actor,
}

/// What a range has beside its place.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Settings")]
pub(crate) struct Settings {
    /// Whether reads can be locked [default for a new range: yes]
    #[arg(long, value_name = "yes|no", hide_possible_values = true, value_parser = yes_or_no())]
    pub(crate) read_lock_enabled: Option<bool>,
    /// Whether writes can be locked [default for a new range: yes]
    #[arg(long, value_name = "yes|no", hide_possible_values = true, value_parser = yes_or_no())]
    pub(crate) write_lock_enabled: Option<bool>,
    /// Resets that lock the range: power-cycle, with hardware or programmatic or both; or none
    /// [default for a new range: power-cycle]
    #[arg(
        long,
        value_name = "RESETS",
        value_delimiter = ',',
        value_parser = ["power-cycle", "hardware", "programmatic", "none"],
        hide_possible_values = true
    )]
    pub(crate) lock_on_reset: Vec<String>,
    /// A name for people, at most 32 bytes
    #[arg(long, value_name = "TEXT")]
    pub(crate) name: Option<String>,
}

/// Make a locking range: a piece of the drive with a key and locks of its own
///
/// What its blocks hold is lost, since they get another key: that needs --confirm. The range gets a
/// new key if it has no blocks yet, and is not locked now.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    sedkit range create /dev/nvme0 --start 100GiB --length rest --confirm S5GXNX0T123456\n  \
    sedkit range create /dev/nvme0 --range 3 --start 2048 --length 1GiB --name data\n  \
    sedkit range create /dev/nvme0 --partition 2 --partition 3 --confirm S5GXNX0T123456")]
pub(crate) struct RangeCreate {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Which range is to be made [default: the first that has no blocks]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) range: Option<u16>,
    /// First block, as LBA or with a unit (KiB, MiB, GiB, TiB, %)
    #[arg(long, value_name = "START", requires = "length")]
    pub(crate) start: Option<String>,
    /// How long it is, in blocks or with a unit; or rest: up to the end of the drive
    #[arg(long, value_name = "LENGTH", requires = "start")]
    pub(crate) length: Option<String>,
    /// The blocks of this partition of the drive's GPT, or of several neighbours; repeatable
    #[arg(
        long = "partition",
        value_name = "N",
        conflicts_with = "start",
        required_unless_present = "start",
        value_parser = clap::value_parser!(u32).range(1..)
    )]
    pub(crate) partitions: Vec<u32>,
    /// Do not read the range first: what it holds now is lost, too; its key stays
    #[arg(long, requires = "range")]
    pub(crate) assume_free: bool,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Change a locking range
///
/// Blocks that come to a range or leave it get another key, and what they hold is lost: that needs
/// --confirm. What is as asked already is not sent.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    sedkit range set /dev/nvme0 --range 0 --lock-on-reset power-cycle,programmatic\n  \
    sedkit range set /dev/nvme0 --range 1 --start 1GiB --length 20GiB --confirm S5GXNX0T123456")]
pub(crate) struct RangeSet {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Which range; 0 is every block that no other has
    #[arg(long, value_name = "N")]
    pub(crate) range: u16,
    /// First block, as LBA or with a unit (KiB, MiB, GiB, TiB, %)
    #[arg(long, value_name = "START", requires = "length")]
    pub(crate) start: Option<String>,
    /// How long it is, in blocks or with a unit; or rest: up to the end of the drive
    #[arg(long, value_name = "LENGTH", requires = "start")]
    pub(crate) length: Option<String>,
    #[command(flatten)]
    pub(crate) settings: Settings,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Give locking ranges up: their blocks belong to range 0 again
///
/// What the blocks hold is lost, since range 0 has another key: that needs --confirm.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  \
    sedkit range delete /dev/nvme0 --range 3 --confirm S5GXNX0T123456")]
pub(crate) struct RangeDelete {
    #[command(flatten)]
    pub(crate) device: Device,
    /// Which range; repeatable, or with commas between
    #[arg(
        long = "range",
        value_name = "N",
        value_delimiter = ',',
        required = true,
        value_parser = clap::value_parser!(u16).range(1..)
    )]
    pub(crate) ranges: Vec<u16>,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) consent: Consent,
    #[command(flatten)]
    pub(crate) force: Force,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
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

impl RangeCommand {
    /// The command's name in JSON and in messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "range list",
            Self::Create(_) => "range create",
            Self::Set(_) => "range set",
            Self::Delete(_) => "range delete",
            Self::Erase(_) => "range erase",
        }
    }
}
