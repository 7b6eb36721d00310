//! `sedkit raw next` and `sedkit raw acl`.

use serde::Serialize;

use super::call::named_method;
use super::target::Target;
use super::value::{Masking, ObjectFields};
use super::{Reference, Session, SessionFields};
use crate::cli::Context;
use crate::cli::args::raw::{Acl, Next};
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::report::Report;
use crate::cli::table;
use crate::spec::{Uid, column};

#[derive(Serialize)]
struct NextFields {
    #[serde(flatten)]
    session: SessionFields,
    table: Reference,
    rows: Vec<Reference>,
}

/// Lists the rows of a table.
pub(super) fn next(args: &Next, context: &Context) -> Result<Report, CliError> {
    let target = Target::new(&args.table, &args.session)?;
    // People mean the table where its only row has its name.
    let listed = target.object.table();
    let session = Session::new(target.sp, target.authority, &args.session, context)?;
    let options = args.session.login.session;
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |_, drive| {
            let rows = session.with(drive, |drive, raw| Ok(drive.raw_next(raw, listed)?))?;
            let fields = NextFields {
                session: session.fields(),
                table: listed.into(),
                rows: rows.into_iter().map(Reference::from).collect(),
            };
            let lines = fields.rows.iter().map(|row| {
                let name = row.name.clone().unwrap_or_default();
                [row.uid.clone(), name]
            });
            Ok(Done::data(table::text(["UID", "NAME"], lines), &fields))
        },
    ))
}

#[derive(Serialize)]
struct AclFields {
    #[serde(flatten)]
    session: SessionFields,
    object: Reference,
    method: Reference,
    aces: Vec<ObjectFields>,
}

/// Shows who may call a method.
pub(super) fn acl(args: &Acl, context: &Context) -> Result<Report, CliError> {
    let target = Target::new(&args.object, &args.session)?;
    let method = named_method(&args.method)?;
    let session = Session::new(target.sp, target.authority, &args.session, context)?;
    let options = args.session.login.session;
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |_, drive| {
            let aces = session.with(drive, |drive, raw| {
                Ok(drive.raw_acl(raw, target.object, method)?)
            })?;
            let aces = aces.iter();
            let fields = AclFields {
                session: session.fields(),
                object: target.object.into(),
                method: method.into(),
                aces: aces
                    .map(|(ace, row)| ObjectFields::new(*ace, row, |_| true, Masking::On))
                    .collect(),
            };
            Ok(Done::data(acl_text(&fields), &fields))
        },
    ))
}

fn acl_text(fields: &AclFields) -> String {
    let (object, method) = (&fields.object.uid, &fields.method.uid);
    let object = fields.object.name.as_ref().unwrap_or(object);
    let method = fields.method.name.as_ref().unwrap_or(method);
    if fields.aces.is_empty() {
        return format!("{object}.{method}: nobody");
    }
    let lines = fields.aces.iter().map(|ace| {
        [
            ace.label().to_owned(),
            ace.text_of("BooleanExpr").unwrap_or("?").to_owned(),
            columns(fields, ace),
        ]
    });
    let table = table::text(["ACE", "WHO", "COLUMNS"], lines);
    format!("{object}.{method}, if one of these holds:\n{table}")
}

/// The columns that an ACE lets through, by the names that they have in the object's table.
fn columns(fields: &AclFields, ace: &ObjectFields) -> String {
    let table = Uid::parse(&fields.object.uid).map(Uid::table);
    let name = |number: &str| {
        let name = column::name(table?, number.parse().ok()?)?;
        Some(name.to_owned())
    };
    let Some(text) = ace.text_of("Columns") else {
        return "?".to_owned();
    };
    let numbers = text.trim_matches(['{', '}']).split(", ");
    let names = numbers.map(|number| name(number).unwrap_or_else(|| number.to_owned()));
    names.collect::<Vec<_>>().join(", ")
}
