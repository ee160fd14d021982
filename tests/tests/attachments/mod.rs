//! Attachments through the real processes: uploads, downloads, their memories, and their complete removal.
#![expect(clippy::expect_used, reason = "a helper of tests fails the test that calls it")]

mod kills;
mod lasting;
mod moving;
mod refusals;
mod sealed;

use std::path::PathBuf;

use kimberly_tests::System;

/// The files of all attachments, including unfinished ones.
fn files(system: &System) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![system.data_dir().join("vaults")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.parent().is_some_and(|parent| parent.ends_with("attachments")) {
                found.push(path);
            }
        }
    }
    found
}
