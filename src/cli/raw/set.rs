//! `sedkit raw set`.

use serde::Serialize;

use super::syntax::{self, NoSecrets};
use super::target::Target;
use super::{Reference, Session, SessionFields, consent};
use crate::cli::args::raw::Set;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::secret::{self, Recipe};
use crate::cli::state::StateFields;
use crate::cli::{Context, in_use, plan};
use crate::drive::{Drive, RawCall, RawSetReport};
use crate::secret::{Purpose, TerminalPrompter};
use crate::spec::column_type::{self, ColumnType};
use crate::spec::{Uid, column, method, uid};
use crate::wire::Value;

/// Sets columns, with consent.
pub(super) fn run(args: &Set, context: &Context) -> Result<Report, CliError> {
    let target = Target::new(&args.object, &args.session)?;
    check(args, target)?;
    let session = Session::new(target.sp, target.authority, &args.session, context)?;
    let options = args.session.login.opening(args.change.dry_run);
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |name, drive| {
            if args.change.dry_run.dry_run {
                let call = RawCall {
                    object: target.object,
                    method: method::SET,
                    arguments: Vec::new(),
                };
                let plan =
                    drive.plan_raw(target.sp, target.authority, &call, arguments(args, target)?)?;
                return Ok(plan::done(name, args.session.login.session.reset, plan));
            }
            session.check(drive)?;
            set(args, target, &session, name, drive, context)
        },
    ))
}

/// Refuses what cannot be right, before the drive is even opened.
fn check(args: &Set, target: Target) -> Result<(), CliError> {
    if target.object.low() == 0 {
        return Err(CliError::usage(format!(
            "{} is a table: name one of its rows",
            uid::label(target.object)
        ))
        .with_hint(
            "bytes of a table are written by \"sedkit raw call TABLE Set Where=0 Values=hex:…\"",
        ));
    }
    values(args, target, &mut NoSecrets).map(drop)
}

fn values(
    args: &Set,
    target: Target,
    secrets: &mut dyn syntax::Secrets,
) -> Result<Vec<(u64, Value)>, CliError> {
    let Target { object, sp, .. } = target;
    let mut values: Vec<(u64, Value)> = Vec::new();
    for text in &args.values {
        let value = syntax::assignment(object, sp, text, secrets)?;
        if values.iter().any(|(column, _)| *column == value.0) {
            let name = column_name(object, value.0);
            return Err(CliError::usage(format!("{name} is given twice")));
        }
        values.push(value);
    }
    Ok(values)
}

fn column_name(object: Uid, column: u64) -> String {
    let name = column::name(object.table(), column);
    name.map_or_else(|| format!("column {column}"), str::to_owned)
}

/// The values as they were given, but for secrets.
fn arguments(args: &Set, target: Target) -> Result<String, CliError> {
    let values = values(args, target, &mut NoSecrets)?;
    let texts = values.iter().map(|(number, value)| {
        let name = column::name(target.object.table(), *number);
        let kind = name.map_or(ColumnType::Plain, column_type::of);
        let text = match kind {
            ColumnType::Secret => "<PIN>".to_owned(),
            kind => super::value::text_of(kind, value),
        };
        format!("{} = {text}", column_name(target.object, *number))
    });
    Ok(texts.collect::<Vec<_>>().join(", "))
}

/// Reads secrets: the bytes as they are, unless a scheme is named.
pub(super) struct Pins<'a, 'r> {
    pub(super) secrets: secret::Secrets<'a>,
    pub(super) recipe: &'r Recipe,
    pub(super) purpose: Purpose,
    pub(super) drive: &'r mut Drive,
}

impl syntax::Secrets for Pins<'_, '_> {
    fn secret(&mut self, source: &str) -> Result<Value, CliError> {
        let source = secret::source(source)?;
        let key = match self.purpose {
            Purpose::New => self.secrets.new_pin(&source, "New secret", self.recipe)?,
            Purpose::Existing => self.secrets.existing(&source, "Secret", self.recipe)?,
        };
        Ok(Value::from(key.pin(self.drive)?.expose()))
    }
}

/// How secrets of raw access become PINs.
pub(super) fn recipe(
    scheme: Option<&str>,
    options: &crate::cli::args::SchemeOptions,
) -> Result<Recipe, CliError> {
    Recipe::existing(&crate::cli::args::SchemeOptions {
        scheme: scheme.map(str::to_owned),
        salt: options.salt.clone(),
    })
}

fn set(
    args: &Set,
    target: Target,
    session: &Session<'_>,
    name: &Named,
    drive: &mut Drive,
    context: &Context,
) -> Result<Done, CliError> {
    let object = uid::label(target.object);
    let what = format!("Set of {object} [{}]", arguments(args, target)?);
    let consent = consent(&args.change, &what, name, drive, context)?;
    let recipe = recipe(
        args.new_scheme.new_scheme.as_deref(),
        &args.session.login.scheme,
    )?;
    let mut terminal = TerminalPrompter::new();
    let mut pins = Pins {
        secrets: secret::Secrets::new(&mut terminal, &args.session.login.scheme.salt, context),
        recipe: &recipe,
        purpose: Purpose::New,
        drive,
    };
    let values = values(args, target, &mut pins)?;
    session.with(drive, |drive, raw| {
        in_use::recheck(name, args.change.force, context)?;
        let report = drive.raw_set(raw, target.object, &values, &consent)?;
        Ok(done(session, target.object, name, drive, &report))
    })
}

#[derive(Serialize)]
struct Fields {
    #[serde(flatten)]
    session: SessionFields,
    object: Reference,
    proven: Vec<String>,
    not_proven: Vec<String>,
    state: StateFields,
}

fn done(
    session: &Session<'_>,
    object: Uid,
    name: &Named,
    drive: &Drive,
    report: &RawSetReport,
) -> Done {
    let names = |columns: &[u64]| {
        let names = columns.iter().map(|column| column_name(object, *column));
        names.collect::<Vec<_>>()
    };
    let fields = Fields {
        session: session.fields(),
        object: object.into(),
        proven: names(&report.proven),
        not_proven: names(&report.unproven),
        state: (&drive.state()).into(),
    };
    let mut text = format!("{name}: {} is set", uid::label(object));
    if !fields.proven.is_empty() {
        text += &format!("; read back: {}", fields.proven.join(", "));
    }
    if !fields.not_proven.is_empty() {
        text += &format!(
            "; not shown, so not read back: {}",
            fields.not_proven.join(", ")
        );
    }
    Done::notice(text, &fields)
}
