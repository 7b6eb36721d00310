//! Consent to losing something: the drive's serial number, given with `--confirm` or typed.

use std::io::{self, BufRead, IsTerminal};

use super::Context;
use super::args;
use super::error::CliError;
use super::exit::Code;

/// What somebody is asked to give up, and on which drive.
pub(crate) struct Loss<'a> {
    /// The device as it was named.
    pub(crate) device: &'a str,
    /// The drive's model.
    pub(crate) model: &'a str,
    /// The drive's serial number: what has to be given.
    pub(crate) serial: &'a str,
    /// What will be lost, one line each.
    pub(crate) losses: &'a [String],
}

/// The serial number that was given: with `--confirm`, or typed at the terminal.
///
/// Fails if nobody can be asked. Whether it is the drive's is for the caller to check, with
/// [`mismatch`] where it is not.
pub(crate) fn ask(
    consent: &args::Consent,
    loss: &Loss<'_>,
    context: &Context,
) -> Result<String, CliError> {
    if let Some(serial) = &consent.confirm {
        return Ok(serial.clone());
    }
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        return Err(refused(loss));
    }
    context.output.warning(&description(loss));
    context.output.prompt(&format!(
        "Type the serial number ({}) to go on: ",
        loss.serial
    ));
    let mut line = String::new();
    io::stdin()
        .lock()
        .read_line(&mut line)
        .map_err(|error| CliError::from_chain(Code::ConsentRequired, &error))?;
    Ok(line.trim().to_owned())
}

/// The serial number that was given is not the drive's.
pub(crate) fn mismatch(loss: &Loss<'_>) -> CliError {
    CliError::new(
        Code::ConsentRequired,
        format!(
            "the serial number given is not that of this drive, which is {}",
            loss.serial
        ),
    )
    .with_hint("nothing was done; look twice whether this is the drive that you mean")
}

fn refused(loss: &Loss<'_>) -> CliError {
    CliError::new(Code::ConsentRequired, description(loss))
        .with_hint(format!("to consent, add --confirm {}", quoted(loss.serial)))
}

fn description(loss: &Loss<'_>) -> String {
    let Loss {
        device,
        model,
        serial,
        losses,
    } = loss;
    format!(
        "on {device} ({model}, serial number {serial}): {}",
        losses.join("; ")
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
