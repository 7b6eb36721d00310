//! The sources of the workspace, as text, tokens and module paths.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::TokenStream;

/// A breach of a rule, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    file: String,
    line: usize,
    rule: String,
}

impl Finding {
    pub(crate) fn new(file: &str, line: usize, rule: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            line,
            rule: rule.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.rule)
    }
}

/// Fails the test with one line for each finding.
pub(crate) fn expect_none(mut findings: Vec<Finding>) {
    findings.sort();
    findings.dedup();
    let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
}

/// One source file.
pub(crate) struct Source {
    /// The path from the top of the repository, with slashes.
    pub(crate) file: String,
    pub(crate) text: String,
    /// The module that the file is: `["wire", "token"]`; empty for `lib.rs`.
    pub(crate) module: Vec<String>,
    /// True where the whole file belongs to a `#[cfg(test)]` module.
    pub(crate) is_test: bool,
}

impl Source {
    /// A file with the given text, which need not exist.
    pub(crate) fn new(file: &str, text: &str) -> Self {
        Self {
            file: file.to_owned(),
            text: text.to_owned(),
            module: module_path(file),
            is_test: false,
        }
    }

    /// The tokens of the file.
    pub(crate) fn tokens(&self) -> TokenStream {
        self.text
            .parse()
            .unwrap_or_else(|error| panic!("{}: not Rust: {error}", self.file))
    }

    /// The syntax tree of the file.
    pub(crate) fn syntax(&self) -> syn::File {
        syn::parse_file(&self.text)
            .unwrap_or_else(|error| panic!("{}: not Rust: {error}", self.file))
    }

    /// The row of the import table that the file falls under; `None` for `lib.rs` and the bindings.
    pub(crate) fn owner(&self) -> Option<&str> {
        match self.file.as_str() {
            "src/main.rs" => Some("main"),
            file if file.starts_with("src/") => self.module.first().map(String::as_str),
            file if file.starts_with("nbde/src/") => Some("nbde"),
            _ => None,
        }
    }

    /// True for a file in one of these folders, or for one of these files.
    pub(crate) fn is_in(&self, places: &[&str]) -> bool {
        places
            .iter()
            .any(|place| Path::new(&self.file).starts_with(place))
    }
}

fn module_path(file: &str) -> Vec<String> {
    let inner = file.split_once("src/").map_or(file, |(_, inner)| inner);
    let mut module: Vec<String> = inner
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    if matches!(
        module.last().map(String::as_str),
        Some("mod" | "lib" | "main")
    ) {
        module.pop();
    }
    module
}

/// The top of the repository.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file below a folder of the repository, but for what is built.
pub(crate) fn files_below(folder: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(folder) = folders.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for path in entries.map(|entry| entry.expect("folders can be listed").path()) {
            if !path.is_dir() {
                files.push(path);
            } else if path.file_name().is_some_and(|name| name != "target") {
                folders.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The path from the top of the repository, with slashes.
pub(crate) fn relative(path: &Path) -> String {
    let inner = path.strip_prefix(root()).unwrap_or(path);
    inner.to_string_lossy().replace('\\', "/")
}

/// The Rust sources below these folders of the repository.
pub(crate) fn sources(folders: &[&str]) -> Vec<Source> {
    let mut sources: Vec<Source> = folders
        .iter()
        .flat_map(|folder| files_below(folder))
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let text = fs::read_to_string(&path).expect("sources are readable UTF-8");
            Source::new(&relative(&path), &text)
        })
        .collect();
    mark_test_files(&mut sources);
    sources
}

/// Marks the files that a `#[cfg(test)] mod name;` of another file brings in, and those below them.
fn mark_test_files(sources: &mut [Source]) {
    let test_modules: Vec<Vec<String>> = sources
        .iter()
        .filter(|source| source.text.contains("cfg(test)"))
        .flat_map(|source| {
            let file = source.syntax();
            file.items
                .iter()
                .filter_map(test_module_name)
                .map(|name| [source.module.as_slice(), &[name]].concat())
                .collect::<Vec<_>>()
        })
        .collect();
    for source in sources {
        source.is_test = test_modules
            .iter()
            .any(|module| source.module.starts_with(module));
    }
}

fn test_module_name(item: &syn::Item) -> Option<String> {
    match item {
        syn::Item::Mod(module) if module.content.is_none() && is_test_only(&module.attrs) => {
            Some(module.ident.to_string())
        }
        _ => None,
    }
}

/// True for the attributes of an item that stands under `#[cfg(test)]`.
pub(crate) fn is_test_only(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| match &attribute.meta {
        syn::Meta::List(list) if list.path.is_ident("cfg") => names_test(&list.tokens),
        _ => false,
    })
}

/// True for the condition of a `cfg` that holds in tests only: `test`, or `all(test, …)`.
pub(crate) fn names_test(condition: &TokenStream) -> bool {
    let words: Vec<String> = condition
        .clone()
        .into_iter()
        .map(|token| token.to_string())
        .collect();
    match words.as_slice() {
        [word] => word == "test",
        [word, rest] => word == "all" && rest.trim_start_matches('(').starts_with("test"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_have_their_module_paths() {
        let module = |file: &str| module_path(file).join("::");
        assert_eq!(module("src/wire/token.rs"), "wire::token");
        assert_eq!(module("src/wire/mod.rs"), "wire");
        assert_eq!(module("src/lib.rs"), "");
        assert_eq!(module("nbde/src/jwk.rs"), "jwk");
    }

    #[test]
    fn files_belong_to_their_row() {
        let owner = |file: &str| Source::new(file, "").owner().map(str::to_owned);
        assert_eq!(owner("src/vdrive/tper/com.rs").as_deref(), Some("vdrive"));
        assert_eq!(owner("src/main.rs").as_deref(), Some("main"));
        assert_eq!(owner("nbde/src/lib.rs").as_deref(), Some("nbde"));
        assert_eq!(owner("src/lib.rs"), None);
        assert_eq!(owner("bindgen/src/lib.rs"), None);
    }

    #[test]
    fn files_of_test_modules_are_tests() {
        let mut sources = [
            Source::new("src/wire/mod.rs", "mod token; #[cfg(test)] mod model;"),
            Source::new("src/wire/token.rs", "#[cfg(test)] mod tests { }"),
            Source::new("src/wire/model.rs", ""),
            Source::new("src/wire/model/rows.rs", ""),
        ];
        mark_test_files(&mut sources);
        assert_eq!(
            sources.each_ref().map(|source| source.is_test),
            [false, false, true, true]
        );
    }

    #[test]
    fn a_folder_is_not_its_namesake() {
        assert!(Source::new("src/sys/nvme.rs", "").is_in(&["src/sys"]));
        assert!(!Source::new("src/system.rs", "").is_in(&["src/sys"]));
        assert!(Source::new("src/main.rs", "").is_in(&["src/main.rs"]));
    }
}
