//! Erase (\[Single User Mode\]; reference 5.9.4): a range in Single User Mode is as nobody had ever
//! used it. Access control has no row for it on other ranges.

use super::{Invocation, Results};
use crate::spec::MethodStatus;
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::tables::locking;

pub(super) fn erase(invocation: &mut Invocation<'_>) -> Results {
    Arguments::parse(&invocation.call.arguments, 0, &[])?;
    let range = locking::range_of(invocation.call.invoking_id);
    let range = range.ok_or(MethodStatus::INVALID_PARAMETER)?;
    invocation.tper.erase(range)?;
    Ok(Vec::new())
}
