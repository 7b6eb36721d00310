//! Security protocol information (00h): what protocols a device has, and its certificate (\[SPC\]
//! 7.7.1).

use crate::spec::{ComId, SecurityProtocol};
use crate::wire::{DecodeError, Reader};

/// The security protocols that a device has (protocol 00h, SP Specific 0000h).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SupportedProtocols(pub Vec<SecurityProtocol>);

impl SupportedProtocols {
    /// The SP Specific field that asks for the list.
    pub const SP_SPECIFIC: ComId = ComId(0x0000);

    /// Decodes the list; what follows its length is padding.
    ///
    /// # Errors
    /// [`crate::wire::DecodeErrorKind::Truncated`] if the list is longer than `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        reader.take(6)?;
        let length = usize::from(reader.u16()?);
        let protocols = reader.take(length)?;
        Ok(Self(
            protocols.iter().copied().map(SecurityProtocol).collect(),
        ))
    }

    /// The list as a device answers it. The standard wants protocols in ascending order, 00h first.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let length = u16::try_from(self.0.len()).unwrap_or(u16::MAX);
        let mut out = vec![0; 6];
        out.extend(length.to_be_bytes());
        out.extend(
            self.0
                .iter()
                .take(usize::from(length))
                .map(|protocol| protocol.0),
        );
        out
    }

    /// True if the device has the protocol.
    #[must_use]
    pub fn contains(&self, protocol: SecurityProtocol) -> bool {
        self.0.contains(&protocol)
    }
}

/// The certificate of a device (protocol 00h, SP Specific 0001h).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Certificate(
    /// X.509 in DER; empty if the device has none.
    pub Vec<u8>,
);

impl Certificate {
    /// The SP Specific field that asks for the certificate.
    pub const SP_SPECIFIC: ComId = ComId(0x0001);

    /// Decodes the certificate; what follows its length is padding.
    ///
    /// # Errors
    /// [`crate::wire::DecodeErrorKind::Truncated`] if the certificate is longer than `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        reader.take(2)?;
        let length = usize::from(reader.u16()?);
        Ok(Self(reader.take(length)?.to_vec()))
    }

    /// The certificate as a device answers it; cut where it is longer than its length field tells.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let length = u16::try_from(self.0.len()).unwrap_or(u16::MAX);
        let mut out = vec![0; 2];
        out.extend(length.to_be_bytes());
        out.extend(self.0.iter().take(usize::from(length)));
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::DecodeErrorKind;

    fn padded_to_block(bytes: &[u8]) -> Vec<u8> {
        let mut block = bytes.to_vec();
        block.resize(512, 0);
        block
    }

    #[test]
    fn the_minimal_list_of_an_opal_drive() {
        let bytes = [0, 0, 0, 0, 0, 0, 0, 3, 0, 1, 2];
        let list = SupportedProtocols::decode(&padded_to_block(&bytes)).unwrap();
        assert_eq!(list.0, [0, 1, 2].map(SecurityProtocol));
        assert_eq!(list.encode(), bytes);
        assert!(list.contains(SecurityProtocol::TCG));
        assert!(!list.contains(SecurityProtocol::IEEE_1667));
    }

    #[test]
    fn a_list_longer_than_its_data_is_an_error() {
        let bytes = [0, 0, 0, 0, 0, 0, 0xff, 0xff, 0, 1, 2];
        let kind = DecodeErrorKind::Truncated { missing: 0xfffc };
        assert_eq!(
            SupportedProtocols::decode(&bytes),
            Err(DecodeError::new(8, kind))
        );
        for length in 0..8 {
            assert!(SupportedProtocols::decode(&bytes[..length]).is_err());
        }
    }

    #[test]
    fn a_certificate_has_its_length() {
        let none = Certificate::decode(&[0; 512]).unwrap();
        assert_eq!(none, Certificate(Vec::new()));
        let bytes = [0, 0, 0, 3, 0x30, 0x01, 0x00];
        let certificate = Certificate::decode(&padded_to_block(&bytes)).unwrap();
        assert_eq!(certificate.0, [0x30, 0x01, 0x00]);
        assert_eq!(certificate.encode(), bytes);
        assert!(Certificate::decode(&bytes[..6]).is_err());
    }
}
