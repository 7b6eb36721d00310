//! The import table of ARCHITECTURE.md: who may name whom.

use std::collections::BTreeMap;

use super::paths::{Reference, references};
use super::source::{Finding, Source};

/// The two sides of the protocol, which not even unit tests may bring together.
const SIDES: [&[&str]; 2] = [&["session", "drive", "fleet"], &["vdrive"]];

/// The table, by module.
pub(crate) struct Table {
    rows: BTreeMap<String, Row>,
}

struct Row {
    may: Vec<String>,
    never: Vec<String>,
}

impl Table {
    /// Reads the table out of the document.
    pub(crate) fn parse(document: &str) -> Self {
        let rows: BTreeMap<String, Row> = document
            .lines()
            .skip_while(|line| !line.starts_with("| module | may import |"))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .map(parse_row)
            .collect();
        assert!(!rows.is_empty(), "ARCHITECTURE.md holds no import table");
        Self { rows }
    }

    /// What a source names against the table.
    pub(crate) fn breaches(&self, source: &Source) -> Vec<Finding> {
        let Some(owner) = source.owner() else {
            return Vec::new();
        };
        let Some(row) = self.rows.get(owner) else {
            let rule = format!("module {owner} has no row in the import table of ARCHITECTURE.md");
            return vec![Finding::new(&source.file, 1, rule)];
        };
        references(source)
            .iter()
            .filter_map(|reference| {
                let rule = self.breach(owner, row, reference)?;
                Some(Finding::new(&source.file, reference.line, rule))
            })
            .collect()
    }

    fn breach(&self, owner: &str, row: &Row, reference: &Reference) -> Option<String> {
        let first = reference.segments.first()?.as_str();
        let path = reference.segments.join("::");
        if reference.in_test {
            return crosses_sides(owner, reference)
                .then(|| format!("{owner} and {first} may not meet, not even in a unit test"));
        }
        if reference.is_own && first == owner {
            return None;
        }
        if row.never.iter().any(|name| reference.leads_to(name)) {
            return Some(format!("{owner} must never import {path}"));
        }
        if !reference.is_own {
            return (self.is_listed_crate(first) && !row.lists(reference))
                .then(|| format!("{owner} may not import the crate {first}"));
        }
        if !self.rows.contains_key(first) {
            return Some(format!("crate::{path} hides its module: name that module"));
        }
        (!row.lists(reference)).then(|| format!("{owner} may not import {path}"))
    }

    /// True for a crate that the table gives to some modules, and so denies to the others.
    fn is_listed_crate(&self, name: &str) -> bool {
        let is_module = self.rows.contains_key(name);
        !is_module
            && self
                .rows
                .values()
                .any(|row| row.may.iter().any(|may| may == name))
    }
}

impl Row {
    fn lists(&self, reference: &Reference) -> bool {
        self.may.iter().any(|name| reference.leads_to(name))
    }
}

fn crosses_sides(owner: &str, reference: &Reference) -> bool {
    let Some(first) = reference.segments.first().filter(|_| reference.is_own) else {
        return false;
    };
    let [host, tper] = SIDES;
    let first = first.as_str();
    (host.contains(&owner) && tper.contains(&first))
        || (tper.contains(&owner) && host.contains(&first))
}

fn parse_row(line: &str) -> (String, Row) {
    let cells: Vec<Vec<String>> = line.trim_matches('|').split('|').map(names).collect();
    match cells.as_slice() {
        [module, may, never] if module.len() == 1 => {
            let row = Row {
                may: may.clone(),
                never: never.clone(),
            };
            (module[0].clone(), row)
        }
        _ => panic!("ARCHITECTURE.md: not a row of the import table: {line}"),
    }
}

/// The names in backquotes; the rest of a cell is for people.
fn names(cell: &str) -> Vec<String> {
    cell.split('`')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const DOCUMENT: &str = "\
# Some text

| module | may import | must never import |
|---|---|---|
| `spec` | | `std::io` |
| `wire` | `spec` | `std::io` |
| `transport` | `spec`, `wire::pretty` (traces) | |
| `session` | `spec`, `transport` | `transport::linux` |
| `vdrive` | `spec`, `wire`, `aes` | |
| `main` | `vdrive` | |

| module | something else |
";

    fn rules(file: &str, text: &str) -> Vec<String> {
        let source = Source::new(file, text);
        let findings = Table::parse(DOCUMENT).breaches(&source);
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn listed_modules_pass() {
        assert!(
            rules(
                "src/wire/mod.rs",
                "use crate::spec::Uid; use super::wire::A;"
            )
            .is_empty()
        );
        assert!(rules("src/transport/trace.rs", "use crate::wire::pretty::text;").is_empty());
        assert!(rules("src/session/mod.rs", "use crate::transport::Transport;").is_empty());
    }

    #[test]
    fn unlisted_modules_are_found_with_line_and_rule() {
        assert_eq!(
            rules("src/wire/mod.rs", "\nuse crate::{spec::Uid,\n session::S};"),
            ["src/wire/mod.rs:3: wire may not import session::S"]
        );
        assert_eq!(
            rules("src/wire/a.rs", "fn f() { super::super::vdrive::x() }"),
            ["src/wire/a.rs:1: wire may not import vdrive::x"]
        );
    }

    #[test]
    fn part_of_a_module_is_not_the_whole() {
        assert_eq!(
            rules("src/transport/trace.rs", "use crate::wire::Value;"),
            ["src/transport/trace.rs:1: transport may not import wire::Value"]
        );
        assert_eq!(rules("src/transport/trace.rs", "use crate::wire;").len(), 1);
    }

    #[test]
    fn the_third_column_wins() {
        assert_eq!(
            rules("src/session/a.rs", "use crate::transport::linux::open;"),
            ["src/session/a.rs:1: session must never import transport::linux::open"]
        );
        assert_eq!(
            rules("src/wire/a.rs", "use std::{fmt, io::Read};"),
            ["src/wire/a.rs:1: wire must never import std::io::Read"]
        );
    }

    #[test]
    fn listed_crates_belong_to_their_modules() {
        assert!(rules("src/vdrive/xts.rs", "use aes::Aes256;").is_empty());
        assert_eq!(
            rules("src/session/a.rs", "fn f(key: aes::Aes256) {}"),
            ["src/session/a.rs:1: session may not import the crate aes"]
        );
        assert!(rules("src/session/a.rs", "use thiserror::Error;").is_empty());
    }

    #[test]
    fn roots_and_globs_are_no_way_round() {
        assert_eq!(
            rules("src/wire/a.rs", "use crate::VirtualDrive;"),
            ["src/wire/a.rs:1: crate::VirtualDrive hides its module: name that module"]
        );
        assert_eq!(rules("src/wire/mod.rs", "use super::*;").len(), 1);
        assert_eq!(rules("src/wire/a.rs", "use super::*;").len(), 0);
    }

    #[test]
    fn unit_tests_may_name_neighbours_but_not_the_other_side() {
        let test = |path: &str| format!("#[cfg(test)] mod tests {{ use crate::{path}; }}");
        assert!(rules("src/wire/a.rs", &test("transport::script::Script")).is_empty());
        assert_eq!(
            rules("src/session/a.rs", &test("vdrive::VirtualDrive")),
            ["src/session/a.rs:1: session and vdrive may not meet, not even in a unit test"]
        );
        assert_eq!(rules("src/vdrive/a.rs", &test("session::Session")).len(), 1);
    }

    #[test]
    fn a_module_without_a_row_is_found() {
        assert_eq!(
            rules("src/extra.rs", ""),
            ["src/extra.rs:1: module extra has no row in the import table of ARCHITECTURE.md"]
        );
    }
}
