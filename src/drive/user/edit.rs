//! Expressions being edited: all are read before the first is set, and all are set or none, where
//! the TPer has transactions.

use super::{AccessError, Right};
use crate::drive::error::At;
use crate::drive::expression::{AnyOf, expression};
use crate::drive::{Authority, Cause, Error, Mismatch, Step};
use crate::session::{self, Session};
use crate::spec::column::ace;
use crate::spec::{MethodStatus, Uid, uid};
use crate::wire::Value;

/// What became of rights.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AccessChange {
    /// Rights that were given or taken, as they were read back.
    pub changed: Vec<Right>,
    /// Rights that were as asked already.
    pub unchanged: Vec<Right>,
    /// Rights that were wished for beside, and that the drive gives to nobody else.
    pub refused: Vec<Right>,
    /// Rights that were to be taken, and that the User still has since all Users have them.
    pub remaining: Vec<Right>,
    /// Changed rights that Admins did not have before, and have again.
    pub admins_added: Vec<Right>,
    /// Whether the User is enabled; `None` if that is not shown.
    pub enabled: Option<bool>,
}

/// Whether a right must be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing is done without it.
    Required,
    /// A drive may refuse it.
    Wished,
}

/// An ACE, with the expression that it shall have.
#[derive(Debug)]
pub(super) struct Edit {
    row: Uid,
    after: AnyOf,
    need: Need,
    adds_admins: bool,
}

impl Edit {
    /// An edit that leaves Admins in, whoever else comes or goes.
    pub(super) fn new(row: Uid, before: &AnyOf, after: AnyOf, need: Need) -> Self {
        let adds_admins = !before.has(uid::ADMINS);
        let after = match adds_admins {
            true => after.led_by(uid::ADMINS),
            false => after,
        };
        Self {
            row,
            after,
            need,
            adds_admins,
        }
    }

    fn right(&self) -> Right {
        Right::of(self.row)
    }

    fn set(&self, session: &mut Session<'_>) -> Result<(), session::Error> {
        session.set(self.row, [(ace::BOOLEAN_EXPR, self.after.value())])
    }
}

/// Reads the expression of an ACE; `None` if the drive has no such ACE.
pub(super) fn read(
    session: &mut Session<'_>,
    row: Uid,
    step: Step,
) -> Result<Option<AnyOf>, Error> {
    let Some(value) = expression(session, row).at(step)? else {
        return Ok(None);
    };
    let understood = AnyOf::read(&value);
    let understood = understood.ok_or(AccessError::Expression(Right::of(row)));
    understood
        .map(Some)
        .map_err(|error| Error::at(step, Cause::Access(error)))
}

/// Whether an authority stands anywhere in a value.
pub(super) fn mentions(value: &Value, authority: Uid) -> bool {
    match value {
        Value::List(values) => values.iter().any(|value| mentions(value, authority)),
        Value::Named(_, value) => mentions(value, authority),
        value => value.as_uid() == Some(authority),
    }
}

/// Makes edits, and reads each back.
pub(super) fn apply(
    session: &mut Session<'_>,
    edits: Vec<Edit>,
    acting: Authority,
    change: &mut AccessChange,
) -> Result<(), Error> {
    let refused = match edits.len() {
        0 => return Ok(()),
        1 => set_all(session, &edits, acting)?,
        _ => set_together(session, &edits, acting)?,
    };
    for edit in edits {
        let right = edit.right();
        if refused.contains(&edit.row) {
            change.refused.push(right);
            continue;
        }
        let found = read(session, edit.row, Step::ReadBack)?;
        if !found.is_some_and(|found| found.is_equivalent(&edit.after)) {
            let mismatch = Cause::NotAsAsked(Mismatch::Rights(right));
            return Err(Error::at(Step::ReadBack, mismatch));
        }
        change.changed.push(right);
        change
            .admins_added
            .extend(edit.adds_admins.then_some(right));
    }
    Ok(())
}

/// Sets all in one transaction. A TPer that has none says so, and gets one after the other.
fn set_together(
    session: &mut Session<'_>,
    edits: &[Edit],
    acting: Authority,
) -> Result<Vec<Uid>, Error> {
    match session.transaction() {
        Err(session::Error::Status(_)) => {}
        transaction => {
            let mut transaction = transaction.at(Step::SetRights)?;
            let refused = set_all(&mut transaction, edits, acting)?;
            transaction.commit().at(Step::SetRights)?;
            return Ok(refused);
        }
    }
    set_all(session, edits, acting)
}

/// Sets all; the rows of those that were wished for only, and refused.
fn set_all(
    session: &mut Session<'_>,
    edits: &[Edit],
    acting: Authority,
) -> Result<Vec<Uid>, Error> {
    let mut refused = Vec::new();
    for edit in edits {
        match edit.set(session) {
            Err(session::Error::Status(
                MethodStatus::NOT_AUTHORIZED | MethodStatus::INVALID_PARAMETER,
            )) if edit.need == Need::Wished => refused.push(edit.row),
            set => set.at_as(Step::SetRights, acting)?,
        }
    }
    Ok(refused)
}
