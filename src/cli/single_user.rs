//! Single user mode for people and for JSON, and the passphrase of the owners.

use serde::Serialize;

use super::Context;
use super::args::single_user::{Owners, RangePolicy as PolicyOption};
use super::args::{NewScheme, SaltOptions};
use super::device::Named;
use super::error::CliError;
use super::secret::{self, Key, Recipe, Secrets};
use crate::drive::{
    Drive, OwnerPin, OwnerReport, RangePolicy, SingleUserMode, SingleUserRanges, owner_of,
};
use crate::secret::{Secret, Source};
use crate::spec::RangeNumber;

/// The mode in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct ModeFields {
    all: bool,
    ranges: Option<Vec<u16>>,
    range_policy: &'static str,
}

/// An owner in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct OwnerFields {
    range: u16,
    user: String,
    pin: &'static str,
}

impl From<&SingleUserMode> for ModeFields {
    fn from(mode: &SingleUserMode) -> Self {
        Self {
            all: mode.ranges == SingleUserRanges::All,
            ranges: match &mode.ranges {
                SingleUserRanges::None => Some(Vec::new()),
                SingleUserRanges::Some(ranges) => {
                    Some(ranges.iter().map(|range| range.0).collect())
                }
                SingleUserRanges::All => None,
            },
            range_policy: mode.policy.name(),
        }
    }
}

impl From<&OwnerReport> for OwnerFields {
    fn from(owner: &OwnerReport) -> Self {
        Self {
            range: owner.range.0,
            user: owner.user.to_string(),
            pin: match owner.pin {
                OwnerPin::Set => "set",
                OwnerPin::Before => "set_before",
                OwnerPin::Untouched => "untouched",
                OwnerPin::Empty => "empty",
            },
        }
    }
}

/// The passphrase that owners get, from where and by which scheme; none where they get none.
pub(crate) struct OwnerKey {
    source: Source,
    pub(crate) recipe: Recipe,
}

impl OwnerKey {
    pub(crate) fn new(
        owners: &Owners,
        scheme: &NewScheme,
        salt: &SaltOptions,
    ) -> Result<Option<Self>, CliError> {
        if owners.no_user_key {
            return Ok(None);
        }
        Ok(Some(Self {
            source: secret::new_source(&owners.user_key)?,
            recipe: Recipe::new_pin(scheme, salt)?,
        }))
    }

    /// Where it comes from.
    pub(crate) const fn source(&self) -> &Source {
        &self.source
    }

    /// Reads it.
    pub(crate) fn read(&self, secrets: &mut Secrets<'_>) -> Result<Key, CliError> {
        let prompt = "New passphrase of the users, each of whom owns a range";
        secrets.new_pin(&self.source, prompt, &self.recipe)
    }
}

/// Stands for a PIN in a plan, which shows none.
pub(crate) fn planned_pin(key: Option<&OwnerKey>) -> Option<Secret> {
    key.map(|_| Secret::from_slice(b"planned"))
}

/// The policy that was asked for.
pub(crate) const fn policy(option: PolicyOption) -> RangePolicy {
    match option {
        PolicyOption::User => RangePolicy::User,
        PolicyOption::Admins => RangePolicy::Admins,
    }
}

/// `all ranges`, `range 1 (User2), range 3 (User4)`.
pub(crate) fn ranges_text(ranges: &SingleUserRanges) -> String {
    match ranges {
        SingleUserRanges::None => "no range".to_owned(),
        SingleUserRanges::All => "all ranges (range N belongs to User N+1)".to_owned(),
        SingleUserRanges::Some(ranges) => {
            let names: Vec<_> = ranges.iter().map(|range| range_text(*range)).collect();
            names.join(", ")
        }
    }
}

fn range_text(range: RangeNumber) -> String {
    match owner_of(range) {
        Some(owner) => format!("range {range} ({owner})"),
        None => format!("range {range}"),
    }
}

/// The mode in a sentence.
pub(crate) fn mode_text(mode: &SingleUserMode) -> String {
    let place = match (&mode.ranges, mode.policy) {
        (SingleUserRanges::None, _) => return "single user mode is off".to_owned(),
        (_, RangePolicy::User) => "each user gives its range its place",
        (_, RangePolicy::Admins) => "Admins give ranges their places",
    };
    format!(
        "in single user mode: {}; {place}",
        ranges_text(&mode.ranges)
    )
}

/// What became of the PINs: `User1, User2 have the passphrase of --user-key`.
pub(crate) fn owners_text(owners: &[OwnerReport], key: Option<&OwnerKey>) -> String {
    let named = |pins: &[OwnerPin]| {
        let owners = owners.iter().filter(|owner| pins.contains(&owner.pin));
        let names: Vec<_> = owners.map(|owner| owner.user.to_string()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    };
    let mut text = String::new();
    if let (Some(names), Some(key)) = (named(&[OwnerPin::Set, OwnerPin::Before]), key) {
        let scheme = key.recipe.scheme();
        text += &format!("; the passphrase of the users (scheme {scheme}) opens {names}");
    }
    if let Some(names) = named(&[OwnerPin::Untouched]) {
        text += &format!("; the PINs of {names} are theirs, and were not touched");
    }
    text
}

/// Says what is not as anybody would wish it.
pub(crate) fn warn(
    name: &Named,
    asked: &SingleUserMode,
    found: &SingleUserMode,
    owners: &[OwnerReport],
    context: &Context,
) {
    let warning = |text: &str| context.output.warning(&format!("{name}: {text}"));
    if asked.policy != found.policy && found.ranges != SingleUserRanges::None {
        warning(match found.policy {
            RangePolicy::User => {
                "the drive does not have --range-policy admins: each user gives its range its place"
            }
            RangePolicy::Admins => {
                "the drive does not have --range-policy user: Admins give ranges their places"
            }
        });
    }
    let open = owners.iter().filter(|owner| owner.pin == OwnerPin::Empty);
    let open: Vec<_> = open.map(|owner| owner.user.to_string()).collect();
    if let Some(first) = open.first() {
        warning(&format!(
            "the PIN of {} is empty, and anybody can act as they: \"sedkit passwd --as {first} \
             --from-empty\" sets one",
            open.join(", ")
        ));
    }
}

/// The mode of a drive, where it is on and the drive shows it to anybody.
pub(crate) fn shown(drive: &mut Drive) -> Option<SingleUserMode> {
    let mode = match drive.single_user_mode_at_a_glance() {
        Some(mode) => mode,
        None => drive.single_user_mode().ok()?,
    };
    (mode.ranges != SingleUserRanges::None).then_some(mode)
}
