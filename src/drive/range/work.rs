//! Ranges being changed in a session: read, compared, set, read back.

use super::settings::unlocked;
use super::share::permitted;
use super::{
    Columns, KeyChange, LockingRange, NewRange, Place, RangeChoice, RangeReport, RangeSettings,
    all, differing, first_column, read, read_from,
};
use crate::drive::error::At;
use crate::drive::{
    Authority, Cause, Error, LockOnReset, RangeError, SingleUserError, SingleUserMode, Step,
    owner_of,
};
use crate::session::{self, Session};
use crate::spec::column::locking;
use crate::spec::{MethodStatus, RangeNumber, Uid, uid};
use crate::wire::Value;

/// Ranges being changed in a session.
pub(super) struct Work<'s, 't> {
    session: &'s mut Session<'t>,
    acting: Authority,
    mode: SingleUserMode,
}

impl<'s, 't> Work<'s, 't> {
    /// Begins; with a look at the ranges that are in single user mode, if there may be any.
    pub(super) fn new(
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
    pub(super) fn permitted(
        &self,
        number: RangeNumber,
        columns: &Columns,
        asked: &Columns,
    ) -> Result<Columns, Error> {
        let permitted = permitted(&self.mode, number, self.acting, columns, asked);
        permitted.map_err(|error| Error::at(Step::SetRange, Cause::SingleUser(error)))
    }

    pub(super) fn create(
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
            Some(0) if place_of(columns).is_some() => replace_key(self.session, &before)?,
            _ => KeyChange::Kept,
        };
        let range = self.set(before.number, columns)?;
        Ok(report(Some(before), range, key))
    }

    pub(super) fn change(
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

/// Gives a range a new key, if it has one that can be replaced.
pub(in crate::drive) fn replace_key(
    session: &mut Session<'_>,
    range: &LockingRange,
) -> Result<KeyChange, Error> {
    let is_key = |key: &Uid| [uid::K_AES_128, uid::K_AES_256].contains(&key.table());
    let Some(key) = range.active_key.filter(is_key) else {
        return Ok(KeyChange::Kept);
    };
    match session.gen_key(key) {
        Ok(()) => Ok(KeyChange::Replaced),
        Err(session::Error::Status(status)) => Ok(KeyChange::Refused(status)),
        Err(error) => Err(error).at(Step::GenKey),
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

const fn is_place((column, _): &(u64, Value)) -> bool {
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
