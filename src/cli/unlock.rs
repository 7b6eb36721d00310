//! `sedkit unlock`.

use serde::Serialize;

use super::args::Force;
use super::args::unlock::Unlock;
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::luks::{LeftAlone, Tenants};
use super::ranges::{self, Outcome};
use super::report::Report;
use super::secret::{self, Acting, Key};
use super::{Context, plan, preflight, rescan, resume};
use crate::drive::{
    Authority, Credential, Drive, DriveState, LockingState, MbrOutcome, MbrState, UnlockReport,
    UnlockRequest,
};
use crate::spec::RangeNumber;

/// Unlocks drives; all of them before any is rescanned.
pub(crate) fn run(args: &Unlock, context: &Context) -> Result<Report, CliError> {
    let job = Job::new(args)?;
    let acting = Acting::of(&args.actor, context)?;
    let acting = acting.with_schemes_of(&args.schemes.scheme_of)?;
    let mut slots = drives::open_many(
        &args.devices,
        args.actor.login.opening(args.dry_run),
        context,
    )?;
    if args.dry_run.dry_run {
        let plan = |named: &Named, drive: &mut Drive| {
            let (request, _) = job.sparing(named, drive)?;
            Ok(drive.plan_unlock(&request, job.authority)?)
        };
        return Ok(plan::report(
            &mut slots,
            args.actor.login.session.reset,
            plan,
        ));
    }
    let needs_key = |drive: &Drive| job.needs_key(drive);
    drives::check(&mut slots, |named, drive| {
        if needs_key(drive) {
            preflight::locking(drive, job.authority)?;
            drive.plan_unlock(&job.request, job.authority)?;
        }
        match job.request.ranges.as_slice() {
            [] => Ok(()),
            ranges => Tenants::of(named, drive).spare(ranges, named, job.force, context),
        }
    });
    let work = |named: &Named, drive: &mut Drive, key: Option<&Key>| match key {
        Some(key) => job.unlock(named, drive, key),
        None => Ok(Done::notice(
            job.already(named, drive),
            &Fields::nothing_done(),
        )),
    };
    let mut reports = drives::each_with_key(&mut slots, &acting, needs_key, work);
    if !args.no_rescan {
        rescan::after_unlock(&slots, &mut reports, context);
    }
    Ok(Report::of_drives(reports))
}

/// What is to be done with each drive.
struct Job {
    request: UnlockRequest,
    authority: Authority,
    save_for_resume: bool,
    force: Force,
}

/// The outcome for one drive in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    ranges: Vec<Outcome>,
    mbr: &'static str,
    saved_for_resume: bool,
    left_alone: Vec<LeftAlone>,
    luks_unknown: Vec<String>,
}

impl Fields {
    const fn nothing_done() -> Self {
        Self {
            changed: false,
            ranges: Vec::new(),
            mbr: "untouched",
            saved_for_resume: false,
            left_alone: Vec::new(),
            luks_unknown: Vec::new(),
        }
    }
}

impl Job {
    fn new(args: &Unlock) -> Result<Self, CliError> {
        let request = UnlockRequest {
            ranges: ranges::numbers(&args.ranges),
            except: Vec::new(),
            read_only: args.read_only,
            mbr_done: args.mbr_done,
        };
        let authority = secret::authority(&args.actor.authority)?;
        Ok(Self {
            request,
            authority,
            save_for_resume: args.save_for_resume,
            force: Force { force: args.force },
        })
    }

    /// Nobody is asked for the secret of drives that are as they should be.
    fn needs_key(&self, drive: &Drive) -> bool {
        let plan = drive.plan_unlock(&self.request, self.authority);
        self.save_for_resume || !plan.is_ok_and(|plan| plan.is_empty())
    }

    fn unlock(&self, named: &Named, drive: &mut Drive, key: &Key) -> Result<Done, CliError> {
        let credential = key.credential(self.authority, drive)?;
        let (request, tenants) = self.sparing(named, drive)?;
        let report = drive.unlock(&request, &credential)?;
        let mut error = report.first_error().map(CliError::from);
        let mut saved_for_resume = false;
        if self.save_for_resume {
            let ranges = self.ranges_to_save(&report);
            if !report.changed {
                prove(drive, &credential)?;
            }
            let saved = resume::save(named, &self.request, &ranges, &credential);
            saved_for_resume = saved.is_ok();
            error = error.or(saved.err());
        }
        let nobody = Tenants::default();
        let spared = match self.leaves_alone() {
            true => &tenants,
            false => &nobody,
        };
        let fields = Fields {
            changed: report.changed,
            ranges: report.ranges.iter().map(Outcome::from).collect(),
            mbr: mbr(&report.mbr),
            saved_for_resume,
            left_alone: spared.left_alone(),
            luks_unknown: spared.unknown().to_vec(),
        };
        let mut text = self.text(named, drive, &report);
        text += &self.luks_text(&tenants, &unlocked(&report));
        if saved_for_resume {
            text += "; the kernel has the PIN for resume";
        }
        Ok(Done::notice(text, &fields).with_error(error))
    }

    /// The request for one drive, and who has ranges of it for himself.
    fn sparing(&self, named: &Named, drive: &Drive) -> Result<(UnlockRequest, Tenants), CliError> {
        let tenants = Tenants::of(named, drive);
        Ok((self.request_beside(&tenants)?, tenants))
    }

    fn request_beside(&self, tenants: &Tenants) -> Result<UnlockRequest, CliError> {
        let mut request = self.request.clone();
        if self.leaves_alone() {
            request.except = tenants.ranges()?;
        }
        Ok(request)
    }

    /// Whether ranges that LUKS has for itself are left out, rather than refused or forced.
    const fn leaves_alone(&self) -> bool {
        self.request.ranges.is_empty() && !self.force.force
    }

    /// What to know of ranges that LUKS has for itself.
    fn luks_text(&self, tenants: &Tenants, unlocked: &[RangeNumber]) -> String {
        match self.leaves_alone() {
            true => tenants.left_alone_text() + &tenants.not_spared_text(),
            false => tenants.unlocked_text(unlocked),
        }
    }

    /// What was unlocked now; where nothing had to be, what was asked for, or the whole drive.
    fn ranges_to_save(&self, report: &UnlockReport) -> Vec<RangeNumber> {
        let unlocked = unlocked(report);
        match (unlocked.is_empty(), self.request.ranges.is_empty()) {
            (false, _) => unlocked,
            (true, false) => self.request.ranges.clone(),
            (true, true) => vec![RangeNumber::GLOBAL],
        }
    }

    fn text(&self, named: &Named, drive: &Drive, report: &UnlockReport) -> String {
        if !report.changed {
            return self.already(named, drive);
        }
        let mut done = Vec::new();
        let (left, set): (Vec<_>, Vec<_>) =
            report.ranges.iter().partition(|range| range.left_readable);
        if !set.is_empty() {
            let how = match self.request.read_only {
                true => " for reading only",
                false => "",
            };
            done.push(format!("unlocked{how} ({})", ranges::names(set)));
        }
        if !left.is_empty() {
            let names = ranges::names(left);
            done.push(format!("{names} could be read already, {WRITES_LEFT}"));
        }
        if matches!(report.mbr, MbrOutcome::Hidden) {
            done.push("shadow MBR hidden until the next power cycle".to_owned());
        }
        format!("{named}: {}", done.join(", "))
    }

    /// Why nothing was done, and what was not done by that.
    fn already(&self, named: &Named, drive: &Drive) -> String {
        let state = drive.state();
        let text = already(named, state);
        match (self.request.read_only, state.locking) {
            (true, LockingState::Unlocked | LockingState::Locked) => {
                format!("{text}, {WRITES_LEFT}")
            }
            _ => text,
        }
    }
}

/// What unlocking for reading does not do.
const WRITES_LEFT: &str =
    "and writes are as they were: \"sedkit lock --read-only\" locks them, and nothing else";

/// The ranges that are as asked.
fn unlocked(report: &UnlockReport) -> Vec<RangeNumber> {
    let done = report.ranges.iter();
    let done = done.filter(|outcome| outcome.error.is_none());
    done.map(|outcome| outcome.range).collect()
}

/// Authenticates once: nothing else would show before resume that the PIN is wrong.
fn prove(drive: &mut Drive, credential: &Credential) -> Result<(), CliError> {
    drive.tries(credential)?;
    Ok(())
}

/// Why nothing was done.
fn already(named: &Named, state: DriveState) -> String {
    let why = match (state.locking, state.mbr) {
        (LockingState::NotSupported, _) => "it has no locking, so that nothing is locked",
        (LockingState::Inactive, _) => {
            "it was never set up, so that nothing is locked; \"sedkit setup\" turns locking on"
        }
        (_, MbrState::Shown) => {
            "already unlocked, but the shadow MBR is shown in place of the first blocks; \
             --mbr-done hides it"
        }
        _ => "already unlocked",
    };
    format!("{named}: {why}")
}

const fn mbr(outcome: &MbrOutcome) -> &'static str {
    match outcome {
        MbrOutcome::Untouched => "untouched",
        MbrOutcome::AlreadyHidden => "already_hidden",
        MbrOutcome::Hidden => "hidden",
        MbrOutcome::Failed(_) => "failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::exit::Code;
    use crate::transport::linux::LuksVolume;

    fn job(ranges: &[u16], force: bool) -> Job {
        Job {
            request: UnlockRequest {
                ranges: ranges.iter().copied().map(RangeNumber).collect(),
                except: Vec::new(),
                read_only: false,
                mbr_done: false,
            },
            authority: Authority::Admin(1),
            save_for_resume: false,
            force: Force { force },
        }
    }

    fn tenants(range: Option<u16>) -> Tenants {
        let range = range.map(RangeNumber);
        Tenants::having(vec![LuksVolume::new("nvme0n1", range, None)])
    }

    #[test]
    fn only_where_none_is_named_or_forced_are_ranges_left_out() {
        for (ranges, force, expected) in [
            (&[][..], false, vec![RangeNumber(1)]),
            (&[], true, vec![]),
            (&[0], false, vec![]),
            (&[1], true, vec![]),
        ] {
            let job = job(ranges, force);
            let request = job.request_beside(&tenants(Some(1))).unwrap();
            assert_eq!(request.except, expected, "{ranges:?} {force}");
            assert_eq!(request.ranges, job.request.ranges);
        }
    }

    #[test]
    fn a_range_without_a_number_is_left_out_by_nobody() {
        let tenants = tenants(None);
        let error = job(&[], false).request_beside(&tenants).unwrap_err();
        assert_eq!(error.code, Code::Busy);
        assert!(job(&[], true).request_beside(&tenants).is_ok());
    }

    #[test]
    fn what_became_of_a_range_of_luks_is_said() {
        let unlocked = [RangeNumber(0), RangeNumber(1)];
        for (force, expected) in [
            (false, "; range 1 is left to LUKS on nvme0n1"),
            (true, "; range 1 is that of LUKS on nvme0n1"),
        ] {
            let said = job(&[], force).luks_text(&tenants(Some(1)), &unlocked);
            assert!(said.starts_with(expected), "{said}");
        }
    }
}
