//! Locking ranges that LUKS has for itself are left alone.
//!
//! cryptsetup locks and unlocks such a range through the kernel. Where no range is named, it is
//! left out; where one is, and wherever its data could be lost, `--force` is needed.
//!
//! Where a volume's header cannot be read, as while the range around it is locked, nobody can tell
//! whether a range is that of LUKS: that is said, and never taken for no.

use serde::Serialize;

use super::Context;
use super::args::Force;
use super::device::Named;
use super::error::CliError;
use super::exit::Code;
use crate::drive::{Drive, LockingState, MbrState, RangeSpec};
use crate::spec::RangeNumber;
use crate::transport::linux::{LuksSurvey, LuksVolume, SystemRoot, luks};

/// The LUKS volumes of a drive that have ranges for themselves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tenants {
    volumes: Vec<LuksVolume>,
    /// Where headers cannot be seen: there may be more volumes.
    unknown: Vec<String>,
}

/// A range that was left alone, in JSON.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct LeftAlone {
    range: u16,
    by: String,
}

/// How to work with such a volume.
const BY_CRYPTSETUP: &str = "\"cryptsetup open\" unlocks it and \"cryptsetup close\" locks it; \
    with --force it is done all the same";
/// How to get rid of such a volume.
const GIVE_UP: &str = "\"cryptsetup erase\" gives the volume up; with --force its data is lost \
    all the same";

impl Tenants {
    /// What can be found on a drive whose locking is active; on others there are no such ranges,
    /// whatever an old header says.
    pub(crate) fn of(named: &Named, drive: &Drive) -> Self {
        match drive.state().locking {
            LockingState::Unlocked | LockingState::Locked => {
                let found = survey(named, drive.state().mbr);
                Self {
                    volumes: found.volumes,
                    unknown: found.unread,
                }
            }
            LockingState::Inactive | LockingState::NotSupported => Self::default(),
        }
    }

    /// Refuses to lock or unlock ranges that LUKS has for itself, unless `--force` is given.
    pub(crate) fn spare(
        &self,
        ranges: &[RangeNumber],
        named: &Named,
        force: Force,
        context: &Context,
    ) -> Result<(), CliError> {
        if self.may_hold_unseen(ranges) {
            self.warn(named, context);
        }
        let hit = |volume: &&LuksVolume| ranges.iter().any(|range| may_hold(volume, *range));
        refuse(self.volumes.iter().filter(hit), BY_CRYPTSETUP).over(named, force, context)
    }

    /// Refuses to give ranges other places, where LUKS has one of them for itself or a volume lies
    /// there, unless `--force` is given.
    pub(crate) fn spare_places(
        &self,
        ranges: &[RangeSpec],
        named: &Named,
        force: Force,
        context: &Context,
    ) -> Result<(), CliError> {
        self.warn(named, context);
        let block_size = named.geometry.map_or(512, |geometry| geometry.block_size);
        let hit = |volume: &&LuksVolume| {
            ranges
                .iter()
                .any(|spec| may_hold(volume, spec.number) || lies_in(volume, *spec, block_size))
        };
        refuse(self.volumes.iter().filter(hit), GIVE_UP).over(named, force, context)
    }

    /// Refuses to erase ranges, or all if none is named, where a volume has its data or its header
    /// there, unless `--force` is given. Headers lie outside of the volumes' own ranges.
    pub(crate) fn spare_data(
        &self,
        ranges: &[RangeNumber],
        named: &Named,
        force: Force,
        context: &Context,
    ) -> Result<(), CliError> {
        self.warn(named, context);
        let is_any = ranges.is_empty() || ranges.contains(&RangeNumber::GLOBAL);
        let hit =
            |volume: &&LuksVolume| is_any || ranges.iter().any(|range| may_hold(volume, *range));
        refuse(self.volumes.iter().filter(hit), GIVE_UP).over(named, force, context)
    }

    /// Refuses to take all ranges away, unless `--force` is given.
    pub(crate) fn spare_all(
        &self,
        named: &Named,
        force: Force,
        context: &Context,
    ) -> Result<(), CliError> {
        self.warn(named, context);
        refuse(self.volumes.iter(), GIVE_UP).over(named, force, context)
    }

    /// The ranges to leave alone where none is named.
    ///
    /// # Errors
    /// A volume does not say in a readable way which range is its own.
    pub(crate) fn ranges(&self) -> Result<Vec<RangeNumber>, CliError> {
        let range = |volume: &LuksVolume| {
            volume.range.ok_or_else(|| {
                let message = format!("{volume} has a range for itself, and does not say which");
                CliError::new(Code::Busy, message)
                    .with_hint("name the ranges with --range, or add --force")
            })
        };
        self.volumes.iter().map(range).collect()
    }

    /// The same for JSON.
    pub(crate) fn left_alone(&self) -> Vec<LeftAlone> {
        let left = |volume: &LuksVolume| {
            Some(LeftAlone {
                range: volume.range?.0,
                by: volume.to_string(),
            })
        };
        self.volumes.iter().filter_map(left).collect()
    }

    /// Whether it is known that LUKS has no range for itself.
    pub(crate) fn are_absent(&self) -> bool {
        self.volumes.is_empty() && self.unknown.is_empty()
    }

    /// Where it is not known whether LUKS has ranges for itself.
    pub(crate) fn unknown(&self) -> &[String] {
        &self.unknown
    }

    /// The same for people, before ranges are taken.
    fn unknown_text(&self) -> Option<String> {
        (!self.unknown.is_empty()).then(|| {
            let nodes = self.unknown.join(", ");
            format!("{nodes} cannot be read: whether LUKS has ranges for itself is not known")
        })
    }

    /// Whether one of these ranges may be that of a volume whose header cannot be read. The Global
    /// range is nobody's own.
    fn may_hold_unseen(&self, ranges: &[RangeNumber]) -> bool {
        let mut ranges = ranges.iter();
        !self.unknown.is_empty() && ranges.any(|range| *range != RangeNumber::GLOBAL)
    }

    fn warn(&self, named: &Named, context: &Context) {
        if let Some(text) = self.unknown_text() {
            context.output.warning(&format!("{named}: {text}"));
        }
    }

    /// The same for people, once all ranges were locked or unlocked.
    pub(crate) fn not_spared_text(&self) -> String {
        let text = self.unknown_text();
        text.map_or(String::new(), |text| {
            format!("; {text}; such ranges were not left alone")
        })
    }

    /// What is left alone, for people: `; range 1 is left to LUKS on …`.
    pub(crate) fn left_alone_text(&self) -> String {
        let line = |LeftAlone { range, by }| format!("; range {range} is left to {by}");
        self.left_alone().into_iter().map(line).collect()
    }

    /// What is said of ranges that were unlocked although LUKS has them for itself.
    pub(crate) fn unlocked_text(&self, ranges: &[RangeNumber]) -> String {
        let mut text = String::new();
        for volume in &self.volumes {
            let is = match volume.range {
                Some(_) => "is",
                None => "may be",
            };
            for range in ranges.iter().filter(|range| may_hold(volume, **range)) {
                text += &format!(
                    "; range {range} {is} that of {volume}: it stays unlocked until \"cryptsetup \
                     close\" or the next power cycle"
                );
            }
        }
        text
    }

    /// What to know before the Global range gets locking enabled.
    pub(crate) fn header_warning(&self) -> Option<String> {
        let volume = self.volumes.first()?;
        Some(format!(
            "{volume} has its header in range 0, which the next power cycle locks: from then on \
             the drive must be unlocked before \"cryptsetup open\""
        ))
    }
}

/// What can be found on a drive. While the shadow MBR stands in place of the first blocks, what is
/// read there is not what the drive holds; and a drive without a block node cannot be read.
pub(super) fn survey(named: &Named, mbr: MbrState) -> LuksSurvey {
    let blocks = named.block_names();
    let mut found = luks(&SystemRoot::default(), &blocks);
    if !named.is_virtual() {
        found.unread = unread(&named.to_string(), &blocks, mbr, found.unread);
    }
    found
}

fn unread(device: &str, blocks: &[&str], mbr: MbrState, mut unread: Vec<String>) -> Vec<String> {
    let unseen: &[&str] = match (blocks, mbr) {
        ([], _) => &[device],
        (blocks, MbrState::Shown) => blocks,
        _ => &[],
    };
    for &name in unseen {
        if !unread.iter().any(|one| one == name) {
            unread.push(name.to_owned());
        }
    }
    unread
}

/// Whether a range may be that of a volume.
fn may_hold(volume: &LuksVolume, range: RangeNumber) -> bool {
    match volume.range {
        Some(own) => own == range,
        None => range != RangeNumber::GLOBAL,
    }
}

/// Whether a range would share bytes with a volume. The header counts, too: locked, it opens
/// nothing.
fn lies_in(volume: &LuksVolume, spec: RangeSpec, block_size: u32) -> bool {
    let Some(place) = &volume.place else {
        return false;
    };
    let bytes = |blocks: u64| blocks.saturating_mul(block_size.into());
    let start = bytes(spec.start);
    let end = start.saturating_add(bytes(spec.length));
    spec.length > 0 && start < place.end && place.start < end
}

/// What stands in the way, if anything does.
struct Refusal {
    holders: Vec<String>,
    hint: &'static str,
}

fn refuse<'v>(volumes: impl Iterator<Item = &'v LuksVolume>, hint: &'static str) -> Refusal {
    let holder = |volume: &LuksVolume| match volume.range {
        Some(range) => format!("range {range} is used by {volume}"),
        None => format!("a range is used by {volume}"),
    };
    Refusal {
        holders: volumes.map(holder).collect(),
        hint,
    }
}

impl Refusal {
    fn over(self, named: &Named, force: Force, context: &Context) -> Result<(), CliError> {
        match self.error() {
            Some(error) if force.force => {
                let message = &error.message;
                context.output.warning(&format!("{named}: {message}"));
                Ok(())
            }
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    fn error(self) -> Option<CliError> {
        let message = self.holders.join(", ");
        let error = CliError::new(Code::Busy, message).with_hint(self.hint);
        (!self.holders.is_empty()).then_some(error)
    }
}

#[cfg(test)]
impl Tenants {
    /// Volumes as tests need them.
    pub(crate) const fn having(volumes: Vec<LuksVolume>) -> Self {
        Self {
            volumes,
            unknown: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A volume of the drive's bytes 1 MiB to 33 MiB.
    fn volume(range: Option<u16>) -> LuksVolume {
        LuksVolume::new("nvme0n1p1", range.map(RangeNumber), Some(1 << 20..33 << 20))
    }

    fn spec(number: u16, start: u64, length: u64) -> RangeSpec {
        RangeSpec {
            number: RangeNumber(number),
            start,
            length,
        }
    }

    #[test]
    fn a_range_of_luks_is_its_own_and_no_other() {
        let one = volume(Some(1));
        assert!(may_hold(&one, RangeNumber(1)));
        assert!(!may_hold(&one, RangeNumber(2)));
        assert!(!may_hold(&one, RangeNumber::GLOBAL));
        // It may be any but the Global range where the header does not say it.
        let any = volume(None);
        assert!(may_hold(&any, RangeNumber(7)));
        assert!(!may_hold(&any, RangeNumber::GLOBAL));
    }

    #[test]
    fn places_are_compared_in_bytes() {
        for (spec, block_size, expected) in [
            (spec(2, 0, 2048), 512, false),
            (spec(2, 0, 2049), 512, true),
            (spec(2, 67_583, 1), 512, true),
            (spec(2, 67_584, 8), 512, false),
            (spec(2, 0, 256), 4096, false),
            (spec(2, 8447, 1), 4096, true),
            (spec(2, 4096, 0), 512, false),
            (spec(2, u64::MAX, u64::MAX), 4096, false),
            (spec(2, 0, u64::MAX), 4096, true),
        ] {
            let found = lies_in(&volume(Some(1)), spec, block_size);
            assert_eq!(found, expected, "{spec:?} {block_size}");
        }
        let nowhere = LuksVolume::new("sda", Some(RangeNumber(1)), None);
        assert!(!lies_in(&nowhere, spec(2, 0, 8), 512));
    }

    #[test]
    fn a_header_that_cannot_be_read_may_own_any_range_but_the_global_one() {
        let unseen = Tenants {
            volumes: Vec::new(),
            unknown: vec!["nvme0n1".to_owned()],
        };
        assert!(unseen.may_hold_unseen(&[RangeNumber::GLOBAL, RangeNumber(1)]));
        assert!(!unseen.may_hold_unseen(&[RangeNumber::GLOBAL]));
        assert!(!Tenants::default().may_hold_unseen(&[RangeNumber(1)]));
    }

    #[test]
    fn ranges_are_left_alone_by_number() {
        let tenants = Tenants::having(vec![volume(Some(1)), volume(Some(3))]);
        assert_eq!(tenants.ranges(), Ok(vec![RangeNumber(1), RangeNumber(3)]));
        let left = tenants.left_alone();
        assert_eq!(left.iter().map(|one| one.range).collect::<Vec<_>>(), [1, 3]);
        let text = tenants.left_alone_text();
        assert!(
            text.starts_with("; range 1 is left to LUKS on nvme0n1p1 ("),
            "{text}"
        );
        let unknown = Tenants::having(vec![volume(None)]).ranges().unwrap_err();
        assert_eq!(unknown.code, Code::Busy);
        assert!(unknown.hint.unwrap().contains("--range"));
    }

    #[test]
    fn the_refusal_names_range_node_and_volume() {
        let tenants = [volume(Some(1)), volume(None)];
        let refusal = refuse(tenants.iter(), BY_CRYPTSETUP).error().unwrap();
        assert_eq!(refusal.code, Code::Busy);
        let holder = "LUKS on nvme0n1p1 (label archive, UUID 0c7ad2b1)";
        let expected = format!("range 1 is used by {holder}, a range is used by {holder}");
        assert_eq!(refusal.message, expected);
        assert!(refusal.hint.unwrap().contains("cryptsetup close"));
        assert_eq!(refuse([].iter(), GIVE_UP).error(), None);
    }

    #[test]
    fn what_cannot_be_read_is_not_taken_for_free() {
        let names = |found: Vec<String>| found.join(" ");
        let locked = || vec!["nvme0n1".to_owned()];
        let blocks = ["nvme0n1", "nvme0n2"];
        for (blocks, mbr, found, expected) in [
            (&blocks[..], MbrState::Done, vec![], ""),
            (&blocks[..], MbrState::Disabled, locked(), "nvme0n1"),
            (&blocks[..], MbrState::Shown, locked(), "nvme0n1 nvme0n2"),
            (&[], MbrState::Disabled, vec![], "/dev/sg0"),
        ] {
            assert_eq!(names(unread("/dev/sg0", blocks, mbr, found)), expected);
        }
        let tenants = Tenants {
            volumes: Vec::new(),
            unknown: locked(),
        };
        let said = tenants.not_spared_text();
        assert!(said.contains("nvme0n1 cannot be read"), "{said}");
        assert_eq!(Tenants::default().not_spared_text(), "");
    }

    #[test]
    fn unlocking_all_the_same_is_said() {
        let tenants = Tenants::having(vec![volume(Some(1))]);
        let said = tenants.unlocked_text(&[RangeNumber(0), RangeNumber(1)]);
        assert!(
            said.starts_with("; range 1 is that of LUKS on nvme0n1p1"),
            "{said}"
        );
        assert_eq!(tenants.unlocked_text(&[RangeNumber(2)]), "");
        let said = Tenants::having(vec![volume(None)]).unlocked_text(&[RangeNumber(2)]);
        assert!(said.starts_with("; range 2 may be that of LUKS"), "{said}");
    }
}
