//! Finds the program under test.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The path of `kimberly`.
///
/// # Panics
///
/// If it is missing; the message says how to build it.
#[track_caller]
pub fn program() -> PathBuf {
    let folder = folder();
    let path = folder.join("kimberly");
    assert!(
        path.is_file(),
        "kimberly is not in {}; build it with `cargo build --workspace{}`, or run `tests/run --only build`",
        folder.display(),
        if folder.ends_with("release") { " --release" } else { "" },
    );
    path
}

/// Starts a process, such as `kimberly-api`.
///
/// # Panics
///
/// If the program is missing.
#[track_caller]
pub fn process(name: &str) -> Command {
    let mut command = Command::new(program());
    command.arg(name.trim_start_matches("kimberly-"));
    command
}

/// `KIMBERLY_BIN_DIR`, else the profile's folder that holds this test executable.
fn folder() -> PathBuf {
    if let Some(folder) = std::env::var_os("KIMBERLY_BIN_DIR") {
        return PathBuf::from(folder);
    }
    let test = std::env::current_exe().expect("a test knows its executable");
    let folder = test.parent().expect("an executable lies in a folder");
    if folder.ends_with("deps") {
        folder.parent().map_or_else(|| folder.to_owned(), Path::to_owned)
    } else {
        folder.to_owned()
    }
}
