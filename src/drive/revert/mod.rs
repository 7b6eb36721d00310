//! Revert: the whole TPer back to its original factory state, and the check that it is there.
//!
//! `keep` is for the Locking SP alone, with the key of the Global range kept; `release` gives a drive
//! back without touching a key.

mod keep;
mod release;

use std::time::Duration;

pub(super) use keep::look;
pub use keep::{KeepReport, OtherRanges};
pub use release::{ReleaseReport, Releasing};
pub(super) use release::{can_lock, unlockable};

use super::error::At;
use super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, Finding, LockingState,
    MbrState, Mismatch, Step,
};
use crate::session::{self, Session};
use crate::spec::feature::{DataRemovalMechanism, PinIndicator};
use crate::spec::uid;

/// How long a TPer that has reported SUCCESS may take until Level 0 Discovery shows it.
const SETTLING_TIME: Duration = Duration::from_secs(10);
/// The longest time for removing data that is waited for beyond the caller's limit; a drive may
/// announce days, for ways to remove data that a revert does not use.
const ERASURE_LIMIT: Duration = Duration::from_secs(600);
/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(250);

/// What a revert left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevertReport {
    /// False if the drive was in its original factory state already: nothing was sent then.
    pub changed: bool,
    /// Whether user data were erased. A revert of a drive whose locking is inactive, or that has
    /// no way to remove data, leaves them in place.
    pub erased: bool,
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
    /// What is not as a new drive has it, although the revert was carried out.
    pub findings: Vec<Finding>,
}

/// A revert that was sent.
struct Sent {
    by: Authority,
    /// The state before.
    before: DriveState,
    /// Why it is not known whether the drive carried it out; `None` if it said so.
    unanswered: Option<session::Error>,
}

impl Drive {
    /// Returns the TPer to its original factory state, and checks it.
    ///
    /// # Warning
    /// All data are lost if locking is activated.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed; [`Cause::ConsentRequired`] if the consent was
    /// given for another drive.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "consent is given for one act, and used up by it"
    )]
    pub fn revert(
        &mut self,
        by: &Credential,
        consent: EraseConsent,
    ) -> Result<RevertReport, Error> {
        self.require_revert(by.authority)?;
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let before = self.state();
        if self.is_in_factory_state() {
            self.forget_locking_sp();
            return Ok(self.revert_report(false, false));
        }
        let erased = self.is_active() && self.can_erase();
        let limit = self.tper.timeout() + self.erasure_time();
        let unanswered = self.send_revert(by, limit)?;
        let by = by.authority;
        self.await_factory_state(
            Sent {
                by,
                before,
                unanswered,
            },
            limit,
        )?;
        self.forget_everything();
        Ok(self.revert_report(true, erased))
    }

    /// Refuses who cannot revert this drive. Nothing is sent.
    pub(super) fn require_revert(&self, by: Authority) -> Result<(), Error> {
        self.require_opal_family()?;
        match by {
            Authority::Sid | Authority::Psid => self.require_sp_of(by),
            _ => Err(Error::before(Cause::WrongAuthority(by))),
        }
    }

    /// Whether there is nothing to revert.
    pub(super) fn is_in_factory_state(&self) -> bool {
        let state = self.state();
        state.locking == LockingState::Inactive && state.owned == Some(false)
    }

    fn revert_report(&self, changed: bool, erased: bool) -> RevertReport {
        RevertReport {
            changed,
            erased,
            state: self.state(),
            findings: self.diagnose(),
        }
    }

    /// Revert of the Admin SP, which ends the session; it may take as long as `limit`. Why there was
    /// no answer, if there was none: it may have taken effect all the same, so that Level 0
    /// Discovery decides.
    fn send_revert(
        &mut self,
        by: &Credential,
        limit: Duration,
    ) -> Result<Option<session::Error>, Error> {
        let timeout = self.tper.timeout();
        let mut session = self.log_in(by)?;
        session.set_timeout(limit);
        let reverted = session.revert(uid::ADMIN_SP);
        let sent = conclude(session, reverted).at_as(Step::Revert, by.authority);
        self.tper.set_timeout(timeout);
        sent
    }

    /// Asks Level 0 Discovery until it shows the original factory state. A drive may not answer
    /// anything for a while.
    fn await_factory_state(&mut self, sent: Sent, limit: Duration) -> Result<(), Error> {
        let start = self.tper.now();
        loop {
            let discovered = self.discover_at(Step::CheckState);
            let remaining = self.remaining(&sent);
            if discovered.is_ok() && remaining.is_none() {
                return Ok(());
            }
            let limit = match self.is_erasing() {
                true => limit.max(SETTLING_TIME),
                false => SETTLING_TIME,
            };
            if self.tper.now().saturating_sub(start) >= limit {
                discovered?;
                return Err(sent.failure(remaining.unwrap_or(Mismatch::StillActivated)));
            }
            self.tper.pause(PAUSE).at(Step::CheckState)?;
        }
    }

    /// What is not as after a revert. Whether SID is MSID again depends on the drive's history
    /// unless the SSC says that it is, so that it is a finding and no error elsewhere.
    fn remaining(&self, sent: &Sent) -> Option<Mismatch> {
        let now = self.state();
        let is_msid = self.pin_behaviour_on_revert() == Some(PinIndicator::MSID);
        if self.is_erasing() {
            Some(Mismatch::StillErasing)
        } else if self.is_active() {
            Some(Mismatch::StillActivated)
        } else if matches!(now.mbr, MbrState::Shown | MbrState::Done) {
            Some(Mismatch::MbrEnabled)
        } else if sent.by == Authority::Sid && is_msid && now.owned == Some(true) {
            Some(Mismatch::SidNotMsid)
        } else if sent.unanswered.is_some() && !sent.shows_in(&now) {
            Some(Mismatch::Unchanged)
        } else {
            None
        }
    }

    /// Whether data are being removed now.
    pub(super) fn is_erasing(&self) -> bool {
        let removal = self.discovery().data_removal();
        removal.is_some_and(|removal| removal.operation_processing)
    }

    /// Whether a revert removes data: by new media encryption keys, or by a mechanism of its own.
    fn can_erase(&self) -> bool {
        let locking = self.discovery().locking();
        let encrypts = locking.is_some_and(|locking| locking.media_encryption);
        encrypts || self.discovery().data_removal().is_some()
    }

    /// The time that the drive announces for replacing its keys or, where it does not, the longest
    /// for any way to remove data.
    pub(super) fn erasure_time(&self) -> Duration {
        let removal = self.discovery().data_removal();
        let seconds = removal.and_then(|removal| {
            let supported = |mechanism: &DataRemovalMechanism| removal.supports(*mechanism);
            let seconds = |mechanism| removal.seconds(mechanism);
            let keys = Some(DataRemovalMechanism::CRYPTOGRAPHIC_ERASE);
            let all = DataRemovalMechanism::ALL.into_iter();
            let longest = || all.filter(supported).filter_map(seconds).max();
            keys.filter(supported).and_then(seconds).or_else(longest)
        });
        Duration::from_secs(seconds.unwrap_or_default().into()).min(ERASURE_LIMIT)
    }
}

/// Ends a session that a revert has ended, or was to end. Why there was no answer, if there was none.
pub(super) fn conclude(
    session: Session<'_>,
    reverted: Result<(), session::Error>,
) -> Result<Option<session::Error>, session::Error> {
    match reverted {
        Ok(()) => {
            session.forget();
            Ok(None)
        }
        Err(
            error @ (session::Error::NoAnswer
            | session::Error::Closed
            | session::Error::TimedOut { .. }),
        ) => {
            session.forget();
            Ok(Some(error))
        }
        Err(error) => {
            drop(session);
            Err(error)
        }
    }
}

impl Sent {
    /// Whether the state shows that the revert was carried out.
    fn shows_in(&self, now: &DriveState) -> bool {
        let was_active = matches!(
            self.before.locking,
            LockingState::Unlocked | LockingState::Locked
        );
        let is_inactive = now.locking == LockingState::Inactive;
        let was_owned = self.before.owned == Some(true);
        (was_active && is_inactive) || (was_owned && now.owned == Some(false))
    }

    /// What is reported if the drive is not as it should be. Without an answer, that is the error.
    fn failure(self, mismatch: Mismatch) -> Error {
        match self.unanswered {
            Some(error) if mismatch != Mismatch::StillErasing => Error::at(Step::Revert, error),
            _ => Error::at(Step::CheckState, Cause::NotAsAsked(mismatch)),
        }
    }
}
