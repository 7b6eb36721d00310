//! `sedkit range`.

use serde::Serialize;

use super::args::range::{Range, RangeCommand, RangeList};
use super::drives::{self, Done};
use super::error::CliError;
use super::ranges::{self, RangeFields};
use super::report::Report;
use super::secret::{self, Acting};
use super::{Context, erase, preflight};
use crate::drive::{Authority, Credential, Drive};
use crate::spec::RangeNumber;

/// Works on locking ranges.
pub(crate) fn run(args: &Range, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        RangeCommand::List(args) => list(args, context),
        RangeCommand::Erase(args) => {
            let ranges = vec![RangeNumber(args.range)];
            erase::erase(&args.device, ranges, &args.options, context)
        }
    }
}

#[derive(Serialize)]
struct Fields {
    ranges: Vec<RangeFields>,
}

fn list(args: &RangeList, context: &Context) -> Result<Report, CliError> {
    let authority = authority(&args.acting.authority)?;
    let acting = |authority| Acting::new(authority, &args.key, &args.scheme, args.session, context);
    let acting = authority.map(acting).transpose()?;
    Ok(drives::on_one(
        &args.device,
        args.session,
        context,
        |_, drive| {
            let Some(acting) = &acting else {
                return show(drive, None);
            };
            preflight::locking(drive, acting.authority())?;
            acting.with_key(drive, |drive, credential| show(drive, Some(credential)))
        },
    ))
}

/// Who is to be shown the ranges; nothing for anybody.
fn authority(name: &str) -> Result<Option<Authority>, CliError> {
    if name.eq_ignore_ascii_case(ANYBODY) {
        return Ok(None);
    }
    let authority = secret::authority(name);
    let authority = authority.map_err(|error| {
        CliError::usage(format!(
            "{error}; here also {ANYBODY}, which needs no secret"
        ))
    })?;
    Ok(Some(authority))
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
