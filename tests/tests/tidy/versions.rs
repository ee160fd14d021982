//! Client packages and the image have the workspace's version, and every release has its contract image and changelog
//! entry.

use super::{assert_none, paths, root};

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The quoted text after the first `key` at the start of a line.
fn value(text: &str, key: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find_map(|line| line.strip_prefix(key))?;
    line.split('"').nth(1).map(str::to_owned)
}

#[test]
fn packages_have_the_version_of_the_workspace() {
    let ours = value(&read("Cargo.toml"), "version =").expect("the workspace has a version");
    let packages = [
        ("proto/clients/python/pyproject.toml", "version ="),
        ("proto/clients/typescript/package.json", "\"version\":"),
        ("tests/clients/typescript/package.json", "\"kimberly-client\":"),
    ];
    let problems: Vec<String> = packages
        .iter()
        .filter(|(path, key)| value(&read(path), key).as_ref() != Some(&ours))
        .map(|(path, key)| format!("{path}: {key} is not {ours}"))
        .collect();
    assert_none("versions that differ", &problems);
}

/// The versions that follow `prefix` in a text, such as 0.1.0 after `kimberly:`.
fn after(text: &str, prefix: &str) -> Vec<String> {
    let version = |rest: &str| -> String { rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.').collect() };
    text.split(prefix).skip(1).map(version).filter(|version| !version.is_empty()).collect()
}

#[test]
fn the_image_has_the_version_of_the_workspace_wherever_it_is_named() {
    let ours = value(&read("Cargo.toml"), "version =").expect("the workspace has a version");
    let images = [
        ("deploy/README.md", "kimberly:"),
        ("deploy/README.md", "kimberly-"),
        ("deploy/compose/README.md", "kimberly-"),
        ("deploy/compose/compose.yaml", "kimberly:"),
        ("deploy/docker/Dockerfile", "kimberly:"),
        ("deploy/kubernetes/README.md", "kimberly:"),
        ("deploy/kubernetes/kustomization.yaml", "newTag: "),
        ("docs/guides/deploy.md", "kimberly:"),
        ("docs/guides/deploy.md", "kimberly-"),
    ];
    for (path, prefix) in images {
        let named = after(&read(path), prefix);
        assert!(!named.is_empty(), "{path} names no version after {prefix:?}");
        assert!(named.iter().all(|version| *version == ours), "{path} names the versions {named:?}, and not {ours}");
    }
}

#[test]
fn every_release_in_the_changelog_has_its_contract_checked_in() {
    let changelog = read("CHANGELOG.md");
    let mut listed: Vec<&str> = changelog
        .lines()
        .filter_map(|line| line.strip_prefix("## [")?.split_once(']'))
        .map(|(version, _)| version)
        .filter(|version| *version != "Unreleased")
        .collect();
    let mut documented: Vec<String> = paths()
        .iter()
        .filter_map(|path| path.strip_prefix("proto/released/")?.strip_suffix(".binpb"))
        .map(str::to_owned)
        .collect();
    listed.sort_unstable();
    documented.sort_unstable();
    assert!(!documented.is_empty(), "no release is checked in");
    assert_eq!(listed, documented, "CHANGELOG.md and proto/released differ");
}
