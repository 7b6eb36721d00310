//! The byte tables `MBR` and `DataStore` (\[Opal\] 4.3.5.4, 4.3.8.1; \[DataStore\] 4.2).

use super::Plan;
use crate::spec::{Uid, uid};
use crate::vdrive::tper::byte_store::AreaName;

/// A byte table, and where its bytes lie in the drive's file.
#[derive(Clone, Debug)]
pub(crate) struct ByteTable {
    /// The table.
    pub(crate) uid: Uid,
    /// Its name.
    pub(crate) name: String,
    /// How many bytes it has.
    pub(crate) rows: u64,
    /// The area that holds them.
    pub(crate) area: AreaName,
    /// Where in the area they begin.
    pub(crate) base: u64,
}

/// The byte tables of the Locking SP.
pub(super) fn all(plan: &Plan<'_>) -> Vec<ByteTable> {
    let mut tables: Vec<_> = mbr(plan).into_iter().collect();
    let mut base = 0_u64;
    for (number, &rows) in (1_u16..).zip(plan.data_stores) {
        tables.push(ByteTable {
            uid: uid::data_store(number),
            name: data_store_name(number),
            rows,
            area: AreaName::DataStore,
            base,
        });
        base = base.saturating_add(rows);
    }
    tables
}

/// The shadow MBR, where there is one.
fn mbr(plan: &Plan<'_>) -> Option<ByteTable> {
    let locking = &plan.profile.locking;
    locking.has_mbr().then(|| ByteTable {
        uid: uid::MBR,
        name: "MBR".to_owned(),
        rows: locking.mbr_size,
        area: AreaName::Mbr,
        base: 0,
    })
}

fn data_store_name(number: u16) -> String {
    match number {
        1 => "DataStore".to_owned(),
        _ => format!("DataStore{number}"),
    }
}

/// The number N of table `DataStoreN`.
pub(super) fn data_store_numbers(plan: &Plan<'_>) -> impl Iterator<Item = u16> + use<> {
    let count = u16::try_from(plan.data_stores.len()).unwrap_or(u16::MAX);
    1..=count
}
