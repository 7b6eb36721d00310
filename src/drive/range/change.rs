//! Making, changing and giving up ranges.
//!
//! A range has a key of its own, and data do not move with its borders: blocks that come to a range
//! or leave it can no longer be read. So every change of a place needs consent.
//!
//! A range that has no LBAs yet gets a new key before it is placed: nothing can be lost by that, and
//! whatever an earlier range of that number has left on the medium stays unreadable. \[Core\] lets a
//! host do so after placing as well; before it, an interruption leaves nothing half done.

use super::work::{Work, no_place, nothing};
use super::{Columns, NewRange, RangeChange, RangeChoice, RangeReport};
use crate::drive::error::At;
use crate::drive::{Authority, Cause, Credential, Drive, EraseConsent, Error, RangeError, Step};
use crate::spec::RangeNumber;

impl Drive {
    /// Makes a range: with locks, with a new key, and unlocked.
    ///
    /// Can be run again: a range that is there already is only read.
    ///
    /// # Warning
    /// What the blocks of the new range hold can no longer be read.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::Range`] if the place is not free, or if
    /// there is no free range.
    pub fn create_range(
        &mut self,
        new: &NewRange,
        credential: &Credential,
        consent: &EraseConsent,
    ) -> Result<RangeReport, Error> {
        self.require_new_range(new, credential.authority)?;
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let columns = new.columns(self.ssc());
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let mut work = Work::new(&mut session, acting, glance)?;
        let report = work.create(new, &columns)?;
        session.end().at(Step::EndSession)?;
        Ok(report)
    }

    /// Changes a range. What is as asked already is not sent.
    ///
    /// # Warning
    /// Where the place is another one, blocks that come to the range or leave it can no longer be
    /// read.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::ConsentRequired`] if the place is another
    /// one, and there is no consent for this drive.
    pub fn set_range(
        &mut self,
        number: RangeNumber,
        change: &RangeChange,
        credential: &Credential,
        consent: Option<&EraseConsent>,
    ) -> Result<RangeReport, Error> {
        self.require_range_change(number, change, credential.authority)?;
        let has_consent = consent.is_some_and(|consent| consent.is_for(self.identity()));
        let columns = change.settings.columns(change.place);
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let mut work = Work::new(&mut session, acting, glance)?;
        let columns = work.permitted(number, &columns, &columns)?;
        let report = work.change(number, &columns, has_consent)?;
        session.end().at(Step::EndSession)?;
        Ok(report)
    }

    /// Gives ranges up: no LBAs, no locks. Their blocks fall to the Global range, their keys stay.
    ///
    /// # Warning
    /// What the blocks of the ranges hold can no longer be read.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::ConsentRequired`] if one has LBAs, and
    /// there is no consent for this drive. Ranges before that one are given up.
    pub fn delete_ranges(
        &mut self,
        numbers: &[RangeNumber],
        credential: &Credential,
        consent: Option<&EraseConsent>,
    ) -> Result<Vec<RangeReport>, Error> {
        self.require_deletion(numbers, credential.authority)?;
        let has_consent = consent.is_some_and(|consent| consent.is_for(self.identity()));
        let acting = credential.authority;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let mut work = Work::new(&mut session, acting, glance)?;
        let mut reports = Vec::new();
        for number in numbers {
            let columns = work.permitted(*number, &nothing(), &no_place())?;
            reports.push(work.change(*number, &columns, has_consent)?);
        }
        session.end().at(Step::EndSession)?;
        Ok(reports)
    }

    pub(super) fn require_new_range(&self, new: &NewRange, acting: Authority) -> Result<(), Error> {
        self.require_ranges_as(acting)?;
        let number = match new.choice {
            RangeChoice::FirstFree => None,
            RangeChoice::Free(number) | RangeChoice::AssumedFree(number) => Some(number),
        };
        self.check_place(number, new.place)?;
        if let Some(number) = number {
            self.permitted_at_a_glance(number, acting, &Columns::new(), &new.asked())?;
        }
        let settings = new.settings.check();
        settings.map_err(|error| Error::before(Cause::Range(error)))
    }

    pub(super) fn require_range_change(
        &self,
        number: RangeNumber,
        change: &RangeChange,
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_ranges_as(acting)?;
        if let Some(place) = change.place {
            self.check_place(Some(number), place)?;
        }
        let columns = change.settings.columns(change.place);
        self.permitted_at_a_glance(number, acting, &columns, &columns)?;
        let settings = change.settings.check();
        settings.map_err(|error| Error::before(Cause::Range(error)))
    }

    pub(super) fn require_deletion(
        &self,
        numbers: &[RangeNumber],
        acting: Authority,
    ) -> Result<(), Error> {
        self.require_ranges_as(acting)?;
        if numbers.contains(&RangeNumber::GLOBAL) {
            return Err(Error::before(Cause::Range(RangeError::Global)));
        }
        for number in numbers {
            self.permitted_at_a_glance(*number, acting, &Columns::new(), &no_place())?;
        }
        Ok(())
    }
}
