//! What the drive speaks beside TCG Storage: security protocols 00h and EFh (\[SPC\] 7.7.1, \[SAT\]).

use super::Tper;
use super::com::Refusal;
use crate::vdrive::profile::AtaSecurityState;

/// IEEE 1667, which is announced only.
const IEEE_1667: u8 = 0xee;
/// ATA Security.
const ATA_SECURITY: u8 = 0xef;

impl Tper {
    /// Protocol 00h: the list of protocols in ascending order, and a certificate of length 0.
    pub(super) fn information(&self, page: u16) -> Result<Vec<u8>, Refusal> {
        const SUPPORTED_PROTOCOLS: u16 = 0;
        const CERTIFICATE: u16 = 1;
        match page {
            SUPPORTED_PROTOCOLS => Ok(self.supported_protocols()),
            CERTIFICATE => Ok(vec![0; 4]),
            _ => Err(Refusal::InvalidParameter),
        }
    }

    fn supported_protocols(&self) -> Vec<u8> {
        let mut protocols = vec![0x00, 0x01, 0x02];
        if self.state.profile.neighbours.ieee_1667 {
            protocols.push(IEEE_1667);
        }
        if self.ata_security() != AtaSecurityState::None {
            protocols.push(ATA_SECURITY);
        }
        let mut list = vec![0; 6];
        let length = u16::try_from(protocols.len()).unwrap_or(u16::MAX);
        list.extend(length.to_be_bytes());
        list.extend(protocols);
        list
    }

    /// Protocol EFh, page 0: sixteen bytes, of which the drive fills in the length (0Eh) and the
    /// state.
    pub(super) fn receive_ata_security(&self, page: u16) -> Result<Vec<u8>, Refusal> {
        const INFORMATION: u16 = 0;
        let flags = self.ata_security().flags();
        if page != INFORMATION || flags == 0 {
            return Err(Refusal::InvalidParameter);
        }
        Ok(vec![
            0, 0x0e, 0, 0, 0, 0, 0xff, 0xfe, 0, flags, 0, 0, 0, 0, 0, 0,
        ])
    }

    /// ATA Security is to be had only while the Locking SP is inactive (\[SIIS\]).
    pub(crate) fn ata_security(&self) -> AtaSecurityState {
        if self.state.active {
            AtaSecurityState::None
        } else {
            self.state.profile.neighbours.ata_security
        }
    }

    /// While a user password is set, the Locking SP stays inactive.
    pub(super) fn has_ata_password(&self) -> bool {
        self.ata_security().has_password()
    }
}
