//! What a refused method's status means to a person, obsolete statuses included: drives of the
//! Enterprise SSC and early Opal drives still send these (\[Core\] 5.1.5).

use crate::spec::MethodStatus;

/// What it means, in plain words.
pub(super) const fn meaning(status: MethodStatus) -> &'static str {
    match status {
        MethodStatus::NOT_AUTHORIZED => {
            "The authority may not do this, or there is no such thing to do it with: a drive does \
             not tell the two apart."
        }
        MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE => {
            "Another session is open, and the drive has no room for one more."
        }
        MethodStatus::SP_FAILED => "The drive has put the SP out of service after a failure.",
        MethodStatus::SP_DISABLED => "The SP is disabled: it opens no session.",
        MethodStatus::SP_FROZEN => "The firmware has frozen the SP until the next power cycle.",
        MethodStatus::UNIQUENESS_CONFLICT => "Two rows of a table would have the same value.",
        MethodStatus::INSUFFICIENT_SPACE => "The SP has no room left for what was asked.",
        MethodStatus::INSUFFICIENT_ROWS => "The table has no row left.",
        // Invalid function, invalid command.
        MethodStatus::OBSOLETE_0B => {
            "The drive does not have this method here (INVALID_FUNCTION in older standards): it \
             belongs to another SSC, or to another SP of this one."
        }
        MethodStatus::OBSOLETE_0D => {
            "The drive does not have this object (INVALID_REFERENCE in older standards): it \
             belongs to another SSC, or is not there before activation."
        }
        MethodStatus::OBSOLETE_02 => "What was to be set is read-only (obsolete status).",
        MethodStatus::OBSOLETE_0E => {
            "The session's messages were to be secured in a way that the drive does not take \
             (obsolete status)."
        }
        MethodStatus::INVALID_PARAMETER => {
            "The drive does not take one of the values, or does not know the object."
        }
        MethodStatus::TPER_MALFUNCTION => "The drive failed inside.",
        MethodStatus::TRANSACTION_FAILURE => "A transaction could not be started or ended.",
        MethodStatus::RESPONSE_OVERFLOW => "The answer does not fit what the host can receive.",
        MethodStatus::AUTHORITY_LOCKED_OUT => "Too many wrong PINs were given.",
        MethodStatus::FAIL => "The drive failed at it, and gives no reason.",
        _ => "The standard has no such status.",
    }
}

/// What can be done about it.
pub(super) const fn way_out(status: MethodStatus) -> &'static str {
    match status {
        MethodStatus::NOT_AUTHORIZED => "Act as another authority (--as).",
        MethodStatus::SP_BUSY | MethodStatus::NO_SESSIONS_AVAILABLE => {
            "End the other program; --stack-reset ends a session that a killed one has left."
        }
        MethodStatus::OBSOLETE_0B | MethodStatus::OBSOLETE_0D => {
            "See \"sedkit info\" for the SSC that the drive speaks, and use the command that fits \
             it: an Enterprise drive is reverted in its Admin SP, by SID or PSID."
        }
        MethodStatus::INVALID_PARAMETER => {
            "Check the values; with several namespaces many drives take no range but 0."
        }
        MethodStatus::INSUFFICIENT_SPACE | MethodStatus::INSUFFICIENT_ROWS => {
            "Ask for less: \"sedkit info\" shows the drive's limits."
        }
        MethodStatus::AUTHORITY_LOCKED_OUT => "Cut the drive's power; a warm reboot is not enough.",
        MethodStatus::UNIQUENESS_CONFLICT | MethodStatus::OBSOLETE_02 => {
            "Choose another value, or another row."
        }
        MethodStatus::FAIL => {
            "Run the command again after a power cycle. A disk password set in firmware (ATA \
             Security) makes drives fail like this, too."
        }
        _ => "Power-cycle the drive and run the command again; look for an update of its firmware.",
    }
}
