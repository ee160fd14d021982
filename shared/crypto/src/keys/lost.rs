//! Tells a data folder whose registry or keys were lost from a new one, which holds neither vaults nor keys.

use std::fs;
use std::io;
use std::path::Path;

use super::first_start::is_first;
use crate::{FileKeyStore, KeyError, KeyStore as _, UserHash};

/// Refuses a data folder without its registry, `system.db`, if it holds vaults or keys of users: a new one would know
/// none of them. An empty file counts as missing.
///
/// # Errors
/// [`KeyError::Refused`], which says what is missing and what to do, or [`KeyError::Io`].
pub fn refuse_lost_registry(data_dir: &Path) -> Result<(), KeyError> {
    let Some(lacking) = lacking(data_dir)? else { return Ok(()) };
    match refuse_unknown(data_dir, lacking) {
        // Another process may have created both since.
        Err(KeyError::Refused(_)) if self::lacking(data_dir)?.is_none() => Ok(()),
        refused => refused,
    }
}

/// Refuses a data folder that holds vaults or keys of users, because its registry knows none of them: it is `lacking`.
///
/// # Errors
/// As [`refuse_lost_registry`].
pub fn refuse_unknown(data_dir: &Path, lacking: &str) -> Result<(), KeyError> {
    let (vaults, keys) = (count_vaults(data_dir)?, data_dir.join("keys"));
    let held = match vaults {
        0 if FileKeyStore::new(&keys).list(None, 1)?.is_empty() => return Ok(()),
        0 => format!("{} holds keys of users", keys.join("users").display()),
        1 => format!("{} holds a vault", data_dir.join("vaults").display()),
        _ => format!("{} holds {vaults} vaults", data_dir.join("vaults").display()),
    };
    Err(KeyError::Refused(format!(
        "{} {lacking}, but {held}; restore everything from a backup (docs/guides/back-up.md), or run \
         `kimberly vaults register`, which finds the users again, but no credentials",
        data_dir.join("system.db").display()
    )))
}

/// Refuses a data folder that holds vaults, but no keys at all: new keys would open none of them.
///
/// # Errors
/// As [`refuse_lost_registry`].
pub fn refuse_lost_keys(data_dir: &Path) -> Result<(), KeyError> {
    let keys = data_dir.join("keys");
    if !is_first(&FileKeyStore::new(&keys))? || count_vaults(data_dir)? == 0 {
        return Ok(());
    }
    Err(KeyError::Refused(format!(
        "{} holds vaults, but {} holds no keys, without which encrypted vaults cannot be read: restore both from one \
         backup; if the vaults were never encrypted, set encryption.enabled to false",
        data_dir.join("vaults").display(),
        keys.display()
    )))
}

/// What the registry's file is, if it holds nothing.
fn lacking(data_dir: &Path) -> Result<Option<&'static str>, KeyError> {
    let file = data_dir.join("system.db");
    match fs::metadata(&file) {
        Ok(found) => Ok((found.len() == 0).then_some("is empty")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some("is missing")),
        Err(error) => Err(KeyError::io("looking for", &file, &error)),
    }
}

/// Counts the vaults in a data folder, whether or not anything names them.
fn count_vaults(data_dir: &Path) -> Result<usize, KeyError> {
    let folder = data_dir.join("vaults");
    let failed = |error: io::Error| KeyError::io("listing", &folder, &error);
    let mut found = 0;
    for group in entries(&folder).map_err(failed)? {
        if !group.file_type().map_err(failed)?.is_dir() {
            continue;
        }
        for vault in entries(&group.path()).map_err(failed)? {
            let is_named = vault.file_name().to_str().is_some_and(|name| UserHash::parse(name).is_some());
            found += usize::from(is_named && vault.path().join("memory.db").try_exists().map_err(failed)?);
        }
    }
    Ok(found)
}

/// Lists a folder; nothing if it is missing.
fn entries(folder: &Path) -> io::Result<Vec<fs::DirEntry>> {
    match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        entries => entries?.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::tests::{Folders, hash};

    fn vault(data: &Path) {
        let folder = data.join("vaults/aa").join(hash('a'));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("memory.db"), "a vault").unwrap();
    }

    #[test]
    fn a_new_folder_is_no_lost_one_and_what_is_left_of_a_lost_one_is_named() {
        let folders = Folders::new();
        let data = folders.data();
        let refusal = || refuse_lost_registry(&data).err().map(|error| error.to_string());
        assert_eq!(refusal(), None, "a new folder");
        let keys = folders.open().unwrap();
        fs::create_dir_all(data.join("vaults/aa")).unwrap();
        fs::write(data.join("vaults/empty-v1.db"), "no vault").unwrap();
        assert_eq!(refusal(), None, "a first start that was interrupted");
        keys.make_user(&hash('a')).unwrap();
        let refused = refusal().unwrap();
        assert!(
            refused.contains("system.db is missing, but") && refused.contains("keys/users holds keys"),
            "{refused}"
        );
        vault(&data);
        fs::write(data.join("system.db"), "").unwrap();
        let refused = refusal().unwrap();
        assert!(refused.contains("is empty, but") && refused.contains("vaults holds a vault"), "{refused}");
        fs::write(data.join("system.db"), "the registry").unwrap();
        assert_eq!(refusal(), None);
    }

    #[test]
    fn keys_are_not_created_beside_vaults_that_they_do_not_open() {
        let folders = Folders::new();
        vault(&folders.data());
        let refused = folders.open().unwrap_err().to_string();
        assert!(refused.contains("holds no keys") && refused.contains("restore both"), "{refused}");
        assert!(!folders.data().join("keys/system.key").exists(), "nothing was created");
        assert!(!folders.data().join("keys/id").exists());
    }
}
