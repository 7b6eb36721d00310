//! Salt rules: how the 20 bytes of salt come from what a drive says of itself.
//!
//! Tools of the sedutil family salt with the serial number, but do not agree on its padding, and
//! some never reach it. Every rule takes the first 20 bytes of the serial number; where a drive
//! sends fewer, blanks follow.

use std::fmt;
use std::str::FromStr;

use super::hex::digit;

/// Length of a salt in bytes, that of an NVMe serial number (Identify Controller, bytes 4 to 23).
pub const SALT_LENGTH: usize = 20;

/// Length of the vendor in INQUIRY data (\[SPC\]).
pub const VENDOR_LENGTH: usize = 8;

/// Length of the model (IDENTIFY DEVICE, words 27 to 46; Identify Controller, bytes 24 to 63).
pub const MODEL_LENGTH: usize = 40;

/// Length of the serial number that [`SaltRule::Short16`] uses.
const SHORT_LENGTH: usize = 16;

type Salt = [u8; SALT_LENGTH];

/// What a salt is made from.
#[derive(Clone, Copy, Debug, Default)]
pub struct SaltInput<'a> {
    /// The serial number in readable order, padding where the drive puts it.
    pub serial: &'a [u8],
    /// The vendor of INQUIRY data, where there is one.
    pub vendor: Option<&'a [u8]>,
    /// The model in readable order; only schemes of ATA passwords use it.
    pub model: Option<&'a [u8]>,
}

/// How the salt is made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SaltRule {
    /// The serial number as the drive sends it: sedutil on Linux, go-tcg-storage on NVMe.
    #[default]
    Serial,
    /// Trailing blanks are dropped, blanks within become `_`, NUL fills up: sedutil's branch
    /// `develop` on NVMe, which takes the serial number from udev.
    NulPadded,
    /// `_` and NUL become blanks, blanks at either end are dropped, runs of blanks become one, NUL
    /// fills up: FreeBSD CAM on ATA.
    TrimmedNul,
    /// Leading blanks are dropped, trailing ones stay, NUL fills up: FreeBSD CAM on SCSI.
    LeftTrimmedNul,
    /// The INQUIRY vendor, then NUL: sedutil on SAS, and behind bridges that hide the drive.
    Vendor,
    /// NUL only: sedutil up to 1.20 on Windows with NVMe.
    Zero,
    /// The first 16 bytes of the serial number, then blanks: go-tcg-storage on SATA and SCSI.
    Short16,
    /// The salt itself, for drives that were set up behind a bridge with data of its own.
    Hex([u8; SALT_LENGTH]),
}

impl SaltRule {
    /// The rules that need nothing but a name, in the order of the documentation.
    pub const NAMED: [Self; 7] = [
        Self::Serial,
        Self::NulPadded,
        Self::TrimmedNul,
        Self::LeftTrimmedNul,
        Self::Vendor,
        Self::Zero,
        Self::Short16,
    ];

    /// The name on the command line; that of [`SaltRule::Hex`] is followed by its digits.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Serial => "serial",
            Self::NulPadded => "nul-padded",
            Self::TrimmedNul => "trimmed-nul",
            Self::LeftTrimmedNul => "left-trimmed-nul",
            Self::Vendor => "vendor",
            Self::Zero => "zero",
            Self::Short16 => "short16",
            Self::Hex(_) => "hex:",
        }
    }

    /// The salt for a drive.
    ///
    /// # Errors
    /// [`SaltError`] if the drive does not say what the rule needs.
    pub fn salt(&self, input: &SaltInput<'_>) -> Result<[u8; SALT_LENGTH], SaltError> {
        match self {
            Self::Serial => serial(input),
            Self::NulPadded => serial(input).map(|serial| nul_padded(&serial)),
            Self::TrimmedNul => serial(input).map(|serial| trimmed_nul(&serial)),
            Self::LeftTrimmedNul => {
                serial(input).map(|serial| filled(serial.trim_blanks_start(), 0))
            }
            Self::Vendor => vendor(input),
            Self::Zero => Ok([0; SALT_LENGTH]),
            Self::Short16 => serial(input).map(|serial| filled(&serial[..SHORT_LENGTH], b' ')),
            Self::Hex(salt) => Ok(*salt),
        }
    }
}

/// The serial number at its full length.
pub(super) fn serial(input: &SaltInput<'_>) -> Result<Salt, SaltError> {
    if input.serial.is_empty() {
        return Err(SaltError::NoSerial);
    }
    Ok(filled(input.serial, b' '))
}

fn nul_padded(serial: &Salt) -> Salt {
    let kept = serial.trim_blanks_end();
    let leading = kept.len() - kept.trim_blanks_start().len();
    let mut salt: Salt = filled(kept, 0);
    for byte in salt.iter_mut().skip(leading).filter(|byte| **byte == b' ') {
        *byte = b'_';
    }
    salt
}

fn trimmed_nul(serial: &Salt) -> Salt {
    let mut words = Vec::with_capacity(SALT_LENGTH);
    let is_gap = |byte: &u8| matches!(byte, b' ' | b'_' | 0);
    for word in serial.split(is_gap).filter(|word| !word.is_empty()) {
        if !words.is_empty() {
            words.push(b' ');
        }
        words.extend_from_slice(word);
    }
    filled(&words, 0)
}

fn vendor(input: &SaltInput<'_>) -> Result<Salt, SaltError> {
    let vendor = input.vendor.ok_or(SaltError::NoVendor)?;
    if vendor.is_empty() || vendor.len() > VENDOR_LENGTH {
        return Err(SaltError::Vendor {
            length: vendor.len(),
        });
    }
    let mut salt: Salt = filled(vendor, b' ');
    salt[VENDOR_LENGTH..].fill(0);
    Ok(salt)
}

/// The model at its full length.
pub(super) fn model(input: &SaltInput<'_>) -> Result<[u8; MODEL_LENGTH], SaltError> {
    match input.model {
        Some(model) if !model.is_empty() => Ok(filled(model, b' ')),
        _ => Err(SaltError::NoModel),
    }
}

/// The first bytes of `bytes`, and `fill` for those that are missing.
pub(super) fn filled<const LENGTH: usize>(bytes: &[u8], fill: u8) -> [u8; LENGTH] {
    let mut field = [fill; LENGTH];
    field
        .iter_mut()
        .zip(bytes)
        .for_each(|(to, from)| *to = *from);
    field
}

/// Trimming of blanks (20h) and of nothing else.
trait TrimBlanks {
    fn trim_blanks_start(&self) -> &[u8];
    fn trim_blanks_end(&self) -> &[u8];
}

impl TrimBlanks for [u8] {
    fn trim_blanks_start(&self) -> &[u8] {
        let start = self
            .iter()
            .position(|&byte| byte != b' ')
            .unwrap_or(self.len());
        &self[start..]
    }

    fn trim_blanks_end(&self) -> &[u8] {
        let end = self
            .iter()
            .rposition(|&byte| byte != b' ')
            .map_or(0, |last| last + 1);
        &self[..end]
    }
}

impl fmt::Display for SaltRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Self::Hex(salt) => salt.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            _ => Ok(()),
        }
    }
}

impl FromStr for SaltRule {
    type Err = ParseSaltRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Some(digits) = text.strip_prefix("hex:") {
            return parse_salt(digits.as_bytes()).map(Self::Hex);
        }
        let named = Self::NAMED.into_iter().find(|rule| rule.name() == text);
        named.ok_or(ParseSaltRuleError::Unknown)
    }
}

fn parse_salt(digits: &[u8]) -> Result<Salt, ParseSaltRuleError> {
    let mut salt = [0; SALT_LENGTH];
    if digits.len() != 2 * SALT_LENGTH {
        return Err(ParseSaltRuleError::Hex);
    }
    for (byte, pair) in salt.iter_mut().zip(digits.chunks_exact(2)) {
        let (Some(high), Some(low)) = (digit(pair[0]), digit(pair[1])) else {
            return Err(ParseSaltRuleError::Hex);
        };
        *byte = high << 4 | low;
    }
    Ok(salt)
}

/// Why a text names no salt rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSaltRuleError {
    /// None of the known names.
    #[error(
        "the salt rules are serial, nul-padded, trimmed-nul, left-trimmed-nul, vendor, zero, \
         short16 and hex: with 40 digits"
    )]
    Unknown,
    /// Not the digits of a whole salt.
    #[error("hex: takes the {SALT_LENGTH} bytes of the salt as 40 hexadecimal digits")]
    Hex,
}

/// Why a rule gives no salt for a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SaltError {
    /// There is no serial number.
    #[error("no serial number is known to salt with")]
    NoSerial,
    /// There is no INQUIRY vendor.
    #[error("no INQUIRY vendor is known to salt with")]
    NoVendor,
    /// There is no model.
    #[error("no model is known to hash with")]
    NoModel,
    /// The INQUIRY vendor is too long, or empty.
    #[error("an INQUIRY vendor has 1 to {VENDOR_LENGTH} bytes, this has {length}")]
    Vendor {
        /// Its length.
        length: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    fn salt(rule: &SaltRule, serial: &str) -> Vec<u8> {
        rule.salt(&SaltInput {
            serial: serial.as_bytes(),
            ..SaltInput::default()
        })
        .unwrap()
        .to_vec()
    }

    #[test]
    fn serial_is_taken_as_it_is() {
        assert_eq!(salt(&SaltRule::Serial, "  AB  C"), b"  AB  C             ");
        assert_eq!(salt(&SaltRule::Serial, "AB\0\0"), b"AB\0\0                ");
        assert_eq!(
            salt(&SaltRule::Serial, "0123456789ABCDEFGHIJK"),
            b"0123456789ABCDEFGHIJ"
        );
    }

    #[test]
    fn nul_padded_keeps_udevs_underscores() {
        assert_eq!(
            salt(&SaltRule::NulPadded, "AB   "),
            b"AB\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        );
        assert_eq!(
            salt(&SaltRule::NulPadded, " A B  C   "),
            b" A_B__C\0\0\0\0\0\0\0\0\0\0\0\0\0"
        );
        assert_eq!(salt(&SaltRule::NulPadded, "   "), [0; 20]);
    }

    #[test]
    fn trimmed_nul_leaves_single_blanks() {
        assert_eq!(
            salt(&SaltRule::TrimmedNul, " _A_ B\0\0C_ "),
            b"A B C\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        );
        assert_eq!(salt(&SaltRule::TrimmedNul, " _"), [0; 20]);
    }

    #[test]
    fn left_trimmed_nul_keeps_trailing_blanks() {
        assert_eq!(
            salt(&SaltRule::LeftTrimmedNul, "  AB C"),
            b"AB C              \0\0"
        );
        assert_eq!(salt(&SaltRule::LeftTrimmedNul, " "), [0; 20]);
    }

    #[test]
    fn short16_ends_in_four_blanks() {
        assert_eq!(
            salt(&SaltRule::Short16, "0123456789ABCDEFGHIJ"),
            b"0123456789ABCDEF    "
        );
    }

    #[test]
    fn zero_needs_no_serial() {
        assert_eq!(salt(&SaltRule::Zero, ""), [0; 20]);
    }

    #[test]
    fn rules_of_the_serial_need_one() {
        let rules = [
            SaltRule::Serial,
            SaltRule::NulPadded,
            SaltRule::TrimmedNul,
            SaltRule::LeftTrimmedNul,
            SaltRule::Short16,
        ];
        for rule in rules {
            let input = SaltInput {
                vendor: Some(b"ATA     "),
                ..SaltInput::default()
            };
            assert_eq!(rule.salt(&input), Err(SaltError::NoSerial), "{rule}");
        }
    }

    #[test]
    fn vendor_has_eight_bytes_and_twelve_nul() {
        let from = |vendor| {
            SaltRule::Vendor.salt(&SaltInput {
                serial: b"S",
                vendor,
                model: None,
            })
        };
        assert_eq!(
            from(Some(b"ATA     ")),
            Ok(*b"ATA     \0\0\0\0\0\0\0\0\0\0\0\0")
        );
        assert_eq!(from(Some(b"ATA")), Ok(*b"ATA     \0\0\0\0\0\0\0\0\0\0\0\0"));
        assert_eq!(from(None), Err(SaltError::NoVendor));
        assert_eq!(from(Some(b"")), Err(SaltError::Vendor { length: 0 }));
        assert_eq!(
            from(Some(b"ATA      ")),
            Err(SaltError::Vendor { length: 9 })
        );
    }

    #[test]
    fn names_are_read_and_written() {
        for rule in SaltRule::NAMED {
            assert_eq!(rule.to_string().parse(), Ok(rule));
        }
        let hex = SaltRule::Hex(*b"\x00\xffABCDEFGHIJKLMNOPQR");
        assert_eq!(
            hex.to_string(),
            "hex:00ff4142434445464748494a4b4c4d4e4f505152"
        );
        assert_eq!(
            hex.to_string().to_uppercase().replace("HEX", "hex").parse(),
            Ok(hex)
        );
    }

    #[test]
    fn other_names_are_refused() {
        for text in ["", "Serial", "hex", "serial:"] {
            assert_eq!(
                text.parse::<SaltRule>(),
                Err(ParseSaltRuleError::Unknown),
                "{text}"
            );
        }
        let (short, long, odd) = ("00".repeat(19), "00".repeat(21), "0g".repeat(20));
        for digits in ["", "00", &short, &long, &odd] {
            let parsed = format!("hex:{digits}").parse::<SaltRule>();
            assert_eq!(parsed, Err(ParseSaltRuleError::Hex), "{digits}");
        }
    }
}
