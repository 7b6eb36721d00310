//! What a revert left, for people and for JSON, and whether it is what was promised.

use serde::Serialize;

use super::super::device::Named;
use super::super::drives::Done;
use super::super::erase::SURVIVED;
use super::super::error::CliError;
use super::super::evidence::{
    Evidence, EvidenceFields, Observer, SamplingFields, Unreadable, refutation,
};
use super::super::exit::Code;
use super::super::findings::{self, FindingFields};
use super::super::state::StateFields;
use crate::drive::{Authority, DriveState, Finding};
use crate::spec::RangeNumber;
use crate::verify::{Expectation, Sampling};

/// What a revert left.
pub(super) struct Outcome {
    /// `factory`, `keep_data` or `to_msid`.
    pub(super) mode: &'static str,
    /// What was done, for people.
    pub(super) text: String,
    pub(super) changed: bool,
    pub(super) erased: bool,
    pub(super) lost: Vec<RangeNumber>,
    pub(super) released: Vec<RangeNumber>,
    pub(super) pins: Vec<Authority>,
    pub(super) state: DriveState,
    pub(super) findings: Vec<Finding>,
    pub(super) evidence: Option<Evidence>,
    pub(super) sampling: Sampling,
    /// Whether blocks can be read, where that was tried.
    pub(super) readable: Option<Readable>,
    pub(super) rescanned: Vec<String>,
}

/// Whether blocks can be read.
pub(super) enum Readable {
    Yes,
    No(Unreadable),
    /// There is no device to read from.
    NotTried,
}

/// Reads a few blocks: some drives report SUCCESS and give out no data any more.
pub(super) fn read_test(observer: &Observer<'_>) -> Readable {
    match observer.read_test() {
        None => Readable::NotTried,
        Some(Ok(())) => Readable::Yes,
        Some(Err(unreadable)) => Readable::No(unreadable),
    }
}

/// The outcome in JSON.
#[derive(Serialize)]
struct Fields {
    mode: &'static str,
    changed: bool,
    erased: bool,
    lost_ranges: Vec<u16>,
    released_ranges: Vec<u16>,
    default_pins: Vec<String>,
    readable: Option<bool>,
    evidence: Option<EvidenceFields>,
    sampling: SamplingFields,
    state: StateFields,
    findings: Vec<FindingFields>,
    rescanned: Vec<String>,
}

impl Outcome {
    /// That nothing was done.
    pub(super) const fn new(state: DriveState, sampling: Sampling) -> Self {
        Self {
            mode: "factory",
            text: String::new(),
            changed: false,
            erased: false,
            lost: Vec::new(),
            released: Vec::new(),
            pins: Vec::new(),
            state,
            findings: Vec::new(),
            evidence: None,
            sampling,
            readable: None,
            rescanned: Vec::new(),
        }
    }

    /// The report of one drive.
    pub(super) fn done(self, name: &Named) -> Done {
        let fields = self.fields();
        let mut text = format!("{name}: {}", self.text);
        if let Some(evidence) = &self.evidence {
            text += &format!("\n  {}", evidence.text());
            if evidence.verdict().is_some() {
                text += &format!(" (--sample-seed {})", self.sampling.seed);
            }
        }
        if !fields.findings.is_empty() {
            text += &format!("\nto know:\n{}", findings::text(&fields.findings));
        }
        Done::notice(text, &fields).with_error(self.error())
    }

    fn fields(&self) -> Fields {
        let numbers = |ranges: &[RangeNumber]| ranges.iter().map(|range| range.0).collect();
        let findings = self.findings.iter().copied().map(FindingFields::from);
        Fields {
            mode: self.mode,
            changed: self.changed,
            erased: self.erased,
            lost_ranges: numbers(&self.lost),
            released_ranges: numbers(&self.released),
            default_pins: self.pins.iter().map(ToString::to_string).collect(),
            readable: self.readable.as_ref().and_then(Readable::known),
            evidence: self.evidence.as_ref().map(EvidenceFields::from),
            sampling: self.sampling.into(),
            state: (&self.state).into(),
            findings: findings.collect(),
            rescanned: self.rescanned.clone(),
        }
    }

    /// What is not as promised. Lost data comes first, since no power cycle brings it back.
    fn error(&self) -> Option<CliError> {
        self.refuted().or_else(|| match &self.readable {
            Some(Readable::No(Unreadable { lba, error })) => Some(
                CliError::new(
                    Code::Failed,
                    format!(
                        "the drive accepted the revert, but its blocks cannot be read (LBA {lba}: \
                         {error})"
                    ),
                )
                .with_hint(UNREADABLE),
            ),
            _ => None,
        })
    }

    fn refuted(&self) -> Option<CliError> {
        let evidence = self.evidence.as_ref()?;
        let refutation = refutation(evidence)?;
        let (promise, hint) = match evidence.expectation()? {
            Expectation::Changed => ("to have erased its data", SURVIVED),
            Expectation::Kept => ("to have kept its data", LOST),
        };
        let message = format!("DATA: the drive reported {promise}, but {refutation}");
        Some(CliError::new(Code::Finding, message).with_hint(hint))
    }
}

impl Readable {
    const fn known(&self) -> Option<bool> {
        match self {
            Self::Yes => Some(true),
            Self::No(_) => Some(false),
            Self::NotTried => None,
        }
    }
}

/// What to do where a drive gives out no data after a revert.
const UNREADABLE: &str = "cut the drive's power and try again; if that does not help, format it (NVMe \
    format, ATA security erase) and look for a firmware update: Samsung PM961 and PM981 and WD SN730 \
    are known for it";

/// What to do where a drive lost what it was to keep.
const LOST: &str = "the drive ignores KeepGlobalRangeKey, as Samsung PM1733 is known to do: its data is \
    lost, restore it from a backup. Write nothing to it if you mean to have it examined. For other \
    drives of this model, \"sedkit revert --to-msid\" keeps all data";
