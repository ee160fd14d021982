//! The data folder: made private to the account, and checked before anything else needs it.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::Path;

use crate::Failure;

/// Makes the folder with mode 0700 unless it exists, and checks that files can be made in it.
pub fn prepare_data_dir(folder: &Path) -> Result<(), Failure> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(|error| unusable(folder, &error))?;
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    fs::write(&probe, b"").and_then(|()| fs::remove_file(&probe)).map_err(|error| unusable(folder, &error))?;
    let mode = fs::metadata(folder).map_err(|error| unusable(folder, &error))?.permissions().mode();
    if mode & 0o077 != 0 {
        tracing::warn!(
            "other accounts can reach the data folder {} (mode {:o}); `chmod 700` keeps them out",
            folder.display(),
            mode & 0o777
        );
    }
    Ok(())
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
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0, "the probe was left behind");
        prepare_data_dir(&folder).unwrap();
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
