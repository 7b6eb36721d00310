//! GenKey (\[Core\] 5.3.3.15): a new media key, so that what a range held cannot be read again.

use super::{Invocation, Results};
use crate::spec::MethodStatus;
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::tables::k_aes;

pub(super) fn gen_key(invocation: &mut Invocation<'_>) -> Results {
    // PublicExponent and PinLength are for other kinds of credentials.
    Arguments::parse(&invocation.call.arguments, 0, &[])?;
    let range =
        k_aes::range_of(invocation.call.invoking_id).ok_or(MethodStatus::INVALID_PARAMETER)?;
    invocation.tper.replace_keys(&[range])?;
    Ok(Vec::new())
}
