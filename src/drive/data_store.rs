//! DataStore tables: room for whoever has the right to it (\[Opal\] 4.3.8.1; \[DataStore\] 4.2).

use std::io;

use super::byte_table::{
    self, Atomicity, ByteTable, Contents, OnProgress, TableName, Verification, WriteReport,
    WriteRequest,
};
use super::error::At;
use super::expression::{AnyOf, expression};
use super::{Credential, Drive, EraseConsent, Error, Step};
use crate::session::{self, Session};
use crate::spec::{Uid, method, uid};

/// A DataStore table.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DataStoreTable {
    /// The table.
    pub table: ByteTable,
    /// The authorities, or classes of them, of which any one may read it; `None` if who asks may not
    /// see that, or an expression says more than that.
    pub readers: Option<Vec<Uid>>,
    /// Those of which any one may write it.
    pub writers: Option<Vec<Uid>>,
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

/// Who may invoke a method on a table; `None` if who asks may not see that, or it is no list.
fn holders(session: &mut Session<'_>, table: Uid, method: Uid) -> Result<Option<Vec<Uid>>, Error> {
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
            holders.push(uid::ANYBODY);
            continue;
        }
        let shown = match expression(session, ace) {
            Err(session::Error::Status(_)) => return Ok(None),
            shown => shown.at(Step::DescribeTable)?,
        };
        let Some(any_of) = shown.as_ref().and_then(AnyOf::read) else {
            return Ok(None);
        };
        holders.extend(any_of.authorities());
    }
    Ok(Some(holders))
}
