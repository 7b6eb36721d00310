//! `sedkit range`.

use serde::Serialize;

use super::Context;
use super::args::range::{Range, RangeCommand, RangeList};
use super::drives::{self, Done};
use super::error::CliError;
use super::ranges::{self, RangeFields};
use super::report::Report;
use super::secret::{self, Acting};
use crate::drive::{Credential, Drive};

/// Works on locking ranges.
pub(crate) fn run(args: &Range, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        RangeCommand::List(args) => list(args, context),
    }
}

#[derive(Serialize)]
struct Fields {
    ranges: Vec<RangeFields>,
}

fn list(args: &RangeList, context: &Context) -> Result<Report, CliError> {
    let authority = match args.acting.authority.as_str() {
        ANYBODY => None,
        name => Some(secret::authority(name)?),
    };
    let acting = |authority| {
        let acting = Acting::new(authority, &args.key, &args.scheme, args.session, context)?;
        Ok::<_, CliError>((authority, acting))
    };
    let acting = authority.map(acting).transpose()?;
    Ok(drives::on_one(
        &args.device,
        args.session,
        context,
        |_, drive| {
            let Some((authority, acting)) = &acting else {
                return show(drive, None);
            };
            let credential = acting.read()?.credential(*authority, drive)?;
            show(drive, Some(&credential))
        },
    ))
}

/// Who needs no secret.
const ANYBODY: &str = "Anybody";

fn show(drive: &mut Drive, credential: Option<&Credential>) -> Result<Done, CliError> {
    let found = drive.ranges(credential)?;
    let fields = Fields {
        ranges: found.iter().map(RangeFields::from).collect(),
    };
    Ok(Done::data(ranges::table(&found), &fields))
}
