//! GetACL (\[Core\] 5.3.3.13). It has no row of its own in AccessControl: the row that it asks for
//! says who may ask.

use super::{Invocation, Results};
use crate::spec::MethodStatus;
use crate::vdrive::tper::access;
use crate::vdrive::tper::arguments::Arguments;
use crate::wire::Value;

pub(super) fn get_acl(invocation: &Invocation<'_>) -> Results {
    let arguments = Arguments::parse(&invocation.call.arguments, 2, &[])?;
    let (invoking_id, method_id) = (arguments.uid(0)?, arguments.uid(1)?);
    let view = invocation.view();
    let association = view
        .sp()
        .association(invoking_id, method_id)
        .ok_or(MethodStatus::INVALID_PARAMETER)?;
    if !access::may_get_acl(view, invocation.session, association) {
        return Err(MethodStatus::NOT_AUTHORIZED);
    }
    let aces = association.acl.iter().copied().map(Value::from);
    Ok(vec![Value::list(aces)])
}
