//! Starts this program in another role: as a process of the service, or for work that the command line must not do itself.

use std::path::PathBuf;

use kimberly_crypto::folder_of;

use crate::error::{CliError, CliResult};

/// The program: in `KIMBERLY_BIN_DIR`, or this one.
pub(crate) fn program() -> CliResult<PathBuf> {
    let named = std::env::var_os("KIMBERLY_BIN_DIR").filter(|folder| !folder.is_empty());
    let own = std::env::current_exe();
    let path = match named {
        Some(folder) => PathBuf::from(folder).join("kimberly"),
        None => match own? {
            own if own.is_file() => own,
            // An upgrade replaced the file while it runs, so the system names it with a suffix.
            own => folder_of(&own).join("kimberly"),
        },
    };
    if path.is_file() {
        return Ok(path);
    }
    Err(CliError::failed(format!(
        "there is no program {}; set KIMBERLY_BIN_DIR to the folder of kimberly",
        path.display()
    )))
}
