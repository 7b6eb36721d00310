//! `sedkit data-removal`.

use serde::Serialize;

use super::args::SessionOptions;
use super::args::data_removal::{DataRemoval, DataRemovalCommand, Set, Show};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::report::Report;
use super::secret::{self, Acting};
use super::table;
use super::{Context, plan};
use crate::drive::{Authority, RawCall};
use crate::spec::column_type::{DATA_REMOVAL_MECHANISMS, name_of, number_of};
use crate::spec::{DataRemovalMechanism, Uid, method, uid};
use crate::wire::discovery::Discovery;

/// Shows or chooses how data is removed.
pub(crate) fn run(args: &DataRemoval, context: &Context) -> Result<Report, CliError> {
    match &args.command {
        DataRemovalCommand::Show(args) => Ok(show(args, context)),
        DataRemovalCommand::Set(args) => set(args, context),
    }
}

/// The ways to remove data that a drive has, in JSON.
#[derive(Default, Serialize)]
pub(crate) struct DataRemovalFields {
    supported: Vec<Supported>,
    operation_processing: bool,
    operation_interrupted: bool,
}

#[derive(Serialize)]
struct Supported {
    mechanism: &'static str,
    seconds: Option<u32>,
}

#[derive(Serialize)]
struct ShowFields {
    mechanism: Option<&'static str>,
    #[serde(flatten)]
    removal: DataRemovalFields,
}

fn show(args: &Show, context: &Context) -> Report {
    drives::on_one(
        &args.device,
        SessionOptions::PLAIN,
        context,
        |name, drive| {
            let chosen = drive.data_removal_mechanism()?;
            let fields = ShowFields {
                mechanism: chosen.map(word),
                removal: DataRemovalFields::of(drive.discovery()).unwrap_or_default(),
            };
            Ok(Done::data(text(name, &fields), &fields))
        },
    )
}

impl DataRemovalFields {
    /// What Level 0 Discovery tells; nothing where the drive has no such descriptor.
    pub(crate) fn of(discovery: &Discovery) -> Option<Self> {
        let feature = discovery.data_removal()?;
        let is_supported = |mechanism: &DataRemovalMechanism| feature.supports(*mechanism);
        let supported = DataRemovalMechanism::ALL.into_iter().filter(is_supported);
        let supported = supported.map(|mechanism| Supported {
            mechanism: word(mechanism),
            seconds: feature.seconds(mechanism),
        });
        Some(Self {
            supported: supported.collect(),
            operation_processing: feature.operation_processing,
            operation_interrupted: feature.operation_interrupted,
        })
    }
}

/// The word for a mechanism on the command line and in JSON.
fn word(mechanism: DataRemovalMechanism) -> &'static str {
    name_of(DATA_REMOVAL_MECHANISMS, mechanism.0.into()).unwrap_or("unknown")
}

fn mechanism(text: &str) -> Result<DataRemovalMechanism, CliError> {
    let number = number_of(DATA_REMOVAL_MECHANISMS, text);
    let number = number.and_then(|number| u8::try_from(number).ok());
    number.map(DataRemovalMechanism).ok_or_else(|| {
        let words = DataRemovalMechanism::ALL.map(word);
        CliError::usage(format!("{text:?} is no data removal mechanism"))
            .with_hint(format!("one of {}", words.join(", ")))
    })
}

fn text(name: &Named, fields: &ShowFields) -> String {
    let removal = &fields.removal;
    let rows = removal.supported.iter().map(|one| {
        let seconds = one
            .seconds
            .map_or("not told".to_owned(), |seconds| format!("{seconds} s"));
        let is_chosen = fields.mechanism == Some(one.mechanism);
        let mark = if is_chosen { "chosen" } else { "" };
        [one.mechanism.to_owned(), seconds, mark.to_owned()]
    });
    let mut text = table::text(["MECHANISM", "TIME", ""], rows);
    let chosen = match fields.mechanism {
        None => Some("the drive does not tell which one is chosen"),
        Some(_) => None,
    };
    let processing = removal
        .operation_processing
        .then_some("it is removing data now");
    let interrupted = "a removal was interrupted: the data are undefined";
    let interrupted = removal.operation_interrupted.then_some(interrupted);
    for note in [chosen, processing, interrupted].into_iter().flatten() {
        text += &format!("\n{name}: {note}");
    }
    text
}

#[derive(Serialize)]
struct SetFields {
    changed: bool,
    mechanism: &'static str,
}

fn set(args: &Set, context: &Context) -> Result<Report, CliError> {
    let wanted = mechanism(&args.mechanism)?;
    let authority = authority(&args.authority)?;
    let acting = Acting::new(authority, &args.login, context)?;
    let options = args.login.opening(args.dry_run);
    Ok(drives::on_one(
        &args.device,
        options,
        context,
        |name, drive| {
            drive.require_mechanism(wanted)?;
            let is_chosen = drive.data_removal_mechanism()? == Some(wanted);
            if !is_chosen {
                drive.require_session(uid::ADMIN_SP, Some(authority))?;
            }
            if args.dry_run.dry_run {
                let plan = match is_chosen {
                    true => Vec::new(),
                    false => drive.plan_raw(
                        uid::ADMIN_SP,
                        Some(authority),
                        &call(),
                        arguments(wanted),
                    )?,
                };
                return Ok(plan::done(name, args.login.session.reset, plan));
            }
            if is_chosen {
                return Ok(done(name, wanted, false));
            }
            acting.with_key(drive, |drive, credential| {
                drive.set_data_removal_mechanism(wanted, credential)?;
                Ok(done(name, wanted, true))
            })
        },
    ))
}

const fn call() -> RawCall {
    RawCall {
        object: uid::DATA_REMOVAL_MECHANISM,
        method: method::SET,
        arguments: Vec::new(),
    }
}

fn arguments(wanted: DataRemovalMechanism) -> String {
    format!(
        "ActiveDataRemovalMechanism = {} ({})",
        wanted.0,
        word(wanted)
    )
}

/// SID, or another authority of the Admin SP.
fn authority(text: &str) -> Result<Authority, CliError> {
    match Uid::parse(text) {
        Some(row) => Ok(Authority::Other {
            sp: uid::ADMIN_SP,
            uid: row,
        }),
        None => secret::authority(text),
    }
}

fn done(name: &Named, mechanism: DataRemovalMechanism, changed: bool) -> Done {
    let mechanism = word(mechanism);
    let fields = SetFields { changed, mechanism };
    let already = match changed {
        true => "chosen",
        false => "chosen already",
    };
    Done::notice(format!("{name}: {mechanism} is {already}"), &fields)
}
