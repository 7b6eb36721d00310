//! In use means in use: a drive that somebody works with is not taken away.

use std::ops::Range;

use super::Context;
use super::args::Force;
use super::device::Named;
use super::error::CliError;
use super::exit::Code;
use crate::transport::linux::{SystemRoot, uses, uses_within};

/// Refuses a drive that is in use, unless `--force` is given; says by what it is used either way.
pub(crate) fn check(named: &Named, force: Force, context: &Context) -> Result<(), CliError> {
    refuse(message_within(named, None)?, named, force, context)
}

fn refuse(
    message: Option<String>,
    named: &Named,
    force: Force,
    context: &Context,
) -> Result<(), CliError> {
    let Some(message) = message else {
        return Ok(());
    };
    if force.force {
        context.output.warning(&format!("{named}: {message}"));
        return Ok(());
    }
    Err(CliError::new(Code::Busy, message)
        .with_hint("unmount or stop what uses it, or add --force"))
}

/// Checks once more, before the drive is changed: somebody may have mounted it while a serial number
/// or a secret was typed. With `--force`, all was said before.
pub(crate) fn recheck(named: &Named, force: Force, context: &Context) -> Result<(), CliError> {
    match force.force {
        true => Ok(()),
        false => check(named, force, context),
    }
}

/// As [`check`], of some bytes of the drive only.
pub(crate) fn check_within(
    named: &Named,
    bytes: &[Range<u64>],
    force: Force,
    context: &Context,
) -> Result<(), CliError> {
    refuse(message_within(named, Some(bytes))?, named, force, context)
}

/// Whether nothing at all uses the drive.
pub(crate) fn is_idle(named: &Named) -> bool {
    matches!(message_within(named, None), Ok(None))
}

/// By what a drive is used, or some of its bytes, if they are. A real drive that the kernel does not
/// list may be in use.
fn message_within(named: &Named, bytes: Option<&[Range<u64>]>) -> Result<Option<String>, CliError> {
    if named.is_virtual() {
        return Ok(None);
    }
    if named.nodes().is_none() {
        let message = "the kernel does not list the drive, so that it may be in use";
        return Ok(Some(message.to_owned()));
    }
    let (root, nodes) = (SystemRoot::default(), named.block_names());
    let uses = match bytes {
        None => uses(&root, &nodes),
        Some(bytes) => uses_within(&root, &nodes, bytes),
    };
    let uses = uses.map_err(|error| {
        CliError::new(
            Code::Failed,
            format!("what uses the drive cannot be found out: {error}"),
        )
    })?;
    let uses: Vec<String> = uses.iter().map(ToString::to_string).collect();
    let message = format!("the drive is in use: {}", uses.join(", "));
    Ok((!uses.is_empty()).then_some(message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::device;

    fn found(name: &str) -> Option<String> {
        let drives = device::find(&[name.into()]);
        message_within(&drives[0], None).unwrap()
    }

    #[test]
    fn a_real_drive_that_is_not_listed_may_be_in_use() {
        assert!(found("/dev/null").unwrap().contains("may be in use"));
        assert_eq!(found("vdrive:missing"), None);
    }
}
