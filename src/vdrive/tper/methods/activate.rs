//! Activate (\[Opal\] 5.1.1, \[DataStore\] 5.1).

use super::{Invocation, Results};
use crate::spec::method::parameter::ACTIVATE_DATA_STORE_TABLE_SIZES;
use crate::spec::{MethodStatus, column, uid};
use crate::vdrive::profile::LockingLimits;
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::cell::Cell;
use crate::vdrive::tper::tables::SpId;
use crate::wire::Value;

/// Takes the Locking SP out of Manufactured-Inactive; in any other state there is nothing to do.
/// Admin1 gets the PIN of SID. No user data are touched. While an ATA password is set, it fails.
pub(super) fn activate(invocation: &mut Invocation<'_>) -> Results {
    let call = invocation.call;
    let arguments = Arguments::parse(&call.arguments, 0, &[ACTIVATE_DATA_STORE_TABLE_SIZES])?;
    let sizes = arguments.optional(ACTIVATE_DATA_STORE_TABLE_SIZES);
    let sizes = sizes.map(|sizes| table_sizes(sizes, &invocation.tper.profile().locking));
    let sizes = sizes.transpose()?;
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
    let admin1 = uid::c_pin(uid::ADMIN1);
    state
        .locking
        .set(admin1, column::c_pin::PIN, pin.unwrap_or_else(Cell::empty));
    if let Some(sizes) = sizes {
        state.data_stores = sizes;
        invocation.tper.rebuild();
    }
    Ok(Vec::new())
}

/// The sizes of the DataStore tables that the host wants.
fn table_sizes(sizes: &Value, limits: &LockingLimits) -> Result<Vec<u64>, MethodStatus> {
    let sizes: Option<Vec<u64>> = sizes
        .as_list()
        .and_then(|sizes| sizes.iter().map(Value::as_uint).collect());
    let sizes = sizes.ok_or(MethodStatus::INVALID_PARAMETER)?;
    let sum = sizes
        .iter()
        .try_fold(0_u64, |sum, size| sum.checked_add(*size));
    let fits = sum.is_some_and(|sum| sum <= limits.data_store_size)
        && sizes.len() <= usize::from(limits.data_store_tables);
    if !fits {
        return Err(MethodStatus::INSUFFICIENT_SPACE);
    }
    let alignment = u64::from(limits.data_store_alignment);
    let is_aligned = sizes
        .iter()
        .all(|size| *size > 0 && size.is_multiple_of(alignment));
    if sizes.is_empty() || !is_aligned {
        return Err(MethodStatus::INVALID_PARAMETER);
    }
    Ok(sizes)
}
