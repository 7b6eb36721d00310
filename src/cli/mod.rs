//! The command line: what the user asks for, and what the program says.
//!
//! A command is one file with a function `run` that takes its arguments (types in `args`) and the
//! `Context`, and gives a `Report` or a `CliError`. `output` prints either for people or as one JSON
//! document; `exit` has the exit codes.
//!
//! Nothing else in the crate prints, reads the environment or knows the command line.

#![forbid(unsafe_code)]

use std::ffi::OsString;
use std::process;
use std::time::Duration;

use clap::Parser;

mod args;
mod block_sid;
mod confirm;
mod data_removal;
mod datastore;
mod decode;
mod demo;
mod device;
mod diagnosis;
mod discovery;
mod drives;
mod erase;
mod error;
mod evidence;
mod exclusive;
mod exit;
mod extent;
mod failure;
mod findings;
mod firmware_prompt;
mod r#gen;
mod hardware;
mod hash;
mod hint;
mod identify_pin;
mod identity;
mod in_use;
mod info;
mod journal;
mod lock;
mod looking;
mod luks;
mod machine;
mod mbr;
mod output;
mod passwd;
mod plan;
mod preflight;
mod progress;
mod range;
mod ranges;
mod raw;
mod reactivate;
mod report;
mod rescan;
mod resume;
mod revert;
mod scan;
mod secret;
mod served;
mod setup;
mod shared;
mod signal;
mod single_user;
mod size;
mod stack_reset;
mod state;
mod table;
mod tper_reset;
mod transfer;
mod unlock;
mod usage;
mod user;
mod vdrive;

use args::{Arguments, Command, Global};
use error::CliError;
use exit::{Code, ExitCode};
use output::Output;
use report::Report;
use signal::Signals;

use crate::sys::memory;

/// Runs the program with the given command line, its own name first.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> process::ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    // A core file would hold secrets. Where the limit cannot be set, nothing is worse than before.
    let _ = memory::disable_core_dumps();
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
    /// SIGINT, SIGTERM and SIGHUP.
    signals: Signals,
}

impl Context {
    fn new(global: &Global) -> Result<Self, CliError> {
        let signals = Signals::install()
            .map_err(|error| CliError::new(Code::Failed, format!("no signal handler: {error}")))?;
        Ok(Self {
            output: Output::new(global),
            timeout: Duration::from_secs(global.timeout),
            verbose: global.verbose,
            signals,
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
fn dispatch(command: &Command, context: &Context) -> Result<Report, CliError> {
    match command {
        Command::Scan(args) => scan::run(args, context),
        Command::Info(args) => info::run(args, context),
        Command::Setup(args) => setup::run(args, context),
        Command::Lock(args) => lock::run(args, context),
        Command::Unlock(args) => unlock::run(args, context),
        Command::Passwd(args) => passwd::run(args, context),
        Command::Erase(args) => erase::run(args, context),
        Command::Revert(args) => revert::run(args, context),
        Command::Reactivate(args) => reactivate::run(args, context),
        Command::Range(args) => range::run(args, context),
        Command::User(args) => user::run(args, context),
        Command::Mbr(args) => mbr::run(args, context),
        Command::Datastore(args) => datastore::run(args, context),
        Command::DataRemoval(args) => data_removal::run(args, context),
        Command::BlockSid(args) => block_sid::run(args, context),
        Command::TperReset(args) => tper_reset::run(args, context),
        Command::StackReset(args) => stack_reset::run(args, context),
        Command::Raw(args) => raw::run(args, context),
        Command::Hash(args) => hash::run(args, context),
        Command::IdentifyPin(args) => identify_pin::run(args, context),
        Command::Decode(args) => decode::run(args),
        Command::Vdrive(args) => vdrive::run(args, context),
        Command::Demo(args) => demo::run(args, context),
        Command::Gen(args) => r#gen::run(args),
    }
}
