//! Holds the dependency tree to `deny.toml`: licences, duplicates, sources; offline.
//!
//! `cargo deny` reads the same file, and checks advisories too, where it is installed.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

#[path = "licences/policy.rs"]
mod policy;
#[path = "licences/spdx.rs"]
mod spdx;

use policy::Policy;

/// A package of the tree.
struct Package {
    name: String,
    version: String,
    licence: String,
    /// `None` for a member of this workspace.
    source: Option<String>,
}

#[test]
fn every_licence_is_on_the_list() {
    let policy = Policy::load();
    let refused: Vec<String> = packages()
        .iter()
        .filter(|package| !spdx::is_satisfied(&package.licence, &policy.licences(&package.name)))
        .map(|package| format!("{} {}: {}", package.name, package.version, package.licence))
        .collect();
    assert!(
        refused.is_empty(),
        "\nlicences that deny.toml does not allow:\n{}\n",
        refused.join("\n")
    );
}

#[test]
fn every_licence_of_the_list_is_in_use() {
    let policy = Policy::load();
    let packages = packages();
    let unused: Vec<&String> = policy
        .allowed
        .iter()
        .filter(|licence| {
            !packages
                .iter()
                .any(|package| package.licence.contains(*licence))
        })
        .collect();
    assert!(
        unused.is_empty(),
        "deny.toml allows what nobody has: {unused:?}"
    );
}

#[test]
fn no_crate_stands_twice_but_for_the_listed() {
    let policy = Policy::load();
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in packages() {
        let skipped = policy.skips(&package.name, &package.version);
        if !skipped {
            versions
                .entry(package.name)
                .or_default()
                .insert(package.version);
        }
    }
    versions.retain(|_, versions| versions.len() > 1);
    assert!(
        versions.is_empty(),
        "crates with two versions that deny.toml does not skip: {versions:?}"
    );
}

#[test]
fn every_package_comes_from_the_registry_or_from_here() {
    let strays: Vec<String> = packages()
        .into_iter()
        .filter(|package| {
            package
                .source
                .as_ref()
                .is_some_and(|from| !from.starts_with("registry+"))
        })
        .map(|package| package.name)
        .collect();
    assert!(
        strays.is_empty(),
        "neither registry nor workspace: {strays:?}"
    );
}

/// The packages that a build for this machine needs, tests and build scripts included.
fn packages() -> Vec<Package> {
    let metadata = metadata();
    let used: BTreeSet<&str> = list(&metadata["resolve"]["nodes"])
        .iter()
        .map(|node| text(&node["id"]))
        .collect();
    let packages: Vec<Package> = list(&metadata["packages"])
        .iter()
        .filter(|package| used.contains(text(&package["id"])))
        .map(|package| Package {
            name: text(&package["name"]).to_owned(),
            version: text(&package["version"]).to_owned(),
            licence: package["license"].as_str().unwrap_or("none").to_owned(),
            source: package["source"].as_str().map(str::to_owned),
        })
        .collect();
    assert!(packages.len() > 10, "cargo names the packages of the tree");
    packages
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .args(["--filter-platform", "host-tuple"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo can be run");
    assert!(
        output.status.success(),
        "cargo metadata: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    serde_json::from_slice(&output.stdout).expect("cargo writes JSON")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}
