//! Rings in files: readable by this account alone, and outside the data folder.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::folders::{make_private, publish_new, read_open, write_staged};
use crate::{KeyError, MAX_RING_BYTES, RingName, folder_of};

/// The bytes of a ring's file, one past the bound at most; `None` if there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    match read_once(path)? {
        // Text has no zero bytes: what was open while another took its place is looked for again.
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
    // Of what is open, so that nobody exchanges it between the look and the reading.
    let metadata = open.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(KeyError::Refused(format!("{} is no file", path.display())));
    }
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyError::Refused(format!(
            "{path} may be read by other accounts (mode {mode:o}); `chmod 600 {path}` keeps them out",
            path = path.display()
        )));
    }
    read_open(open, MAX_RING_BYTES).map(Some).map_err(failed)
}

/// Makes a ring's file with its folder, unless it exists by then. `owner` is the id of the data folder whose start
/// makes it, since two that start at once may name the same file.
pub(super) fn create(path: &Path, ring: RingName, owner: &str, text: &str) -> Result<(), KeyError> {
    let folder = folder_of(path);
    make_private(folder)?;
    let mut content = Zeroizing::new(String::with_capacity(1024));
    content.push_str("# The ");
    content.push_str(ring.as_str());
    content
        .push_str(" key of a Kimberly data folder. Whoever has it can read what it encrypts; without it nobody can.\n");
    content.push_str("# Keep a copy apart from the data. The last key here is the one in use; older ones only open.\n");
    content.push_str(text);
    let staged = folder.join(format!(".{ring}.{owner}.new"));
    write_staged(&staged, content.as_bytes())?;
    // Somebody else's ring under the same path wins; the caller reads what is there.
    publish_new(&staged, path).map(|_| ())
}

/// Refuses a file that lies in the data folder, by whatever way its path leads there: backups of the data would hold
/// the key that opens them.
pub(super) fn refuse_inside(path: &Path, ring: RingName, data_dir: &Path) -> Result<(), KeyError> {
    let (real, data) = (real(path)?, real(data_dir)?);
    if real.starts_with(&data) {
        return Err(KeyError::Refused(format!(
            "the {ring} key would lie in the data folder, at {}, and in every copy of it; name a place outside {} in keys.{ring} or \
             keys.folder",
            real.display(),
            data.display()
        )));
    }
    Ok(())
}

/// The path without links, as far as it exists.
fn real(path: &Path) -> Result<PathBuf, KeyError> {
    match fs::canonicalize(path) {
        Ok(real) => Ok(real),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link whose target is missing would be followed when the file is made.
            let dangling = fs::symlink_metadata(path).is_ok();
            match path.file_name() {
                Some(name) if !dangling => Ok(real(folder_of(path))?.join(name)),
                _ => Err(KeyError::io("following", path, &error)),
            }
        }
        Err(error) => Err(KeyError::io("following", path, &error)),
    }
}
