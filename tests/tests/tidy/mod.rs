//! Automated conventions: dependencies between crates, sizes of files and functions, module docs, bounds repeated in
//! protos, paths named in documents, the table of errors, versions.
#![expect(clippy::expect_used, clippy::panic, reason = "a helper of tests fails the test that calls it")]

mod bounds;
mod console;
mod documents;
mod errors;
mod files;
mod functions;
mod refusals;
mod stages;
mod versions;
mod walls;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The root of the checkout.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("tests/ lies in the checkout").to_owned()
}

/// A file's path from the root, and its text.
struct Text {
    path: String,
    text: String,
}

/// Paths of all tracked and untracked, not ignored files, from the root.
fn paths() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files of the checkout");
    assert!(output.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let mut paths: Vec<String> = listed.lines().map(str::to_owned).filter(|p| root().join(p).is_file()).collect();
    paths.sort();
    paths.dedup();
    assert!(!paths.is_empty(), "git lists no file");
    paths
}

/// The text files of the checkout.
fn texts() -> Vec<Text> {
    let read = |path: String| std::fs::read_to_string(root().join(&path)).ok().map(|text| Text { path, text });
    paths().into_iter().filter_map(read).collect()
}

/// The Rust sources, without those that are generated.
fn sources() -> Vec<Text> {
    let mut sources = texts();
    sources.retain(|file| has_extension(&file.path, "rs") && !file.path.contains("/generated/"));
    assert!(sources.len() > 20, "only {} Rust files found", sources.len());
    sources
}

/// Fails with all problems, one per line.
fn assert_none(what: &str, problems: &[String]) {
    assert!(problems.is_empty(), "{what}:\n  {}", problems.join("\n  "));
}

/// Whether a path ends with `.extension`.
fn has_extension(path: &str, extension: &str) -> bool {
    Path::new(path).extension().is_some_and(|found| found == extension)
}
