//! Holds the sources to ARCHITECTURE.md: imports, the places of dangerous things, sizes.
//!
//! Every failure names file, line and rule. The checks are tested themselves, on small snippets, at
//! the bottom of each file under `tests/architecture`.

use std::fs;

#[path = "architecture/figures.rs"]
mod figures;
#[path = "architecture/paths.rs"]
mod paths;
#[path = "architecture/rules.rs"]
mod rules;
#[path = "architecture/sizes.rs"]
mod sizes;
#[path = "architecture/source.rs"]
mod source;
#[path = "architecture/table.rs"]
mod table;
#[path = "architecture/tree.rs"]
mod tree;

use source::{expect_none, root, sources};

/// What is delivered.
const PRODUCT: &[&str] = &["src", "bindgen", "nbde"];
/// What is delivered, and what tests it.
const EVERYTHING: &[&str] = &["src", "bindgen", "nbde", "tests"];

#[test]
fn modules_import_what_the_table_allows() {
    let document = read("ARCHITECTURE.md");
    let table = table::Table::parse(&document);
    expect_none(
        sources(PRODUCT)
            .iter()
            .flat_map(|source| table.breaches(source))
            .collect(),
    );
}

#[test]
fn unsafe_output_environment_exit_and_threads_are_in_their_places() {
    expect_none(sources(PRODUCT).iter().flat_map(rules::misplaced).collect());
}

#[test]
fn every_allow_has_a_reason() {
    let in_sources = sources(EVERYTHING);
    let in_sources = in_sources.iter().flat_map(rules::unreasoned_allows);
    let manifest = read("Cargo.toml");
    let in_manifest = rules::unreasoned_manifest_allows("Cargo.toml", &manifest);
    expect_none(in_sources.chain(in_manifest).collect());
}

#[test]
fn work_left_open_has_an_issue() {
    expect_none(
        sources(EVERYTHING)
            .iter()
            .flat_map(rules::loose_ends)
            .collect(),
    );
}

#[test]
fn functions_are_short() {
    expect_none(
        sources(EVERYTHING)
            .iter()
            .flat_map(sizes::long_functions)
            .collect(),
    );
}

#[test]
fn files_are_short() {
    let sources = sources(PRODUCT);
    let long = sources.iter().filter_map(sizes::long_file);
    expect_none(long.chain(sizes::over_own_limit(&sources)).collect());
}

#[test]
fn decoders_do_not_index() {
    let lint = "#![deny(clippy::indexing_slicing";
    let decoders = ["src/wire/mod.rs", "src/vdrive/tper/mod.rs"];
    let lax = sources(&["src"])
        .into_iter()
        .filter(|source| decoders.contains(&source.file.as_str()))
        .filter(|source| !source.text.contains(lint))
        .map(|source| source::Finding::new(&source.file, 1, format!("needs {lint}, …)]")));
    expect_none(lax.collect());
}

#[test]
fn the_top_level_has_its_names_and_no_other() {
    expect_none(tree::top_level());
}

#[test]
fn no_file_names_a_path_of_one_machine() {
    expect_none(tree::machine_paths());
}

#[test]
#[ignore = "prints the figures for ARCHITECTURE.md: make figures"]
fn figures() {
    println!("{}", figures::table(&sources(PRODUCT)));
}

fn read(file: &str) -> String {
    fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}
