//! The methods of single user mode (\[Single User Mode\] 4.3): Activate and Reactivate with its
//! parameters. Erase stands with the other methods.

use super::{Error, Session};
use crate::spec::method::{self, parameter};
use crate::spec::{Uid, uid};
use crate::wire::{MethodCall, Value};

/// Which Locking objects are to be in single user mode (`SingleUserModeSelectionList`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every one: the table stands for its rows.
    Table,
    /// These.
    Objects(Vec<Uid>),
}

/// Who gives ranges in single user mode their places (`RangeStartRangeLengthPolicy`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// The User of the range, 0: what a TPer takes where the parameter is left out.
    User,
    /// Admins, 1.
    Admins,
}

impl Policy {
    /// The number on the wire.
    #[must_use]
    pub const fn number(self) -> u64 {
        match self {
            Self::User => 0,
            Self::Admins => 1,
        }
    }
}

impl Selection {
    fn value(&self) -> Value {
        match self {
            Self::Table => uid::LOCKING.into(),
            Self::Objects(objects) => Value::list(objects.iter().map(|object| (*object).into())),
        }
    }
}

impl Session<'_> {
    /// Activate: takes an SP out of Manufactured-Inactive, with Locking objects in single user mode, if there is a selection, with a policy, if
    /// there is one, and with DataStore tables of these sizes in bytes, if there are any
    /// (\[DataStore\] 5.1).
    ///
    /// # Errors
    /// As [`Session::call`]: [`Error::Status`] with INVALID_PARAMETER from a TPer that does not know
    /// a parameter.
    pub fn activate(
        &mut self,
        sp: Uid,
        selection: Option<&Selection>,
        policy: Option<Policy>,
        table_sizes: &[u64],
    ) -> Result<(), Error> {
        let call = with(MethodCall::new(sp, method::ACTIVATE), selection, policy);
        self.call(&with_tables(call, table_sizes)).map(|_| ())
    }

    /// Reactivate: other Locking objects in single user mode, or none. The TPer ends the session.
    ///
    /// # Warning
    /// Users lose their PINs and their rights.
    ///
    /// # Errors
    /// As [`Session::call`]; the session is still open then. [`Error::Status`] with FAIL while a
    /// range has locks enabled.
    pub fn reactivate(
        &mut self,
        selection: Option<&Selection>,
        policy: Option<Policy>,
    ) -> Result<(), Error> {
        let call = MethodCall::new(uid::THIS_SP, method::REACTIVATE);
        self.call(&with(call, selection, policy)).map(|_| ())
    }
}

fn with(mut call: MethodCall, selection: Option<&Selection>, policy: Option<Policy>) -> MethodCall {
    if let Some(selection) = selection {
        let list = parameter::SINGLE_USER_MODE_SELECTION_LIST;
        call = call.optional(list, selection.value());
    }
    if let Some(policy) = policy {
        let number = parameter::RANGE_START_RANGE_LENGTH_POLICY;
        call = call.optional(number, policy.number());
    }
    call
}

fn with_tables(call: MethodCall, sizes: &[u64]) -> MethodCall {
    if sizes.is_empty() {
        return call;
    }
    let list = Value::list(sizes.iter().copied().map(Value::Uint));
    call.optional(parameter::ACTIVATE_DATA_STORE_TABLE_SIZES, list)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::testing::{frame, tokens};
    use crate::spec::RangeNumber;

    #[test]
    fn the_calls_are_those_of_the_reference() {
        let range = Selection::Objects(vec![uid::locking_range(RangeNumber(1))]);
        let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
        let activate = with(activate, Some(&range), Some(Policy::Admins));
        assert_eq!(tokens(&activate.encode()), frame("7.48.1"));
    }

    #[test]
    fn the_whole_table_is_one_reference_and_no_policy_is_that_of_the_user() {
        let reactivate = MethodCall::new(uid::THIS_SP, method::REACTIVATE);
        let call = with(reactivate, Some(&Selection::Table), None);
        let call = call.optional(parameter::REACTIVATE_ADMIN1_PIN, &b"newadmin"[..]);
        assert_eq!(tokens(&call.encode()), frame("7.48.2"));
    }

    /// Reference 5.9.1: number 0x060002 in an atom of three bytes, and a list of sizes.
    #[test]
    fn table_sizes_are_a_list_of_activate() {
        let activate = MethodCall::new(uid::LOCKING_SP, method::ACTIVATE);
        let call = with_tables(activate.clone(), &[4096, 10]).encode();
        let expected = [0xf2, 0x83, 6, 0, 2, 0xf0, 0x82, 0x10, 0, 0x0a, 0xf1, 0xf3];
        assert!(call.windows(expected.len()).any(|bytes| bytes == expected));
        assert_eq!(
            with_tables(activate.clone(), &[]).encode(),
            activate.encode()
        );
    }

    #[test]
    fn no_list_switches_the_mode_off() {
        let reactivate = MethodCall::new(uid::THIS_SP, method::REACTIVATE);
        assert_eq!(
            with(reactivate.clone(), None, None).encode(),
            reactivate.encode()
        );
    }
}
