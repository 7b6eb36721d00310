//! Raw access: any object, any column, any method, as any authority of any SP of a Core 2 TPer.
//!
//! Nothing here knows what an object means, so everything that may change one takes a consent.

mod attempt;
mod dump;

pub use dump::{Dump, DumpOptions, DumpedContents, DumpedRow, DumpedTable, RowSource};

use super::byte_table::Portion;
use super::error::At;
use super::login::check_pin;
use super::plan::{MASKED, Plan};
use super::range;
use super::{
    Authority, Cause, Credential, Drive, EraseConsent, Error, Mismatch, PlannedCall, Step,
};
use crate::session::{self, MethodCall, Row, Session};
use crate::spec::{MethodStatus, Ssc, Uid, method, uid};
use crate::wire::Value;

/// A session that is asked for: with which SP, and as whom.
#[derive(Clone, Copy, Debug)]
pub struct RawSession<'a> {
    /// The SP.
    pub sp: Uid,
    /// Who acts; nobody for Anybody.
    pub credential: Option<&'a Credential>,
}

/// What setting columns found and did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RawSetReport {
    /// Columns that were read back and are as asked.
    pub proven: Vec<u64>,
    /// Columns that the authority may not read.
    pub unproven: Vec<u64>,
}

/// A call of a method.
#[derive(Clone, Debug, PartialEq)]
pub struct RawCall {
    /// The object.
    pub object: Uid,
    /// The method.
    pub method: Uid,
    /// Required parameters, then optional ones as named values.
    pub arguments: Vec<Value>,
}

impl RawCall {
    /// Whether the method may change something.
    #[must_use]
    pub fn changes(&self) -> bool {
        !method::READ_ONLY.contains(&self.method)
    }

    fn to_call(&self) -> MethodCall {
        let call = MethodCall::new(self.object, self.method);
        let arguments = self.arguments.iter().cloned();
        arguments.fold(call, MethodCall::argument)
    }
}

impl Drive {
    /// Refuses SSCs that are built on a Core specification before 2.00.
    ///
    /// # Errors
    /// [`super::ErrorCode::NotSupported`].
    pub(super) fn require_core_2(&self) -> Result<(), Error> {
        match self.ssc {
            Ssc::Enterprise => Err(Error::before(Cause::Ssc(self.ssc))),
            _ => Ok(()),
        }
    }

    /// Refuses what cannot be a session with this drive. Nothing is sent.
    ///
    /// # Errors
    /// [`Error`].
    pub fn require_session(&self, sp: Uid, acting: Option<Authority>) -> Result<(), Error> {
        self.require_core_2()?;
        if sp == uid::LOCKING_SP {
            self.require_active()?;
            self.require_thawed()?;
        }
        match acting {
            Some(acting) if acting.sp() != sp => Err(Error::before(Cause::WrongAuthority(acting))),
            Some(acting) => self.require_sp_of(acting),
            None => Ok(()),
        }
    }

    /// Opens a session as somebody or as anybody.
    fn open_raw(&mut self, session: RawSession<'_>) -> Result<Session<'_>, Error> {
        let RawSession { sp, credential } = session;
        self.require_session(sp, credential.map(|credential| credential.authority))?;
        match credential {
            Some(credential) => self.log_in(credential),
            None => self.open_as_anybody(sp),
        }
    }

    /// The methods that a call makes. Nothing is sent; `arguments` is the call's as people read them,
    /// with PINs masked.
    ///
    /// # Errors
    /// What [`Drive::raw_call`] refuses before anything is sent, but for the consent.
    pub fn plan_raw(
        &self,
        sp: Uid,
        acting: Option<Authority>,
        call: &RawCall,
        arguments: String,
    ) -> Result<Vec<PlannedCall>, Error> {
        self.require_session(sp, acting)?;
        let mut plan = Plan::default();
        plan.session(sp, acting, acting.map_or("", |_| MASKED));
        let method = uid::label(call.method);
        plan.call(call.object, &method, arguments, call.changes());
        Ok(plan.calls)
    }

    /// Get: columns of an object, from the first to the last; all if there is no range.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_get(
        &mut self,
        session: RawSession<'_>,
        object: Uid,
        columns: Option<(u64, u64)>,
    ) -> Result<Row, Error> {
        let mut session = self.open_raw(session)?;
        let row = get(&mut session, object, columns).at(Step::ReadObject)?;
        session.end().at(Step::EndSession)?;
        Ok(row)
    }

    /// Get: bytes of a byte table, `length` from `offset` on, in as many parts as they take.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_get_bytes(
        &mut self,
        session: RawSession<'_>,
        table: Uid,
        offset: u64,
        length: u64,
    ) -> Result<Vec<u8>, Error> {
        let mut session = self.open_raw(session)?;
        let bytes = get_bytes(&mut session, table, offset, length).at(Step::ReadObject)?;
        session.end().at(Step::EndSession)?;
        Ok(bytes)
    }

    /// Next: the rows of a table in ascending order, in as many parts as they take.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_next(&mut self, session: RawSession<'_>, table: Uid) -> Result<Vec<Uid>, Error> {
        let mut session = self.open_raw(session)?;
        let rows = range::rows(&mut session, table).at(Step::ListRows)?;
        session.end().at(Step::EndSession)?;
        Ok(rows.into_iter().collect())
    }

    /// GetACL: the ACEs of a method on an object, each with its row as far as it is shown.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_acl(
        &mut self,
        session: RawSession<'_>,
        object: Uid,
        method: Uid,
    ) -> Result<Vec<(Uid, Row)>, Error> {
        let mut session = self.open_raw(session)?;
        let mut aces = Vec::new();
        for ace in session.get_acl(object, method).at(Step::CallMethod)? {
            aces.push((ace, visible(&mut session, ace).at(Step::ReadObject)?));
        }
        session.end().at(Step::EndSession)?;
        Ok(aces)
    }

    /// Set: columns of an object, all or none, read back as far as the authority may see them.
    ///
    /// # Warning
    /// Any setting can be changed: access and data can be lost.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_set(
        &mut self,
        session: RawSession<'_>,
        object: Uid,
        columns: &[(u64, Value)],
        consent: &EraseConsent,
    ) -> Result<RawSetReport, Error> {
        self.require_named(consent)?;
        let mut session = self.open_raw(session)?;
        let set = session.set(object, columns.iter().cloned());
        set.at(Step::SetObject)?;
        let report = read_back(&mut session, object, columns)?;
        session.end().at(Step::EndSession)?;
        self.discover_at(Step::CheckState)?;
        Ok(report)
    }

    /// Calls a method that changes nothing but, for Authenticate, a count of wrong attempts.
    ///
    /// # Errors
    /// [`super::ErrorCode::ConsentRequired`] if the method may change something; otherwise any
    /// [`Error`].
    pub fn raw_query(
        &mut self,
        session: RawSession<'_>,
        call: &RawCall,
    ) -> Result<Vec<Value>, Error> {
        match call.changes() {
            true => Err(Error::before(Cause::ConsentRequired)),
            false => self.call_raw(session, call),
        }
    }

    /// Calls any method.
    ///
    /// # Warning
    /// Access and data can be lost.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn raw_call(
        &mut self,
        session: RawSession<'_>,
        call: &RawCall,
        consent: &EraseConsent,
    ) -> Result<Vec<Value>, Error> {
        self.require_named(consent)?;
        let results = self.call_raw(session, call)?;
        self.discover_at(Step::CheckState)?;
        Ok(results)
    }

    fn call_raw(&mut self, session: RawSession<'_>, call: &RawCall) -> Result<Vec<Value>, Error> {
        let tally = call.authenticated();
        let tally = tally.map(|authority| self.tally_file(authority));
        let mut session = self.open_raw(session)?;
        let called = session.call(&call.to_call());
        if let Some(tally) = tally {
            attempt::count(&tally, &called);
        }
        let results = called.at(Step::CallMethod)?;
        // A revert has ended the session, which is no error.
        session.end().at(Step::EndSession)?;
        Ok(results)
    }

    fn require_named(&self, consent: &EraseConsent) -> Result<(), Error> {
        match consent.is_for(self.identity()) {
            true => Ok(()),
            false => Err(Error::before(Cause::ConsentRequired)),
        }
    }

    /// Sets columns of an object, and requires every one to be shown and as asked.
    pub(super) fn set_and_read_back(
        &mut self,
        object: Uid,
        columns: &[(u64, Value)],
        credential: &Credential,
        step: Step,
    ) -> Result<(), Error> {
        check_pin(&credential.pin)?;
        let acting = credential.authority;
        let mut session = self.log_in(credential)?;
        let set = session.set(object, columns.iter().cloned());
        set.at_as(step, acting)?;
        let report = read_back(&mut session, object, columns)?;
        if let Some(&column) = report.unproven.first() {
            let mismatch = Mismatch::ObjectColumn { object, column };
            return Err(Error::at(Step::ReadBack, Cause::NotAsAsked(mismatch)));
        }
        session.end().at(Step::EndSession)
    }
}

/// Get, of all columns if there is no range.
fn get(
    session: &mut Session<'_>,
    object: Uid,
    columns: Option<(u64, u64)>,
) -> Result<Row, session::Error> {
    match columns {
        Some((first, last)) => session.get(object, first..=last),
        None => session.get_all(object),
    }
}

/// Every column that is shown; none if the object is not shown at all.
fn visible(session: &mut Session<'_>, object: Uid) -> Result<Row, session::Error> {
    match session.get_all(object) {
        Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Ok(Row::default()),
        row => row,
    }
}

/// The most bytes that are read at one time.
const MAX_BYTES: u64 = 256 << 20;

fn get_bytes(
    session: &mut Session<'_>,
    table: Uid,
    offset: u64,
    length: u64,
) -> Result<Vec<u8>, session::Error> {
    if length > MAX_BYTES {
        return Err(session::Error::Limit {
            what: "a read",
            length: usize::try_from(length).unwrap_or(usize::MAX),
            limit: usize::try_from(MAX_BYTES).unwrap_or(usize::MAX),
        });
    }
    let range = offset..offset.saturating_add(length);
    Portion::of(session).read(session, table, range)
}

/// Reads columns again after a Set; those that are not shown cannot be compared.
fn read_back(
    session: &mut Session<'_>,
    object: Uid,
    columns: &[(u64, Value)],
) -> Result<RawSetReport, Error> {
    let mut report = RawSetReport {
        proven: Vec::new(),
        unproven: Vec::new(),
    };
    for (column, wanted) in columns {
        let row = match session.get(object, *column..=*column) {
            Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => Row::default(),
            row => row.at(Step::ReadBack)?,
        };
        match row.value(*column) {
            None => report.unproven.push(*column),
            Some(found) if is_same(found, wanted) => report.proven.push(*column),
            Some(_) => {
                let column = *column;
                let mismatch = Mismatch::ObjectColumn { object, column };
                return Err(Error::at(Step::ReadBack, Cause::NotAsAsked(mismatch)));
            }
        }
    }
    Ok(report)
}

/// Equality, but for the order of a set of numbers, which has none.
fn is_same(found: &Value, wanted: &Value) -> bool {
    let numbers = |value: &Value| {
        let values = value.as_list()?.iter().map(Value::as_uint);
        let mut numbers: Vec<u64> = values.collect::<Option<_>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        Some(numbers)
    };
    match (numbers(found), numbers(wanted)) {
        (Some(found), Some(wanted)) => found == wanted,
        _ => found == wanted,
    }
}
