//! The PSID: the secret on a drive's label, typed off by hand (\[PSID\]).

use zeroize::Zeroizing;

use super::Secret;

/// Length of a PSID in characters.
pub const PSID_LENGTH: usize = 32;

/// Pairs of characters that are misread on labels, for whoever explains a refused PSID.
pub const LOOK_ALIKES: &str = "O and 0, Q and 0, I and 1, B and 8, S and 5, Z and 2";

/// Why a text is no PSID. The text itself is not repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PsidError {
    /// Too few or too many characters.
    #[error(
        "a PSID has {PSID_LENGTH} letters and digits, this has {length}; characters that look \
         alike on a label: {LOOK_ALIKES}"
    )]
    Length {
        /// Letters and digits, without dashes and blanks.
        length: usize,
    },
    /// Neither letter nor digit.
    #[error(
        "the character at position {position} is neither a letter nor a digit; characters that \
         look alike on a label: {LOOK_ALIKES}"
    )]
    Character {
        /// Where it stands, counted in bytes from 1, with dashes and blanks.
        position: usize,
    },
}

/// Brings a PSID as people write it into the form that the drive compares.
///
/// Dashes and blanks are dropped, letters become capitals, and what remains must be
/// [`PSID_LENGTH`] letters and digits.
///
/// # Errors
/// [`PsidError`] if it is not.
pub fn normalise_psid(typed: &Secret) -> Result<Secret, PsidError> {
    let mut psid = Zeroizing::new(Vec::with_capacity(typed.len()));
    for (index, &byte) in typed.expose().iter().enumerate() {
        if byte.is_ascii_alphanumeric() {
            psid.push(byte.to_ascii_uppercase());
        } else if byte != b'-' && !byte.is_ascii_whitespace() {
            return Err(PsidError::Character {
                position: index + 1,
            });
        }
    }
    match psid.len() {
        PSID_LENGTH => Ok(Secret::from_slice(&psid)),
        length => Err(PsidError::Length { length }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PSID: &str = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789";

    fn normalise(text: &str) -> Result<Vec<u8>, PsidError> {
        normalise_psid(&Secret::from_slice(text.as_bytes())).map(|psid| psid.expose().to_vec())
    }

    #[test]
    fn a_clean_psid_stays_as_it_is() {
        assert_eq!(normalise(PSID), Ok(PSID.into()));
    }

    #[test]
    fn dashes_blanks_and_case_do_not_matter() {
        let typed = " abcd-efgh-jklm-npqr STUV WXYZ 2345-6789\t";
        assert_eq!(normalise(typed), Ok(PSID.into()));
    }

    #[test]
    fn a_wrong_length_names_look_alikes_and_not_the_psid() {
        for length in [0, 1, 31, 33, 64] {
            let error = normalise(&"A".repeat(length)).unwrap_err();
            assert_eq!(error, PsidError::Length { length });
        }
        let message = normalise("XYZ23").unwrap_err().to_string();
        assert!(message.contains("this has 5"), "{message}");
        assert!(message.contains("O and 0"), "{message}");
        assert!(!message.contains("XYZ23"), "{message}");
    }

    #[test]
    fn other_characters_are_refused_with_their_position() {
        let error = normalise("ABCD-EF_H").unwrap_err();
        assert_eq!(error, PsidError::Character { position: 8 });
        assert!(error.to_string().contains("Q and 0"));
        assert_eq!(normalise("é"), Err(PsidError::Character { position: 1 }));
    }
}
