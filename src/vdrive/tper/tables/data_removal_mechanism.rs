//! Table `DataRemovalMechanism` (\[Opal\] 4.2.7).

use super::{Plan, Row, Schema, Type};
use crate::spec::{DataRemovalMechanism, column, uid};
use crate::vdrive::profile::Feature;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::DATA_REMOVAL_MECHANISM_TABLE,
    name: "DataRemovalMechanism",
    last_column: column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
    settable: &[(
        column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
        Type::DataRemovalMechanism,
    )],
};

/// One row, where Level 0 Discovery shows the feature.
pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    let column = column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM;
    let keys = u64::from(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE.0);
    let row = || Row::new(uid::DATA_REMOVAL_MECHANISM).with(column, keys);
    exists(plan).then(row).into_iter().collect()
}

/// True if the table is there.
pub(super) fn exists(plan: &Plan<'_>) -> bool {
    plan.profile.discovery.has(&Feature::DataRemoval)
}
