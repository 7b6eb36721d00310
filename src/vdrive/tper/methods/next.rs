//! Next (\[Core\] 5.3.3.8): the rows of an object table, in ascending order of their UIDs.

use super::{Invocation, Results};
use crate::spec::{MethodStatus, Uid};
use crate::vdrive::tper::arguments::Arguments;
use crate::wire::Value;

/// Optional parameters.
mod parameter {
    pub(super) const WHERE: u64 = 0;
    pub(super) const COUNT: u64 = 1;
}

pub(super) fn next(invocation: &Invocation<'_>) -> Results {
    let call = invocation.call;
    let arguments = Arguments::parse(&call.arguments, 0, &[parameter::WHERE, parameter::COUNT])?;
    let after = arguments.optional_uid(parameter::WHERE)?;
    let count = arguments
        .optional_uint(parameter::COUNT)?
        .unwrap_or(u64::MAX);
    let rows: Vec<Uid> = invocation.view().sp().rows_of(call.invoking_id).collect();
    let skipped = match after {
        None => 0,
        Some(row) => {
            let index = rows.iter().position(|found| *found == row);
            index.ok_or(MethodStatus::INVALID_PARAMETER)? + 1
        }
    };
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let rows = rows.into_iter().skip(skipped).take(count).map(Value::from);
    Ok(vec![Value::list(rows)])
}
