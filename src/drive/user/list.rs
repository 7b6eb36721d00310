//! Who may do what.

use std::collections::BTreeMap;

use super::{Right, authority_of, authority_row};
use crate::drive::error::At;
use crate::drive::expression::{AnyOf, expression};
use crate::drive::{Authority, Credential, Drive, Error, Step, range};
use crate::session::{self, Session};
use crate::spec::column::authority as authority_column;
use crate::spec::{RangeNumber, Uid, ace, uid};

/// Who may do what in the Locking SP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Access {
    /// Admins and Users, and whoever else has a right.
    pub holders: Vec<Holder>,
    /// Rights that not every Admin has, as some tools leave them.
    pub without_admins: Vec<Right>,
    /// Rights of which it cannot be said who has them: the expression is more than a list of names.
    pub not_understood: Vec<Right>,
}

/// An authority and its rights.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Holder {
    /// The row of table `Authority`.
    pub uid: Uid,
    /// Who it is, if it is an Admin or a User.
    pub authority: Option<Authority>,
    /// Whether it can be authenticated; `None` if that is not shown.
    pub enabled: Option<bool>,
    /// Name that a host gave, sanitised.
    pub common_name: Option<String>,
    /// What it may do beside what everybody may. Of an Admin: what it may do although not every
    /// Admin may; all else follows from its being one.
    pub rights: Vec<Right>,
}

impl Drive {
    /// Every Admin and User with its rights. Admins may do everything, but for
    /// [`Access::without_admins`].
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn access(&mut self, credential: &Credential) -> Result<Access, Error> {
        self.require_opal_family()?;
        self.require_active_as(credential.authority)?;
        let mut session = self.log_in_to_locking_sp(credential)?.0;
        let mut access = Access {
            holders: holders(&mut session).at(Step::ReadAuthority)?,
            ..Access::default()
        };
        let rows = range::rows(&mut session, uid::ACE).at(Step::ReadRights)?;
        for row in rows.into_iter().filter(|row| !ace::FIXED.contains(row)) {
            let value = expression(&mut session, row).at(Step::ReadRights)?;
            let Some(value) = value else { continue };
            match AnyOf::read(&value) {
                Some(expression) => access.add(Right::of(row), &expression),
                None => access.not_understood.push(Right::of(row)),
            }
        }
        session.end().at(Step::EndSession)?;
        Ok(access)
    }
}

fn holders(session: &mut Session<'_>) -> Result<Vec<Holder>, session::Error> {
    let mut holders = Vec::new();
    for uid in range::rows(session, uid::AUTHORITY)? {
        let Some(authority) = authority_of(uid) else {
            continue;
        };
        let row = authority_row(session, uid)?;
        let name = row.bytes(authority_column::COMMON_NAME)?;
        let name = name.map(range::name_text);
        holders.push(Holder {
            uid,
            authority: Some(authority),
            enabled: row.boolean(authority_column::ENABLED)?,
            common_name: name,
            rights: Vec::new(),
        });
    }
    Ok(holders)
}

impl Access {
    fn add(&mut self, right: Right, expression: &AnyOf) {
        let is_admins = expression.has(uid::ADMINS) || expression.has(uid::ANYBODY);
        if !is_admins && !self.without_admins.contains(&right) {
            self.without_admins.push(right);
        }
        for &holder in expression.authorities() {
            if holder != uid::ADMINS {
                self.give(holder, right);
            }
        }
    }

    /// Gives a right to an authority, or to the members of a class.
    fn give(&mut self, holder: Uid, right: Right) {
        let is_member = |one: &&mut Holder| match holder {
            uid::USERS => matches!(one.authority, Some(Authority::User(_))),
            uid::ANYBODY => one.authority.is_some(),
            holder => one.uid == holder,
        };
        let mut is_known = false;
        for member in self.holders.iter_mut().filter(is_member) {
            is_known = true;
            if !member.rights.contains(&right) {
                member.rights.push(right);
            }
        }
        if !is_known || holder == uid::ANYBODY {
            self.add_stranger(holder, right);
        }
    }

    fn add_stranger(&mut self, uid: Uid, right: Right) {
        match self.holders.iter_mut().find(|one| one.uid == uid) {
            Some(known) if known.rights.contains(&right) => {}
            Some(known) => known.rights.push(right),
            None => self.holders.push(Holder {
                uid,
                authority: authority_of(uid),
                enabled: None,
                common_name: None,
                rights: vec![right],
            }),
        }
    }
}

impl Holder {
    /// The ranges of which it has rights, each with these.
    #[must_use]
    pub fn ranges(&self) -> BTreeMap<RangeNumber, Vec<Right>> {
        let mut ranges: BTreeMap<_, Vec<Right>> = BTreeMap::new();
        for right in &self.rights {
            if let Some(range) = right.range() {
                ranges.entry(range).or_default().push(*right);
            }
        }
        ranges
    }
}
