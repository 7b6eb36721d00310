//! Revert: the whole TPer back to its original factory state, and the check that it is there.

use std::time::Duration;

use super::error::At;
use super::{
    Authority, Cause, Credential, Drive, DriveState, EraseConsent, Error, Finding, Mismatch, Step,
};
use crate::session;
use crate::spec::feature::DataRemovalMechanism;
use crate::spec::uid;

/// How long a TPer that has reported SUCCESS may take until Level 0 Discovery shows it.
const SETTLING_TIME: Duration = Duration::from_secs(10);
/// The pause between two questions.
const PAUSE: Duration = Duration::from_millis(250);

/// What a revert left.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RevertReport {
    /// The state afterwards, by Level 0 Discovery.
    pub state: DriveState,
    /// What is not as a new drive has it, although the revert was carried out.
    pub findings: Vec<Finding>,
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
        self.require_opal_family()?;
        if !matches!(by.authority, Authority::Sid | Authority::Psid) {
            return Err(Error::before(Cause::WrongAuthority(by.authority)));
        }
        if !consent.is_for(self.identity()) {
            return Err(Error::before(Cause::ConsentRequired));
        }
        let erasure_time = self.longest_erasure();
        let timeout = self.tper.timeout();
        self.tper.set_timeout(timeout.max(erasure_time));
        let reverted = self.send_revert(by);
        self.tper.set_timeout(timeout);
        reverted?;
        self.await_factory_state(timeout.max(erasure_time))?;
        Ok(RevertReport {
            state: self.state(),
            findings: self.diagnose(),
        })
    }

    /// Revert of the Admin SP, which ends the session. Without an answer it may have taken effect
    /// all the same, so that Level 0 Discovery decides.
    fn send_revert(&mut self, by: &Credential) -> Result<(), Error> {
        let mut session = self.log_in(by)?;
        match session.revert(uid::ADMIN_SP) {
            Ok(()) | Err(session::Error::NoAnswer | session::Error::Closed) => {
                session.forget();
                Ok(())
            }
            reverted => reverted.at_as(Step::Revert, by.authority),
        }
    }

    /// Asks Level 0 Discovery until it shows the original factory state. A drive may not answer
    /// anything for a while.
    fn await_factory_state(&mut self, erasure_time: Duration) -> Result<(), Error> {
        let mut waited = Duration::ZERO;
        loop {
            let discovered = self.discover_at(Step::CheckState);
            let remaining = match &discovered {
                Ok(()) => self.remaining(),
                Err(_) => None,
            };
            if discovered.is_ok() && remaining.is_none() {
                return Ok(());
            }
            let limit = match self.is_erasing() {
                true => erasure_time.max(SETTLING_TIME),
                false => SETTLING_TIME,
            };
            if waited >= limit {
                discovered?;
                let mismatch = remaining.unwrap_or(Mismatch::StillActivated);
                return Err(Error::at(Step::CheckState, Cause::NotAsAsked(mismatch)));
            }
            self.tper.pause(PAUSE).at(Step::CheckState)?;
            waited += PAUSE;
        }
    }

    /// What is not as after a revert. Whether SID is MSID again depends on the drive's history, so
    /// that it is a finding and no error.
    fn remaining(&self) -> Option<Mismatch> {
        if self.is_erasing() {
            return Some(Mismatch::StillErasing);
        }
        self.is_active().then_some(Mismatch::StillActivated)
    }

    fn is_erasing(&self) -> bool {
        let removal = self.discovery().data_removal();
        removal.is_some_and(|removal| removal.operation_processing)
    }

    /// The longest time that the drive announces for any way to remove data.
    fn longest_erasure(&self) -> Duration {
        let removal = self.discovery().data_removal();
        let seconds = removal.and_then(|removal| {
            let mechanisms = DataRemovalMechanism::ALL.into_iter();
            let supported = mechanisms.filter(|mechanism| removal.supports(*mechanism));
            supported
                .filter_map(|mechanism| removal.seconds(mechanism))
                .max()
        });
        Duration::from_secs(seconds.unwrap_or_default().into())
    }
}
