//! `sedkit user disable`.

use serde::Serialize;

use super::Work;
use crate::cli::Context;
use crate::cli::args::user::UserDisable;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::report::Report;

#[derive(Serialize)]
struct Fields {
    user: String,
    changed: bool,
    enabled: bool,
}

/// Disables a user.
pub(super) fn run(args: &UserDisable, context: &Context) -> Result<Report, CliError> {
    let work = Work::new(&args.who, context)?;
    let user = work.user;
    Ok(work.run(
        |drive, acting| drive.plan_disable(user, acting),
        |name, drive, credential| {
            let changed = drive.disable(user, credential)?;
            let text = match changed {
                true => "is disabled: no PIN opens it; its rights stay, and wait for it",
                false => "was disabled already, nothing was changed",
            };
            let fields = Fields {
                user: user.to_string(),
                changed,
                enabled: false,
            };
            Ok(Done::notice(format!("{name}: {user} {text}"), &fields))
        },
    ))
}
