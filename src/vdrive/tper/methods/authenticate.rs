//! Authenticate (\[Core\] 5.3.3.12, 5.3.4.1.14).

use super::{Invocation, Results};
use crate::spec::{MethodStatus, uid};
use crate::vdrive::profile::LockoutReply;
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::authentication::Verdict;
use crate::wire::Value;

/// Optional parameter Proof.
const PROOF: u64 = 0;

pub(super) fn authenticate(invocation: &mut Invocation<'_>) -> Results {
    let arguments = Arguments::parse(&invocation.call.arguments, 1, &[PROOF])?;
    let authority = arguments.uid(0)?;
    let proof = arguments.optional_bytes(PROOF)?.unwrap_or_default();
    let lockout = invocation.tper.profile().behaviour.authenticate_lockout;
    let Invocation { tper, session, .. } = invocation;
    let has_room = authority == uid::ANYBODY
        || session.authorities.contains(&authority.0)
        || has_room(
            session.authorities.len(),
            tper.profile().sessions.max_authentications,
        );
    tper.check_authority(session.sp, authority)?;
    if !has_room {
        // Nothing can come of it, so it is no attempt.
        return Ok(vec![Value::from(false)]);
    }
    let accepted = match tper.authenticate(session.sp, authority, proof)? {
        Verdict::Accepted => true,
        Verdict::LockedOut if lockout == LockoutReply::LockedOut => {
            return Err(MethodStatus::AUTHORITY_LOCKED_OUT);
        }
        Verdict::Refused | Verdict::LockedOut => false,
    };
    if accepted && authority != uid::ANYBODY {
        session.authorities.insert(authority.0);
    }
    Ok(vec![Value::from(accepted)])
}

/// Anybody takes one of the places.
fn has_room(authenticated: usize, max_authentications: u64) -> bool {
    u64::try_from(authenticated).is_ok_and(|count| count + 1 < max_authentications)
}
