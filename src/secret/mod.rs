//! Secrets: where they come from, how they are kept, and how a passphrase becomes a PIN.
//!
//! In reading order:
//! - [`Secret`]: bytes that are wiped when dropped and that never show in a log;
//! - [`Source`] and [`Reader`]: prompt, standard input, file, credential, keyring, helper;
//! - [`Scheme`] and [`SaltRule`], together a [`PinRule`]: what is sent to the drive for a passphrase,
//!   [`derive()`];
//! - [`warnings`]: what a firmware prompt may make difficult;
//! - [`parse_hex`] and [`normalise_psid`]: the two notations that people copy by hand.
//!
//! Secrets are never arguments of a command and never come from the environment: both can be read
//! by other processes. The environment is not read here at all.
//!
//! # Example
//! ```
//! use sedkit::secret::{PinLimits, SaltInput, SaltRule, Scheme, Secret, derive};
//!
//! let passphrase = Secret::from_slice(b"debug");
//! let salt = SaltInput { serial: b"S1234567890ABCD     ", ..SaltInput::default() };
//! let pin = derive(
//!     Scheme::Sedutil,
//!     &SaltRule::Serial,
//!     &salt,
//!     &passphrase,
//!     PinLimits::default(),
//! )?;
//! assert_eq!(pin.expose()[..4], [0x3a, 0x14, 0x2e, 0xc0]);
//! # Ok::<(), sedkit::secret::SchemeError>(())
//! ```

#![forbid(unsafe_code)]

use std::fmt;

use subtle::{Choice, ConstantTimeEq};
use zeroize::{Zeroize, ZeroizeOnDrop};

mod derive;
mod error;
mod exec;
mod foreign;
mod hex;
mod intake;
mod keyring;
mod lock;
mod prompt;
mod psid;
mod reader;
mod rule;
mod salt;
mod scan_code;
mod scheme;
mod source;
mod warning;

#[cfg(test)]
mod vectors;

pub use derive::{CharacterClass, PinLimits, SchemeError, derive};
pub use error::SourceError;
pub use hex::{HexError, parse_hex};
pub use prompt::{Prompter, TerminalPrompter};
pub use psid::{LOOK_ALIKES, PSID_LENGTH, PsidError, normalise_psid};
pub use reader::{MAX_SECRET_LENGTH, OpenFiles, Options, Outcome, Purpose, Reader, Request};
pub use rule::{ParsePinRuleError, PinRule};
pub use salt::{
    MODEL_LENGTH, ParseSaltRuleError, SALT_LENGTH, SaltError, SaltInput, SaltRule, VENDOR_LENGTH,
};
pub use scheme::{ParseSchemeError, Scheme, SchemeOutput};
pub use source::{ParseSourceError, Source};
pub use warning::{Warning, warnings};

/// A passphrase, a PIN or a PSID.
///
/// The bytes are wiped when the value is dropped and are kept from the swap area and from core
/// files as far as the limit on locked memory allows. There is no `Clone` (see
/// [`Secret::duplicate`]), `Debug` shows nothing, and equality takes a time that depends on the
/// lengths only.
///
/// ```compile_fail,E0599
/// let secret = sedkit::secret::Secret::from_slice(b"x");
/// let copy = secret.clone();
/// ```
pub struct Secret {
    /// Never grows: a reallocation would leave a copy behind.
    bytes: Vec<u8>,
}

impl Secret {
    /// Takes over `bytes`, and wipes what the vector holds beyond its length.
    #[must_use]
    pub fn new(mut bytes: Vec<u8>) -> Self {
        bytes.spare_capacity_mut().zeroize();
        lock::hold(&bytes);
        Self { bytes }
    }

    /// Copies `bytes`; wiping the original is the caller's part.
    #[must_use]
    pub fn from_slice(bytes: &[u8]) -> Self {
        Self::new(bytes.to_vec())
    }

    /// A second copy, made where two owners need the bytes and said in so many words.
    #[must_use]
    pub fn duplicate(&self) -> Self {
        Self::from_slice(&self.bytes)
    }

    /// The bytes, for the moment in which they are used.
    #[must_use]
    pub fn expose(&self) -> &[u8] {
        &self.bytes
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether there are no bytes at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    fn wipe(&mut self) {
        self.bytes.as_mut_slice().zeroize();
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        self.wipe();
        lock::release(&self.bytes);
    }
}

impl ZeroizeOnDrop for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl ConstantTimeEq for Secret {
    fn ct_eq(&self, other: &Self) -> Choice {
        self.bytes.ct_eq(&other.bytes)
    }
}

impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.ct_eq(other).into()
    }
}

impl Eq for Secret {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debug_shows_no_content() {
        let secret = Secret::from_slice(b"hunter2");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(format!("{secret:#?}"), "Secret(..)");
    }

    #[test]
    fn secrets_compare_by_content() {
        let secret = Secret::from_slice(b"abc");
        assert_eq!(secret, Secret::new(b"abc".to_vec()));
        assert_ne!(secret, Secret::from_slice(b"abd"));
        assert_ne!(secret, Secret::from_slice(b"ab"));
        assert_ne!(secret, Secret::from_slice(b""));
    }

    #[test]
    fn length_is_that_of_the_bytes() {
        assert_eq!(Secret::from_slice(b"abc").len(), 3);
        assert!(!Secret::from_slice(b"abc").is_empty());
        assert!(Secret::new(Vec::new()).is_empty());
    }

    #[test]
    fn a_duplicate_has_its_own_bytes() {
        let first = Secret::from_slice(b"abc");
        let second = first.duplicate();
        assert_ne!(first.expose().as_ptr(), second.expose().as_ptr());
        drop(first);
        assert_eq!(second.expose(), b"abc");
    }

    #[test]
    fn wiping_clears_every_byte() {
        let mut secret = Secret::from_slice(b"hunter2");
        secret.wipe();
        assert_eq!(secret.expose(), [0; 7]);
    }

    #[test]
    fn new_does_not_move_the_bytes() {
        let bytes = b"hunter2".to_vec();
        let address = bytes.as_ptr();
        assert_eq!(Secret::new(bytes).expose().as_ptr(), address);
    }

    #[test]
    fn secret_is_wiped_on_drop_and_crosses_threads() {
        fn check<T: ZeroizeOnDrop + Send + Sync>() {}
        check::<Secret>();
    }
}
