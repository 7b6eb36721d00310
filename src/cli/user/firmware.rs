//! The layout that serves a sedutil boot image and a firmware's prompt at once.
//!
//! SID and Admin1 keep the PINs that other tools have hashed. A firmware's prompt tries what is typed
//! as Admin1 and then as User1, so User1 gets the bytes as they are typed, and the rights that the
//! prompt uses: to lock and unlock range 0, and nothing else.

use serde::Serialize;

use super::note_change;
use super::rights::{self, RightFields};
use crate::cli::Context;
use crate::cli::args::user::UserEnable;
use crate::cli::device::Named;
use crate::cli::error::CliError;
use crate::drive::{Authority, Credential, Drive, Grant, LockingRange, PlannedCall, Right};
use crate::spec::RangeNumber;
use crate::spec::ace::Subject;

/// The user whom firmware prompts try after Admin1.
const PROMPTED: Authority = Authority::User(1);

/// The rights of that user.
pub(super) struct FirmwareUser {
    grant: Grant,
}

/// What became of them, in JSON.
#[derive(Serialize)]
pub(super) struct Granted {
    changed: bool,
    rights: Vec<RightFields>,
    range_0_locks: Option<bool>,
    #[serde(skip)]
    gained: Vec<Right>,
}

impl FirmwareUser {
    /// As the options say; nothing where no firmware's prompt is meant.
    pub(super) fn new(args: &UserEnable, user: Authority) -> Result<Option<Self>, CliError> {
        if !args.firmware_prompt {
            return Ok(None);
        }
        if user != PROMPTED {
            let message = format!("firmware prompts do not ask for {user}");
            return Err(CliError::usage(message)
                .with_hint("they try what is typed as Admin1, then as User1: name User1"));
        }
        if !matches!(
            args.new_scheme.new_scheme.as_deref(),
            None | Some("firmware")
        ) {
            return Err(CliError::usage("no firmware prompt hashes what is typed")
                .with_hint("leave --new-scheme out: firmware is the default"));
        }
        let range = RangeNumber::GLOBAL;
        let mut rights = vec![
            Subject::SetReadLocked(range),
            Subject::SetWriteLocked(range),
        ];
        rights.extend(args.mbr_done.then_some(Subject::SetMbrDone));
        Ok(Some(Self {
            grant: Grant {
                user,
                rights,
                also: vec![Subject::GetRange(range)],
            },
        }))
    }

    pub(super) fn plan(
        &self,
        drive: &Drive,
        acting: Authority,
    ) -> Result<Vec<PlannedCall>, crate::drive::Error> {
        drive.plan_grant(&self.grant, acting)
    }

    /// Gives the rights, and looks whether range 0 locks at all.
    pub(super) fn grant(
        &self,
        name: &Named,
        drive: &mut Drive,
        credential: &Credential,
        context: &Context,
    ) -> Result<Granted, CliError> {
        let change = drive.grant(&self.grant, credential)?;
        note_change(name, &change, context);
        let ranges = drive.ranges(Some(credential))?;
        let global = ranges
            .iter()
            .find(|range| range.number == RangeNumber::GLOBAL);
        let range_0_locks = global.and_then(LockingRange::is_lock_enabled);
        if range_0_locks == Some(false) {
            context.output.warning(&format!(
                "{name}: range 0 has locking disabled: firmware asks, and nothing is locked; \
                 \"sedkit setup\" or \"sedkit range set\" enables it"
            ));
        }
        if drive.firmware_prompt().leaves_mbr_shown {
            context.output.note(&format!(
                "{name}: the shadow MBR is enabled, and a firmware's prompt leaves it shown: its \
                 boot image starts after the prompt; Dell's firmware does not ask then"
            ));
        }
        Ok(Granted {
            changed: !change.changed.is_empty(),
            rights: change
                .changed
                .iter()
                .copied()
                .map(RightFields::from)
                .collect(),
            range_0_locks,
            gained: change.changed,
        })
    }
}

impl Granted {
    /// The same for people, after what became of the PIN.
    pub(super) fn text(&self) -> String {
        let rights = match self.gained.as_slice() {
            [] => "; had the rights already".to_owned(),
            gained => format!("; may now: {}", rights::text(gained)),
        };
        rights
            + ". At the next cold boot firmware asks: it tries what is typed as Admin1, which costs \
               an attempt there, then as User1"
    }
}
