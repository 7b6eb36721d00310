//! What to do where single user mode stands in the way.

use crate::drive::{Authority, SingleUserError, owner_of};
use crate::spec::RangeNumber;

/// What to do about it.
pub(super) fn hint(error: &SingleUserError) -> String {
    match error {
        SingleUserError::Owned { range, owner } => format!(
            "act as {owner} (--as {owner}), to whom range {range} belongs; an Admin can only take it \
             away: \"sedkit erase --range {range}\" gives it a new key and empties the PIN of {owner}"
        ),
        SingleUserError::PlaceOfAdmins(range) => {
            format!("act as Admin1 for the place of range {range}; its locks are set by its owner")
        }
        SingleUserError::Owner { user, range } => format!(
            "\"sedkit passwd --as {user}\" changes its PIN with the present one; if that is lost, \
             \"sedkit erase --range {range}\" empties it, and the data of range {range} with it"
        ),
        SingleUserError::OtherMode => {
            "\"sedkit info\" shows the mode, \"sedkit reactivate\" changes it".to_owned()
        }
        SingleUserError::ListRefused => {
            "\"sedkit info\" shows how many ranges can be in single user mode".to_owned()
        }
        SingleUserError::NoRange(_) => {
            "\"sedkit range list\" shows the ranges of the drive".to_owned()
        }
        SingleUserError::LocksEnabled(ranges) => locks_enabled(ranges),
        SingleUserError::NotAdmin1(_) => "act as Admin1 (--as Admin1); nothing was sent".to_owned(),
        SingleUserError::LocksUnnoted => "the folder for notes is full, or cannot be written: \
            /var/lib/sedkit, or that of SEDKIT_STATE_DIR; nothing was changed"
            .to_owned(),
        SingleUserError::ReactivateFailed => {
            "\"sedkit range list\" shows which locks are enabled".to_owned()
        }
        SingleUserError::PlaceWithoutOwner(_) => {
            "give the owners a PIN with --user-key, or let Admins place the ranges with \
             --range-policy admins"
                .to_owned()
        }
    }
}

/// Each owner switches its locks off, or loses the range.
fn locks_enabled(ranges: &[RangeNumber]) -> String {
    let command = |range: &RangeNumber| {
        let owner = owner_of(*range).unwrap_or(Authority::User(1));
        format!(
            "\"sedkit range set --range {range} --as {owner} --read-lock-enabled no \
             --write-lock-enabled no\""
        )
    };
    let commands: Vec<_> = ranges.iter().map(command).collect();
    format!(
        "the owners switch them off: {}; or \"sedkit erase\" does, with the data of the range",
        commands.join(", ")
    )
}
