//! Bytes of a table, one block after the other.

use std::io;

use super::super::error::At;
use super::super::{Credential, Drive, Error, Step};
use super::{Access, ByteTable, Phase, TableError, TableName, TableProgress, acting, require};

/// Bytes of a table that were read, and how far the work is with them.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Piece<'a> {
    /// The bytes; they follow those of the piece before.
    pub bytes: &'a [u8],
    /// How far the work is.
    pub progress: TableProgress,
}

/// Takes the bytes of a table.
pub type OnPiece<'a> = &'a mut dyn FnMut(Piece<'_>) -> io::Result<()>;

impl Drive {
    /// Reads bytes of a byte table from an offset on; all that follow if no length is given. Two IF
    /// commands for each block.
    ///
    /// # Errors
    /// [`TableError::Beyond`] if the table is smaller, [`TableError::NotReadable`] if the authority (or
    /// anybody) may not read it; otherwise any [`Error`].
    pub fn read_table(
        &mut self,
        name: TableName,
        offset: u64,
        length: Option<u64>,
        credential: Option<&Credential>,
        take: OnPiece<'_>,
    ) -> Result<ByteTable, Error> {
        self.require_table(name)?;
        let mut session = self.open_for_table(credential, length.unwrap_or(u64::MAX))?;
        let table = require(&mut session, name)?;
        let length = length.unwrap_or_else(|| table.size.saturating_sub(offset));
        let mut access = Access::new(&mut session, table, acting(credential));
        read(&mut access, offset, length, take)?;
        session.end().at(Step::EndSession)?;
        Ok(table)
    }
}

fn read(
    access: &mut Access<'_, '_>,
    offset: u64,
    length: u64,
    take: OnPiece<'_>,
) -> Result<(), Error> {
    let span = access.span(offset, length)?;
    for block in span.blocks() {
        let progress = TableProgress {
            phase: Phase::Read,
            done: span.within(block.wanted.end),
            total: span.length(),
        };
        let bytes = access.read(block.wanted)?;
        let piece = Piece {
            bytes: &bytes,
            progress,
        };
        take(piece).map_err(|error| Error::at(Step::ReadTable, TableError::Output(error)))?;
    }
    Ok(())
}
