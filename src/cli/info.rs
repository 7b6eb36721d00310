//! `sedkit info`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::info::Info;
use super::drives::{self, Slot};
use super::error::CliError;
use super::findings::{self, FindingFields};
use super::firmware_prompt::{self, PromptFields};
use super::hardware::{self, HardwareFields};
use super::identity::{self, IdentityFields};
use super::report::{Answer, DriveReport, Report, fields};
use super::state::StateFields;
use super::{Context, device, discovery};
use crate::drive::{Authority, Credential, Drive, MbrState, Properties};
use crate::secret::Secret;

/// Shows all that a drive says about itself, and what stands between it and the program.
///
/// Where it is no SED, what is known of it all the same.
pub(crate) fn run(args: &Info, context: &Context) -> Result<Report, CliError> {
    let drives = device::find(std::slice::from_ref(&args.device.device));
    let mut slots = drives::open_shared(drives, context);
    let reports = slots.iter_mut().map(|slot| report(slot, context)).collect();
    Ok(Report::of_drives(reports))
}

fn report(slot: &mut Slot, context: &Context) -> DriveReport {
    let properties = slot.opened_mut().ok().map(Drive::properties);
    let psid_tries = slot.opened_mut().ok().and_then(psid_tries);
    let mbr = slot
        .opened()
        .map_or(MbrState::NotSupported, |drive| drive.state().mbr);
    let hardware = hardware::survey(&slot.named, mbr, context);
    let mut diagnosis = hardware
        .as_ref()
        .map(HardwareFields::findings)
        .unwrap_or_default();
    let mut report = slot.report();
    report.error = slot.opened().err().cloned();
    let mut text = String::new();
    if let Some(identity) = slot.identity() {
        report
            .fields
            .extend(fields(&IdentityFields::from(identity)));
        text += &identity::text(identity);
    }
    text += &hardware
        .as_ref()
        .map(HardwareFields::text)
        .unwrap_or_default();
    let mut heading = slot.named.to_string();
    if let (Ok(drive), Some(properties)) = (slot.opened(), properties) {
        let properties = properties.map_err(CliError::from);
        heading += &format!(": {}, {}", drive.ssc().name(), drive.state());
        text += &discovery::text(drive.discovery());
        text += &firmware_prompt::text(drive);
        report.fields.extend(fields(&PromptFields::from(drive)));
        text += &properties_text(&properties);
        text += &psid_tries.as_ref().map(TryFields::text).unwrap_or_default();
        diagnosis.extend(drive.diagnose().into_iter().map(FindingFields::from));
        report
            .fields
            .extend(fields(&TperFields::new(drive, properties, psid_tries)));
    }
    if !text.is_empty() {
        report.text = Answer::Data(format!("{heading}\n{text}{}", diagnosis_text(&diagnosis)));
    }
    report.fields.extend(fields(&Surroundings {
        hardware,
        diagnosis,
    }));
    report
}

/// What the TPer tells, in JSON.
#[derive(Serialize)]
struct TperFields {
    ssc: &'static str,
    state: StateFields,
    discovery: Value,
    properties: Option<PropertyFields>,
    properties_error: Option<CliError>,
    psid_tries: Option<TryFields>,
}

/// Wrong attempts at the PSID, in JSON.
#[derive(Serialize)]
struct TryFields {
    tries: Option<u64>,
    try_limit: Option<u64>,
    persistence: Option<bool>,
}

/// What stands around the TPer, in JSON.
#[derive(Serialize)]
struct Surroundings {
    hardware: Option<HardwareFields>,
    diagnosis: Vec<FindingFields>,
}

/// Communication properties in JSON.
#[derive(Serialize)]
struct PropertyFields {
    tper: Map<String, Value>,
    host: Map<String, Value>,
    send_limit: usize,
    receive_limit: usize,
}

impl TperFields {
    fn new(
        drive: &Drive,
        properties: Result<Properties, CliError>,
        psid_tries: Option<TryFields>,
    ) -> Self {
        Self {
            ssc: drive.ssc().name(),
            state: (&drive.state()).into(),
            discovery: discovery::json(drive.discovery()),
            properties: properties.as_ref().ok().map(PropertyFields::from),
            properties_error: properties.err(),
            psid_tries,
        }
    }
}

impl From<&Properties> for PropertyFields {
    fn from(properties: &Properties) -> Self {
        let map = |list: &[(String, u64)]| {
            list.iter()
                .map(|(name, value)| (name.clone(), (*value).into()))
                .collect()
        };
        Self {
            tper: map(&properties.tper),
            host: map(&properties.host),
            send_limit: properties.send_limit,
            receive_limit: properties.receive_limit,
        }
    }
}

/// The tries of the PSID, which a drive shows to anybody: no PIN is sent. Many drives do not show
/// them, so that there being none is no error.
fn psid_tries(drive: &mut Drive) -> Option<TryFields> {
    let nobody = Credential::new(Authority::Psid, Secret::from_slice(&[]));
    let tries = drive.tries(&nobody).ok()?;
    let fields = TryFields {
        tries: tries.tries,
        try_limit: tries.try_limit,
        persistence: tries.persistence,
    };
    (fields.tries.is_some() || fields.try_limit.is_some()).then_some(fields)
}

impl TryFields {
    fn text(&self) -> String {
        let tries = self.tries.map_or("?".to_owned(), |tries| tries.to_string());
        let limit = match self.try_limit {
            Some(0) => "no limit".to_owned(),
            Some(limit) => format!("locked out after {limit}"),
            None => "limit not shown".to_owned(),
        };
        format!("PSID: {tries} wrong attempts counted, {limit}\n")
    }
}

fn properties_text(properties: &Result<Properties, CliError>) -> String {
    let properties = match properties {
        Ok(properties) => properties,
        Err(error) => return format!("TPer properties could not be read: {error}\n"),
    };
    let lines = |heading: &str, list: &[(String, u64)]| {
        let heading = format!("{heading}\n");
        list.iter().fold(heading, |text, (name, value)| {
            text + &format!("  {name}: {value}\n")
        })
    };
    let mut text = lines("TPer properties", &properties.tper);
    if !properties.host.is_empty() {
        text += &lines(
            "Host properties as the TPer understood them",
            &properties.host,
        );
    }
    let Properties {
        send_limit,
        receive_limit,
        ..
    } = properties;
    text + &format!("  largest ComPacket: {send_limit} bytes sent, {receive_limit} received\n")
}

fn diagnosis_text(diagnosis: &[FindingFields]) -> String {
    if diagnosis.is_empty() {
        return "Diagnosis: nothing stands in the way\n".to_owned();
    }
    format!("Diagnosis:\n{}", findings::text(diagnosis))
}
