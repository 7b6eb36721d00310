//! What a change of a range's place costs: the blocks whose data can no longer be read, what uses
//! them, and consent to it.

use super::tables::Tables;
use crate::cli::args::{Consent, Force};
use crate::cli::confirm::{self, Loss};
use crate::cli::device::Named;
use crate::cli::error::CliError;
use crate::cli::exit::Code;
use crate::cli::extent::Layout;
use crate::cli::luks::Tenants;
use crate::cli::{Context, in_use};
use crate::drive::{Drive, EraseConsent, Place, RangeSpec};
use crate::spec::RangeNumber;

/// Who looks after the data of a drive, and what the person allows.
pub(super) struct Guard<'a> {
    pub(super) name: &'a Named,
    pub(super) layout: Layout,
    pub(super) tables: Tables,
    pub(super) consent: &'a Consent,
    pub(super) force: Force,
    pub(super) context: &'a Context,
}

/// Blocks that get another key as a range moves.
pub(super) struct Move {
    pub(super) range: RangeNumber,
    pub(super) lost: Vec<Place>,
    /// Why that is so, for people.
    pub(super) why: String,
}

impl Guard<'_> {
    /// Consent to lose what blocks hold, once nobody uses them.
    pub(super) fn ask(&self, drive: &Drive, moves: &[Move]) -> Result<EraseConsent, CliError> {
        for one in moves {
            self.check(drive, one.range, &one.lost)?;
        }
        let losses = moves.iter();
        let losses: Vec<String> = losses
            .map(|one| format!("what {} hold is lost: {}", blocks(&one.lost), one.why))
            .collect();
        let loss = Loss::new(self.name, drive.identity(), &losses);
        confirm::ask(self.consent, &loss, self.context)
    }

    /// Consent without a look at the range, where nothing on the drive could be in the way.
    pub(super) fn consent_unseen(&self, drive: &Drive) -> Result<Option<EraseConsent>, CliError> {
        let is_free = self.consent.confirm.is_some()
            && self.tables.are_absent()
            && in_use::is_idle(self.name)
            && Tenants::of(self.name, drive).are_absent();
        let losses = [String::new()];
        let loss = Loss::new(self.name, drive.identity(), &losses);
        let ask = || confirm::ask(self.consent, &loss, self.context);
        is_free.then(ask).transpose()
    }

    /// Refuses blocks that somebody uses, or that hold a partition table, without `--force`.
    fn check(&self, drive: &Drive, range: RangeNumber, lost: &[Place]) -> Result<(), CliError> {
        let specs: Vec<RangeSpec> = lost.iter().map(|place| spec(range, *place)).collect();
        let tenants = Tenants::of(self.name, drive);
        tenants.spare_places(&specs, self.name, self.force, self.context)?;
        let bytes: Vec<_> = lost.iter().map(|place| self.layout.bytes(*place)).collect();
        in_use::check_within(self.name, &bytes, self.force, self.context)?;
        self.check_tables(lost)
    }

    fn check_tables(&self, lost: &[Place]) -> Result<(), CliError> {
        if self.tables.are_unknown() {
            let text = "the drive's first and last blocks cannot be read: whether it has a \
                        partition table there is not known";
            self.context
                .output
                .warning(&format!("{}: {text}", self.name));
        }
        let parts = self.tables.within(lost);
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else {
            return Ok(());
        };
        let names: Vec<String> = parts.iter().map(ToString::to_string).collect();
        let message = format!(
            "{} hold {}: the kernel would find no partitions any more",
            blocks(lost),
            names.join(", ")
        );
        if self.force.force {
            self.context
                .output
                .warning(&format!("{}: {message}", self.name));
            return Ok(());
        }
        let free = self.free_of(lost, first.blocks.start, last.blocks.end);
        let error = CliError::new(Code::ConsentRequired, message);
        Err(error.with_hint(format!("{free}; or add --force to lose the table")))
    }

    /// Where a range would leave the table alone.
    fn free_of(&self, lost: &[Place], start: u64, end: u64) -> String {
        let is_copy = lost
            .iter()
            .all(|place| place.start > 0 && start > place.start);
        if is_copy {
            return format!("let it end before block {start}");
        }
        let after = self.tables.within(&[Place {
            start: 0,
            length: end.min(FRONT),
        }]);
        let end = after
            .iter()
            .map(|part| part.blocks.end)
            .filter(|end| *end <= FRONT);
        let next = self.layout.next_start(end.max().unwrap_or(1));
        format!("let it start at block {next} or later")
    }
}

/// No partition table at the front is longer, in blocks.
const FRONT: u64 = 2048;

const fn spec(number: RangeNumber, place: Place) -> RangeSpec {
    RangeSpec {
        number,
        start: place.start,
        length: place.length,
    }
}

/// `blocks 8 to 15 and 24 to 31`.
pub(super) fn blocks(places: &[Place]) -> String {
    let runs = places.iter();
    let runs: Vec<String> = runs
        .map(|place| match place.length {
            1 => place.start.to_string(),
            _ => format!("{} to {}", place.start, place.end().saturating_sub(1)),
        })
        .collect();
    format!("blocks {}", runs.join(" and "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_told_by_first_and_last() {
        let place = |start, length| Place { start, length };
        assert_eq!(blocks(&[place(8, 8)]), "blocks 8 to 15");
        assert_eq!(
            blocks(&[place(0, 1), place(24, 8)]),
            "blocks 0 and 24 to 31"
        );
    }
}
