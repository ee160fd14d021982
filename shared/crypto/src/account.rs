//! Files of the account that runs the service, stored beside its rings: secrets that programs of the same account
//! read.

use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use crate::folders::{Lock, make_private, publish_new, publish_over, write_staged};
use crate::hex::is_hex;
use crate::{FileKeyStore, KeyError, KeySources, folder_of, source};

impl KeySources {
    /// The folder for files of the account, outside the data folder: `[keys] folder`, else `~/.kimberly/keys/<id of
    /// the data folder>`. With `make`, creates the id if it is missing. Without, returns `None` if the data folder
    /// has no id or the account has no home. The folder itself may be missing.
    pub fn account_folder(&self, data_dir: &Path, make: bool) -> Result<Option<PathBuf>, KeyError> {
        let keys = data_dir.join("keys");
        if !make && self.folder.is_none() && (self.home().is_none() || !keys.join("id").exists()) {
            return Ok(None);
        }
        let id = if make {
            make_private(&keys)?;
            let _held = Lock::wait(&keys.join(".lock"))?;
            let store = FileKeyStore::new(&keys);
            crate::keys::data_id(&store, crate::keys::is_first(&store)?)?
        } else {
            crate::folders::read_bounded(&keys.join("id"), 64)?
                .and_then(|bytes| std::str::from_utf8(&bytes).map(|text| text.trim_end().to_owned()).ok())
                .filter(|id| is_hex(id, 16))
                .unwrap_or_default()
        };
        self.account_folder_of(&id, data_dir)
    }
}

/// The bytes of a private file, at most 4 KiB; `None` if it is missing. Refuses a file that other accounts may read.
pub fn read_private(file: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, KeyError> {
    source::read_private(file)
}

/// Creates a private file (0600) and its folder (0700). Returns whether it did; `false` if the file exists. Durable
/// on return.
pub fn create_private(file: &Path, bytes: &[u8]) -> Result<bool, KeyError> {
    let staged = staged(file, bytes)?;
    publish_new(&staged, file)
}

/// Replaces a private file (0600) atomically: concurrent readers see the old or the new content. Durable on return.
pub fn replace_private(file: &Path, bytes: &[u8]) -> Result<(), KeyError> {
    let staged = staged(file, bytes)?;
    publish_over(&staged, file)
}

/// Writes the bytes to a staging file beside the target.
fn staged(file: &Path, bytes: &[u8]) -> Result<PathBuf, KeyError> {
    let folder = folder_of(file);
    make_private(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let staged = folder.join(format!(".{name}.{}.new", std::process::id()));
    write_staged(&staged, bytes)?;
    Ok(staged)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::Environment;

    #[test]
    fn the_account_has_one_folder_for_each_data_folder() {
        let root = tempfile::tempdir().unwrap();
        let (home, data) = (root.path().join("home"), root.path().join("data"));
        fs::create_dir(&data).unwrap();
        let environment = Environment::of([("HOME".to_owned(), home.as_os_str().to_owned())].into());
        let sources = KeySources { environment, ..KeySources::default() };
        assert_eq!(sources.account_folder(&data, false).unwrap(), None);
        assert!(!data.join("keys").exists(), "looking makes nothing");
        let folder = sources.account_folder(&data, true).unwrap().unwrap();
        assert_eq!(sources.account_folder(&data, true).unwrap().as_ref(), Some(&folder));
        assert_eq!(sources.account_folder(&data, false).unwrap().as_ref(), Some(&folder));
        assert!(folder.starts_with(home.join(".kimberly/keys")), "{}", folder.display());
        let homeless = KeySources { environment: Environment::of([].into()), ..KeySources::default() };
        assert_eq!(homeless.account_folder(&data, false).unwrap(), None);
        assert!(homeless.account_folder(&data, true).unwrap_err().to_string().contains("HOME is not set"));
        let named = KeySources { folder: Some(root.path().join("keys")), ..KeySources::default() };
        assert_eq!(named.account_folder(&data, false).unwrap(), Some(root.path().join("keys")));
        let inside = KeySources { folder: Some(data.join("secret")), ..KeySources::default() };
        assert!(inside.account_folder(&data, true).is_err());
    }

    #[test]
    fn a_private_file_is_made_once_and_read_by_its_account_alone() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("keys/admin.token");
        assert!(read_private(&file).unwrap().is_none());
        assert!(create_private(&file, b"one").unwrap());
        assert!(!create_private(&file, b"two").unwrap());
        assert_eq!(read_private(&file).unwrap().unwrap().as_slice(), b"one");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        replace_private(&file, b"three").unwrap();
        assert_eq!(read_private(&file).unwrap().unwrap().as_slice(), b"three");
        assert_eq!((mode(&file), fs::read_dir(file.parent().unwrap()).unwrap().count()), (0o600, 1));
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read_private(&file).unwrap_err().to_string().contains("chmod 600"));
    }
}
