//! Evidence for people and for JSON.

use serde::Serialize;

use super::{Evidence, NotRun};
use crate::verify::{Comparison, Expectation, Sampling, Verdict};

/// How blocks were chosen, in JSON.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct SamplingFields {
    samples: u32,
    seed: u32,
}

impl From<Sampling> for SamplingFields {
    fn from(sampling: Sampling) -> Self {
        Self {
            samples: sampling.count,
            seed: sampling.seed,
        }
    }
}

/// What samples show, in JSON.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct EvidenceFields {
    verdict: &'static str,
    reason: Option<&'static str>,
    samples: usize,
    changed: usize,
    blanked: usize,
    unchanged: usize,
    blank: usize,
    unread: usize,
    first_unchanged_lba: Option<u64>,
    first_changed_lba: Option<u64>,
}

impl From<&Evidence> for EvidenceFields {
    fn from(evidence: &Evidence) -> Self {
        let (verdict, reason) = (evidence.name(), evidence.reason());
        let Comparison {
            changed,
            blanked,
            unchanged,
            blank,
            unread,
            first_unchanged,
            first_changed,
            ..
        } = evidence.comparison();
        Self {
            verdict,
            reason,
            samples: evidence.comparison().samples(),
            changed,
            blanked,
            unchanged,
            blank,
            unread,
            first_unchanged_lba: first_unchanged,
            first_changed_lba: first_changed,
        }
    }
}

impl NotRun {
    /// The name, in snake case.
    const fn name(self) -> &'static str {
        match self {
            Self::NotAsked => "not_asked",
            Self::NoDevice => "no_device",
            Self::BlockSize => "block_size",
            Self::ShadowMbr => "shadow_mbr",
            Self::Hidden => "hidden",
            Self::NoBlocks => "no_blocks",
            Self::Locked => "locked",
            Self::Unreadable => "unreadable",
        }
    }

    const fn text(self) -> &'static str {
        match self {
            Self::NotAsked => "no samples were asked for",
            Self::NoDevice => "the drive has no block device that could be read",
            Self::BlockSize => "the kernel and the TPer count in blocks of different sizes",
            Self::ShadowMbr => "the shadow MBR was shown in place of the first blocks",
            Self::Hidden => "the authority may not see where the range lies",
            Self::NoBlocks => "it has no blocks",
            Self::Locked => "it was locked, so that nothing could be read before",
            Self::Unreadable => "nothing could be read before, as where the drive is locked",
        }
    }
}

impl Evidence {
    /// What the samples say.
    pub(crate) const fn verdict(&self) -> Option<Verdict> {
        match self {
            Self::Compared(comparison, expectation) => Some(comparison.verdict(*expectation)),
            Self::NotRun(_) => None,
        }
    }

    /// The counts; all of them 0 where nothing was compared.
    pub(crate) fn comparison(&self) -> Comparison {
        match self {
            Self::Compared(comparison, _) => *comparison,
            Self::NotRun(_) => Comparison::default(),
        }
    }

    fn name(&self) -> &'static str {
        self.verdict().map_or("not_run", Verdict::name)
    }

    /// Why nothing is known.
    fn reason(&self) -> Option<&'static str> {
        let comparison = match self {
            Self::NotRun(reason) => return Some(reason.name()),
            Self::Compared(comparison, _) => comparison,
        };
        if self.verdict() != Some(Verdict::NothingLearned) {
            return None;
        }
        Some(match comparison {
            Comparison { lost: 1.., .. } => "unreadable_after",
            Comparison { blanked: 1.., .. } => "blanked",
            _ => "blank",
        })
    }

    /// What was asked of the drive, where samples were compared.
    pub(crate) const fn expectation(&self) -> Option<Expectation> {
        match self {
            Self::Compared(_, expectation) => Some(*expectation),
            Self::NotRun(_) => None,
        }
    }

    /// Whether the place holds nothing that could be read.
    pub(crate) const fn is_of_nothing(&self) -> bool {
        matches!(self, Self::NotRun(NotRun::NoBlocks))
    }

    /// The same for people, after the name of the place.
    pub(crate) fn text(&self) -> String {
        let (comparison, expectation) = match self {
            Self::NotRun(reason) => return format!("no evidence: {}", reason.text()),
            Self::Compared(comparison, expectation) => (comparison, *expectation),
        };
        let counts = counts(comparison);
        match (comparison.verdict(expectation), self.reason()) {
            (Verdict::Supported, _) => format!("evidence for it: {counts}"),
            (Verdict::Refuted, _) => format!("evidence AGAINST it: {counts}"),
            (_, Some("blank")) => format!(
                "no evidence: {counts}; such blocks look alike with any key, and most were never \
                 written"
            ),
            (_, Some("blanked")) => format!(
                "no evidence of a new key: {counts}; the data is gone from sight, which a drive \
                 can do without a new key"
            ),
            (_, _) => format!("no evidence: {counts}"),
        }
    }
}

/// `of 64 sampled blocks 60 changed, 4 are blank as before`.
fn counts(comparison: &Comparison) -> String {
    let Comparison {
        changed,
        blanked,
        unchanged,
        blank,
        unread,
        ..
    } = *comparison;
    let groups = [
        (changed, "changed"),
        (unchanged, "did not change"),
        (blanked, "read as 00h or FFh now"),
        (blank, "read as 00h or FFh, as before"),
        (unread, "could not be read twice"),
    ];
    let groups = groups.into_iter().filter(|(count, _)| *count > 0);
    let groups: Vec<String> = groups
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    let samples = comparison.samples();
    format!("of {samples} sampled blocks, {}", groups.join(", "))
}

/// What an evidence against the drive's word says.
pub(crate) fn refutation(evidence: &Evidence) -> Option<String> {
    let Evidence::Compared(comparison, expectation) = evidence else {
        return None;
    };
    if comparison.verdict(*expectation) != Verdict::Refuted {
        return None;
    }
    let at =
        |lba: Option<u64>| lba.map_or(String::new(), |lba| format!(", the first at LBA {lba}"));
    let samples = comparison.samples();
    Some(match expectation {
        Expectation::Changed => format!(
            "{} of {samples} sampled blocks still hold their old data{}",
            comparison.unchanged,
            at(comparison.first_unchanged)
        ),
        Expectation::Kept => format!(
            "{} of {samples} sampled blocks do not hold their data any more{}",
            comparison.changed + comparison.blanked + comparison.lost,
            at(comparison.first_changed)
        ),
    })
}
