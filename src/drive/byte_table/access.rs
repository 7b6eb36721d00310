//! One byte table in a session: reads and writes of any length, in as many methods as they take.

use std::ops::Range;

use super::super::error::At;
use super::super::{Authority, Error, Step};
use super::{ByteTable, Portion, Span, TableError};
use crate::session::{self, Session};
use crate::spec::MethodStatus;

/// The share of a block that may be given up for `RecommendedAccessGranularity`: a 64th.
const GIVEN_UP: u64 = 64;

/// A byte table, and the session in which it is reached.
pub(in super::super) struct Access<'s, 't> {
    pub(super) session: &'s mut Session<'t>,
    pub(super) view: View,
}

/// A byte table as somebody sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    pub(super) table: ByteTable,
    acting: Option<Authority>,
    portion: Portion,
}

impl View {
    /// The table in a session.
    pub(super) const fn on<'s, 't>(self, session: &'s mut Session<'t>) -> Access<'s, 't> {
        Access {
            session,
            view: self,
        }
    }
}

impl<'s, 't> Access<'s, 't> {
    pub(in super::super) fn new(
        session: &'s mut Session<'t>,
        table: ByteTable,
        acting: Option<Authority>,
    ) -> Self {
        let view = View {
            table,
            acting,
            portion: Portion::of(session),
        };
        view.on(session)
    }

    /// The size of the table in bytes.
    pub(in super::super) const fn size(&self) -> u64 {
        self.view.table.size
    }

    /// The pieces in which bytes of the table are written and compared.
    pub(in super::super) fn span(&self, offset: u64, length: u64) -> Result<Span, Error> {
        self.view.table.check(offset, length)?;
        let block = self.block_size()?;
        Ok(Span::new(self.view.table, offset, length, block))
    }

    /// The bytes that one Set and one Get can carry, as the granularity of the table allows.
    fn block_size(&self) -> Result<u64, Error> {
        let granularity = self.view.table.write_granularity;
        let set = self
            .session
            .set_capacity(self.view.table.name.uid(), self.view.table.size);
        let capacity = wide(set).min(self.view.portion.bytes());
        if capacity < granularity {
            let narrow = |size| usize::try_from(size).unwrap_or(usize::MAX);
            let limit = session::Error::Limit {
                what: "a block of the table",
                length: narrow(granularity),
                limit: narrow(capacity),
            };
            return Err(Error::before(limit.into()));
        }
        Ok(rounded(
            capacity,
            granularity,
            self.view.table.access_granularity,
        ))
    }

    /// Reads bytes. A TPer may refuse who may not read, or show nothing (\[Core\] 5.3.3.6).
    pub(in super::super) fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, Error> {
        let length = range.end.saturating_sub(range.start);
        let table = self.view.table.name;
        match self.view.portion.read(self.session, table.uid(), range) {
            Err(session::Error::Status(MethodStatus::NOT_AUTHORIZED)) => {
                Err(Error::at(Step::ReadTable, TableError::NotReadable(table)))
            }
            Ok(bytes) if bytes.is_empty() && length > 0 => {
                Err(Error::at(Step::ReadTable, TableError::NotReadable(table)))
            }
            Ok(bytes) if wide(bytes.len()) != length => {
                Err(Error::at(Step::ReadTable, TableError::Short(table)))
            }
            read => read.at(Step::ReadTable),
        }
    }

    /// Writes the bytes of one block.
    pub(super) fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), Error> {
        let set = self
            .session
            .set_bytes(self.view.table.name.uid(), offset, bytes);
        match self.view.acting {
            Some(acting) => set.at_as(Step::WriteTable, acting),
            None => set.at(Step::WriteTable),
        }
    }
}

/// The largest multiple of what must be, and of what is recommended unless too much is given up.
fn rounded(capacity: u64, mandatory: u64, recommended: u64) -> u64 {
    let down = |granularity: u64| capacity - capacity % granularity.max(1);
    let wished = down(recommended);
    let is_multiple = recommended.is_multiple_of(mandatory.max(1));
    let is_cheap = capacity - wished <= capacity / GIVEN_UP;
    if is_multiple && is_cheap && wished > 0 {
        wished
    } else {
        down(mandatory)
    }
}

pub(super) fn wide(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_multiples_of_what_the_table_demands() {
        assert_eq!(rounded(65_438, 1, 1), 65_438);
        assert_eq!(rounded(65_438, 8192, 8192), 57_344);
        assert_eq!(rounded(1980, 512, 512), 1536);
        assert_eq!(rounded(1980, 1980, 1980), 1980);
    }

    #[test]
    fn what_is_recommended_is_kept_where_it_costs_little() {
        assert_eq!(rounded(65_438, 1, 512), 65_024);
        assert_eq!(rounded(65_438, 16, 4096), 65_424);
        assert_eq!(rounded(65_438, 3, 512), 65_436);
        assert_eq!(rounded(1980, 4, 4096), 1980);
        assert_eq!(rounded(1980, 0, 0), 1980);
    }
}
