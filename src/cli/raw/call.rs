//! `sedkit raw call`.

use serde::Serialize;
use serde_json::Value as Json;

use super::set::{Pins, recipe};
use super::syntax::{self, NoSecrets};
use super::target::{self, Target};
use super::value::{self, Masking, ObjectFields};
use super::{Reference, Session, SessionFields, consent};
use crate::cli::args::raw::Call;
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::secret::Secrets;
use crate::cli::state::StateFields;
use crate::cli::{Context, in_use, plan};
use crate::drive::{Drive, RawCall};
use crate::secret::{Purpose, TerminalPrompter};
use crate::session::Row;
use crate::spec::column_type::ColumnType;
use crate::spec::{Uid, method, uid};
use crate::wire::Value;

/// Calls a method, with consent if it may change something.
pub(super) fn run(args: &Call, context: &Context) -> Result<Report, CliError> {
    let target = Target::new(&args.object, &args.session)?;
    let method = named_method(&args.method)?;
    let shown = call(args, target, method, &mut NoSecrets)?;
    let session = Session::new(target.sp, target.authority, &args.session, context)?;
    let options = args.session.login.opening(args.change.dry_run);
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |name, drive| {
            if args.change.dry_run.dry_run {
                let arguments = arguments(args, &shown);
                let plan = drive.plan_raw(target.sp, target.authority, &shown, arguments)?;
                return Ok(plan::done(name, args.session.login.session.reset, plan));
            }
            session.check(drive)?;
            make(args, target, &shown, &session, name, drive, context)
        },
    ))
}

/// A method by name or UID.
pub(super) fn named_method(text: &str) -> Result<Uid, CliError> {
    let found = target::object(text, None).ok();
    let found = found.filter(|found| found.table() == uid::METHOD_ID && found.low() != 0);
    found.ok_or_else(|| {
        CliError::usage(format!("{text:?} is no method")).with_hint(
            "\"sedkit raw names\" lists the names; a UID of 16 hexadecimal digits works too",
        )
    })
}

fn call(
    args: &Call,
    target: Target,
    method: Uid,
    secrets: &mut dyn syntax::Secrets,
) -> Result<RawCall, CliError> {
    let Target { object, sp, .. } = target;
    let arguments = args.arguments.iter();
    let arguments = arguments.map(|text| syntax::argument(object, method, sp, text, secrets));
    Ok(RawCall {
        object,
        method,
        arguments: arguments.collect::<Result<_, _>>()?,
    })
}

/// The arguments as they were given: secrets are named by their source only.
fn arguments(args: &Call, call: &RawCall) -> String {
    debug_assert_eq!(args.arguments.len(), call.arguments.len());
    args.arguments.join(", ")
}

fn make(
    args: &Call,
    target: Target,
    shown: &RawCall,
    session: &Session<'_>,
    name: &Named,
    drive: &mut Drive,
    context: &Context,
) -> Result<Done, CliError> {
    let what = format!("{}.{}", uid::label(shown.object), uid::label(shown.method));
    let consent = match shown.changes() {
        true => Some(consent(&args.change, &what, name, drive, context)?),
        false => None,
    };
    let recipe = recipe(None, &args.session.login.scheme)?;
    let mut terminal = TerminalPrompter::new();
    let mut pins = Pins {
        secrets: Secrets::new(&mut terminal, &args.session.login.scheme.salt, context),
        recipe: &recipe,
        purpose: match shown.changes() {
            true => Purpose::New,
            false => Purpose::Existing,
        },
        drive,
    };
    let call = call(args, target, shown.method, &mut pins)?;
    session.with(drive, |drive, raw| {
        let results = match &consent {
            Some(consent) => {
                in_use::recheck(name, args.change.force, context)?;
                drive.raw_call(raw, &call, consent)?
            }
            None => drive.raw_query(raw, &call)?,
        };
        let masking = Masking::unless(args.show_secrets);
        Ok(done(session, &call, &results, masking, name, drive))
    })
}

#[derive(Serialize)]
struct Fields {
    #[serde(flatten)]
    session: SessionFields,
    object: Reference,
    method: Reference,
    results: Json,
    row: Option<ObjectFields>,
    state: StateFields,
}

fn done(
    session: &Session<'_>,
    call: &RawCall,
    results: &[Value],
    masking: Masking,
    name: &Named,
    drive: &Drive,
) -> Done {
    let row = (call.method == method::GET).then(|| Row::from_results(results).ok());
    let row = row
        .flatten()
        .map(|row| ObjectFields::new(call.object, &row, |_| true, masking));
    let results = match &row {
        Some(_) => &[],
        None => results,
    };
    let fields = Fields {
        session: session.fields(),
        object: call.object.into(),
        method: call.method.into(),
        results: results.iter().map(value::plain_json).collect(),
        row,
        state: (&drive.state()).into(),
    };
    let text = match &fields.row {
        Some(row) => row.lines().join("\n"),
        None => lines(call.method, results).join("\n"),
    };
    if call.changes() || text.is_empty() {
        let what = format!("{}.{}", uid::label(call.object), uid::label(call.method));
        let text = if text.is_empty() {
            text
        } else {
            format!("\n{text}")
        };
        return Done::notice(format!("{name}: {what}: SUCCESS{text}"), &fields);
    }
    Done::data(text, &fields)
}

/// One line for each result. Authenticate answers a Boolean.
fn lines(method: Uid, results: &[Value]) -> Vec<String> {
    let kind = match method {
        method::AUTHENTICATE => ColumnType::Boolean,
        _ => ColumnType::Plain,
    };
    let lines = results.iter().map(|result| value::text_of(kind, result));
    lines.collect()
}
