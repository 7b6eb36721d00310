//! `sedkit hash`: the PIN that a passphrase becomes.

use serde::Serialize;

use super::args::hash::Hash;
use super::error::CliError;
use super::report::{Answer, DriveReport, Report, fields};
use super::secret::{self, Secrets};
use super::{Context, device};
use crate::secret::{
    PinLimits, SaltInput, SaltRule, Scheme, SchemeOutput, Secret, TerminalPrompter, derive,
};
use crate::transport::Identity;
use crate::wire::hex;

/// What the document adds.
#[derive(Debug, Serialize)]
struct HashFields {
    scheme: &'static str,
    output_kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt_rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    salt: Option<String>,
    pin: String,
}

/// What a person may take for a PIN.
const NO_PIN: &str = "this is the password of another lock (ATA Security, or the vendor's own): it \
    opens no TCG drive";

/// Prints the PIN.
pub(crate) fn run(arguments: &Hash, context: &Context) -> Result<Report, CliError> {
    let scheme: Scheme = secret::parse(&arguments.scheme)?;
    let rule = arguments
        .salt
        .salt
        .as_deref()
        .map_or(Ok(SaltRule::Serial), secret::parse)?;
    let identity = arguments
        .device
        .as_deref()
        .map(|name| identity(name, context))
        .transpose()?;
    let facts = Facts::new(arguments, identity.as_ref());
    let input = facts.salt_input();
    let passphrase = passphrase(arguments, context)?;
    let pin = derive(scheme, &rule, &input, &passphrase, PinLimits::default())?;
    if scheme.output() != SchemeOutput::Pin {
        context.output.note(NO_PIN);
    }
    let salt = scheme.is_salted().then(|| rule.salt(&input).ok()).flatten();
    let value = HashFields {
        scheme: scheme.name(),
        output_kind: scheme.output().name(),
        salt_rule: scheme.is_salted().then(|| rule.to_string()),
        salt: salt.map(|salt| hex::encode(&salt)),
        pin: hex::encode(pin.expose()),
    };
    let mut report = Report::plain(Answer::Data(value.pin.clone()), fields(&value));
    report
        .drives
        .extend(drive_report(arguments, identity.as_ref()));
    Ok(report)
}

fn identity(name: &std::ffi::OsStr, context: &Context) -> Result<Identity, CliError> {
    Ok(device::open(name, context)?.identity().clone())
}

/// What the passphrase is hashed with: as given, or as the drive sends it.
struct Facts {
    serial: Vec<u8>,
    vendor: Option<Vec<u8>>,
    model: Option<Vec<u8>>,
}

impl Facts {
    fn new(arguments: &Hash, identity: Option<&Identity>) -> Self {
        let given = |text: &Option<String>| text.clone().map(String::into_bytes);
        let told = |field: fn(&Identity) -> Option<Vec<u8>>| identity.and_then(field);
        let serial = given(&arguments.salt.serial);
        let serial = serial.or_else(|| told(|identity| Some(identity.serial.clone())));
        Self {
            serial: serial.unwrap_or_default(),
            vendor: given(&arguments.vendor).or_else(|| told(|identity| identity.vendor.clone())),
            model: given(&arguments.model)
                .or_else(|| told(|identity| Some(identity.model.clone()))),
        }
    }

    fn salt_input(&self) -> SaltInput<'_> {
        SaltInput {
            serial: &self.serial,
            vendor: self.vendor.as_deref(),
            model: self.model.as_deref(),
        }
    }
}

fn passphrase(arguments: &Hash, context: &Context) -> Result<Secret, CliError> {
    let mut terminal = TerminalPrompter::new();
    let mut secrets = Secrets::new(&mut terminal, &arguments.salt, context);
    secrets.passphrase(&secret::source(&arguments.key)?)
}

fn drive_report(arguments: &Hash, identity: Option<&Identity>) -> Option<DriveReport> {
    let mut report = DriveReport::new(device::display(arguments.device.as_deref()?));
    report.serial = identity.map(Identity::serial_text);
    report.model = identity.map(Identity::model_text);
    Some(report)
}
