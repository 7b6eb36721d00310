//! Secrets of a run: from the SOURCE on the command line to the PIN of one drive.

use std::path::PathBuf;
use std::str::FromStr;

use super::Context;
use super::args::{Actor, Login, SaltOptions};
use super::error::CliError;
use super::exit::Code;
use crate::drive::{Authority, Credential, Drive, ParseAuthorityError};
use crate::secret::{
    OpenFiles, Options, Outcome, Prompter, Purpose, Reader, Request, Secret, Source, SourceError,
    TerminalPrompter, normalise_psid, warnings,
};
use crate::transport::Identity;

mod recipe;

pub(crate) use recipe::Recipe;

/// Reads a name that an option holds.
pub(crate) fn parse<T: FromStr<Err: std::error::Error>>(text: &str) -> Result<T, CliError> {
    text.parse()
        .map_err(|error: T::Err| CliError::usage(error.to_string()))
}

/// The source that an option names. What was typed is not repeated: it may be a secret.
pub(crate) fn source(text: &str) -> Result<Source, CliError> {
    parse(text)
}

/// The source of a secret that is about to be set. The MSID is none: anybody can read it.
pub(crate) fn new_source(text: &str) -> Result<Source, CliError> {
    match source(text)? {
        Source::Msid => Err(CliError::usage(
            "the MSID is no new secret: the drive shows it to anybody",
        )
        .with_hint("choose a passphrase; \"sedkit revert\" is the way back to the MSID")),
        source => Ok(source),
    }
}

/// The authority that a text names.
pub(crate) fn authority(text: &str) -> Result<Authority, CliError> {
    let unknown = |error| CliError::usage(format!("{text:?} is {error}"));
    text.parse()
        .map_err(|error: ParseAuthorityError| unknown(error))
}

/// Reads the secrets of a run, each from its source: standard input, for example, gives one only.
pub(crate) struct Secrets<'a> {
    reader: Reader<'a>,
    options: Options,
    context: &'a Context,
}

impl<'a> Secrets<'a> {
    /// Asks people through `prompter`.
    pub(crate) fn new(
        prompter: &'a mut dyn Prompter,
        options: &SaltOptions,
        context: &'a Context,
    ) -> Self {
        let open_files = match options.allow_open_file {
            true => OpenFiles::Allow,
            false => OpenFiles::Refuse,
        };
        let options = Options {
            open_files,
            credentials: credentials_directory(),
            helper_time_limit: context.timeout,
        };
        Self {
            reader: Reader::new(prompter, options.clone()),
            options,
            context,
        }
    }

    /// Reads a secret that is set already.
    pub(crate) fn existing(
        &mut self,
        source: &Source,
        prompt: &str,
        recipe: &Recipe,
    ) -> Result<Key, CliError> {
        self.key(source, prompt, Purpose::Existing, recipe)
    }

    fn key(
        &mut self,
        source: &Source,
        prompt: &str,
        purpose: Purpose,
        recipe: &Recipe,
    ) -> Result<Key, CliError> {
        let found = match source.is_of_each_drive() {
            true => Found::OfEachDrive(source.clone(), self.options.clone()),
            false => Found::Read(self.read(source, prompt, purpose)?),
        };
        let recipe = recipe.clone();
        Ok(Key { found, recipe })
    }

    /// Reads a secret that is about to be set, and warns of what may go wrong with it.
    pub(crate) fn new_pin(
        &mut self,
        source: &Source,
        prompt: &str,
        recipe: &Recipe,
    ) -> Result<Key, CliError> {
        let key = self.key(source, prompt, Purpose::New, recipe)?;
        if let Found::Read(Outcome::Secret(passphrase)) = &key.found {
            self.warn(recipe, passphrase);
        }
        Ok(key)
    }

    /// Warns of what may go wrong with a passphrase that is set by a recipe.
    pub(crate) fn warn(&self, recipe: &Recipe, passphrase: &Secret) {
        for warning in warnings(recipe.scheme(), passphrase) {
            self.context.output.warning(&warning.to_string());
        }
    }

    /// Reads the PSID of a drive, with or without the dashes of the label.
    pub(crate) fn psid(&mut self, source: &Source, drive: &Identity) -> Result<Secret, CliError> {
        let prompt = "PSID from the drive's label";
        let source = source.of_drive(&drive.serial_text())?;
        match self.read(&source, prompt, Purpose::Existing)? {
            Outcome::Secret(typed) => Ok(normalise_psid(&typed)?),
            Outcome::Msid => Err(CliError::usage("the MSID is no PSID")
                .with_hint("the PSID stands on the drive's label; the drive never shows it")),
        }
    }

    /// Reads a passphrase on which attempts depend: at a prompt it is typed twice.
    pub(crate) fn typed_twice(&mut self, source: &Source) -> Result<Secret, CliError> {
        let outcome = self.read(source, "Passphrase", Purpose::New)?;
        Self::not_msid(outcome)
    }

    /// Reads a passphrase that is not for a drive.
    pub(crate) fn passphrase(&mut self, source: &Source) -> Result<Secret, CliError> {
        let outcome = self.read(source, "Passphrase", Purpose::Existing)?;
        Self::not_msid(outcome)
    }

    fn not_msid(outcome: Outcome) -> Result<Secret, CliError> {
        match outcome {
            Outcome::Secret(passphrase) => Ok(passphrase),
            Outcome::Msid => Err(CliError::usage("the MSID is a PIN already")
                .with_hint("it is sent to the drive as it is, never hashed")),
        }
    }

    /// The prompt restores the terminal before it lets a signal end anything; all other sources are
    /// waited for while nothing is open.
    fn read(
        &mut self,
        source: &Source,
        prompt: &str,
        purpose: Purpose,
    ) -> Result<Outcome, CliError> {
        if source.is_of_each_drive() {
            let message =
                format!("{source} is a secret of each drive, and this one belongs to none");
            return Err(CliError::usage(message).with_hint("write the serial number itself"));
        }
        let request = Request { prompt, purpose };
        let signals = &self.context.signals;
        let outcome = match source {
            Source::Prompt => self.reader.read(source, &request),
            _ => signals.while_idle(|| self.reader.read(source, &request)),
        };
        if signals.interrupt().is_raised() {
            return Err(CliError::new(Code::Interrupted, "interrupted"));
        }
        outcome.map_err(|error| unread(error, prompt))
    }
}

/// Why nothing was read; where nobody can be asked, what would have been asked for.
fn unread(error: SourceError, prompt: &str) -> CliError {
    let is_unasked = matches!(error, SourceError::NoTerminal { .. });
    let mut unread = CliError::from(error);
    if is_unasked {
        unread.message = format!("there is no terminal to ask on: {prompt}");
    }
    unread
}

/// Where the service manager put the credentials of this service.
#[expect(
    clippy::disallowed_methods,
    reason = "the environment is read here, in cli"
)]
fn credentials_directory() -> Option<PathBuf> {
    std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from)
}

/// A secret, and how it becomes a PIN.
pub(crate) struct Key {
    found: Found,
    recipe: Recipe,
}

/// What a source gave.
enum Found {
    /// The same for every drive.
    Read(Outcome),
    /// A secret of its own for each drive, which is read when the drive is at hand.
    OfEachDrive(Source, Options),
}

/// Reads what is one drive's own. No person is asked: a prompt is the same for every drive.
fn read_of_drive(
    source: &Source,
    options: &Options,
    identity: &Identity,
) -> Result<Outcome, CliError> {
    let source = source.of_drive(&identity.serial_text())?;
    let mut terminal = TerminalPrompter::new();
    let mut reader = Reader::new(&mut terminal, options.clone());
    let request = Request {
        prompt: "",
        purpose: Purpose::Existing,
    };
    Ok(reader.read(&source, &request)?)
}

impl Key {
    /// The PIN for a drive. The MSID is fetched from the drive and never hashed.
    pub(crate) fn pin(&self, drive: &mut Drive) -> Result<Secret, CliError> {
        self.pin_by(&self.recipe, drive)
    }

    /// The PIN for a drive by another recipe.
    pub(crate) fn pin_by(&self, recipe: &Recipe, drive: &mut Drive) -> Result<Secret, CliError> {
        let read;
        let outcome = match &self.found {
            Found::Read(outcome) => outcome,
            Found::OfEachDrive(source, options) => {
                read = read_of_drive(source, options, drive.identity())?;
                &read
            }
        };
        match outcome {
            Outcome::Secret(passphrase) => recipe.pin(passphrase, drive.identity()),
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

/// The secret of the acting authority, for as many drives as there are: asked for when it is needed.
pub(crate) struct Acting<'a> {
    authority: Authority,
    source: Source,
    recipe: Recipe,
    salt: &'a SaltOptions,
    tries: u32,
    context: &'a Context,
}

impl<'a> Acting<'a> {
    /// As the options say.
    pub(crate) fn of(actor: &'a Actor, context: &'a Context) -> Result<Self, CliError> {
        Self::new(authority(&actor.authority)?, &actor.login, context)
    }

    /// The same, for who is named otherwise.
    pub(crate) fn new(
        authority: Authority,
        login: &'a Login,
        context: &'a Context,
    ) -> Result<Self, CliError> {
        Ok(Self {
            authority,
            source: source(login.key.source())?,
            recipe: Recipe::existing(&login.scheme)?,
            salt: &login.scheme.salt,
            tries: login.session.tries,
            context,
        })
    }

    /// The same, with schemes of single drives: `SERIAL=SCHEME`, `SERIAL=SCHEME/SALT`.
    pub(crate) fn with_schemes_of(mut self, texts: &[String]) -> Result<Self, CliError> {
        for text in texts {
            let (serial, rule) = text.rsplit_once('=').ok_or_else(|| {
                CliError::usage("--scheme-of takes SERIAL=SCHEME, or SERIAL=SCHEME/SALT")
            })?;
            self.recipe.others.push((serial.to_owned(), parse(rule)?));
        }
        Ok(self)
    }

    /// Reads the secret for drives with these serial numbers. A scheme of a drive that is not among
    /// them is a slip, and would cost another drive an attempt.
    pub(crate) fn read_for(&self, serials: &[String]) -> Result<Key, CliError> {
        let is_absent = |serial: &&String| !serials.contains(*serial);
        let named = self.recipe.others.iter().map(|(serial, _)| serial);
        match named.clone().find(is_absent) {
            Some(serial) => Err(CliError::usage(format!(
                "--scheme-of names the drive {serial}, which is not among those of this run"
            ))
            .with_hint("\"sedkit scan\" shows the serial numbers")),
            None => self.read(),
        }
    }

    /// Reads the secret.
    pub(crate) fn read(&self) -> Result<Key, CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, self.salt, self.context);
        let prompt = format!("{} passphrase", self.authority);
        secrets.existing(&self.source, &prompt, &self.recipe)
    }

    /// Works with the secret on one drive; reads it again as long as it is refused and
    /// [`Acting::attempts`] allows.
    pub(crate) fn with_key<T>(
        &self,
        drive: &mut Drive,
        mut work: impl FnMut(&mut Drive, &Credential) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        repeat(self.attempts(), self.context, || {
            let credential = self.read()?.credential(self.authority, drive)?;
            work(drive, &credential)
        })
    }

    /// Whose secret it is.
    pub(crate) const fn authority(&self) -> Authority {
        self.authority
    }

    /// Says why it is read again.
    pub(crate) fn warn(&self, refusal: &str) {
        self.context.output.warning(refusal);
    }

    /// How often it may be read.
    pub(crate) fn attempts(&self) -> u32 {
        attempts(&self.source, self.tries)
    }
}

/// How often it makes sense to read a secret, of `tries`: a file gives the same one again.
pub(crate) fn attempts(source: &Source, tries: u32) -> u32 {
    match source {
        Source::Prompt => tries,
        _ => 1,
    }
}

/// Tries something with a secret that is asked for, again as long as the drive refuses the PIN.
pub(crate) fn repeat<T>(
    attempts: u32,
    context: &Context,
    mut attempt: impl FnMut() -> Result<T, CliError>,
) -> Result<T, CliError> {
    for _ in 1..attempts {
        match attempt() {
            Err(error) if error.is_refusal => context.output.warning(&error.message),
            outcome => return outcome,
        }
    }
    attempt()
}
