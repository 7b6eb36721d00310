//! What a drive speaks beside TCG Storage, and what of it gets in the way.

use super::{Drive, Finding};
use crate::session::{AtaSecurity, Tper, TperOptions, Transport};
use crate::spec::SecurityProtocol;

/// What a drive speaks beside TCG Storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Neighbours {
    /// The security protocols that the drive says it has; empty if it does not say.
    pub protocols: Vec<SecurityProtocol>,
    /// The state of ATA Security, where the interface or security protocol EFh tells it.
    pub ata_security: Option<AtaSecurity>,
    /// Which of the two it was; `None` if neither did.
    pub ata_source: Option<AtaSource>,
}

/// Who told the state of ATA Security.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtaSource {
    /// IDENTIFY DEVICE, word 128.
    IdentifyDevice,
    /// Security protocol EFh.
    SecurityProtocol,
}

impl Neighbours {
    /// Asks a drive that may be no TCG drive at all: one IF-RECV, or two.
    #[must_use]
    pub fn of(transport: Box<dyn Transport>) -> Self {
        Self::ask(&mut Tper::new(transport, TperOptions::default()))
    }

    fn ask(tper: &mut Tper) -> Self {
        let protocols = tper.security_protocols().unwrap_or_default();
        let told = tper.transport().facts().ata_security;
        let has_protocol = protocols.contains(&SecurityProtocol::ATA_SECURITY);
        let asked = match told {
            None if has_protocol => tper.ata_security().ok().flatten(),
            _ => None,
        };
        let by_identify = told.map(|_| AtaSource::IdentifyDevice);
        let by_protocol = asked.map(|_| AtaSource::SecurityProtocol);
        Self {
            protocols,
            ata_security: told.or(asked),
            ata_source: by_identify.or(by_protocol),
        }
    }

    /// Whether the drive speaks IEEE 1667, as Windows' eDrive needs it.
    #[must_use]
    pub fn has_ieee_1667(&self) -> bool {
        self.protocols.contains(&SecurityProtocol::IEEE_1667)
    }

    /// What of it gets in the way: an ATA password.
    #[must_use]
    pub fn finding(&self) -> Option<Finding> {
        let (security, by) = self.ata_security.zip(self.ata_source)?;
        (security.enabled || security.locked).then_some(Finding::AtaPassword { security, by })
    }
}

impl Drive {
    /// Asks for the drive's security protocols and, where the interface has not told it, for the
    /// state of ATA Security: one IF-RECV, or two. The answers are kept, and nothing is sent the
    /// next time.
    ///
    /// Drives that refuse the questions just say nothing: no error comes of it.
    pub fn neighbours(&mut self) -> &Neighbours {
        let found = match self.neighbours.take() {
            Some(known) => known,
            None => Neighbours::ask(&mut self.tper),
        };
        self.neighbours.insert(found)
    }

    /// The answers, once somebody has asked for them.
    pub(super) const fn known_neighbours(&self) -> Option<&Neighbours> {
        self.neighbours.as_ref()
    }
}
