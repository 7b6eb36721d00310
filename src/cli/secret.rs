//! Secrets of a run: from the SOURCE on the command line to the PIN of one drive.

use std::str::FromStr;

use super::Context;
use super::args::{NewScheme, SaltOptions, SchemeOptions};
use super::error::CliError;
use crate::drive::{Authority, Credential, Drive};
use crate::secret::{
    OpenFiles, Options, Outcome, PinLimits, Prompter, Purpose, Reader, Request, SaltInput,
    SaltRule, Scheme, Secret, derive, normalise_psid, warnings,
};
use crate::transport::Identity;

/// The reader of a run's secrets: standard input, for example, gives one only.
pub(crate) fn reader<'a>(
    prompter: &'a mut dyn Prompter,
    options: &SaltOptions,
    context: &Context,
) -> Reader<'a> {
    let open_files = match options.allow_open_file {
        true => OpenFiles::Allow,
        false => OpenFiles::Refuse,
    };
    let options = Options {
        open_files,
        credentials: std::env::var_os("CREDENTIALS_DIRECTORY").map(Into::into),
        helper_time_limit: context.timeout,
    };
    Reader::new(prompter, options)
}

/// How a passphrase becomes a PIN, as the command line says it.
#[derive(Clone, Debug)]
pub(crate) struct Recipe {
    scheme: Scheme,
    salt: SaltRule,
    serial: Option<String>,
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
        Ok(Self {
            scheme: scheme.map_or(Ok(default), parse)?,
            salt: salt.salt.as_deref().map_or(Ok(SaltRule::Serial), parse)?,
            serial: salt.serial.clone(),
        })
    }

    /// The name of the scheme.
    pub(crate) const fn scheme(&self) -> Scheme {
        self.scheme
    }

    fn pin(&self, passphrase: &Secret, identity: &Identity) -> Result<Secret, CliError> {
        let serial = self
            .serial
            .as_deref()
            .map_or(&*identity.serial, str::as_bytes);
        let input = SaltInput {
            serial,
            vendor: identity.vendor.as_deref(),
        };
        let limits = PinLimits::default();
        Ok(derive(self.scheme, &self.salt, &input, passphrase, limits)?)
    }
}

fn parse<T: FromStr<Err: std::error::Error>>(text: &str) -> Result<T, CliError> {
    text.parse()
        .map_err(|error: T::Err| CliError::usage(error.to_string()))
}

/// The authority that a text names.
pub(crate) fn authority(text: &str) -> Result<Authority, CliError> {
    parse(text)
}

/// A secret that was read, and how it becomes a PIN.
pub(crate) struct Key {
    outcome: Outcome,
    recipe: Recipe,
}

impl Key {
    /// Reads a secret that is set already.
    pub(crate) fn read(
        reader: &mut Reader<'_>,
        source: &str,
        prompt: &str,
        recipe: Recipe,
    ) -> Result<Self, CliError> {
        let request = Request {
            prompt,
            purpose: Purpose::Existing,
        };
        let outcome = reader.read(&parse(source)?, &request)?;
        Ok(Self { outcome, recipe })
    }

    /// Reads a secret that is about to be set, and warns of what may go wrong with it.
    pub(crate) fn read_new(
        reader: &mut Reader<'_>,
        source: &str,
        prompt: &str,
        recipe: Recipe,
        context: &Context,
    ) -> Result<Self, CliError> {
        let request = Request {
            prompt,
            purpose: Purpose::New,
        };
        let outcome = reader.read(&parse(source)?, &request)?;
        if let Outcome::Secret(passphrase) = &outcome {
            for warning in warnings(recipe.scheme, passphrase) {
                context.output.warning(&warning.to_string());
            }
        }
        Ok(Self { outcome, recipe })
    }

    /// The PIN for a drive. The MSID is fetched from the drive and never hashed.
    pub(crate) fn pin(&self, drive: &mut Drive) -> Result<Secret, CliError> {
        match &self.outcome {
            Outcome::Secret(passphrase) => self.recipe.pin(passphrase, drive.identity()),
            Outcome::Msid => Ok(drive.msid()?),
        }
    }

    /// The PIN for a drive, and whose it is.
    pub(crate) fn credential(
        &self,
        authority: Authority,
        drive: &mut Drive,
    ) -> Result<Credential, CliError> {
        Ok(Credential::new(authority, self.pin(drive)?))
    }
}

/// Reads a PSID, with or without the dashes of the label.
pub(crate) fn psid(reader: &mut Reader<'_>, source: &str) -> Result<Secret, CliError> {
    let request = Request {
        prompt: "PSID from the drive's label",
        purpose: Purpose::Existing,
    };
    match reader.read(&parse(source)?, &request)? {
        Outcome::Secret(typed) => Ok(normalise_psid(&typed)?),
        Outcome::Msid => Err(CliError::usage("the MSID is no PSID")
            .with_hint("the PSID is printed on the drive's label, and the drive never shows it")),
    }
}
