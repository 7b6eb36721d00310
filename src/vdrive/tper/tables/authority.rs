//! Table `Authority` (\[Core\] 5.3.2.10, \[Opal\] 4.2.1.8, 4.3.1.8).

use super::{Plan, Row, Schema, Type, single_user};
use crate::spec::{Uid, column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::AUTHORITY,
    name: "Authority",
    last_column: column::authority::LOG_TO,
    settable: &[
        (column::authority::COMMON_NAME, Type::Name),
        (column::authority::ENABLED, Type::Boolean),
    ],
};

/// `auth_method`: no proof is needed, or none is possible.
const NONE: u64 = 0;
/// `auth_method`: a PIN.
pub(crate) const PASSWORD: u64 = 1;

pub(super) fn admin_rows() -> Vec<Row> {
    let psid = individual(uid::PSID, "PSID", Uid::NULL, true);
    vec![
        anybody(),
        class(uid::ADMINS, "Admins"),
        class(uid::MAKERS, "Makers"),
        individual(uid::SID, "SID", Uid::NULL, true),
        individual(uid::ADMIN_SP_ADMIN1, "Admin1", uid::ADMINS, false),
        psid.with(column::authority::COMMON_NAME, "PhysicalDriveOwner"),
    ]
}

pub(super) fn locking_rows(plan: &Plan<'_>) -> Vec<Row> {
    let admins =
        admins(plan).map(|n| individual(uid::admin(n), &format!("Admin{n}"), uid::ADMINS, n == 1));
    let users = users(plan).map(|n| {
        let enabled = single_user::is_owner(plan, n);
        individual(uid::user(n), &format!("User{n}"), uid::USERS, enabled)
    });
    let classes = [
        anybody(),
        class(uid::ADMINS, "Admins"),
        class(uid::USERS, "Users"),
    ];
    classes.into_iter().chain(admins).chain(users).collect()
}

/// The numbers of the authorities AdminN of the Locking SP.
pub(super) fn admins(plan: &Plan<'_>) -> impl Iterator<Item = u16> + use<> {
    1..=plan.profile.locking.admins
}

/// The numbers of the authorities UserN of the Locking SP.
pub(super) fn users(plan: &Plan<'_>) -> impl Iterator<Item = u16> + use<> {
    1..=plan.profile.locking.users
}

fn anybody() -> Row {
    row(uid::ANYBODY, "Anybody")
        .with(column::authority::IS_CLASS, false)
        .with(column::authority::ENABLED, true)
}

fn class(uid: Uid, name: &str) -> Row {
    row(uid, name)
        .with(column::authority::IS_CLASS, true)
        .with(column::authority::ENABLED, true)
}

fn individual(authority: Uid, name: &str, class: Uid, enabled: bool) -> Row {
    row(authority, name)
        .with(column::authority::IS_CLASS, false)
        .with(column::authority::CLASS, class)
        .with(column::authority::ENABLED, enabled)
        .with(column::authority::OPERATION, PASSWORD)
        .with(column::authority::CREDENTIAL, uid::c_pin(authority))
}

fn row(uid: Uid, name: &str) -> Row {
    Row::new(uid)
        .with(column::authority::NAME, name)
        .with(column::authority::COMMON_NAME, "")
        .with(column::authority::CLASS, Uid::NULL)
        .with(column::authority::SECURE, 0)
        .with(column::authority::HASH_AND_SIGN, 0)
        .with(column::authority::PRESENT_CERTIFICATE, false)
        .with(column::authority::OPERATION, NONE)
        .with(column::authority::CREDENTIAL, Uid::NULL)
        .with(column::authority::RESPONSE_SIGN, Uid::NULL)
        .with(column::authority::RESPONSE_EXCH, Uid::NULL)
        .with(column::authority::LIMIT, 0)
        .with(column::authority::USES, 0)
}
