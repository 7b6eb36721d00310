//! Findings: what would be refused now, why, and the way out.

use serde::Serialize;

use crate::drive::Finding;

/// A finding in JSON.
#[derive(Debug, Serialize)]
pub(crate) struct FindingFields {
    /// Its name, in snake case.
    pub(crate) code: &'static str,
    /// What is found.
    pub(crate) text: String,
    /// What can be done about it.
    pub(crate) way_out: &'static str,
}

impl From<Finding> for FindingFields {
    fn from(finding: Finding) -> Self {
        let (text, way_out) = (finding.text().to_owned(), finding.way_out());
        Self {
            code: finding.name(),
            text,
            way_out,
        }
    }
}

/// Findings for people, one paragraph each.
pub(crate) fn text(findings: &[FindingFields]) -> String {
    let paragraph = |finding: &FindingFields| {
        let mut text = format!("  - {}\n", finding.text);
        if !finding.way_out.is_empty() {
            text += &format!("    way out: {}\n", finding.way_out);
        }
        text
    };
    findings.iter().map(paragraph).collect()
}
