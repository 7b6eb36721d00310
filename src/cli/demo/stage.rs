//! Where the demo happens: a folder, a virtual drive in it, and the running of one command.

use std::env;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use tempfile::TempDir;

use super::{StepReport, broken};
use crate::cli::Context;
use crate::cli::error::CliError;
use crate::cli::exit::{Code, ExitCode};

/// One step: what it is about, and what the user would type.
pub(super) struct Step<'a> {
    /// The heading.
    pub(super) title: &'static str,
    /// What happens and why, for somebody who has never seen a self-encrypting drive.
    pub(super) explanation: &'static str,
    /// The arguments, without the program's name. `DRIVE` stands for the drive's file.
    pub(super) arguments: &'a [&'a str],
    /// Bytes for standard input.
    pub(super) input: &'a [u8],
    /// How the command should end.
    pub(super) exit: ExitCode,
    /// How its standard output is shown.
    pub(super) show: Show,
}

/// How a command's standard output is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Show {
    /// As it is.
    Text,
    /// The first bytes in hex and as text.
    Bytes,
}

/// The folder, the drive's file and what has been done so far.
pub(super) struct Stage<'a> {
    context: &'a Context,
    program: PathBuf,
    folder: TempDir,
    drive: PathBuf,
    steps: Vec<StepReport>,
}

impl<'a> Stage<'a> {
    /// A stage with an empty folder. The drive's file is `keep`, or goes with the folder.
    pub(super) fn new(keep: Option<&Path>, context: &'a Context) -> Result<Self, CliError> {
        let failed = |error: io::Error| CliError::from_chain(Code::Failed, &error);
        let folder = tempfile::Builder::new()
            .prefix("sedkit-demo-")
            .tempdir()
            .map_err(failed)?;
        let drive = match keep {
            Some(path) => std::path::absolute(path).map_err(failed)?,
            None => PathBuf::from("demo.img"),
        };
        let program = env::current_exe().map_err(failed)?;
        Ok(Self {
            context,
            program,
            folder,
            drive,
            steps: Vec::new(),
        })
    }

    /// What has been done.
    pub(super) fn into_steps(self) -> Vec<StepReport> {
        self.steps
    }

    /// Writes a secret into a file that only its owner can read.
    pub(super) fn secret(&self, name: &str, secret: &str) -> Result<(), CliError> {
        let path = self.folder.path().join(name);
        let file = fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(path);
        file.and_then(|mut file| file.write_all(secret.as_bytes()))
            .map_err(|error| CliError::from_chain(Code::Failed, &error))
    }

    /// Tells and runs a step; gives its standard output.
    pub(super) fn play(&mut self, step: &Step<'_>) -> Result<Vec<u8>, CliError> {
        let number = self.steps.len() + 1;
        self.context
            .output
            .line(&format!("\n{number}. {}", step.title))?;
        self.context
            .output
            .line(&format!("   {}", step.explanation))?;
        let command = self.command_line(step);
        self.context.output.line(&format!("   $ {command}"))?;
        let output = self
            .execute(step)
            .map_err(|error| CliError::from_chain(Code::Failed, &error))?;
        self.show(step, &output)?;
        let exit_code = exit_code(&output);
        self.steps.push(StepReport {
            title: step.title,
            command,
            exit_code,
        });
        if exit_code != step.exit.number() {
            let expected = step.exit.number();
            return Err(broken(
                step.title,
                &format!("exit {exit_code} instead of {expected}"),
            ));
        }
        Ok(output.stdout)
    }

    /// The command as a user would type it, in the demo's folder.
    fn command_line(&self, step: &Step<'_>) -> String {
        let name = self
            .drive
            .file_name()
            .map_or("demo.img".into(), |name| name.to_string_lossy());
        let words = step
            .arguments
            .iter()
            .map(|word| word.replace("DRIVE", &name));
        let words: Vec<String> = std::iter::once("sedkit".to_owned()).chain(words).collect();
        words.join(" ")
    }

    fn execute(&self, step: &Step<'_>) -> io::Result<Output> {
        let drive = self.drive.to_string_lossy();
        let mut child = Command::new(&self.program)
            .args(
                step.arguments
                    .iter()
                    .map(|word| word.replace("DRIVE", &drive)),
            )
            .current_dir(self.folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        if let Some(mut stdin) = child.stdin.take() {
            stdin.write_all(step.input)?;
        }
        child.wait_with_output()
    }

    fn show(&self, step: &Step<'_>, output: &Output) -> Result<(), CliError> {
        match step.show {
            Show::Text => self.indented(&String::from_utf8_lossy(&output.stdout))?,
            Show::Bytes => self.indented(&excerpt(&output.stdout))?,
        }
        self.indented(&String::from_utf8_lossy(&output.stderr))
    }

    fn indented(&self, text: &str) -> Result<(), CliError> {
        text.lines()
            .try_for_each(|line| self.context.output.line(&format!("   {line}")))
    }
}

/// The exit code of a command; 255 if a signal ended it.
fn exit_code(output: &Output) -> u8 {
    output
        .status
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(u8::MAX)
}

/// The first bytes in hex and as text.
fn excerpt(bytes: &[u8]) -> String {
    let row = |row: &[u8]| {
        let hex: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = row.iter().map(|&byte| match byte {
            0x20..=0x7e => char::from(byte),
            _ => '.',
        });
        format!("{:<48} {}\n", hex.join(" "), text.collect::<String>())
    };
    bytes.chunks(16).take(3).map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excerpt_shows_hex_and_text() {
        let shown = excerpt(b"hello\0");
        assert_eq!(shown, format!("{:<48} hello.\n", "68 65 6c 6c 6f 00"));
        assert_eq!(excerpt(&[0; 512]).lines().count(), 3);
    }
}
