//! `sedkit user enable`.

use serde::Serialize;

use super::Work;
use super::firmware::{FirmwareUser, Granted};
use crate::cli::Context;
use crate::cli::args::user::UserEnable;
use crate::cli::device::Named;
use crate::cli::drives::Done;
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::secret::{self, Key, Recipe, Secrets};
use crate::drive::{Authority, EnableReport};
use crate::secret::{Source, TerminalPrompter};

#[derive(Serialize)]
struct Fields {
    user: String,
    changed: bool,
    enabled: bool,
    pin_set: bool,
    scheme: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    firmware_prompt: Option<Granted>,
}

/// Gives a user a PIN and enables it.
pub(super) fn run(args: &UserEnable, context: &Context) -> Result<Report, CliError> {
    let work = Work::new(&args.who, context)?;
    let user = work.user;
    let new_pin = NewPin::new(args)?;
    let plan_pin = new_pin.is_some();
    let firmware = FirmwareUser::new(args, user)?;
    Ok(work.run(
        |drive, acting| {
            let mut calls = drive.plan_enable(user, plan_pin, acting)?;
            if let Some(firmware) = &firmware {
                calls.extend(firmware.plan(drive, acting)?);
            }
            Ok(calls)
        },
        |name, drive, credential| {
            let pin = new_pin.as_ref().map(|new_pin| new_pin.read(args, context));
            let pin = pin.transpose()?.map(|key| key.pin(drive)).transpose()?;
            let report = drive.enable(user, pin.as_ref(), credential)?;
            if pin.is_none() {
                warn_of_empty_pin(name, user, context);
            }
            let recipe = new_pin.as_ref().map(|new_pin| &new_pin.recipe);
            let granted = firmware
                .as_ref()
                .map(|firmware| firmware.grant(name, drive, credential, context));
            Ok(done(name, user, &report, recipe, granted.transpose()?))
        },
    ))
}

/// Where the new secret comes from, and how it becomes a PIN.
struct NewPin {
    source: Source,
    recipe: Recipe,
}

impl NewPin {
    fn new(args: &UserEnable) -> Result<Option<Self>, CliError> {
        if args.keep_pin {
            return Ok(None);
        }
        Ok(Some(Self {
            source: secret::new_source(&args.new_key)?,
            recipe: Recipe::new_pin(&args.new_scheme, &args.who.actor.login.scheme.salt)?,
        }))
    }

    fn read(&self, args: &UserEnable, context: &Context) -> Result<Key, CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.who.actor.login.scheme.salt, context);
        let prompt = format!("New passphrase of {}", args.who.user);
        secrets.new_pin(&self.source, &prompt, &self.recipe)
    }
}

fn warn_of_empty_pin(name: &Named, user: Authority, context: &Context) {
    context.output.warning(&format!(
        "{name}: {user} has the PIN that was set before; if none ever was, it is empty, and \
         everybody can act as {user}: \"sedkit passwd --as {user} --admin-key SOURCE\" sets one"
    ));
}

fn done(
    name: &Named,
    user: Authority,
    report: &EnableReport,
    recipe: Option<&Recipe>,
    granted: Option<Granted>,
) -> Done {
    let enabled = match report.changed {
        true => "is enabled",
        false => "was enabled already",
    };
    let pin = match recipe {
        Some(recipe) => format!(
            ", has the new PIN (scheme {}), authenticated with it",
            recipe.scheme()
        ),
        None if report.changed => ", with the PIN that it had".to_owned(),
        None => ", nothing was changed".to_owned(),
    };
    let fields = Fields {
        user: user.to_string(),
        changed: report.changed || recipe.is_some(),
        enabled: true,
        pin_set: recipe.is_some(),
        scheme: recipe.map(|recipe| recipe.scheme().name()),
        firmware_prompt: granted,
    };
    let text = fields.firmware_prompt.as_ref().map(Granted::text);
    let text = text.unwrap_or_default();
    Done::notice(format!("{name}: {user} {enabled}{pin}{text}"), &fields)
}
