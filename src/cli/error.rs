//! The one form in which every failure reaches people and JSON.

use std::fmt;
use std::io;

use serde::Serialize;

use super::exit::Code;
use super::findings::FindingFields;
use crate::drive::Trouble;

/// What happened, and what to do next: `error` in JSON, where what does not apply is left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct CliError {
    /// The kind of failure.
    pub(crate) code: Code,
    /// What happened, on one line: lower case, without full stop.
    pub(crate) message: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) hint: Option<String>,
    /// The step of a longer operation at which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) step: Option<&'static str>,
    /// The method status that the TPer gave.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u8>,
    /// What explains it, as far as it shows, the likeliest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) diagnosis: Vec<FindingFields>,
    /// What is to be explained about it; boxed, since an error is handed through many results.
    #[serde(skip)]
    pub(crate) trouble: Option<Box<Trouble>>,
    /// Whether the drive refused the PIN, so that another one may be taken.
    #[serde(skip)]
    pub(crate) is_refusal: bool,
}

impl CliError {
    /// A failure without hint, step and status.
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            hint: None,
            step: None,
            status: None,
            diagnosis: Vec::new(),
            trouble: None,
            is_refusal: false,
        }
    }

    /// A wrong command line that only the program's own checks find.
    pub(crate) fn usage(message: impl Into<String>) -> Self {
        Self::new(Code::Usage, message)
    }

    /// Says what to do next.
    #[must_use]
    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// A failure of `error` and of everything below it, on one line.
    pub(crate) fn from_chain(code: Code, error: &dyn std::error::Error) -> Self {
        Self::new(code, chain(error))
    }

    /// Standard output could not be written.
    pub(crate) fn output(error: &io::Error) -> Self {
        Self::new(
            Code::Output,
            format!("standard output could not be written: {error}"),
        )
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for CliError {}

/// An error and its sources, joined by colons.
pub(crate) fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text.push_str(": ");
        text.push_str(&error.to_string());
        source = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_apply_is_left_out_of_json() {
        let error = CliError::usage("no device given");
        let json = serde_json::to_string(&error).unwrap();
        assert_eq!(json, r#"{"code":"usage","message":"no device given"}"#);
    }

    #[test]
    fn json_carries_hint_step_and_status() {
        let mut error = CliError::new(Code::NotAuthorized, "refused").with_hint("type it again");
        error.step = Some("start_session");
        error.status = Some(1);
        let json = serde_json::to_value(&error).unwrap();
        let expected = serde_json::json!({"code": "not_authorized", "message": "refused",
            "hint": "type it again", "step": "start_session", "status": 1});
        assert_eq!(json, expected);
    }
}
