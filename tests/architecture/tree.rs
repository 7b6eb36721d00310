//! What may stand at the top of the repository, and what may stand in no file of it.

use std::collections::BTreeSet;
use std::fs;

use super::source::{Finding, files_below, relative, root};

/// The names at the top, all of them and no other.
const TOP: &[&str] = &[
    ".ci",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "Makefile",
    "README.md",
    "SECURITY.md",
    "bindgen",
    "clippy.toml",
    "deny.toml",
    "man",
    "nbde",
    "rustfmt.toml",
    "src",
    "tests",
];

/// Folders that exist on one person's machine only.
const MACHINE_PATHS: &[&str] = &[
    concat!("/", "root"),
    concat!("/", "work"),
    concat!("/", "home"),
];

/// Names at the top that are missing or not foreseen.
pub(crate) fn top_level() -> Vec<Finding> {
    let ignored = fs::read_to_string(root().join(".gitignore")).unwrap_or_default();
    let names: BTreeSet<String> = fs::read_dir(root())
        .expect("the top of the repository can be listed")
        .map(|entry| entry.expect("entries can be read").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name != ".git" && !is_ignored(name, &ignored))
        .collect();
    judge_top(&names)
}

fn judge_top(names: &BTreeSet<String>) -> Vec<Finding> {
    let unforeseen = names
        .iter()
        .filter(|name| !TOP.contains(&name.as_str()))
        .map(|name| Finding::new(name, 1, "the top level has no place for this"));
    let missing = TOP
        .iter()
        .filter(|name| !names.contains(**name))
        .map(|name| Finding::new(name, 1, "this is missing at the top level"));
    unforeseen.chain(missing).collect()
}

fn is_ignored(name: &str, ignored: &str) -> bool {
    ignored
        .lines()
        .any(|line| line.strip_prefix('/') == Some(name))
}

/// Every text of the repository that names a folder of somebody's machine.
pub(crate) fn machine_paths() -> Vec<Finding> {
    let texts = TOP.iter().flat_map(|name| {
        let path = root().join(name);
        if path.is_dir() {
            files_below(name)
        } else {
            vec![path]
        }
    });
    texts
        .filter_map(|path| Some((relative(&path), fs::read_to_string(&path).ok()?)))
        .flat_map(|(file, text)| machine_paths_in(&file, &text))
        .collect()
}

fn machine_paths_in(file: &str, text: &str) -> Vec<Finding> {
    text.lines()
        .enumerate()
        .filter(|(_, line)| MACHINE_PATHS.iter().any(|path| names_path(line, path)))
        .map(|(at, _)| Finding::new(file, at + 1, "a path of one machine says nothing elsewhere"))
        .collect()
}

/// True where the path stands by itself, and not inside another (`tests/roots`).
fn names_path(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + path.len()..].chars().next();
        !before.is_some_and(is_path_character) && !after.is_some_and(is_word_character)
    })
}

fn is_path_character(character: char) -> bool {
    is_word_character(character) || "./}$)".contains(character)
}

fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || "-_".contains(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_top_holds_its_names_and_no_other() {
        let mut names: BTreeSet<String> = TOP.iter().map(|name| (*name).to_owned()).collect();
        assert!(judge_top(&names).is_empty());
        names.insert("notes.txt".to_owned());
        names.remove("man");
        assert_eq!(
            judge_top(&names),
            [
                Finding::new("notes.txt", 1, "the top level has no place for this"),
                Finding::new("man", 1, "this is missing at the top level"),
            ]
        );
    }

    #[test]
    fn what_git_ignores_at_the_top_is_ignored() {
        assert!(is_ignored("target", "/target\n/tests/fuzz/target\n"));
        assert!(!is_ignored("tests", "/target\n/tests/fuzz/target\n"));
    }

    #[test]
    fn a_machine_path_is_found_by_itself_only() {
        let [root, work, home] = MACHINE_PATHS else {
            panic!("three paths are looked for");
        };
        assert_eq!(machine_paths_in("a", &format!("x\ncd {root}/x")).len(), 1);
        assert_eq!(machine_paths_in("a", &format!("\"{work}\"")).len(), 1);
        assert_eq!(machine_paths_in("a", &format!("{home}/user")).len(), 1);
        assert!(machine_paths_in("a", "tests/roots and network/works").is_empty());
        assert!(machine_paths_in("a", &format!("$DIR{work} {work}shop")).is_empty());
    }
}
