//! Table `Template` (\[Core\] 5.4.2.3, \[Opal\] 4.2.3.3).

use super::{Row, Schema};
use crate::spec::{Uid, column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::TEMPLATE,
    name: "Template",
    last_column: column::template::MAX_INSTANCES,
    settable: &[],
};

/// The Base template.
pub(super) const BASE: Uid = uid::TEMPLATE.row(1);
/// The Admin template.
pub(super) const ADMIN: Uid = uid::TEMPLATE.row(2);
/// The Locking template.
pub(super) const LOCKING: Uid = uid::TEMPLATE.row(6);

pub(super) fn rows() -> Vec<Row> {
    vec![
        row(BASE, "Base", 2),
        row(ADMIN, "Admin", 1),
        row(LOCKING, "Locking", 1),
    ]
}

fn row(uid: Uid, name: &str, instances: u64) -> Row {
    Row::new(uid)
        .with(column::template::NAME, name)
        .with(column::template::REVISION_NUMBER, 1)
        .with(column::template::INSTANCES, instances)
        .with(column::template::MAX_INSTANCES, instances)
}
