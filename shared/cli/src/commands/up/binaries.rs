//! Finds the programs of the processes.

use std::path::PathBuf;

use kimberly_crypto::folder_of;

use crate::error::{CliError, CliResult};

/// The program of a process: in `KIMBERLY_BIN_DIR`, next to this program, or in PATH.
pub(crate) fn find(name: &str) -> CliResult<PathBuf> {
    let file = format!("kimberly-{name}");
    let folders = folders();
    folders.iter().map(|folder| folder.join(&file)).find(|path| path.is_file()).ok_or_else(|| {
        CliError::failed(format!(
            "there is no program {file} next to this one or in PATH; deploy/up builds it, or set KIMBERLY_BIN_DIR to its folder"
        ))
    })
}

fn folders() -> Vec<PathBuf> {
    let named = std::env::var_os("KIMBERLY_BIN_DIR").filter(|dir| !dir.is_empty()).map(PathBuf::from);
    let beside = std::env::current_exe().ok().map(|program| folder_of(&program).to_owned());
    let path = std::env::var_os("PATH").unwrap_or_default();
    named.into_iter().chain(beside).chain(std::env::split_paths(&path)).collect()
}
