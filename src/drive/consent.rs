//! Consent: the value that every destructive function asks for.

use crate::session::{Identity, sanitise};

/// Proof that somebody named the drive whose data may be lost.
///
/// It exists only for the serial number of one drive, and is refused by every other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EraseConsent {
    serial: String,
}

/// The serial number that was given is not the drive's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConsentError {
    /// Nothing was given, or the drive has no serial number by which it could be named.
    #[error("no serial number")]
    Empty,
    /// Another serial number was given.
    #[error("the drive's serial number is {expected}, not {given}")]
    Mismatch {
        /// The drive's serial number, sanitised.
        expected: String,
        /// What was given, sanitised.
        given: String,
    },
}

impl EraseConsent {
    /// Checks the serial number that somebody gave against the drive's. Blanks around it do not
    /// count; everything else does, case included.
    ///
    /// # Errors
    /// [`ConsentError`] if it is another one, or if there is none.
    pub fn new(confirmed_serial: &str, identity: &Identity) -> Result<Self, ConsentError> {
        let expected = identity.serial_text();
        let given = sanitise(confirmed_serial.as_bytes());
        if expected.is_empty() || given.is_empty() {
            return Err(ConsentError::Empty);
        }
        if expected != given {
            return Err(ConsentError::Mismatch { expected, given });
        }
        Ok(Self { serial: expected })
    }

    /// Whether it was given for this drive.
    #[must_use]
    pub fn is_for(&self, identity: &Identity) -> bool {
        self.serial == identity.serial_text()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Bus;

    fn identity(serial: &[u8]) -> Identity {
        Identity::new(Bus::Virtual, b"model", serial, b"1.0")
    }

    #[test]
    fn only_the_serial_number_of_the_drive_is_consent() {
        let drive = identity(b"S3R1AL0001          ");
        let consent = EraseConsent::new(" S3R1AL0001 ", &drive).unwrap();
        assert!(consent.is_for(&drive));
        assert!(!consent.is_for(&identity(b"S3R1AL0002")));
        for other in ["s3r1al0001", "S3R1AL000", "S3R1AL0002"] {
            assert!(matches!(
                EraseConsent::new(other, &drive),
                Err(ConsentError::Mismatch { .. })
            ));
        }
    }

    #[test]
    fn a_drive_without_serial_number_cannot_be_named() {
        let blank = identity(b"    ");
        assert_eq!(EraseConsent::new("", &blank), Err(ConsentError::Empty));
        assert_eq!(EraseConsent::new("x", &blank), Err(ConsentError::Empty));
    }
}
