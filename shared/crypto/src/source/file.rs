//! Rings in files, readable only by this account and stored outside the data folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::folders::{make_private, publish_new, read_open, write_staged};
use crate::{KeyError, MAX_RING_BYTES, RingName, folder_of};

/// Reads a ring's file, at most one byte past the bound; `None` if it is missing.
pub(crate) fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    match read_once(path)? {
        // Text has no zero bytes: the file was replaced and wiped while open, so read again.
        Some(bytes) if bytes.contains(&0) => read_once(path),
        other => Ok(other),
    }
}

fn read_once(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    let failed = |error: io::Error| KeyError::io("reading", path, &error);
    let open = match File::open(path) {
        Ok(open) => open,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    // Metadata of the open file, so that it cannot be swapped between check and read.
    let metadata = open.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(KeyError::Refused(format!("{} is not a file", path.display())));
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyError::Refused(format!(
            "{path} may be read by other accounts (mode {mode:o}); restrict it with `chmod 600 {path}`",
            path = path.display()
        )));
    }
    read_open(open, MAX_RING_BYTES).map(Some).map_err(failed)
}

/// Creates a ring's file and its folder, unless the file exists. `owner` is the id of the data folder, since
/// concurrent starts of two data folders may name the same file.
pub(super) fn create(path: &Path, ring: RingName, owner: &str, text: &str) -> Result<(), KeyError> {
    let folder = folder_of(path);
    make_private(folder)?;
    let mut content = Zeroizing::new(String::with_capacity(1024));
    content.push_str("# The ");
    content.push_str(ring.as_str());
    content.push_str(" key of a Kimberly data folder. It decrypts the data; without it the data is unreadable.\n");
    content.push_str(
        "# Store a copy separate from the data. The last key here is the one in use; older ones only decrypt.\n",
    );
    content.push_str(text);
    let staged = folder.join(format!(".{ring}.{owner}.new"));
    write_staged(&staged, content.as_bytes())?;
    // If another ring won the race for this path, the caller reads that one.
    publish_new(&staged, path).map(|_| ())
}

/// Refuses a file inside the data folder, links resolved: backups of the data would contain the key that opens them.
pub(super) fn refuse_inside(path: &Path, ring: RingName, data_dir: &Path) -> Result<(), KeyError> {
    let (real, data) = (real(path)?, real(data_dir)?);
    if real.starts_with(&data) {
        return Err(KeyError::Refused(format!(
            "the {ring} key would be in the data folder, at {}, and in every copy of it; name a location outside {} \
             in keys.{ring} or keys.folder",
            real.display(),
            data.display()
        )));
    }
    Ok(())
}

/// The path with links resolved, as far as it exists.
fn real(path: &Path) -> Result<PathBuf, KeyError> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // Creating the file would follow a link whose target is missing.
            let dangling = fs::symlink_metadata(path).is_ok();
            match path.file_name() {
                Some(name) if !dangling => Ok(real(folder_of(path))?.join(name)),
                _ => Err(KeyError::io("following", path, &error)),
            }
        }
        Err(error) => Err(KeyError::io("following", path, &error)),
    }
}
