//! `sedkit user grant`.

use super::rights;
use super::{ChangeFields, Work, note_change};
use crate::cli::Context;
use crate::cli::args::user::UserGrant;
use crate::cli::device::Named;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::drive::{Authority, Grant};

/// Gives rights to a user.
pub(super) fn run(args: &UserGrant, context: &Context) -> Result<Report, CliError> {
    let work = Work::new(&args.who, context)?;
    let grant = Grant {
        user: work.user,
        rights: rights::granted(&args.rights),
        also: rights::implied(&args.rights),
    };
    if grant.rights.is_empty() {
        return Err(CliError::usage("no right was named")
            .with_hint("name some: --range N, --mbr-done, --datastore"));
    }
    Ok(work.run(
        |drive, acting| drive.plan_grant(&grant, acting),
        |name, drive, credential| {
            let (user, change) = (grant.user, drive.grant(&grant, credential)?);
            note_change(name, &change, context);
            if change.enabled == Some(false) {
                context.output.note(&disabled(name, user));
            }
            let text = match change.changed.as_slice() {
                [] => format!("{user} has these rights already, nothing was changed"),
                changed => format!("{user} may now: {}", rights::text(changed)),
            };
            let fields = ChangeFields::new(user, &change);
            Ok(Done::notice(format!("{name}: {text}"), &fields))
        },
    ))
}

fn disabled(name: &Named, user: Authority) -> String {
    format!(
        "{name}: {user} is disabled, and has no use of its rights: \"sedkit user enable\" gives it a \
         PIN"
    )
}
