//! Table `SPInfo` (\[Core\] 5.3.2.2, \[Opal\] 4.2.1.1, 4.3.1.1).

use super::{Row, Schema, SpId};
use crate::spec::{column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::SP_INFO,
    name: "SPInfo",
    last_column: column::sp_info::ENABLED,
    settable: &[],
};

pub(super) fn rows(sp: SpId) -> Vec<Row> {
    let name = match sp {
        SpId::Admin => "Admin",
        SpId::Locking => "Locking",
    };
    vec![
        Row::new(uid::SP_INFO_ROW)
            .with(column::sp_info::SP_ID, sp.uid())
            .with(column::sp_info::NAME, name)
            .with(column::sp_info::SP_SESSION_TIMEOUT, 0)
            .with(column::sp_info::ENABLED, true),
    ]
}
