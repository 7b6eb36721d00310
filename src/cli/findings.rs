//! Findings: what would be refused now, why, and the way out.

use serde::Serialize;

use crate::drive::Finding;

/// A finding in JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct FindingFields {
    /// Its name, in snake case.
    pub(crate) code: &'static str,
    /// What is found.
    pub(crate) text: String,
    /// What it rests on.
    pub(crate) evidence: String,
    /// What can be done about it.
    pub(crate) way_out: String,
}

impl From<Finding> for FindingFields {
    fn from(finding: Finding) -> Self {
        Self {
            code: finding.name(),
            text: finding.text().to_owned(),
            evidence: finding.evidence(),
            way_out: finding.way_out().to_owned(),
        }
    }
}

impl FindingFields {
    /// Does something to every string.
    pub(crate) fn each_string(&mut self, change: &mut impl FnMut(&mut String)) {
        [&mut self.text, &mut self.evidence, &mut self.way_out]
            .into_iter()
            .for_each(change);
    }

    /// What it rests on and the way out, one line each.
    pub(crate) fn details(&self) -> Vec<String> {
        let line = |name: &str, text: &str| match text {
            "" => None,
            text => Some(format!("{name}: {text}")),
        };
        let evidence = line("evidence", &self.evidence);
        let way_out = line("way out", &self.way_out);
        evidence.into_iter().chain(way_out).collect()
    }
}

/// Findings for people, one paragraph each.
pub(crate) fn text(findings: &[FindingFields]) -> String {
    let paragraph = |finding: &FindingFields| {
        let details = finding.details().into_iter();
        let details: String = details.map(|line| format!("    {line}\n")).collect();
        format!("  - {}\n{details}", finding.text)
    };
    findings.iter().map(paragraph).collect()
}
