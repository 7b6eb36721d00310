//! `sedkit vdrive`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand, value_parser};

/// Virtual drives: complete self-encrypting drives in a file, to try and to test everything on
#[derive(Debug, Args)]
pub(crate) struct Vdrive {
    #[command(subcommand)]
    pub(crate) command: VdriveCommand,
}

/// What to do with a virtual drive.
#[derive(Debug, Subcommand)]
pub(crate) enum VdriveCommand {
    Create(Create),
    /// List the models of drive that can be made, and the quirks that each can be given
    Profiles,
    /// Show what a virtual drive is, its state, and what its label shows
    Info(File),
    Serve(Serve),
    /// Take the power away and give it back: locks close, sessions end
    PowerCycle(File),
    /// Reset without loss of power: sessions end, locks that ask for this reset close
    HardwareReset(File),
    Fault(Fault),
    /// Read blocks as a host's READ would, to standard output
    Read(Blocks),
    Write(Write),
    /// Read the bytes on the medium, which no host ever sees: ciphertext
    Media(Blocks),
    /// Show how many interface commands the drive has seen, by security protocol
    Stats(File),
}

impl VdriveCommand {
    /// The command's name in JSON.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "vdrive create",
            Self::Profiles => "vdrive profiles",
            Self::Info(_) => "vdrive info",
            Self::Serve(_) => "vdrive serve",
            Self::PowerCycle(_) => "vdrive power-cycle",
            Self::HardwareReset(_) => "vdrive hardware-reset",
            Self::Fault(_) => "vdrive fault",
            Self::Read(_) => "vdrive read",
            Self::Write(_) => "vdrive write",
            Self::Media(_) => "vdrive media",
            Self::Stats(_) => "vdrive stats",
        }
    }
}

/// A virtual drive's file.
#[derive(Clone, Debug, Args)]
pub(crate) struct File {
    /// The virtual drive's file, with or without vdrive: before it
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
}

/// Make a virtual drive in a new file
///
/// The file is sparse: it takes up what is written to it. What a real drive's label shows is
/// printed; the PSID is needed if its passphrase is ever lost.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit vdrive create demo.img\n  \
    sedkit vdrive create big.img --size 10GiB --serial SEDKIT0002\n  \
    sedkit vdrive create old.img --profile crucial-m550 --quirk slow=5 --quirk one-session")]
pub(crate) struct Create {
    /// The new file, with or without vdrive: before it
    #[arg(value_name = "PATH")]
    pub(crate) path: OsString,
    /// Size of the drive, in bytes or with a unit (KiB, MiB, GiB, TiB)
    #[arg(long, value_name = "SIZE", default_value = "64MiB")]
    pub(crate) size: String,
    /// The model of drive: see sedkit vdrive profiles
    #[arg(long, value_name = "NAME", default_value = "opal2")]
    pub(crate) profile: String,
    /// Something that the drive does otherwise, with some a number: see sedkit vdrive profiles;
    /// may be given several times
    #[arg(long, value_name = "NAME[=N]")]
    pub(crate) quirk: Vec<String>,
    /// Serial number, at most 20 printable characters [default: random]
    #[arg(long, value_name = "SERIAL")]
    pub(crate) serial: Option<String>,
    /// Model, at most 40 printable characters [default: sedkit virtual drive]
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,
    /// The default PIN that the drive shows to anybody [default: random]
    #[arg(long, value_name = "MSID")]
    pub(crate) msid: Option<String>,
    /// The PSID of the label, 32 characters [default: random]
    #[arg(long, value_name = "PSID")]
    pub(crate) psid: Option<String>,
    /// Bytes of a logical block [default: the profile's, 512 for opal2]
    #[arg(long, value_name = "BYTES")]
    pub(crate) block_size: Option<u32>,
    /// Locking ranges beside the global range [default: the profile's, 8 for opal2]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(0..=2046))]
    pub(crate) ranges: Option<u16>,
    /// Users of the Locking SP [default: the profile's, 9 for opal2]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=2047))]
    pub(crate) users: Option<u16>,
    /// Equal parts of the drive that a host sees as NVMe namespaces, 1 to 16
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u32).range(1..=16))]
    pub(crate) namespaces: u32,
    /// Idle time after which a session is dropped, 0 for never [default: 30000]
    #[arg(long, value_name = "MILLISECONDS")]
    pub(crate) session_timeout: Option<u64>,
    /// Wrong PINs that lock out an Admin or User of the Locking SP, 0 for no limit [default: 5]
    #[arg(long, value_name = "N")]
    pub(crate) try_limit: Option<u64>,
    /// ATA Security as firmware has left it: with the password of some firmware's disk lock, or
    /// frozen
    #[arg(long, value_name = "STATE", default_value = "none",
        value_parser = ["none", "enabled", "locked", "frozen"])]
    pub(crate) ata_security: String,
    /// Announce IEEE 1667, as drives made for Windows' eDrive do
    #[arg(long = "ieee-1667")]
    pub(crate) ieee_1667: bool,
    /// Time that each interface command takes
    #[arg(long, value_name = "MILLISECONDS", default_value_t = 0,
        value_parser = value_parser!(u64).range(..=60_000))]
    pub(crate) latency: u64,
}

/// Serve virtual drives to this machine's kernel, or to others, as real ones
///
/// Each drive is an NVMe subsystem of its own. What to type on the host is printed once everything
/// listens. SIGINT, SIGTERM or SIGHUP ends it; SIGUSR1 power-cycles all drives, and "sedkit vdrive
/// power-cycle PATH" does so to one, while it is served.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit vdrive serve demo.img\n  \
    sedkit vdrive serve a.img b.img --nvme-tcp 4421 --trace commands.txt")]
pub(crate) struct Serve {
    /// The virtual drives' files, with or without vdrive: before them
    #[arg(value_name = "PATH", required = true)]
    pub(crate) paths: Vec<OsString>,
    /// Serve over NVMe/TCP, which is the default, at an address [default: 127.0.0.1:4420]; without
    /// ADDR only this machine can connect
    #[arg(
        long,
        value_name = "[ADDR:]PORT",
        num_args = 0..=1,
        default_missing_value = "127.0.0.1:4420"
    )]
    pub(crate) nvme_tcp: Option<String>,
    /// Serve as a SCSI disk of this machine, once for each drive; needs root and the kernel's
    /// modules target_core_user and tcm_loop
    #[arg(long, value_name = "NAME")]
    pub(crate) tcmu: Vec<String>,
    /// Let the SCSI disks be SATA drives, which take ATA PASS-THROUGH
    #[arg(long, requires = "tcmu")]
    pub(crate) sat: bool,
    /// Name of a drive's subsystem, once for each drive [default: made of the serial number]
    #[arg(long, value_name = "NQN")]
    pub(crate) nqn: Vec<String>,
    /// Append every interface command to this file, explained, PINs masked; a new file is for its
    /// owner only
    #[arg(long, value_name = "FILE")]
    pub(crate) trace: Option<PathBuf>,
}

/// Arrange that the drive fails once, after so many interface commands
///
/// That is how a program is broken off between any two of its commands. Without a KIND, what is
/// arranged is shown.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit vdrive fault demo.img power-cut --after 7\n  \
    sedkit vdrive fault demo.img none"
)]
pub(crate) struct Fault {
    #[command(flatten)]
    pub(crate) file: File,
    /// power-cut: the power goes and comes back; hang: no answer for a minute; none: nothing happens
    #[arg(value_name = "KIND", value_parser = FAULTS)]
    pub(crate) kind: Option<String>,
    /// Interface commands before it; the answer to the last one is lost
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parser!(u64).range(1..))]
    pub(crate) after: u64,
}

/// Kinds of fault, and the word that takes one back.
pub(crate) const FAULTS: [&str; 3] = ["power-cut", "hang", "none"];

/// A run of blocks.
#[derive(Debug, Args)]
pub(crate) struct Blocks {
    #[command(flatten)]
    pub(crate) file: File,
    /// First logical block
    #[arg(long, value_name = "N")]
    pub(crate) lba: u64,
    /// How many blocks
    #[arg(long, value_name = "K", default_value_t = 1)]
    pub(crate) count: u64,
}

/// Write blocks as a host's WRITE would, from standard input or a file
///
/// The data is padded with zeros to a whole number of blocks.
#[derive(Debug, Args)]
pub(crate) struct Write {
    #[command(flatten)]
    pub(crate) file: File,
    /// First logical block
    #[arg(long, value_name = "N")]
    pub(crate) lba: u64,
    /// The data [default: standard input]
    #[arg(long, value_name = "PATH")]
    pub(crate) from: Option<PathBuf>,
}
