//! Names of NVM subsystems.

use std::fmt;
use std::str::FromStr;

/// An NVMe Qualified Name (\[NVMe\] NVMe Qualified Names): what a host connects to.
///
/// ```
/// use sedkit::vdrive::serve::Nqn;
///
/// let nqn: Nqn = "nqn.2014-08.org.nvmexpress:uuid:one".parse()?;
/// assert_eq!(Nqn::of_serial("S 1").to_string(), "nqn.2026-01.io.github.sedkit:S%201");
/// # Ok::<(), sedkit::vdrive::serve::NqnError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nqn(String);

/// A text that names no subsystem.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NqnError {
    /// It is longer than a Connect command carries.
    #[error("an NQN has at most {LIMIT} bytes")]
    TooLong,
    /// It does not begin with a date and the name of whoever gave it.
    #[error("an NQN begins like nqn.2026-01.org.example")]
    Beginning,
    /// A blank or a comma ends the name for the tools that connect, and other characters beyond
    /// printable ASCII do not arrive as they are typed.
    #[error("an NQN has printable ASCII characters only, without blanks and commas")]
    Character,
    /// The name belongs to discovery services.
    #[error("this NQN is that of every discovery service")]
    Discovery,
}

/// Most bytes of a name.
const LIMIT: usize = 223;
/// What the names of drives begin with that were given none.
const OURS: &str = "nqn.2026-01.io.github.sedkit:";
const DISCOVERY: &str = "nqn.2014-08.org.nvmexpress.discovery";

impl Nqn {
    /// The name of a drive that was given none. Drives with different serial numbers have
    /// different names.
    #[must_use]
    pub fn of_serial(serial: &str) -> Self {
        let encode = |byte: u8| match byte {
            b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'-' | b'.' | b'_' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        };
        let room = (LIMIT - OURS.len()) / "%00".len();
        let serial: String = serial.bytes().take(room).map(encode).collect();
        Self(format!("{OURS}{serial}"))
    }

    /// The name as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Nqn {
    type Err = NqnError;

    fn from_str(text: &str) -> Result<Self, NqnError> {
        if text.len() > LIMIT {
            return Err(NqnError::TooLong);
        }
        if !text
            .bytes()
            .all(|byte| byte.is_ascii_graphic() && byte != b',')
        {
            return Err(NqnError::Character);
        }
        if !has_beginning(text) {
            return Err(NqnError::Beginning);
        }
        if text == DISCOVERY {
            return Err(NqnError::Discovery);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Nqn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// `nqn.`, year and month, a dot and something after it.
fn has_beginning(text: &str) -> bool {
    let Some((date, authority)) = text
        .strip_prefix("nqn.")
        .and_then(|rest| rest.split_once('.'))
    else {
        return false;
    };
    let digit = |at: usize, byte: u8| {
        if at == 4 {
            byte == b'-'
        } else {
            byte.is_ascii_digit()
        }
    };
    let is_date = date.len() == 7 && date.bytes().enumerate().all(|(at, byte)| digit(at, byte));
    is_date && !authority.is_empty() && !authority.starts_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Nqn, NqnError> {
        text.parse()
    }

    #[test]
    fn names_of_the_standard_are_taken() {
        for text in [
            "nqn.2014-08.com.example:nvme:nvm-subsystem-sn-d78432",
            "nqn.2014-08.org.nvmexpress:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
            "nqn.2026-01.x",
        ] {
            assert_eq!(parse(text).unwrap().as_str(), text);
        }
    }

    #[test]
    fn what_is_no_name_is_refused() {
        let long = format!("nqn.2026-01.org.example:{}", "x".repeat(200));
        assert_eq!(parse(&long), Err(NqnError::TooLong));
        for text in [
            "",
            "drive",
            "nqn.2026.org",
            "nqn.2026-1.org",
            "nqn.2026-01.",
            "nqn.2026-01.:x",
        ] {
            assert_eq!(parse(text), Err(NqnError::Beginning), "{text}");
        }
        for text in [
            "nqn.2026-01.a b",
            "nqn.2026-01.a,b",
            "nqn.2026-01.é",
            "nqn.2026-01.a\n",
        ] {
            assert_eq!(parse(text), Err(NqnError::Character), "{text}");
        }
        assert_eq!(parse(DISCOVERY), Err(NqnError::Discovery));
    }

    #[test]
    fn every_serial_number_has_a_valid_name_of_its_own() {
        let serials = ["A", "A ", "A%20", "a", ",", "\u{7f}", "", &"%".repeat(100)];
        let names: Vec<Nqn> = serials
            .iter()
            .map(|serial| Nqn::of_serial(serial))
            .collect();
        for (at, name) in names.iter().enumerate() {
            assert_eq!(parse(name.as_str()).as_ref(), Ok(name));
            assert!(!names[..at].contains(name), "{name}");
        }
    }
}
