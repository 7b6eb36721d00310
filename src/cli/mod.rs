//! The command line: what the user asks for, and what the program says.
//!
//! A command is one file with a function `run` that takes its arguments (types in [`args`]) and the
//! [`Context`], and gives a [`Report`](report::Report) or a [`CliError`](error::CliError).
//! [`output`] prints either for people or as one JSON document; [`exit`] has the exit codes.
//!
//! Nothing else in the crate prints, reads the environment or knows the command line.

#![forbid(unsafe_code)]
#![allow(dead_code, reason = "the commands come one by one")]

use std::ffi::OsString;
use std::process;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use clap::Parser;

mod args;
mod confirm;
mod discovery;
mod error;
mod exit;
mod extent;
mod failure;
mod hex;
mod hint;
mod output;
mod report;
mod secret;
mod signal;
mod usage;

use args::{Arguments, Command, Global};
use error::CliError;
use exit::{Code, ExitCode};
use output::Output;
use report::Report;

/// Runs the program with the given command line, its own name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> process::ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let exit = match Arguments::try_parse_from(&arguments) {
        Ok(arguments) => execute(&arguments),
        Err(error) => usage::report(&error, &arguments),
    };
    exit.into()
}

/// What every command is given beside its own arguments.
struct Context {
    /// Where to print.
    output: Output,
    /// Longest wait for one answer of a drive.
    timeout: Duration,
    /// How often `-v` was given.
    verbose: u8,
    /// Becomes true when a signal asks the program to end.
    interrupt: Arc<AtomicBool>,
}

impl Context {
    fn new(global: &Global) -> Result<Self, CliError> {
        let interrupt = signal::install()
            .map_err(|error| CliError::new(Code::Failed, format!("no signal handler: {error}")))?;
        Ok(Self {
            output: Output::new(global),
            timeout: Duration::from_secs(global.timeout),
            verbose: global.verbose,
            interrupt,
        })
    }
}

fn execute(arguments: &Arguments) -> ExitCode {
    let outcome =
        Context::new(&arguments.global).and_then(|context| dispatch(&arguments.command, &context));
    let report = outcome.unwrap_or_else(Report::from);
    Output::new(&arguments.global).finish(arguments.command.name(), report)
}

/// One line per command.
fn dispatch(command: &Command, _context: &Context) -> Result<Report, CliError> {
    match *command {}
}
