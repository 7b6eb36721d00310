//! The state of a drive in JSON.

use serde::Serialize;

use crate::drive::DriveState;

/// What Level 0 Discovery tells of the state.
#[derive(Debug, Serialize)]
pub(crate) struct StateFields {
    /// The one word: `factory`, `owned`, `unlocked`, `locked`, …
    state: &'static str,
    locking: &'static str,
    owned: Option<bool>,
    sid_blocked: Option<bool>,
    frozen: bool,
    mbr: &'static str,
}

impl From<&DriveState> for StateFields {
    fn from(state: &DriveState) -> Self {
        Self {
            state: state.word(),
            locking: state.locking.name(),
            owned: state.owned,
            sid_blocked: state.sid_blocked,
            frozen: state.frozen,
            mbr: state.mbr.name(),
        }
    }
}
