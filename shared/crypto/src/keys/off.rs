//! Encryption off: only for a data folder that was never encrypted.

use std::path::Path;

use super::Keys;
use super::first_start::{is_encrypted, is_first};
use crate::{FileKeyStore, KeyError, KeyStore};

impl Keys {
    /// No keys, for a data folder of unencrypted databases. Refuses one with encrypted databases.
    pub fn off_for(data_dir: &Path) -> Result<Self, KeyError> {
        for name in ["system.db", "queue.db"] {
            let file = data_dir.join(name);
            if is_encrypted(&file)? {
                return Err(refused(&format!("{} is encrypted", file.display())));
            }
        }
        let keys = data_dir.join("keys");
        if !FileKeyStore::new(&keys).list(None, 1)?.is_empty() {
            return Err(refused(&format!("{} holds keys of encrypted vaults", keys.display())));
        }
        Ok(Self::off())
    }

    /// No keys, for a database that would store its keys in `store`. Refuses one that holds keys.
    pub fn off_in(store: &dyn KeyStore) -> Result<Self, KeyError> {
        if !is_first(store)? {
            return Err(refused("the database holds keys, with which sensitive memories are sealed"));
        }
        Ok(Self::off())
    }
}

fn refused(found: &str) -> KeyError {
    KeyError::Refused(format!(
        "encryption.enabled is false, but {found}; set it to true: to store data unencrypted, import an export into \
         an empty data folder"
    ))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use crate::keys::tests::{Folders, hash};
    use crate::{KeyError, Keys};

    fn refusal(folders: &Folders) -> Option<KeyError> {
        Keys::off_for(&folders.data()).err()
    }

    #[test]
    fn encryption_is_not_turned_off_over_what_is_encrypted() {
        let folders = Folders::new();
        assert_eq!(refusal(&folders), None);
        fs::write(folders.data().join("system.db"), b"SQLite format 3\0 and so on").unwrap();
        fs::write(folders.data().join("queue.db"), b"").unwrap();
        assert_eq!(refusal(&folders), None, "plain and empty files");
        fs::remove_file(folders.data().join("system.db")).unwrap();
        let keys = folders.open().unwrap();
        assert_eq!(refusal(&folders), None, "no vault has keys yet");
        keys.make_user(&hash('a')).unwrap();
        let refused = refusal(&folders).unwrap().to_string();
        assert!(refused.contains("holds keys of encrypted vaults") && refused.contains("set it to true"), "{refused}");
        fs::write(folders.data().join("queue.db"), [7; 4096]).unwrap();
        let refused = refusal(&folders).unwrap().to_string();
        assert!(refused.contains("queue.db is encrypted"), "{refused}");
    }
}
