//! The TPer of a virtual drive: everything that stands behind IF-SEND and IF-RECV.
//!
//! From the outside to the inside:
//!
//! - [`com`] and [`management`]: security protocols, ComIDs, the synchronous protocol;
//! - [`neighbours`]: what the drive speaks beside TCG Storage;
//! - [`level0`]: Level 0 Discovery, encoded from the live state;
//! - [`sessions`] and [`properties`]: the session manager;
//! - [`parser`] and [`interpreter`]: token streams of a session, transactions;
//! - [`access`] and [`authentication`]: who may do what, decided by the rows of AccessControl and
//!   ACE and nothing else;
//! - [`methods`]: what each method does;
//! - [`tables`]: the rows of \[Opal\] 4 as data;
//! - [`state`], [`keep`] and [`byte_store`]: what is remembered, and how it reaches the file;
//! - [`single_user`]: what is in Single User Mode, Reactivate and Erase;
//! - [`removal`] and [`work`]: removal of data, and that it takes time;
//! - [`resets`]: power cycle, hardware reset, TPER_RESET, stack reset.
//!
//! An interface command works on the state in memory. At its end all that it changed is written in
//! one step ([`keep`]), so a program that is killed at any instant leaves the drive as it was before
//! the command or as it is after it, its session and its waiting response included. What is
//! non-volatile is on the disk before the host can fetch the response.
//!
//! Nothing here knows the host's side, and no input can make it panic.

#![forbid(unsafe_code)]
#![deny(clippy::indexing_slicing)]

mod access;
mod arguments;
mod authentication;
pub(crate) mod byte_store;
mod byte_table;
pub(crate) mod cell;
mod com;
#[cfg(test)]
mod crash;
mod dialect;
mod interpreter;
mod keep;
mod level0;
mod management;
mod media_view;
mod methods;
mod neighbours;
mod parser;
mod properties;
#[cfg(test)]
mod recovery;
mod removal;
mod resets;
mod sessions;
pub(crate) mod single_user;
pub(crate) mod state;
pub(crate) mod tables;
mod view;
mod work;

use crate::spec::LifeCycle;
use crate::transport::InterfaceStatus;
use crate::vdrive::profile::{Profile, ProfileError};
use crate::vdrive::store::{Store, StoreError};
use state::{Power, Session, State};
use tables::{Catalogue, Plan, SpId};
use view::View;

pub(crate) use keep::first_record;
pub(crate) use resets::Reset;

/// The milliseconds that have passed since some fixed time.
pub(crate) type Clock = Box<dyn Fn() -> u64 + Send>;

/// The TPer.
pub(crate) struct Tper {
    store: Store,
    state: State,
    power: Power,
    catalogue: Catalogue,
    clock: Clock,
    /// `state` is not what the file holds.
    changed: bool,
    /// How many of `state.pending` have been carried out.
    done: usize,
    /// The file failed while the command was running, which therefore has no effect.
    failed: Option<KeepError>,
}

/// Why an interface command was not carried out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CommandError {
    /// The TPer refuses it.
    #[error("{0}")]
    Refused(InterfaceStatus),
    /// The drive's file failed. The drive is as it was before the command, unless all that failed
    /// was the work that follows the commit: then it is as after the command, and the next command
    /// does that work again.
    #[error("the drive's file failed")]
    Keep(#[from] KeepError),
}

/// Why the state of a drive could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeepError {
    /// The file failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The record of the state is no JSON, or holds something else.
    #[error("the drive's state is malformed")]
    Malformed(#[from] serde_json::Error),
    /// The record of the state is not one of this drive.
    #[error("the drive's state contradicts itself")]
    Contradiction,
    /// The profile in the file is impossible.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// There are no random numbers.
    #[error("no random numbers")]
    Random(#[from] getrandom::Error),
}

impl From<InterfaceStatus> for CommandError {
    fn from(status: InterfaceStatus) -> Self {
        Self::Refused(status)
    }
}

impl Tper {
    /// The model.
    pub(crate) const fn profile(&self) -> &Profile {
        &self.state.profile
    }

    /// What survives a loss of power.
    pub(crate) const fn state(&self) -> &State {
        &self.state
    }

    /// What does not.
    pub(crate) const fn power(&self) -> &Power {
        &self.power
    }

    /// The file.
    pub(crate) const fn store(&self) -> &Store {
        &self.store
    }

    /// Replaces the clock that session timeouts go by.
    pub(crate) fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// The life cycle state of the Locking SP (\[Opal\] 5.2.2, \[Block SID\] 4.3).
    pub(crate) const fn life_cycle(&self) -> LifeCycle {
        match (self.state.active, self.power.block.frozen) {
            (false, _) => LifeCycle::MANUFACTURED_INACTIVE,
            (true, false) => LifeCycle::MANUFACTURED,
            (true, true) => LifeCycle::MANUFACTURED_FROZEN,
        }
    }

    /// An SP as everybody sees it who has no transaction open.
    pub(crate) const fn view(&self, sp: SpId) -> View<'_> {
        View::new(self, sp, self.state.contents(sp))
    }

    /// An SP as a session sees it.
    fn session_view<'a>(&'a self, session: &'a Session) -> View<'a> {
        match &session.transaction {
            Some(transaction) => View::new(self, session.sp, &transaction.contents),
            None => self.view(session.sp),
        }
    }

    /// The state, to be changed: it will be written at the end of the command.
    fn edit(&mut self) -> &mut State {
        self.changed = true;
        &mut self.state
    }

    fn now(&self) -> u64 {
        (self.clock)()
    }
}

/// The tables that follow from a state.
fn catalogue(state: &State) -> Catalogue {
    Catalogue::new(&Plan {
        profile: &state.profile,
        label: &state.label,
        initial_pin: state.initial_pin,
        data_stores: &state.data_stores,
        single_user: &state.single_user,
    })
}
