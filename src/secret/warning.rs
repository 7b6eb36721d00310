//! What may go wrong with a passphrase that its scheme takes.

use super::{Scheme, SchemeOutput, Secret};

/// Longest passphrase that every known firmware prompt takes: one board stops at 19 characters.
const PORTABLE_LENGTH: usize = 19;

/// Letters that stand elsewhere on German or French keyboards than on US ones.
const MOVING_LETTERS: &[u8] = b"yzaqmwYZAQMW";

/// Something to tell whoever sets a passphrase. Shows what kind of character, never which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Warning {
    /// Longer than some firmware prompts take.
    #[error(
        "the passphrase has {length} characters; some firmware takes {PORTABLE_LENGTH} at most"
    )]
    Long {
        /// Its length.
        length: usize,
    },
    /// Letters that move between keyboard layouts.
    #[error(
        "the passphrase has letters (of a, m, q, w, y, z) that stand elsewhere on other keyboard \
         layouts; prompts before the operating system often have the US layout"
    )]
    MovingLetters,
    /// Punctuation, which moves between keyboard layouts.
    #[error(
        "the passphrase has punctuation, which stands elsewhere on other keyboard layouts; \
         prompts before the operating system often have the US layout"
    )]
    Punctuation,
    /// Characters whose bytes depend on the system they are typed on.
    #[error(
        "the passphrase has characters beyond ASCII, whose bytes differ between systems; it may \
         open the drive on this one only"
    )]
    NotAscii,
    /// A line end that was not dropped with the one newline that is.
    #[error(
        "the passphrase ends in a line end: one newline is dropped, and what stands before it is \
         kept; if it was not meant, take it out of the file"
    )]
    LineEnd,
    /// The bytes open another kind of lock.
    #[error("the scheme makes passwords of ATA Security; no prompt sends them to a TCG drive")]
    NoPin,
}

/// What should be said before `passphrase` is set under `scheme`.
#[must_use]
pub fn warnings(scheme: Scheme, passphrase: &Secret) -> Vec<Warning> {
    let typed = passphrase.expose();
    let is_typed_early = scheme != Scheme::Raw;
    let long = Warning::Long {
        length: typed.len(),
    };
    let moving = typed.iter().any(|byte| MOVING_LETTERS.contains(byte));
    let checks = [
        (
            scheme == Scheme::Firmware && typed.len() > PORTABLE_LENGTH,
            long,
        ),
        (is_typed_early && moving, Warning::MovingLetters),
        (
            is_typed_early && typed.iter().any(u8::is_ascii_punctuation),
            Warning::Punctuation,
        ),
        (is_text(typed) && !typed.is_ascii(), Warning::NotAscii),
        (
            typed.ends_with(b"\n") || typed.ends_with(b"\r"),
            Warning::LineEnd,
        ),
        (scheme.output() != SchemeOutput::Pin, Warning::NoPin),
    ];
    checks
        .into_iter()
        .filter_map(|(applies, warning)| applies.then_some(warning))
        .collect()
}

/// Raw PINs may be random bytes, about whose characters there is nothing to say.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn warn(scheme: Scheme, passphrase: &str) -> Vec<Warning> {
        warnings(scheme, &Secret::from_slice(passphrase.as_bytes()))
    }

    #[test]
    fn portable_passphrases_pass() {
        let pins = Scheme::SETTABLE.into_iter();
        for scheme in pins.filter(|scheme| scheme.output() == SchemeOutput::Pin) {
            assert_eq!(warn(scheme, "bcdefghijklnoprstu"), []);
            assert_eq!(warn(scheme, "BCDEFGHIJKLNOPRSTUV"), []);
            assert_eq!(warn(scheme, "0123456789vx"), []);
        }
    }

    #[test]
    fn more_than_19_characters_are_long_for_firmware() {
        let length = |count| "b".repeat(count);
        assert_eq!(warn(Scheme::Firmware, &length(19)), []);
        assert_eq!(
            warn(Scheme::Firmware, &length(20)),
            [Warning::Long { length: 20 }]
        );
        assert_eq!(warn(Scheme::Sedutil, &length(20)), []);
        assert_eq!(warn(Scheme::Raw, &length(20)), []);
    }

    #[test]
    fn letters_that_move_are_told() {
        for letter in "yzaqmwYZAQMW".chars() {
            let passphrase = format!("bcde{letter}1234");
            assert_eq!(
                warn(Scheme::Firmware, &passphrase),
                [Warning::MovingLetters],
                "{letter}"
            );
            assert_eq!(
                warn(Scheme::Sedutil, &passphrase),
                [Warning::MovingLetters],
                "{letter}"
            );
            assert_eq!(warn(Scheme::Raw, &passphrase), []);
        }
    }

    #[test]
    fn punctuation_is_told() {
        for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".chars() {
            let passphrase = format!("bcde{sign}1234");
            assert_eq!(
                warn(Scheme::Firmware, &passphrase),
                [Warning::Punctuation],
                "{sign}"
            );
        }
    }

    #[test]
    fn characters_beyond_ascii_are_told() {
        assert_eq!(warn(Scheme::Sedutil, "bcdé"), [Warning::NotAscii]);
        assert_eq!(warn(Scheme::SedutilSha512, "bcdé"), [Warning::NotAscii]);
        assert_eq!(warn(Scheme::Raw, "bcdé"), [Warning::NotAscii]);
        let random = Secret::from_slice(&[0xff, 0xfe, 0x80]);
        assert_eq!(warnings(Scheme::Raw, &random), []);
    }

    #[test]
    fn a_line_end_that_stays_is_told() {
        for end in ["\r", "\n", "\r\n"] {
            let passphrase = format!("bcdefghi{end}");
            assert_eq!(warn(Scheme::Raw, &passphrase), [Warning::LineEnd]);
        }
        assert_eq!(warn(Scheme::Raw, "b\nc"), []);
    }

    #[test]
    fn passwords_of_other_locks_are_told() {
        assert_eq!(warn(Scheme::LenovoAta, "bcdefghi"), [Warning::NoPin]);
    }

    #[test]
    fn several_warnings_come_together() {
        let passphrase = "p@ssw0rd-p@ssw0rd-p@ssw0rd";
        let expected = [
            Warning::Long { length: 26 },
            Warning::MovingLetters,
            Warning::Punctuation,
        ];
        assert_eq!(warn(Scheme::Firmware, passphrase), expected);
    }
}
