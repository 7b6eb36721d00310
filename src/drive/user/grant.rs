//! Giving rights to a User, and taking them.

use super::edit::{self, AccessChange, Edit, Need, apply, mentions};
use super::{AccessError, Right, authority_row, require_no_owner_of};
use crate::drive::error::At;
use crate::drive::expression::{AnyOf, expression};
use crate::drive::{Authority, Cause, Credential, Drive, Error, SingleUserMode, Step, range};
use crate::session::Session;
use crate::spec::ace::{self, Subject};
use crate::spec::column::authority as authority_column;
use crate::spec::{Uid, uid};

/// Rights that a User shall have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The User.
    pub user: Authority,
    /// The rights: all of them, or none.
    pub rights: Vec<Subject>,
    /// Rights that are good to have, and that some drives give to Admins only.
    pub also: Vec<Subject>,
}

/// Rights that a User shall no longer have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revocation {
    /// The User.
    pub user: Authority,
    /// The rights; `None` for all but that to its own PIN and name.
    pub rights: Option<Vec<Subject>>,
}

impl Drive {
    /// Gives rights to a User; those of others stay as they are, and Admins keep theirs.
    ///
    /// Can be run again: what the User has already is only read.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::Access`] if there is no such User or
    /// right, or an expression is not understood. Where the drive has transactions, nothing is
    /// changed then.
    pub fn grant(&mut self, grant: &Grant, credential: &Credential) -> Result<AccessChange, Error> {
        self.require_rights_of(grant.user, credential.authority)?;
        self.require_grantable(&grant.rights)?;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        grantable(&mut session, glance, &grant.rights)?;
        let mut change = AccessChange {
            enabled: enabled(&mut session, grant.user)?,
            ..AccessChange::default()
        };
        let mut edits = Vec::new();
        let required = grant.rights.iter().map(|right| (*right, Need::Required));
        let wished = grant.also.iter().map(|right| (*right, Need::Wished));
        for (subject, need) in required.chain(wished) {
            let added = additions(&mut session, subject, need, grant.user.uid())?;
            if added.is_empty() {
                change.unchanged.push(Right::Known(subject));
            }
            edits.extend(added);
        }
        apply(&mut session, edits, credential.authority, &mut change)?;
        session.end().at(Step::EndSession)?;
        Ok(change)
    }

    /// Takes rights from a User; those of others stay as they are, and Admins have them all.
    ///
    /// Can be run again: what the User does not have is only read.
    ///
    /// # Errors
    /// As [`Drive::grant`].
    pub fn revoke(
        &mut self,
        revocation: &Revocation,
        credential: &Credential,
    ) -> Result<AccessChange, Error> {
        self.require_rights_of(revocation.user, credential.authority)?;
        let user = revocation.user;
        let named = revocation.rights.as_deref().unwrap_or_default();
        self.require_grantable(named)?;
        let glance = self.single_user_mode_at_a_glance();
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        grantable(&mut session, glance, named)?;
        let mut change = AccessChange {
            enabled: enabled(&mut session, user)?,
            ..AccessChange::default()
        };
        let rows = match &revocation.rights {
            Some(rights) => rights.iter().flat_map(|right| right.rows()).collect(),
            None => all_rows(&mut session, user)?,
        };
        let mut edits = Vec::new();
        for row in rows {
            let is_named = revocation.rights.is_some();
            edits.extend(removal(
                &mut session,
                row,
                user.uid(),
                is_named,
                &mut change,
            )?);
        }
        apply(&mut session, edits, credential.authority, &mut change)?;
        session.end().at(Step::EndSession)?;
        Ok(change)
    }
}

impl Drive {
    /// Refuses rights to ranges that belong to somebody, as far as Level 0 Discovery tells.
    pub(super) fn require_grantable(&self, rights: &[Subject]) -> Result<(), Error> {
        let mode = self.single_user_mode_at_a_glance().unwrap_or_default();
        let checked = require_no_owner_of(&mode, rights);
        checked.map_err(|error| Error::before(Cause::SingleUser(error)))
    }
}

/// The same, where Level 0 Discovery did not tell.
fn grantable(
    session: &mut Session<'_>,
    at_a_glance: Option<SingleUserMode>,
    rights: &[Subject],
) -> Result<(), Error> {
    let mode = SingleUserMode::known(session, at_a_glance)?;
    let checked = require_no_owner_of(&mode, rights);
    checked.map_err(|error| Error::at(Step::SetRights, Cause::SingleUser(error)))
}

/// Whether a User is enabled.
///
/// # Errors
/// [`AccessError::NoAuthority`] if an Admin cannot see it: then there is none.
pub(super) fn enabled(
    session: &mut Session<'_>,
    authority: Authority,
) -> Result<Option<bool>, Error> {
    let row = authority_row(session, authority.uid()).at(Step::ReadAuthority)?;
    if row == Default::default() {
        let none = Cause::Access(AccessError::NoAuthority(authority));
        return Err(Error::at(Step::ReadAuthority, none));
    }
    row.boolean(authority_column::ENABLED)
        .at(Step::ReadAuthority)
}

/// What gives a User a right; nothing if it has it already.
fn additions(
    session: &mut Session<'_>,
    subject: Subject,
    need: Need,
    user: Uid,
) -> Result<Vec<Edit>, Error> {
    let mut edits = Vec::new();
    let mut exists = false;
    for row in subject.rows() {
        let Some(before) = edit::read(session, row, Step::ReadRights)? else {
            continue;
        };
        exists = true;
        if !has(&before, user) {
            let after = before.clone().with(user);
            edits.push(Edit::new(row, &before, after, need));
        }
    }
    if exists || need == Need::Wished {
        return Ok(edits);
    }
    let none = AccessError::NoRight(Right::Known(subject));
    Err(Error::at(Step::ReadRights, Cause::Access(none)))
}

/// Whether a User satisfies an expression, by itself or as one of all.
fn has(expression: &AnyOf, user: Uid) -> bool {
    expression.has(user) || is_for_all(expression)
}

fn is_for_all(expression: &AnyOf) -> bool {
    expression.has(uid::USERS) || expression.has(uid::ANYBODY)
}

/// What takes a right from a User, if it has it. Where all rights are meant, an expression that does
/// not mention the User need not be understood.
fn removal(
    session: &mut Session<'_>,
    row: Uid,
    user: Uid,
    is_named: bool,
    change: &mut AccessChange,
) -> Result<Option<Edit>, Error> {
    let Some(value) = expression(session, row).at(Step::ReadRights)? else {
        return Ok(None);
    };
    let right = Right::of(row);
    let before = match AnyOf::read(&value) {
        Some(before) => before,
        None if is_named || mentions(&value, user) => {
            let error = Cause::Access(AccessError::Expression(right));
            return Err(Error::at(Step::ReadRights, error));
        }
        None => return Ok(None),
    };
    change
        .remaining
        .extend(is_for_all(&before).then_some(right));
    if before.has(user) {
        let after = before.clone().without(user);
        return Ok(Some(Edit::new(row, &before, after, Need::Required)));
    }
    if is_named && !is_for_all(&before) {
        change.unchanged.push(right);
    }
    Ok(None)
}

/// Every ACE that may give a User a right, but for those to its own PIN and name.
fn all_rows(session: &mut Session<'_>, user: Authority) -> Result<Vec<Uid>, Error> {
    let rows = range::rows(session, uid::ACE).at(Step::ReadRights)?;
    let is_own = |row: &Uid| match (Subject::of(*row), user) {
        (Some(Subject::SetPin(one) | Subject::SetCommonName(one)), Authority::User(user)) => {
            one == user
        }
        _ => false,
    };
    let rows = rows.into_iter();
    Ok(rows
        .filter(|row| !ace::FIXED.contains(row) && !is_own(row))
        .collect())
}
