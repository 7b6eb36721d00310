//! `sedkit stack-reset`.

use serde::Serialize;

use super::args::stack_reset::StackReset;
use super::args::{self, SessionOptions};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::report::Report;
use super::state::StateFields;
use super::{Context, plan};
use crate::drive::Drive;
use crate::spec::ComIdState;

/// Resets protocol stacks.
pub(crate) fn run(args: &StackReset, context: &Context) -> Result<Report, CliError> {
    let mut slots = drives::open_many(&args.devices, SessionOptions::PLAIN, context)?;
    if args.dry_run.dry_run {
        let reset = args::StackReset { stack_reset: true };
        return Ok(plan::report(&mut slots, reset, |_, _| Ok(Vec::new())));
    }
    let reports = drives::each(&mut slots, reset);
    Ok(Report::of_drives(reports))
}

#[derive(Serialize)]
struct Fields {
    com_id: Option<u16>,
    had_session: Option<bool>,
    state: StateFields,
}

/// Resets the stack of one drive, and sees whether it still answers.
fn reset(name: &Named, drive: &mut Drive) -> Result<Done, CliError> {
    // Not every drive knows the question, which is worth nothing but for the message.
    let before = drive.verify_com_id().ok();
    drive.stack_reset()?;
    drive.rediscover()?;
    let fields = Fields {
        com_id: drive.discovery().base_com_id().map(|com_id| com_id.0),
        had_session: before.map(|before| before.state == ComIdState::ASSOCIATED),
        state: (&drive.state()).into(),
    };
    let com_id = fields
        .com_id
        .map_or(String::new(), |number| format!(" of ComID {number:04x}h"));
    let ended = match fields.had_session {
        Some(true) => "a session was open and is ended",
        Some(false) => "no session was open",
        None => "sessions that were open are ended",
    };
    let text = format!("{name}: protocol stack{com_id} reset: {ended}");
    Ok(Done::notice(text, &fields))
}
