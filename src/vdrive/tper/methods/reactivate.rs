//! Reactivate (\[Single User Mode\]; \[DataStore\] 5.2; reference 5.9.4): other ranges in Single User
//! Mode, without a loss of data.

use super::{Invocation, Results, selection};
use crate::spec::method::parameter::{
    REACTIVATE_ADMIN1_PIN as PIN, REACTIVATE_DATA_STORE_TABLE_SIZES as SIZES,
};
use crate::spec::{MethodStatus, column, uid};
use crate::vdrive::tper::Tper;
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::interpreter::Fate;
use crate::vdrive::tper::tables::{SpId, Type, locking};

/// Keys, data, the place of each range and the PIN of Admin1 stay, but for what the parameters say;
/// everything else that hosts have set is gone. It fails while a lock of any range is enabled.
pub(super) fn reactivate(invocation: &mut Invocation<'_>) -> Results {
    let (call, profile) = (invocation.call, invocation.tper.profile());
    let known = selection::known(profile, &[PIN, SIZES]);
    let arguments = Arguments::parse(&call.arguments, 0, &known)?;
    let single_user = selection::single_user(&arguments, profile)?;
    let pin = arguments.optional(PIN);
    let pin = pin
        .map(|pin| Type::Password.cell(pin, profile))
        .transpose()?;
    let sizes = selection::data_store_sizes(&arguments, SIZES, &profile.locking)?;
    if has_locks(invocation.tper) {
        return Err(MethodStatus::FAIL);
    }
    invocation.tper.reactivate(single_user, pin.as_ref(), sizes);
    invocation.fate = Fate::Aborted;
    Ok(Vec::new())
}

/// True if a lock of some range is enabled, whether or not it is closed.
fn has_locks(tper: &Tper) -> bool {
    let view = tper.view(SpId::Locking);
    locking::ranges(tper.profile()).any(|range| {
        let row = uid::locking_range(range);
        view.is_true(row, column::locking::READ_LOCK_ENABLED)
            || view.is_true(row, column::locking::WRITE_LOCK_ENABLED)
    })
}
