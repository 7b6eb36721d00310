//! Where a secret is to be taken from: the SOURCE of a secret option.

use std::fmt;
use std::os::fd::RawFd;
use std::path::PathBuf;
use std::str::FromStr;

use super::SourceError;

/// A place that secrets come from. Itself no secret: it may be printed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Source {
    /// `prompt`: asked for on the terminal, twice when it is new.
    Prompt,
    /// `stdin`: all of standard input.
    Stdin,
    /// `fd:N`: all that an inherited file descriptor gives.
    Fd(RawFd),
    /// `file:PATH`: a file or a named pipe that others may not read.
    File(PathBuf),
    /// `cred:NAME`: a credential that systemd passed to the service.
    Credential(String),
    /// `keyring:DESCRIPTION`: a key of type `user` in the kernel's user keyring.
    Keyring(String),
    /// `exec:COMMAND`: the standard output of a shell command.
    Exec(String),
    /// `hex-file:PATH`: as `file:`, its bytes written in hexadecimal.
    HexFile(PathBuf),
    /// `msid`: the default PIN, which the drive itself shows.
    Msid,
}

/// What stands for a drive's serial number in a source.
const SERIAL: &str = "{serial}";

impl Source {
    /// Whether every drive has a secret of its own there: the source names `{serial}`.
    #[must_use]
    pub fn is_of_each_drive(&self) -> bool {
        self.map(&|text| with_serial(text, "")) != *self
    }

    /// The source for one drive, by the drive's serial number.
    ///
    /// # Errors
    /// [`SourceError::Serial`] if the serial number could mean something else where it would stand:
    /// in a path, or to a shell.
    pub fn of_drive(&self, serial: &str) -> Result<Self, SourceError> {
        let serial = serial.trim();
        match (self.is_of_each_drive(), is_plain(serial)) {
            (false, _) => Ok(self.clone()),
            (true, true) => Ok(self.map(&|text| with_serial(text, serial))),
            (true, false) => Err(SourceError::Serial {
                origin: self.clone(),
            }),
        }
    }

    /// The same with another path, name or command.
    fn map(&self, change: &dyn Fn(&str) -> String) -> Self {
        let path = |path: &PathBuf| {
            path.to_str()
                .map_or_else(|| path.clone(), |it| change(it).into())
        };
        match self {
            Self::File(it) => Self::File(path(it)),
            Self::HexFile(it) => Self::HexFile(path(it)),
            Self::Credential(name) => Self::Credential(change(name)),
            Self::Keyring(description) => Self::Keyring(change(description)),
            Self::Exec(command) => Self::Exec(change(command)),
            Self::Prompt | Self::Stdin | Self::Fd(_) | Self::Msid => self.clone(),
        }
    }
}

/// A text with the serial number in its place. `${serial}` is a shell's variable, and stays.
fn with_serial(text: &str, serial: &str) -> String {
    const VARIABLE: &str = "${serial}";
    let parts = text.split(VARIABLE);
    let parts: Vec<String> = parts.map(|part| part.replace(SERIAL, serial)).collect();
    parts.join(VARIABLE)
}

/// Whether a serial number means nothing but itself in a path and to a shell: a word of letters,
/// digits, dots, dashes and underscores that begins with a letter or a digit.
fn is_plain(serial: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-.".contains(&byte);
    serial.starts_with(|first: char| first.is_ascii_alphanumeric()) && serial.bytes().all(is_plain)
}

impl FromStr for Source {
    type Err = ParseSourceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let Some((kind, rest)) = text.split_once(':') else {
            return parse_word(text);
        };
        if rest.contains('\0') {
            return Err(ParseSourceError::Unknown);
        }
        match kind {
            "fd" => parse_descriptor(rest),
            "file" => given(rest, "file:PATH").map(|path| Self::File(path.into())),
            "cred" => parse_credential(rest),
            "keyring" => given(rest, "keyring:DESCRIPTION").map(Self::Keyring),
            "exec" => given(rest, "exec:COMMAND").map(Self::Exec),
            "hex-file" => given(rest, "hex-file:PATH").map(|path| Self::HexFile(path.into())),
            _ => Err(ParseSourceError::Unknown),
        }
    }
}

fn parse_word(word: &str) -> Result<Source, ParseSourceError> {
    match word {
        "prompt" => Ok(Source::Prompt),
        "stdin" => Ok(Source::Stdin),
        "msid" => Ok(Source::Msid),
        _ => Err(ParseSourceError::Unknown),
    }
}

fn parse_descriptor(number: &str) -> Result<Source, ParseSourceError> {
    match number.parse::<RawFd>() {
        Ok(number) if number >= 0 => Ok(Source::Fd(number)),
        _ => Err(ParseSourceError::Descriptor),
    }
}

/// A credential's name is a file name in the credentials directory, and never leaves it.
fn parse_credential(name: &str) -> Result<Source, ParseSourceError> {
    let name = given(name, "cred:NAME")?;
    if name.contains('/') || name == "." || name == ".." {
        return Err(ParseSourceError::CredentialName);
    }
    Ok(Source::Credential(name))
}

fn given(rest: &str, form: &'static str) -> Result<String, ParseSourceError> {
    if rest.is_empty() {
        return Err(ParseSourceError::Incomplete { form });
    }
    Ok(rest.to_owned())
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Prompt => f.write_str("prompt"),
            Self::Stdin => f.write_str("stdin"),
            Self::Fd(number) => write!(f, "fd:{number}"),
            Self::File(path) => write!(f, "file:{}", path.display()),
            Self::Credential(name) => write!(f, "cred:{name}"),
            Self::Keyring(description) => write!(f, "keyring:{description}"),
            Self::Exec(command) => write!(f, "exec:{command}"),
            Self::HexFile(path) => write!(f, "hex-file:{}", path.display()),
            Self::Msid => f.write_str("msid"),
        }
    }
}

/// Why a text names no source.
///
/// The text is never repeated: whoever takes the option for the place of the secret itself has
/// typed the secret there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ParseSourceError {
    /// None of the known forms.
    #[error(
        "a secret is never given as an argument, only its source: prompt, stdin, fd:N, file:PATH, \
         cred:NAME, keyring:DESCRIPTION, exec:COMMAND, hex-file:PATH or msid"
    )]
    Unknown,
    /// Nothing stands behind the colon.
    #[error("the source is incomplete: {form}")]
    Incomplete {
        /// How it is written.
        form: &'static str,
    },
    /// `fd:` without a number.
    #[error("fd: takes the number of an open file descriptor")]
    Descriptor,
    /// A credential's name that is a path.
    #[error("cred: takes the name of a credential, not a path")]
    CredentialName,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_drive_has_a_secret_of_its_own_by_its_serial_number() {
        for (text, expected) in [
            ("file:/keys/{serial}.pin", "file:/keys/S4-1_x.pin"),
            ("hex-file:{serial}", "hex-file:S4-1_x"),
            ("cred:{serial}", "cred:S4-1_x"),
            ("keyring:sed:{serial}", "keyring:sed:S4-1_x"),
            ("exec:get {serial} {serial}", "exec:get S4-1_x S4-1_x"),
            ("exec:${serial}{serial}", "exec:${serial}S4-1_x"),
        ] {
            let source: Source = text.parse().unwrap();
            assert!(source.is_of_each_drive(), "{text}");
            assert_eq!(source.of_drive(" S4-1_x ").unwrap().to_string(), expected);
        }
        for text in [
            "prompt",
            "stdin",
            "fd:3",
            "msid",
            "file:/keys/{model}",
            "exec:get ${serial}",
        ] {
            let source: Source = text.parse().unwrap();
            assert!(!source.is_of_each_drive(), "{text}");
            assert_eq!(source.of_drive("a/b").unwrap(), source);
        }
    }

    #[test]
    fn a_hostile_serial_number_is_no_path_and_no_command() {
        let source: Source = "exec:get {serial}".parse().unwrap();
        for serial in [
            "", "  ", "../x", "..", ".", "-x", "a b", "a;b", "$(x)", "a/b", "S\u{e9}", "a\nb",
        ] {
            assert!(source.of_drive(serial).is_err(), "{serial:?}");
        }
    }

    #[test]
    fn every_form_is_read_and_written() {
        let cases = [
            ("prompt", Source::Prompt),
            ("stdin", Source::Stdin),
            ("fd:3", Source::Fd(3)),
            (
                "file:/etc/sedkit/key",
                Source::File("/etc/sedkit/key".into()),
            ),
            ("file:with:colon", Source::File("with:colon".into())),
            ("cred:opal", Source::Credential("opal".into())),
            ("keyring:sedkit:sda", Source::Keyring("sedkit:sda".into())),
            (
                "exec:vault kv get -field=pin x",
                Source::Exec("vault kv get -field=pin x".into()),
            ),
            ("hex-file:pin.hex", Source::HexFile("pin.hex".into())),
            ("msid", Source::Msid),
        ];
        for (text, source) in cases {
            assert_eq!(text.parse(), Ok(source.clone()), "{text}");
            assert_eq!(source.to_string(), text);
        }
    }

    #[test]
    fn a_typed_secret_is_refused_and_not_repeated() {
        for text in [
            "hunter2",
            "",
            "pass:hunter2",
            "Prompt",
            "env:HUNTER2",
            "file",
            "stdin:",
        ] {
            let error = text.parse::<Source>().unwrap_err();
            assert_eq!(error, ParseSourceError::Unknown, "{text}");
            let message = error.to_string();
            assert!(!message.to_lowercase().contains("hunter2"));
            assert!(message.contains("never given as an argument"));
            for form in [
                "prompt", "stdin", "fd:", "file:", "cred:", "keyring:", "exec:", "msid",
            ] {
                assert!(message.contains(form), "{form}");
            }
        }
    }

    #[test]
    fn incomplete_sources_say_how_they_are_written() {
        for form in ["file:", "cred:", "keyring:", "exec:", "hex-file:"] {
            let error = form.parse::<Source>().unwrap_err();
            assert!(error.to_string().contains(form), "{error}");
        }
    }

    #[test]
    fn descriptors_are_numbers() {
        for text in ["fd:", "fd:x", "fd:-1", "fd:99999999999"] {
            assert_eq!(
                text.parse::<Source>(),
                Err(ParseSourceError::Descriptor),
                "{text}"
            );
        }
    }

    #[test]
    fn credential_names_are_no_paths() {
        for text in ["cred:../x", "cred:a/b", "cred:.", "cred:.."] {
            assert_eq!(
                text.parse::<Source>(),
                Err(ParseSourceError::CredentialName),
                "{text}"
            );
        }
    }

    #[test]
    fn nul_bytes_are_refused() {
        assert_eq!(
            "exec:a\0b".parse::<Source>(),
            Err(ParseSourceError::Unknown)
        );
    }
}
