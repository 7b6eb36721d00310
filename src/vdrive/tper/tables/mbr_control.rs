//! Table `MBRControl` (\[Core\] 5.7.2.5, \[Opal\] 4.3.5.3).

use super::{Plan, Row, Schema, Type};
use crate::spec::{column, uid};
use crate::vdrive::tper::cell::Cell;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::MBR_CONTROL_TABLE,
    name: "MBRControl",
    last_column: column::mbr_control::DONE_ON_RESET,
    settable: &[
        (column::mbr_control::ENABLE, Type::Boolean),
        (column::mbr_control::DONE, Type::Boolean),
        (column::mbr_control::DONE_ON_RESET, Type::ResetTypes),
    ],
};

/// One row where there is a shadow MBR.
pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    let row = || {
        Row::new(uid::MBR_CONTROL)
            .with(column::mbr_control::ENABLE, false)
            .with(column::mbr_control::DONE, false)
            .with(column::mbr_control::DONE_ON_RESET, Cell::set([0]))
    };
    plan.profile
        .locking
        .has_mbr()
        .then(row)
        .into_iter()
        .collect()
}
