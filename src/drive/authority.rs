//! Authorities: who acts, and the PIN that proves it.

use std::fmt;
use std::str::FromStr;

use crate::secret::Secret;
use crate::spec::{Uid, uid};

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Authority {
    /// The owner of the TPer (Admin SP).
    Sid,
    /// Whoever can read the label (Admin SP).
    Psid,
    /// AdminN of the Locking SP, N from 1.
    Admin(u16),
    /// UserN of the Locking SP, N from 1.
    User(u16),
    /// BandMasterN of the Enterprise SSC, N from 0.
    BandMaster(u16),
    /// EraseMaster of the Enterprise SSC.
    EraseMaster,
    /// Any other one, by its row: Admin1 of the Admin SP, or a vendor's.
    Other {
        /// The SP that it belongs to.
        sp: Uid,
        /// The row of table Authority.
        uid: Uid,
    },
}

/// An authority and the PIN that proves it.
#[derive(Debug)]
pub struct Credential {
    /// Who acts.
    pub authority: Authority,
    /// The PIN, as it is sent to the drive.
    pub pin: Secret,
}

impl Credential {
    /// A credential.
    #[must_use]
    pub const fn new(authority: Authority, pin: Secret) -> Self {
        Self { authority, pin }
    }
}

impl Authority {
    /// The row of table Authority.
    #[must_use]
    pub const fn uid(self) -> Uid {
        match self {
            Self::Sid => uid::SID,
            Self::Psid => uid::PSID,
            Self::Admin(number) => uid::admin(number),
            Self::User(number) => uid::user(number),
            Self::BandMaster(number) => uid::BAND_MASTER0.row(0x8001 + number as u32),
            Self::EraseMaster => uid::ERASE_MASTER,
            Self::Other { uid, .. } => uid,
        }
    }

    /// The row of table `C_PIN`.
    #[must_use]
    pub fn c_pin(self) -> Uid {
        uid::c_pin(self.uid())
    }

    /// The SP that it belongs to.
    #[must_use]
    pub const fn sp(self) -> Uid {
        match self {
            Self::Sid | Self::Psid => uid::ADMIN_SP,
            Self::Admin(_) | Self::User(_) => uid::LOCKING_SP,
            Self::BandMaster(_) | Self::EraseMaster => uid::ENTERPRISE_LOCKING_SP,
            Self::Other { sp, .. } => sp,
        }
    }
}

impl fmt::Display for Authority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sid => f.write_str("SID"),
            Self::Psid => f.write_str("PSID"),
            Self::Admin(number) => write!(f, "Admin{number}"),
            Self::User(number) => write!(f, "User{number}"),
            Self::BandMaster(number) => write!(f, "BandMaster{number}"),
            Self::EraseMaster => f.write_str("EraseMaster"),
            Self::Other { uid, .. } => f.write_str(&uid::label(*uid)),
        }
    }
}

/// A text that names no authority.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no authority: SID, PSID, AdminN, UserN (N from 1), BandMasterN (N from 0) or EraseMaster")]
pub struct ParseAuthorityError;

impl FromStr for Authority {
    type Err = ParseAuthorityError;

    /// Upper and lower case are the same; numbers are decimal without sign or leading zero.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        match lower.as_str() {
            "sid" => return Ok(Self::Sid),
            "psid" => return Ok(Self::Psid),
            "erasemaster" => return Ok(Self::EraseMaster),
            _ => {}
        }
        let numbered = |prefix: &str, range: std::ops::RangeInclusive<u16>| {
            let digits = lower.strip_prefix(prefix)?;
            let number = digits.parse().ok()?;
            (range.contains(&number) && number.to_string() == digits).then_some(number)
        };
        numbered("admin", 1..=0xfeff)
            .map(Self::Admin)
            .or_else(|| numbered("user", 1..=u16::MAX).map(Self::User))
            .or_else(|| numbered("bandmaster", 0..=1023).map(Self::BandMaster))
            .ok_or(ParseAuthorityError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_standard() {
        for (text, authority, authority_low, c_pin_low) in [
            ("SID", Authority::Sid, 0x06, 0x01),
            ("PSID", Authority::Psid, 0x0001_ff01, 0x0001_ff01),
            ("Admin1", Authority::Admin(1), 0x0001_0001, 0x0001_0001),
            ("User9", Authority::User(9), 0x0003_0009, 0x0003_0009),
            ("BandMaster0", Authority::BandMaster(0), 0x8001, 0x8001),
            (
                "BandMaster1023",
                Authority::BandMaster(1023),
                0x8400,
                0x8400,
            ),
            ("EraseMaster", Authority::EraseMaster, 0x8401, 0x8401),
        ] {
            assert_eq!(text.parse(), Ok(authority));
            assert_eq!(text.to_lowercase().parse(), Ok(authority));
            assert_eq!(authority.to_string(), text);
            assert_eq!(authority.uid(), Uid::from_halves(0x09, authority_low));
            assert_eq!(authority.c_pin(), Uid::from_halves(0x0b, c_pin_low));
        }
    }

    #[test]
    fn other_names_are_refused() {
        for text in [
            "",
            "Admin",
            "Admin0",
            "Admin01",
            "Admin+1",
            "User0",
            "User65536",
            "Admin65280",
            "BandMaster1024",
            "Anybody",
            "SID ",
            "Admin1x",
        ] {
            assert_eq!(
                text.parse::<Authority>(),
                Err(ParseAuthorityError),
                "{text}"
            );
        }
    }
}
