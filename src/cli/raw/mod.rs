//! `sedkit raw`: any object and any method, by the standard's names.

mod call;
mod dump;
mod facts;
mod get;
mod list;
mod names;
mod set;
mod syntax;
mod target;
mod value;

use serde::Serialize;

use super::args::raw::{Change, Raw, RawCommand, RawSession as Options};
use super::confirm::{self, Loss};
use super::device::Named;
use super::error::CliError;
use super::looking::ANYBODY;
use super::luks::Tenants;
use super::report::Report;
use super::secret::Acting;
use super::{Context, in_use};
use crate::drive::{Authority, Drive, EraseConsent, RawSession};
use crate::spec::{Uid, uid};

/// Works on objects.
pub(crate) fn run(args: &Raw, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        RawCommand::Get(args) => get::run(args, context),
        RawCommand::Set(args) => set::run(args, context),
        RawCommand::Call(args) => call::run(args, context),
        RawCommand::Next(args) => list::next(args, context),
        RawCommand::Acl(args) => list::acl(args, context),
        RawCommand::Dump(args) => dump::run(args, context),
        RawCommand::Names(args) => names::run(args),
        RawCommand::Msid(args) => Ok(facts::msid(args, context)),
        RawCommand::Random(args) => Ok(facts::random(args, context)),
        RawCommand::ComId(args) => Ok(facts::com_id(args, context)),
        RawCommand::Protocols(args) => Ok(facts::protocols(args, context)),
    }
}

/// The session of a command, and the secret that opens it.
struct Session<'a> {
    sp: Uid,
    acting: Option<Acting<'a>>,
}

impl<'a> Session<'a> {
    fn new(
        sp: Uid,
        authority: Option<Authority>,
        options: &'a Options,
        context: &'a Context,
    ) -> Result<Self, CliError> {
        let acting = |authority| Acting::new(authority, &options.login, context);
        Ok(Self {
            sp,
            acting: authority.map(acting).transpose()?,
        })
    }

    fn authority(&self) -> Option<Authority> {
        self.acting.as_ref().map(Acting::authority)
    }

    /// Refuses what the drive will refuse, before anybody is asked for a secret.
    fn check(&self, drive: &Drive) -> Result<(), CliError> {
        Ok(drive.require_session(self.sp, self.authority())?)
    }

    /// Works in the session; the secret is asked for again as long as it is refused and `--tries`
    /// allows.
    fn with<T>(
        &self,
        drive: &mut Drive,
        mut work: impl FnMut(&mut Drive, RawSession<'_>) -> Result<T, CliError>,
    ) -> Result<T, CliError> {
        self.check(drive)?;
        let sp = self.sp;
        match &self.acting {
            None => work(
                drive,
                RawSession {
                    sp,
                    credential: None,
                },
            ),
            Some(acting) => acting.with_key(drive, |drive, credential| {
                let credential = Some(credential);
                work(drive, RawSession { sp, credential })
            }),
        }
    }

    fn fields(&self) -> SessionFields {
        SessionFields {
            sp: self.sp.to_string(),
            acting: acting_name(self.authority()),
        }
    }
}

fn acting_name(authority: Option<Authority>) -> String {
    authority.map_or(ANYBODY.to_owned(), |authority| authority.to_string())
}

/// The session in JSON.
#[derive(Debug, Serialize)]
struct SessionFields {
    sp: String,
    #[serde(rename = "as")]
    acting: String,
}

/// An object in JSON.
#[derive(Debug, Serialize)]
struct Reference {
    uid: String,
    name: Option<String>,
}

impl From<Uid> for Reference {
    fn from(uid: Uid) -> Self {
        Self {
            uid: uid.to_string(),
            name: uid::name(uid),
        }
    }
}

/// Consent to a change of which nobody here knows what it does, on a drive that is not in use.
fn consent(
    change: &Change,
    what: &str,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> Result<EraseConsent, CliError> {
    in_use::check(name, change.force, context)?;
    Tenants::of(name, drive).spare_all(name, change.force, context)?;
    let losses = [format!(
        "{what} is sent as it is: data and access can be lost"
    )];
    let loss = Loss::new(name, drive.identity(), &losses);
    confirm::ask(&change.consent, &loss, context)
}
