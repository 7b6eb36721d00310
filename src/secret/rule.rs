//! The whole way from a passphrase to a PIN: a scheme, and the salt rule where it has one.

use std::fmt;
use std::str::FromStr;

use super::{
    ParseSaltRuleError, ParseSchemeError, PinLimits, SaltInput, SaltRule, Scheme, SchemeError,
    Secret, derive,
};

/// A scheme with its salt rule. Written `raw`, `sedutil/serial`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PinRule {
    /// The scheme.
    pub scheme: Scheme,
    /// The salt rule; it matters to salted schemes only.
    pub salt: SaltRule,
}

impl PinRule {
    /// A scheme with a salt rule, which schemes without salt do not keep.
    #[must_use]
    pub fn new(scheme: Scheme, salt: SaltRule) -> Self {
        let salt = match scheme.is_salted() {
            true => salt,
            false => SaltRule::default(),
        };
        Self { scheme, salt }
    }

    /// The name of the salt rule, where there is one.
    #[must_use]
    pub fn salt_name(&self) -> Option<String> {
        self.scheme.is_salted().then(|| self.salt.to_string())
    }

    /// The PIN of a passphrase, see [`derive()`].
    ///
    /// # Errors
    /// As [`derive()`].
    pub fn pin(&self, passphrase: &Secret, input: &SaltInput<'_>) -> Result<Secret, SchemeError> {
        let limits = PinLimits::default();
        derive(self.scheme, &self.salt, input, passphrase, limits)
    }
}

impl fmt::Display for PinRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.scheme)?;
        match self.salt_name() {
            Some(salt) => write!(f, "/{salt}"),
            None => Ok(()),
        }
    }
}

/// Why a text names no rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParsePinRuleError {
    /// The scheme is unknown.
    #[error(transparent)]
    Scheme(#[from] ParseSchemeError),
    /// The salt rule is unknown.
    #[error(transparent)]
    Salt(#[from] ParseSaltRuleError),
    /// The scheme has no salt.
    #[error("the scheme {0} has no salt")]
    NoSalt(Scheme),
}

impl FromStr for PinRule {
    type Err = ParsePinRuleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((scheme, salt)) = text.split_once('/') else {
            return Ok(Self::new(text.parse()?, SaltRule::default()));
        };
        let (scheme, salt) = (scheme.parse::<Scheme>()?, salt.parse()?);
        if !scheme.is_salted() {
            return Err(ParsePinRuleError::NoSalt(scheme));
        }
        Ok(Self::new(scheme, salt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_and_written() {
        for scheme in Scheme::ALL {
            for salt in SaltRule::NAMED.into_iter().chain([SaltRule::Hex([7; 20])]) {
                let rule = PinRule::new(scheme, salt);
                assert_eq!(rule.to_string().parse(), Ok(rule));
            }
        }
        let zero = PinRule::new(Scheme::Sedutil, SaltRule::Zero);
        assert_eq!(zero.to_string(), "sedutil/zero");
        let serial = PinRule::new(Scheme::Sedutil, SaltRule::Serial);
        assert_eq!("sedutil".parse(), Ok(serial));
    }

    #[test]
    fn other_texts_are_refused() {
        let parse = |text: &str| text.parse::<PinRule>().unwrap_err();
        assert_eq!(parse("raw/zero"), ParsePinRuleError::NoSalt(Scheme::Raw));
        assert!(matches!(parse("rot13"), ParsePinRuleError::Scheme(_)));
        assert!(matches!(parse("sedutil/sea"), ParsePinRuleError::Salt(_)));
    }
}
