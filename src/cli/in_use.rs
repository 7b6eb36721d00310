//! In use means in use: a drive that somebody works with is not taken away.

use super::Context;
use super::args::Force;
use super::device::Named;
use super::error::CliError;
use super::exit::Code;
use crate::transport::linux::{SystemRoot, uses};

/// Refuses a drive that is in use, unless `--force` is given; says by what it is used either way.
pub(crate) fn check(named: &Named, force: Force, context: &Context) -> Result<(), CliError> {
    let names = named.block_names();
    if names.is_empty() {
        return Ok(());
    }
    let uses = uses(&SystemRoot::default(), &names).map_err(|error| {
        CliError::new(
            Code::Failed,
            format!("what uses the drive cannot be found out: {error}"),
        )
    })?;
    let uses: Vec<String> = uses.iter().map(ToString::to_string).collect();
    if uses.is_empty() {
        return Ok(());
    }
    let message = format!("the drive is in use: {}", uses.join(", "));
    if force.force {
        context.output.warning(&format!("{named}: {message}"));
        return Ok(());
    }
    Err(CliError::new(Code::Busy, message)
        .with_hint("unmount or stop what uses it, or add --force"))
}
