//! Table `SP` (\[Core\] 5.4.2.4, \[Opal\] 4.2.3.4).
//!
//! LifeCycleState and Frozen follow from the state of the drive, so the rows hold no cells for them
//! (see `Tper::cell`).

use super::{Row, Schema};
use crate::spec::{column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::SP,
    name: "SP",
    last_column: column::sp::FROZEN,
    settable: &[],
};

pub(super) fn rows() -> Vec<Row> {
    let row = |uid, name| Row::new(uid).with(column::sp::NAME, name);
    vec![row(uid::ADMIN_SP, "Admin"), row(uid::LOCKING_SP, "Locking")]
}
