//! From a passphrase to the PIN of one drive.

use super::parse;
use crate::cli::args::{NewScheme, SaltOptions, SchemeOptions};
use crate::cli::error::CliError;
use crate::secret::{PinRule, SaltInput, SaltRule, Scheme, Secret};
use crate::transport::Identity;

/// How a passphrase becomes a PIN, as the command line says it.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    rule: PinRule,
    serial: Option<String>,
    /// Drives with a rule of their own, by their serial numbers.
    pub(super) others: Vec<(String, PinRule)>,
}

impl Recipe {
    /// For a PIN that is set already: the bytes as they are, unless a scheme is named.
    pub(crate) fn existing(options: &SchemeOptions) -> Result<Self, CliError> {
        Self::new(options.scheme.as_deref(), Scheme::Raw, &options.salt)
    }

    /// For a PIN that is about to be set: what a firmware prompt can type, unless a scheme is named.
    pub(crate) fn new_pin(new: &NewScheme, options: &SaltOptions) -> Result<Self, CliError> {
        Self::new(new.new_scheme.as_deref(), Scheme::Firmware, options)
    }

    fn new(scheme: Option<&str>, default: Scheme, salt: &SaltOptions) -> Result<Self, CliError> {
        let scheme = scheme.map_or(Ok(default), parse)?;
        let rule = salt.salt.as_deref().map_or(Ok(SaltRule::Serial), parse)?;
        Ok(Self {
            rule: PinRule::new(scheme, rule),
            serial: salt.serial.clone(),
            others: Vec::new(),
        })
    }

    /// The same serial number with another rule.
    pub(crate) fn with_rule(&self, rule: PinRule) -> Self {
        Self {
            rule,
            serial: self.serial.clone(),
            others: Vec::new(),
        }
    }

    /// The scheme and its salt.
    pub(crate) const fn rule(&self) -> &PinRule {
        &self.rule
    }

    /// The name of the scheme.
    pub(crate) const fn scheme(&self) -> Scheme {
        self.rule.scheme
    }

    pub(super) fn pin(&self, passphrase: &Secret, identity: &Identity) -> Result<Secret, CliError> {
        let serial = self
            .serial
            .as_deref()
            .map_or(&*identity.serial, str::as_bytes);
        let input = SaltInput {
            serial,
            vendor: identity.vendor.as_deref(),
            model: Some(&identity.model),
        };
        let name = identity.serial_text();
        let own = self.others.iter().find(|(serial, _)| *serial == name);
        let rule = own.map_or(&self.rule, |(_, rule)| rule);
        Ok(rule.pin(passphrase, &input)?)
    }
}
