//! What a drive tells to anybody beside Level 0 Discovery: random bytes, the state of its ComID, its
//! security protocols and certificates.

use super::error::At;
use super::{Drive, Error, Step};
use crate::session::{self, Certificate, ComIdValidity, Compliance, SupportedProtocols};
use crate::spec::uid;

/// Random bytes that every TPer gives at a time (\[Opal\] 4.2.6.1).
const RANDOM_BYTES: usize = 32;

/// Security protocol information; `None` is what the drive does not tell.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ProtocolInformation {
    /// The security protocols that it has.
    pub protocols: Option<SupportedProtocols>,
    /// Its certificate; empty if it has none.
    pub certificate: Option<Certificate>,
    /// What it was certified for.
    pub compliance: Option<Compliance>,
}

impl Drive {
    /// Random bytes of the drive's generator, `count` of them.
    ///
    /// # Errors
    /// [`Error`] with the step at which it failed.
    pub fn random(&mut self, count: usize) -> Result<Vec<u8>, Error> {
        self.require_core_2()?;
        let mut session = self.open_as_anybody(uid::ADMIN_SP)?;
        let mut bytes = Vec::with_capacity(count);
        while bytes.len() < count {
            let wanted = RANDOM_BYTES.min(count - bytes.len());
            let part = session.random(u64::try_from(wanted).unwrap_or(u64::MAX));
            let part = part.at(Step::Random)?;
            if part.len() != wanted {
                let kind = session::MalformedKind::Result("random bytes");
                let malformed = session::Malformed::new(kind, &[]);
                return Err(Error::at(Step::Random, session::Error::from(malformed)));
            }
            bytes.extend(part);
        }
        session.end().at(Step::EndSession)?;
        Ok(bytes)
    }

    /// The state of the ComID by which the drive is talked to (VERIFY_COMID_VALID).
    ///
    /// # Errors
    /// [`Error`] at step [`Step::VerifyComId`].
    pub fn verify_com_id(&mut self) -> Result<ComIdValidity, Error> {
        self.tper.verify_com_id().at(Step::VerifyComId)
    }

    /// Security protocol information (protocol 00h).
    ///
    /// # Errors
    /// [`Error`] at step [`Step::ReadProtocols`]; pages that the drive does not have are none.
    pub fn protocol_information(&mut self) -> Result<ProtocolInformation, Error> {
        let protocols = known(self.tper.supported_protocols())?;
        let certificate = known(self.tper.certificate())?;
        let compliance = known(self.tper.compliance())?;
        Ok(ProtocolInformation {
            protocols,
            certificate,
            compliance,
        })
    }
}

fn known<T>(page: Result<T, session::Error>) -> Result<Option<T>, Error> {
    match page {
        Err(error) if error.is_unknown_command() => Ok(None),
        page => page.map(Some).at(Step::ReadProtocols),
    }
}
