//! Revert (\[Opal\] 5.1.2): an SP, or with the Admin SP the whole TPer, returns to its original
//! factory state.

use super::{Invocation, Results};
use crate::spec::{MethodStatus, uid};
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::interpreter::Fate;

pub(super) fn revert(invocation: &mut Invocation<'_>) -> Results {
    Arguments::parse(&invocation.call.arguments, 0, &[])?;
    match invocation.call.invoking_id {
        uid::LOCKING_SP => invocation.tper.revert_locking_sp(false)?,
        uid::ADMIN_SP => {
            invocation.tper.revert_locking_sp(false)?;
            invocation.tper.revert_admin_sp();
            invocation.fate = Fate::Aborted;
        }
        _ => return Err(MethodStatus::INVALID_PARAMETER),
    }
    Ok(Vec::new())
}
