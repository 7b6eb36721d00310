//! Every row of an object table, from a TPer that may not end.

use std::collections::BTreeSet;

use crate::session::{self, Session};
use crate::spec::{MethodStatus, Uid};

/// Rows that are asked for at one time, where all of them do not fit an answer.
const ROWS_AT_A_TIME: u64 = 64;

/// The most rows of a table: an object has a number of 16 bits, and there are few kinds in a table.
pub(super) const MAX_ROWS: usize = 0x4_0000;

/// The rows in the TPer's order, each once.
pub(super) fn all(session: &mut Session<'_>, table: Uid) -> Result<Vec<Uid>, session::Error> {
    let mut rows = Rows::default();
    match session.next(table, None, None) {
        Err(session::Error::Status(MethodStatus::RESPONSE_OVERFLOW)) => {
            while rows.list.len() < MAX_ROWS {
                let last = rows.list.last().copied();
                let part = session.next(table, last, Some(ROWS_AT_A_TIME))?;
                if !rows.add(part) {
                    break;
                }
            }
        }
        part => {
            rows.add(part?);
        }
    }
    Ok(rows.list)
}

#[derive(Default)]
struct Rows {
    list: Vec<Uid>,
    known: BTreeSet<Uid>,
}

impl Rows {
    /// Adds rows; whether there was a new one.
    fn add(&mut self, part: Vec<Uid>) -> bool {
        let before = self.list.len();
        for row in part.into_iter().take(MAX_ROWS) {
            if self.known.insert(row) {
                self.list.push(row);
            }
        }
        self.list.len() > before
    }
}
