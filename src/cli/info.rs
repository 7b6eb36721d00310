//! `sedkit info`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::args::info::Info;
use super::drives::{self, Slot};
use super::error::CliError;
use super::findings::{self, FindingFields};
use super::firmware_prompt::{self, PromptFields};
use super::hardware::{self, AtaFields, HardwareFields};
use super::identity::{self, IdentityFields};
use super::machine::{self, Machine, Refused};
use super::report::{Answer, DriveReport, Report, fields};
use super::single_user::{self, ModeFields};
use super::state::StateFields;
use super::{Context, device, discovery};
use crate::drive::{Drive, Finding, Neighbours, Properties, SingleUserMode, Tries, Trouble};
use crate::spec::SecurityProtocol;
use crate::transport::linux::Geometry;

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
    let answers = slot.opened_mut().ok().map(Answers::of);
    let hardware = hardware::survey(&slot.named, slot.opened().ok(), context);
    let mut diagnosis = match (slot.opened(), &answers) {
        (Ok(drive), Some(answers)) => diagnosis_of(drive, answers),
        _ => Vec::new(),
    };
    diagnosis.extend(diagnosis_of_machine(slot, hardware.as_ref()));
    let mut report = slot.report();
    report.error = slot.opened().err().cloned();
    let mut text = String::new();
    if let Some(identity) = slot.identity() {
        report
            .fields
            .extend(fields(&IdentityFields::from(identity)));
        text += &identity::text(identity);
    }
    let size = slot.named.geometry.map(SizeFields::from);
    text += &size.as_ref().map(SizeFields::text).unwrap_or_default();
    text += &hardware
        .as_ref()
        .map(HardwareFields::text)
        .unwrap_or_default();
    let mut heading = slot.named.to_string();
    if let (Ok(drive), Some(answers)) = (slot.opened(), answers) {
        heading += &format!(": {}, {}", drive.ssc().name(), drive.state());
        text += &answers.text(drive);
        text += &firmware_prompt::text(drive);
        report.fields.extend(fields(&PromptFields::from(drive)));
        report
            .fields
            .extend(fields(&TperFields::new(drive, answers)));
    }
    if !text.is_empty() {
        report.text = Answer::Data(format!("{heading}\n{text}{}", diagnosis_text(&diagnosis)));
    }
    report.fields.extend(fields(&Surroundings {
        geometry: size,
        hardware,
        diagnosis,
    }));
    report
}

/// What the drive answered to the questions that anybody may ask.
struct Answers {
    properties: Result<Properties, CliError>,
    neighbours: Neighbours,
    psid_tries: Option<Tries>,
    single_user_mode: Option<SingleUserMode>,
    /// What came in the way of a question.
    findings: Vec<Finding>,
}

impl Answers {
    /// Asks. Another session is waited for but a moment: that there is one is an answer, too.
    fn of(drive: &mut Drive) -> Self {
        let neighbours = drive.neighbours().clone();
        let properties = drive.properties();
        let tries = drive.psid_tries();
        let failures = [properties.as_ref().err(), tries.as_ref().err()];
        let troubles: Vec<Trouble> = failures
            .into_iter()
            .flatten()
            .filter_map(|error| error.cause().trouble())
            .collect();
        let findings = troubles
            .into_iter()
            .flat_map(|trouble| drive.explain(trouble))
            .collect();
        Self {
            properties: properties.map_err(CliError::from),
            neighbours,
            psid_tries: tries.ok().flatten(),
            single_user_mode: single_user::shown(drive),
            findings,
        }
    }

    fn text(&self, drive: &Drive) -> String {
        let mut text = discovery::text(drive.discovery());
        text += &self.neighbours_text();
        text += &properties_text(&self.properties);
        if let Some(mode) = &self.single_user_mode {
            text += &format!("Ranges {}\n", single_user::mode_text(mode));
        }
        let tries = self.psid_tries.as_ref().map(TryFields::from);
        text + &tries.as_ref().map(TryFields::text).unwrap_or_default()
    }

    fn neighbours_text(&self) -> String {
        let names = self.neighbours.protocols.iter().copied();
        let names: Vec<String> = names.map(machine::protocol_name).collect();
        let mut text = match names.is_empty() {
            true => "Security protocols: not told\n".to_owned(),
            false => format!("Security protocols: {}\n", names.join(", ")),
        };
        if let Some(security) = self.neighbours.ata_security {
            text += &format!("{}\n", AtaFields::from(security).text());
        }
        text
    }
}

/// What the drive shows, and what came in the way of a question; each once.
fn diagnosis_of(drive: &Drive, answers: &Answers) -> Vec<FindingFields> {
    let mut findings = drive.diagnose();
    let tries = answers.psid_tries.filter(|tries| tries.tries > Some(0));
    findings.extend(tries.map(Finding::PsidTries));
    for finding in &answers.findings {
        if !findings.contains(finding) {
            findings.push(*finding);
        }
    }
    findings.into_iter().map(FindingFields::from).collect()
}

/// What stands around the drive. Where it could not be opened, that explains why.
fn diagnosis_of_machine(slot: &Slot, hardware: Option<&HardwareFields>) -> Vec<FindingFields> {
    let machine = Machine::new(&slot.named, slot.facts());
    let mut findings = match slot.opened() {
        Ok(_) => machine.path(),
        Err(error) => error.diagnosis.clone(),
    };
    if slot.opened().is_err() {
        findings.extend(hardware.and_then(HardwareFields::ata_finding));
    }
    findings.extend(machine.owners(hardware::mbr(slot.opened().ok()), Refused::No));
    findings.extend(machine.namespaces());
    if let Ok(drive) = slot.opened() {
        findings.extend(machine.block_sizes(drive.discovery()));
    }
    findings
}

/// What the TPer tells, in JSON.
#[derive(Serialize)]
struct TperFields {
    ssc: &'static str,
    state: StateFields,
    discovery: Value,
    properties: Option<PropertyFields>,
    properties_error: Option<CliError>,
    security_protocols: Vec<ProtocolFields>,
    ata_security: Option<AtaFields>,
    psid_tries: Option<TryFields>,
    single_user_mode: Option<ModeFields>,
}

/// A security protocol, in JSON.
#[derive(Serialize)]
struct ProtocolFields {
    code: String,
    name: Option<&'static str>,
}

/// Wrong attempts at the PSID, in JSON.
#[derive(Serialize)]
struct TryFields {
    tries: Option<u64>,
    try_limit: Option<u64>,
    persistence: Option<bool>,
}

impl From<&Tries> for TryFields {
    fn from(tries: &Tries) -> Self {
        Self {
            tries: tries.tries,
            try_limit: tries.try_limit,
            persistence: tries.persistence,
        }
    }
}

/// What stands around the TPer, in JSON.
#[derive(Serialize)]
struct Surroundings {
    geometry: Option<SizeFields>,
    hardware: Option<HardwareFields>,
    diagnosis: Vec<FindingFields>,
}

/// How large the drive is, in JSON.
#[derive(Serialize)]
struct SizeFields {
    blocks: u64,
    block_size: u32,
    size: Option<u64>,
}

impl From<Geometry> for SizeFields {
    fn from(geometry: Geometry) -> Self {
        let Geometry { blocks, block_size } = geometry;
        Self {
            blocks,
            block_size,
            size: blocks.checked_mul(block_size.into()),
        }
    }
}

impl SizeFields {
    fn text(&self) -> String {
        let Self {
            blocks, block_size, ..
        } = self;
        let size = self.size.map(|size| format!(", {size} bytes in all"));
        let size = size.unwrap_or_default();
        format!("  size: {blocks} blocks of {block_size} bytes{size}\n")
    }
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
    fn new(drive: &Drive, answers: Answers) -> Self {
        let properties = answers.properties.as_ref().ok().map(PropertyFields::from);
        let protocols = answers.neighbours.protocols.iter();
        Self {
            ssc: drive.ssc().name(),
            state: (&drive.state()).into(),
            discovery: discovery::json(drive.discovery()),
            properties,
            properties_error: answers.properties.err(),
            security_protocols: protocols.map(ProtocolFields::from).collect(),
            ata_security: answers.neighbours.ata_security.map(AtaFields::from),
            psid_tries: answers.psid_tries.as_ref().map(TryFields::from),
            single_user_mode: answers.single_user_mode.as_ref().map(ModeFields::from),
        }
    }
}

impl From<&SecurityProtocol> for ProtocolFields {
    fn from(protocol: &SecurityProtocol) -> Self {
        Self {
            code: format!("{:02x}", protocol.0),
            name: protocol.name(),
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
