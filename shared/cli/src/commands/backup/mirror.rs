//! The key files of users, inside a backup or beside it.

use std::fs;
use std::path::{Path, PathBuf};

use kimberly_crypto::folder_of;

use super::files;
use crate::error::CliResult;

/// Extension of a file that is still being written.
const STAGED: &str = "new";

/// The files below `data/keys` that belong in a backup: neither partial files nor locks.
pub(super) fn key_files(keys: &Path) -> CliResult<Vec<PathBuf>> {
    let mut found = files::below(keys)?;
    let is_staged = |path: &PathBuf| path.extension().is_some_and(|ending| ending == STAGED);
    found.retain(|path| {
        !is_staged(path) && path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
    });
    Ok(found)
}

/// Path of a vault's key file below `keys`, derived from the vault's folder below the data folder.
pub(super) fn key_of(folder: &str) -> Option<PathBuf> {
    let within = folder.strip_prefix("vaults/")?;
    Some(PathBuf::from(format!("users/{within}.key")))
}

/// Makes `to` a copy of `from`: key files destroyed there are removed here too. Copies new files first, so that an
/// interruption leaves too many rather than too few.
pub(super) fn mirror(from: &Path, to: &Path) -> CliResult {
    files::make_folder(to)?;
    let there = key_files(from)?;
    for path in &there {
        let target = to.join(path);
        let staged = target.with_extension(STAGED);
        let _ = fs::remove_file(&staged);
        if files::copy(&from.join(path), &staged, String::new())?.is_none() {
            continue;
        }
        fs::rename(&staged, &target).map_err(|error| files::failed("writing", &target, &error))?;
        files::sync(folder_of(&target))?;
    }
    for path in key_files(&to.join("users"))? {
        let path = Path::new("users").join(path);
        if is_of_user(&path) && !from.join(&path).exists() {
            let gone = to.join(&path);
            fs::remove_file(&gone).map_err(|error| files::failed("removing", &gone, &error))?;
            files::sync(folder_of(&gone))?;
        }
    }
    Ok(())
}

/// Only such files are ever removed, whatever folder was named.
fn is_of_user(path: &Path) -> bool {
    let (name, ending) = (path.file_stem(), path.extension());
    let is_hash = |name: &str| name.len() == 64 && name.bytes().all(|byte| byte.is_ascii_hexdigit());
    ending.is_some_and(|ending| ending == "key") && name.and_then(|name| name.to_str()).is_some_and(is_hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mirror_loses_what_its_source_lost() {
        let root = tempfile::tempdir().unwrap();
        let (from, to) = (root.path().join("keys"), root.path().join("apart"));
        let [a, b] = ["a", "b"].map(|digit| format!("users/3f/{}.key", digit.repeat(64)));
        for name in ["system.key", &a, &b, "users/3f/.b.key.7.new"] {
            files::make_folder(from.join(name).parent().unwrap()).unwrap();
            fs::write(from.join(name), name).unwrap();
        }
        mirror(&from, &to).unwrap();
        fs::remove_file(from.join(&b)).unwrap();
        fs::write(from.join("system.key"), "wrapped again").unwrap();
        fs::write(to.join("users/3f/mine.txt"), "").unwrap();
        mirror(&from, &to).unwrap();
        let names = ["system.key", &a, "users/3f/mine.txt"];
        assert_eq!(key_files(&to).unwrap(), names.map(PathBuf::from));
        assert_eq!(fs::read_to_string(to.join("system.key")).unwrap(), "wrapped again");
        assert_eq!(key_of("vaults/3f/3fab").unwrap(), PathBuf::from("users/3f/3fab.key"));
    }
}
