//! Table `Table`: a row for each table (\[Core\] 5.3.2.1, \[Opal\] 4.2.1.3, 4.3.1.3).

use super::{ByteTable, Plan, Row, Schema, data_removal_mechanism};
use crate::spec::{Uid, column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::TABLE,
    name: "Table",
    last_column: column::table::RECOMMENDED_ACCESS_GRANULARITY,
    settable: &[],
};

const OBJECT: u64 = 1;
const BYTE: u64 = 2;

const ADMIN_SP: &[Uid] = &[
    uid::TABLE,
    uid::SP_INFO,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::ACCESS_CONTROL,
    uid::ACE,
    uid::AUTHORITY,
    uid::C_PIN,
    uid::TPER_INFO_TABLE,
    uid::TEMPLATE,
    uid::SP,
    uid::DATA_REMOVAL_MECHANISM_TABLE,
];

const LOCKING_SP: &[Uid] = &[
    uid::TABLE,
    uid::SP_INFO,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::ACCESS_CONTROL,
    uid::ACE,
    uid::AUTHORITY,
    uid::C_PIN,
    uid::SECRET_PROTECT,
    uid::LOCKING_INFO_TABLE,
    uid::LOCKING,
    uid::MBR_CONTROL_TABLE,
    uid::K_AES_256,
];

pub(super) fn admin_rows(plan: &Plan<'_>) -> Vec<Row> {
    let has_removal = data_removal_mechanism::exists(plan);
    let exists = |table: &Uid| has_removal || *table != uid::DATA_REMOVAL_MECHANISM_TABLE;
    let tables = ADMIN_SP.iter().copied().filter(exists);
    tables.map(object_table).collect()
}

pub(super) fn locking_rows(byte_tables: &[ByteTable], plan: &Plan<'_>) -> Vec<Row> {
    let has_mbr = plan.profile.locking.has_mbr();
    let exists = |table: &Uid| has_mbr || *table != uid::MBR_CONTROL_TABLE;
    let objects = LOCKING_SP.iter().copied().filter(exists).map(object_table);
    let bytes = byte_tables.iter().map(|table| byte_table(table, plan));
    objects.chain(bytes).collect()
}

fn object_table(table: Uid) -> Row {
    let name = super::schema(table).map_or("", |schema| schema.name);
    Row::new(table.table_descriptor())
        .with(column::table::NAME, name)
        .with(column::table::KIND, OBJECT)
        .with(column::table::MANDATORY_WRITE_GRANULARITY, 0)
        .with(column::table::RECOMMENDED_ACCESS_GRANULARITY, 0)
}

fn byte_table(table: &ByteTable, plan: &Plan<'_>) -> Row {
    let locking = &plan.profile.locking;
    Row::new(table.uid.table_descriptor())
        .with(column::table::NAME, table.name.as_str())
        .with(column::table::KIND, BYTE)
        .with(column::table::ROWS, table.rows)
        .with(
            column::table::MANDATORY_WRITE_GRANULARITY,
            locking.write_granularity,
        )
        .with(
            column::table::RECOMMENDED_ACCESS_GRANULARITY,
            locking.access_granularity.max(locking.write_granularity),
        )
}
