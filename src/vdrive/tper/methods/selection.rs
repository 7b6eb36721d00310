//! The parameters that Activate and Reactivate share: what goes into Single User Mode, and how the
//! DataStore tables are cut (\[Single User Mode\]; \[DataStore\] 5.1; reference 5.9.1, 5.11).

use std::collections::BTreeSet;

use crate::spec::method::parameter::{
    RANGE_START_RANGE_LENGTH_POLICY, SINGLE_USER_MODE_SELECTION_LIST,
};
use crate::spec::{MethodStatus, RangePolicy, uid};
use crate::vdrive::profile::{LockingLimits, Profile, SingleUserPolicy, SingleUserRanges};
use crate::vdrive::tper::arguments::Arguments;
use crate::vdrive::tper::single_user::{Selection, SingleUser};
use crate::vdrive::tper::tables::locking;
use crate::wire::Value;

type Result<T> = std::result::Result<T, MethodStatus>;

const INVALID: MethodStatus = MethodStatus::INVALID_PARAMETER;

/// The numbers of the parameters that the TPer knows, of which the first two are of Single User
/// Mode.
pub(super) fn known(profile: &Profile, others: &[u64]) -> Vec<u64> {
    let mut numbers = Vec::new();
    if profile.has_single_user_mode() {
        numbers.push(SINGLE_USER_MODE_SELECTION_LIST);
        if profile.behaviour.single_user_policy != SingleUserPolicy::Refused {
            numbers.push(RANGE_START_RANGE_LENGTH_POLICY);
        }
    }
    numbers.extend(others);
    numbers
}

/// What the host wants in Single User Mode; nothing, if it does not say.
pub(super) fn single_user(arguments: &Arguments<'_>, profile: &Profile) -> Result<SingleUser> {
    let list = arguments.optional(SINGLE_USER_MODE_SELECTION_LIST);
    let policy = arguments.optional_uint(RANGE_START_RANGE_LENGTH_POLICY)?;
    let policy = policy.map(policy_of).transpose()?;
    let Some(list) = list else {
        // A policy for no ranges.
        return policy.map_or_else(|| Ok(SingleUser::default()), |_| Err(INVALID));
    };
    let asked = selection(list, profile)?;
    let policy = match profile.behaviour.single_user_policy {
        SingleUserPolicy::Ignored => RangePolicy::USER,
        SingleUserPolicy::Honoured | SingleUserPolicy::Refused => {
            policy.unwrap_or(RangePolicy::USER)
        }
    };
    let given = SingleUser::new(asked, policy);
    match profile.behaviour.single_user_ranges {
        SingleUserRanges::All if !given.is_off() => Ok(SingleUser::new(Selection::Table, policy)),
        SingleUserRanges::AsAsked | SingleUserRanges::All => Ok(given),
    }
}

fn policy_of(number: u64) -> Result<RangePolicy> {
    match u8::try_from(number).map(RangePolicy) {
        Ok(policy @ (RangePolicy::USER | RangePolicy::ADMINS)) => Ok(policy),
        _ => Err(INVALID),
    }
}

/// The Locking table, or a list of its rows, each once and with a User to own it.
fn selection(value: &Value, profile: &Profile) -> Result<Selection> {
    if value.as_uid() == Some(uid::LOCKING) {
        return Ok(Selection::Table);
    }
    let mut ranges = BTreeSet::new();
    for row in value.as_list().ok_or(INVALID)? {
        let range = row.as_uid().and_then(locking::range_of).ok_or(INVALID)?;
        let exists = locking::owned_ranges(profile).any(|owned| owned == range);
        if !exists || !ranges.insert(range.0) {
            return Err(INVALID);
        }
    }
    Ok(Selection::Ranges(ranges))
}

/// The sizes of the DataStore tables that the host wants.
pub(super) fn data_store_sizes(
    arguments: &Arguments<'_>,
    number: u64,
    limits: &LockingLimits,
) -> Result<Option<Vec<u64>>> {
    let sizes = arguments.optional(number);
    sizes.map(|sizes| table_sizes(sizes, limits)).transpose()
}

fn table_sizes(sizes: &Value, limits: &LockingLimits) -> Result<Vec<u64>> {
    let sizes: Option<Vec<u64>> = sizes
        .as_list()
        .and_then(|sizes| sizes.iter().map(Value::as_uint).collect());
    let sizes = sizes.ok_or(INVALID)?;
    let sum = sizes
        .iter()
        .try_fold(0_u64, |sum, size| sum.checked_add(*size));
    let fits = sum.is_some_and(|sum| sum <= limits.data_store_size)
        && sizes.len() <= usize::from(limits.data_store_tables);
    if !fits {
        return Err(MethodStatus::INSUFFICIENT_SPACE);
    }
    let alignment = u64::from(limits.data_store_alignment);
    let is_aligned = sizes
        .iter()
        .all(|size| *size > 0 && size.is_multiple_of(alignment));
    if sizes.is_empty() || !is_aligned {
        return Err(INVALID);
    }
    Ok(sizes)
}
