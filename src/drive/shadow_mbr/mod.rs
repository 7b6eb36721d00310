//! The shadow MBR: a byte table that a locked drive shows in place of its first blocks, and the
//! control that says whether it does (\[Core\] 5.7.2.5, 5.7.3.6; \[Opal\] 4.3.5.3).
//!
//! In reading order: `mod` (the control), `status` (what is in the table), `load`.

use std::fmt;

use super::error::At;
use super::plan::Plan;
use super::{
    Authority, Cause, Credential, Drive, Error, MbrState, Mismatch, PlannedCall, Step, TableError,
    TableName,
};
use crate::session::{self, Malformed, MalformedKind, Session};
use crate::spec::column::mbr_control;
use crate::spec::uid;
use crate::wire::Value;

mod load;
mod status;

pub use load::{LoadRequest, MbrSurvey};
pub use status::MbrStatus;

/// The control of the shadow MBR.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbrControl {
    /// The shadow MBR is shown unless it is done.
    pub enable: bool,
    /// It is hidden until a reset of [`MbrControl::done_on_reset`].
    pub done: bool,
    /// Resets that show it again: 0 power cycle, 1 hardware, 3 programmatic.
    pub done_on_reset: Option<Vec<u8>>,
}

/// What of the control is to be changed; nothing of what is `None`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MbrChange {
    /// Whether the shadow MBR is enabled.
    pub enable: Option<bool>,
    /// Whether it is hidden for now.
    pub done: Option<bool>,
    /// Resets that show it again.
    pub done_on_reset: Option<Vec<u8>>,
}

/// What became of the control.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MbrReport {
    /// False if everything was as asked.
    pub changed: bool,
    /// The control as it was read in the end; `None` if Level 0 Discovery was enough.
    pub control: Option<MbrControl>,
}

type Columns = Vec<(u64, Value)>;

impl Drive {
    /// Changes the control of the shadow MBR and reads it back. What Level 0 Discovery shows to be
    /// as asked is not asked again.
    ///
    /// # Errors
    /// [`TableError::NoShadowMbr`]; [`Mismatch::MbrControl`] if the drive takes a change and does not
    /// keep it; otherwise any [`Error`].
    pub fn change_mbr(
        &mut self,
        change: &MbrChange,
        credential: &Credential,
    ) -> Result<MbrReport, Error> {
        if !self.mbr_needs(change, credential.authority)? {
            return Ok(MbrReport {
                changed: false,
                control: None,
            });
        }
        let acting = credential.authority;
        let (mut session, discovery) = self.log_in_to_locking_sp(credential)?;
        let before = match discovery.locking() {
            Some(locking) if change.done_on_reset.is_none() => MbrControl {
                enable: locking.mbr_enabled,
                done: locking.mbr_done,
                done_on_reset: None,
            },
            _ => read_control(&mut session, Step::ReadMbrControl)?,
        };
        let columns = change.columns_unlike(&before);
        let changed = !columns.is_empty();
        let control = if changed {
            let set = session.set(uid::MBR_CONTROL, columns);
            set.at_as(Step::SetMbrControl, acting)?;
            let control = read_control(&mut session, Step::ReadBack)?;
            change.check(&control)?;
            control
        } else {
            before
        };
        session.end().at(Step::EndSession)?;
        Ok(MbrReport {
            changed,
            control: Some(control),
        })
    }

    /// What [`Drive::change_mbr`] would call, as far as Level 0 Discovery tells. Nothing is sent.
    ///
    /// # Errors
    /// What [`Drive::change_mbr`] refuses before anything is sent.
    pub fn plan_change_mbr(
        &self,
        change: &MbrChange,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, Error> {
        let mut plan = Plan::default();
        if self.mbr_needs(change, acting)? {
            plan.log_in(acting);
            plan.change(uid::MBR_CONTROL, "Set", change.to_string());
            plan.read(uid::MBR_CONTROL, "Get", "Enable to DoneOnReset");
        }
        Ok(plan.calls)
    }

    /// Whether Level 0 Discovery shows something that is not as asked, or does not show it at all.
    pub(super) fn mbr_needs(&self, change: &MbrChange, acting: Authority) -> Result<bool, Error> {
        self.require_mbr()?;
        self.require_active_as(acting)?;
        let locking = self.discovery.locking();
        let is = |asked: Option<bool>, shown: Option<bool>| asked.is_none() || asked == shown;
        let enabled = locking.map(|locking| locking.mbr_enabled);
        let done = locking.map(|locking| locking.mbr_done);
        let is_as_asked = is(change.enable, enabled) && is(change.done, done);
        Ok(!is_as_asked || change.done_on_reset.is_some())
    }

    /// Refuses drives that have no shadow MBR.
    pub(super) fn require_mbr(&self) -> Result<(), Error> {
        self.require_opal_family()?;
        match self.state().mbr {
            MbrState::NotSupported => Err(Error::before(TableError::NoShadowMbr.into())),
            _ => Ok(()),
        }
    }

    /// Refuses drives that have no such table, as far as Level 0 Discovery tells.
    pub(super) fn require_table(&self, name: TableName) -> Result<(), Error> {
        match name {
            TableName::Mbr => self.require_mbr(),
            TableName::DataStore(0) => Err(Error::before(TableError::Missing(name).into())),
            TableName::DataStore(_) => self.require_opal_family(),
        }
    }
}

impl fmt::Display for MbrChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |name, value: Option<bool>| Some(format!("{name} = {}", u8::from(value?)));
        let resets = self.done_on_reset.as_ref().map(|types| {
            let types: Vec<String> = types.iter().map(u8::to_string).collect();
            format!("DoneOnReset = {{{}}}", types.join(", "))
        });
        let parts = [flag("Enable", self.enable), flag("Done", self.done), resets];
        let parts: Vec<String> = parts.into_iter().flatten().collect();
        f.write_str(&parts.join(", "))
    }
}

impl MbrChange {
    /// The columns that have another value.
    fn columns_unlike(&self, control: &MbrControl) -> Columns {
        let unlike = |column, asked: Option<bool>, found: bool| {
            let asked = asked.filter(|asked| *asked != found)?;
            Some((column, asked.into()))
        };
        let mut columns = Columns::new();
        columns.extend(unlike(mbr_control::ENABLE, self.enable, control.enable));
        columns.extend(unlike(mbr_control::DONE, self.done, control.done));
        if let Some(asked) = &self.done_on_reset
            && control.done_on_reset.as_deref().map(sorted) != Some(sorted(asked))
        {
            let types = asked.iter().map(|kind| Value::from(u64::from(*kind)));
            columns.push((mbr_control::DONE_ON_RESET, Value::list(types)));
        }
        columns
    }

    /// Whether the control is as asked.
    fn check(&self, control: &MbrControl) -> Result<(), Error> {
        let column = match self.columns_unlike(control).first() {
            None => return Ok(()),
            Some((mbr_control::ENABLE, _)) => "Enable",
            Some((mbr_control::DONE, _)) => "Done",
            Some(_) => "DoneOnReset",
        };
        let mismatch = Cause::NotAsAsked(Mismatch::MbrControl { column });
        Err(Error::at(Step::ReadBack, mismatch))
    }
}

fn sorted(types: &[u8]) -> Vec<u8> {
    let mut types = types.to_vec();
    types.sort_unstable();
    types
}

/// Reads the control, which anybody may.
fn read_control(session: &mut Session<'_>, step: Step) -> Result<MbrControl, Error> {
    let columns = mbr_control::ENABLE..=mbr_control::DONE_ON_RESET;
    let row = session.get(uid::MBR_CONTROL, columns).at(step)?;
    let flag = |column| {
        let value = row.boolean(column).at(step)?;
        value.ok_or_else(|| {
            let nonsense = Malformed::new(MalformedKind::Result("MBRControl"), &[]);
            Error::at(step, session::Error::from(nonsense))
        })
    };
    Ok(MbrControl {
        enable: flag(mbr_control::ENABLE)?,
        done: flag(mbr_control::DONE)?,
        done_on_reset: row.set(mbr_control::DONE_ON_RESET).at(step)?,
    })
}
