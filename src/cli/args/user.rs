//! `sedkit user`.

use clap::{Args, Subcommand};

use super::{Actor, Device, DryRun, NewScheme};

/// Users of a drive, and what each may do
#[derive(Debug, Args)]
pub(crate) struct User {
    #[command(subcommand)]
    pub(crate) command: UserCommand,
}

/// What to do with users.
#[derive(Debug, Subcommand)]
pub(crate) enum UserCommand {
    List(UserList),
    Enable(Box<UserEnable>),
    Disable(UserDisable),
    Grant(Box<UserGrant>),
    Revoke(Box<UserRevoke>),
}

impl UserCommand {
    /// The command's name in JSON and in messages.
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "user list",
            Self::Enable(_) => "user enable",
            Self::Disable(_) => "user disable",
            Self::Grant(_) => "user grant",
            Self::Revoke(_) => "user revoke",
        }
    }
}

/// Whose rights, and who changes them.
#[derive(Debug, Args)]
pub(crate) struct Who {
    #[command(flatten)]
    pub(crate) device: Device,
    /// The user: User1…
    #[arg(value_name = "USER")]
    pub(crate) user: String,
    #[command(flatten)]
    pub(crate) actor: Actor,
    #[command(flatten)]
    pub(crate) dry_run: DryRun,
}

/// Which rights.
#[derive(Debug, Args)]
#[command(next_help_heading = "Rights")]
pub(crate) struct Rights {
    /// Range that the user may lock and unlock; repeatable, or with commas between
    #[arg(long = "range", value_name = "N", value_delimiter = ',')]
    pub(crate) ranges: Vec<u16>,
    /// Reads of the ranges only, unless --write is given too
    #[arg(long, requires = "ranges")]
    pub(crate) read: bool,
    /// Writes of the ranges only, unless --read is given too
    #[arg(long, requires = "ranges")]
    pub(crate) write: bool,
    /// Replacing the ranges' keys, which erases them
    #[arg(long, requires = "ranges")]
    pub(crate) erase: bool,
    /// Hiding the shadow MBR (MBRDone)
    #[arg(long)]
    pub(crate) mbr_done: bool,
    /// Reading and writing a DataStore table [default table: 1]; repeatable
    #[arg(
        long,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u16).range(1..=2048)
    )]
    pub(crate) datastore: Vec<u16>,
    /// Reading a DataStore table only; repeatable
    #[arg(
        long,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u16).range(1..=2048)
    )]
    pub(crate) datastore_read: Vec<u16>,
    /// Writing a DataStore table only; repeatable
    #[arg(
        long,
        value_name = "TABLE",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "1",
        value_parser = clap::value_parser!(u16).range(1..=2048)
    )]
    pub(crate) datastore_write: Vec<u16>,
}

/// Show every Admin and User: whether it is enabled, and what it may do
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit user list /dev/nvme0\n  \
    sedkit user list vdrive:demo.img --key file:passphrase --json")]
pub(crate) struct UserList {
    #[command(flatten)]
    pub(crate) device: Device,
    #[command(flatten)]
    pub(crate) actor: Actor,
}

/// Give a user a PIN and enable it
///
/// The PIN is set before the user is enabled, and proven by authenticating with it. Interrupted
/// anywhere, the same command finishes the work. Rights come from "sedkit user grant".
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit user enable /dev/nvme0 User1\n  \
    sedkit user enable vdrive:demo.img User3 --key file:admin --new-key file:user\n  \
    sedkit user enable /dev/nvme0 User1 --firmware-prompt --scheme sedutil"
)]
pub(crate) struct UserEnable {
    #[command(flatten)]
    pub(crate) who: Who,
    /// Where the user's new secret comes from; a prompt asks twice
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "prompt",
        help_heading = "Secrets"
    )]
    pub(crate) new_key: String,
    /// Leave the PIN as it is; one that was never set is empty, and opens to everybody
    #[arg(long, conflicts_with = "new_key", help_heading = "Secrets")]
    pub(crate) keep_pin: bool,
    /// User1 only: what a firmware's prompt needs, while SID and Admin1 stay as they are: a PIN that
    /// the prompt can type, and the rights to lock and unlock range 0
    #[arg(long, conflicts_with = "keep_pin", help_heading = "Rights")]
    pub(crate) firmware_prompt: bool,
    /// With --firmware-prompt: the right to hide the shadow MBR, too (MBRDone)
    #[arg(long, requires = "firmware_prompt", help_heading = "Rights")]
    pub(crate) mbr_done: bool,
    #[command(flatten)]
    pub(crate) new_scheme: NewScheme,
}

/// Disable a user: no PIN opens it any more
///
/// PIN and rights stay, and are back once it is enabled again.
#[derive(Debug, Args)]
#[command(after_long_help = "Examples:\n  sedkit user disable /dev/nvme0 User1")]
pub(crate) struct UserDisable {
    #[command(flatten)]
    pub(crate) who: Who,
}

/// Give a user rights: to lock and unlock ranges, and others
///
/// Rights of others stay as they are, and Admins keep theirs. All rights are given or, where the
/// drive has transactions, none. The user may see where its ranges are and whether they are locked.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit user grant /dev/nvme0 User1 --range 3\n  \
    sedkit user grant /dev/nvme0 User1 --range 1 --range 2 --read --mbr-done\n  \
    sedkit user grant vdrive:demo.img User2 --datastore-read --datastore=2"
)]
pub(crate) struct UserGrant {
    #[command(flatten)]
    pub(crate) who: Who,
    #[command(flatten)]
    pub(crate) rights: Rights,
}

/// Take rights from a user
///
/// Rights of others stay as they are, and Admins have them all. A range that is named without more
/// is taken altogether.
#[derive(Debug, Args)]
#[command(
    after_long_help = "Examples:\n  sedkit user revoke /dev/nvme0 User1 --range 3\n  \
    sedkit user revoke /dev/nvme0 User1 --all"
)]
pub(crate) struct UserRevoke {
    #[command(flatten)]
    pub(crate) who: Who,
    #[command(flatten)]
    pub(crate) rights: Rights,
    /// Every right that the user has, but for that to its own PIN
    #[arg(
        long,
        help_heading = "Rights",
        conflicts_with_all = ["ranges", "mbr_done", "datastore", "datastore_read", "datastore_write"]
    )]
    pub(crate) all: bool,
}
