//! What to do where an authority may not act.

use crate::drive::{AccessError, Authority, TallyError};
use crate::secret::LOOK_ALIKES;

/// An authority that the drive does not know.
pub(super) const fn unknown_authority(authority: Authority) -> &'static str {
    match authority {
        Authority::Psid => {
            "drives without a PSID are reverted as SID only; ask the vendor where SID's PIN is lost"
        }
        _ => "\"sedkit info\" shows how many Admins and Users the drive has",
    }
}

/// One that may not do this.
pub(super) const fn not_permitted(authority: Authority) -> &'static str {
    match authority {
        Authority::User(_) => {
            "an Admin can give a User the right: \"sedkit user grant\"; \"sedkit user list\" shows \
             who has which. Or act as Admin1"
        }
        Authority::Admin(1) => "\"sedkit user list\" shows what Admins may not do",
        _ => "act as Admin1, which may do everything in the Locking SP",
    }
}

/// One that was refused.
pub(super) fn refused(authority: Authority) -> String {
    match authority {
        Authority::Psid => format!(
            "compare it with the label; characters that look alike: {LOOK_ALIKES}. The drive \
             counts wrong attempts"
        ),
        Authority::Sid => "the drive counts wrong attempts, so do not guess. If the passphrase is \
             right, another tool may have hashed it: \"sedkit identify-pin\" finds out how"
            .to_owned(),
        _ => {
            "the drive counts wrong attempts, so do not guess. If the passphrase is right, another \
              tool may have hashed it (\"sedkit identify-pin\" finds out how), or the authority is \
              disabled"
                .to_owned()
        }
    }
}

/// One that is locked out.
pub(super) fn locked_out(authority: Authority) -> String {
    let last = match authority {
        Authority::Psid => "then give the PSID from the label",
        _ => "then give the right secret; \"sedkit revert --psid\" helps without it and erases all",
    };
    format!("cut the drive's power, so that most drives count from 0 again, {last}")
}

/// Attempts that cannot be counted.
pub(super) fn for_tally(error: &TallyError) -> String {
    let text = match error {
        TallyError::NoFolder | TallyError::Io { .. } => {
            "name a folder that can be written and that stays, with SEDKIT_STATE_DIR"
        }
        TallyError::Damaged { .. } => {
            "cut the drive's power, so that it counts from 0 again, then add --power-cycled"
        }
        _ => "connect the drive so that it tells its serial number",
    };
    text.to_owned()
}

/// Rights that cannot be changed so.
pub(super) fn for_access(error: AccessError) -> String {
    let text = match error {
        AccessError::NoAuthority(_) => "\"sedkit user list\" shows the authorities of the drive",
        AccessError::NoRight(_) => {
            "\"sedkit range list\" and \"sedkit info\" show which ranges and tables the drive has"
        }
        AccessError::Expression(_) => {
            "another tool wrote it, and nothing was changed: look at it with \"sedkit raw get\""
        }
        AccessError::NoUser(_) => "Admins have every right already; name a User: User1…",
        AccessError::Admin1 => "\"sedkit passwd\" changes its PIN, \"sedkit revert\" removes it",
    };
    text.to_owned()
}
