//! `sedkit revert`: back to the factory state, or as far back as data can be kept.

mod factory;
mod keep;
mod outcome;
mod release;

use super::args::revert::Revert;
use super::confirm::{self, Loss};
use super::device::Named;
use super::error::CliError;
use super::luks::Tenants;
use super::report::Report;
use super::{Context, in_use};
use crate::drive::{Drive, EraseConsent};

/// Reverts a drive, with consent.
pub(crate) fn run(args: &Revert, context: &Context) -> Result<Report, CliError> {
    if args.to_msid {
        release::run(args, context)
    } else if args.keep_data {
        keep::run(args, context)
    } else {
        factory::run(args, context)
    }
}

/// Refuses a drive that others use.
fn guards(
    args: &Revert,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> [Result<(), CliError>; 2] {
    let tenants = Tenants::of(name, drive);
    [
        in_use::check(name, args.force, context),
        tenants.spare_all(name, args.force, context),
    ]
}

fn consent(
    args: &Revert,
    name: &Named,
    drive: &Drive,
    losses: &[String],
    context: &Context,
) -> Result<EraseConsent, CliError> {
    let loss = Loss::new(name, drive.identity(), losses);
    confirm::ask(&args.consent, &loss, context)
}
