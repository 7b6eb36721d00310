//! Whose PINs are changed, and by which schemes.

use crate::cli::args::passwd::Passwd;
use crate::cli::error::CliError;
use crate::cli::secret::{self, Recipe};
use crate::drive::Authority;
use crate::secret::PinRule;

/// One authority, with the schemes of its present and of its new PIN.
#[derive(Debug)]
pub(super) struct Target {
    pub(super) authority: Authority,
    pub(super) present: Recipe,
    pub(super) new: Recipe,
}

/// All authorities, each once, in the order given.
pub(super) fn targets(args: &Passwd, present: &Recipe) -> Result<Vec<Target>, CliError> {
    let mut new = Recipe::new_pin(&args.new_scheme, &args.scheme.salt)?;
    if let Some(salt) = &args.new_salt {
        new = new.with_rule(PinRule::new(new.scheme(), secret::parse(salt)?));
    }
    let mut targets = vec![Target {
        authority: first(&args.authority)?,
        present: present.clone(),
        new,
    }];
    for text in &args.also {
        let target = further(text, &targets[0])?;
        match targets.iter().find(|one| one.authority == target.authority) {
            None => targets.push(target),
            Some(_) if !text.contains('=') => {}
            Some(_) => {
                let message = format!("{} is named twice", target.authority);
                return Err(CliError::usage(message));
            }
        }
    }
    Ok(targets)
}

/// The first authority, which stands alone.
fn first(text: &str) -> Result<Authority, CliError> {
    secret::authority(text).map_err(|error| match text.split_once(',') {
        Some((first, others)) => error.with_hint(format!(
            "one authority stands there, the others elsewhere: --as {first} --also {others}"
        )),
        None => error,
    })
}

/// `AUTHORITY`, `AUTHORITY=PRESENT`, `AUTHORITY=PRESENT=NEW`: what is left out is as of the first.
fn further(text: &str, first: &Target) -> Result<Target, CliError> {
    let mut parts = text.splitn(3, '=');
    let authority = secret::authority(parts.next().unwrap_or_default())?;
    let mut recipe = |as_of: &Recipe| match parts.next() {
        None | Some("") => Ok(as_of.clone()),
        Some(rule) => secret::parse(rule).map(|rule| as_of.with_rule(rule)),
    };
    Ok(Target {
        authority,
        present: recipe(&first.present)?,
        new: recipe(&first.new)?,
    })
}
