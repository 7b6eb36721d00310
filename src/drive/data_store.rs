//! DataStore tables: room for whoever has the right to it (\[Opal\] 4.3.8.1; \[DataStore\] 4.2).

use std::io;

use super::byte_table::{
    self, Atomicity, ByteTable, Contents, OnProgress, TableName, Verification, WriteReport,
    WriteRequest,
};
use super::error::At;
use super::{Authority, Credential, Drive, EraseConsent, Error, Step};
use crate::session::{self, Session};
use crate::spec::column::ace;
use crate::spec::{Uid, method, uid};
use crate::wire::Value;

/// A DataStore table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataStoreTable {
    /// The table.
    pub table: ByteTable,
    /// Who may read it, as far as the authority may see that.
    pub readers: Option<Vec<Permitted>>,
    /// Who may write it, as far as the authority may see that.
    pub writers: Option<Vec<Permitted>>,
}

/// Who has a right to something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permitted {
    /// Everybody, without a PIN.
    Anybody,
    /// Each Admin.
    Admins,
    /// Each User.
    Users,
    /// One authority.
    One(Authority),
    /// An authority that has no name here.
    Other(Uid),
}

/// DataStore tables, and what Level 0 Discovery says of them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataStores {
    /// The tables that are there.
    pub tables: Vec<DataStoreTable>,
    /// The most tables that can be; `None` if the drive cannot have more than one.
    pub most_tables: Option<u16>,
    /// Bytes of all tables together.
    pub total_size: Option<u32>,
    /// Bytes of which the size of each table is a multiple.
    pub size_alignment: Option<u32>,
}

impl Drive {
    /// The DataStore tables, as somebody or as anybody. Two IF commands for each table that can be;
    /// more for who has a right to it, which is shown to Admins.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn data_stores(&mut self, credential: Option<&Credential>) -> Result<DataStores, Error> {
        let told = self.discovery.data_store().copied();
        let most_tables = told.map(|told| told.max_tables);
        let mut session = self.open_for_table(credential, 0)?;
        let mut tables = Vec::new();
        for number in 1..=most_tables.unwrap_or(1).max(1) {
            let name = TableName::DataStore(number);
            // Tables are numbered without gaps.
            let Some(table) = byte_table::describe(&mut session, name)? else {
                break;
            };
            let readers = holders(&mut session, name.uid(), method::GET)?;
            let writers = holders(&mut session, name.uid(), method::SET)?;
            tables.push(DataStoreTable {
                table,
                readers,
                writers,
            });
        }
        session.end().at(Step::EndSession)?;
        Ok(DataStores {
            tables,
            most_tables,
            total_size: told.and_then(|told| told.max_total_size),
            size_alignment: told.and_then(|told| told.size_alignment),
        })
    }

    /// Writes bytes to a DataStore table, from an offset on; what is there already is not written.
    /// They take effect together where the drive has transactions.
    ///
    /// # Errors
    /// [`super::TableError::Beyond`] before anything is written,
    /// [`super::Cause::ConsentRequired`] if something is to be overwritten that is not blank, and
    /// nobody has named the drive; otherwise any [`Error`].
    pub fn write_data_store(
        &mut self,
        number: u16,
        offset: u64,
        contents: &mut dyn Contents<Error = io::Error>,
        consent: Option<&EraseConsent>,
        credential: &Credential,
        on_progress: OnProgress<'_>,
    ) -> Result<WriteReport, Error> {
        let overwriting = self.overwriting(consent)?;
        let request = WriteRequest {
            table: TableName::DataStore(number),
            offset,
            atomicity: Atomicity::WholeIfPossible,
            verification: Verification::ReadBack,
        };
        self.write_table(&request, overwriting, contents, credential, on_progress)
    }
}

/// The ACE that everybody fulfils (\[Core\] 5.3.4.2).
const ACE_ANYBODY: Uid = uid::ACE.row(0x01);

/// The most ACEs of one method that are read: TPers have one or two.
const MOST_ACES: usize = 16;

/// Who may invoke a method on a table; `None` if who asks may not see that.
fn holders(
    session: &mut Session<'_>,
    table: Uid,
    method: Uid,
) -> Result<Option<Vec<Permitted>>, Error> {
    let mut holders = Vec::new();
    let aces = match session.get_acl(table, method) {
        Err(session::Error::Status(_)) => return Ok(None),
        aces => aces.at(Step::DescribeTable)?,
    };
    if aces.len() > MOST_ACES {
        return Ok(None);
    }
    for ace in aces {
        if ace == ACE_ANYBODY {
            holders.push(Permitted::Anybody);
            continue;
        }
        let columns = ace::BOOLEAN_EXPR..=ace::BOOLEAN_EXPR;
        let row = match session.get(ace, columns) {
            Err(session::Error::Status(_)) => return Ok(None),
            row => row.at(Step::DescribeTable)?,
        };
        let Some(expression) = row.value(ace::BOOLEAN_EXPR) else {
            return Ok(None);
        };
        holders.extend(authorities(expression).map(Permitted::of));
    }
    Ok(Some(holders))
}

/// The authorities in an expression, each of which is enough: Opal knows OR only.
fn authorities(expression: &Value) -> impl Iterator<Item = Uid> {
    let elements = expression.as_list().unwrap_or_default().iter();
    elements.filter_map(|element| element.as_named()?.1.as_uid())
}

impl Permitted {
    fn of(authority: Uid) -> Self {
        let low = authority.low();
        let numbered = |first: u32| u16::try_from(low - first).unwrap_or_default();
        match (authority, low) {
            (uid::ANYBODY, _) => Self::Anybody,
            (uid::ADMINS, _) => Self::Admins,
            (uid::USERS, _) => Self::Users,
            (_, 0x0001_0001..=0x0001_feff) => Self::One(Authority::Admin(numbered(0x0001_0000))),
            (_, 0x0003_0001..=0x0003_ffff) => Self::One(Authority::User(numbered(0x0003_0000))),
            _ => Self::Other(authority),
        }
    }
}

impl std::fmt::Display for Permitted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Anybody => f.write_str("Anybody"),
            Self::Admins => f.write_str("Admins"),
            Self::Users => f.write_str("Users"),
            Self::One(authority) => authority.fmt(f),
            Self::Other(authority) => authority.fmt(f),
        }
    }
}
