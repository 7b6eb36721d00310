//! Consent to losing something: the drive's serial number, given with `--confirm` or typed.

use std::io::{self, BufRead, IsTerminal};

use super::Context;
use super::args;
use super::device::Named;
use super::error::CliError;
use super::exit::Code;
use crate::drive::EraseConsent;
use crate::transport::Identity;

/// What somebody is asked to give up, and on which drive.
pub(crate) struct Loss<'a> {
    device: &'a Named,
    identity: &'a Identity,
    losses: &'a [String],
}

impl<'a> Loss<'a> {
    /// What will be lost on a drive, one line each.
    pub(crate) const fn new(
        device: &'a Named,
        identity: &'a Identity,
        losses: &'a [String],
    ) -> Self {
        Self {
            device,
            identity,
            losses,
        }
    }
}

/// Consent, by the drive's serial number: given with `--confirm`, or typed at the terminal.
pub(crate) fn ask(
    consent: &args::Consent,
    loss: &Loss<'_>,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let serial = match &consent.confirm {
        Some(serial) => serial.clone(),
        None if can_ask() => typed(loss, context)?,
        None => return Err(refused(loss)),
    };
    EraseConsent::new(&serial, loss.identity).map_err(|error| {
        CliError::from_chain(Code::ConsentRequired, &error)
            .with_hint("nothing was done; look twice whether this is the drive that you mean")
    })
}

fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

fn typed(loss: &Loss<'_>, context: &Context) -> Result<String, CliError> {
    context
        .output
        .warning(&format!("{}: {}", loss.device, description(loss)));
    let serial = loss.identity.serial_text();
    context
        .output
        .prompt(&format!("Type the serial number ({serial}) to go on: "));
    let mut line = String::new();
    let read = || io::stdin().lock().read_line(&mut line);
    context
        .signals
        .while_idle(read)
        .map_err(|error| CliError::from_chain(Code::ConsentRequired, &error))?;
    Ok(line.trim().to_owned())
}

fn refused(loss: &Loss<'_>) -> CliError {
    CliError::new(Code::ConsentRequired, description(loss)).with_hint(format!(
        "to consent, add --confirm {}",
        quoted(&loss.identity.serial_text())
    ))
}

fn description(loss: &Loss<'_>) -> String {
    let (model, serial) = (loss.identity.model_text(), loss.identity.serial_text());
    format!(
        "{} ({model}, serial number {serial})",
        loss.losses.join("; ")
    )
}

/// The serial number as a shell takes it.
fn quoted(serial: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    if !serial.is_empty() && serial.bytes().all(is_plain) {
        return serial.to_owned();
    }
    format!("'{}'", serial.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_can_be_pasted_into_a_shell() {
        assert_eq!(quoted("S5GXNX0T123456"), "S5GXNX0T123456");
        assert_eq!(quoted("WD-WX 12"), "'WD-WX 12'");
        assert_eq!(quoted("a'b"), r"'a'\''b'");
        assert_eq!(quoted(""), "''");
    }
}
