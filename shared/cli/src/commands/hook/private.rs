//! Files that only this account can read, for messages and errors.

use std::fs::{DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use kimberly_crypto::folder_of;

/// Opens a file for appending (0600), and creates its folder (0700).
pub(super) fn append(file: &Path) -> io::Result<File> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder_of(file))?;
    OpenOptions::new().append(true).create(true).mode(0o600).open(file)
}
