//! The tables of the Admin SP and of the Locking SP in their original factory state, as data.
//!
//! Each file holds one table: which columns it has, which of them a host may set and to what, and
//! the rows of \[Opal\] 4.2 and 4.3. Nothing here decides who may do what: that is data too, in
//! [`access_control`] and [`ace`].
//!
//! The rows follow from a [`Plan`] and never change while a drive runs. What a host has set is kept
//! apart from them (see `state::Contents`), so that "back to the original factory state" is to
//! forget it.

pub(crate) mod access_control;
pub(crate) mod ace;
pub(crate) mod authority;
pub(crate) mod byte_table;
pub(crate) mod c_pin;
mod data_removal_mechanism;
pub(crate) mod k_aes;
pub(crate) mod locking;
mod locking_info;
mod mbr_control;
mod method_id;
mod row;
mod schema;
mod secret_protect;
mod single_user;
mod sp;
mod sp_info;
mod sp_templates;
mod table;
mod template;
mod tper_info;

use std::collections::BTreeMap;

pub(crate) use access_control::Association;
pub(crate) use byte_table::ByteTable;
pub(crate) use row::Row;
pub(crate) use schema::{Schema, Type};
use serde::{Deserialize, Serialize};

use super::single_user::SingleUser;
use crate::spec::{Uid, uid};
use crate::vdrive::label::Label;
use crate::vdrive::profile::{Profile, SidPin};

/// A Security Provider of the Opal family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum SpId {
    /// The Admin SP.
    Admin,
    /// The Locking SP.
    Locking,
}

impl SpId {
    /// The SP with this UID.
    pub(crate) fn from_uid(uid: Uid) -> Option<Self> {
        [Self::Admin, Self::Locking]
            .into_iter()
            .find(|sp| sp.uid() == uid)
    }

    /// Its UID in table SP.
    pub(crate) const fn uid(self) -> Uid {
        match self {
            Self::Admin => uid::ADMIN_SP,
            Self::Locking => uid::LOCKING_SP,
        }
    }
}

/// What the rows of a drive follow from.
pub(crate) struct Plan<'a> {
    /// The model.
    pub(crate) profile: &'a Profile,
    /// What is unique to the drive.
    pub(crate) label: &'a Label,
    /// What C_PIN_SID holds while the host has not set it.
    pub(crate) initial_pin: SidPin,
    /// Bytes of each DataStore table.
    pub(crate) data_stores: &'a [u64],
    /// What is in Single User Mode.
    pub(crate) single_user: &'a SingleUser,
}

/// One SP in its original factory state.
pub(crate) struct Sp {
    rows: BTreeMap<Uid, Row>,
    byte_tables: BTreeMap<Uid, ByteTable>,
    access: BTreeMap<(Uid, Uid), Association>,
}

/// Both SPs.
pub(crate) struct Catalogue {
    admin: Sp,
    locking: Sp,
}

impl Catalogue {
    /// The tables that follow from a plan.
    pub(crate) fn new(plan: &Plan<'_>) -> Self {
        Self {
            admin: admin_sp(plan),
            locking: locking_sp(plan),
        }
    }

    /// One of the SPs.
    pub(crate) const fn sp(&self, sp: SpId) -> &Sp {
        match sp {
            SpId::Admin => &self.admin,
            SpId::Locking => &self.locking,
        }
    }
}

fn admin_sp(plan: &Plan<'_>) -> Sp {
    let rows = [
        table::admin_rows(plan),
        sp_info::rows(SpId::Admin),
        sp_templates::rows(SpId::Admin),
        method_id::rows(method_id::ADMIN_SP),
        ace::rows(&ace::admin_sp()),
        authority::admin_rows(),
        c_pin::admin_rows(plan),
        tper_info::rows(plan),
        template::rows(),
        sp::rows(),
        data_removal_mechanism::rows(plan),
    ];
    let rows = collect(rows);
    let access = access_control::admin_sp(&rows);
    Sp {
        rows,
        byte_tables: BTreeMap::new(),
        access,
    }
}

fn locking_sp(plan: &Plan<'_>) -> Sp {
    let byte_tables = byte_table::all(plan);
    let aces = ace::locking_sp(plan);
    let rows = [
        table::locking_rows(&byte_tables, plan),
        sp_info::rows(SpId::Locking),
        sp_templates::rows(SpId::Locking),
        method_id::rows(&method_id::locking_sp(plan)),
        ace::rows(&aces),
        authority::locking_rows(plan),
        c_pin::locking_rows(plan),
        secret_protect::rows(),
        locking_info::rows(plan),
        locking::rows(plan),
        mbr_control::rows(plan),
        k_aes::rows(plan),
    ];
    let rows = collect(rows);
    let access = access_control::locking_sp(plan, &rows, &aces);
    Sp {
        rows,
        byte_tables: byte_tables
            .into_iter()
            .map(|table| (table.uid, table))
            .collect(),
        access,
    }
}

fn collect<const N: usize>(rows: [Vec<Row>; N]) -> BTreeMap<Uid, Row> {
    rows.into_iter()
        .flatten()
        .map(|row| (row.uid(), row))
        .collect()
}

impl Sp {
    /// The row with this UID.
    pub(crate) fn row(&self, uid: Uid) -> Option<&Row> {
        self.rows.get(&uid)
    }

    /// The UIDs of the rows of a table, in ascending order.
    pub(crate) fn rows_of(&self, table: Uid) -> impl Iterator<Item = Uid> {
        let last = table.row(u32::MAX);
        self.rows.range(table..=last).map(|(uid, _)| *uid)
    }

    /// The byte table with this UID.
    pub(crate) fn byte_table(&self, uid: Uid) -> Option<&ByteTable> {
        self.byte_tables.get(&uid)
    }

    /// The row of AccessControl for a method on an object (\[Core\] 5.3.2.7).
    pub(crate) fn association(&self, invoking_id: Uid, method_id: Uid) -> Option<&Association> {
        self.access.get(&(invoking_id, method_id))
    }
}

/// The columns of an object table.
pub(crate) fn schema(table: Uid) -> Option<&'static Schema> {
    SCHEMAS.iter().copied().find(|schema| schema.table == table)
}

const SCHEMAS: &[&Schema] = &[
    &table::SCHEMA,
    &sp_info::SCHEMA,
    &sp_templates::SCHEMA,
    &method_id::SCHEMA,
    &access_control::SCHEMA,
    &ace::SCHEMA,
    &authority::SCHEMA,
    &c_pin::SCHEMA,
    &secret_protect::SCHEMA,
    &tper_info::SCHEMA,
    &template::SCHEMA,
    &sp::SCHEMA,
    &data_removal_mechanism::SCHEMA,
    &locking_info::SCHEMA,
    &locking::SCHEMA,
    &mbr_control::SCHEMA,
    &k_aes::SCHEMA,
];

#[cfg(test)]
mod tests {
    use super::*;

    fn catalogue() -> Catalogue {
        let profile = Profile::opal2();
        Catalogue::new(&Plan {
            profile: &profile,
            label: &Label::sample(),
            initial_pin: SidPin::Msid,
            data_stores: &[10 << 20],
            single_user: &SingleUser::default(),
        })
    }

    #[test]
    fn every_row_belongs_to_a_table_and_fits_its_columns() {
        let catalogue = catalogue();
        for sp in [SpId::Admin, SpId::Locking] {
            for (uid, row) in &catalogue.sp(sp).rows {
                let schema = schema(uid.table()).unwrap();
                let columns = schema.columns(&Profile::opal2());
                assert!(row.columns().all(|c| columns.contains(&c)), "{uid:?}");
                let descriptor = schema.table.table_descriptor();
                assert!(catalogue.sp(sp).row(descriptor).is_some(), "{uid:?}");
            }
        }
    }

    #[test]
    fn every_association_names_what_exists() {
        let catalogue = catalogue();
        for sp in [SpId::Admin, SpId::Locking].map(|sp| catalogue.sp(sp)) {
            for ((invoking_id, method_id), association) in &sp.access {
                let exists = *invoking_id == uid::THIS_SP
                    || sp.row(*invoking_id).is_some()
                    || sp.byte_table(*invoking_id).is_some()
                    || sp.row(invoking_id.table_descriptor()).is_some();
                assert!(exists, "{invoking_id:?}");
                assert!(sp.row(*method_id).is_some(), "{method_id:?}");
                let aces = association.acl.iter().chain(&association.get_acl_acl);
                assert!(
                    aces.copied().all(|ace| sp.row(ace).is_some()),
                    "{invoking_id:?}"
                );
            }
        }
    }

    #[test]
    fn the_locking_sp_has_the_rows_of_the_profile() {
        // [Opal] 4.3.5.2: MaxRanges 8 means nine Locking objects.
        let catalogue = catalogue();
        let locking = catalogue.sp(SpId::Locking);
        assert_eq!(locking.rows_of(uid::LOCKING).count(), 9);
        assert_eq!(locking.rows_of(uid::K_AES_256).count(), 9);
        assert_eq!(locking.rows_of(uid::AUTHORITY).count(), 3 + 4 + 9);
        assert_eq!(locking.rows_of(uid::C_PIN).count(), 4 + 9);
        // Reactivate and Erase are of Single User Mode.
        assert_eq!(locking.rows_of(uid::METHOD_ID).count(), 8 + 2);
    }
}
