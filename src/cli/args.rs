//! The command line as clap sees it: types and help texts, and nothing from the rest of the crate.

use clap::{ArgAction, Args, Parser, Subcommand};

pub(crate) mod block_sid;
pub(crate) mod data_removal;
pub(crate) mod datastore;
pub(crate) mod decode;
pub(crate) mod demo;
pub(crate) mod erase;
pub(crate) mod r#gen;
pub(crate) mod hash;
pub(crate) mod identify_pin;
pub(crate) mod info;
pub(crate) mod lock;
pub(crate) mod mbr;
pub(crate) mod passwd;
pub(crate) mod range;
pub(crate) mod raw;
pub(crate) mod reactivate;
pub(crate) mod revert;
pub(crate) mod scan;
pub(crate) mod setup;
pub(crate) mod single_user;
pub(crate) mod stack_reset;
pub(crate) mod tper_reset;
pub(crate) mod unlock;
pub(crate) mod user;
pub(crate) mod vdrive;

mod common;

pub(crate) use common::*;

/// Manages self-encrypting drives: TCG Opal and its siblings, over NVMe, SCSI and ATA
#[derive(Debug, Parser)]
#[command(
    name = "sedkit",
    version,
    disable_help_subcommand = true,
    arg_required_else_help = true,
    subcommand_value_name = "COMMAND",
    after_help = "Devices are /dev/nvme0, /dev/sda, any /dev/disk/by-* link, or vdrive:PATH, a \
                  virtual drive in a file.\nTry it without hardware: sedkit demo"
)]
pub(crate) struct Arguments {
    /// Options that may stand anywhere.
    #[command(flatten)]
    pub(crate) global: Global,
    /// The command.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Options that may stand anywhere.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Print one JSON document on standard output, and nothing else there
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print errors and what was asked for, nothing else
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Count interface commands; twice: trace them on standard error, PINs masked
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) verbose: u8,
    /// Longest wait for one answer of a drive
    #[arg(
        long,
        global = true,
        value_name = "SECONDS",
        default_value_t = 60,
        value_parser = clap::value_parser!(u64).range(1..=86_400)
    )]
    pub(crate) timeout: u64,
    /// No colours, not even on a terminal
    #[arg(long, global = true)]
    pub(crate) no_color: bool,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Scan(scan::Scan),
    Info(info::Info),
    Setup(Box<setup::Setup>),
    Lock(lock::Lock),
    Unlock(unlock::Unlock),
    Passwd(Box<passwd::Passwd>),
    Erase(Box<erase::Erase>),
    Revert(Box<revert::Revert>),
    Reactivate(Box<reactivate::Reactivate>),
    Range(range::Range),
    User(user::User),
    Mbr(mbr::Mbr),
    Datastore(datastore::Datastore),
    DataRemoval(Box<data_removal::DataRemoval>),
    BlockSid(block_sid::BlockSid),
    TperReset(Box<tper_reset::TperReset>),
    StackReset(stack_reset::StackReset),
    Raw(Box<raw::Raw>),
    Hash(hash::Hash),
    IdentifyPin(Box<identify_pin::IdentifyPin>),
    Decode(decode::Decode),
    Vdrive(vdrive::Vdrive),
    Demo(demo::Demo),
    #[command(hide = true)]
    Gen(r#gen::Gen),
}

impl Command {
    /// The command's name in JSON and in messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Scan(_) => "scan",
            Self::Info(_) => "info",
            Self::Setup(_) => "setup",
            Self::Lock(_) => "lock",
            Self::Unlock(_) => "unlock",
            Self::Passwd(_) => "passwd",
            Self::Erase(_) => "erase",
            Self::Revert(_) => "revert",
            Self::Reactivate(_) => "reactivate",
            Self::Mbr(mbr) => mbr.command.name(),
            Self::Datastore(datastore) => datastore.command.name(),
            Self::Range(range) => range.command.name(),
            Self::User(user) => user.command.name(),
            Self::DataRemoval(removal) => match removal.command {
                data_removal::DataRemovalCommand::Show(_) => "data-removal show",
                data_removal::DataRemovalCommand::Set(_) => "data-removal set",
            },
            Self::BlockSid(_) => "block-sid",
            Self::TperReset(_) => "tper-reset",
            Self::StackReset(_) => "stack-reset",
            Self::Raw(raw) => raw.command.name(),
            Self::Hash(_) => "hash",
            Self::IdentifyPin(_) => "identify-pin",
            Self::Decode(_) => "decode",
            Self::Vdrive(vdrive) => vdrive.command.name(),
            Self::Demo(_) => "demo",
            Self::Gen(_) => "gen",
        }
    }
}
