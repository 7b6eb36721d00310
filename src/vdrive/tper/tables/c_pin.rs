//! Table `C_PIN` (\[Core\] 5.3.2.12, \[Opal\] 4.2.1.9, 4.3.1.9; \[PSID\] 4.1).
//!
//! Column Tries is counted apart from the rows, since most counts end with the power (see
//! `Tper::cell`).

use super::authority::{admins, users};
use super::{Plan, Row, Schema, Type};
use crate::spec::{Uid, column, uid};
use crate::vdrive::profile::{SidPin, TryPolicy};
use crate::vdrive::tper::cell::Cell;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::C_PIN,
    name: "C_PIN",
    last_column: column::c_pin::PERSISTENCE,
    settable: &[(column::c_pin::PIN, Type::Password)],
};

/// The row of PSID.
pub(super) const PSID: Uid = uid::C_PIN.row(0x0001_ff01);
/// The row of Admin1 of the Admin SP.
pub(super) const ADMIN_SP_ADMIN1: Uid = uid::C_PIN.row(0x0201);

pub(super) fn admin_rows(plan: &Plan<'_>) -> Vec<Row> {
    let tries = &plan.profile.tries;
    let label = plan.label;
    let sid = match plan.initial_pin {
        SidPin::Msid => &label.msid,
        SidPin::VendorUnique => &label.psid,
    };
    let msid = Row::new(uid::C_PIN_MSID)
        .with(column::c_pin::NAME, "C_PIN_MSID")
        .with(column::c_pin::PIN, Cell::bytes(label.msid.as_bytes()));
    vec![
        row(uid::C_PIN_SID, "C_PIN_SID", sid.as_bytes(), tries.sid),
        msid,
        row(ADMIN_SP_ADMIN1, "C_PIN_Admin1", b"", tries.admin_sp_admins),
        row(PSID, "C_PIN_PSID", label.psid.as_bytes(), tries.psid),
    ]
}

pub(super) fn locking_rows(plan: &Plan<'_>) -> Vec<Row> {
    let policy = plan.profile.tries.locking_sp;
    let admins = admins(plan).map(|n| (uid::admin(n), format!("C_PIN_Admin{n}")));
    let users = users(plan).map(|n| (uid::user(n), format!("C_PIN_User{n}")));
    admins
        .chain(users)
        .map(|(authority, name)| row(uid::c_pin(authority), &name, b"", policy))
        .collect()
}

fn row(uid: Uid, name: &str, pin: &[u8], policy: TryPolicy) -> Row {
    Row::new(uid)
        .with(column::c_pin::NAME, name)
        .with(column::c_pin::COMMON_NAME, "")
        .with(column::c_pin::PIN, Cell::bytes(pin))
        .with(column::c_pin::CHAR_SET, Uid::NULL)
        .with(column::c_pin::TRY_LIMIT, policy.limit)
        .with(column::c_pin::TRIES, 0)
        .with(column::c_pin::PERSISTENCE, policy.persistent)
}
