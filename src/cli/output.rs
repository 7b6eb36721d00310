//! Standard output and standard error, and nothing hostile on either.

use std::io::{self, IsTerminal, Write};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};

use super::args::Global;
use super::error::CliError;
use super::exit::{Code, ExitCode};
use super::findings::FindingFields;
use super::report::{DriveReport, IfCommands, Report};

/// Where and how the program prints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    verbose: bool,
    color: ColorChoice,
}

impl Output {
    /// As the global options ask.
    pub(crate) const fn new(global: &Global) -> Self {
        let color = if global.no_color {
            ColorChoice::Never
        } else {
            ColorChoice::Auto
        };
        Self {
            json: global.json,
            quiet: global.quiet,
            verbose: global.verbose > 0,
            color,
        }
    }

    /// Whether standard output is to hold one JSON document.
    pub(crate) const fn is_json(&self) -> bool {
        self.json
    }

    /// Whether somebody watches who wants to know how far it is.
    pub(crate) fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints a line for people at once; not with `--json`, where the report comes at the end.
    pub(crate) fn line(&self, text: &str) -> Result<(), CliError> {
        if self.json {
            return Ok(());
        }
        self.bytes(format!("{}\n", printable(text)).as_bytes())
    }

    /// Writes bytes to standard output as they are. Nobody reading any more is no error.
    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), CliError> {
        let mut stdout = io::stdout().lock();
        match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(CliError::output(&error))
            }
            _ => Ok(()),
        }
    }

    /// Says something on standard error that is not needed for the outcome.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            self.labelled("note", AnsiColor::Cyan, text);
        }
    }

    /// Warns on standard error.
    pub(crate) fn warning(&self, text: &str) {
        self.labelled("warning", AnsiColor::Yellow, text);
    }

    /// Shows part of a trace on standard error.
    pub(crate) fn trace(&self, text: &str) {
        let _ = io::stderr().lock().write_all(printable(text).as_bytes());
    }

    /// Asks something on standard error; the answer is typed on the same line.
    pub(crate) fn prompt(&self, text: &str) {
        let mut stderr = io::stderr().lock();
        let _ = write!(stderr, "{}", printable(text)).and_then(|()| stderr.flush());
    }

    /// Prints the outcome of a run and gives the exit code.
    pub(crate) fn finish(&self, command: &str, mut report: Report) -> ExitCode {
        let written = if report.is_delivered {
            report
                .error
                .iter()
                .for_each(|error| self.error(None, error));
            Ok(())
        } else {
            self.deliver(command, &mut report)
        };
        match written {
            Ok(()) => report.exit(),
            Err(error) => {
                self.error(None, &error);
                error.code.exit()
            }
        }
    }

    /// Prints what a run has to say, which may go on after that.
    pub(crate) fn deliver(&self, command: &str, report: &mut Report) -> Result<(), CliError> {
        report.complete(command);
        report.each_string(&mut |text| *text = printable(text));
        if self.json {
            self.document(command, report)
        } else {
            self.text(report)
        }
    }

    fn document(&self, command: &str, report: &Report) -> Result<(), CliError> {
        let document = serde_json::to_string_pretty(&report.document(command))
            .map_err(|error| CliError::from_chain(Code::Failed, &error))?;
        self.bytes(format!("{document}\n").as_bytes())
    }

    fn text(&self, report: &Report) -> Result<(), CliError> {
        let answers = report.drives.iter().map(|drive| &drive.text);
        for text in std::iter::once(&report.text).chain(answers) {
            if let Some(text) = text.shown(self.quiet) {
                self.line(text.trim_end_matches('\n'))?;
            }
        }
        if self.verbose {
            self.counts(report);
        }
        self.errors(report);
        Ok(())
    }

    fn counts(&self, report: &Report) {
        let spoken_to = |drive: &&DriveReport| drive.if_commands != IfCommands::default();
        for drive in report.drives.iter().filter(spoken_to) {
            let IfCommands { send, recv } = drive.if_commands;
            self.note(&format!("{}: {send} IF-SEND, {recv} IF-RECV", drive.device));
        }
    }

    /// Every drive's error, then what explains it and each hint once: drives often fail alike.
    fn errors(&self, report: &Report) {
        let mut hints: Vec<(&str, Vec<&str>)> = Vec::new();
        let mut findings: Vec<&FindingFields> = Vec::new();
        for drive in &report.drives {
            if let Some(error) = &drive.error {
                self.error(Some(&drive.device), error);
                add_new(&mut findings, &error.diagnosis);
                add_hint(&mut hints, error.hint.as_deref(), &drive.device);
            }
        }
        hints.retain(|(hint, _)| findings.iter().all(|finding| finding.way_out != *hint));
        findings.iter().for_each(|finding| self.why(finding));
        let differ = hints.len() > 1;
        for (hint, devices) in hints {
            match differ {
                true => self.hint(&format!("{}: {hint}", some_of(&devices))),
                false => self.hint(hint),
            }
        }
        if let (Some(error), true) = (&report.error, report.drives.len() != 1) {
            self.error(None, error);
            error.hint.iter().for_each(|hint| self.hint(hint));
        }
    }

    fn error(&self, device: Option<&str>, error: &CliError) {
        // Some messages begin with the device themselves.
        let device = device.filter(|device| !error.message.starts_with(device));
        let place = device
            .map(|device| format!("{device}: "))
            .unwrap_or_default();
        let step = error
            .step
            .as_ref()
            .map(|step| format!(", at step {step}"))
            .unwrap_or_default();
        self.labelled(
            "error",
            AnsiColor::Red,
            &format!("{place}{}{step}", error.message),
        );
    }

    /// A finding that explains an error.
    fn why(&self, finding: &FindingFields) {
        let details = finding.details().into_iter();
        let details: String = details.map(|line| format!("\n     {line}")).collect();
        self.labelled(
            "why",
            AnsiColor::Yellow,
            &format!("{}{details}", finding.text),
        );
    }

    fn hint(&self, text: &str) {
        self.labelled("hint", AnsiColor::Cyan, text);
    }

    /// A failing standard error leaves nowhere to say so.
    fn labelled(&self, label: &str, color: AnsiColor, text: &str) {
        let style = Style::new().bold().fg_color(Some(color.into()));
        let mut stderr = AutoStream::new(io::stderr().lock(), self.color);
        let _ = writeln!(stderr, "{style}{label}:{style:#} {}", printable(text));
    }
}

/// Adds what is not in the list yet.
fn add_new<'r, T: PartialEq + ?Sized>(list: &mut Vec<&'r T>, new: impl IntoIterator<Item = &'r T>) {
    for item in new {
        if !list.contains(&item) {
            list.push(item);
        }
    }
}

/// Adds a hint that helps one drive more.
fn add_hint<'r>(hints: &mut Vec<(&'r str, Vec<&'r str>)>, new: Option<&'r str>, device: &'r str) {
    let Some(new) = new else {
        return;
    };
    match hints.iter_mut().find(|(hint, _)| *hint == new) {
        Some((_, devices)) => devices.push(device),
        None => hints.push((new, vec![device])),
    }
}

/// `vdrive:a`, `vdrive:a and 3 more`.
fn some_of(devices: &[&str]) -> String {
    match devices {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first, more @ ..] => format!("{first} and {} more", more.len()),
    }
}

/// `text` without anything that a terminal would obey or that would hide text. Lines stay lines.
pub(crate) fn printable(text: &str) -> String {
    let keep = |character: char| {
        if is_hostile(character) {
            '?'
        } else {
            character
        }
    };
    text.chars().map(keep).collect()
}

/// Control characters, and the marks that reorder or hide text.
fn is_hostile(character: char) -> bool {
    let hidden = matches!(character,
        '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    hidden || (character.is_control() && character != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terminals_are_not_obeyed() {
        assert_eq!(printable("a\x1b[2Jb\u{9b}c\rd"), "a?[2Jb?c?d");
        assert_eq!(printable("\u{202e}txt.exe"), "?txt.exe");
        assert_eq!(printable("one\ntwo é"), "one\ntwo é");
    }
}
