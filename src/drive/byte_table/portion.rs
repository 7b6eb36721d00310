//! Portions: what one Get brings of a byte table.

use std::ops::Range;

use super::access::wide;
use crate::session::{self, Session};
use crate::spec::{MethodStatus, Uid};

/// The most bytes that are asked for at a time: what a packet carries, or less where the drive has
/// shown that it cannot send as much as it told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Portion(u64);

impl Portion {
    /// What the packets of a session carry.
    pub(in super::super) fn of(session: &Session<'_>) -> Self {
        Self(wide(session.get_capacity()).max(1))
    }

    /// The number of bytes.
    pub(super) const fn bytes(self) -> u64 {
        self.0
    }

    /// Reads bytes in as many portions as they take. There are fewer, or more, than were asked for
    /// where the TPer gives so: the first portion of another length is the last one.
    pub(in super::super) fn read(
        &mut self,
        session: &mut Session<'_>,
        table: Uid,
        range: Range<u64>,
    ) -> Result<Vec<u8>, session::Error> {
        let mut bytes = Vec::new();
        let mut start = range.start;
        while start < range.end {
            let end = range.end.min(start.saturating_add(self.0));
            match session.get_bytes(table, start..end) {
                Err(session::Error::Status(MethodStatus::RESPONSE_OVERFLOW)) if self.0 > 1 => {
                    self.0 = (end - start).div_ceil(2).min(self.0 / 2).max(1);
                }
                part => {
                    let mut part = part?;
                    let is_whole = wide(part.len()) == end - start;
                    bytes.append(&mut part);
                    start = end;
                    if !is_whole {
                        break;
                    }
                }
            }
        }
        Ok(bytes)
    }
}
