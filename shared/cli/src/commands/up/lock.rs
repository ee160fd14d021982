//! Ensures that only one `up` runs per data folder.

use std::fs::{File, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use crate::error::{CliError, CliResult};

/// Takes the folder's lock, which is released when the file is dropped or the process ends.
pub(super) fn take(data_dir: &Path) -> CliResult<File> {
    let path = data_dir.join("up.lock");
    let file = File::options().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
    let mut file = file.map_err(|error| CliError::failed(format!("{} cannot be opened: {error}", path.display())))?;
    match file.try_lock() {
        Ok(()) => {
            file.set_len(0)?;
            file.rewind()?;
            write!(file, "{}", std::process::id())?;
            Ok(file)
        }
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            let _ = file.read_to_string(&mut holder);
            let folder = std::path::absolute(data_dir).unwrap_or_else(|_| data_dir.to_owned());
            Err(CliError::failed(format!(
                "another `kimberly up` (process {holder}) uses the data folder {}; use or stop that one, or name another \
                 folder with KIMBERLY_DATA_DIR",
                folder.display()
            )))
        }
        Err(TryLockError::Error(error)) => {
            Err(CliError::failed(format!("{} cannot be locked: {error}", path.display())))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_folder_in_use_is_refused_with_the_holder_and_free_again_after() {
        let folder = tempfile::tempdir().unwrap();
        let held = take(folder.path()).unwrap();
        let message = take(folder.path()).unwrap_err().message().to_owned();
        assert!(
            message.contains(&std::process::id().to_string()) && message.contains("KIMBERLY_DATA_DIR"),
            "{message}"
        );
        assert_eq!(held.metadata().unwrap().permissions().mode() & 0o777, 0o600, "other accounts may read it");
        drop(held);
        take(folder.path()).unwrap();
    }
}
