//! Schemes: by which names people say what becomes of a passphrase before it reaches the drive.
//!
//! Firmware sends what is typed; the sedutil family derives 32 bytes by PBKDF2. Beside the schemes
//! by which PINs are set there are those that are worth recognising: what other programs and
//! firmware make of a passphrase, on purpose or not.

use std::fmt;
use std::str::FromStr;

/// How a passphrase becomes a PIN, or the password of another lock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scheme {
    /// The bytes as typed, refused unless a firmware prompt can type them: 8 to 32 printable ASCII
    /// characters without blanks.
    #[default]
    Firmware,
    /// Any bytes as they are.
    Raw,
    /// PBKDF2-HMAC-SHA1 with 75,000 iterations: sedutil and most of its forks.
    Sedutil,
    /// PBKDF2-HMAC-SHA512 with 500,000 iterations: ChubbyAnt's fork and its descendants.
    SedutilSha512,
    /// PBKDF2-HMAC-SHA512 with 75,000 iterations: ladar's fork, opalctl.
    SedutilSha512With75k,
    /// SHA-256 twice over scan codes, serial number and model: the ATA password of older ThinkPads.
    LenovoAta,
    /// The first 32 bytes: what `sedutil -n` and EDK2's prompt leave of a longer passphrase.
    RawCut32,
    /// The bytes, filled up with NUL to 32.
    RawNul32,
    /// One byte for each character up to U+00FF: what EDK2's prompt sends for umlauts and accents.
    RawLatin1,
    /// The bytes with ASCII letters in upper case, as under Caps Lock.
    RawUpper,
    /// The bytes with ASCII letters in lower case.
    RawLower,
    /// SHA-256 of the bytes.
    Sha256,
    /// The bytes, filled up with NUL to 32, as an ATA password: EDK2's HddPassword.
    Edk2Ata,
    /// Scan codes, filled up with NUL to 32, as an ATA password: Dell and others of the 2000s.
    ScancodeAta,
    /// SHA-256 of passphrase, model and serial number, as an ATA password: nvme-ata-security.
    NvmeAtaTool,
    /// SHA-256 a thousand times over UTF-16: the key of WD's My Passport and My Book.
    WdKek,
}

/// What the bytes that a scheme makes open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SchemeOutput {
    /// A `C_PIN` of a TCG drive.
    Pin,
    /// ATA Security, also over security protocol EFh of NVMe; it never reaches a `C_PIN`.
    AtaPassword,
    /// A lock of the vendor's own.
    VendorKey,
}

impl Scheme {
    /// Every scheme, in the order of the documentation.
    pub const ALL: [Self; 16] = [
        Self::Firmware,
        Self::Raw,
        Self::Sedutil,
        Self::SedutilSha512,
        Self::SedutilSha512With75k,
        Self::LenovoAta,
        Self::RawCut32,
        Self::RawNul32,
        Self::RawLatin1,
        Self::RawUpper,
        Self::RawLower,
        Self::Sha256,
        Self::Edk2Ata,
        Self::ScancodeAta,
        Self::NvmeAtaTool,
        Self::WdKek,
    ];

    /// The schemes by which new PINs are made; all others are for what was set by somebody else.
    pub const SETTABLE: [Self; 6] = [
        Self::Firmware,
        Self::Raw,
        Self::Sedutil,
        Self::SedutilSha512,
        Self::SedutilSha512With75k,
        Self::LenovoAta,
    ];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Firmware => "firmware",
            Self::Raw => "raw",
            Self::Sedutil => "sedutil",
            Self::SedutilSha512 => "sedutil-sha512",
            Self::SedutilSha512With75k => "sedutil-sha512-75k",
            Self::LenovoAta => "lenovo-ata",
            Self::RawCut32 => "raw-cut32",
            Self::RawNul32 => "raw-nul32",
            Self::RawLatin1 => "raw-latin1",
            Self::RawUpper => "raw-upper",
            Self::RawLower => "raw-lower",
            Self::Sha256 => "sha256",
            Self::Edk2Ata => "edk2-ata",
            Self::ScancodeAta => "scancode-ata",
            Self::NvmeAtaTool => "nvme-ata-tool",
            Self::WdKek => "wd-kek",
        }
    }

    /// Whether a salt rule says how the PIN depends on the drive.
    #[must_use]
    pub const fn is_salted(self) -> bool {
        matches!(
            self,
            Self::Sedutil | Self::SedutilSha512 | Self::SedutilSha512With75k
        )
    }

    /// What the bytes open.
    #[must_use]
    pub const fn output(self) -> SchemeOutput {
        match self {
            Self::LenovoAta | Self::Edk2Ata | Self::ScancodeAta | Self::NvmeAtaTool => {
                SchemeOutput::AtaPassword
            }
            Self::WdKek => SchemeOutput::VendorKey,
            _ => SchemeOutput::Pin,
        }
    }
}

impl SchemeOutput {
    /// The name, in snake case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pin => "c_pin",
            Self::AtaPassword => "ata_password",
            Self::VendorKey => "vendor_key",
        }
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = ParseSchemeError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|scheme| scheme.name() == text);
        named.ok_or(ParseSchemeError)
    }
}

/// A text names no scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the schemes are firmware, raw, sedutil, sedutil-sha512, sedutil-sha512-75k, lenovo-ata; for \
     what others have set also raw-cut32, raw-nul32, raw-latin1, raw-upper, raw-lower, sha256; for \
     locks that are no TCG PIN also edk2-ata, scancode-ata, nvme-ata-tool, wd-kek"
)]
pub struct ParseSchemeError;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_written() {
        for scheme in Scheme::ALL {
            assert_eq!(scheme.to_string().parse(), Ok(scheme));
        }
        assert_eq!(
            "sedutil-sha512-75k".parse(),
            Ok(Scheme::SedutilSha512With75k)
        );
        let message = "sedutil-sha256".parse::<Scheme>().unwrap_err().to_string();
        for scheme in Scheme::ALL {
            assert!(message.contains(scheme.name()), "{scheme}");
        }
    }

    #[test]
    fn firmware_is_the_default() {
        assert_eq!(Scheme::default(), Scheme::Firmware);
    }

    #[test]
    fn every_settable_scheme_is_one_of_all() {
        for scheme in Scheme::SETTABLE {
            assert!(Scheme::ALL.contains(&scheme), "{scheme}");
        }
    }
}
