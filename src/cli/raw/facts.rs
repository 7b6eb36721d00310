//! What a drive tells to anybody: `sedkit raw msid`, `random`, `com-id` and `protocols`.

use serde::Serialize;

use crate::cli::Context;
use crate::cli::args::SessionOptions;
use crate::cli::args::raw::{ComId, Msid, Protocols, Random};
use crate::cli::drives::{self, Done};
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::report::Report;
use crate::drive::{Drive, ProtocolInformation};
use crate::transport::sanitise;
use crate::wire::hex;
use crate::wire::security_protocol::{ComIdTime, ComplianceDescriptor};

#[derive(Serialize)]
struct MsidFields {
    msid: String,
    text: Option<String>,
}

/// The MSID: text where it is, else hexadecimal.
pub(super) fn msid(args: &Msid, context: &Context) -> Report {
    drives::on_one(&args.device, SessionOptions::PLAIN, context, |_, drive| {
        let msid = drive.msid()?;
        let is_text = msid.expose().iter().all(u8::is_ascii_graphic);
        let fields = MsidFields {
            msid: hex::encode(msid.expose()),
            text: is_text.then(|| sanitise(msid.expose())),
        };
        let text = fields.text.as_ref().unwrap_or(&fields.msid).clone();
        Ok(Done::data(text, &fields))
    })
}

#[derive(Serialize)]
struct RandomFields {
    count: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<String>,
}

/// Random bytes, as they are or in the document.
pub(super) fn random(args: &Random, context: &Context) -> Report {
    drives::on_one(&args.device, SessionOptions::PLAIN, context, |_, drive| {
        let count = usize::try_from(args.count).unwrap_or(usize::MAX);
        let bytes = drive.random(count)?;
        let is_json = context.output.is_json();
        if !is_json {
            context.output.bytes(&bytes)?;
        }
        let data = is_json.then(|| hex::encode(&bytes));
        Ok(Done::silent(&RandomFields { count, data }))
    })
}

#[derive(Serialize)]
struct ComIdFields {
    com_id: Option<u16>,
    state: &'static str,
    state_number: u32,
    allocated: Option<String>,
    expires: Option<String>,
    last_reset: Option<String>,
}

/// The state of the ComID.
pub(super) fn com_id(args: &ComId, context: &Context) -> Report {
    drives::on_one(&args.device, SessionOptions::PLAIN, context, |_, drive| {
        let fields = com_id_fields(drive)?;
        let com_id = fields
            .com_id
            .map_or(String::new(), |number| format!("{number:04x}h "));
        let mut text = format!("ComID {com_id}is {}", fields.state);
        for (name, time) in [
            ("allocated", &fields.allocated),
            ("expires", &fields.expires),
            ("last reset", &fields.last_reset),
        ] {
            text += &time
                .as_ref()
                .map_or(String::new(), |time| format!("\n  {name}: {time}"));
        }
        Ok(Done::data(text, &fields))
    })
}

fn com_id_fields(drive: &mut Drive) -> Result<ComIdFields, CliError> {
    let validity = drive.verify_com_id()?;
    let times = validity.times.unwrap_or_default();
    let [allocated, expires, last_reset] = times.map(time);
    Ok(ComIdFields {
        com_id: drive.discovery().base_com_id().map(|com_id| com_id.0),
        state: validity.state.name().unwrap_or("unknown"),
        state_number: validity.state.0,
        allocated,
        expires,
        last_reset,
    })
}

/// A time by the drive's clock; nothing where it has none.
fn time(time: ComIdTime) -> Option<String> {
    let ComIdTime {
        year,
        month,
        day,
        hour,
        minute,
        second,
        ..
    } = time;
    let is_there = time != ComIdTime::default();
    is_there.then(|| format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"))
}

#[derive(Serialize)]
struct ProtocolFields {
    protocols: Option<Vec<Protocol>>,
    certificate: Option<String>,
    compliance: Option<Vec<Certification>>,
}

#[derive(Serialize)]
struct Protocol {
    number: u8,
    name: Option<&'static str>,
}

#[derive(Serialize)]
struct Certification {
    kind: u16,
    revision: Option<String>,
    level: Option<String>,
    hardware_version: Option<String>,
    version: Option<String>,
    module: Option<String>,
    data: Option<String>,
}

impl From<&ComplianceDescriptor> for Certification {
    fn from(descriptor: &ComplianceDescriptor) -> Self {
        let text = |bytes: &[u8]| Some(sanitise(bytes));
        match descriptor {
            ComplianceDescriptor::Fips140(fips) => Self {
                kind: 1,
                revision: text(&[fips.revision]),
                level: text(&[fips.level]),
                hardware_version: text(&fips.hardware_version),
                version: text(&fips.version),
                module: text(&fips.module),
                data: None,
            },
            ComplianceDescriptor::Other { kind, contents } => Self {
                kind: *kind,
                revision: None,
                level: None,
                hardware_version: None,
                version: None,
                module: None,
                data: Some(hex::encode(contents)),
            },
        }
    }
}

/// Security protocols, certificate, certifications.
pub(super) fn protocols(args: &Protocols, context: &Context) -> Report {
    drives::on_one(&args.device, SessionOptions::PLAIN, context, |_, drive| {
        let found = drive.protocol_information()?;
        if args.certificate {
            certificate(&found, context)?;
        }
        let fields = ProtocolFields::from(&found);
        match args.certificate && !context.output.is_json() {
            true => Ok(Done::silent(&fields)),
            false => Ok(Done::data(protocol_text(&fields), &fields)),
        }
    })
}

/// Writes the certificate to standard output.
fn certificate(found: &ProtocolInformation, context: &Context) -> Result<(), CliError> {
    let certificate = found.certificate.as_ref().map(|found| &found.0);
    let certificate = certificate.filter(|certificate| !certificate.is_empty());
    let none = || CliError::new(Code::NotSupported, "the drive has no certificate");
    let certificate = certificate.ok_or_else(none)?;
    match context.output.is_json() {
        true => Ok(()),
        false => context.output.bytes(certificate),
    }
}

impl From<&ProtocolInformation> for ProtocolFields {
    fn from(found: &ProtocolInformation) -> Self {
        let protocols = found.protocols.as_ref().map(|list| {
            let protocols = list.0.iter().map(|protocol| Protocol {
                number: protocol.0,
                name: protocol.name(),
            });
            protocols.collect()
        });
        let compliance = found.compliance.as_ref();
        Self {
            protocols,
            certificate: found
                .certificate
                .as_ref()
                .map(|found| hex::encode(&found.0)),
            compliance: compliance.map(|list| list.0.iter().map(Certification::from).collect()),
        }
    }
}

fn protocol_text(fields: &ProtocolFields) -> String {
    let mut text = "Security protocols:".to_owned();
    match &fields.protocols {
        Some(protocols) => {
            for Protocol { number, name } in protocols {
                text += &format!("\n  {number:02x}h {}", name.unwrap_or("unknown"));
            }
        }
        None => text += " not told",
    }
    text += match fields.certificate.as_deref() {
        None => "\nCertificate: not told",
        Some("") => "\nCertificate: none",
        Some(_) => "\nCertificate: there is one; --certificate writes it",
    };
    match fields.compliance.as_deref() {
        None => text += "\nCertifications: not told",
        Some([]) => text += "\nCertifications: none",
        Some(list) => list.iter().for_each(|one| text += &certification_text(one)),
    }
    text
}

fn certification_text(one: &Certification) -> String {
    let word = |text: &Option<String>| text.clone().unwrap_or_default();
    match (&one.module, &one.data) {
        (Some(module), _) => format!(
            "\nFIPS 140-{}, level {}: {module}, hardware {}, version {}",
            word(&one.revision),
            word(&one.level),
            word(&one.hardware_version),
            word(&one.version)
        ),
        (None, data) => format!("\nCertification of type {:04x}h: {}", one.kind, word(data)),
    }
}
