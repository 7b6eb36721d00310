//! Wrong command lines, help and version: what clap says, in the form that was asked for.

use std::ffi::OsString;

use clap::CommandFactory;
use clap::error::ErrorKind;

use super::args::{Arguments, Global};
use super::error::CliError;
use super::exit::ExitCode;
use super::output::Output;
use super::report::Report;

/// Prints what clap has to say about a command line that it did not take as a command.
pub(crate) fn report(error: &clap::Error, arguments: &[OsString]) -> ExitCode {
    if !error.use_stderr() {
        return printed(&output(false), error);
    }
    if !asks_for_json(arguments) {
        let _ = error.print();
        return ExitCode::Usage;
    }
    let command = command_name(arguments);
    let failure = CliError::usage(message(error)).with_hint(hint(&command));
    output(true).finish(&command, Report::from(failure))
}

/// Help and version go to standard output, which may be full.
fn printed(output: &Output, error: &clap::Error) -> ExitCode {
    match output.bytes(error.render().to_string().as_bytes()) {
        Ok(()) => ExitCode::Done,
        Err(error) => output.finish("", Report::from(error)),
    }
}

fn output(json: bool) -> Output {
    Output::new(&Global {
        json,
        quiet: false,
        verbose: 0,
        timeout: 0,
        no_color: false,
    })
}

fn asks_for_json(arguments: &[OsString]) -> bool {
    options(arguments).any(|argument| argument == "--json")
}

/// What stands before `--`, without the program's name.
fn options(arguments: &[OsString]) -> impl Iterator<Item = &OsString> {
    arguments
        .iter()
        .skip(1)
        .take_while(|argument| *argument != "--")
}

/// The command's name as far as it can be made out: `range list`.
fn command_name(arguments: &[OsString]) -> String {
    let root = Arguments::command();
    let mut command = &root;
    let mut names = Vec::new();
    for argument in options(arguments) {
        if let Some(found) = argument
            .to_str()
            .and_then(|name| command.find_subcommand(name))
        {
            names.push(found.get_name().to_owned());
            command = found;
        }
    }
    names.join(" ")
}

/// The first paragraph of clap's message on one line.
fn message(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "no command given".to_owned();
    }
    let text = error.render().to_string();
    let paragraph = text.split("\n\n").next().unwrap_or_default();
    let lines: Vec<&str> = paragraph.lines().map(str::trim).collect();
    lines.join(" ").trim_start_matches("error: ").to_owned()
}

fn hint(command: &str) -> String {
    let space = if command.is_empty() { "" } else { " " };
    format!("see \"sedkit{space}{command} --help\"")
}
