//! `sedkit demo`: the whole story on a virtual drive, told by the program's own commands.
//!
//! Every step runs this program as a user would, shows the command and what it printed, and checks
//! the outcome. The demo succeeds only if every step showed what it should.

use serde::Serialize;

use super::Context;
use super::args::demo::Demo;
use super::error::CliError;
use super::exit::Code;
use super::report::{Answer, Report, fields};

mod stage;
mod story;

use stage::Stage;

/// A step as JSON shows it.
#[derive(Debug, Serialize)]
struct StepReport {
    title: &'static str,
    command: String,
    exit_code: u8,
}

/// What the demo adds to the document.
#[derive(Debug, Serialize)]
struct Story {
    steps: Vec<StepReport>,
}

/// Tells the story, and stops at the first step that does not show what it should.
pub(crate) fn run(arguments: &Demo, context: &Context) -> Result<Report, CliError> {
    if let Some(path) = arguments.keep.as_deref().filter(|path| path.exists()) {
        let message = format!("{} exists already", path.display());
        return Err(CliError::new(Code::Failed, message)
            .with_hint("remove it first, or choose another name"));
    }
    let mut stage = Stage::new(arguments.keep.as_deref(), context)?;
    story::tell(&mut stage)?;
    let farewell = match &arguments.keep {
        Some(path) => format!(
            "\nThe drive is in {}. Try the commands on it.",
            path.display()
        ),
        None => "\nThat was all. Keep the drive to try the commands by hand: sedkit demo --keep \
                 demo.img"
            .to_owned(),
    };
    let report = Story {
        steps: stage.into_steps(),
    };
    Ok(Report::plain(Answer::Notice(farewell), fields(&report)))
}

/// A step did not show what it should.
fn broken(title: &str, difference: &str) -> CliError {
    CliError::new(
        Code::Failed,
        format!("the step \"{title}\" went wrong: {difference}"),
    )
    .with_hint("this is a fault of sedkit; please report it with what is printed above")
}
