//! What a command has to say: about each drive, for people and as JSON.

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::error::CliError;
use super::exit::{Code, ExitCode};

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

    /// The JSON document of this report.
    pub(crate) fn document(&self, command: &str) -> Value {
        let mut document = json!({
            "schema": SCHEMA,
            "command": command,
            "ok": self.error.is_none(),
            "drives": self.drives.iter().map(DriveReport::object).collect::<Vec<_>>(),
            "error": self.error.as_ref().map(CliError::object),
        });
        extend(&mut document, &self.fields);
        document
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

    /// A failure before anything could be said to the drive.
    pub(crate) fn failed(device: impl Into<String>, error: CliError) -> Self {
        Self {
            error: Some(error),
            ..Self::new(device)
        }
    }

    fn object(&self) -> Value {
        let mut object = json!({
            "device": self.device,
            "serial": self.serial,
            "model": self.model,
            "ok": self.error.is_none(),
            "error": self.error.as_ref().map(CliError::object),
            "if_commands": self.if_commands,
        });
        extend(&mut object, &self.fields);
        object
    }
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

fn extend(object: &mut Value, fields: &Map<String, Value>) {
    if let Value::Object(map) = object {
        map.extend(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), value.clone())),
        );
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

    #[test]
    fn a_drive_that_failed_among_others_makes_the_run_partial() {
        let refused = CliError::new(Code::NotAuthorized, "refused");
        let report = Report::of_drives(vec![drive("a", None), drive("b", Some(refused))]);
        let document = report.document("unlock");
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
        assert_eq!(report.document("lock")["error"]["message"], "locked out");
        assert_eq!(report.exit(), ExitCode::LockedOut);
    }

    #[test]
    fn success_has_no_error() {
        let report = Report::of_drives(vec![drive("a", None)]);
        assert_eq!(report.document("lock")["error"], Value::Null);
        assert_eq!(report.document("lock")["ok"], true);
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
