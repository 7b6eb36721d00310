//! `sedkit scan`.

use serde::Serialize;

use super::args::scan::Scan;
use super::drives::{self, Slot};
use super::error::CliError;
use super::exit::Code;
use super::identity::IdentityFields;
use super::report::{Answer, DriveReport, Report, fields};
use super::state::StateFields;
use super::{Context, device, table};

/// Shows every drive, SED or not.
pub(crate) fn run(args: &Scan, context: &Context) -> Result<Report, CliError> {
    let drives = match args.devices.is_empty() {
        true => device::all(),
        false => device::find(&args.devices),
    };
    let slots = drives::open_shared(drives, context);
    let reports = slots.iter().map(drive).collect();
    let mut report = Report::of_drives(reports);
    report.text = Answer::Data(list(&slots));
    Ok(report)
}

/// What `scan` tells of one drive in JSON.
#[derive(Serialize)]
struct Fields {
    #[serde(flatten)]
    identity: Option<IdentityFields>,
    sed: bool,
    ssc: Option<&'static str>,
    state: Option<StateFields>,
}

/// A drive without TCG Storage is a drive, not a failure.
fn drive(slot: &Slot) -> DriveReport {
    let open = slot.opened().ok();
    let identity = identity(slot);
    let fields = fields(&Fields {
        identity,
        sed: open.is_some(),
        ssc: open.map(|drive| drive.ssc().name()),
        state: open.map(|drive| (&drive.state()).into()),
    });
    let error = slot
        .opened()
        .err()
        .filter(|error| error.code != Code::NotSupported)
        .cloned();
    let mut report = slot.report();
    report.fields.extend(fields);
    report.error = error;
    report
}

fn list(slots: &[Slot]) -> String {
    if slots.is_empty() {
        return "no drives found".to_owned();
    }
    let header = [
        "DEVICE", "BUS", "MODEL", "SERIAL", "FIRMWARE", "SSC", "STATE",
    ];
    table::text(header, slots.iter().map(row))
}

fn row(slot: &Slot) -> [String; 7] {
    let (ssc, state) = match slot.opened() {
        Ok(drive) => (drive.ssc().name().to_owned(), drive.state().to_string()),
        Err(error) if error.code == Code::NotSupported => ("-".to_owned(), "no SED".to_owned()),
        Err(error) => ("?".to_owned(), error.code.name().replace('_', " ")),
    };
    let identity = identity(slot);
    [
        slot.named.to_string(),
        identity
            .as_ref()
            .map_or("?", |identity| identity.bus)
            .to_owned(),
        slot.model().unwrap_or_default(),
        slot.serial().unwrap_or_default(),
        identity
            .map(|identity| identity.firmware)
            .unwrap_or_default(),
        ssc,
        state,
    ]
}

/// What the drive says of itself, or else the kernel of it.
fn identity(slot: &Slot) -> Option<IdentityFields> {
    let told = slot.identity().map(IdentityFields::from);
    told.or_else(|| slot.named.node().map(IdentityFields::from))
}
