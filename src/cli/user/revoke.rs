//! `sedkit user revoke`.

use super::rights;
use super::{ChangeFields, Work, note_change};
use crate::cli::Context;
use crate::cli::args::user::UserRevoke;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::report::Report;
use crate::drive::{AccessChange, Authority, Revocation};

/// Takes rights from a user.
pub(super) fn run(args: &UserRevoke, context: &Context) -> Result<Report, CliError> {
    let work = Work::new(&args.who, context)?;
    let rights = (!args.all).then(|| rights::revoked(&args.rights));
    if rights.as_ref().is_some_and(Vec::is_empty) {
        return Err(CliError::usage("no right was named")
            .with_hint("name some: --range N, --mbr-done, --datastore; or --all"));
    }
    let revocation = Revocation {
        user: work.user,
        rights,
    };
    Ok(work.run(
        |drive, acting| drive.plan_revoke(&revocation, acting),
        |name, drive, credential| {
            let (user, change) = (revocation.user, drive.revoke(&revocation, credential)?);
            note_change(name, &change, context);
            let text = match change.changed.as_slice() {
                [] => format!("{user} has none of these rights, nothing was changed"),
                changed => format!("{user} may no longer: {}", rights::text(changed)),
            };
            let fields = ChangeFields::new(user, &change);
            let done = Done::notice(format!("{name}: {text}"), &fields);
            Ok(done.with_error(remaining(user, &change)))
        },
    ))
}

/// What the user may still do, since everybody may.
fn remaining(user: Authority, change: &AccessChange) -> Option<CliError> {
    let rights = rights::text(&change.remaining);
    let message = format!("{user} may still, as every User may: {rights}");
    let hint = "another tool gave these rights to all Users; \"sedkit raw set\" can take them";
    let error = CliError::new(Code::Failed, message).with_hint(hint);
    (!change.remaining.is_empty()).then_some(error)
}
