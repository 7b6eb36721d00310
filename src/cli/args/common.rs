//! Options that several commands share.

use std::ffi::OsString;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};

/// How new PINs are made (`--new-scheme`).
pub(crate) const NEW_SCHEMES: [&str; 6] = [
    "firmware",
    "raw",
    "sedutil",
    "sedutil-sha512",
    "sedutil-sha512-75k",
    "lenovo-ata",
];

/// What others may have made of a passphrase, beside [`NEW_SCHEMES`].
const FOUND_SCHEMES: [&str; 6] = [
    "raw-cut32",
    "raw-nul32",
    "raw-latin1",
    "raw-upper",
    "raw-lower",
    "sha256",
];

/// What opens no TCG PIN.
const FOREIGN_SCHEMES: [&str; 4] = ["edk2-ata", "scancode-ata", "nvme-ata-tool", "wd-kek"];

/// How PINs that are set already were made (`--scheme`): the help shows those that sedkit sets.
pub(crate) fn schemes() -> PossibleValuesParser {
    let shown = NEW_SCHEMES.map(PossibleValue::new);
    let hidden = FOUND_SCHEMES.map(|name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(shown.into_iter().chain(hidden))
}

/// Everything that `hash` makes.
pub(crate) fn all_schemes() -> PossibleValuesParser {
    let names = [&NEW_SCHEMES[..], &FOUND_SCHEMES, &FOREIGN_SCHEMES].concat();
    PossibleValuesParser::new(names)
}

/// Yes or no; true and false are taken for them.
pub(crate) fn yes_or_no() -> impl TypedValueParser<Value = bool> {
    let yes = PossibleValue::new("yes").aliases(["true", "on"]);
    let no = PossibleValue::new("no").aliases(["false", "off"]);
    PossibleValuesParser::new([yes, no])
        .map(|answer| matches!(answer.as_str(), "yes" | "true" | "on"))
}

/// One drive.
#[derive(Clone, Debug, Args)]
pub(crate) struct Device {
    /// The drive: /dev/…, or vdrive:PATH
    #[arg(value_name = "DEV")]
    pub(crate) device: OsString,
}

/// Several drives, or all.
#[derive(Clone, Debug, Args)]
#[command(group = ArgGroup::new("drives").required(true).multiple(false))]
pub(crate) struct Devices {
    /// The drives: /dev/…, or vdrive:PATH
    #[arg(value_name = "DEV", group = "drives", num_args = 1..)]
    pub(crate) devices: Vec<OsString>,
    /// Every SED that scan finds
    #[arg(long, group = "drives")]
    pub(crate) all: bool,
}

/// Where the secret of the acting authority comes from.
#[derive(Clone, Debug, Args)]
pub(crate) struct Key {
    /// Where the secret comes from: prompt, stdin, fd:N, file:PATH, cred:NAME,
    /// keyring:DESCRIPTION, exec:COMMAND, hex-file:PATH, msid; one newline at its end is dropped
    /// [default: prompt]
    #[arg(long, help_heading = "Secrets", value_name = "SOURCE")]
    pub(crate) key: Option<String>,
}

impl Key {
    /// Where the secret of somebody comes from who needs one.
    pub(crate) fn source(&self) -> &str {
        self.key.as_deref().unwrap_or("prompt")
    }
}

/// How passphrases become PINs.
#[derive(Clone, Debug, Args)]
pub(crate) struct SchemeOptions {
    /// How the passphrase becomes a PIN [default: raw, the bytes as they are]
    #[arg(long, help_heading = "Secrets", value_name = "NAME", value_parser = schemes())]
    pub(crate) scheme: Option<String>,
    #[command(flatten)]
    pub(crate) salt: SaltOptions,
}

/// Schemes of single drives among several.
#[derive(Clone, Debug, Args)]
pub(crate) struct SchemesOf {
    /// Scheme of one of several drives, by its serial number: SERIAL=SCHEME, or
    /// SERIAL=SCHEME/SALT; repeatable
    #[arg(long, help_heading = "Secrets", value_name = "SERIAL=SCHEME")]
    pub(crate) scheme_of: Vec<String>,
}

/// The salt of hashing schemes, and how files are read.
#[derive(Clone, Debug, Args)]
pub(crate) struct SaltOptions {
    /// Salt of hashing schemes: serial, nul-padded, trimmed-nul, left-trimmed-nul, vendor, zero,
    /// short16, hex:… [default: serial]
    #[arg(long, help_heading = "Secrets", value_name = "RULE")]
    pub(crate) salt: Option<String>,
    /// Serial number for the salt, instead of the one that the drive sends
    #[arg(long, help_heading = "Secrets", value_name = "SERIAL")]
    pub(crate) serial: Option<String>,
    /// Take secrets from files that others may read
    #[arg(long, help_heading = "Secrets")]
    pub(crate) allow_open_file: bool,
}

/// Showing what would be done.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct DryRun {
    /// Print the methods that would be sent; send none that changes anything
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Consent to losing something.
#[derive(Clone, Debug, Args)]
pub(crate) struct Consent {
    /// The drive's serial number: consent to what will be lost
    #[arg(long, value_name = "SERIAL")]
    pub(crate) confirm: Option<String>,
}

/// Going ahead with a drive that is in use.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Force {
    /// Go ahead although the drive is in use
    #[arg(long)]
    pub(crate) force: bool,
}

/// What to do about a drive's other sessions.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct StackReset {
    /// Reset the drive's protocol stack first: ends a session that a killed program left open
    #[arg(long)]
    pub(crate) stack_reset: bool,
}

/// What to do about a drive's other sessions, and about a refused secret.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SessionOptions {
    #[command(flatten)]
    pub(crate) reset: StackReset,
    /// Refused secrets after which no further one is sent; at a prompt, how often it is asked for
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) tries: u32,
}

/// Evidence by samples.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct Samples {
    /// Blocks of each range that are read before and after, as evidence; 0 for none
    #[arg(long, value_name = "N", default_value_t = 64, help_heading = "Evidence",
        value_parser = clap::value_parser!(u32).range(..=4096))]
    pub(crate) samples: u32,
    /// Choose the same blocks as an earlier run, by the seed that it reported
    #[arg(long, value_name = "SEED", help_heading = "Evidence")]
    pub(crate) sample_seed: Option<u32>,
}

/// The secret of who acts, how it becomes a PIN, and what is done about other sessions.
#[derive(Clone, Debug, Args)]
pub(crate) struct Login {
    #[command(flatten)]
    pub(crate) key: Key,
    #[command(flatten)]
    pub(crate) scheme: SchemeOptions,
    #[command(flatten)]
    pub(crate) session: SessionOptions,
}

/// Who acts.
#[derive(Clone, Debug, Args)]
pub(crate) struct Actor {
    /// Who acts: Admin1…, User1…
    #[arg(long = "as", value_name = "AUTHORITY", default_value = "Admin1")]
    pub(crate) authority: String,
    #[command(flatten)]
    pub(crate) login: Login,
}

/// Who looks at what anybody may see.
#[derive(Clone, Debug, Args)]
pub(crate) struct Looking {
    /// Who looks: Anybody, which needs no secret, or Admin1…, User1… [default: Anybody; Admin1 where
    /// --key is given]
    #[arg(long = "as", value_name = "AUTHORITY")]
    pub(crate) authority: Option<String>,
    #[command(flatten)]
    pub(crate) login: Login,
}

/// Which ranges.
#[derive(Clone, Debug, Args)]
pub(crate) struct RangeNumbers {
    /// Range number, 0 being all blocks that no other range has; repeatable, or with commas between
    /// [default: all that have locking enabled]
    #[arg(long = "range", value_name = "N", value_delimiter = ',')]
    pub(crate) ranges: Vec<u16>,
}

/// How a new passphrase becomes a PIN.
#[derive(Clone, Debug, Args)]
pub(crate) struct NewScheme {
    /// How the new passphrase becomes a PIN [default: firmware, what firmware prompts can type]
    #[arg(long, help_heading = "Secrets", value_name = "NAME", value_parser = NEW_SCHEMES)]
    pub(crate) new_scheme: Option<String>,
}

impl SessionOptions {
    /// Neither reset nor second try.
    pub(crate) const PLAIN: Self = Self {
        reset: StackReset { stack_reset: false },
        tries: 1,
    };

    /// For opening drives: where nothing but a plan is asked for, nothing is reset.
    pub(crate) const fn opening(self, dry_run: DryRun) -> Self {
        Self {
            reset: StackReset {
                stack_reset: self.reset.stack_reset && !dry_run.dry_run,
            },
            ..self
        }
    }
}

impl Login {
    /// For opening drives: where nothing but a plan is asked for, nothing is reset.
    pub(crate) const fn opening(&self, dry_run: DryRun) -> SessionOptions {
        self.session.opening(dry_run)
    }
}
