//! Options of single user mode that `setup` and `reactivate` share.

use clap::{Args, ValueEnum};

/// Who gives ranges in single user mode their places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RangePolicy {
    /// The user of the range
    #[default]
    User,
    /// Admins
    Admins,
}

/// The owners of ranges in single user mode.
#[derive(Clone, Debug, Args)]
pub(crate) struct Owners {
    /// Single user mode: who gives ranges their places (RangeStartRangeLengthPolicy)
    #[arg(
        long,
        value_name = "user|admins",
        value_enum,
        hide_possible_values = true,
        default_value = "user"
    )]
    pub(crate) range_policy: RangePolicy,
    /// Single user mode: where the first passphrase of the users comes from; one for all
    #[arg(
        long,
        value_name = "SOURCE",
        default_value = "prompt",
        conflicts_with = "no_user_key",
        help_heading = "Secrets"
    )]
    pub(crate) user_key: String,
    /// Single user mode: give the users no PIN; anybody can act as they until each has set one
    #[arg(long, help_heading = "Secrets")]
    pub(crate) no_user_key: bool,
}
