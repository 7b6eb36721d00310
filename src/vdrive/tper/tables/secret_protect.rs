//! Table `SecretProtect` (\[Core\] 5.3.2.19, \[Opal\] 4.3.1.10).

use super::{Row, Schema};
use crate::spec::{Uid, column, uid};
use crate::vdrive::tper::cell::Cell;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::SECRET_PROTECT,
    name: "SecretProtect",
    last_column: column::secret_protect::PROTECT_MECHANISMS,
    settable: &[],
};

/// The row for column Key of `K_AES_256`.
const K_AES_256_KEY: Uid = uid::SECRET_PROTECT.row(0x1e);

/// `protect_types`: vendor unique. The media keys of a virtual drive lie open in its file.
const VENDOR_UNIQUE: u64 = 0;

pub(super) fn rows() -> Vec<Row> {
    vec![
        Row::new(K_AES_256_KEY)
            .with(
                column::secret_protect::TABLE,
                uid::K_AES_256.table_descriptor(),
            )
            .with(column::secret_protect::COLUMN_NUMBER, column::k_aes::KEY)
            .with(
                column::secret_protect::PROTECT_MECHANISMS,
                Cell::set([VENDOR_UNIQUE]),
            ),
    ]
}
