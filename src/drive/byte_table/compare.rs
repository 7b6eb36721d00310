//! Whether a table holds what it shall hold.

use std::io;
use std::ops::Range;

use super::super::error::At;
use super::super::{Credential, Drive, Error, Step};
use super::access::wide;
use super::{
    Access, ByteTable, Contents, OnProgress, Phase, Span, TableError, TableName, TableProgress,
    acting, require,
};

/// What a comparison found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Comparison {
    /// The table.
    pub table: ByteTable,
    /// Bytes that were to be compared.
    pub length: u64,
    /// Offset in the table of the first byte that differs. Nothing was compared after its block.
    pub first_difference: Option<u64>,
}

impl Drive {
    /// Compares a byte table, from an offset on, with what it shall hold. Nothing is changed.
    ///
    /// # Errors
    /// As [`Drive::read_table`]; [`TableError::Contents`] if the contents cannot be read.
    pub fn compare_table(
        &mut self,
        name: TableName,
        offset: u64,
        contents: &mut dyn Contents<Error = io::Error>,
        credential: Option<&Credential>,
        on_progress: OnProgress<'_>,
    ) -> Result<Comparison, Error> {
        self.require_table(name)?;
        let length = contents.length();
        let mut session = self.open_for_table(credential, length)?;
        let table = require(&mut session, name)?;
        let mut access = Access::new(&mut session, table, acting(credential));
        let span = access.span(offset, length)?;
        let mut comparing = Comparing {
            contents,
            span,
            phase: Phase::Compare,
            done: 0,
            total: length,
            on_progress,
        };
        let first_difference = comparing.run(&mut access, offset..offset + length)?;
        session.end().at(Step::EndSession)?;
        Ok(Comparison {
            table,
            length,
            first_difference,
        })
    }
}

/// A comparison under way.
pub(super) struct Comparing<'c> {
    pub(super) contents: &'c mut dyn Contents<Error = io::Error>,
    pub(super) span: Span,
    pub(super) phase: Phase,
    pub(super) done: u64,
    pub(super) total: u64,
    pub(super) on_progress: OnProgress<'c>,
}

impl Comparing<'_> {
    /// Compares some bytes of the table; the offset of the first that differs.
    pub(super) fn run(
        &mut self,
        access: &mut Access<'_, '_>,
        bytes: Range<u64>,
    ) -> Result<Option<u64>, Error> {
        for block in self.span.blocks_of(bytes) {
            let wanted = wanted(self.contents, &self.span, &block.wanted)?;
            let found = access.read(block.wanted.clone())?;
            if found != wanted {
                let same = found.iter().zip(&wanted).take_while(|(a, b)| a == b);
                return Ok(Some(block.wanted.start + wide(same.count())));
            }
            self.done += wide(found.len());
            (self.on_progress)(TableProgress {
                phase: self.phase,
                done: self.done,
                total: self.total,
            });
        }
        Ok(None)
    }
}

/// What some bytes of the table shall be.
pub(in super::super) fn wanted(
    contents: &mut dyn Contents<Error = io::Error>,
    span: &Span,
    bytes: &Range<u64>,
) -> Result<Vec<u8>, Error> {
    let length = bytes.end.saturating_sub(bytes.start);
    let mut buffer = vec![0; usize::try_from(length).unwrap_or(usize::MAX)];
    let read = contents.read_at(span.within(bytes.start), &mut buffer);
    read.map_err(|error| Error::before(TableError::Contents(error).into()))?;
    Ok(buffer)
}
