//! Prepares the data folder: private to the account, and writable.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use crate::Failure;

/// Permission bits of other accounts.
const OTHERS: u32 = 0o077;

/// Creates the folder with mode 0700 if it is missing, removes other accounts' access, and checks that it is
/// writable.
pub fn prepare_data_dir(folder: &Path) -> Result<(), Failure> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| unusable(folder, &error))?;
    close(folder).map_err(|error| unusable(folder, &error))?;
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe)).map_err(|error| unusable(folder, &error))?;
    Ok(())
}

/// Removes other accounts' access to the folder and its direct content. If another account owns the folder, as with
/// some volumes, only its files are restricted.
fn close(folder: &Path) -> io::Result<()> {
    if !is_closed(folder)? {
        tracing::warn!(
            "the data folder {} belongs to another account, and others can access it; its files are readable by this \
             account only",
            folder.display()
        );
    }
    for entry in fs::read_dir(folder)? {
        match is_closed(&entry?.path()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            closed => drop(closed?),
        }
    }
    Ok(())
}

/// Removes other accounts' access unless another account owns the path. Returns whether the path is private now.
fn is_closed(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    let mode = found.mode() & 0o7777;
    if mode & OTHERS == 0 || found.is_symlink() {
        return Ok(true);
    }
    if found.uid() != rustix::process::geteuid().as_raw() {
        return Ok(false);
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & !OTHERS))?;
    tracing::info!("removed other accounts' access to {}; its mode was {mode:o}", path.display());
    Ok(true)
}

fn unusable(folder: &Path, error: &io::Error) -> Failure {
    let shown = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    Failure::new(
        format!("the data folder {} cannot be used: {error}", shown.display()),
        "give this account write access to it, free some disk space, or name another folder with KIMBERLY_DATA_DIR",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_folder_is_made_private_with_its_parents() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("a/b");
        prepare_data_dir(&folder).unwrap();
        assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "the probe file was not removed");
        prepare_data_dir(&folder).unwrap();
    }

    #[test]
    fn a_folder_that_was_open_to_others_is_closed_with_its_files() {
        let root = tempfile::tempdir().unwrap();
        let (folder, file) = (root.path().join("data"), root.path().join("data/system.db"));
        let vaults = folder.join("vaults");
        fs::create_dir_all(&vaults).unwrap();
        fs::write(&file, b"x").unwrap();
        for (path, mode) in [(&folder, 0o755), (&file, 0o644), (&vaults, 0o755)] {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
        prepare_data_dir(&folder).unwrap();
        for (path, mode) in [(&folder, 0o700), (&file, 0o600), (&vaults, 0o700)] {
            assert_eq!(fs::metadata(path).unwrap().mode() & 0o7777, mode, "{}", path.display());
        }
    }

    #[test]
    fn a_file_in_place_of_the_folder_is_explained() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("data");
        fs::write(&file, b"x").unwrap();
        let message = prepare_data_dir(&file).unwrap_err().message();
        assert!(message.contains("cannot be used") && message.contains("KIMBERLY_DATA_DIR"), "{message}");
    }
}
