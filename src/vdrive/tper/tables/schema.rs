//! Which columns a table has, and what a host may set in them (\[Core\] 5.1.3, 5.3.3.7).

use super::locking_info;
use crate::spec::{MethodStatus, Uid, uid};
use crate::vdrive::profile::Profile;
use crate::vdrive::tper::cell::{Cell, Term};
use crate::wire::Value;

/// The columns of one object table.
pub(crate) struct Schema {
    /// The table.
    pub(crate) table: Uid,
    /// Its name, as in column Name of table Table.
    pub(crate) name: &'static str,
    /// The number of its last column.
    pub(crate) last_column: u64,
    /// The columns that a host may set, if an ACE lets it.
    pub(crate) settable: &'static [(u64, Type)],
}

/// What a host may set in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    /// 0 or 1.
    Boolean,
    /// A number of logical blocks, or the address of one (`uinteger_8`).
    Lba,
    /// At most 32 bytes (`name`, `max_bytes_32`).
    Name,
    /// At most 32 bytes (`password`).
    Password,
    /// A set of resets that the TPer supports (`reset_types`, \[Opal\] 4.3.5.2.2).
    ResetTypes,
    /// A postfix expression (`AC_element`).
    Expression,
    /// A mechanism that the TPer supports (`data_removal_mechanism`).
    DataRemovalMechanism,
}

/// Most bytes of a name or a PIN.
const MAX_NAME: usize = 32;

/// Elements that a `BooleanExpr` may have at least; \[Opal\] 4.3.1.7 requires 23.
const MAX_TERMS: usize = 64;

/// True if the drive has the `data_removal_mechanism`.
fn is_supported(number: u64, profile: &Profile) -> bool {
    let mut removals = profile.removals();
    removals.any(|removal| u64::from(removal.mechanism.0) == number)
}

impl Schema {
    /// The numbers of the columns on a drive of this model, in ascending order.
    pub(crate) fn columns(&self, profile: &Profile) -> Vec<u64> {
        let has_more = self.table == uid::LOCKING_INFO_TABLE && profile.has_single_user_mode();
        let more = if has_more {
            locking_info::SINGLE_USER_MODE
        } else {
            &[]
        };
        (0..=self.last_column).chain(more.iter().copied()).collect()
    }

    /// The type of a column that a host may set.
    pub(crate) fn settable(&self, column: u64) -> Option<Type> {
        let found = self.settable.iter().find(|(number, _)| *number == column);
        found.map(|(_, kind)| *kind)
    }
}

impl Type {
    /// The cell that a value of Set stands for.
    ///
    /// # Errors
    /// INVALID_PARAMETER if the value has the wrong type, is out of range or not supported.
    pub(crate) fn cell(self, value: &Value, profile: &Profile) -> Result<Cell, MethodStatus> {
        let cell = match self {
            Self::Boolean => value.as_bool().map(Cell::from),
            Self::Lba => value.as_uint().map(Cell::Uint),
            Self::Name | Self::Password => short_bytes(value),
            Self::ResetTypes => reset_types(value, profile),
            Self::Expression => expression(value, max_terms(profile)),
            Self::DataRemovalMechanism => value
                .as_uint()
                .filter(|&number| is_supported(number, profile))
                .map(Cell::Uint),
        };
        cell.ok_or(MethodStatus::INVALID_PARAMETER)
    }
}

fn short_bytes(value: &Value) -> Option<Cell> {
    let bytes = value.as_bytes()?;
    (bytes.len() <= MAX_NAME).then(|| Cell::bytes(bytes))
}

/// {0}, {0, 3}, and with a hardware reset {0, 1}, {0, 1, 3}; nothing else.
fn reset_types(value: &Value, profile: &Profile) -> Option<Cell> {
    const POWER_CYCLE: u64 = 0;
    const HARDWARE: u64 = 1;
    const PROGRAMMATIC: u64 = 3;
    let values = value.as_list()?;
    let numbers: Option<Vec<u64>> = values.iter().map(Value::as_uint).collect();
    let cell = Cell::set(numbers?);
    let set = cell.as_set()?;
    let supported = set.iter().all(|&reset| match reset {
        POWER_CYCLE | PROGRAMMATIC => true,
        HARDWARE => profile.hardware_reset_locks,
        _ => false,
    });
    let holds = supported && set.contains(&POWER_CYCLE) && set.len() == values.len();
    holds.then_some(cell)
}

/// Most elements of a `BooleanExpr`: enough to join Admins and every User by OR.
fn max_terms(profile: &Profile) -> usize {
    (2 * usize::from(profile.locking.users) + 1).max(MAX_TERMS)
}

fn expression(value: &Value, max_terms: usize) -> Option<Cell> {
    let values = value.as_list()?;
    if values.len() > max_terms {
        return None;
    }
    let terms: Option<Vec<Term>> = values.iter().map(Term::from_value).collect();
    let terms = terms?;
    is_well_formed(&terms).then_some(Cell::Expression(terms))
}

/// True if a postfix evaluation finds its operands and leaves one value. An empty expression is
/// well formed, and never true.
fn is_well_formed(terms: &[Term]) -> bool {
    let mut depth = 0_usize;
    for term in terms {
        let (takes, gives) = match term {
            Term::Authority(_) => (0, 1),
            Term::Not => (1, 1),
            Term::And | Term::Or => (2, 1),
        };
        let Some(left) = depth.checked_sub(takes) else {
            return false;
        };
        depth = left + gives;
    }
    depth == 1 || terms.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(kind: Type, value: impl Into<Value>) -> bool {
        kind.cell(&value.into(), &Profile::opal2()).is_ok()
    }

    #[test]
    fn booleans_are_0_or_1() {
        // Reference 5.13 (certification test ETC-17): 2, AAAAh and bytes are refused.
        assert!(accepts(Type::Boolean, 0_u64));
        assert!(accepts(Type::Boolean, 1_u64));
        assert!(!accepts(Type::Boolean, 2_u64));
        assert!(!accepts(Type::Boolean, 0xaaaa_u64));
        assert!(!accepts(Type::Boolean, "1"));
    }

    #[test]
    fn reset_types_are_the_sets_that_the_ssc_allows() {
        // [Opal] 4.3.5.2.2: {0} and {0, 3} mandatory, {0, 1} and {0, 1, 3} optional.
        let set = |numbers: &[u64]| Value::list(numbers.iter().copied().map(Value::Uint));
        for allowed in [&[0][..], &[0, 3], &[3, 0], &[0, 1], &[0, 1, 3]] {
            assert!(accepts(Type::ResetTypes, set(allowed)), "{allowed:?}");
        }
        for refused in [&[][..], &[1], &[3], &[1, 3], &[0, 2], &[0, 0], &[0, 16]] {
            assert!(!accepts(Type::ResetTypes, set(refused)), "{refused:?}");
        }
        assert!(!accepts(Type::ResetTypes, 0_u64));
        let mut profile = Profile::opal2();
        profile.hardware_reset_locks = false;
        assert!(Type::ResetTypes.cell(&set(&[0, 1]), &profile).is_err());
    }

    #[test]
    fn pins_and_names_have_32_bytes_at_most() {
        for kind in [Type::Name, Type::Password] {
            assert!(accepts(kind, Value::bytes(&[])));
            assert!(accepts(kind, Value::bytes(&[7; 32])));
            assert!(!accepts(kind, Value::bytes(&[7; 33])));
            assert!(!accepts(kind, 5_u64));
        }
    }

    #[test]
    fn expressions_are_postfix() {
        let authority = |authority| Term::Authority(authority);
        let (admins, user) = (authority(uid::ADMINS), authority(uid::USER1));
        assert!(is_well_formed(&[admins, user, Term::Or]));
        assert!(is_well_formed(&[user]));
        assert!(is_well_formed(&[user, user, Term::Or]));
        assert!(is_well_formed(&[admins, Term::Not, user, Term::And]));
        assert!(is_well_formed(&[]));
        assert!(!is_well_formed(&[admins, user]));
        assert!(!is_well_formed(&[admins, Term::Or]));
        assert!(!is_well_formed(&[Term::Not]));
    }

    #[test]
    fn only_supported_data_removal_is_accepted() {
        // Reference 5.8 (certification test ETC-23).
        assert!(accepts(Type::DataRemovalMechanism, 2_u64));
        for mechanism in [0_u64, 1, 3, 4, 5, 6] {
            assert!(!accepts(Type::DataRemovalMechanism, mechanism));
        }
    }
}
