//! `sedkit user list`.

use serde::Serialize;

use super::rights::{self, RightFields};
use crate::cli::args::user::UserList;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::secret::Acting;
use crate::cli::{Context, preflight, table};
use crate::drive::{Access, Authority, Holder, Right};
use crate::spec::ace::Subject;
use crate::spec::uid;
use crate::wire::hex;

/// Shows who may do what.
pub(super) fn run(args: &UserList, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let work = |_: &_, drive: &mut _| {
        preflight::locking(drive, authority)?;
        let access = acting.with_key(drive, |drive, credential| Ok(drive.access(credential)?))?;
        Ok(Done::data(text(&access), &Fields::from(&access)))
    };
    Ok(drives::on_one(
        &args.device,
        args.actor.login.session,
        context,
        work,
    ))
}

#[derive(Serialize)]
struct Fields {
    users: Vec<UserFields>,
    without_admins: Vec<RightFields>,
    not_understood: Vec<RightFields>,
}

#[derive(Serialize)]
struct UserFields {
    user: String,
    uid: String,
    enabled: Option<bool>,
    common_name: Option<String>,
    is_admin: bool,
    rights: Vec<RightFields>,
}

impl From<&Access> for Fields {
    fn from(access: &Access) -> Self {
        Self {
            users: access.holders.iter().map(UserFields::from).collect(),
            without_admins: fields(&access.without_admins),
            not_understood: fields(&access.not_understood),
        }
    }
}

impl From<&Holder> for UserFields {
    fn from(holder: &Holder) -> Self {
        Self {
            user: name(holder),
            uid: hex::encode(&holder.uid.to_bytes()),
            enabled: holder.enabled,
            common_name: holder.common_name.clone(),
            is_admin: is_admin(holder),
            rights: fields(&holder.rights),
        }
    }
}

fn fields(rights: &[Right]) -> Vec<RightFields> {
    rights.iter().copied().map(RightFields::from).collect()
}

/// The name, or the UID in hex where it has none.
fn name(holder: &Holder) -> String {
    uid::name(holder.uid).unwrap_or_else(|| holder.uid.to_string())
}

const fn is_admin(holder: &Holder) -> bool {
    matches!(holder.authority, Some(Authority::Admin(_)))
}

fn text(access: &Access) -> String {
    let header = ["USER", "ENABLED", "NAME", "MAY"];
    let mut text = table::text(header, access.holders.iter().map(row));
    for (rights, what) in [
        (&access.without_admins, "Admins may not"),
        (&access.not_understood, "Not a plain list of names, who may"),
    ] {
        if !rights.is_empty() {
            text += &format!("\n{what}: {}", rights::text(rights));
        }
    }
    text
}

fn row(holder: &Holder) -> [String; 4] {
    let enabled = match holder.enabled {
        Some(true) => "yes",
        Some(false) => "no",
        None => "?",
    };
    let mut rights = holder.rights.clone();
    rights.retain(|right| Some(*right) != own_pin(holder));
    let may = match (rights::text(&rights), is_admin(holder)) {
        (rights, true) if rights.is_empty() => "everything, as an Admin".to_owned(),
        (rights, true) => format!("everything, as an Admin; by itself: {rights}"),
        (rights, false) if rights.is_empty() => "-".to_owned(),
        (rights, false) => rights,
    };
    let common_name = holder.common_name.clone().unwrap_or_default();
    [name(holder), enabled.to_owned(), common_name, may]
}

/// What every User may by default, and what is not worth a word: changing its own PIN.
fn own_pin(holder: &Holder) -> Option<Right> {
    match holder.authority {
        Some(Authority::User(user)) => Some(Right::Known(Subject::SetPin(user))),
        _ => None,
    }
}
