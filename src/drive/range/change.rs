//! Making, changing and giving up ranges.
//!
//! A range has a key of its own, and data do not move with its borders: blocks that come to a range
//! or leave it can no longer be read. So every change of a place needs consent.
//!
//! A range that has no LBAs yet gets a new key before it is placed: nothing can be lost by that, and
//! whatever an earlier range of that number has left on the medium stays unreadable. \[Core\] lets a
//! host do so after placing as well; before it, an interruption leaves nothing half done.

use super::share::permitted;
use super::{Columns, LockingRange, Place, all, differing, first_column, read, read_from};
use crate::drive::error::At;
use crate::drive::{
    Authority, Cause, Credential, Drive, EraseConsent, Error, LockOnReset, RangeError,
    SingleUserError, SingleUserMode, Step, owner_of,
};
use crate::session::{self, Session};
use crate::spec::column::locking;
use crate::spec::{MethodStatus, RangeNumber, Ssc, uid};

/// The longest CommonName in bytes (type `name`, \[Core\] 5.1.3).
const NAME_LIMIT: usize = 32;

/// Settings of a range beside its place. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeSettings {
    /// `ReadLockEnabled`.
    pub read_lock_enabled: Option<bool>,
    /// `WriteLockEnabled`.
    pub write_lock_enabled: Option<bool>,
    /// Resets by which it is locked.
    pub lock_on_reset: Option<LockOnReset>,
    /// `CommonName`, at most 32 bytes.
    pub common_name: Option<String>,
}

/// A range that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewRange {
    /// Which range it is to be.
    pub choice: RangeChoice,
    /// Where it is to be.
    pub place: Place,
    /// What it is to have. Locks that are not mentioned are enabled, and closed by power cycles; none
    /// is closed now.
    pub settings: RangeSettings,
}

/// Which range a new one is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeChoice {
    /// The first that has no LBAs. Every range is read, and compared with the new one.
    FirstFree,
    /// This one, which must have no LBAs.
    Free(RangeNumber),
    /// This one, without reading it first: what it holds is given up. Saves four commands, and keeps
    /// the key that it has.
    AssumedFree(RangeNumber),
}

/// A change of a range. What is `None` stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RangeChange {
    /// Where it is to be; never for the Global range.
    pub place: Option<Place>,
    /// What it is to have.
    pub settings: RangeSettings,
}

/// What became of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RangeReport {
    /// False if it was as asked already.
    pub changed: bool,
    /// As it was; `None` if it was not read.
    pub before: Option<LockingRange>,
    /// As it was read back.
    pub range: LockingRange,
    /// Its media encryption key.
    pub key: KeyChange,
}

/// What became of a media encryption key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KeyChange {
    /// It is the one that the range had.
    Kept,
    /// It is a new one.
    Replaced,
    /// It is the one that the range had: the drive refused to replace it.
    Refused(MethodStatus),
}

impl RangeSettings {
    /// Columns in ascending order, behind those of a place.
    pub(super) fn columns(&self, place: Option<Place>) -> Columns {
        let mut columns = Columns::new();
        let name = self.common_name.as_ref();
        columns.extend(name.map(|name| (locking::COMMON_NAME, name.as_bytes().into())));
        if let Some(Place { start, length }) = place {
            columns.push((locking::RANGE_START, start.into()));
            columns.push((locking::RANGE_LENGTH, length.into()));
        }
        let lock = |column, enabled: Option<bool>| enabled.map(|it| (column, it.into()));
        columns.extend(lock(locking::READ_LOCK_ENABLED, self.read_lock_enabled));
        columns.extend(lock(locking::WRITE_LOCK_ENABLED, self.write_lock_enabled));
        let resets = self.lock_on_reset.map(LockOnReset::value);
        columns.extend(resets.map(|resets| (locking::LOCK_ON_RESET, resets)));
        columns
    }

    fn check(&self) -> Result<(), RangeError> {
        let limit = NAME_LIMIT;
        match self.common_name.as_ref().map(String::len) {
            Some(length) if length > limit => Err(RangeError::Name { length, limit }),
            _ => Ok(()),
        }
    }
}

impl NewRange {
    /// The settings with what a new range has where nothing is said.
    fn completed(&self, ssc: Ssc) -> RangeSettings {
        let mut settings = self.settings.clone();
        settings.read_lock_enabled.get_or_insert(true);
        settings.write_lock_enabled.get_or_insert(true);
        // In Opal 1 it is fixed, and a Set that names it is refused.
        if ssc != Ssc::Opal1 {
            settings.lock_on_reset.get_or_insert_default();
        }
        settings
    }

    /// What was asked for in so many words.
    fn asked(&self) -> Columns {
        self.settings.columns(Some(self.place))
    }

    /// The columns of the range while it is not in use, and those that it has from then on.
    pub(super) fn columns(&self, ssc: Ssc) -> (Columns, Columns) {
        let lasting = self.completed(ssc).columns(Some(self.place));
        let mut first = lasting.clone();
        first.extend(unlocked());
        first.sort_by_key(|(column, _)| *column);
        (first, lasting)
    }
}

fn unlocked() -> Columns {
    vec![
        (locking::READ_LOCKED, false.into()),
        (locking::WRITE_LOCKED, false.into()),
    ]
}

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

/// No place.
pub(super) fn no_place() -> Columns {
    RangeSettings::default().columns(Some(Place::NOWHERE))
}

/// What a range has that is none.
pub(super) fn nothing() -> Columns {
    let settings = RangeSettings {
        read_lock_enabled: Some(false),
        write_lock_enabled: Some(false),
        ..RangeSettings::default()
    };
    let mut columns = settings.columns(Some(Place::NOWHERE));
    columns.extend(unlocked());
    columns
}

/// Ranges being changed in a session.
struct Work<'s, 't> {
    session: &'s mut Session<'t>,
    acting: Authority,
    mode: SingleUserMode,
}

impl<'s, 't> Work<'s, 't> {
    /// Begins; with a look at the ranges that are in single user mode, if there may be any.
    fn new(
        session: &'s mut Session<'t>,
        acting: Authority,
        at_a_glance: Option<SingleUserMode>,
    ) -> Result<Self, Error> {
        let mode = SingleUserMode::known(session, at_a_glance)?;
        Ok(Self {
            session,
            acting,
            mode,
        })
    }

    /// What who acts may set of a range.
    fn permitted(
        &self,
        number: RangeNumber,
        columns: &Columns,
        asked: &Columns,
    ) -> Result<Columns, Error> {
        let permitted = permitted(&self.mode, number, self.acting, columns, asked);
        permitted.map_err(|error| Error::at(Step::SetRange, Cause::SingleUser(error)))
    }

    fn create(
        &mut self,
        new: &NewRange,
        (first, lasting): &(Columns, Columns),
    ) -> Result<RangeReport, Error> {
        let before = match new.choice {
            RangeChoice::AssumedFree(number) => {
                let first = self.permitted(number, first, &new.asked())?;
                let range = self.set(number, &first)?;
                return Ok(report(None, range, KeyChange::Kept));
            }
            RangeChoice::Free(number) => {
                read(self.session, number, Step::ReadRange, self.acting)?.1
            }
            RangeChoice::FirstFree => {
                let ranges = all(self.session)?;
                let may_place = |number| self.permitted(number, first, &new.asked()).is_ok();
                let chosen = choose(&ranges, new.place, may_place);
                chosen.map_err(|error| Error::at(Step::ReadRange, error))?
            }
        };
        let permitted = |columns| self.permitted(before.number, columns, &new.asked());
        match before.place() {
            None => {
                let first = permitted(first)?;
                self.place_new(before, &first)
            }
            // An earlier run has made it.
            Some(place) if place == new.place => {
                let lasting = permitted(lasting)?;
                self.change(before.number, &lasting, true)
            }
            Some(Place { start, length }) => {
                let range = before.number;
                let exists = RangeError::Exists {
                    range,
                    start,
                    length,
                };
                Err(Error::at(Step::ReadRange, Cause::Range(exists)))
            }
        }
    }

    /// Places a range that has no LBAs.
    fn place_new(&mut self, before: LockingRange, columns: &Columns) -> Result<RangeReport, Error> {
        let key = match before.range_length {
            Some(0) if place_of(columns).is_some() => self.replace_key(&before)?,
            _ => KeyChange::Kept,
        };
        let range = self.set(before.number, columns)?;
        Ok(report(Some(before), range, key))
    }

    fn change(
        &mut self,
        number: RangeNumber,
        columns: &Columns,
        has_consent: bool,
    ) -> Result<RangeReport, Error> {
        let first = first_column(columns);
        let at = (Step::ReadRange, self.acting);
        let (row, before) = read_from(self.session, number, first, at)?;
        let missing = differing(&row, columns);
        if missing.is_empty() {
            return Ok(RangeReport {
                changed: false,
                range: before.clone(),
                before: Some(before),
                key: KeyChange::Kept,
            });
        }
        if !missing.iter().any(is_place) {
            let range = self.set(number, &missing)?;
            return Ok(report(Some(before), range, KeyChange::Kept));
        }
        if !has_consent && is_loss(&before, columns) {
            return Err(Error::at(Step::SetRange, Cause::ConsentRequired));
        }
        let sent = |column: &&(u64, _)| is_place(column) || missing.contains(column);
        let columns = columns.iter().filter(sent).cloned().collect();
        self.place_new(before, &columns)
    }

    fn replace_key(&mut self, range: &LockingRange) -> Result<KeyChange, Error> {
        let is_key =
            |key: &crate::spec::Uid| [uid::K_AES_128, uid::K_AES_256].contains(&key.table());
        let Some(key) = range.active_key.filter(is_key) else {
            return Ok(KeyChange::Kept);
        };
        match self.session.gen_key(key) {
            Ok(()) => Ok(KeyChange::Replaced),
            Err(session::Error::Status(status)) => Ok(KeyChange::Refused(status)),
            Err(error) => Err(error).at(Step::GenKey),
        }
    }

    fn set(&mut self, number: RangeNumber, columns: &Columns) -> Result<LockingRange, Error> {
        let set = super::set_and_read_back(self.session, number, columns, self.acting);
        set.map_err(|error| self.explained(number, columns, error))
    }

    /// A TPer refuses a place with INVALID_PARAMETER whatever is wrong with it; the other ranges tell
    /// whether one of them is there.
    fn explained(&mut self, number: RangeNumber, columns: &Columns, error: Error) -> Error {
        let is_refused = error.status() == Some(MethodStatus::INVALID_PARAMETER);
        if !is_refused || error.step() != Some(Step::SetRange) {
            return error;
        }
        let taken = place_of(columns).and_then(|place| {
            let mut others = all(self.session).ok()?;
            others.retain(|other| other.number != number);
            taken(&others, number, place)
        });
        let reason = match taken {
            Some(taken) => taken,
            None if has_optional_resets(columns) => RangeError::Resets(number),
            None => return error,
        };
        Error::at(Step::SetRange, Cause::Range(reason))
    }
}

fn report(before: Option<LockingRange>, range: LockingRange, key: KeyChange) -> RangeReport {
    RangeReport {
        changed: true,
        before,
        range,
        key,
    }
}

/// Whether blocks change their key. Where a range is cannot always be seen.
fn is_loss(before: &LockingRange, columns: &Columns) -> bool {
    let is_seen = before.range_start.is_some() && before.range_length.is_some();
    !is_seen || !Place::rekeyed(before.place(), place_of(columns)).is_empty()
}

const fn is_place((column, _): &(u64, crate::wire::Value)) -> bool {
    matches!(*column, locking::RANGE_START | locking::RANGE_LENGTH)
}

fn place_of(columns: &Columns) -> Option<Place> {
    let value = |wanted| {
        let mut found = columns.iter().filter(|(column, _)| *column == wanted);
        found.next().and_then(|(_, value)| value.as_uint())
    };
    let start = value(locking::RANGE_START)?;
    let length = value(locking::RANGE_LENGTH).filter(|length| *length > 0)?;
    Some(Place { start, length })
}

/// Every drive takes a power cycle, alone or with TPER_RESET; the rest is optional (\[Opal\] 4.3.5.2).
fn has_optional_resets(columns: &Columns) -> bool {
    let always = [
        LockOnReset::PowerCycle,
        LockOnReset::PowerCycleAndProgrammatic,
    ];
    let always = always.map(LockOnReset::value);
    columns
        .iter()
        .any(|(column, value)| *column == locking::LOCK_ON_RESET && !always.contains(value))
}

/// The range that a new one becomes: the one that is there already, or the first without LBAs that
/// who acts may place.
fn choose(
    ranges: &[LockingRange],
    place: Place,
    may_place: impl Fn(RangeNumber) -> bool,
) -> Result<LockingRange, Cause> {
    let others = || ranges.iter().filter(|it| it.number != RangeNumber::GLOBAL);
    if let Some(found) = others().find(|range| range.place() == Some(place)) {
        return Ok(found.clone());
    }
    let free = || others().filter(|range| range.range_length == Some(0));
    let Some(chosen) = free().find(|range| may_place(range.number)) else {
        return Err(match free().next() {
            Some(theirs) => none_to_place(theirs.number),
            None => Cause::Range(RangeError::NoneFree(others().count())),
        });
    };
    match taken(ranges, RangeNumber::GLOBAL, place) {
        Some(taken) => Err(Cause::Range(taken)),
        None => Ok(chosen.clone()),
    }
}

/// Every range without LBAs belongs to somebody else.
fn none_to_place(range: RangeNumber) -> Cause {
    match owner_of(range) {
        Some(owner) => Cause::SingleUser(SingleUserError::Owned { range, owner }),
        None => Cause::Range(RangeError::Missing(range)),
    }
}

/// That one of some ranges has LBAs of a place.
fn taken(ranges: &[LockingRange], number: RangeNumber, place: Place) -> Option<RangeError> {
    let mut placed = ranges
        .iter()
        .filter_map(|range| Some((range.number, range.place()?)));
    let (by, other) = placed.find(|(_, other)| other.overlaps(place))?;
    Some(RangeError::taken(number, by, other))
}
