//! What a command has to say: about each drive, for people and as JSON.

use serde::Serialize;
use serde_json::{Map, Value};

use super::error::CliError;
use super::exit::{Code, ExitCode};
use super::hint;

/// Version of the JSON documents.
pub(crate) const SCHEMA: &str = "sedkit/1";

/// The outcome of one run of a command.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// One entry per drive, in the order given.
    pub(crate) drives: Vec<DriveReport>,
    /// Results of commands that are not about one drive: fields beside `drives`.
    pub(crate) fields: Map<String, Value>,
    /// Text about the whole; each drive's text follows it.
    pub(crate) text: Answer,
    /// A failure of the whole run.
    pub(crate) error: Option<CliError>,
    /// Whether standard output has all of it already: what came later is an error at most.
    pub(crate) is_delivered: bool,
}

/// Text on standard output.
#[derive(Debug, Default)]
pub(crate) enum Answer {
    /// Nothing to print.
    #[default]
    Nothing,
    /// What the user asked for: printed even with `--quiet`.
    Data(String),
    /// That something was done: left out with `--quiet`.
    Notice(String),
}

impl Answer {
    /// What is printed.
    pub(crate) fn shown(&self, quiet: bool) -> Option<&str> {
        match self {
            Self::Nothing => None,
            Self::Notice(_) if quiet => None,
            Self::Data(text) | Self::Notice(text) => Some(text),
        }
    }
}

impl Report {
    /// A report about drives. The error of the run follows from theirs.
    pub(crate) fn of_drives(drives: Vec<DriveReport>) -> Self {
        let error = error_of(&drives);
        Self {
            drives,
            error,
            ..Self::default()
        }
    }

    /// A report that is about no drive.
    pub(crate) fn plain(text: Answer, fields: Map<String, Value>) -> Self {
        Self {
            text,
            fields,
            ..Self::default()
        }
    }

    /// How the process ends.
    pub(crate) fn exit(&self) -> ExitCode {
        self.error
            .as_ref()
            .map_or(ExitCode::Done, |error| error.code.exit())
    }

    /// Does something to every string, wherever it comes from.
    pub(crate) fn each_string(&mut self, change: &mut impl FnMut(&mut String)) {
        each_in_map(&mut self.fields, change);
        each_in_error(&mut self.error, change);
        for drive in &mut self.drives {
            change(&mut drive.device);
            drive
                .serial
                .iter_mut()
                .chain(&mut drive.model)
                .for_each(&mut *change);
            each_in_map(&mut drive.fields, change);
            each_in_error(&mut drive.error, change);
        }
    }

    /// Gives every error a way out, if only that of its kind. Where drives failed, their own errors
    /// have it.
    pub(crate) fn complete(&mut self, command: &str) {
        let drives = self.drives.iter_mut();
        let mut errors: Vec<&mut CliError> =
            drives.filter_map(|drive| drive.error.as_mut()).collect();
        if errors.is_empty() {
            errors.extend(self.error.as_mut());
        }
        for error in errors {
            let general = || hint::for_code(error.code, command);
            error.hint.get_or_insert_with(general);
        }
    }

    /// The JSON document of this report.
    pub(crate) fn document<'a>(&'a self, command: &'a str) -> Document<'a> {
        Document {
            schema: SCHEMA,
            command,
            ok: self.error.is_none(),
            drives: self.drives.iter().map(DriveReport::object).collect(),
            fields: &self.fields,
            error: self.error.as_ref(),
        }
    }
}

impl From<CliError> for Report {
    fn from(error: CliError) -> Self {
        Self {
            error: Some(error),
            ..Self::default()
        }
    }
}

/// The outcome for one drive.
#[derive(Debug, Default)]
pub(crate) struct DriveReport {
    /// The device as it was named.
    pub(crate) device: String,
    /// Serial number, where it is known.
    pub(crate) serial: Option<String>,
    /// Model, where it is known.
    pub(crate) model: Option<String>,
    /// Results of the command: fields beside `ok`.
    pub(crate) fields: Map<String, Value>,
    /// Text for people.
    pub(crate) text: Answer,
    /// Why it failed.
    pub(crate) error: Option<CliError>,
    /// What was sent to the drive.
    pub(crate) if_commands: IfCommands,
}

impl DriveReport {
    /// A report about a drive of which nothing but its name is known yet.
    pub(crate) fn new(device: impl Into<String>) -> Self {
        Self {
            device: device.into(),
            ..Self::default()
        }
    }

    fn object(&self) -> DriveObject<'_> {
        DriveObject {
            device: &self.device,
            serial: self.serial.as_deref(),
            model: self.model.as_deref(),
            ok: self.error.is_none(),
            fields: &self.fields,
            error: self.error.as_ref(),
            if_commands: self.if_commands,
        }
    }
}

/// The JSON document of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    schema: &'static str,
    command: &'a str,
    ok: bool,
    drives: Vec<DriveObject<'a>>,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
    error: Option<&'a CliError>,
}

#[derive(Debug, Serialize)]
struct DriveObject<'a> {
    device: &'a str,
    serial: Option<&'a str>,
    model: Option<&'a str>,
    ok: bool,
    #[serde(flatten)]
    fields: &'a Map<String, Value>,
    error: Option<&'a CliError>,
    if_commands: IfCommands,
}

/// Interface commands that this run sent to a drive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct IfCommands {
    /// IF-SEND commands.
    pub(crate) send: u64,
    /// IF-RECV commands.
    pub(crate) recv: u64,
}

/// The fields of a serialisable structure.
pub(crate) fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(map)) => map,
        Ok(_) | Err(_) => Map::new(),
    }
}

fn each_in_error(error: &mut Option<CliError>, change: &mut impl FnMut(&mut String)) {
    if let Some(error) = error {
        change(&mut error.message);
        error.hint.iter_mut().for_each(&mut *change);
        let findings = error.diagnosis.iter_mut();
        findings.for_each(|finding| finding.each_string(change));
    }
}

fn each_in_map(map: &mut Map<String, Value>, change: &mut impl FnMut(&mut String)) {
    map.values_mut()
        .for_each(|value| each_in_value(value, change));
}

fn each_in_value(value: &mut Value, change: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items
            .iter_mut()
            .for_each(|item| each_in_value(item, change)),
        Value::Object(map) => each_in_map(map, change),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The error of a run, from the errors of its drives.
fn error_of(drives: &[DriveReport]) -> Option<CliError> {
    let errors: Vec<&CliError> = drives
        .iter()
        .filter_map(|drive| drive.error.as_ref())
        .collect();
    if let ([_], [error]) = (drives, errors.as_slice()) {
        return Some(CliError::new(error.code, error.message.clone()));
    }
    let codes: Vec<Code> = errors.iter().map(|error| error.code).collect();
    let code = Code::of_many(drives.len(), &codes)?;
    Some(CliError::new(
        code,
        format!("{} of {} drives failed", codes.len(), drives.len()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drive(device: &str, error: Option<CliError>) -> DriveReport {
        DriveReport {
            error,
            ..DriveReport::new(device)
        }
    }

    fn json(report: &Report, command: &str) -> Value {
        serde_json::to_value(report.document(command)).unwrap()
    }

    #[test]
    fn a_drive_that_failed_among_others_makes_the_run_partial() {
        let refused = CliError::new(Code::NotAuthorized, "refused");
        let report = Report::of_drives(vec![drive("a", None), drive("b", Some(refused))]);
        let document = json(&report, "unlock");
        assert_eq!(document["schema"], "sedkit/1");
        assert_eq!(document["command"], "unlock");
        assert_eq!(document["ok"], false);
        assert_eq!(document["error"]["code"], "partial");
        assert_eq!(document["error"]["message"], "1 of 2 drives failed");
        assert_eq!(document["drives"][0]["error"], Value::Null);
        assert_eq!(document["drives"][1]["error"]["code"], "not_authorized");
        assert_eq!(report.exit(), ExitCode::Partial);
    }

    #[test]
    fn the_only_drive_s_error_is_that_of_the_run() {
        let refused = CliError::new(Code::LockedOut, "locked out");
        let report = Report::of_drives(vec![drive("a", Some(refused))]);
        assert_eq!(json(&report, "lock")["error"]["message"], "locked out");
        assert_eq!(report.exit(), ExitCode::LockedOut);
    }

    #[test]
    fn every_string_is_reached() {
        let mut drive = drive(
            "a\u{1b}",
            Some(CliError::usage("b\u{1b}").with_hint("c\u{1b}")),
        );
        drive.serial = Some("d\u{1b}".to_owned());
        drive.model = Some("e\u{1b}".to_owned());
        drive.fields = fields(&serde_json::json!({"f": [{"g": "h\u{1b}"}]}));
        let mut report = Report::of_drives(vec![drive]);
        report.each_string(&mut |text| *text = text.replace('\u{1b}', "?"));
        let document = serde_json::to_string(&report.document("scan")).unwrap();
        assert!(!document.contains("\\u001b"), "{document}");
        assert_eq!(document.matches('?').count(), 7);
    }

    #[test]
    fn success_has_no_error() {
        let report = Report::of_drives(vec![drive("a", None)]);
        assert_eq!(json(&report, "lock")["error"], Value::Null);
        assert_eq!(json(&report, "lock")["ok"], true);
        assert_eq!(report.exit(), ExitCode::Done);
    }

    #[test]
    fn quiet_leaves_notices_out_and_keeps_data() {
        assert_eq!(Answer::Notice("locked".to_owned()).shown(true), None);
        assert_eq!(
            Answer::Notice("locked".to_owned()).shown(false),
            Some("locked")
        );
        assert_eq!(Answer::Data("abcd".to_owned()).shown(true), Some("abcd"));
    }
}
