//! Table `ACE` (\[Core\] 5.3.2.8, \[Opal\] 4.2.1.7, 4.3.1.7; \[PSID\] 4.1; \[DataStore\] 4.3).

mod admin_sp;

use super::{Plan, Row, Schema, Type, authority, byte_table, locking, single_user};
use crate::spec::{RangeNumber, Uid, column, uid};
use crate::vdrive::tper::cell::{Cell, Term};

pub(super) use admin_sp::admin_sp;

pub(super) const SCHEMA: Schema = Schema {
    table: uid::ACE,
    name: "ACE",
    last_column: column::ace::COLUMNS,
    settable: &[(column::ace::BOOLEAN_EXPR, Type::Expression)],
};

/// A row of the table, and whether its BooleanExpr may be set.
pub(super) struct Ace {
    /// The row.
    pub(super) uid: Uid,
    name: String,
    /// The expression is true if one of these is authenticated.
    authorities: Vec<Uid>,
    /// The columns that it grants; none stands for all.
    columns: Vec<u64>,
    /// AccessControl lets Admins set the expression.
    pub(super) settable: bool,
}

impl Ace {
    /// The ACE for these authorities, and nobody may change that.
    pub(super) fn only_for(self, authorities: &[Uid]) -> Self {
        Self {
            authorities: authorities.to_vec(),
            settable: false,
            ..self
        }
    }
}

pub(super) const ANYBODY: Uid = uid::ACE.row(0x01);
pub(super) const ADMIN: Uid = uid::ACE.row(0x02);

pub(super) const SET_ENABLED: Uid = uid::ACE.row(0x0003_0001);
pub(super) const SP_SID: Uid = uid::ACE.row(0x0003_0002);
pub(super) const TPER_INFO_SET_RESET: Uid = uid::ACE.row(0x0003_0003);
pub(super) const SP_PSID: Uid = uid::ACE.row(0x0001_00e0);
pub(super) const C_PIN_GET_PSID_NOPIN: Uid = uid::ACE.row(0x0001_00e1);
pub(super) const C_PIN_SID_GET_NOPIN: Uid = uid::ACE.row(0x8c02);
pub(super) const C_PIN_SID_SET_PIN: Uid = uid::ACE.row(0x8c03);
pub(super) const C_PIN_MSID_GET_PIN: Uid = uid::ACE.row(0x8c04);
pub(super) const DATA_REMOVAL_SET: Uid = uid::ACE.row(0x0005_0001);

pub(super) const ANYBODY_GET_COMMON_NAME: Uid = uid::ACE.row(0x03);
pub(super) const ADMINS_SET_COMMON_NAME: Uid = uid::ACE.row(0x04);
pub(super) const ACE_GET_ALL: Uid = uid::ACE.row(0x0003_8000);
pub(super) const ACE_SET_EXPRESSION: Uid = uid::ACE.row(0x0003_8001);
pub(super) const AUTHORITY_GET_ALL: Uid = uid::ACE.row(0x0003_9000);
pub(super) const AUTHORITY_SET_ENABLED: Uid = uid::ACE.row(0x0003_9001);
pub(super) const C_PIN_ADMINS_GET_NOPIN: Uid = uid::ACE.row(0x0003_a000);
/// The same number in both SPs.
pub(super) const C_PIN_ADMINS_SET_PIN: Uid = uid::ACE.row(0x0003_a001);
pub(super) const K_AES_MODE: Uid = uid::ACE.row(0x0003_bfff);
pub(super) const GLOBAL_RANGE_ADMINS_SET: Uid = uid::ACE.row(0x0003_f000);
pub(super) const ADMINS_RANGE_START_TO_LOR: Uid = uid::ACE.row(0x0003_f001);
pub(super) const MBR_CONTROL_ADMINS_SET: Uid = uid::ACE.row(0x0003_f800);
pub(super) const MBR_CONTROL_DONE_TO_DOR: Uid = uid::ACE.row(0x0003_f801);

const C_PIN_USER_SET_PIN: u32 = 0x0003_a800;

pub(super) const fn c_pin_user_set_pin(user: u16) -> Uid {
    uid::ACE.row(C_PIN_USER_SET_PIN + user as u32)
}

pub(super) const fn user_set_common_name(user: u16) -> Uid {
    uid::ACE.row(0x0004_4000 + user as u32)
}

pub(super) const fn gen_key(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0003_b800 + range.0 as u32)
}

pub(super) const fn get_range(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0003_d000 + range.0 as u32)
}

pub(super) const fn set_read_locked(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0003_e000 + range.0 as u32)
}

pub(super) const fn set_write_locked(range: RangeNumber) -> Uid {
    uid::ACE.row(0x0003_e800 + range.0 as u32)
}

/// The ACEs of the first 128 DataStore tables stand in one place, those of the others in another
/// (\[DataStore\] 4.3).
pub(super) const fn data_store_get(number: u16) -> Uid {
    let base = if number <= 128 {
        0x0003_fc00
    } else {
        0x0004_5000
    };
    uid::ACE.row(base + 2 * (number as u32).saturating_sub(1))
}

pub(super) const fn data_store_set(number: u16) -> Uid {
    let get = data_store_get(number);
    get.table().row(get.low() + 1)
}

/// Everything of a C_PIN but its PIN.
const NO_PIN: &[u64] = &[
    column::UID,
    column::c_pin::CHAR_SET,
    column::c_pin::TRY_LIMIT,
    column::c_pin::TRIES,
    column::c_pin::PERSISTENCE,
];

pub(super) fn rows(aces: &[Ace]) -> Vec<Row> {
    aces.iter()
        .map(|ace| {
            let columns = Cell::set(ace.columns.iter().copied());
            Row::new(ace.uid)
                .with(column::ace::NAME, ace.name.as_str())
                .with(column::ace::BOOLEAN_EXPR, Cell::any_of(&ace.authorities))
                .with(column::ace::COLUMNS, columns)
        })
        .collect()
}

pub(super) fn fixed(
    uid: Uid,
    name: impl Into<String>,
    authorities: &[Uid],
    columns: &[u64],
) -> Ace {
    Ace {
        uid,
        name: name.into(),
        authorities: authorities.to_vec(),
        columns: columns.to_vec(),
        settable: false,
    }
}

fn settable(uid: Uid, name: impl Into<String>, authorities: &[Uid], columns: &[u64]) -> Ace {
    Ace {
        settable: true,
        ..fixed(uid, name, authorities, columns)
    }
}

/// \[Opal\] 4.3.1.7.
pub(super) fn locking_sp(plan: &Plan<'_>) -> Vec<Ace> {
    let mut aces = base_aces();
    aces.extend(authority::users(plan).flat_map(|user| user_aces(plan, user)));
    aces.extend(locking::ranges(plan.profile).flat_map(|range| range_aces(plan, range)));
    aces.extend(range_administration());
    if plan.profile.locking.has_mbr() {
        aces.extend(mbr_control_aces());
    }
    aces.extend(byte_table::data_store_numbers(plan).flat_map(data_store_aces));
    aces.extend(single_user::aces(plan));
    aces
}

fn base_aces() -> Vec<Ace> {
    let admins = &[uid::ADMINS];
    let common_name = &[column::authority::COMMON_NAME];
    let get_common_name = &[column::UID, column::authority::COMMON_NAME];
    let expression = &[column::ace::BOOLEAN_EXPR];
    let enabled = &[column::authority::ENABLED];
    let pin = &[column::c_pin::PIN];
    vec![
        fixed(ANYBODY, "ACE_Anybody", &[uid::ANYBODY], &[]),
        fixed(ADMIN, "ACE_Admin", admins, &[]),
        fixed(
            ANYBODY_GET_COMMON_NAME,
            "ACE_Anybody_Get_CommonName",
            &[uid::ANYBODY],
            get_common_name,
        ),
        fixed(
            ADMINS_SET_COMMON_NAME,
            "ACE_Admins_Set_CommonName",
            admins,
            common_name,
        ),
        settable(ACE_GET_ALL, "ACE_ACE_Get_All", admins, &[]),
        fixed(
            ACE_SET_EXPRESSION,
            "ACE_ACE_Set_BooleanExpression",
            admins,
            expression,
        ),
        settable(AUTHORITY_GET_ALL, "ACE_Authority_Get_All", admins, &[]),
        fixed(
            AUTHORITY_SET_ENABLED,
            "ACE_Authority_Set_Enabled",
            admins,
            enabled,
        ),
        fixed(
            C_PIN_ADMINS_GET_NOPIN,
            "ACE_C_PIN_Admins_Get_All_NOPIN",
            admins,
            NO_PIN,
        ),
        fixed(
            C_PIN_ADMINS_SET_PIN,
            "ACE_C_PIN_Admins_Set_PIN",
            admins,
            pin,
        ),
        fixed(
            K_AES_MODE,
            "ACE_K_AES_Mode",
            &[uid::ANYBODY],
            &[column::k_aes::MODE],
        ),
    ]
}

fn user_aces(plan: &Plan<'_>, user: u16) -> [Ace; 2] {
    let set_pin = settable(
        c_pin_user_set_pin(user),
        format!("ACE_C_PIN_User{user}_Set_PIN"),
        &[uid::ADMINS, uid::user(user)],
        &[column::c_pin::PIN],
    );
    [
        if single_user::is_owner(plan, user) {
            set_pin.only_for(&[uid::user(user)])
        } else {
            set_pin
        },
        settable(
            user_set_common_name(user),
            format!("ACE_User{user}_Set_CommonName"),
            &[uid::ADMINS],
            &[column::authority::COMMON_NAME],
        ),
    ]
}

/// RangeStart to ActiveKey.
const START_TO_KEY: &[u64] = &[3, 4, 5, 6, 7, 8, 9, 10];

fn range_aces(plan: &Plan<'_>, range: RangeNumber) -> [Ace; 4] {
    let admins = &[uid::ADMINS];
    let name = match range {
        RangeNumber::GLOBAL => "GlobalRange".to_owned(),
        RangeNumber(number) => format!("Range{number}"),
    };
    let ace = |uid, name, columns| settable(uid, name, admins, columns);
    let aces = [
        ace(gen_key(range), format!("ACE_K_AES_256_{name}_GenKey"), &[]),
        ace(
            get_range(range),
            format!("ACE_Locking_{name}_Get_RangeStartToActiveKey"),
            START_TO_KEY,
        ),
        ace(
            set_read_locked(range),
            format!("ACE_Locking_{name}_Set_RdLocked"),
            &[column::locking::READ_LOCKED],
        ),
        ace(
            set_write_locked(range),
            format!("ACE_Locking_{name}_Set_WrLocked"),
            &[column::locking::WRITE_LOCKED],
        ),
    ];
    if single_user::has(plan, range) {
        single_user::change(range, aces)
    } else {
        aces
    }
}

fn range_administration() -> [Ace; 2] {
    let admins = &[uid::ADMINS];
    [
        fixed(
            GLOBAL_RANGE_ADMINS_SET,
            "ACE_Locking_GlblRng_Admins_Set",
            admins,
            &[5, 6, 7, 8, 9],
        ),
        fixed(
            ADMINS_RANGE_START_TO_LOR,
            "ACE_Locking_Admins_RangeStartToLOR",
            admins,
            &[3, 4, 5, 6, 7, 8, 9],
        ),
    ]
}

fn mbr_control_aces() -> [Ace; 2] {
    let admins = &[uid::ADMINS];
    let mbr_control = &[
        column::mbr_control::ENABLE,
        column::mbr_control::DONE,
        column::mbr_control::DONE_ON_RESET,
    ];
    let done = &[
        column::mbr_control::DONE,
        column::mbr_control::DONE_ON_RESET,
    ];
    [
        fixed(
            MBR_CONTROL_ADMINS_SET,
            "ACE_MBRControl_Admins_Set",
            admins,
            mbr_control,
        ),
        settable(
            MBR_CONTROL_DONE_TO_DOR,
            "ACE_MBRControl_Set_DoneToDOR",
            admins,
            done,
        ),
    ]
}

fn data_store_aces(number: u16) -> [Ace; 2] {
    let name = match number {
        1 => "DataStore".to_owned(),
        _ => format!("DataStore{number}"),
    };
    let admins = &[uid::ADMINS];
    [
        settable(
            data_store_get(number),
            format!("ACE_{name}_Get_All"),
            admins,
            &[],
        ),
        settable(
            data_store_set(number),
            format!("ACE_{name}_Set_All"),
            admins,
            &[],
        ),
    ]
}

/// True if the TPer supports this expression in an `ACE_C_PIN_UserN_Set_PIN`: "Admins", or "Admins
/// OR UserN" in either order (\[Opal\] 4.3.1.7). Other ACEs take any expression.
pub(crate) fn supports(ace: Uid, terms: &[Term]) -> bool {
    let Some(user) = user_of_c_pin_ace(ace) else {
        return true;
    };
    let (admins, user) = (Term::Authority(uid::ADMINS), Term::Authority(user));
    terms == [admins] || terms == [admins, user, Term::Or] || terms == [user, admins, Term::Or]
}

fn user_of_c_pin_ace(ace: Uid) -> Option<Uid> {
    let number = ace.low().checked_sub(C_PIN_USER_SET_PIN)?;
    let is_one = ace.table() == uid::ACE && (1..0x0800).contains(&number);
    let number = u16::try_from(number).ok()?;
    is_one.then(|| uid::user(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aces_have_the_numbers_of_the_ssc() {
        // [Opal] 4.3.1.7, [DataStore] 4.3.
        let range1 = RangeNumber(1);
        assert_eq!(c_pin_user_set_pin(2), Uid(0x0000_0008_0003_a802));
        assert_eq!(gen_key(RangeNumber::GLOBAL), Uid(0x0000_0008_0003_b800));
        assert_eq!(get_range(range1), Uid(0x0000_0008_0003_d001));
        assert_eq!(set_read_locked(range1), Uid(0x0000_0008_0003_e001));
        assert_eq!(set_write_locked(range1), Uid(0x0000_0008_0003_e801));
        assert_eq!(user_set_common_name(3), Uid(0x0000_0008_0004_4003));
        assert_eq!(data_store_get(1), Uid(0x0000_0008_0003_fc00));
        assert_eq!(data_store_set(2), Uid(0x0000_0008_0003_fc03));
        assert_eq!(data_store_set(128), Uid(0x0000_0008_0003_fcff));
        assert_eq!(data_store_get(129), Uid(0x0000_0008_0004_5100));
        assert_eq!(data_store_set(193), Uid(0x0000_0008_0004_5181));
    }

    #[test]
    fn a_users_pin_ace_takes_two_expressions() {
        let ace = c_pin_user_set_pin(2);
        let term = Term::Authority;
        let (admins, user) = (term(uid::ADMINS), term(uid::user(2)));
        assert!(supports(ace, &[admins]));
        assert!(supports(ace, &[admins, user, Term::Or]));
        assert!(supports(ace, &[user, admins, Term::Or]));
        assert!(!supports(ace, &[user]));
        assert!(!supports(ace, &[admins, term(uid::USER1), Term::Or]));
        assert!(!supports(ace, &[admins, user, Term::And]));
        assert!(supports(set_read_locked(RangeNumber(1)), &[user]));
    }
}
