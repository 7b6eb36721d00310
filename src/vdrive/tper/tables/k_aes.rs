//! Table `K_AES_256` (\[Core\] 5.7.2.7, \[Opal\] 4.3.5.5). Column Key is in no row: it cannot be read.

use super::{Plan, Row, Schema, locking};
use crate::spec::{RangeNumber, Uid, column, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::K_AES_256,
    name: "K_AES_256",
    last_column: column::k_aes::MODE,
    settable: &[],
};

/// `symmetric_mode_media`: XTS.
const XTS: u64 = 7;

pub(super) fn rows(plan: &Plan<'_>) -> Vec<Row> {
    locking::ranges(plan.profile)
        .map(|range| {
            Row::new(uid::k_aes_256(range))
                .with(column::k_aes::NAME, name(range).as_str())
                .with(column::k_aes::MODE, XTS)
        })
        .collect()
}

fn name(range: RangeNumber) -> String {
    match range {
        RangeNumber::GLOBAL => "K_AES_256_GlobalRange_Key".to_owned(),
        RangeNumber(number) => format!("K_AES_256_Range{number}_Key"),
    }
}

/// The range whose key this row holds.
pub(crate) fn range_of(row: Uid) -> Option<RangeNumber> {
    (row.table() == uid::K_AES_256).then(|| locking::range_of(uid::LOCKING.row(row.low())))?
}
