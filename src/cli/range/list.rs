//! `sedkit range list`.

use serde::Serialize;

use crate::cli::args::range::RangeList;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::ranges::{self, RangeFields};
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, looking, preflight};
use crate::drive::{Credential, Drive};

#[derive(Serialize)]
struct Fields {
    ranges: Vec<RangeFields>,
}

/// Shows every range.
pub(super) fn run(args: &RangeList, context: &Context) -> Result<Report, CliError> {
    let authority = looking::authority(&args.actor.authority)?;
    let acting = |authority| Acting::new(authority, &args.actor.login, context);
    let acting = authority.map(acting).transpose()?;
    Ok(drives::on_one(
        &args.device,
        args.actor.login.session,
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

fn show(drive: &mut Drive, credential: Option<&Credential>) -> Result<Done, CliError> {
    let found = drive.ranges(credential)?;
    let fields = Fields {
        ranges: found.iter().map(RangeFields::from).collect(),
    };
    let mut text = ranges::table(&found);
    if found.iter().any(ranges::is_hidden) {
        text += "\n?: not shown to who asked; --as Admin1 may see it";
    }
    Ok(Done::data(text, &fields))
}
