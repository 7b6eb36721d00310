//! What of a range may be set by who acts, where the range is in single user mode.
//!
//! What was asked for in so many words, and may not be set, is refused; what comes with it by default
//! is left to whom it belongs.

use super::Columns;
use crate::drive::single_user::{Share, SingleUserMode};
use crate::drive::{Authority, Cause, Drive, Error, SingleUserError};
use crate::spec::RangeNumber;
use crate::spec::column::locking;

const fn is_of_place(column: u64) -> bool {
    matches!(
        column,
        locking::RANGE_START | locking::RANGE_LENGTH | locking::COMMON_NAME
    )
}

const fn may_set(share: Share, column: u64) -> bool {
    match share {
        Share::Whole => true,
        Share::Locks => !is_of_place(column),
        Share::Place => is_of_place(column),
        Share::Nothing => false,
    }
}

/// The columns that an authority may set; an error if one that was asked for is not among them.
pub(super) fn permitted(
    mode: &SingleUserMode,
    number: RangeNumber,
    acting: Authority,
    columns: &Columns,
    asked: &Columns,
) -> Result<Columns, SingleUserError> {
    let share = mode.share(number, acting);
    for (column, _) in asked {
        if !may_set(share, *column) {
            let needed = match is_of_place(*column) {
                true => Share::Place,
                false => Share::Locks,
            };
            mode.require(number, acting, needed)?;
        }
    }
    let columns = columns.iter();
    let permitted = columns.filter(|(column, _)| may_set(share, *column));
    Ok(permitted.cloned().collect())
}

impl Drive {
    /// The same by Level 0 Discovery; everything is permitted where it does not tell enough.
    pub(super) fn permitted_at_a_glance(
        &self,
        number: RangeNumber,
        acting: Authority,
        columns: &Columns,
        asked: &Columns,
    ) -> Result<Columns, Error> {
        let mode = self.single_user_mode_at_a_glance().unwrap_or_default();
        let permitted = permitted(&mode, number, acting, columns, asked);
        permitted.map_err(|error| Error::before(Cause::SingleUser(error)))
    }

    /// Refuses drives of other families, and authorities of other SPs.
    pub(in crate::drive) fn require_ranges_as(&self, acting: Authority) -> Result<(), Error> {
        self.require_opal_family()?;
        self.require_active_as(acting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::drive::{RangePolicy, SingleUserRanges};

    const RANGE: RangeNumber = RangeNumber(1);

    fn columns(numbers: &[u64]) -> Columns {
        numbers
            .iter()
            .map(|number| (*number, 0_u64.into()))
            .collect()
    }

    #[test]
    fn what_was_not_asked_for_is_left_to_whom_it_belongs() {
        let mode = SingleUserMode {
            ranges: SingleUserRanges::All,
            policy: RangePolicy::Admins,
        };
        let (all, place, locks) = (columns(&[3, 4, 5, 6]), columns(&[3, 4]), columns(&[5, 6]));
        let (admin, owner) = (Authority::Admin(1), Authority::User(2));
        let may = |acting, asked: &Columns| permitted(&mode, RANGE, acting, &all, asked);
        assert_eq!(may(admin, &place), Ok(place.clone()));
        assert_eq!(may(owner, &locks), Ok(locks.clone()));
        let owned = SingleUserError::Owned {
            range: RANGE,
            owner,
        };
        assert_eq!(may(admin, &all), Err(owned));
        assert_eq!(may(owner, &all), Err(SingleUserError::PlaceOfAdmins(RANGE)));
    }
}
