//! Schemes: what becomes of a passphrase before it reaches the drive.
//!
//! Firmware sends what is typed; the sedutil family derives 32 bytes by PBKDF2 (\[RFC 8018\] 5.2).
//! No scheme ever cuts, pads or guesses: what would not arrive as typed is refused.

use std::fmt;
use std::str::FromStr;

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::Sha512;

use super::{SaltError, SaltInput, SaltRule, Secret};

/// Length in bytes of a PIN that the sedutil family derives.
const DERIVED_LENGTH: usize = 32;

/// Longest passphrase that the sedutil family reads; it ignores what follows.
const SEDUTIL_MAX: usize = 256;

/// Shortest and longest passphrase that firmware prompts take.
const FIRMWARE_LENGTHS: (usize, usize) = (8, 32);

/// How a passphrase becomes a PIN.
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
}

impl Scheme {
    /// Every scheme, in the order of the documentation.
    pub const ALL: [Self; 5] = [
        Self::Firmware,
        Self::Raw,
        Self::Sedutil,
        Self::SedutilSha512,
        Self::SedutilSha512With75k,
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
        }
    }

    /// Whether the PIN depends on the drive, through its salt.
    #[must_use]
    pub const fn is_salted(self) -> bool {
        !matches!(self, Self::Firmware | Self::Raw)
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
#[error("the schemes are firmware, raw, sedutil, sedutil-sha512 and sedutil-sha512-75k")]
pub struct ParseSchemeError;

/// What a TPer takes as a PIN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinLimits {
    /// Longest PIN in bytes.
    pub max: usize,
}

impl Default for PinLimits {
    /// What the standard's type `password` holds (\[Core\], type 0000020Ch: at most 32 bytes).
    fn default() -> Self {
        Self { max: 32 }
    }
}

/// Makes the PIN that is sent to the drive from a passphrase.
///
/// `salt_rule` and `salt_input` matter to the salted schemes only.
///
/// # Errors
/// [`SchemeError`] if the passphrase is empty, if the scheme or the drive could not take all of
/// it, if no firmware prompt could type it (scheme `firmware`), or if the drive does not say what
/// the salt rule needs.
pub fn derive(
    scheme: Scheme,
    salt_rule: &SaltRule,
    salt_input: &SaltInput<'_>,
    passphrase: &Secret,
    limits: PinLimits,
) -> Result<Secret, SchemeError> {
    check(scheme, passphrase.expose())?;
    let pin = match scheme {
        Scheme::Firmware | Scheme::Raw => passphrase.duplicate(),
        Scheme::Sedutil | Scheme::SedutilSha512 | Scheme::SedutilSha512With75k => {
            stretch(scheme, passphrase, &salt_rule.salt(salt_input)?)
        }
    };
    if pin.len() > limits.max {
        return Err(SchemeError::PinTooLong {
            length: pin.len(),
            max: limits.max,
        });
    }
    Ok(pin)
}

fn stretch(scheme: Scheme, passphrase: &Secret, salt: &[u8]) -> Secret {
    let mut pin = vec![0; DERIVED_LENGTH];
    let passphrase = passphrase.expose();
    match scheme {
        Scheme::SedutilSha512 => pbkdf2_hmac::<Sha512>(passphrase, salt, 500_000, &mut pin),
        Scheme::SedutilSha512With75k => pbkdf2_hmac::<Sha512>(passphrase, salt, 75_000, &mut pin),
        _ => pbkdf2_hmac::<Sha1>(passphrase, salt, 75_000, &mut pin),
    }
    Secret::new(pin)
}

/// Refuses what the scheme's tools could not take as it is.
fn check(scheme: Scheme, passphrase: &[u8]) -> Result<(), SchemeError> {
    if passphrase.is_empty() {
        return Err(SchemeError::Empty);
    }
    match scheme {
        Scheme::Raw => Ok(()),
        Scheme::Firmware => check_typeable(passphrase),
        Scheme::Sedutil | Scheme::SedutilSha512 | Scheme::SedutilSha512With75k => {
            check_c_string(passphrase)
        }
    }
}

fn check_typeable(passphrase: &[u8]) -> Result<(), SchemeError> {
    let classes = passphrase.iter().map(|&byte| CharacterClass::refused(byte));
    if let Some((index, class)) = classes
        .enumerate()
        .find_map(|(at, class)| Some((at, class?)))
    {
        return Err(SchemeError::Untypeable {
            position: index + 1,
            class,
        });
    }
    let (min, max) = FIRMWARE_LENGTHS;
    check_length(passphrase, min, max)
}

/// sedutil takes its passphrase as a C string, and reads no more than [`SEDUTIL_MAX`] bytes of it.
fn check_c_string(passphrase: &[u8]) -> Result<(), SchemeError> {
    if let Some(index) = passphrase.iter().position(|&byte| byte == 0) {
        return Err(SchemeError::Nul {
            position: index + 1,
        });
    }
    check_length(passphrase, 1, SEDUTIL_MAX)
}

const fn check_length(passphrase: &[u8], min: usize, max: usize) -> Result<(), SchemeError> {
    match passphrase.len() {
        length if length < min => Err(SchemeError::TooShort { length, min }),
        length if length > max => Err(SchemeError::TooLong { length, max }),
        _ => Ok(()),
    }
}

/// What a firmware prompt cannot type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CharacterClass {
    /// A blank (20h).
    Blank,
    /// A control character (00h to 1Fh, 7Fh).
    Control,
    /// Part of a character beyond ASCII (80h to FFh).
    NotAscii,
}

impl CharacterClass {
    /// The class of a byte that firmware prompts cannot type, or nothing.
    const fn refused(byte: u8) -> Option<Self> {
        match byte {
            b'!'..=b'~' => None,
            b' ' => Some(Self::Blank),
            0x80.. => Some(Self::NotAscii),
            _ => Some(Self::Control),
        }
    }
}

impl fmt::Display for CharacterClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blank => "a blank",
            Self::Control => "a control character",
            Self::NotAscii => "not ASCII",
        })
    }
}

/// Why a passphrase is refused. No part of it is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// There is nothing to send.
    #[error("the passphrase is empty")]
    Empty,
    /// Shorter than the scheme takes.
    #[error("the passphrase has {length} bytes, the scheme takes {min} at least")]
    TooShort {
        /// Length of the passphrase in bytes.
        length: usize,
        /// Shortest length.
        min: usize,
    },
    /// Longer than the scheme takes: its tools would cut it without a word.
    #[error("the passphrase has {length} bytes, the scheme takes {max} at most")]
    TooLong {
        /// Length of the passphrase in bytes.
        length: usize,
        /// Longest length.
        max: usize,
    },
    /// The PIN is longer than the drive takes.
    #[error("the PIN has {length} bytes, the drive takes {max} at most")]
    PinTooLong {
        /// Length of the PIN in bytes.
        length: usize,
        /// Longest length.
        max: usize,
    },
    /// A firmware prompt could not type it.
    #[error("no firmware prompt can type the passphrase: character {position} is {class}")]
    Untypeable {
        /// Where the character stands, counted from 1.
        position: usize,
        /// What it is.
        class: CharacterClass,
    },
    /// A NUL byte, where the scheme's tools would cut the passphrase.
    #[error("byte {position} of the passphrase is NUL, where the scheme's tools would cut it")]
    Nul {
        /// Where the byte stands, counted from 1.
        position: usize,
    },
    /// There is nothing to salt with.
    #[error("there is no salt")]
    Salt(#[from] SaltError),
}

#[cfg(test)]
mod tests {
    use super::*;

    const INPUT: SaltInput<'_> = SaltInput {
        serial: b"S1234567890ABCD",
        vendor: None,
    };

    fn pin(scheme: Scheme, passphrase: &[u8], limits: PinLimits) -> Result<Vec<u8>, SchemeError> {
        let passphrase = Secret::from_slice(passphrase);
        let pin = derive(scheme, &SaltRule::Serial, &INPUT, &passphrase, limits)?;
        Ok(pin.expose().to_vec())
    }

    fn refusal(scheme: Scheme, passphrase: &[u8]) -> SchemeError {
        pin(scheme, passphrase, PinLimits::default()).unwrap_err()
    }

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
    fn empty_passphrases_are_refused_by_every_scheme() {
        for scheme in Scheme::ALL {
            assert_eq!(refusal(scheme, b""), SchemeError::Empty, "{scheme}");
        }
    }

    #[test]
    fn firmware_takes_8_to_32_characters() {
        for length in [8, 9, 31, 32] {
            let typed = vec![b'x'; length];
            assert_eq!(
                pin(Scheme::Firmware, &typed, PinLimits::default()),
                Ok(typed)
            );
        }
        let short = SchemeError::TooShort { length: 7, min: 8 };
        assert_eq!(refusal(Scheme::Firmware, &[b'x'; 7]), short);
        let long = SchemeError::TooLong {
            length: 33,
            max: 32,
        };
        assert_eq!(refusal(Scheme::Firmware, &[b'x'; 33]), long);
        let wide = pin(Scheme::Firmware, &[b'x'; 33], PinLimits { max: 64 });
        assert_eq!(wide, Err(long));
    }

    #[test]
    fn firmware_takes_printable_ascii_without_blanks() {
        for byte in 0..=u8::MAX {
            let mut typed = *b"01234567";
            typed[3] = byte;
            let expected = match byte {
                0x20 => Some(CharacterClass::Blank),
                0x00..=0x1f | 0x7f => Some(CharacterClass::Control),
                0x80..=0xff => Some(CharacterClass::NotAscii),
                _ => None,
            };
            let refused = pin(Scheme::Firmware, &typed, PinLimits::default()).err();
            let expected = expected.map(|class| SchemeError::Untypeable { position: 4, class });
            assert_eq!(refused, expected, "{byte:02x}");
        }
    }

    #[test]
    fn refusals_do_not_repeat_the_passphrase() {
        let message = refusal(Scheme::Firmware, b"correct horse").to_string();
        assert!(message.ends_with("character 8 is a blank"), "{message}");
        assert!(!message.contains("correct") && !message.contains("horse"));
    }

    #[test]
    fn raw_takes_any_bytes_that_the_drive_takes() {
        let bytes: Vec<u8> = (0..32).collect();
        assert_eq!(pin(Scheme::Raw, &bytes, PinLimits::default()), Ok(bytes));
        let error = SchemeError::PinTooLong {
            length: 33,
            max: 32,
        };
        assert_eq!(refusal(Scheme::Raw, &[0; 33]), error);
        assert!(pin(Scheme::Raw, &[0; 64], PinLimits { max: 64 }).is_ok());
    }

    #[test]
    fn sedutil_refuses_what_it_would_cut() {
        for scheme in Scheme::ALL.into_iter().filter(|scheme| scheme.is_salted()) {
            let long = SchemeError::TooLong {
                length: 257,
                max: 256,
            };
            assert_eq!(refusal(scheme, &[b'a'; 257]), long);
            assert_eq!(refusal(scheme, b"ab\0"), SchemeError::Nul { position: 3 });
        }
    }

    #[test]
    fn a_derived_pin_must_fit_the_drive() {
        let error = SchemeError::PinTooLong {
            length: 32,
            max: 20,
        };
        assert_eq!(
            pin(Scheme::Sedutil, b"debug", PinLimits { max: 20 }),
            Err(error)
        );
    }

    #[test]
    fn salted_schemes_need_a_salt() {
        let input = SaltInput {
            serial: b"",
            vendor: None,
        };
        let passphrase = Secret::from_slice(b"password1234");
        let derive = |scheme| {
            derive(
                scheme,
                &SaltRule::Serial,
                &input,
                &passphrase,
                PinLimits::default(),
            )
            .err()
        };
        assert_eq!(
            derive(Scheme::Sedutil),
            Some(SchemeError::Salt(SaltError::NoSerial))
        );
        assert_eq!(derive(Scheme::Firmware), None);
        assert_eq!(derive(Scheme::Raw), None);
    }
}
