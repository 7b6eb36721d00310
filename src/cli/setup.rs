//! `sedkit setup`.

use serde::Serialize;

use super::args::NewScheme;
use super::args::setup::Setup;
use super::confirm::{self, Loss};
use super::device::Named;
use super::drives::{self, Done};
use super::error::CliError;
use super::extent::Layout;
use super::luks::Tenants;
use super::ranges::RangeFields;
use super::report::Report;
use super::secret::{self, Key, Recipe, Secrets};
use super::single_user::{self, ModeFields, OwnerFields, OwnerKey};
use super::state::StateFields;
use super::{Context, hardware, in_use, journal, plan, preflight, size};
use crate::drive::{
    Drive, DriveState, EraseConsent, ErrorCode, LockingState, RangeSpec, SetupPlan, SetupReport,
    SingleUserMode, SingleUserPlan, SingleUserRanges,
};
use crate::secret::{Secret, Source, TerminalPrompter};
use crate::spec::RangeNumber;

/// Takes ownership of a drive and turns locking on.
pub(crate) fn run(args: &Setup, context: &Context) -> Result<Report, CliError> {
    let sources = Sources::new(args)?;
    Ok(drives::on_one(
        &args.device,
        args.session.opening(args.dry_run),
        context,
        |name, drive| {
            let ranges = ranges(args, name, drive)?;
            let mut plan = SetupPlan {
                ranges,
                single_user: sources.single_user_plan(args),
                data_store_sizes: data_store_sizes(args)?,
                ..SetupPlan::default()
            };
            if args.dry_run.dry_run {
                let calls = plan::done(name, args.session.reset, drive.plan_setup(&plan)?);
                let guards = guards(args, name, drive, &plan.ranges, context);
                return Ok(plan::unless_refused(calls, guards));
            }
            preflight::family(drive)?;
            drive.plan_setup(&plan)?;
            spare_luks(args, name, drive, &plan.ranges, context)?;
            if drive.state().locking == LockingState::Inactive {
                plan.consent = consent(args, name, drive, context)?;
            }
            secret::repeat(sources.attempts(args), context, || {
                let (sid_key, new_key, owner_key) = sources.read(args, context)?;
                plan.sid_pin = sid_key.map(|key| key.pin(drive)).transpose()?;
                let new_pin = new_key.pin(drive)?;
                if let (Some(single), Some(key)) = (&mut plan.single_user, owner_key) {
                    single.owner_pin = Some(key.pin(drive)?);
                }
                let report = set_up(args, name, drive, &mut plan, &new_pin, context)
                    .map_err(|error| hardware::explain_range(name, error))?;
                if report.journal_failed {
                    context.output.warning(journal::FAILED);
                }
                if let (Some(asked), Some(found)) = (&plan.single_user, &report.single_user) {
                    single_user::warn(name, &asked.mode, &found.mode, &found.owners, context);
                }
                Ok(done(name, &sources, &report, &drive.state()))
            })
        },
    ))
}

/// Where the two passphrases come from, and how they become PINs.
struct Sources {
    sid_source: Option<Source>,
    sid_recipe: Recipe,
    new_source: Source,
    new_recipe: Recipe,
    /// That of the owners; none without single user mode, or where they get none.
    owner_key: Option<OwnerKey>,
}

impl Sources {
    fn new(args: &Setup) -> Result<Self, CliError> {
        let new_source = secret::new_source(&args.new_key)?;
        let owner_key = match is_single_user(args) {
            true => OwnerKey::new(&args.owners, &new_scheme(args), &args.scheme.salt)?,
            false => None,
        };
        Ok(Self {
            owner_key,
            sid_source: args.sid_key.as_deref().map(secret::source).transpose()?,
            sid_recipe: Recipe::existing(&args.scheme)?,
            new_source,
            new_recipe: Recipe::new_pin(&new_scheme(args), &args.scheme.salt)?,
        })
    }

    /// Secrets are read again only if a person types all of them.
    fn attempts(&self, args: &Setup) -> u32 {
        let owners = self.owner_key.as_ref().map(OwnerKey::source);
        let sources = self.sid_source.iter().chain(owners);
        let sources = sources.chain([&self.new_source]);
        let attempts = sources.map(|source| secret::attempts(source, args.session.tries));
        attempts.min().unwrap_or(1)
    }

    fn read(&self, args: &Setup, context: &Context) -> Result<Read, CliError> {
        let mut terminal = TerminalPrompter::new();
        let mut secrets = Secrets::new(&mut terminal, &args.scheme.salt, context);
        let prompt = "Present passphrase of SID";
        let read_sid = |source| secrets.existing(source, prompt, &self.sid_recipe);
        let sid_key = self.sid_source.as_ref().map(read_sid).transpose()?;
        let prompt = "New passphrase of SID and Admin1";
        let new_key = secrets.new_pin(&self.new_source, prompt, &self.new_recipe)?;
        let owner_key = self.owner_key.as_ref();
        let owner_key = owner_key.map(|key| key.read(&mut secrets)).transpose()?;
        Ok((sid_key, new_key, owner_key))
    }

    /// The ranges that shall be in single user mode; the PIN of their owners is not read yet.
    fn single_user_plan(&self, args: &Setup) -> Option<SingleUserPlan> {
        let ranges = match args.sum_ranges.as_slice() {
            [] => SingleUserRanges::All,
            ranges => SingleUserRanges::listed(ranges.iter().copied().map(RangeNumber)),
        };
        is_single_user(args).then(|| SingleUserPlan {
            mode: SingleUserMode {
                ranges,
                policy: single_user::policy(args.owners.range_policy),
            },
            owner_pin: single_user::planned_pin(self.owner_key.as_ref()),
        })
    }
}

fn data_store_sizes(args: &Setup) -> Result<Vec<u64>, CliError> {
    let sizes = args.data_stores.iter();
    sizes.map(|text| size::parse(text)).collect()
}

/// The secrets of SID, of SID and Admin1 from now on, and of the owners.
type Read = (Option<Key>, Key, Option<Key>);

/// Whether ranges shall be in single user mode: naming one is asking for it.
const fn is_single_user(args: &Setup) -> bool {
    args.sum || !args.sum_ranges.is_empty()
}

/// `--scheme` is that of the present secret; where none is given, there is but the new one.
fn new_scheme(args: &Setup) -> NewScheme {
    let inherited = args.scheme.scheme.as_ref();
    let inherited = inherited.filter(|_| args.sid_key.is_none());
    let named = args.new_scheme.new_scheme.as_ref();
    NewScheme {
        new_scheme: named.or(inherited).cloned(),
    }
}

/// The ranges that were asked for, numbered from 1 in the order given.
fn ranges(args: &Setup, named: &Named, drive: &Drive) -> Result<Vec<RangeSpec>, CliError> {
    if args.ranges.is_empty() {
        return Ok(Vec::new());
    }
    let layout = Layout::of(drive.discovery(), named.geometry)?;
    let spec = |(number, text): (u16, &String)| {
        let extent = layout.parse(text)?;
        Ok(RangeSpec {
            number: RangeNumber(number),
            start: extent.start,
            length: extent.length,
        })
    };
    let ranges: Vec<RangeSpec> = (1..)
        .zip(&args.ranges)
        .map(spec)
        .collect::<Result<_, CliError>>()?;
    drive.check_ranges(&ranges)?;
    Ok(ranges)
}

/// What refuses a setup that may move ranges, before the drive is asked whether it has to.
fn guards(
    args: &Setup,
    name: &Named,
    drive: &Drive,
    ranges: &[RangeSpec],
    context: &Context,
) -> [Result<(), CliError>; 2] {
    let in_use = match ranges {
        [] => Ok(()),
        _ => in_use::check(name, args.force, context),
    };
    [in_use, spare_luks(args, name, drive, ranges, context)]
}

/// Refuses to move ranges where LUKS has one for itself. The Global range can be had beside it.
fn spare_luks(
    args: &Setup,
    name: &Named,
    drive: &Drive,
    ranges: &[RangeSpec],
    context: &Context,
) -> Result<(), CliError> {
    let tenants = Tenants::of(name, drive);
    if !ranges.is_empty() {
        return tenants.spare_places(ranges, name, args.force, context);
    }
    if let Some(warning) = tenants.header_warning() {
        context.output.warning(&format!("{name}: {warning}"));
    }
    Ok(())
}

/// Sets up. On a drive whose ranges are as asked nothing is lost, so consent is asked for only if
/// one has to be moved.
fn set_up(
    args: &Setup,
    name: &Named,
    drive: &mut Drive,
    plan: &mut SetupPlan,
    new_pin: &Secret,
    context: &Context,
) -> Result<SetupReport, CliError> {
    if plan.consent.is_some() {
        in_use::recheck(name, args.force, context)?;
    }
    match drive.setup(plan, new_pin) {
        Err(error) if plan.consent.is_none() && error.code() == ErrorCode::ConsentRequired => {
            plan.consent = consent(args, name, drive, context)?;
            Ok(drive.setup(plan, new_pin)?)
        }
        report => Ok(report?),
    }
}

/// A range of its own has a key of its own: what its blocks hold is lost.
fn consent(
    args: &Setup,
    name: &Named,
    drive: &Drive,
    context: &Context,
) -> Result<Option<EraseConsent>, CliError> {
    if args.ranges.is_empty() {
        return Ok(None);
    }
    in_use::check(name, args.force, context)?;
    let losses = [format!(
        "the data in {} is lost: ranges get new keys",
        args.ranges.join(", ")
    )];
    let loss = Loss::new(name, drive.identity(), &losses);
    confirm::ask(&args.consent, &loss, context).map(Some)
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    changed: bool,
    owned: bool,
    activated: bool,
    mbr_disabled: bool,
    ranges: Vec<RangeFields>,
    single_user_mode: Option<ModeFields>,
    owners: Vec<OwnerFields>,
    scheme: &'static str,
    state: StateFields,
}

fn done(name: &Named, sources: &Sources, report: &SetupReport, state: &DriveState) -> Done {
    let single = report.single_user.as_ref();
    let owners = single.map_or(&[][..], |single| single.owners.as_slice());
    let fields = Fields {
        changed: report.changed,
        owned: report.owned,
        activated: report.activated,
        mbr_disabled: report.mbr_disabled,
        ranges: report.ranges.iter().map(RangeFields::from).collect(),
        single_user_mode: single.map(|single| (&single.mode).into()),
        owners: owners.iter().map(OwnerFields::from).collect(),
        scheme: sources.new_recipe.scheme().name(),
        state: state.into(),
    };
    Done::notice(format!("{name}: {}", sentence(sources, report)), &fields)
}

fn sentence(sources: &Sources, report: &SetupReport) -> String {
    if !report.changed {
        return "already set up, nothing was changed".to_owned();
    }
    let enabled = report
        .ranges
        .iter()
        .filter(|it| it.is_lock_enabled() == Some(true));
    let numbers: Vec<String> = enabled.map(|range| range.number.to_string()).collect();
    let locks = match numbers.as_slice() {
        [] => "locking is enabled for no range yet".to_owned(),
        numbers => format!(
            "locking is enabled for range {}; unlocked now, locked by the next power cycle",
            numbers.join(", ")
        ),
    };
    let single = report.single_user.as_ref().map_or(String::new(), |single| {
        let mode = single_user::mode_text(&single.mode);
        let owners = single_user::owners_text(&single.owners, sources.owner_key.as_ref());
        format!("\n  {mode}{owners}")
    });
    format!(
        "set up: SID and Admin1 have the new PIN (scheme {}), {locks}{single}",
        sources.new_recipe.scheme(),
    )
}
