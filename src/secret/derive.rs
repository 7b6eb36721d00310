//! Derivation: from a passphrase to the bytes that a drive is given.
//!
//! No scheme by which PINs are set ever cuts, pads or guesses: what would not arrive as typed is
//! refused. Those that do are the ones for recognising what somebody else has set.

use std::fmt;

use pbkdf2::pbkdf2_hmac;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};
use zeroize::Zeroizing;

use super::foreign::{self, finished, text};
use super::{SaltError, SaltInput, SaltRule, Scheme, Secret};

/// Length in bytes of a PIN that the sedutil family derives.
const DERIVED_LENGTH: usize = 32;

/// Longest passphrase that the sedutil family reads; it ignores what follows.
const SEDUTIL_MAX: usize = 256;

/// Shortest and longest passphrase that firmware prompts take.
const FIRMWARE_LENGTHS: (usize, usize) = (8, 32);

/// What `sedutil -n` and EDK2's prompt take, in bytes.
const CUT_LENGTH: usize = 32;

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
/// `salt_rule` matters to the salted schemes only, `salt_input` also to those of ATA passwords.
///
/// # Errors
/// [`SchemeError`] if the passphrase is empty, if the scheme or the drive could not take all of
/// it, if no firmware prompt could type it (scheme `firmware`), or if the drive does not say what
/// the scheme and its salt rule need.
pub fn derive(
    scheme: Scheme,
    salt_rule: &SaltRule,
    salt_input: &SaltInput<'_>,
    passphrase: &Secret,
    limits: PinLimits,
) -> Result<Secret, SchemeError> {
    let typed = passphrase.expose();
    if typed.is_empty() {
        return Err(SchemeError::Empty);
    }
    let pin = match scheme {
        Scheme::Firmware => check_typeable(typed).map(|()| passphrase.duplicate()),
        Scheme::Sedutil | Scheme::SedutilSha512 | Scheme::SedutilSha512With75k => {
            check_c_string(typed)?;
            Ok(stretch(scheme, passphrase, &salt_rule.salt(salt_input)?))
        }
        Scheme::LenovoAta => foreign::lenovo_ata(typed, salt_input),
        Scheme::NvmeAtaTool => foreign::nvme_ata_tool(typed, salt_input),
        Scheme::ScancodeAta => foreign::scancode_ata(typed),
        Scheme::RawNul32 | Scheme::Edk2Ata => foreign::nul_padded(typed),
        Scheme::WdKek => foreign::wd_kek(typed),
        Scheme::RawLatin1 => latin1(typed),
        scheme => Ok(plain(scheme, typed)),
    }?;
    if pin.len() > limits.max {
        return Err(SchemeError::PinTooLong {
            length: pin.len(),
            max: limits.max,
        });
    }
    Ok(pin)
}

impl Scheme {
    /// Whether programs with this scheme would take a passphrase whole. What it is hashed with does
    /// not matter.
    #[must_use]
    pub fn takes(self, passphrase: &Secret) -> bool {
        let typed = passphrase.expose();
        let checked = match self {
            Self::Firmware => check_typeable(typed),
            scheme if scheme.is_salted() => check_c_string(typed),
            _ => Ok(()),
        };
        checked.is_ok() && !typed.is_empty()
    }
}

/// The schemes that take any bytes.
fn plain(scheme: Scheme, typed: &[u8]) -> Secret {
    match scheme {
        Scheme::RawCut32 => Secret::from_slice(&typed[..typed.len().min(CUT_LENGTH)]),
        Scheme::RawUpper => Secret::new(typed.to_ascii_uppercase()),
        Scheme::RawLower => Secret::new(typed.to_ascii_lowercase()),
        Scheme::Sha256 => finished(Sha256::new().chain_update(typed)),
        _ => Secret::from_slice(typed),
    }
}

/// A 16-bit character that is cast to 8 bits.
fn latin1(typed: &[u8]) -> Result<Secret, SchemeError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(typed.len()));
    for (position, character) in (1..).zip(text(typed)?.chars()) {
        let byte = u8::try_from(character).map_err(|_| SchemeError::NotLatin1 { position })?;
        bytes.push(byte);
    }
    Ok(Secret::from_slice(&bytes))
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
    /// A character that firmware drops, since its key has no scan code there.
    #[error("character {position} of the passphrase is dropped by firmware: it has no scan code")]
    NoScanCode {
        /// Where the byte stands, counted from 1.
        position: usize,
    },
    /// Bytes that are no UTF-8, where the scheme needs characters.
    #[error("byte {position} of the passphrase is not UTF-8, and the scheme needs characters")]
    NotText {
        /// Where the byte stands, counted from 1.
        position: usize,
    },
    /// A character beyond U+00FF, which has no byte of its own.
    #[error("character {position} of the passphrase is not in Latin-1")]
    NotLatin1 {
        /// Where the character stands, counted from 1.
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
        model: Some(b"SSD 1"),
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
        let input = SaltInput::default();
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

    #[test]
    fn recognised_variants_are_those_of_other_programs() {
        let make = |scheme, typed: &[u8]| pin(scheme, typed, PinLimits::default());
        assert_eq!(make(Scheme::RawCut32, &[b'x'; 40]), Ok(vec![b'x'; 32]));
        assert_eq!(make(Scheme::RawUpper, b"aB-1"), Ok(b"AB-1".to_vec()));
        assert_eq!(make(Scheme::RawLower, b"aB-1"), Ok(b"ab-1".to_vec()));
        // FIPS 180-4, example "abc".
        let digest = make(Scheme::Sha256, b"abc").unwrap();
        assert_eq!(digest[..4], [0xba, 0x78, 0x16, 0xbf]);
        let long = SchemeError::TooLong {
            length: 33,
            max: 32,
        };
        assert_eq!(make(Scheme::RawNul32, &[b'x'; 33]), Err(long));
    }

    #[test]
    fn characters_that_a_scheme_cannot_take_are_named_by_position() {
        let refused = |scheme, typed: &str| refusal(scheme, typed.as_bytes());
        let not_latin1 = SchemeError::NotLatin1 { position: 2 };
        assert_eq!(refused(Scheme::RawLatin1, "ä€"), not_latin1);
        let dropped = SchemeError::NoScanCode { position: 3 };
        assert_eq!(refused(Scheme::LenovoAta, "no!"), dropped);
        assert_eq!(refused(Scheme::ScancodeAta, "no!"), dropped);
        let bytes = SchemeError::NotText { position: 2 };
        assert_eq!(refusal(Scheme::RawLatin1, b"a\xe4"), bytes);
        assert_eq!(refusal(Scheme::WdKek, b"a\xe4"), bytes);
    }

    #[test]
    fn ata_passwords_need_serial_number_and_model() {
        let typed = Secret::from_slice(b"thinkpad");
        let make = |input| {
            let limits = PinLimits::default();
            derive(Scheme::LenovoAta, &SaltRule::Serial, &input, &typed, limits).err()
        };
        let no_model = SaltInput {
            serial: b"S",
            ..SaltInput::default()
        };
        assert_eq!(make(no_model), Some(SaltError::NoModel.into()));
        assert_eq!(make(SaltInput::default()), Some(SaltError::NoSerial.into()));
    }
}
