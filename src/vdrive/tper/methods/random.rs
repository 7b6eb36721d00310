//! Random (\[Core\] 5.6.4.1, \[Opal\] 4.2.9.1).

use super::{Invocation, Results};
use crate::spec::MethodStatus;
use crate::vdrive::tper::arguments::Arguments;
use crate::wire::Value;

pub(super) fn random(invocation: &Invocation<'_>) -> Results {
    let arguments = Arguments::parse(&invocation.call.arguments, 1, &[])?;
    let count = arguments.uint(0)?;
    if count > invocation.tper.profile().max_random {
        return Err(MethodStatus::INVALID_PARAMETER);
    }
    if count > invocation.room {
        return Err(MethodStatus::RESPONSE_OVERFLOW);
    }
    let length = usize::try_from(count).map_err(|_| MethodStatus::INVALID_PARAMETER)?;
    let mut bytes = vec![0; length];
    getrandom::fill(&mut bytes).map_err(|_| MethodStatus::TPER_MALFUNCTION)?;
    Ok(vec![Value::bytes(&bytes)])
}
