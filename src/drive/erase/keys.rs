//! New keys within a session: which ranges there are, and which method each of them takes.
//!
//! In single user mode an Admin may not touch a range's key, but may take the range from its User
//! with the method Erase; the User replaces the key as anywhere else.

use super::super::error::At;
use super::super::range;
use super::super::{
    Authority, Error, LockingRange, SingleUserMode, SingleUserRanges, Step, Witness,
};
use super::{EraseMethod, EraseRequest, ErasedRange};
use crate::session::{self, Session};
use crate::spec::{MethodStatus, RangeNumber, Uid, uid};

/// The ranges that were handled, and why no further one was.
type Erased = (Vec<ErasedRange>, Option<Error>);

/// Whether all ranges must be known: all shall be erased, or the one that the others leave.
pub(super) fn needs_all(request: &EraseRequest) -> bool {
    request.ranges.is_empty() || request.ranges.contains(&RangeNumber::GLOBAL)
}

/// An erase that is being carried out.
pub(super) struct Erasing<'s, 't> {
    session: &'s mut Session<'t>,
    acting: Authority,
    single_users: SingleUserRanges,
}

impl<'s, 't> Erasing<'s, 't> {
    /// Begins; with a look at the ranges that are in single user mode, if there are any.
    pub(super) fn new(
        session: &'s mut Session<'t>,
        acting: Authority,
        at_a_glance: Option<SingleUserMode>,
    ) -> Result<Self, Error> {
        let single_users = SingleUserMode::known(session, at_a_glance)?.ranges;
        Ok(Self {
            session,
            acting,
            single_users,
        })
    }

    /// Shows the ranges to the witness, and erases those that were asked for.
    pub(super) fn run(
        &mut self,
        request: &EraseRequest,
        witness: Witness<'_>,
    ) -> Result<Erased, Error> {
        let seen = self.look(request)?;
        witness(&seen);
        let is_asked = |range: &&LockingRange| {
            request.ranges.is_empty() || request.ranges.contains(&range.number)
        };
        let mut erased = Vec::new();
        for range in seen.iter().filter(is_asked) {
            let (by, error) = match self.erase(range) {
                Ok(by) => (Some(by), None),
                Err(error) if error.concerns_one_range() => (None, Some(error)),
                Err(error) => return Ok((erased, Some(error))),
            };
            erased.push(ErasedRange {
                range: range.number,
                by,
                error,
            });
        }
        Ok((erased, None))
    }

    /// The ranges that the witness is shown. An Admin sees each range that exists, so that no key is
    /// replaced where one that was named does not.
    fn look(&mut self, request: &EraseRequest) -> Result<Vec<LockingRange>, Error> {
        let mut numbers = request.ranges.clone();
        if needs_all(request) {
            numbers.extend(range::numbers(self.session)?);
        }
        numbers.sort_unstable();
        numbers.dedup();
        let (is_admin, acting) = (self.is_admin(), self.acting);
        let seen = numbers.into_iter().map(|number| match is_admin {
            true => {
                let read = range::read(self.session, number, Step::ReadRange, acting);
                read.map(|(_, range)| range)
            }
            false => range::show(self.session, number),
        });
        seen.collect()
    }

    const fn is_admin(&self) -> bool {
        matches!(self.acting, Authority::Admin(_))
    }

    fn erase(&mut self, range: &LockingRange) -> Result<(EraseMethod, Uid), Error> {
        if self.is_admin() && self.single_users.include(range.number) {
            let erased = self.session.erase(range.uid);
            let erased = erased.at_as(Step::Erase, self.acting);
            return erased.map(|()| (EraseMethod::Erase, range.uid));
        }
        let key = self.replace_key(range)?;
        Ok((EraseMethod::GenKey, key))
    }

    /// GenKey of the range's key. Who may not see which object holds it may still replace it: it is
    /// one of two, and one that does not exist is refused.
    fn replace_key(&mut self, range: &LockingRange) -> Result<Uid, Error> {
        let (number, acting) = (range.number, self.acting);
        if let Some(key) = range.active_key {
            let replaced = self.session.gen_key(key);
            return range::unless_missing(replaced, number, Step::GenKey, acting).map(|()| key);
        }
        let (first, second) = (uid::k_aes_256(number), uid::k_aes_128(number));
        match self.session.gen_key(first) {
            Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => {
                let replaced = self.session.gen_key(second);
                range::unless_missing(replaced, number, Step::GenKey, acting).map(|()| second)
            }
            replaced => replaced.at_as(Step::GenKey, acting).map(|()| first),
        }
    }
}
