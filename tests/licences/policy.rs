//! What `deny.toml` says, read line by line: it needs no more of TOML than that.

use std::collections::BTreeMap;

/// The parts of `deny.toml` that are enforced here.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Policy {
    /// `[licenses] allow`.
    pub(crate) allowed: Vec<String>,
    /// `[licenses] exceptions`: more licences for one crate.
    exceptions: BTreeMap<String, Vec<String>>,
    /// `[bans] skip`: `name@version`, as far as the version goes.
    skipped: Vec<String>,
}

impl Policy {
    pub(crate) fn load() -> Self {
        let policy = Self::parse(include_str!("../../deny.toml"));
        assert!(!policy.allowed.is_empty(), "deny.toml allows some licences");
        policy
    }

    fn parse(text: &str) -> Self {
        let mut policy = Self::default();
        let mut section = "";
        let mut key = "";
        for line in text.lines().map(without_comment) {
            if let Some(name) = line.strip_prefix('[').filter(|_| !line.contains('"')) {
                section = name.trim_end_matches(']');
            } else if let Some((name, _)) =
                line.split_once(" = [").filter(|_| !line.starts_with(' '))
            {
                key = name;
            }
            policy.add(section, key, line);
        }
        policy
    }

    fn add(&mut self, section: &str, key: &str, line: &str) {
        let mut strings = quoted(line).into_iter();
        match (section, key) {
            ("licenses", "allow") => self.allowed.extend(strings),
            ("licenses", "exceptions") => {
                if let Some(name) = strings.next() {
                    self.exceptions.insert(name, strings.collect());
                }
            }
            ("bans", "skip") => self.skipped.extend(strings),
            _ => {}
        }
    }

    /// The licences that a crate may have.
    pub(crate) fn licences(&self, name: &str) -> Vec<&str> {
        let exceptions = self.exceptions.get(name).into_iter().flatten();
        self.allowed
            .iter()
            .chain(exceptions)
            .map(String::as_str)
            .collect()
    }

    /// True where this version may stand beside another.
    pub(crate) fn skips(&self, name: &str, version: &str) -> bool {
        self.skipped.iter().any(|skip| match skip.split_once('@') {
            Some((skipped, prefix)) => {
                let rest = version.strip_prefix(prefix);
                skipped == name && rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            }
            None => skip == name,
        })
    }
}

fn without_comment(line: &str) -> &str {
    line.split_once('#')
        .map_or(line, |(before, _)| before)
        .trim_end()
}

fn quoted(line: &str) -> Vec<String> {
    line.split('"')
        .skip(1)
        .step_by(2)
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lists_are_read() {
        let text = "[licenses]\nallow = [\n    \"MIT\", # all\n    \"ISC\",\n]\nexceptions = [\n    \
                    { crate = \"fuzzer\", allow = [\"NCSA\"] },\n]\n\
                    [bans]\nmultiple-versions = \"deny\"\nskip = [\n    { crate = \"syn@2\" },\n]\n";
        let policy = Policy::parse(text);
        assert_eq!(policy.licences("syn"), ["MIT", "ISC"]);
        assert_eq!(policy.licences("fuzzer"), ["MIT", "ISC", "NCSA"]);
        assert!(policy.skips("syn", "2.0.1"));
        assert!(!policy.skips("syn", "20.0.1"));
        assert!(!policy.skips("syn", "3.0.0"));
    }

    #[test]
    fn a_list_on_one_line_is_read() {
        let policy = Policy::parse("[licenses]\nallow = [\"MIT\", \"ISC\"]\n");
        assert_eq!(policy.licences("x"), ["MIT", "ISC"]);
    }
}
