//! Table `DataRemovalMechanism` (\[Opal\] 4.2.7).

use super::schema::CRYPTOGRAPHIC_ERASE;
use super::{Row, Schema, Type};
use crate::spec::{column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::DATA_REMOVAL_MECHANISM_TABLE,
    name: "DataRemovalMechanism",
    last_column: column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
    settable: &[(
        column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
        Type::DataRemovalMechanism,
    )],
};

pub(super) fn rows() -> Vec<Row> {
    vec![Row::new(uid::DATA_REMOVAL_MECHANISM).with(
        column::data_removal_mechanism::ACTIVE_DATA_REMOVAL_MECHANISM,
        CRYPTOGRAPHIC_ERASE,
    )]
}
