//! RevertSP (\[Opal\] 5.1.3): the Locking SP returns to its original factory state, from inside.

use super::{Invocation, Results};
use crate::spec::method::parameter::KEEP_GLOBAL_RANGE_KEY;
use crate::spec::{MethodStatus, RangeNumber};
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::interpreter::Fate;

/// With KeepGlobalRangeKey the data of the Global range stay; that needs one of its locks open.
pub(super) fn revert_sp(invocation: &mut Invocation<'_>) -> Results {
    let arguments = Arguments::parse(&invocation.call.arguments, 0, &[KEEP_GLOBAL_RANGE_KEY])?;
    let keep = arguments
        .optional_bool(KEEP_GLOBAL_RANGE_KEY)?
        .unwrap_or(false);
    let locks = invocation.view().locks(RangeNumber::GLOBAL);
    if keep && locks.read && locks.write {
        return Err(MethodStatus::FAIL);
    }
    let loses_key = invocation.tper.profile().defects.loses_global_range_key;
    invocation.tper.revert_locking_sp(keep && !loses_key)?;
    invocation.fate = Fate::Aborted;
    Ok(Vec::new())
}
