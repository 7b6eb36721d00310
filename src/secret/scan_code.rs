//! Scan codes: what the firmware of older machines makes of a typed passphrase.
//!
//! The codes are those of set 1, by which a keyboard tells that a key went down. Upper and lower case
//! are one key.

use zeroize::Zeroizing;

use super::SchemeError;

/// The keys of a row, from left to right, with consecutive codes from the first one on.
const ROWS: [(&[u8], u8); 4] = [
    (b"1234567890", 0x02),
    (b"qwertyuiop", 0x10),
    (b"asdfghjkl;", 0x1e),
    (b"zxcvbnm", 0x2c),
];

/// The space bar.
const SPACE: u8 = 0x39;

/// The scan codes of a passphrase, which firmware drops where it has none.
///
/// # Errors
/// [`SchemeError::NoScanCode`] for the first character without one.
pub(super) fn scan_codes(passphrase: &[u8]) -> Result<Zeroizing<Vec<u8>>, SchemeError> {
    let mut codes = Zeroizing::new(Vec::with_capacity(passphrase.len()));
    for (index, &byte) in passphrase.iter().enumerate() {
        let position = index + 1;
        codes.push(scan_code(byte).ok_or(SchemeError::NoScanCode { position })?);
    }
    Ok(codes)
}

fn scan_code(byte: u8) -> Option<u8> {
    let key = byte.to_ascii_lowercase();
    if key == b' ' {
        return Some(SPACE);
    }
    ROWS.into_iter().find_map(|(keys, first)| {
        let index = keys.iter().position(|&one| one == key)?;
        Some(first + u8::try_from(index).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_have_the_codes_of_set_1() {
        let typed = b"1 0qpa;lzmQ";
        let codes = [
            0x02, 0x39, 0x0b, 0x10, 0x19, 0x1e, 0x27, 0x26, 0x2c, 0x32, 0x10,
        ];
        assert_eq!(scan_codes(typed).unwrap().as_slice(), codes);
    }

    #[test]
    fn other_characters_are_refused_and_never_dropped() {
        for byte in [b'-', b'!', b'\n', 0, 0xe4] {
            let refused = scan_codes(&[b'a', byte]).unwrap_err();
            assert_eq!(refused, SchemeError::NoScanCode { position: 2 });
        }
    }
}
