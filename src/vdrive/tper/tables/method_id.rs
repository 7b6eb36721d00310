//! Table `MethodID` (\[Core\] 5.3.2.6, \[Opal\] 4.2.1.5, 4.3.1.5).

use super::{Plan, Row, Schema};
use crate::spec::{Uid, column, method, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::METHOD_ID,
    name: "MethodID",
    last_column: column::method_id::TEMPLATE_ID,
    settable: &[],
};

pub(super) const ADMIN_SP: &[Uid] = &[
    method::NEXT,
    method::GET_ACL,
    method::GET,
    method::SET,
    method::AUTHENTICATE,
    method::REVERT,
    method::ACTIVATE,
    method::RANDOM,
];

/// \[Opal\] 4.3.1.5, and what Single User Mode adds.
pub(super) fn locking_sp(plan: &Plan<'_>) -> Vec<Uid> {
    let has_single_user_mode = plan.profile.has_single_user_mode();
    let more = if has_single_user_mode {
        SINGLE_USER_MODE
    } else {
        &[]
    };
    [LOCKING_SP, more].concat()
}

const SINGLE_USER_MODE: &[Uid] = &[method::REACTIVATE, method::ERASE];

const LOCKING_SP: &[Uid] = &[
    method::NEXT,
    method::GET_ACL,
    method::GEN_KEY,
    method::REVERT_SP,
    method::GET,
    method::SET,
    method::AUTHENTICATE,
    method::RANDOM,
];

pub(super) fn rows(methods: &[Uid]) -> Vec<Row> {
    let name = |uid| method::name(uid).unwrap_or_default();
    methods
        .iter()
        .map(|&uid| Row::new(uid).with(column::method_id::NAME, name(uid)))
        .collect()
}
