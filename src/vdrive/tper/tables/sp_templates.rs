//! Table `SPTemplates` (\[Core\] 5.3.2.3, \[Opal\] 4.2.1.2, 4.3.1.2).

use super::template::{ADMIN, BASE, LOCKING};
use super::{Row, Schema, SpId};
use crate::spec::{Uid, column, uid};
use crate::vdrive::tper::cell::Cell;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::SP_TEMPLATES,
    name: "SPTemplates",
    last_column: column::sp_templates::VERSION,
    settable: &[],
};

const VERSION: [u8; 4] = [0, 0, 0, 2];

pub(super) fn rows(sp: SpId) -> Vec<Row> {
    let own = match sp {
        SpId::Admin => row(2, ADMIN, "Admin"),
        SpId::Locking => row(2, LOCKING, "Locking"),
    };
    vec![row(1, BASE, "Base"), own]
}

fn row(low: u32, template: Uid, name: &str) -> Row {
    Row::new(uid::SP_TEMPLATES.row(low))
        .with(column::sp_templates::TEMPLATE_ID, template)
        .with(column::sp_templates::NAME, name)
        .with(column::sp_templates::VERSION, Cell::bytes(&VERSION))
}
