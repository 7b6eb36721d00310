//! What is in the shadow MBR, and what the control says of it.

use std::collections::VecDeque;

use super::super::byte_table::{self, Access, ByteTable, Contents, TableName};
use super::super::error::At;
use super::super::{BootImage, Credential, Drive, Error, Step, examine_boot_image};
use super::{MbrControl, read_control};

/// The shadow MBR, as it is now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbrStatus {
    /// The table.
    pub table: ByteTable,
    /// The control.
    pub control: MbrControl,
    /// Whether what is in the table looks like something that firmware boots.
    pub boot: BootImage,
}

/// Bytes that are fetched at a time while the table is looked at: a GPT and its entries.
const WINDOW: u64 = 34 * 512;
/// Pieces that are kept.
const MOST_WINDOWS: usize = 4;

impl Drive {
    /// Reads the control of the shadow MBR and looks into the table, as somebody or as anybody.
    /// `block_size` is that of the drive, in bytes, if it is known.
    ///
    /// # Errors
    /// As [`Drive::read_table`].
    pub fn mbr_status(
        &mut self,
        block_size: Option<u32>,
        credential: Option<&Credential>,
    ) -> Result<MbrStatus, Error> {
        self.require_mbr()?;
        let mut session = self.open_for_table(credential, WINDOW)?;
        let control = read_control(&mut session, Step::ReadMbrControl)?;
        let table = byte_table::require(&mut session, TableName::Mbr)?;
        let access = Access::new(&mut session, table, byte_table::acting(credential));
        let mut window = Windows {
            access,
            pieces: VecDeque::new(),
        };
        let boot = examine_boot_image(&mut window, block_size)?;
        session.end().at(Step::EndSession)?;
        Ok(MbrStatus {
            table,
            control,
            boot,
        })
    }
}

/// The table, of which a few pieces are kept: what is looked at next is mostly near one.
struct Windows<'s, 't> {
    access: Access<'s, 't>,
    /// Offsets, and the bytes from there on; the oldest first.
    pieces: VecDeque<(u64, Vec<u8>)>,
}

impl Windows<'_, '_> {
    fn part(&self, offset: u64, length: usize) -> Option<&[u8]> {
        self.pieces.iter().find_map(|(first, bytes)| {
            let start = usize::try_from(offset.checked_sub(*first)?).ok()?;
            bytes.get(start..start.checked_add(length)?)
        })
    }

    fn fetch(&mut self, offset: u64, length: usize) -> Result<(), Error> {
        let length = u64::try_from(length).unwrap_or(u64::MAX).max(WINDOW);
        let end = offset.saturating_add(length).min(self.length());
        let bytes = self.access.read(offset..end)?;
        self.pieces.push_back((offset, bytes));
        if self.pieces.len() > MOST_WINDOWS {
            self.pieces.pop_front();
        }
        Ok(())
    }
}

impl Contents for Windows<'_, '_> {
    type Error = Error;

    fn length(&self) -> u64 {
        self.access.size()
    }

    fn read_at(&mut self, offset: u64, buffer: &mut [u8]) -> Result<(), Error> {
        if self.part(offset, buffer.len()).is_none() {
            self.fetch(offset, buffer.len())?;
        }
        if let Some(part) = self.part(offset, buffer.len()) {
            buffer.copy_from_slice(part);
        }
        Ok(())
    }
}
