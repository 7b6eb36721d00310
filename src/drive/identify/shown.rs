//! What a drive shows of an authority and its tries, before any PIN of it is spent.

use super::Limits;
use crate::drive::error::At;
use crate::drive::{Authority, Credential, Drive, Error, Step, Tries};
use crate::session::{self, Row, Session};
use crate::spec::column::{authority as authority_column, c_pin};
use crate::spec::{Uid, uid};

/// What a drive shows of an authority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Shown {
    /// Whether the authority is enabled, where that is shown.
    pub is_enabled: Option<bool>,
    /// What is known of its limit.
    pub limits: Limits,
}

impl Drive {
    /// What the drive shows of an authority to anybody, or to an Admin: no PIN of the authority is
    /// spent. Most drives show nothing to anybody.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; what is not shown is none.
    pub fn shown_tries(
        &mut self,
        authority: Authority,
        admin: Option<&Credential>,
    ) -> Result<Shown, Error> {
        let admin = admin.filter(|_| authority.sp() == uid::LOCKING_SP);
        let mut session = match admin {
            Some(admin) => self.log_in(admin)?,
            None => match self.open_as_anybody(authority.sp()) {
                Err(error) if error.status().is_some() => return Ok(Shown::default()),
                session => session?,
            },
        };
        let shown = shown(&mut session, authority);
        let shown = shown.at(Step::ReadTries)?;
        session.end().at(Step::EndSession)?;
        Ok(shown)
    }
}

fn shown(session: &mut Session<'_>, authority: Authority) -> Result<Shown, session::Error> {
    let enabled = authority_column::ENABLED;
    let row = visible(session, authority.uid(), enabled, enabled)?;
    let is_enabled = row.boolean(enabled)?;
    let row = visible(
        session,
        authority.c_pin(),
        c_pin::TRY_LIMIT,
        c_pin::PERSISTENCE,
    )?;
    let tries = Tries::from_row(&row)?;
    let psid_limit = match (authority, tries.try_limit) {
        (Authority::Sid, None) => {
            let limit = c_pin::TRY_LIMIT;
            visible(session, Authority::Psid.c_pin(), limit, limit)?.uint(limit)?
        }
        _ => None,
    };
    Ok(Shown {
        is_enabled,
        limits: Limits {
            shown: tries,
            psid_limit,
            given: None,
        },
    })
}

/// The columns of a row as far as they are shown: none where the TPer refuses.
pub(super) fn visible(
    session: &mut Session<'_>,
    row: Uid,
    first: u64,
    last: u64,
) -> Result<Row, session::Error> {
    match session.get(row, first..=last) {
        Err(session::Error::Status(_)) => Ok(Row::default()),
        row => row,
    }
}
