//! Allowed dependencies between crates, checked in the resolved dependency graph.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

use serde_json::Value;

use super::{assert_none, root};

/// Direct dependencies by crate name, without those of tests and build scripts.
fn graph() -> BTreeMap<String, BTreeSet<String>> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version", "1"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo reads its own graph");
    assert!(output.status.success(), "cargo metadata failed: {}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("cargo prints JSON");
    let names: BTreeMap<&str, &str> = each(&metadata["packages"]).map(|p| (text(&p["id"]), text(&p["name"]))).collect();
    each(&metadata["resolve"]["nodes"])
        .map(|node| {
            let normal = each(&node["deps"]).filter(|dep| each(&dep["dep_kinds"]).any(|kind| kind["kind"].is_null()));
            let direct = normal.map(|dep| names[text(&dep["pkg"])].to_owned()).collect();
            (names[text(&node["id"])].to_owned(), direct)
        })
        .collect()
}

fn each(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().expect("a list in cargo's answer").iter()
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text in cargo's answer")
}

/// All transitive dependencies of a crate.
fn closure(graph: &BTreeMap<String, BTreeSet<String>>, start: &str) -> BTreeSet<String> {
    assert!(graph.contains_key(start), "no crate is named {start}");
    let mut seen = BTreeSet::new();
    let mut next = vec![start.to_owned()];
    while let Some(name) = next.pop() {
        for dependency in &graph[&name] {
            if seen.insert(dependency.clone()) {
                next.push(dependency.clone());
            }
        }
    }
    seen
}

#[test]
fn the_domain_is_built_from_nothing_that_does_io() {
    let banned =
        ["tokio", "sqlx", "rusqlite", "tonic", "apalis", "opentelemetry", "hyper", "kimberly-", "rand", "getrandom"];
    let problems: Vec<String> = closure(&graph(), "kimberly-core")
        .into_iter()
        .filter(|name| banned.iter().any(|bad| name.starts_with(bad)))
        // What reads texts is as pure: see below.
        .filter(|name| name != "kimberly-language" && !DICE_WITHOUT_USE.contains(&name.as_str()))
        .map(|name| format!("kimberly-core is built from {name}"))
        .collect();
    assert_none("the domain reaches outside", &problems);
}

/// Dependencies of `uuid` for constructors that clippy.toml forbids; the processes enable these features, and
/// features are shared.
const DICE_WITHOUT_USE: [&str; 4] = ["rand", "rand_core", "rand_chacha", "getrandom"];

#[test]
fn what_reads_texts_is_built_from_nothing_of_ours() {
    let banned = ["kimberly-", "tokio", "sqlx", "tonic", "apalis", "opentelemetry", "hyper", "rand", "getrandom"];
    let problems: Vec<String> = closure(&graph(), "kimberly-language")
        .into_iter()
        .filter(|name| banned.iter().any(|bad| name.starts_with(bad)))
        .map(|name| format!("kimberly-language is built from {name}"))
        .collect();
    assert_none("the language reaches outside", &problems);
}

#[test]
fn adapters_know_the_domain_and_not_each_other() {
    let graph = graph();
    let mut problems = Vec::new();
    for adapter in ["kimberly-blobs", "kimberly-store", "kimberly-queue", "kimberly-index", "kimberly-runtime"] {
        for ours in closure(&graph, adapter).iter().filter(|name| name.starts_with("kimberly-")) {
            // Language (texts), kernels (arithmetic), crypto (keys), postgres (connections) know nothing of the other crates.
            let open = ["core", "language", "crypto", "kernels", "postgres"].map(|name| format!("kimberly-{name}"));
            if !open.contains(ours) {
                problems.push(format!("{adapter} is built from {ours}"));
            }
        }
    }
    assert_none("walls between adapters", &problems);
}

#[test]
fn keys_know_nothing_of_what_they_open() {
    let banned = ["kimberly-", "tokio", "sqlx", "rusqlite", "libsqlite3-sys", "tonic", "hyper"];
    let problems: Vec<String> = closure(&graph(), "kimberly-crypto")
        .into_iter()
        .filter(|name| banned.iter().any(|bad| name.starts_with(bad)))
        .map(|name| format!("kimberly-crypto is built from {name}"))
        .collect();
    assert_none("keys reach outside", &problems);
}

#[test]
fn one_function_says_what_folder_a_file_lies_in() {
    // The index's files are in the data folder, below a named folder.
    let exempt = ["shared/crypto/src/folder_of.rs", "shared/index/src/tree.rs"];
    let served = ["shared/", "api/", "worker/", "embedder/"];
    let is_served = |path: &str| served.iter().any(|top| path.starts_with(top)) && !path.contains("tests");
    let problems: Vec<String> = super::sources()
        .iter()
        .filter(|file| is_served(&file.path) && !exempt.contains(&file.path.as_str()))
        .filter(|file| file.text.split("#[cfg(test)]").next().unwrap_or_default().contains(".parent()"))
        .map(|file| format!("{}: `parent` of a bare name is \"\"; take kimberly_crypto::folder_of", file.path))
        .collect();
    assert_none("folders of bare names", &problems);
}

#[test]
fn connections_to_postgres_know_nothing_of_what_lies_in_it() {
    let problems: Vec<String> = closure(&graph(), "kimberly-postgres")
        .into_iter()
        .filter(|name| ["kimberly-", "apalis", "tonic"].iter().any(|bad| name.starts_with(bad)))
        .map(|name| format!("kimberly-postgres is built from {name}"))
        .collect();
    assert_none("connections to Postgres reach outside", &problems);
}

#[test]
fn processes_never_depend_on_each_other() {
    let graph = graph();
    let processes = ["kimberly-api", "kimberly-worker", "kimberly-embedder", "kimberly-cli"];
    let mut problems = Vec::new();
    // Fuzz targets are not shipped, and use parsers of all crates.
    let parts = |name: &str| name.starts_with("kimberly-") && name != "kimberly-fuzz";
    for (name, direct) in graph.iter().filter(|(name, _)| parts(name)) {
        for process in processes.iter().filter(|process| direct.contains(**process)) {
            problems.push(format!("{name} depends on {process}"));
        }
    }
    assert_none("walls between processes", &problems);
}

#[test]
fn the_command_has_no_way_into_vaults() {
    let built_from = closure(&graph(), "kimberly-cli");
    let problems: Vec<String> = ["kimberly-store", "kimberly-queue", "sqlx", "rusqlite", "apalis"]
        .into_iter()
        .filter(|name| built_from.contains(*name))
        .map(|name| format!("kimberly-cli is built from {name}"))
        .collect();
    assert_none("the command speaks gRPC only", &problems);
}
