//! `--dry-run`: the methods that would be sent.

use serde::Serialize;

use super::args::StackReset;
use super::device::Named;
use super::drives::{self, Done, Slot};
use super::error::CliError;
use super::report::{self, Answer, Report};
use crate::drive::{Drive, PlannedCall};

#[derive(Serialize)]
struct Fields {
    dry_run: bool,
    plan: Vec<Call>,
}

#[derive(Serialize)]
struct Call {
    session: String,
    object: String,
    method: String,
    arguments: String,
    changes: bool,
}

impl From<PlannedCall> for Call {
    fn from(call: PlannedCall) -> Self {
        let PlannedCall {
            session,
            object,
            method,
            arguments,
            changes,
        } = call;
        Self {
            session,
            object,
            method,
            arguments,
            changes,
        }
    }
}

/// The plans of a command for its drives. Nothing is sent but what opened them.
pub(crate) fn report(
    slots: &mut [Slot],
    reset: StackReset,
    plan: impl Fn(&Named, &mut Drive) -> Result<Vec<PlannedCall>, CliError> + Sync,
) -> Report {
    Report::of_drives(drives::each(slots, |name, drive| {
        Ok(done(name, reset, plan(name, drive)?))
    }))
}

/// The plan of a command for its one drive.
pub(crate) fn done(name: &Named, reset: StackReset, mut plan: Vec<PlannedCall>) -> Done {
    if reset.stack_reset {
        plan.insert(0, stack_reset());
    }
    let text = text(&name.to_string(), &plan);
    let plan = plan.into_iter().map(Call::from).collect();
    Done::data(
        text,
        &Fields {
            dry_run: true,
            plan,
        },
    )
}

/// Adds to a plan what would refuse the command before anything is sent, as a drive in use.
pub(crate) fn unless_refused(
    mut plan: Done,
    checks: impl IntoIterator<Item = Result<(), CliError>>,
) -> Done {
    let refusals: Vec<CliError> = checks.into_iter().filter_map(Result::err).collect();
    if let Answer::Data(text) = &mut plan.text {
        for refusal in &refusals {
            *text += &format!("\n  but now the command would be refused: {refusal}");
            let hint = refusal.hint.as_ref();
            *text += &hint.map_or(String::new(), |hint| format!(" ({hint})"));
        }
    }
    if !refusals.is_empty() {
        plan.fields.extend(report::fields(&Refusals { refusals }));
    }
    plan
}

#[derive(Serialize)]
struct Refusals {
    refusals: Vec<CliError>,
}

/// What `--stack-reset` sends, which is no method and belongs to no session.
fn stack_reset() -> PlannedCall {
    PlannedCall {
        session: "protocol stack".to_owned(),
        object: "ComID".to_owned(),
        method: "STACK_RESET".to_owned(),
        arguments: String::new(),
        changes: true,
    }
}

/// The calls under the session in which they are made; `*` marks those that change something.
fn text(name: &str, plan: &[PlannedCall]) -> String {
    if plan.is_empty() {
        return format!("{name}: nothing to do");
    }
    let mut text = format!("{name}: these methods would be sent (* changes something):");
    let mut session = "";
    for call in plan {
        if call.session != session {
            session = &call.session;
            text += &format!("\n  {session}");
        }
        let mark = if call.changes { '*' } else { ' ' };
        text += &format!(
            "\n  {mark} {}.{}[{}]",
            call.object, call.method, call.arguments
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::Code;

    #[test]
    fn what_would_refuse_the_command_is_said() {
        let drives = super::super::device::find(&["vdrive:a".into()]);
        let plan = || done(&drives[0], StackReset { stack_reset: false }, Vec::new());
        let busy = CliError::new(Code::Busy, "in use: mounted on /").with_hint("unmount it");
        let refused = unless_refused(plan(), [Ok(()), Err(busy)]);
        assert_eq!(refused.fields["refusals"][0]["code"], "busy");
        let text = refused.text.shown(false).unwrap();
        assert!(
            text.ends_with("refused: in use: mounted on / (unmount it)"),
            "{text}"
        );
        let allowed = unless_refused(plan(), [Ok(())]);
        assert!(!allowed.fields.contains_key("refusals"));
    }

    #[test]
    fn nothing_to_do_is_said() {
        assert_eq!(text("/dev/sda", &[]), "/dev/sda: nothing to do");
    }
}
