//! What is unique to one drive: its serial number and the PINs that stand on its label.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The label of a drive.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Label {
    /// Serial number, at most 20 characters.
    pub serial: String,
    /// Model, at most 40 characters.
    pub model: String,
    /// Firmware revision, at most 8 characters.
    pub firmware: String,
    /// The PIN that C_PIN_MSID shows to anybody, at most 32 characters.
    pub msid: String,
    /// The PIN of authority PSID, at most 32 characters.
    pub psid: String,
}

/// A text that has no room in its field, or cannot stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} must be {minimum} to {maximum} printable ASCII characters")]
pub struct LabelError {
    /// The field.
    pub field: &'static str,
    /// Fewest characters.
    pub minimum: usize,
    /// Most characters.
    pub maximum: usize,
}

/// Characters of a serial number.
pub(crate) const SERIAL: usize = 20;
/// Characters of a model.
pub(crate) const MODEL: usize = 40;
/// Characters of a firmware revision.
pub(crate) const FIRMWARE: usize = 8;
/// Characters of a PIN (type `password`).
const PIN: usize = 32;

impl Label {
    /// Checks that every text fits its field.
    pub(crate) fn check(&self) -> Result<(), LabelError> {
        check("the serial number", &self.serial, 1, SERIAL)?;
        check("the model", &self.model, 0, MODEL)?;
        check("the firmware revision", &self.firmware, 0, FIRMWARE)?;
        check("MSID", &self.msid, 1, PIN)?;
        check("PSID", &self.psid, 1, PIN)
    }

    /// `TPerInfo.FirmwareVersion`, which is vendor unique: what fits of the firmware revision.
    pub(crate) fn firmware_version(&self) -> u64 {
        let mut version = [0; 4];
        for (place, byte) in version.iter_mut().zip(self.firmware.bytes()) {
            *place = byte;
        }
        u64::from(u32::from_be_bytes(version))
    }

    /// `TPerInfo.GUDID`, which is vendor unique: what fits of the serial number.
    pub(crate) fn gudid(&self) -> [u8; 12] {
        let mut gudid = [0; 12];
        for (place, byte) in gudid.iter_mut().zip(self.serial.bytes()) {
            *place = byte;
        }
        gudid
    }
}

fn check(
    field: &'static str,
    text: &str,
    minimum: usize,
    maximum: usize,
) -> Result<(), LabelError> {
    let is_printable = text.bytes().all(|byte| matches!(byte, 0x20..=0x7e));
    if is_printable && (minimum..=maximum).contains(&text.len()) {
        return Ok(());
    }
    Err(LabelError {
        field,
        minimum,
        maximum,
    })
}

impl fmt::Debug for Label {
    /// Without the PINs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Label")
            .field("serial", &self.serial)
            .field("model", &self.model)
            .field("firmware", &self.firmware)
            .finish_non_exhaustive()
    }
}

/// A random text of capital letters and digits.
pub(crate) fn random_text(length: usize) -> Result<String, getrandom::Error> {
    random_of(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", length)
}

/// A random text of capital letters and digits that nobody takes for one another.
pub(crate) fn random_readable_text(length: usize) -> Result<String, getrandom::Error> {
    random_of(b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789", length)
}

/// Every character is equally likely: bytes beyond the last whole alphabet are thrown away.
fn random_of(alphabet: &[u8], length: usize) -> Result<String, getrandom::Error> {
    let whole = 256 - 256 % alphabet.len();
    let mut text = String::with_capacity(length);
    while text.len() < length {
        let mut byte = [0];
        getrandom::fill(&mut byte)?;
        let index = usize::from(byte[0]);
        if let Some(&letter) = alphabet
            .get(index % alphabet.len())
            .filter(|_| index < whole)
        {
            text.push(char::from(letter));
        }
    }
    Ok(text)
}

#[cfg(test)]
impl Label {
    /// A label for tests.
    pub(crate) fn sample() -> Self {
        Self {
            serial: "VD0000000001".to_owned(),
            model: "sedkit virtual drive".to_owned(),
            firmware: "1.0".to_owned(),
            msid: "MSIDPASSWORD1234567890".to_owned(),
            psid: "PSID2345PSID2345PSID2345PSID2345".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_must_fit_their_fields() {
        assert_eq!(Label::sample().check(), Ok(()));
        let too_long = Label {
            psid: "X".repeat(33),
            ..Label::sample()
        };
        assert_eq!(too_long.check().unwrap_err().field, "PSID");
        let empty = Label {
            serial: String::new(),
            ..Label::sample()
        };
        assert_eq!(empty.check().unwrap_err().field, "the serial number");
        let control = Label {
            model: "a\x1b[2J".to_owned(),
            ..Label::sample()
        };
        assert_eq!(control.check().unwrap_err().field, "the model");
    }

    #[test]
    fn random_texts_keep_to_their_alphabet() {
        let psid = random_readable_text(32).unwrap();
        assert_eq!(psid.len(), 32);
        assert!(!psid.contains(['0', 'O', '1', 'I']), "{psid}");
        assert_ne!(random_text(32).unwrap(), random_text(32).unwrap());
    }

    #[test]
    fn debug_shows_no_pin() {
        let text = format!("{:?}", Label::sample());
        assert!(!text.contains("MSID") && !text.contains("PSID"), "{text}");
    }
}
