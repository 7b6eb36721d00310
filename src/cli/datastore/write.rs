//! `sedkit datastore write`.

use std::io::{self, Read};
use std::path::Path;

use serde::Serialize;

use crate::cli::args::datastore::DatastoreWrite;
use crate::cli::confirm::{self, Loss};
use crate::cli::device::Named;
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::progress::Progress;
use crate::cli::report::Report;
use crate::cli::secret::{self, Acting};
use crate::cli::transfer::{self, TableFields};
use crate::cli::{Context, plan, preflight, size};
use crate::drive::{Contents, Credential, Drive, EraseConsent, ErrorCode, TableName, WriteReport};
use crate::secret::Source;

/// The most bytes that are taken from standard input.
const MOST_INPUT: u64 = 128 << 20;

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    offset: u64,
    length: u64,
    written: u64,
    equal: u64,
    verified: bool,
    atomic: bool,
    table: TableFields,
}

/// Writes bytes to a table.
pub(super) fn run(args: &DatastoreWrite, context: &Context) -> Result<Report, CliError> {
    let acting = Acting::of(&args.actor, context)?;
    let authority = acting.authority();
    let offset = size::parse(&args.offset)?;
    let mut input = input(args)?;
    let number = args.table.table;
    Ok(drives::on_one(
        &args.device,
        args.actor.login.opening(args.dry_run),
        context,
        |name, drive| {
            let length = input.length();
            let calls = drive.plan_write_data_store(number, offset, length, authority);
            if args.dry_run.dry_run {
                return Ok(plan::done(name, args.actor.login.session.reset, calls?));
            }
            preflight::locking(drive, authority)?;
            let mut job = Job {
                args,
                offset,
                name,
                input: &mut *input,
                context,
            };
            let report =
                acting.with_key(drive, |drive, credential| job.write(drive, credential))?;
            Ok(done(name, offset, &report))
        },
    ))
}

type Input = Box<dyn Contents<Error = io::Error>>;

/// What is to be written.
fn input(args: &DatastoreWrite) -> Result<Input, CliError> {
    if args.file != Path::new("-") {
        return Ok(Box::new(transfer::open(&args.file)?));
    }
    if secret::source(args.actor.login.key.source())? == Source::Stdin {
        return Err(
            CliError::usage("standard input cannot give both the secret and the bytes")
                .with_hint("give the secret with --key fd:3 or --key file:PATH"),
        );
    }
    let mut bytes = Vec::new();
    let read = io::stdin()
        .lock()
        .take(MOST_INPUT + 1)
        .read_to_end(&mut bytes);
    read.map_err(|error| CliError::from_chain(Code::Failed, &error))?;
    match u64::try_from(bytes.len()).unwrap_or(u64::MAX) {
        0 => Err(CliError::usage("there is nothing to write")),
        length if length > MOST_INPUT => Err(CliError::usage("too much on standard input")
            .with_hint("give a file: it is not held in memory")),
        length => Ok(Box::new((io::Cursor::new(bytes), length))),
    }
}

/// Some bytes for one drive.
struct Job<'a> {
    args: &'a DatastoreWrite,
    offset: u64,
    name: &'a Named,
    input: &'a mut dyn Contents<Error = io::Error>,
    context: &'a Context,
}

impl Job<'_> {
    /// Writes; consent is asked for only if something is to be overwritten.
    fn write(
        &mut self,
        drive: &mut Drive,
        credential: &Credential,
    ) -> Result<WriteReport, CliError> {
        let given = match self.args.consent.confirm {
            Some(_) => Some(self.consent(drive)?),
            None => None,
        };
        match self.try_write(drive, given.as_ref(), credential) {
            Err(error) if given.is_none() && error.code() == ErrorCode::ConsentRequired => {
                let consent = self.consent(drive)?;
                Ok(self.try_write(drive, Some(&consent), credential)?)
            }
            report => Ok(report?),
        }
    }

    fn consent(&self, drive: &Drive) -> Result<EraseConsent, CliError> {
        let table = TableName::DataStore(self.args.table.table);
        let losses = [format!(
            "what is in {table} from byte {} on is overwritten",
            self.offset
        )];
        let loss = Loss::new(self.name, drive.identity(), &losses);
        confirm::ask(&self.args.consent, &loss, self.context)
    }

    fn try_write(
        &mut self,
        drive: &mut Drive,
        consent: Option<&EraseConsent>,
        credential: &Credential,
    ) -> Result<WriteReport, crate::drive::Error> {
        let mut progress = Progress::new(self.context);
        drive.write_data_store(
            self.args.table.table,
            self.offset,
            self.input,
            consent,
            credential,
            &mut |now| progress.show(now),
        )
    }
}

fn done(name: &Named, offset: u64, report: &WriteReport) -> Done {
    let fields = Fields {
        changed: report.written > 0,
        offset,
        length: report.length,
        written: report.written,
        equal: report.equal,
        verified: report.proven,
        atomic: report.atomic,
        table: report.table.into(),
    };
    let table = report.table.name;
    let text = match report.written {
        0 => format!("{name}: the bytes are in {table} already, nothing was written"),
        written => format!(
            "{name}: wrote {written} bytes to {table} from byte {offset} on, and read them back"
        ),
    };
    Done::notice(text, &fields)
}
