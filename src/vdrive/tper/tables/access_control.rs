//! Table `AccessControl`: which ACEs let a method be invoked on an object (\[Core\] 5.3.2.7,
//! \[Opal\] 4.2.1.6, 4.3.1.6; \[PSID\] 4.1; \[Block SID\] has no rows).
//!
//! Its rows cannot be read with Get; GetACL reads them.

use std::collections::BTreeMap;

use super::ace::Ace;
use super::{Plan, Row, Schema, ace, authority, byte_table, c_pin, locking, single_user};
use crate::spec::{RangeNumber, Uid, column, method, uid};

pub(super) const SCHEMA: Schema = Schema {
    table: uid::ACCESS_CONTROL,
    name: "AccessControl",
    last_column: column::access_control::DELETE_METHOD_ACL + 5,
    settable: &[],
};

/// One row: the method may be invoked if one of the ACEs of `acl` is satisfied.
#[derive(Clone, Debug)]
pub(crate) struct Association {
    /// Who may invoke the method.
    pub(crate) acl: Vec<Uid>,
    /// Who may ask for `acl` with GetACL.
    pub(crate) get_acl_acl: Vec<Uid>,
}

type Rows = BTreeMap<Uid, Row>;

/// The rows that are being collected.
#[derive(Default)]
pub(super) struct Matrix(BTreeMap<(Uid, Uid), Association>);

impl Matrix {
    /// Puts in a row, or replaces it.
    pub(super) fn allow(&mut self, invoking_id: Uid, method_id: Uid, acl: &[Uid]) {
        let association = Association {
            acl: acl.to_vec(),
            get_acl_acl: vec![ace::ANYBODY],
        };
        self.0.insert((invoking_id, method_id), association);
    }

    fn allow_each(&mut self, invoking_ids: &[Uid], method_id: Uid, acl: &[Uid]) {
        for invoking_id in invoking_ids {
            self.allow(*invoking_id, method_id, acl);
        }
    }

    /// Get of every row of the tables.
    fn get_rows(&mut self, rows: &Rows, tables: &[Uid], acl: &[Uid]) {
        for &row in rows.keys().filter(|row| tables.contains(&row.table())) {
            self.allow(row, method::GET, acl);
        }
    }
}

/// \[Opal\] 4.2.1.6.
pub(super) fn admin_sp(rows: &Rows) -> BTreeMap<(Uid, Uid), Association> {
    let mut matrix = Matrix::default();
    let anybody = &[ace::ANYBODY];
    matrix.allow(uid::THIS_SP, method::AUTHENTICATE, anybody);
    matrix.allow(uid::THIS_SP, method::RANDOM, anybody);
    matrix.allow_each(ADMIN_NEXT, method::NEXT, anybody);
    matrix.get_rows(rows, ADMIN_GET, anybody);

    let enabled = &[ace::SET_ENABLED];
    matrix.allow_each(&[uid::MAKERS, uid::ADMIN_SP_ADMIN1], method::SET, enabled);

    let no_pin = &[ace::C_PIN_SID_GET_NOPIN];
    matrix.allow_each(
        &[uid::C_PIN_SID, c_pin::ADMIN_SP_ADMIN1],
        method::GET,
        no_pin,
    );
    matrix.allow(uid::C_PIN_MSID, method::GET, &[ace::C_PIN_MSID_GET_PIN]);
    matrix.allow(c_pin::PSID, method::GET, &[ace::C_PIN_GET_PSID_NOPIN]);
    matrix.allow(uid::C_PIN_SID, method::SET, &[ace::C_PIN_SID_SET_PIN]);
    matrix.allow(
        c_pin::ADMIN_SP_ADMIN1,
        method::SET,
        &[ace::C_PIN_ADMINS_SET_PIN],
    );

    matrix.allow(uid::TPER_INFO, method::SET, &[ace::TPER_INFO_SET_RESET]);
    if rows.contains_key(&uid::DATA_REMOVAL_MECHANISM) {
        let set = &[ace::DATA_REMOVAL_SET];
        matrix.allow(uid::DATA_REMOVAL_MECHANISM, method::SET, set);
    }

    matrix.allow_each(
        &[uid::ADMIN_SP, uid::LOCKING_SP],
        method::ACTIVATE,
        &[ace::SP_SID],
    );
    let owners = [ace::SP_SID, ace::ADMIN, ace::SP_PSID];
    matrix.allow(uid::ADMIN_SP, method::REVERT, &owners);
    matrix.allow(uid::LOCKING_SP, method::REVERT, &[ace::SP_SID, ace::ADMIN]);
    matrix.0
}

const ADMIN_NEXT: &[Uid] = &[
    uid::TABLE,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::ACE,
    uid::AUTHORITY,
    uid::C_PIN,
    uid::TEMPLATE,
    uid::SP,
];

/// Anybody may read the rows of these.
const ADMIN_GET: &[Uid] = &[
    uid::TABLE,
    uid::SP_INFO,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::ACE,
    uid::AUTHORITY,
    uid::TEMPLATE,
    uid::SP,
    uid::TPER_INFO_TABLE,
    uid::DATA_REMOVAL_MECHANISM_TABLE,
];

/// \[Opal\] 4.3.1.6.
pub(super) fn locking_sp(
    plan: &Plan<'_>,
    rows: &Rows,
    aces: &[Ace],
) -> BTreeMap<(Uid, Uid), Association> {
    let mut matrix = Matrix::default();
    let anybody = &[ace::ANYBODY];
    matrix.allow(uid::THIS_SP, method::AUTHENTICATE, anybody);
    matrix.allow(uid::THIS_SP, method::RANDOM, anybody);
    matrix.allow(uid::THIS_SP, method::REVERT_SP, &[ace::ADMIN]);
    matrix.allow_each(LOCKING_NEXT, method::NEXT, anybody);
    matrix.get_rows(rows, LOCKING_GET, anybody);
    matrix.get_rows(rows, &[uid::ACE], &[ace::ACE_GET_ALL]);
    matrix.get_rows(rows, &[uid::C_PIN], &[ace::C_PIN_ADMINS_GET_NOPIN]);
    matrix.get_rows(rows, &[uid::K_AES_256], &[ace::K_AES_MODE]);
    let authority = [ace::AUTHORITY_GET_ALL, ace::ANYBODY_GET_COMMON_NAME];
    matrix.get_rows(rows, &[uid::AUTHORITY], &authority);

    for ace in aces.iter().filter(|ace| ace.settable) {
        matrix.allow(ace.uid, method::SET, &[ace::ACE_SET_EXPRESSION]);
    }
    authority::admins(plan).for_each(|number| admin(&mut matrix, number));
    authority::users(plan).for_each(|number| user(&mut matrix, number));
    locking::ranges(plan.profile).for_each(|number| range(&mut matrix, number));
    byte_tables(&mut matrix, plan);
    single_user::change_access(plan, &mut matrix);
    matrix.0
}

const LOCKING_NEXT: &[Uid] = &[
    uid::TABLE,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::ACE,
    uid::AUTHORITY,
    uid::C_PIN,
    uid::SECRET_PROTECT,
    uid::LOCKING,
];

/// Anybody may read the rows of these.
const LOCKING_GET: &[Uid] = &[
    uid::TABLE,
    uid::SP_INFO,
    uid::SP_TEMPLATES,
    uid::METHOD_ID,
    uid::SECRET_PROTECT,
    uid::LOCKING_INFO_TABLE,
    uid::MBR_CONTROL_TABLE,
];

/// Admin1 cannot be disabled.
fn admin(matrix: &mut Matrix, number: u16) {
    let authority = uid::admin(number);
    let set: &[Uid] = match number {
        1 => &[ace::ADMINS_SET_COMMON_NAME],
        _ => &[ace::AUTHORITY_SET_ENABLED, ace::ADMINS_SET_COMMON_NAME],
    };
    matrix.allow(authority, method::SET, set);
    matrix.allow(
        uid::c_pin(authority),
        method::SET,
        &[ace::C_PIN_ADMINS_SET_PIN],
    );
}

fn user(matrix: &mut Matrix, number: u16) {
    let authority = uid::user(number);
    let set = [
        ace::AUTHORITY_SET_ENABLED,
        ace::user_set_common_name(number),
    ];
    matrix.allow(authority, method::SET, &set);
    matrix.allow(
        uid::c_pin(authority),
        method::SET,
        &[ace::c_pin_user_set_pin(number)],
    );
}

fn range(matrix: &mut Matrix, number: RangeNumber) {
    let row = uid::locking_range(number);
    let administration = match number {
        RangeNumber::GLOBAL => ace::GLOBAL_RANGE_ADMINS_SET,
        _ => ace::ADMINS_RANGE_START_TO_LOR,
    };
    let get = [ace::get_range(number), ace::ANYBODY_GET_COMMON_NAME];
    let set = [
        administration,
        ace::set_read_locked(number),
        ace::set_write_locked(number),
        ace::ADMINS_SET_COMMON_NAME,
    ];
    matrix.allow(row, method::GET, &get);
    matrix.allow(row, method::SET, &set);
    matrix.allow(
        uid::k_aes_256(number),
        method::GEN_KEY,
        &[ace::gen_key(number)],
    );
}

fn byte_tables(matrix: &mut Matrix, plan: &Plan<'_>) {
    if plan.profile.locking.has_mbr() {
        let mbr_control = [ace::MBR_CONTROL_ADMINS_SET, ace::MBR_CONTROL_DONE_TO_DOR];
        matrix.allow(uid::MBR_CONTROL, method::SET, &mbr_control);
        matrix.allow(uid::MBR, method::GET, &[ace::ANYBODY]);
        matrix.allow(uid::MBR, method::SET, &[ace::ADMIN]);
    }
    for number in byte_table::data_store_numbers(plan) {
        let table = uid::data_store(number);
        matrix.allow(table, method::GET, &[ace::data_store_get(number)]);
        matrix.allow(table, method::SET, &[ace::data_store_set(number)]);
    }
}
