//! Activate (\[Opal\] 5.1.1, \[DataStore\] 5.1, \[Single User Mode\]).

use super::{Invocation, Results, selection};
use crate::spec::method::parameter::ACTIVATE_DATA_STORE_TABLE_SIZES as SIZES;
use crate::spec::{MethodStatus, column, uid};
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::cell::Cell;
use crate::vdrive::tper::tables::SpId;

/// Takes the Locking SP out of Manufactured-Inactive; in any other state there is nothing to do.
/// Admin1 gets the PIN of SID. No user data are touched, also where ranges go into Single User Mode.
/// While an ATA password is set, it fails.
pub(super) fn activate(invocation: &mut Invocation<'_>) -> Results {
    let (call, profile) = (invocation.call, invocation.tper.profile());
    let known = selection::known(profile, &[SIZES]);
    let arguments = Arguments::parse(&call.arguments, 0, &known)?;
    let single_user = selection::single_user(&arguments, profile)?;
    let sizes = selection::data_store_sizes(&arguments, SIZES, &profile.locking)?;
    let is_inactive = call.invoking_id == uid::LOCKING_SP && !invocation.tper.state().active;
    if !is_inactive {
        return Ok(Vec::new());
    }
    if invocation.tper.has_ata_password() {
        return Err(MethodStatus::FAIL);
    }
    let pin = invocation
        .tper
        .view(SpId::Admin)
        .cell(uid::C_PIN_SID, column::c_pin::PIN);
    let state = invocation.tper.edit();
    state.active = true;
    state.single_user = single_user;
    let admin1 = uid::c_pin(uid::ADMIN1);
    state
        .locking
        .set(admin1, column::c_pin::PIN, pin.unwrap_or_else(Cell::empty));
    if let Some(sizes) = sizes {
        state.data_stores = sizes;
    }
    invocation.tper.rebuild();
    Ok(Vec::new())
}
