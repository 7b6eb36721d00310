//! Security protocol information (00h): what protocols a device has, its certificate, and what it
//! was certified for (\[SPC\] 7.7.1).

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

/// What a device was certified for (protocol 00h, SP Specific 0002h).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Compliance(
    /// One for each standard.
    pub Vec<ComplianceDescriptor>,
);

/// A descriptor of the security compliance information.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ComplianceDescriptor {
    /// FIPS 140 (type 0001h).
    Fips140(Fips140),
    /// Any other.
    Other {
        /// Its type.
        kind: u16,
        /// Its contents.
        contents: Vec<u8>,
    },
}

/// A certificate of FIPS 140. Texts are what the device sent, without the padding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fips140 {
    /// The revision: `2` for FIPS 140-2.
    pub revision: u8,
    /// The overall level: `1` to `4`.
    pub level: u8,
    /// Version of the hardware.
    pub hardware_version: Vec<u8>,
    /// Version of the firmware.
    pub version: Vec<u8>,
    /// The certified module.
    pub module: Vec<u8>,
}

impl Compliance {
    /// The SP Specific field that asks for the information.
    pub const SP_SPECIFIC: ComId = ComId(0x0002);

    /// Decodes the information; what follows its length is padding.
    ///
    /// # Errors
    /// [`crate::wire::DecodeErrorKind::Truncated`] if it is longer than `bytes`.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let length = usize::try_from(reader.u32()?).unwrap_or(usize::MAX);
        let base = reader.offset();
        let mut reader = Reader::new(reader.take(length)?);
        let mut descriptors = Vec::new();
        while reader.remaining() > 0 {
            let descriptor = ComplianceDescriptor::read(&mut reader);
            descriptors.push(descriptor.map_err(|error| error.shifted(base))?);
        }
        Ok(Self(descriptors))
    }
}

impl ComplianceDescriptor {
    const FIPS_140: u16 = 0x0001;

    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let kind = reader.u16()?;
        reader.take(2)?;
        let length = usize::try_from(reader.u32()?).unwrap_or(usize::MAX);
        let base = reader.offset();
        let contents = reader.take(length)?;
        match kind {
            Self::FIPS_140 => Fips140::read(&mut Reader::new(contents))
                .map(Self::Fips140)
                .map_err(|error| error.shifted(base)),
            kind => Ok(Self::Other {
                kind,
                contents: contents.to_vec(),
            }),
        }
    }
}

impl Fips140 {
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (revision, level) = (reader.u8()?, reader.u8()?);
        reader.take(6)?;
        Ok(Self {
            revision,
            level,
            hardware_version: trimmed(reader.take(128)?),
            version: trimmed(reader.take(128)?),
            module: trimmed(reader.take(256)?),
        })
    }
}

/// Without the zeros and blanks at the end.
fn trimmed(text: &[u8]) -> Vec<u8> {
    let is_text = |byte: &u8| *byte != 0 && *byte != b' ';
    let end = text.iter().rposition(is_text).map_or(0, |last| last + 1);
    text.iter().take(end).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::DecodeErrorKind;

    /// FIPS 140-2, level 2, and a descriptor that nobody knows.
    fn compliance() -> Vec<u8> {
        let mut fips = vec![0; 0x208];
        fips[..2].copy_from_slice(b"22");
        fips[8..12].copy_from_slice(b"HW 1");
        fips[136..139].copy_from_slice(b"FW2");
        fips[264..270].copy_from_slice(b"Module");
        let mut bytes = vec![0, 0, 2, 0x1a, 0, 1, 0, 0, 0, 0, 2, 8];
        bytes.extend(fips);
        bytes.extend([0x80, 0x01, 0, 0, 0, 0, 0, 2, 0xab, 0xcd]);
        bytes
    }

    #[test]
    fn compliance_has_certificates_and_what_is_unknown() {
        let bytes = compliance();
        let Compliance(found) = Compliance::decode(&padded_to_block(&bytes)).unwrap();
        let fips = Fips140 {
            revision: b'2',
            level: b'2',
            hardware_version: b"HW 1".to_vec(),
            version: b"FW2".to_vec(),
            module: b"Module".to_vec(),
        };
        let unknown = ComplianceDescriptor::Other {
            kind: 0x8001,
            contents: vec![0xab, 0xcd],
        };
        assert_eq!(found, [ComplianceDescriptor::Fips140(fips), unknown]);
        for length in 0..bytes.len() {
            assert!(Compliance::decode(&bytes[..length]).is_err(), "{length}");
        }
        assert_eq!(Compliance::decode(&[0; 512]), Ok(Compliance::default()));
    }

    fn padded_to_block(bytes: &[u8]) -> Vec<u8> {
        let mut block = bytes.to_vec();
        block.resize(bytes.len().next_multiple_of(512), 0);
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
